"""The rows of the full-screen review: groups, what is folded in them, and their edits.

No row is drawn here. Which are there follows from what is open, the filter and whether only
undecided edits are asked for; their order is that of the review, and never changes.
"""

from collections.abc import Iterator, Sequence
from typing import Literal, NamedTuple

from rich.segment import Segment
from rich.style import Style
from textual.geometry import Region, Size
from textual.message import Message
from textual.scroll_view import ScrollView
from textual.strip import Strip

from astedit.review.decisions import MARKS, ChangedGroups, GroupMark, ReviewChoice, ReviewProgress
from astedit.review.order import OrderedEdit, ReviewGroup
from astedit.terminal.questions import GuidedReview
from resolve.visible import one_line


class ReviewRow(NamedTuple):
    """A group, a part of it that is folded, or an edit.

    `edits` are those that the row stands for; `key` is the same as long as the review lasts.
    """

    key: tuple[int, int, str]
    kind: Literal["group", "part", "edit"]
    group: ReviewGroup
    label: str
    edits: Sequence[OrderedEdit]


class VisibleRows:
    """The rows that are there, and what is decided about each; none until `arrange`."""

    def __init__(self, guided: GuidedReview) -> None:
        self.guided = guided
        self.filter = ""
        self.only: ReviewChoice | Literal["undecided"] | None = None
        self._open: set[tuple[int, int, str]] = set()
        self._states: dict[tuple[int, int, str], ReviewProgress] = {}
        self._changes = ChangedGroups[int](guided.review, {})
        self.rows: list[ReviewRow] = []

    def arrange(self) -> None:
        """Makes the first rows; it may take a second."""
        groups = {
            edit.edit.id: at for at, group in enumerate(self.guided.groups) for edit in group.edits
        }
        self._changes = ChangedGroups(self.guided.review, groups)
        self.update()

    def update(self) -> None:
        """Makes the rows anew, after anything changed."""
        groups = enumerate(self.guided.groups)
        self.rows = [row for number, group in groups for row in self._of_group(number, group)]

    def state(self, row: ReviewRow) -> ReviewProgress:
        """What is decided about a row."""
        if changed := self._changes.since_last():
            states = self._states.items()
            self._states = {key: state for key, state in states if key[0] not in changed}
        if (state := self._states.get(row.key)) is None:
            state = self.guided.review.progress(edit.edit.id for edit in row.edits)
            self._states[row.key] = state
        return state

    def is_open(self, row: ReviewRow) -> bool:
        """Whether what is in a row is shown below it."""
        return row.key in self._open or bool(self.filter) or self.only == "reject"

    def toggle(self, row: ReviewRow) -> None:
        """Opens or closes a group or a part."""
        if row.kind != "edit":
            self._open ^= {row.key}
            self.update()

    def place_of(self, edit_id: str) -> int | None:
        """Where an edit is, in its opened group."""
        for number, group in enumerate(self.guided.groups):
            parts = [(-1, group.edits), *enumerate(part.edits for part in group.folded)]
            at = {part for part, edits in parts if edit_id in {each.edit.id for each in edits}}
            self._open |= {(number, part, "") for part in at}
        self.update()
        return next((at for at, row in enumerate(self.rows) if row.key[2] == edit_id), None)

    def next_of_sample(self, row: ReviewRow) -> int | None:
        """Where the next undecided edit of the sample is, in the group of a row, opened."""
        self._open.add((row.key[0], -1, ""))
        self.update()
        sample = {edit.edit.id for edit in self.guided.undecided(row.group.sample)}
        own = [at for at, each in enumerate(self.rows) if each.key[0] == row.key[0]]
        return next((at for at in own if self.rows[at].key[2] in sample), None)

    def _of_group(self, number: int, group: ReviewGroup) -> Iterator[ReviewRow]:
        if not (edits := self._kept(group.edits)):
            return
        head = ReviewRow((number, -1, ""), "group", group, group.label, edits)
        yield head
        if not self.is_open(head):
            return
        yield from self._edits(number, -1, group, group.shown)
        for at, part in enumerate(group.folded):
            if kept := self._kept(part.edits):
                row = ReviewRow((number, at, ""), "part", group, part.label or "alike", kept)
                yield row
                if self.is_open(row):
                    yield from self._edits(number, at, group, kept)

    def _edits(
        self, number: int, part: int, group: ReviewGroup, edits: Sequence[OrderedEdit]
    ) -> Iterator[ReviewRow]:
        for edit in self._kept(edits):
            code = edit.edit.whole_before or edit.edit.whole_after
            label = f"{edit.path}:{edit.edit.shown_line} {code.strip().partition(chr(10))[0]}"
            yield ReviewRow((number, part, edit.edit.id), "edit", group, label, [edit])

    def _kept(self, edits: Sequence[OrderedEdit]) -> Sequence[OrderedEdit]:
        """The edits that the filter leaves, of those with the decision that is looked for."""
        if self.filter:
            edits = [edit for edit in edits if edit.spells(self.filter)]
        if self.only is None:
            return edits
        choice = None if self.only == "undecided" else self.only
        return [edit for edit in edits if self.guided.choice(edit) == choice]


