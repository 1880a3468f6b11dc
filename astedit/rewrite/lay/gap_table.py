"""Which white space stands between two leaves that stay: one table, the first row that holds.

Where a template writes something between them, `LEFT` and `RIGHT` say what stands at its ends;
where it writes nothing, `NOTHING` says what is left. Each row has the name of a fixture that
comes out otherwise without it.
"""

import re
from collections.abc import Callable, Sequence
from typing import NamedTuple

from astedit.rewrite.make.align import TemplateGap
from astedit.rewrite.make.template_leaves import margins

_BREAK = re.compile(rb"(?:[ \t]|\\?\r?\n)*")
_BREAK_AT_END = re.compile(rb"([ \t]*[,;])?((?:[ \t]|\\?\r?\n)*)")
_OPENS_LINES = re.compile(rb"[^\n]*[\[({][ \t]*\n")  # such text goes where the template has it
_CLOSES_LINES = re.compile(rb"\n[ \t]*[\])}][^\n]*\Z")
SEPARATOR = re.compile(rb"\A[ \t]*[,;]")


class Gap(NamedTuple):
    """What is between two leaves that stay, in the template and in the source.

    `reopens_on_line` says that the bracket which is opened last closes on a line of its own,
    `ends_lines` that the language ends statements where a line ends. `closes_statements`: are
    statements before it, on lines of their own, and a bracket of the template behind them? With
    `drops_block` the first leaf that goes is a `{`, with `is_listed` a comma is before that.
    """

    region: TemplateGap
    first: bytes
    last: bytes
    is_inner: bool
    reopens_on_line: bool
    ends_lines: bool
    closes_statements: bool
    drops_block: bool
    is_listed: bool

    @property
    def text(self) -> bytes:
        """What the template writes, with a sign for each slot."""
        return b"".join(p if isinstance(p, bytes) else b"$" for p in self.region.parts)

    @property
    def opens_line(self) -> bool:
        """Does the template begin what it writes with a line break?"""
        return b"\n" in margins(self.region.parts)[0]

    @property
    def closes_line(self) -> bool:
        """Does it end with one?"""
        return b"\n" in margins(self.region.parts)[1]

    @property
    def has_first(self) -> bool:
        """May a line break of the source stay at the left?"""
        region = self.region
        return (
            (region.same_left or self.closes_statements)
            and not (self.opens_line or _OPENS_LINES.match(self.text))
            and not region.breaks
            and not SEPARATOR.match(self.text)  # which ends a line and begins none
            and is_break(self.first, region.swaps)
            and (region.comma or not (region.swaps and self.ends_lines))
        )

    @property
    def has_last(self) -> bool:
        """May one stay at the right?"""
        stays = self.region.same_right or self.reopens_on_line
        has_own = self.region.breaks or self.closes_line or _CLOSES_LINES.search(self.text)
        return stays and not has_own and is_break(self.last, self.region.closes)

    @property
    def has_both(self) -> bool:
        """Is something new put between two line breaks? One of them stays."""
        return self.region.adds and self.has_first and self.has_last

    @property
    def prefers_last(self) -> bool:
        """Of a new thing between two line breaks: does the one behind it stay?"""
        before, behind = map(bool, margins(self.region.parts))
        return self.region.closes if before == behind else behind

    @property
    def begins_on_line(self) -> bool:
        """Did what goes begin on a line of its own?"""
        return self.region.same_left and is_break(self.first)


class GapRow(NamedTuple):
    """Which white space stands where; without the row this fixture comes out otherwise."""

    fixture: str
    holds: Callable[[Gap], bool]
    white: str


LEFT = (
    GapRow("python/brackets-go", lambda gap: not gap.has_first, "template"),
    GapRow(
        "python/index-of-a-list-of-one",
        lambda gap: gap.region.swaps and not gap.region.comma,
        "first without comma",
    ),
    GapRow(
        "python/comprehension-ends-without-a-comma",
        lambda gap: gap.has_both and gap.prefers_last,
        "template",
    ),
    GapRow("python/brackets-exchanged", lambda gap: True, "first"),
)
RIGHT = (
    GapRow("python/aligned-bracket-goes", lambda gap: not gap.has_last, "template"),
    GapRow("python/argument-named", lambda gap: gap.has_both and not gap.prefers_last, "template"),
    GapRow("python/arguments-to-a-tuple", lambda gap: True, "last"),
)
NOTHING = (
    GapRow("rust/chain-over-lines", lambda gap: not gap.is_inner, "none"),
    GapRow(
        "python/string-within-three-calls",
        lambda gap: gap.region.spaces or b"\n" in gap.text,
        "template",
    ),
    GapRow(
        "go/brackets-that-hold-one-value", lambda gap: gap.region.closer and gap.ends_lines, "none"
    ),
    GapRow(
        "python/comma-of-a-list-of-one",
        lambda gap: gap.region.adds and gap.region.closer,
        "first without comma",
    ),
    GapRow(
        "python/only-argument-removed", lambda gap: gap.region.opens and gap.region.closes, "none"
    ),
    GapRow(
        "python/last-argument-removed",
        lambda gap: gap.region.closes and gap.region.same_right and is_break(gap.last, True),
        "last",
    ),
    GapRow(
        "csharp/block-without-brackets",
        lambda gap: gap.begins_on_line and gap.drops_block and is_break(gap.last),
        "last",
    ),
    GapRow(
        "typescript/arguments-into-options",
        lambda gap: gap.is_listed and gap.drops_block and is_break(gap.last),
        "last",
    ),
    GapRow("go/first-argument-goes", lambda gap: gap.begins_on_line, "first"),
)


def ends(gap: Gap) -> tuple[bytes | None, bytes | None]:
    """The white space at both ends of what is written; None for the template's own."""
    return _chosen(LEFT, gap), _chosen(RIGHT, gap)


def left_over(gap: Gap) -> bytes | None:
    """What is left where nothing is written; None for the template's own white space."""
    return _chosen(NOTHING, gap)


def _chosen(rows: Sequence[GapRow], gap: Gap) -> bytes | None:
    whites = {
        "none": b"",
        "first": gap.first,
        "first without comma": SEPARATOR.sub(b"", gap.first),
        "last": gap.last,
    }
    return whites.get(next((row.white for row in rows if row.holds(gap)), "template"))


def without_double(trail: bytes, text: bytes) -> bytes:
    """White space behind a text, without a separator that the text ends with."""
    separator = _BREAK_AT_END.match(trail)
    if separator and separator[1] and text.endswith(separator[1].strip()):
        return separator[2]
    return trail


def is_break(gap: bytes, at_end: bool = False) -> bool:
    """Is white space a line break, with at most a comma before it at the end of a list?"""
    found = _BREAK_AT_END.fullmatch(gap) if at_end else _BREAK.fullmatch(gap)
    return found is not None and b"\n" in gap
