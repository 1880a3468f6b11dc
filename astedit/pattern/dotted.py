"""Names that every match of a pattern holds, looked for in a text before it is parsed.

Most patterns name a member: `os.path.join($$$A)`. Of the texts that hold its words few
hold them joined by dots, and in fewer yet nothing but the pattern's own name stands
first: `self.os.path` is another's member.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from astedit.language.facts import facts
from astedit.pattern.compile import Goal, Pattern, Tag

_LETTERS = frozenset(b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_")
_WORD = _LETTERS | frozenset(b"0123456789")
_DOT = ord(".")


@dataclass(frozen=True, slots=True)
class DottedName:
    """Whole words that a text holds one behind the other, with a dot and no word between.

    `begins` says that no single dot stands right before the first.
    """

    parts: tuple[bytes, ...]
    begins: bool = False

    def stands(self, source: bytes, start: int = 0, end: int | None = None) -> bool:
        """Whether it stands in these bytes of a text that is encoded in UTF-8.

        A comment between the words may hold anything, so it counts as a yes.
        """
        if len(self.parts) > 1:
            found = _joined(self.parts).finditer(source, start, len(source) if end is None else end)
            return any(self._is_first(source, one.start()) for one in found)
        word = self.parts[0]
        at = source.find(word, start, end)
        while at >= 0:
            if is_whole(source, at, at + len(word)) and self._is_first(source, at):
                return True
            at = source.find(word, at + 1, end)
        return False

    def _is_first(self, source: bytes, at: int) -> bool:
        if not at:
            return True
        before = source[at - 1]
        if before == _DOT and self.begins:
            return at > 1 and source[at - 2] == _DOT  # `..`, `...`: a range, a spread
        return before not in _LETTERS


def is_whole(source: bytes, start: int, end: int) -> bool:
    """Whether these bytes do not stand amid letters."""
    amid = (start and source[start - 1] in _LETTERS) or (end < len(source) and source[end] in _WORD)
    return not amid


@lru_cache(maxsize=1024)
def _joined(parts: tuple[bytes, ...]) -> re.Pattern[bytes]:
    """A dot between two and no other word, up to where a comment may begin."""
    text = b""
    for part in reversed(parts):
        behind = rb"[^\w#/.]*(?:[#/]|\.[^\w#/]*(?:[#/]|%s))" % text if text else b""
        text = rb"%s(?![A-Za-z0-9_])%s" % (re.escape(part), behind)
    return re.compile(text)


def is_name(kind: str) -> bool:
    """Is a node of this kind one whole word?"""
    return kind.endswith("identifier")


def dotted_names(pattern: Pattern) -> dict[int, DottedName]:
    """By the `id` of each goal for a leaf that is a name: that, or all that dots join it to."""
    leaves = list(_leaves(pattern.goal))
    spared = facts(pattern.row.name).dotted
    exact = pattern.strictness in ("smart", "cst")  # the others may leave out the dot
    joins = spared is not None and exact and not pattern.flaws
    found: dict[int, DottedName] = {}
    for run in _runs(leaves, joins):
        begins = joins and run[0] is leaves[0] and _is_more(pattern.goal, spared or ())
        name = DottedName(tuple(leaf.text for leaf in run), begins)
        found.update((id(leaf), name) for leaf in run)
    return found


def _is_more(goal: Goal, spared: Iterable[str]) -> bool:
    """Is what matches more than a leaf, and of a kind that begins behind no dot?"""
    return goal.tag == Tag.INTERNAL and goal.kind_name not in spared


def _runs(leaves: Sequence[Goal], joins: bool) -> Iterator[list[Goal]]:
    run: list[Goal] = []
    for place, leaf in enumerate(leaves):
        if not (leaf.tag == Tag.TERMINAL and leaf.named and is_name(leaf.kind_name)):
            continue
        if (
            joins
            and run
            and place > 1
            and leaves[place - 2] is run[-1]
            and _is_dot(leaves[place - 1])
        ):
            run.append(leaf)
            continue
        if run:
            yield run
        run = [leaf]
    if run:
        yield run


def _is_dot(goal: Goal) -> bool:
    return goal.trivial and goal.text == b"."


def _leaves(goal: Goal) -> Iterator[Goal]:
    if not goal.children:
        yield goal
    for child in goal.children:
        yield from _leaves(child)
