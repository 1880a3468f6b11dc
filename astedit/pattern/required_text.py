"""Text and dotted names that every match holds, looked for in a file before it is parsed.

The case of letters may not count. Of the texts that hold the words of `os.path.join($$$A)`
few hold them joined by dots, and in fewer nothing but the pattern's own name stands first:
`self.os.path` is another's member.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache, partial
from typing import NamedTuple

from astedit.language.traits import traits
from astedit.pattern.compile import Goal, Pattern, Tag

# What is a letter of another alphabet that RE2, and Unicode, take for the same: ſ and K.
_ALIKE = {"s": r"\xc5\xbf", "k": r"\xe2\x84\xaa"}
_LETTERS = frozenset(b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_")
_DOT = ord(".")


class Folded(NamedTuple):
    """An ASCII text in lower case that stands for the same letters in either case."""

    text: bytes

    @property
    def is_ascii(self) -> bool:
        """Whether all that the text stands for is ASCII, and so spelled alike in most encodings."""
        return not any(letter in self.text.decode() for letter in _ALIKE)

    def stands(self, source: bytes) -> bool:
        """Whether the bytes hold the letters."""
        return _compiled(self).search(source) is not None

    def expression(self) -> str:
        """The expression that finds the text. RE2 reads it as Latin-1: a byte is a character."""
        return "".join(map(_letter, self.text.decode("ascii")))


Literal = bytes | Folded


def stands(needle: "Needle", source: bytes) -> bool:
    """Whether the bytes hold the text, or the name."""
    return needle in source if isinstance(needle, bytes) else needle.stands(source)


def seeker(literal: Literal, source: bytes) -> Callable[[int, int], int]:
    """A function that tells where the text begins between two places of the source, or -1."""
    if isinstance(literal, bytes):
        return partial(source.find, literal)
    search = _compiled(literal).search

    def first(start: int, end: int) -> int:
        found = search(source, start, end)
        return -1 if found is None else found.start()

    return first


def count(literal: Literal, source: bytes) -> int:
    """How often the text stands in the source, without overlaps."""
    if isinstance(literal, bytes):
        return source.count(literal)
    return len(_compiled(literal).findall(source))


def spans(literal: Literal, source: bytes) -> Iterator[tuple[int, int]]:
    """Every place of the text, overlaps included: its first byte, and the one past its last."""
    if isinstance(literal, bytes):
        at = -1
        while (at := source.find(literal, at + 1)) >= 0:
            yield at, at + len(literal)
        return
    search = _compiled(literal).search
    found = search(source)
    while found is not None:
        yield found.span()
        found = search(source, found.start() + 1)


def length(needle: "Needle") -> int:
    """The length of the text, or of the words, in bytes."""
    if isinstance(needle, DottedName):
        return sum(map(len, needle.parts))
    return len(needle if isinstance(needle, bytes) else needle.text)


def is_ascii(literal: Literal) -> bool:
    """Whether the text is spelled alike in all encodings but UTF-16."""
    return literal.isascii() if isinstance(literal, bytes) else literal.is_ascii


def _letter(letter: str) -> str:
    if not letter.isalpha():
        return re.escape(letter)
    both = f"[{letter}{letter.upper()}]"
    return f"(?:{both}|{_ALIKE[letter]})" if letter in _ALIKE else both


@lru_cache(maxsize=1024)
def _compiled(literal: Folded) -> re.Pattern[bytes]:
    return re.compile(literal.expression().encode("ascii"))


_WORD = _LETTERS | frozenset(b"0123456789")


class DottedName(NamedTuple):
    """Whole words that a text holds one behind the other, with a dot and no word between.

    `begins` says that no single dot stands right before the first, `called` that a `(`
    and no word follows the last. A comment may hold anything: where one may begin, what
    is still to come counts as found.
    """

    parts: tuple[bytes, ...]
    begins: bool = False
    called: bool = False

    @property
    def is_word(self) -> bool:
        """Whether this is a single word, of which neither neighbour is known."""
        return len(self.parts) == 1 and not self.begins and not self.called

    def expression(self) -> str:
        """The expression that finds the name behind a character. RE2 reads bytes as Latin-1.

        It misses a name that `begins` where two dots stand before it: a range, a spread.
        """
        before = "[^A-Za-z_.]" if self.begins else "[^A-Za-z_]"
        return before + in_latin_1(_from_first(self.parts, self.called))

    def stands(self, source: bytes, start: int = 0, end: int | None = None) -> bool:
        """Whether the name stands in these bytes of a text in UTF-8."""
        if len(self.parts) > 1 or self.called:
            end = len(source) if end is None else end
            search = _compiled_names(self.parts, self.called).search
            while found := search(source, start, end):
                if self._is_first(source, found.start()):
                    return True
                start = found.start() + 1  # `xa.a.a` holds `a.a` once more
            return False
        word = self.parts[0]
        while (at := source.find(word, start, end)) >= 0:
            if is_whole(source, at, at + len(word)) and self._is_first(source, at):
                return True
            start = at + 1
        return False

    def _is_first(self, source: bytes, at: int) -> bool:
        if not at:
            return True
        before = source[at - 1]
        if before == _DOT and self.begins:
            return at > 1 and source[at - 2] == _DOT  # `..`, `...`: a range, a spread
        return before not in _LETTERS


Needle = Literal | DottedName


def _from_first(parts: Sequence[bytes], called: bool) -> bytes:
    """The expression from the first letter on, up to where a comment may begin."""
    text = rb"[^\w#/(]*[#/(]" if called else rb"(?:[^\w]|$)"
    for part in reversed(parts[1:]):
        text = rb"[^\w#/.]*(?:[#/]|\.[^\w#/]*(?:[#/]|%s%s))" % (re.escape(part), text)
    return re.escape(parts[0]) + text


def in_latin_1(expression: bytes) -> str:
    """An expression about bytes as one about characters, in ASCII."""
    return expression.decode("latin-1").encode("ascii", "backslashreplace").decode("ascii")


@lru_cache(maxsize=1024)
def _compiled_names(parts: tuple[bytes, ...], called: bool) -> re.Pattern[bytes]:
    return re.compile(_from_first(parts, called))


def is_whole(source: bytes, start: int, end: int) -> bool:
    """Whether these bytes do not stand amid letters."""
    amid = (start and source[start - 1] in _LETTERS) or (end < len(source) and source[end] in _WORD)
    return not amid


def is_name(kind: str) -> bool:
    """Is a node of this kind one whole word?"""
    return kind.endswith("identifier")


def dotted_names(pattern: Pattern) -> dict[int, DottedName]:
    """Maps the `id` of each goal that is a name to that name, with all that dots join to it."""
    leaves = pattern.leaves
    spared = traits(pattern.row.name).facts.dotted
    exact = pattern.strictness in ("smart", "cst")  # the others may leave out signs
    joins = spared is not None and exact and not pattern.flaws
    found: dict[int, DottedName] = {}
    goal = pattern.goal
    is_first = goal.tag == Tag.INTERNAL and goal.kind_name not in (spared or ())  # behind no dot
    for start, end in _runs(leaves, joins):
        run = leaves[start:end:2]
        begins = joins and start == 0 and is_first
        called = joins and end < len(leaves) and _is_sign(leaves[end], b"(")
        name = DottedName(tuple(leaf.text for leaf in run), begins, called)
        found.update((id(leaf), name) for leaf in run)
    return found


def _runs(leaves: Sequence[Goal], joins: bool) -> Iterator[tuple[int, int]]:
    """The runs of leaves that are names, from which to which; with dots, if those join them."""
    at = 0
    while at < len(leaves):
        end = at + 1
        if _names(leaves[at]):
            while joins and end + 1 < len(leaves) and _joined(leaves[end], leaves[end + 1]):
                end += 2
            yield at, end
        at = end


def _joined(sign: Goal, name: Goal) -> bool:
    return _is_sign(sign, b".") and _names(name)


def _names(leaf: Goal) -> bool:
    return leaf.tag == Tag.TERMINAL and leaf.named and is_name(leaf.kind_name)


def _is_sign(leaf: Goal, text: bytes) -> bool:
    return leaf.trivial and leaf.text == text
