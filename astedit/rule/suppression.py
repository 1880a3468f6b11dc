"""Comments that silence rules where they stand. (rule G3)

`ast-grep-ignore` and `astedit-ignore` mean the same. On a line of its own the comment
silences what begins on the next line, behind code what begins on its own; in the first
line, with a blank one below, the whole file. `: id1, id2` silences only those rules.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from tree_sitter import Node

from astedit.pattern.listed import Kinds, Listed
from astedit.pattern.match import Found
from astedit.pattern.required_text import DottedName, spans

MARKS = (b"ast-grep-ignore", b"astedit-ignore")
UNUSED = "unused-suppression"
SWEEPING = "no-suppress-all"
ABOUT = (UNUSED, SWEEPING)  # the ids of what is said about such comments


@dataclass(slots=True)
class Suppression:
    """One comment: `row` is the zero-based row it silences, None for the whole file."""

    node: Node
    mark: bytes
    row: int | None
    rules: frozenset[str] | None
    used: bool = False

    def covers(self, row: int, rule: str) -> bool:
        return self.row in (None, row) and (self.rules is None or rule in self.rules)


class Suppressions:
    """The suppressions of one file. Each remembers whether it silenced anything."""

    def __init__(self, root: Node, source: bytes) -> None:
        self._all = sorted(_read(root, source), key=lambda suppression: suppression.node.start_byte)
        self._whole = [
            suppression
            for suppression in self._all
            if suppression.row is None and suppression.rules is None
        ]

    def silence(self, found: Found, rule: str) -> bool:
        """Whether a match of a rule is silenced.

        Of several comments that do, one counts as used: that for the file, or the last.
        """
        row = found.node.start_point[0]
        hits = [one for one in self._all if one.covers(row, rule)]
        if hits:
            next((one for one in hits if one.row is None), hits[-1]).used = True
        return bool(hits)

    def about(self, id: str) -> list[Suppression]:
        """Those that an id of `ABOUT` is said of. A file silenced as a whole has no other."""
        if id == SWEEPING:
            return self._whole or [one for one in self._all if one.rules is None]
        return [] if self._whole else [one for one in self._all if not one.used]


class CommentFinder:
    """Takes part like a rule, so that files with such a comment are looked at."""

    literals = tuple(frozenset({mark}) for mark in MARKS)
    names = (frozenset[DottedName](),)
    gave_up = False

    def wanted(self, listed: Listed) -> Kinds:
        return Kinds()

    def find(self, root: Node, source: bytes, listed: Listed | None = None) -> list[Found]:
        """No match: which suppressions to report is known only when the rules are done."""
        return []


def marked(source: bytes) -> bool:
    """Whether the file may hold such a comment."""
    return MARKS[0] in source or MARKS[1] in source


def _read(root: Node, source: bytes) -> Iterator[Suppression]:
    seen: set[int] = set()
    for mark in MARKS:
        for at, _ in spans(mark, source):
            node = root.descendant_for_byte_range(at, at + 1)
            while node is not None and "comment" not in node.type:
                node = node.parent
            if node is not None and node.id not in seen:
                seen.add(node.id)
                yield Suppression(node, mark, _row(node, source), _rules(node.text or b"", mark))


def _rules(text: bytes, mark: bytes) -> frozenset[str] | None:
    """The ids behind the colon; None if all rules are meant."""
    _, _, rest = text.strip().partition(mark)
    head, colon, names = rest.strip().partition(b":")
    if not colon or head.strip():
        return None
    listed = names.decode("utf-8", "replace").removesuffix("*/").removesuffix("-->")
    return frozenset(words[0] for one in listed.split(",") if (words := one.split()))


def _row(node: Node, source: bytes) -> int | None:
    row = node.start_point[0]
    before = node.prev_sibling
    line = source.rfind(b"\n", 0, node.start_byte) + 1
    if source[line : node.start_byte].strip():  # behind code: where that begins
        return before.start_point[0] if before is not None else row
    following = node.next_sibling
    if row == 0 and (following is None or following.start_point[0] >= 2):
        return None
    return row + 1
