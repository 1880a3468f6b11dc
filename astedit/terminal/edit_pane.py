"""The right side of the full-screen review: what the row with the cursor stands for."""

from rich.text import Text
from textual.widgets import Static

from astedit.review.order import OrderedEdit
from astedit.terminal.edit_text import edit_text, split_text
from astedit.terminal.guided_review import GuidedReview
from astedit.terminal.visible_rows import ReviewRow
from astedit.text.count_phrases import number
from resolve.visible import one_line

SIDE_BY_SIDE = 160  # columns of a terminal that shows before and after side by side


class EditPane(Static):
    """Draws an edit, or a group by its first one; `split` puts before and after side by side.

    An edit that is drawn by itself counts as shown to the person.
    """

    def __init__(self, guided: GuidedReview) -> None:
        super().__init__(id="edit", markup=False)
        self._guided = guided
        self.split = False

    def show(self, row: ReviewRow | None, nothing: str) -> None:
        """Draws a row, or the text that says that there is none."""
        self.update(Text(nothing) if row is None else self._row(row))

    def _row(self, row: ReviewRow) -> Text:
        text = Text()
        if row.kind != "edit":
            label = one_line(" ".join(row.group.label.split()))
            text.append(f"{label}\n", "bold")
            count = number(len({edit.path for edit in row.edits}), "file")
            text.append(f"{number(len(row.edits), 'edit')} in {count}; such as\n\n")
        edit = row.edits[0]
        text.append_text(self._edit(edit, seen=row.kind == "edit"))
        if confidence := self._guided.confidence(row.group):
            text.append(f"\n{confidence}\n", "italic")
        return text

    def _edit(self, edit: OrderedEdit, seen: bool) -> Text:
        text = Text(f"{one_line(edit.path)}:{edit.edit.shown_line}", "bold")
        text.append(f"  shape:{edit.shape}\n", "dim")
        for why in edit.why:
            text.append(f"! {one_line(why)}\n", "yellow")
        columns = self.content_size.width or self.app.size.width
        draw = split_text if self.split and columns >= SIDE_BY_SIDE // 2 else edit_text
        text.append_text(draw(edit.path, self._guided.lines(edit), columns))
        decision = self._guided.review.decision(edit.edit.id)
        if decision.comment:
            text.append(f"\nComment: {one_line(decision.comment)}\n", "italic")
        if tie := self._guided.tie(edit):
            text.append(f"\n{tie}\n", "italic")
        if seen:
            self._guided.see(edit)
        return text
