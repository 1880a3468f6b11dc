"""The full-screen review: shapes on the left, the edit on the right, progress and keys below."""

import signal
from asyncio import get_running_loop, to_thread
from collections.abc import Callable, Sequence
from typing import ClassVar

from rich.segment import Segment
from rich.text import Text
from textual.app import App, ComposeResult
from textual.binding import Binding, BindingType
from textual.color import Color
from textual.containers import Horizontal, VerticalScroll
from textual.events import Resize
from textual.filter import LineFilter
from textual.widgets import Input, Static

from astedit.errors import AstEditError
from astedit.review.decisions import ReviewChoice
from astedit.review.order import OrderedEdit
from astedit.terminal.edit_text import edit_text
from astedit.terminal.guided_review import GuidedReview
from astedit.terminal.lasting_driver import LastingDriver
from astedit.terminal.row_list import RowList
from astedit.terminal.visible_rows import ReviewRow, VisibleRows
from astedit.text.count_phrases import number
from resolve import ToolError
from resolve.visible import one_line

NARROW = 70  # columns; in fewer the edit stands below the list
KEYS = "j/k l:open space:accept x:reject a:shape s:sample u c:comment /:filter ?:help q"
FEW_KEYS = "j/k  space  x  a  l  s  c  /  u  ?  q"
HELP = """\
j k, arrows    the next row, the one before
g G            the first row, the last
l h, enter     open or close a group
space          accept; once more takes it back
x              reject; once more takes it back
a              accept what is left of this shape
s              the next edit of the shape's sample
n              the next row with something undecided
u              only what is undecided, or all
c              comment on this edit
/              only edits with this text; escape ends it
J K, pages     scroll the code
q              leave; every decision is kept

[x] accepted  [-] rejected  [~] some of both  [ ] undecided

On a group or a part of it, space and x are about all of it that is
undecided; where all is decided they ask. Nothing is applied here: astedit resolve apply --reviewed
"""
_REST = 0.1  # seconds after which the answer to a key is on the screen
_STOPPING = (signal.SIGTERM, signal.SIGHUP)


class _NoColours(LineFilter):
    """Leaves the attributes of a text, such as bold and reverse, and no colour."""

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:
        """The same segments in the colours of the terminal."""
        return list(Segment.remove_color(segments))


