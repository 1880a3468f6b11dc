"""Lines that stand below what follows an opening bracket go with it.

    url("a",             path("a",
        view)    ->           view)

A line that stands so moves as far as that place does, when something before the bracket
becomes longer or shorter; a line that continues such a line keeps its distance from it.
The inner lines of strings never move.
"""

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from itertools import accumulate
from typing import NamedTuple

from tree_sitter import Node

from astedit.rewrite.make.overlap import Site
from astedit.rewrite.make.piece import Piece, amended, applied, in_order
from astedit.rewrite.make.render import Style
from astedit.text.indent import leading_white, respaced, shifts
from astedit.text.source import before_break, line_start, lines_begun

_BRACKETS = {"(": ")", "[": "]", "{": "}"}
_SIGNS = re.compile(rb"[()\[\]{}]")
_OPENERS = b"([{"


def realign(site: Site, style: Style) -> None:
    """Changes the pieces and the text of an edit such that lines below brackets stay there."""
    op, source = site.rewrite, style.source
    if op.layout != "keep" or op.deletes or b"\n" not in source[site.start : site.end]:
        return
    if not _moves_bracket(site.pieces, source):
        return
    if brackets := list(_brackets(site.found.node, source)):
        _Realigning(site, source, brackets, frozenset(style.frozen(site.found))).run()


def _moves_bracket(pieces: Sequence[Piece], source: bytes) -> bool:
    """Does anything change in length before a bracket on its line, or a line join another?"""
    for piece in pieces:
        if b"\n" in source[piece.start : piece.end]:
            return True
        new = piece.text.data
        if len(new) != piece.end - piece.start or b"\n" in new:
            rest = new + source[piece.start : before_break(source, piece.end)]
            if any(sign in rest for sign in _OPENERS):
                return True
    return False


class _Bracket(NamedTuple):
    """From behind an opening bracket to its partner; `first` is what follows it on its line."""

    start: int
    end: int
    first: int


def _brackets(node: Node, source: bytes) -> Iterator[_Bracket]:
    """The pairs of brackets around line breaks, outer ones first."""
    stack = [node]
    while stack:
        inner = stack.pop()
        if inner.start_point[0] == inner.end_point[0]:
            continue
        nodes = inner.children
        opened: list[Node] = []
        pairs: list[tuple[Node, Node]] = []
        for child in nodes:
            if child.type in _BRACKETS:
                opened.append(child)
            elif opened and child.type == _BRACKETS[opened[-1].type]:
                pairs.append((opened.pop(), child))
        for opener, closer in sorted(pairs, key=lambda pair: pair[0].start_byte):
            if opener.start_point[0] < closer.start_point[0]:
                start = opener.end_byte
                first = start + len(leading_white(source, start))
                yield _Bracket(start, closer.start_byte, first)
        stack.extend(reversed(nodes))


