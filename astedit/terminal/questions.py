"""A review as questions, one edit after the other, as `git add -p` asks them.

Nothing but lines of text is assumed of the terminal. An end of the input (a closed connection)
is `q`; every answer is kept when the next question is asked.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence, Set
from functools import cached_property
from typing import NamedTuple

from astedit.errors import AstEditError, RequestError
from astedit.review.causes import Causes, consequence
from astedit.review.decisions import Review, ReviewChoice
from astedit.review.excerpt import CONTEXT, ExcerptLine, excerpt
from astedit.review.order import OrderedEdit, Owners, ReviewGroup, ordered, part_of_groups, sentence
from astedit.review.units import is_cascade
from astedit.text import number
from resolve import ToolError
from resolve.visible import one_line, visible

ReadContent = Callable[[str], bytes | None]  # of a path; None where nothing is known of it


class GuidedReview:
    """What a surface shows and does; each decision is kept for good when its call returns.

    `part` are the ids of the edits that are looked at. Raises what `Review` raises, with
    nothing decided then.
    """

    def __init__(
        self, review: Review, owners: Owners, contents: ReadContent, part: Set[str]
    ) -> None:
        self.review = review
        self.part = part
        self._owners = owners
        self._contents = contents
        self._seen: dict[str, None] = {}

    @cached_property
    def groups(self) -> list[ReviewGroup]:
        """The edits in their order; the first who asks waits a second for ten thousand."""
        groups = ordered(self.review.plan, self._owners, self.review.shapes)
        return part_of_groups(groups, self.part)

    def lines(self, edit: OrderedEdit, context: int = CONTEXT) -> list[ExcerptLine]:
        """The lines that an edit changes, and some around them."""
        return excerpt(edit.edit, self._contents(edit.path), context)

    def hunk(self, edit: OrderedEdit) -> str:
        """The hunk of an edit, for a person to edit. Raises `RequestError` where there is none."""
        from astedit.staging.own_edits import hunk

        if (content := self._contents(edit.path)) is None:
            raise RequestError(f"{edit.path} has changed since the preview.")
        files = {file.path: file for file in self.review.plan.files}
        return hunk(edit.edit, files[edit.path], content)

    def see(self, edit: OrderedEdit) -> None:
        """Remembers that an edit was shown."""
        self._seen[edit.edit.id] = None

    def tie(self, edit: OrderedEdit) -> str:
        """What the edit is decided together with, in words; '' for one on its own."""
        if self.review.tie(edit.edit.id):
            return "This follows the edits that it is for."
        others = len(self.review.tied([edit.edit.id])) - 1
        return f"Decided together with {number(others, 'other edit')}." if others else ""

    def causes(self, edits: Sequence[OrderedEdit]) -> Iterator[str]:
        """What caused an edit, and what goes with it or with several; nothing for most plans."""
        if not is_cascade(self.review.plan):
            return
        if len(edits) == 1:
            yield from self._causes.lines(edits[0].edit)
        if text := consequence(self.review, [edit.edit.id for edit in edits]):
            yield text

    @cached_property
    def _causes(self) -> Causes:
        return Causes(self.review.plan)

    def choice(self, edit: OrderedEdit) -> ReviewChoice | None:
        """What was decided about an edit."""
        return self.review.decision(edit.edit.id).choice

    def undecided(self, edits: Iterable[OrderedEdit]) -> list[OrderedEdit]:
        """Those of these edits that nobody has decided about."""
        return [edit for edit in edits if self.choice(edit) is None]

    def decide(self, edits: Sequence[OrderedEdit], choice: ReviewChoice | None) -> None:
        """Decides about these edits, and notes what was shown so far as read."""
        own = [edit.edit.id for edit in edits if self.review.tie(edit.edit.id) is None]
        self.review.decide(own or [edit.edit.id for edit in edits], choice, self._seen)
        self._seen = {}

    def alike(self, group: ReviewGroup, edit: OrderedEdit) -> list[OrderedEdit]:
        """What is undecided and like an edit: of its shape, and odd as it is."""
        alike = [other for other in group.edits if (other.shape, other.why) == edit[2:]]
        return self.undecided(alike)

    def rest(self, group: ReviewGroup) -> list[OrderedEdit]:
        """What of a group is undecided, or else all of it."""
        return self.undecided(group.edits) or list(group.edits)

    def decide_together(
        self, group: ReviewGroup, edits: Sequence[OrderedEdit], choice: ReviewChoice
    ) -> None:
        """Decides about edits of a group; what nobody read is noted as sampled."""
        self.decide(edits, choice)
        if self._read(group.edits):
            self.review.mark([edit.edit.id for edit in edits], "sampled")

    def decide_file(self, path: str, choice: ReviewChoice) -> None:
        """Decides about all of a file that is undecided."""
        placed = [edit for group in self.groups for edit in group.edits if edit.path == path]
        self.decide(self.undecided(placed), choice)

    def note_read(self) -> None:
        """Notes what was shown since the last decision as read."""
        seen, self._seen = list(self._seen), {}
        self.review.mark(seen, "read")

    def confidence(self, group: ReviewGroup) -> str:
        """What the sample says of the group; '' where none of it was read."""
        read = self._read(group.sample)
        wrong = sum(self.choice(edit) == "reject" for edit in read)
        return sentence(len(read), wrong)

    def _read(self, edits: Iterable[OrderedEdit]) -> list[OrderedEdit]:
        return [
            edit
            for edit in edits
            if edit.edit.id in self._seen or self.review.own(edit.edit.id).attention == "read"
        ]


PaintText = Callable[[str, str], str]

MORE = 20  # further lines for each `m`
_KEYS = "y,n,a,x,f,m,c,s,q,?"
_HELP = """\
y  accept this edit                    n  reject it
a  accept what is left of this shape   x  reject what is left of it
f  accept what is left of this file    s  skip: leave it undecided
m  show more lines around it           c  comment on it
q  quit; what was decided is kept      ?  this help"""
_REST_KEYS = "y,n,e,s,q"
_REST_HELP = """\
y  accept them all    n  reject them all    e  go through them one by one
s  skip them          q  quit; what was decided is kept"""
_COLOURS = {"-": "31", "+": "32", "…": "2", "@": "36", " ": ""}


class Conversation(NamedTuple):
    """How questions are asked; `ask` raises EOFError at the end of the input."""

    ask: Callable[[str], str]
    say: Callable[[str], None]
    paint: PaintText


class _Quit(Exception):
    """The reader has had enough."""


def run(guided: GuidedReview, talk: Conversation) -> None:
    """Asks about every edit that is undecided, in the order of the review."""
    try:
        for group in guided.groups:
            if guided.undecided(group.edits):
                _Questions(guided, talk, group).ask_all()
    except (_Quit, EOFError):
        talk.say("")
    guided.note_read()


class _Questions:
    """The questions about one group."""

    def __init__(self, guided: GuidedReview, talk: Conversation, group: ReviewGroup) -> None:
        self._guided = guided
        self._talk = talk
        self._group = group

    def ask_all(self) -> None:
        """Asks about the edits that are shown, then about the rest at once."""
        self._talk.say(self._talk.paint("1", _title(self._group)))
        for edit in self._group.shown:
            self._ask_about(edit)
        rest = [edit for part in self._group.folded for edit in part.edits]
        if self._guided.undecided(rest) and self._one_by_one():
            for edit in rest:
                self._ask_about(edit)

    def _ask_about(self, edit: OrderedEdit) -> None:
        if self._guided.choice(edit) is not None or self._guided.review.tie(edit.edit.id):
            return
        self._show(edit, CONTEXT)
        context = CONTEXT
        while True:
            answer = self._asked(f"{self._guided.review.progress()}. Accept? [{_KEYS}] ")
            if answer == "m":
                context += MORE
                self._show(edit, context)
            elif answer == "c":
                self._comment(edit)
            elif answer not in tuple("ynaxfsq"):
                self._talk.say(_HELP)
            elif self._done(edit, answer):
                return

    def _done(self, edit: OrderedEdit, answer: str) -> bool:
        """Whether the answer was carried out."""
        if answer == "q":
            raise _Quit
        if answer == "s":
            return True
        if answer in "ax":
            choice = "accept" if answer == "a" else "reject"
            alike = self._guided.alike(self._group, edit)
            if answer == "x" and not self._confirmed(alike):
                return False
            return self._tried(self._guided.decide_together, self._group, alike, choice)
        if answer == "f":
            return self._tried(self._guided.decide_file, edit.path, "accept")
        return self._tried(self._guided.decide, [edit], "accept" if answer == "y" else "reject")

    def _one_by_one(self) -> bool:
        """Asks about what is folded, all at once; whether each is to be asked about."""
        for part in self._group.folded:
            count = number(len(part.edits), "more edit")
            self._talk.say(f"  {count}{': ' * bool(part.label)}{one_line(part.label)}")
        if confidence := self._guided.confidence(self._group):
            self._talk.say(f"{confidence}.")
        while True:
            answer = self._asked(f"Accept the rest of this shape? [{_REST_KEYS}] ")
            if answer == "q":
                raise _Quit
            if answer in ("e", "s"):
                return answer == "e"
            if answer not in ("y", "n"):
                self._talk.say(_REST_HELP)
                continue
            rest, choice = self._guided.rest(self._group), "accept" if answer == "y" else "reject"
            if (answer == "y" or self._confirmed(rest)) and self._tried(
                self._guided.decide_together, self._group, rest, choice
            ):
                return False

    def _confirmed(self, edits: Sequence[OrderedEdit]) -> bool:
        """Whether these are to be rejected with what they alone have caused, if that is any."""
        for line in self._guided.causes(edits) if len(edits) > 1 else ():
            return self._asked(f"{line} Reject them all? [y,n] ") == "y"
        return True

    def _comment(self, edit: OrderedEdit) -> None:
        text = self._talk.ask("Comment: ")
        if self._tried(self._guided.review.comment, edit.edit.id, text):
            self._talk.say("Noted." if text else "The comment is gone.")

    def _tried(self, act: Callable[..., object], *arguments: object) -> bool:
        """Whether it was done; what stands against it is told."""
        try:
            act(*arguments)
        except (AstEditError, ToolError) as error:
            self._talk.say(one_line(str(error)))
            return False
        self._guided.review.keep_contexts()
        return True

    def _asked(self, question: str) -> str:
        return self._talk.ask(self._talk.paint("34", question)).strip()

    def _show(self, edit: OrderedEdit, context: int) -> None:
        self._talk.say(self._talk.paint("1", f"{one_line(edit.path)}:{edit.edit.shown_line}"))
        for why in edit.why:
            self._talk.say(self._talk.paint("33", f"! {one_line(why)}"))
        for line in self._guided.lines(edit, context):
            self._talk.say(_line(line, self._talk.paint))
        if tie := self._guided.tie(edit):
            self._talk.say(tie)
        for text in self._guided.causes([edit]):
            self._talk.say(text)
        if comment := self._guided.review.own(edit.edit.id).comment:
            self._talk.say(f"Comment: {one_line(comment)}")
        self._guided.see(edit)


def _title(group: ReviewGroup) -> str:
    """What a group is called, on a line of its own."""
    count = number(len(group.edits), "edit")
    if group.shape is None:
        return f"\n== Outliers: {count}"
    label = one_line(group.label)
    return f"\n== shape:{group.number}: {count} {label}"


def _line(line: ExcerptLine, paint: PaintText) -> str:
    """A line of a diff; the words that changed are reversed, where there are colours."""
    if not (code := _COLOURS[line.side]):
        return f" {visible(line.text)}"
    if line.side == "@":
        return paint(code, f"@ {visible(line.text)}")
    return "".join(_pieces(line, paint, code))


def _pieces(line: ExcerptLine, paint: PaintText, code: str) -> Iterator[str]:
    yield paint(code, line.side)
    at = 0
    for start, end in line.changed:
        yield paint(code, visible(line.text[at:start]))
        yield paint(f"{code};7", visible(line.text[start:end]))
        at = end
    yield paint(code, visible(line.text[at:]))