class ReviewApp(App[None]):
    """Shows a review and passes on what the keys say; every decision is kept at once."""

    ENABLE_COMMAND_PALETTE = False
    CSS = """
    #body { height: 1fr; }
    RowList { width: 2fr; max-width: 60; border-right: solid $panel; scrollbar-size: 1 1; }
    #code { width: 3fr; padding: 0 1; scrollbar-size: 1 1; scrollbar-gutter: stable; }
    .narrow #body { layout: vertical; }
    .narrow RowList { width: 1fr; height: 2fr; max-width: 999; border-right: none;
        border-bottom: solid $panel; }
    .narrow #code { width: 1fr; height: 3fr; }
    #progress { height: 1; text-style: bold; }
    #keys { height: 1; color: $text-muted; }
    Input { display: none; height: 1; border: none; padding: 0; }
    Input.asked { display: block; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("j,down", "move(1)"),
        Binding("k,up", "move(-1)"),
        Binding("ctrl+d", "move(15)"),
        Binding("ctrl+u", "move(-15)"),
        Binding("g,home", "edge(False)"),
        Binding("G,end", "edge(True)"),
        Binding("l,h,enter,right,left", "open"),
        Binding("space", "choose('accept')"),
        Binding("x", "choose('reject')"),
        Binding("a", "accept_shape"),
        Binding("s", "sample"),
        Binding("n", "next_undecided"),
        Binding("u", "undecided_only"),
        Binding("c", "ask('comment')"),
        Binding("slash", "ask('filter')"),
        Binding("escape", "clear"),
        Binding("J,pagedown", "scroll_code(1)"),
        Binding("K,pageup", "scroll_code(-1)"),
        Binding("question_mark", "help"),
        Binding("q,ctrl+c,ctrl+q", "leave", priority=False),
    ]

    def __init__(self, guided: GuidedReview) -> None:
        super().__init__(driver_class=LastingDriver)
        self._guided = guided
        self._rows = VisibleRows(guided)
        self._in_order = False
        self._asking = ""
        self._message = ""
        self._overturning: tuple[object, ReviewChoice] | None = None

    def compose(self) -> ComposeResult:
        """The list, the code, the progress, the keys, and a line to type in."""
        with Horizontal(id="body"):
            yield RowList(self._rows)
            with VerticalScroll(id="code", can_focus=False):
                yield Static(id="edit", markup=False)
        yield Static(id="progress", markup=False)
        yield Input(id="line", compact=True)
        yield Static(id="keys", markup=False)

    def on_mount(self) -> None:
        """Ends in an orderly way also where the terminal or the connection goes."""
        self.call_after_refresh(self.run_worker, self._arrange)
        self._list.focus()
        for number_of_signal in _STOPPING:
            get_running_loop().add_signal_handler(number_of_signal, self.action_leave)

    def get_line_filters(self) -> Sequence[LineFilter]:
        """Takes all colours away where they are not wanted; Textual leaves shades of grey."""
        filters = super().get_line_filters()
        return [*filters, _NoColours()] if self.no_color else filters

    async def _arrange(self) -> None:
        """Puts the edits in order while the screen is already there."""
        await to_thread(self._rows.arrange)
        self._in_order = True
        self._list.renew()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool:
        """Until the edits are in order, one can but leave."""
        return self._in_order or action == "leave"

    def on_resize(self, event: Resize) -> None:
        """Puts the code below the list where there are few columns."""
        self.screen.set_class(event.size.width < NARROW, "narrow")
        self.call_after_refresh(self.on_row_list_moved)

    def on_row_list_moved(self) -> None:
        """Shows what the cursor is on."""
        if not self.query(RowList):
            return  # the screen has gone
        self._show_row()
        self._show_progress()

    # -- keys --------------------------------------------------------------------------------

    def action_move(self, by: int) -> None:
        self._overturning = None
        self._list.go(self._list.cursor + by)

    def action_edge(self, last: bool) -> None:
        self._overturning = None
        self._list.go(len(self._rows.rows) if last else 0)

    def action_open(self) -> None:
        if row := self._list.row:
            self._rows.toggle(row)
            self._list.renew()

    def action_choose(self, choice: ReviewChoice) -> None:
        row = self._list.row
        if row is None:
            return
        choices = {self._guided.choice(edit) for edit in row.edits}
        if choices == {choice}:
            self._try(lambda: self._guided.decide(row.edits, None))
            return
        if None not in choices and len(row.edits) > 1 and self._overturning != (row.key, choice):
            self._overturning = row.key, choice
            self._say(f"All {len(row.edits):,} are decided. Once more decides them anew: {choice}.")
            return
        self._overturning = None
        self._decide(row, choice)
        if row.kind == "edit" and not self._rows.undecided_only:
            self.action_move(1)

    def action_accept_shape(self) -> None:
        row = self._list.row
        if row is None:
            return
        if row.kind != "edit" and row.group.kind == "outliers":
            self._say("Outliers are not alike: open them with l, and go through them.")
        else:
            edit = row.edits[0]
            self._try(lambda: self._guided.decide_alike(row.group, edit, "accept"))

    def action_sample(self) -> None:
        row = self._list.row
        at = self._rows.next_of_sample(row) if row else None
        self._list.renew()
        if at is None:
            self._say("No edit of a sample is undecided here.")
        else:
            self._list.go(at)

    def action_next_undecided(self) -> None:
        rows, start = self._rows.rows, self._list.cursor + 1
        for at in (*range(start, len(rows)), *range(start - 1)):
            state = self._rows.state(rows[at])
            if state.decided < state.edits:
                self._list.go(at)
                return
        self._say("Everything is decided.")

    def action_undecided_only(self) -> None:
        self._rows.undecided_only ^= True
        self._renew()

    def action_clear(self) -> None:
        self._rows.filter = ""
        self._close_line()
        self._renew()

    def action_scroll_code(self, pages: int) -> None:
        code = self.query_one("#code", VerticalScroll)
        code.scroll_relative(y=pages * max(code.size.height - 2, 1), animate=False)

    def action_help(self) -> None:
        self.query_one("#edit", Static).update(Text(HELP))

    def action_ask(self, what: str) -> None:
        row = self._list.row
        if what == "comment" and (row is None or row.kind != "edit"):
            self._say("A comment is about one edit: open the group with l.")
            return
        line = self.query_one(Input)
        own = self._guided.review.own(row.edits[0].edit.id).comment if row else ""
        line.value = own if what == "comment" else self._rows.filter
        line.placeholder = f"{what}; enter ends it, escape leaves it"
        line.add_class("asked")
        line.focus()
        self._asking = what

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Takes over what was typed."""
        what, row = self._asking, self._list.row
        self._close_line()
        if what == "comment" and row is not None:
            edit_id = row.edits[0].edit.id
            self._try(lambda: self._guided.review.comment(edit_id, event.value))
        elif what == "filter":
            self._rows.filter = event.value
            self._renew()

    def action_leave(self) -> None:
        self._try(self._guided.note_read)
        self.exit()

    # -- what is shown -----------------------------------------------------------------------

    @property
    def _list(self) -> RowList:
        return self.query_one(RowList)

    def _decide(self, row: ReviewRow, choice: ReviewChoice) -> None:
        """Decides about an edit, or about what is undecided in a group."""
        edits = self._guided.undecided(row.edits) or row.edits
        whole = row.kind == "group" and len(edits) == len(self._guided.undecided(row.group.edits))
        if whole:
            self._try(lambda: self._guided.decide_rest(row.group, choice))
        else:
            self._try(lambda: self._guided.decide(edits, choice))

    def _try(self, act: Callable[[], None]) -> None:
        """Does it, and says what stands against it."""
        try:
            act()
        except (AstEditError, ToolError) as error:
            self._message = one_line(str(error))
        self._renew()
        self.set_timer(_REST, self._guided.review.keep_contexts)

    def _renew(self) -> None:
        self._rows.update()
        self._list.renew()

    def _say(self, message: str) -> None:
        self._message = message
        self._show_progress()

    def _close_line(self) -> None:
        self._asking = ""
        self.query_one(Input).remove_class("asked")
        self._list.focus()

    def _show_row(self) -> None:
        row = self._list.row
        nothing = Text("Nothing is left to show." if self._in_order else "")
        text = nothing if row is None else self._row_text(row)
        self.query_one("#edit", Static).update(text)
        self.query_one("#code", VerticalScroll).scroll_home(animate=False)

    def _row_text(self, row: ReviewRow) -> Text:
        text = Text()
        if row.kind != "edit":
            label = one_line(" ".join(row.group.label.split()))
            text.append(f"{label}\n", "bold")
            count = number(len({edit.path for edit in row.edits}), "file")
            text.append(f"{number(len(row.edits), 'edit')} in {count}; such as\n\n")
        edit = row.edits[0]
        text.append_text(self._edit_text(edit, seen=row.kind == "edit"))
        if confidence := self._guided.confidence(row.group):
            text.append(f"\n{confidence}\n", "italic")
        return text

    def _edit_text(self, edit: OrderedEdit, seen: bool) -> Text:
        text = Text(f"{one_line(edit.path)}:{edit.edit.shown_line}", "bold")
        text.append(f"  shape:{edit.shape}\n", "dim")
        for why in edit.why:
            text.append(f"! {one_line(why)}\n", "yellow")
        columns = self.query_one("#edit").content_size.width or self.size.width
        text.append_text(edit_text(edit.path, self._guided.lines(edit), columns))
        decision = self._guided.review.decision(edit.edit.id)
        if decision.comment:
            text.append(f"\nComment: {one_line(decision.comment)}\n", "italic")
        if tie := self._guided.tie(edit):
            text.append(f"\n{tie}\n", "italic")
        if seen:
            self._guided.see(edit)
        return text

    def _show_progress(self) -> None:
        """The counts, or a message once; then the keys."""
        shown = "  undecided only" * self._rows.undecided_only
        shown += f"  filter: {one_line(self._rows.filter)}" if self._rows.filter else ""
        text = self._message or f"{self._guided.review.progress()}{shown}"
        if not self._in_order:
            text = f"Putting {number(len(self._guided.part), 'edit')} in order …"
        self._message = ""
        self.query_one("#progress", Static).update(Text(text, no_wrap=True, overflow="ellipsis"))
        keys = FEW_KEYS if self.screen.has_class("narrow") else KEYS
        self.query_one("#keys", Static).update(Text(keys, no_wrap=True, overflow="ellipsis"))
