"""The least brackets with which an edit that went wrong comes out right. (F12)"""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Collection, Mapping
from functools import cached_property
from itertools import accumulate

from astedit.language import Grammar
from astedit.language.brackets import Brackets, innermost
from astedit.rewrite.prove.fault import Fault, Put
from astedit.rewrite.prove.verify import Verification
from astedit.text.indent import Mark, Text
from astedit.text.source import Change, splice

_MOST = 500  # captures of one edit that brackets are tried around
_SINGLE = 32  # of which each is tried without: each time the text is parsed
_IMPORT = re.compile(rb"\bimport\s*\Z")  # which in JavaScript is a call before brackets
_Changes = tuple[Change, ...]
_Key = tuple[int, ...]


def add_brackets(
    place: int, fault: Fault, verification: Verification, grammar: Grammar, brackets: Brackets
) -> frozenset[int] | None:
    """The numbers of the captures, or 0 for all of an edit, that in brackets make it right.

    If there are any, the edit at this place of the verification has them.
    """
    return _Mending(place, verification, grammar, brackets).run(fault)


def add_pairs(
    blamed: Mapping[int, Fault], verification: Verification, grammar: Grammar, brackets: Brackets
) -> dict[int, frozenset[int]]:
    """The edits that one pair of brackets each makes right, all of them looked at together."""
    pairs: dict[int, _Mending] = {}
    for place, fault in blamed.items():
        mending = _Mending(place, verification, grammar, brackets)
        if len(fault.torn) == 1 and mending.may_have(fault.torn[0] + 1):
            pairs[place] = mending
            mending.put({fault.torn[0] + 1})
    while pairs and (wrong := verification.fault(sorted(pairs))) is not None:
        for place in wrong.blamed or list(pairs):
            pairs.pop(place).undo()
    return {place: frozenset({blamed[place].torn[0] + 1}) for place in pairs}


def put_in_brackets(
    place: int, numbers: Collection[int], verification: Verification, brackets: Brackets
) -> None:
    """Gives an edit the brackets of another one with its shape."""
    put = verification.puts[place]
    verification.puts[place] = _put_with(put, _with_whole(put.text), numbers, brackets)


def _put_with(put: Put, text: Text, numbers: Collection[int], brackets: Brackets) -> Put:
    text, changes = bracketed(text, numbers, brackets)
    return put._replace(text=text, pieces=(), brackets=changes)


def _with_whole(text: Text) -> Text:
    """The text with a mark around all of it, the first one, which is whole in brackets."""
    whole = Mark(0, len(text.data), "", (), composed=True)
    return Text(text.data, text.frozen, (whole, *text.marks))


class _Mending:
    def __init__(
        self, place: int, verification: Verification, grammar: Grammar, brackets: Brackets
    ) -> None:
        self._place = place
        self._verification = verification
        self._grammar = grammar
        self._brackets = brackets
        self._put = verification.puts[place]
        self._text = _with_whole(self._put.text)

    def run(self, fault: Fault) -> frozenset[int] | None:
        if len(self._put.text.marks) > _MOST:
            return None
        torn = {number + 1 for number in fault.torn if self.may_have(number + 1)}
        for numbers in (torn, self._marks, self._marks | ({0} if self._whole_may_have else set())):
            if numbers and self._look(numbers) is None:
                return frozenset(self._least(numbers) if len(numbers) <= _SINGLE else numbers)
        self.undo()
        return None

    def put(self, numbers: Collection[int]) -> None:
        put = _put_with(self._put, self._text, numbers, self._brackets)
        self._verification.puts[self._place] = put

    def undo(self) -> None:
        self._verification.puts[self._place] = self._put

    def _look(self, numbers: set[int]) -> Fault | None:
        self.put(numbers)
        return self._verification.fault([self._place])

    def _least(self, numbers: set[int]) -> set[int]:
        """Leaves off each pair of brackets without which all is right as well."""
        for number in sorted(numbers):
            fewer = numbers - {number}
            if len(numbers) > 1 and self._look(fewer) is None:
                numbers = fewer
        self._look(numbers)
        return numbers

    def may_have(self, number: int) -> bool:
        return self._may_mark(self._text.marks[number]) if number else self._whole_may_have

    def _may_mark(self, mark: Mark) -> bool:
        if mark.many or _IMPORT.search(self._text.data, 0, mark.start):
            return False
        kinds = (node.type for outer in mark.nodes for node in (outer, innermost(outer)))
        brackets = self._brackets
        return mark.composed or any(k in brackets.bare or brackets.may_hold(k) for k in kinds)

    @cached_property
    def _marks(self) -> set[int]:
        """The captures that may have brackets."""
        marks = enumerate(self._text.marks[1:], 1)
        return {number for number, mark in marks if self._may_mark(mark)}

    @cached_property
    def _whole_may_have(self) -> bool:
        """Is all of the new text an expression, its captures in brackets if need be?"""
        tree, node = self._put.tree, self._put.node
        place = node.parent.type if node is not None and node.parent is not None else ""
        if tree is not None and tree.kind.endswith("_declaration") and place.endswith("_statement"):
            return False  # it would declare nothing
        is_tuple = tree is not None and tree.is_bare_tuple
        return self._put.is_node and (is_tuple or self._is_expression(self._text.data.strip()))

    def _is_expression(self, data: bytes) -> bool:
        """Is it one where it stands in brackets? In those, lines would be read as one."""
        tree = self._put.tree
        if tree is not None and b"\n" not in data and self._brackets.may_hold(tree.kind):
            return True
        before, after = self._brackets.before, self._brackets.after
        if b"\n" in data and not data.startswith(b"{"):
            before = after = b""
        root = self._grammar.parser().parse(before + data + after, requested=True).root_node
        low = len(before)
        cover = root.descendant_for_byte_range(low, low + len(data))
        return cover is not None and self._brackets.may_hold(cover.type)


def bracketed(text: Text, numbers: Collection[int], brackets: Brackets) -> tuple[Text, _Changes]:
    """The text with brackets around the marks of these numbers, and what was put where.

    The marks stay within their brackets. Of two that begin or end together the longer one is
    around the other.
    """
    signs: list[tuple[_Key, bytes]] = []
    for number in numbers:
        opening, closing = _keys(text, number)
        signs += (opening, brackets.before), (closing, brackets.after)
    signs.sort()
    keys = [key for key, _ in signs]
    sizes = list(accumulate((len(sign) for _, sign in signs), initial=0))
    marks = []
    for number, mark in enumerate(text.marks):
        opening, closing = _keys(text, number)
        low = mark.start + sizes[bisect_right(keys, opening)]
        marks.append(mark.at(low, mark.end + sizes[bisect_left(keys, closing)]))
    frozen = [at + sizes[bisect_left(keys, (at, 1))] for at in text.frozen]
    changes = tuple((at, at, sign) for (at, *_), sign in signs)
    return Text(splice(text.data, changes), frozen, marks), changes


def _keys(text: Text, number: int) -> tuple[_Key, _Key]:
    """What sorts the brackets around a mark among those around others."""
    mark = text.marks[number]
    size = mark.end - mark.start
    return (mark.start, 1, -size, number), (mark.end, 0, size, -number)
