"""The full-screen review: shapes on the left, the edit on the right, progress and keys below."""

import os
import signal
from asyncio import get_running_loop, to_thread
from collections.abc import Callable, Sequence
from functools import partial
from typing import ClassVar, Literal

from rich.text import Text
from textual.app import App, ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, VerticalScroll
from textual.events import Event, Key, Resize
from textual.filter import LineFilter
from textual.widgets import Input, Static

from astedit.errors import AstEditError
from astedit.model.edit import Edit
from astedit.review.decisions import ReviewChoice
from astedit.terminal.edit_pane import SIDE_BY_SIDE, EditPane, key_line
from astedit.terminal.questions import GuidedReview
from astedit.terminal.screen import ON_LIGHT, LastingDriver, NoColours, edited, run_editor
from astedit.terminal.visible_rows import ReviewRow, RowList, VisibleRows
from astedit.text import number
from resolve import PendingAction, ToolError
from resolve.visible import one_line

NARROW = 70  # columns; in fewer the edit stands below the list
BAR = 20  # cells of the progress bar
_REST = 0.1  # seconds after which the answer to a key is on the screen
RewriteHunk = Callable[[str, Edit], PendingAction]  # of a hunk as a person left it, and its edit
_STOPPING = (signal.SIGTERM, signal.SIGHUP)


