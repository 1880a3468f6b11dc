"""The left side of the full-screen review: a list that draws the rows that are seen, no more."""

from rich.segment import Segment
from rich.style import Style
from textual.geometry import Region, Size
from textual.message import Message
from textual.scroll_view import ScrollView
from textual.strip import Strip

from astedit.terminal.visible_rows import MARKS, GroupMark, ReviewRow, VisibleRows
from resolve.visible import one_line

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
        state = self._rows.state(row)
        style = self.rich_style + _STYLES[state.mark]
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