class _Realigning:
    """One edit; `column` and the like are of places in the new text, with the line before it."""

    def __init__(
        self, site: Site, source: bytes, brackets: Sequence[_Bracket], frozen: frozenset[int]
    ) -> None:
        self._site = site
        self._source = source
        self._frozen = frozen
        self._around: dict[int, _Bracket] = {}  # by line, the innermost bracket that it is in
        for bracket in sorted(brackets, key=lambda one: one.start):
            self._around |= dict.fromkeys(lines_begun(source, bracket.start, bracket.end), bracket)
        line = line_start(source, site.start)
        self._head = site.start - line
        self._new = source[line : site.start] + site.text.data
        grown = (len(piece.text.data) - (piece.end - piece.start) for piece in site.pieces)
        self._shifts = list(accumulate(grown, initial=-line))
        starts = (piece.start for piece in site.pieces)
        self._starts = [at + shift for at, shift in zip(starts, self._shifts, strict=False)]
        self._moves: dict[int, int] = {}  # how far places move, which begin their lines
        self._by_line: dict[int, int] = {}  # the same, by line of the source
        self._added: dict[_Bracket, list[tuple[int, int]]] = {}
        self._earlier: dict[_Bracket, list[int]] = {}  # lines that have been looked at
        self._below: dict[_Bracket, tuple[int, int]] = {}  # the column there was, and the move

    def run(self) -> None:
        for line, bracket in sorted(self._around.items(), key=lambda pair: pair[0]):
            self._line(line)
            self._earlier.setdefault(bracket, []).append(line)
        for number, piece in enumerate(self._site.pieces):
            self._added_lines(number, piece)
        if self._moves:
            site = self._site
            moves = sorted((at - self._head, move) for at, move in self._moves.items())
            blanks = [(at + min(0, move), at, b" " * max(0, move)) for at, move in moves]
            site.pieces = amended(site.pieces, site.start, site.end, self._source, blanks)
            site.text = respaced(site.text, blanks)

    def _line(self, line: int) -> None:
        first = line + len(leading_white(self._source, line))
        place = self._place(first)
        if line in self._frozen or place is None or self._source[first : first + 1] in b"\r\n":
            return
        if self._new[line_start(self._new, place) : place].strip():
            return  # the line before it goes on here
        place += len(leading_white(self._new, place))
        wanted = self._wanted(line, first)
        move = 0 if wanted is None else wanted - self._column(place)
        if self._stands_below(line, first):
            self._below[self._around[line]] = self._column(place), move
        if move and self._may_move(place, move):
            self._moves[place] = self._by_line[line] = move

    def _wanted(self, line: int, first: int) -> int | None:
        """The column that a line is to begin in; None if it may stay."""
        if self._stands_below(line, first):
            return self._column_behind(self._around[line], self._place(first))
        before = self._continued(line, first)
        begin = before + len(leading_white(self._source, before))
        above, place = self._place(begin), self._place(first)
        is_below = begin - before == first - line and before > self._around[line].start
        if is_below and above is not None and place is not None and self._opens(above, place):
            return self._column(above)  # what it stood below is put into brackets, and it as well
        move = self._by_line.get(before)
        return None if move is None or place is None else self._column(place) + move

    def _opens(self, above: int, place: int) -> bool:
        """Is a bracket before the first place, on the same line, still open at the second?"""
        line = line_start(self._new, above)
        text = self._new[line:place]
        return any(closed == len(text) for _, closed in _opened(text, above - line))

    def _stands_below(self, line: int, first: int) -> bool:
        """Does a line begin below what follows its bracket, in the same tabs and blanks?"""
        source, bracket = self._source, self._around[line]
        above = line_start(source, bracket.start)
        white, tabs = leading_white(source, line), leading_white(source, above).rstrip(b" ")
        return (
            source[bracket.first : bracket.first + 1] not in b"\r\n"
            and white.startswith(tabs)
            and white[len(tabs) :].strip(b" ") == b""
            and _width(source[above : bracket.first]) == first - line
        )

    def _column_behind(self, bracket: _Bracket, line: int | None) -> int | None:
        """Where a line below a bracket is to stand: behind it, or behind brackets put there."""
        place = self._place(bracket.start, behind=False)
        if place is None:
            return None
        if (signs := self._added.get(bracket)) is None:
            signs = self._added[bracket] = self._added_openers(bracket, place)
        opened = [behind for behind, closed in signs if line is not None and place + closed >= line]
        return self._column(place) + max(opened, default=0) + bracket.first - bracket.start

    def _added_openers(self, bracket: _Bracket, place: int) -> list[tuple[int, int]]:
        """What is put right behind a bracket and opens others, see `_opened`."""
        added = [piece for piece in self._site.pieces if piece.start == bracket.start]
        if not added:
            return []
        return _opened(self._new[place : self._place(bracket.end)], len(added[0].text.data))

    def _continued(self, line: int, first: int) -> int:
        """The line that a line continues: the last one before it that is no further in."""
        bracket = self._around[line]
        if self._source[bracket.start - 1 : bracket.start] != b"{":
            for one in reversed(self._earlier.get(bracket, ())):
                if len(leading_white(self._source, one)) <= first - line:
                    return one
        line = line_start(self._source, bracket.start)
        while (closed := self._around.get(line)) is not None and closed.end < bracket.start:
            line = line_start(self._source, closed.start)
        return line

    def _place(self, at: int, behind: bool = True) -> int | None:
        """Where a place of the source is in the new text; `behind` what is put in there."""
        pieces = self._site.pieces
        count = bisect_right(pieces, at, key=lambda piece: piece.end)
        if not behind:
            while count and pieces[count - 1].start == at:
                count -= 1
        if count < len(pieces) and pieces[count].start < at:
            return None
        return at + self._shifts[count]

    def _column(self, place: int) -> int:
        line = line_start(self._new, place)
        first = line + len(leading_white(self._new, line))
        return _width(self._new[line:place]) + self._moves.get(first, 0)

    def _may_move(self, place: int, move: int) -> bool:
        """Are there enough blanks to take away?"""
        return not self._new[place + min(0, move) : place].strip(b" ")

    def _added_lines(self, number: int, piece: Piece) -> None:
        """New lines that stand with those below a bracket."""
        text, start = piece.text.data, self._starts[number]
        inside = [b for b in self._below if b.start <= piece.start and piece.end <= b.end]
        if b"\n" not in text or not inside:
            return
        column, move = self._below[max(inside, key=lambda bracket: bracket.start)]
        for at in lines_begun(text, 0, len(text)):
            line = start + at
            place = line + len(leading_white(self._new, line))
            if place - line == column and move and self._may_move(place, move):
                self._moves[place] = move


def _opened(text: bytes, size: int) -> list[tuple[int, int]]:
    """The brackets that the first bytes of a text open: where each ends, and where it closes.

    One that is left open closes where the text ends.
    """
    opened: list[int] = []
    pairs = []
    for sign in _SIGNS.finditer(text):
        if sign[0] in _OPENERS:
            opened.append(sign.end())
        elif opened:
            pairs.append((opened.pop(), sign.start()))
        if not opened and sign.start() >= size:
            break
    pairs += [(behind, len(text)) for behind in opened]
    return [pair for pair in pairs if pair[0] <= size]


def _width(text: bytes) -> int:
    return len(text) if text.isascii() else len(text.decode("utf-8", "replace"))


class LineMove(NamedTuple):
    """Lines that begin between two places of the source: `old` at their beginning becomes `new`."""

    start: int
    end: int
    old: bytes
    new: bytes


def reindented(
    inner: Sequence[Piece], moves: Sequence[LineMove], frozen: Sequence[int], source: bytes
) -> list[Piece]:
    """The pieces within what stays, moved, and those that the moves need.

    `frozen` are the places of lines that begin inside a literal.
    """
    made = list(inner)
    for move in moves:
        inside = [one for one in made if move.start <= one.start and one.end <= move.end]
        text = applied(in_order(inside), move.start, move.end, source, frozen)
        changes = list(shifts(text, move.old, move.new))
        within = {id(one) for one in inside}
        made = [one for one in made if id(one) not in within]
        made += amended(in_order(inside), move.start, move.end, source, changes)
    return made