class ReviewApp(App[str]):
    """Shows a review and passes on what the keys say; every decision is kept at once.

    It ends with the reason to apply what is accepted, or with None. `root` is the workspace's,
    for an editor. `rewrite` stages another plan in the place of this one, which ends it, too:
    that is `rewritten` then. `start` is the id of the edit to begin with.
    """

    ENABLE_COMMAND_PALETTE = False
    CSS = """
    #body { height: 1fr; }
    RowList { width: 2fr; max-width: 76; border-right: solid $panel; scrollbar-size: 1 1; }
    #code { width: 3fr; padding: 0 1; scrollbar-size: 1 1; scrollbar-gutter: stable; }
    .wide RowList, .helping RowList { display: none; }
    .narrow #body { layout: vertical; }
    .narrow RowList { width: 1fr; height: 2fr; max-width: 999; border-right: none;
        border-bottom: solid $panel; }
    .narrow #code { width: 1fr; height: 3fr; }
    #title { height: 1; text-style: bold; color: $text-primary; }
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
        Binding("u", "retrace('undo')"),
        Binding("ctrl+r", "retrace('redo')"),
        Binding("U", "only('undecided')"),
        Binding("R", "only('reject')"),
        Binding("z", "wide"),
        Binding("vertical_line", "split"),
        Binding("e", "edit"),
        Binding("E", "edit_hunk"),
        Binding("A", "ask('apply')"),
        Binding("c", "ask('comment')"),
        Binding("slash", "ask('filter')"),
        Binding("escape", "clear"),
        Binding("J,pagedown", "scroll_code(1)"),
        Binding("K,pageup", "scroll_code(-1)"),
        Binding("question_mark", "help"),
        Binding("q,ctrl+c,ctrl+q", "leave", priority=False),
    ]

    def __init__(
        self,
        guided: GuidedReview,
        root: str = ".",
        *,
        light: bool = False,
        rewrite: RewriteHunk | None = None,
        start: str | None = None,
    ) -> None:
        super().__init__(driver_class=LastingDriver)
        self.theme = "textual-light" if light else "textual-dark"
        self.ansi_theme_light = ON_LIGHT
        self._guided = guided
        self._root = root
        self._rewrite = rewrite
        self.rewritten: PendingAction | None = None
        self._start = start
        self._rows = VisibleRows(guided)
        self._in_order = False
        self._asking = self._question = self._message = ""
        self._overturning: tuple[object, ReviewChoice] | None = None

    def compose(self) -> ComposeResult:
        """What the plan does, the list, the code, the progress, and a line to type in."""
        title = one_line(self._guided.review.plan.title)
        yield Static(Text(title, no_wrap=True, overflow="ellipsis"), id="title", markup=False)
        with Horizontal(id="body"):
            yield RowList(self._rows)
            with VerticalScroll(id="code", can_focus=False):
                yield EditPane(self._guided)
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
        return [*filters, NoColours()] if self.no_color else filters

    async def _arrange(self) -> None:
        """Puts the edits in order while the screen is already there."""
        await to_thread(self._rows.arrange)
        self._in_order = True
        self._list.renew()
        if self._start is not None and (at := self._rows.place_of(self._start)) is not None:
            self._list.renew()
            self._list.go(at)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool:
        """Until the edits are in order, one can but leave."""
        return self._in_order or action == "leave"

    async def on_event(self, event: Event) -> None:
        """A message stands until the next key, the help until one that does not scroll it."""
        if isinstance(event, Key):
            self._message = ""
            if self.screen.has_class("helping") and event.key not in ("J", "K"):
                self.screen.remove_class("helping")
                self.call_after_refresh(self._show_row)
        await super().on_event(event)

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
        if row.kind == "edit" and self._rows.only is None:
            self.action_move(1)

    def action_accept_shape(self) -> None:
        row = self._list.row
        if row is None:
            return
        if row.kind != "edit" and row.group.kind == "outliers":
            self._say("Outliers are not alike: open them with l, and go through them.")
        else:
            edit = row.edits[0]
            alike = self._guided.alike(row.group, edit)
            self._try(lambda: self._guided.decide_together(row.group, alike, "accept"))

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

    def action_only(self, what: Literal["undecided", "reject"]) -> None:
        self._rows.only = None if self._rows.only == what else what
        self._renew()

    def action_retrace(self, what: str) -> None:
        def act() -> None:
            review = self._guided.review
            changed = review.undo() if what == "undo" else review.redo()
            count = number(len(changed), "decision")
            self._message = f"{what}: {count}." if changed else f"Nothing to {what}."

        self._try(act)

    def action_wide(self) -> None:
        self.screen.toggle_class("wide")
        self.call_after_refresh(self._show_row)

    def action_split(self) -> None:
        if self.size.width < SIDE_BY_SIDE:
            self._say(f"Side by side needs {SIDE_BY_SIDE} columns; here are {self.size.width}.")
            return
        self.query_one(EditPane).split ^= True
        self._show_row()

    def action_edit(self) -> None:
        """Opens the file; what is saved there makes the plan stale, and an apply says so."""
        row = self._list.row
        if row is None:
            self._say("There is no file to open.")
            return
        edit = row.edits[0]
        place = f"+{edit.edit.shown_line}", os.path.join(self._root, edit.path)

        def act() -> None:
            self._message = self._outside(partial(run_editor, self._root, *place))

        self._try(act)

    def action_edit_hunk(self) -> None:
        """Opens the hunk of one edit; what is saved there takes its place in a new plan."""
        row, rewrite = self._list.row, self._rewrite
        if row is None or row.kind != "edit" or rewrite is None:
            self._say("One edit is edited at a time: open the group with l.")
            return
        (edit,) = row.edits

        def act() -> None:
            text = self._outside(partial(edited, self._root, self._guided.hunk(edit)))
            self.rewritten = rewrite(text, edit.edit)
            self.exit()

        self._try(act)

    def _outside(self, act: Callable[[], str]) -> str:
        """Runs something in the place of the screen, which comes back in every case."""
        with self.suspend():
            try:
                return act()
            except AstEditError as failed:
                error = failed
        raise error

    def action_clear(self) -> None:
        self._rows.filter = ""
        self._close_line()
        self._renew()

    def action_scroll_code(self, pages: int) -> None:
        code = self.query_one("#code", VerticalScroll)
        code.scroll_relative(y=pages * max(code.size.height - 2, 1), animate=False)

    def action_help(self) -> None:
        self.screen.add_class("helping")
        self.query_one(EditPane).show_help()

    def action_ask(self, what: str) -> None:
        row = self._list.row
        if what == "comment" and (row is None or row.kind != "edit"):
            self._say("A comment is about one edit: open the group with l.")
            return
        doing = what
        if what == "apply":
            accepted = self._guided.review.progress(self._guided.part).accepted
            if not accepted:
                self._say("Nothing is accepted: there is nothing to apply.")
                return
            doing = f"apply {number(accepted, 'accepted edit')}: why"
        line = self.query_one(Input)
        own = self._guided.review.own(row.edits[0].edit.id).comment if row else ""
        line.value = {"comment": own, "filter": self._rows.filter, "apply": "reviewed"}[what]
        self._question = f"{doing[0].upper()}{doing[1:]}? Enter does it, escape leaves it."
        self._show_progress()
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
        elif what == "apply" and event.value.strip():
            self._try(self._guided.note_read)
            self.exit(event.value.strip())

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
        if row.kind == "group" and len(edits) == len(self._guided.undecided(row.group.edits)):
            self._try(lambda: self._guided.decide_together(row.group, edits, choice))
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
        self._asking = self._question = ""
        self.query_one(Input).remove_class("asked")
        self._list.focus()

    def _show_row(self) -> None:
        row = self._list.row
        self.query_one(EditPane).show(row, "Nothing is left to show." if self._in_order else "")
        self.query_one("#code", VerticalScroll).scroll_home(animate=False)

    def _show_progress(self) -> None:
        """The counts, or a message; then the keys."""
        shown = {None: "", "reject": "  rejected only"}.get(self._rows.only, "  undecided only")
        shown += f"  filter: {one_line(self._rows.filter)}" if self._rows.filter else ""
        progress = self._guided.review.progress()
        filled = BAR * progress.decided // max(progress.edits, 1)
        bar = f"{'█' * filled}{'░' * (BAR - filled)} " * (not self.screen.has_class("narrow"))
        text = self._message or self._question or f"{bar}{progress}{shown}"
        if not self._in_order:
            text = f"Putting {number(len(self._guided.part), 'edit')} in order …"
        self.query_one("#progress", Static).update(Text(text, no_wrap=True, overflow="ellipsis"))
        self.query_one("#keys", Static).update(key_line(self.size.width))