_STYLES: dict[GroupMark, Style] = {
    "accept": Style(color="green"),
    "reject": Style(color="red"),
    "mixed": Style(color="yellow"),
    None: Style(),
}
_HEAD, _CURSOR = Style(bold=True), Style(reverse=True)


class RowList(ScrollView, can_focus=True):
    """The rows with a cursor; a list of any length is drawn in the same time."""

    class Moved(Message):
        """The cursor is on another row, or the row changed."""

    def __init__(self, rows: VisibleRows) -> None:
        super().__init__()
        self._rows = rows
        self.cursor = 0

    @property
    def row(self) -> ReviewRow | None:
        """The row with the cursor; None if there is no row."""
        return self._rows.rows[self.cursor] if self._rows.rows else None

    def on_mount(self) -> None:
        """Shows the first row."""
        self.renew()

    def renew(self) -> None:
        """Draws the rows as they are now; the cursor stays within them."""
        self.virtual_size = Size(0, len(self._rows.rows))
        self.go(self.cursor)

    def go(self, at: int) -> None:
        """Puts the cursor on a row, and shows it."""
        self.cursor = max(0, min(at, len(self._rows.rows) - 1))
        self.scroll_to_region(Region(0, self.cursor, 1, 1), animate=False, force=True)
        self.refresh()
        self.post_message(self.Moved())

    def render_line(self, y: int) -> Strip:
        """One line of what is seen."""
        at = y + self.scroll_offset.y
        width = self._room
        if at >= len(self._rows.rows):
            return Strip.blank(width, self.rich_style)
        row = self._rows.rows[at]
        style = self.rich_style + _STYLES[self._rows.state(row).mark]
        style += _HEAD if row.kind == "group" else Style()
        style += _CURSOR if at == self.cursor else Style()
        text = one_line(" ".join(f"{self._head(row)}{self._label(row)}".split("\n")))
        return Strip([Segment(text, style)]).adjust_cell_length(width, style)

    @property
    def _room(self) -> int:
        """How many columns there are beside the scroll bar."""
        return self.scrollable_content_region.width

    def on_click(self, event: object) -> None:
        """Puts the cursor where the mouse is."""
        self.go(int(getattr(event, "y", 0)) + self.scroll_offset.y)

    def _head(self, row: ReviewRow) -> str:
        state = self._rows.state(row)
        if row.kind == "edit":
            return f"    {MARKS[state.mark]} "
        sign = "▾" if self._rows.is_open(row) else "▸"
        indent = "  " if row.kind == "part" else ""
        return f"{indent}{sign} {MARKS[state.mark]} {state.decided:,}/{state.edits:,} "

    def _label(self, row: ReviewRow) -> str:
        if row.kind != "edit":
            return " ".join(row.label.split())
        # The end of a path says more than its beginning; the code has at least a third.
        place, _, code = row.label.partition(" ")
        room = max(self._room - 8, 12)
        most = max(room - len(code) - 1, room * 2 // 3)
        if len(place) > most:
            place = f"…{place[1 - most :]}"
        return f"{place} {' '.join(code.split())}"
