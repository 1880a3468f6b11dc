"""The right side of the full-screen review: what the row with the cursor stands for."""

from collections.abc import Sequence
from itertools import accumulate

from rich.cells import chop_cells
from rich.text import Text
from textual.widgets import Static

from astedit.page.code_lines import colours, pairs, pieces
from astedit.review.excerpt import ExcerptLine
from astedit.review.order import OrderedEdit
from astedit.terminal.questions import GuidedReview
from astedit.terminal.visible_rows import ReviewRow
from astedit.text import number
from resolve.visible import one_line, visible

_LEAST = 10  # columns of code, however narrow the terminal is
_SIDES = {"-": "red", "+": "green", "…": "dim", "@": "cyan", " ": ""}
_CHANGED = {"-": "bold reverse red", "+": "bold reverse green"}
_KINDS = {"c": "italic dim", "s": "yellow", "n": "cyan", "k": "magenta", "f": "blue", "b": "cyan"}


def edit_text(path: str, lines: Sequence[ExcerptLine], columns: int) -> Text:
    """The lines, each with its number and its side; long ones go on below their code."""
    width = len(str(max((line.old or line.new or 0 for line in lines), default=0)))
    room = max(columns - width - 3, _LEAST)
    text = Text()
    for line in lines:
        text.append(f"{line.old or line.new or '':>{width}} ", "dim")
        text.append(f"{line.side} ", _SIDES[line.side])
        code = _code(path, line)
        ends = accumulate(len(piece) for piece in chop_cells(code.plain, room))
        pieces = code.divide(list(ends)[:-1])
        text.append_text(Text("\n" + " " * (width + 3)).join(pieces))
        text.append("\n")
    return text


def split_text(path: str, lines: Sequence[ExcerptLine], columns: int) -> Text:
    """The lines before on the left, and those after on the right; long ones are cut."""
    width = len(str(max((line.old or line.new or 0 for line in lines), default=0)))
    half = max(columns // 2 - 1, _LEAST + width + 1)
    text = Text(no_wrap=True)
    for left, right in pairs(lines, lambda line: line.side):
        for line, new in ((left, False), (right, True)):
            cell = Text()
            if line is not None:
                number = line.new if new else line.old
                cell.append(f"{number or '':>{width}} ", "dim")
                cell.append_text(_code(path, line))
                cell.stylize(_SIDES[line.side] if line.side in "-+" else "")
            cell.truncate(half, overflow="ellipsis", pad=not new)
            text.append_text(cell).append("\n" if new else "  ")
    return text


def _code(path: str, line: ExcerptLine) -> Text:
    """The code of one line, made visible."""
    is_code = line.side not in ("…", "@")
    code = Text(style="" if is_code else _SIDES[line.side])
    changed = _CHANGED.get(line.side, "")
    for text, kind, is_changed in pieces(line, colours(path, line.text) if is_code else ()):
        style = changed if is_changed else _KINDS.get(kind, "")
        code.append(visible(text).expandtabs(4), style)
    return code


SIDE_BY_SIDE = 160  # columns of a terminal that shows before and after side by side


_KEYS = """
j/k move,l open,space accept,x reject,a shape,u undo,A apply,c comment,/ filter,? help,q leave
"""
_SPARE = ("/ filter", "c comment", "l open", "j/k move", "u undo", "a shape", "A apply", "x reject",
          "space accept")  # fmt: skip


def key_line(columns: int) -> Text:
    """As many keys as there is room for: the spare ones go first, help and leaving never."""
    keys = _KEYS.strip().split(",")
    for key in _SPARE:
        if len("  ".join(keys)) > columns:
            keys.remove(key)
    return Text("  ".join(keys), no_wrap=True, overflow="ellipsis")


HELP = """\
j k, arrows    the next row, the one before
g G            the first row, the last
l h, enter     open or close a group
space          accept; once more takes it back
x              reject; once more takes it back
a              accept what is left of this shape
s              the next edit of the shape's sample
n              the next row with something undecided
u, ctrl+r      take the last decision back, make it again
U, R           only what is undecided, or was rejected; once more ends it
c              comment on this edit
/              only edits with this text; escape ends it
J K, pages     scroll the code
z              the code alone, in the whole width; once more ends it
|              before and after side by side, where 160 columns are
e              the file in $EDITOR, at this place
E              the hunk of this edit in $EDITOR, to change what it does
A              apply what is accepted, and leave; asks for the reason
q              leave; every decision is kept

[x] accepted  [-] rejected  [~] some of both  [ ] undecided

On a group or a part of it, space and x are about all of it that is
undecided; where all is decided they ask. What is undecided stays staged when A applies.
"""


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

    def show_help(self) -> None:
        """Draws what each key does."""
        self.update(Text(HELP))

    def _row(self, row: ReviewRow) -> Text:
        text = Text()
        if row.kind != "edit":
            text.append(f"{one_line(row.group.label)}\n", "bold")
            count = number(len({edit.path for edit in row.edits}), "file")
            text.append(f"{number(len(row.edits), 'edit')} in {count}; such as\n\n")
        edit = row.edits[0]
        text.append_text(self._edit(edit, seen=row.kind == "edit"))
        if row.kind != "edit":
            for line in self._guided.causes(row.edits):
                text.append(f"\n{line}\n", "italic")
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
        for at, line in enumerate(self._guided.causes([edit]) if seen else ()):
            text.append(f"{'' if at else chr(10)}{line}\n", "cyan")
        if seen:
            self._guided.see(edit)
        return text
