"""Asking a person on the terminal: to approve an action, or to go through its edits."""

import os
import sys
from collections.abc import Callable, Iterator, Sequence, Set
from contextlib import contextmanager
from functools import lru_cache, partial
from importlib.util import find_spec
from typing import TYPE_CHECKING, NamedTuple

from astedit.cli.output import streams
from astedit.cli.output.failure import how_to_have
from astedit.errors import AstEditError, PreconditionError, RequestError
from astedit.model.plan import Plan
from astedit.review.selectors import ALL, Selection, ids_of, part_of
from astedit.staging.approval import ApprovalSubject
from astedit.staging.plan_label import described
from astedit.text import first_lines, number
from astedit.workspace.path_policy import classify
from resolve import PendingAction, Session
from resolve.actions import stamp
from resolve.visible import one_line, visible

if TYPE_CHECKING:
    from astedit.cli.place import Place
    from astedit.review.decisions import Review
    from astedit.review.order import OrderedEdit
    from astedit.terminal.questions import GuidedReview
    from astedit.terminal.screen import Theme
    from astedit.workspace.root import Workspace
    from resolve import Session

_FILES = 20
_SHAPES = 20
_OUTLIERS = 20  # in full
_LINES = 12  # of one side of an edit


def approval_view(
    action: PendingAction, subject: ApprovalSubject, session: Session
) -> Iterator[str]:
    """Lines with the fingerprint first, so that it does not stand above the question."""
    yield f"{action.id} {described(action)}"
    yield f"fingerprint {subject.fingerprint}"
    who = one_line(str(action.notes.get("by") or action.session))
    yield f"staged by {who} at {stamp(action.created_at)} ({one_line(action.kind)})"
    yield ""
    if (plan := _plan(action, session)) is not None:
        yield from _shapes(plan)
    yield from _files(subject.paths)
    if plan is not None:
        files, shapes = number(plan.files_touched, "file"), number(len(plan.shapes), "shape")
        yield f"In all: {number(plan.total_replacements, 'replacement')} in {files}, {shapes}."


def _plan(action: PendingAction, session: Session) -> Plan | None:
    """The plan of an action that has one; an undo restores whole files."""
    from astedit.staging.stored import stored

    try:
        return stored(session, action)
    except AstEditError:
        return None


def _shapes(plan: Plan) -> Iterator[str]:
    """The odd edits in full, each with the reason, then the shapes with an example of each."""
    from astedit.review.order import ordered

    shapes = []
    for group in ordered(plan):
        if group.kind != "outliers":
            shapes.append(group)
            continue
        yield f"{number(len(group.edits), 'outlier')}:"
        for each in group.edits[:_OUTLIERS]:
            yield from _in_full(each, one_line(f": {'; '.join(each.why)}"))
        if others := len(group.edits[_OUTLIERS:]):
            yield f"  and {number(others, 'more edit')}: d shows all"
    shapes.sort(key=lambda group: -len(group.edits))
    for group in shapes[:_SHAPES]:
        files = number(len({each.path for each in group.edits}), "file")
        counted = f"({files})  shape:{group.number}"
        yield f"{len(group.edits):>7,}  {one_line(group.label)}  {counted}"
        yield from _in_full(group.edits[0])
    if others := len(shapes[_SHAPES:]):
        yield f"and {number(others, 'more shape')}: d shows all"


def _in_full(each: "OrderedEdit", why: str = "") -> Iterator[str]:
    edit = each.edit
    yield f"  {one_line(each.path)}:{edit.shown_line}{why}"
    for sign, text in (("-", edit.whole_before), ("+", edit.whole_after)):
        lines = [f"    {sign} {visible(line)}" for line in text.splitlines()]
        yield from first_lines(lines, _LINES, indent="      ")


def _files(paths: Sequence[str]) -> Iterator[str]:
    """The files by name; those that are protected or run by themselves first, and all of them."""
    classed = [(path, classify(path)) for path in paths]
    yield from (f"  {one_line(path)} ({kind})" for path, kind in classed if kind)
    others = [f"  {one_line(path)}" for path, kind in classed if not kind]
    yield from first_lines(others, _FILES, indent="  ")


_KEYS = "d: the diff   r: review it, edit by edit   n: deny, and say why"
_QUESTION = "To approve, type the first four characters of the fingerprint: "
_WHY = "Why? Whoever staged it reads this; nothing takes it back: "
_LONGEST = 4096  # bytes of an answer


_More = Callable[[PendingAction, Session], str]


class _Terminal(NamedTuple):
    """The terminal itself; `ask` writes a text and reads one line, EOFError at the end."""

    ask: Callable[[str], str]
    say: Callable[[str], None]


def ask(action: PendingAction, session: Session) -> None:
    """Asks on the terminal device and records the answer.

    Raises `PreconditionError` without a terminal, for a denial, which discards the action
    with what the person said, and for any other answer.
    """
    from astedit.staging.approval import approve, decided

    subject = decided(action, session)
    text = "\n".join(approval_view(action, subject, session))
    with _terminal(f"approve {action.id}") as terminal:
        more: dict[str, _More] = {"d": _diff, "r": partial(_review, terminal)}
        question = f"\n\n{_KEYS}\n{_QUESTION}"
        answer = _line(terminal, text + question).lower()
        while answer in (*more, "n"):
            if answer == "n":
                if why := _line(terminal, _WHY):
                    session.resolve("discard", why, target=action.id)
                    raise PreconditionError(
                        f"Denied, and discarded: {action.id}. Who staged it reads: {one_line(why)}",
                        code="denied",
                    )
            else:
                text = more[answer](action, session)
            answer = _line(terminal, text + question).lower()
    if answer != subject.fingerprint[:4]:
        raise PreconditionError(
            "Not approved: that is not how the fingerprint begins.", code="approval_missing"
        )
    approve(action, subject.fingerprint, session)
    _remember(action, session)


def _line(terminal: _Terminal, question: str) -> str:
    """The answer; none of a terminal that has gone."""
    try:
        return terminal.ask(question)
    except EOFError:
        return ""


def _remember(action: PendingAction, session: Session) -> None:
    """Keeps what the edits stand in, so that a refresh can tell whether the approval holds."""
    from astedit.staging.stored_review import remember

    if (plan := _plan(action, session)) is not None:
        remember(plan, plan.files, session.records, action.id)


def _diff(action: PendingAction, session: Session) -> str:
    from astedit.staging import undo
    from astedit.staging.on_top import as_previewed
    from astedit.staging.plan_contents import redraw
    from astedit.staging.preview import reopened
    from astedit.staging.stored import stored

    if action.kind == undo.HANDLER:
        undoing = undo.shown_as(action, session)
        with reopened(undoing.root, undoing.origin) as workspace:
            patch = undo.diff_of(undoing, workspace, session)
    else:
        plan = stored(session, action)
        with (
            reopened(plan.root, plan.origin) as workspace,
            as_previewed(plan, workspace, session.records),
        ):
            redraw(plan, workspace)
        patch = plan.patch()
    return visible(patch.decode("utf-8", "backslashreplace"))


def _review(terminal: _Terminal, action: PendingAction, session: Session) -> str:
    """Asks about each edit that is undecided; returns how far the review is then."""
    from astedit.cli.output import review_summary
    from astedit.staging import undo
    from astedit.staging.preview import reopened
    from astedit.staging.stored_review import open_review, remember_decided
    from astedit.terminal.questions import Conversation, run

    if action.kind == undo.HANDLER:
        return "An undo restores whole files: there is nothing to review."
    review = open_review(session, action)
    plan = review.plan
    talk = Conversation(terminal.ask, terminal.say, lambda code, text: text)
    try:
        with reopened(plan.root, plan.origin) as workspace:
            run(guided_review(review, workspace, set(review.edits)), talk)
    finally:  # also after Ctrl-C: what was decided until then is kept
        remember_decided(plan, session.records, action.id)
    return "\n".join(review_summary.lines(review, review.edits.keys()))


def tell(text: str, action_id: str) -> None:
    """Writes a line to the terminal itself, where no program reads it."""
    with _terminal(f"review {action_id} --web") as terminal:
        terminal.say(text)


@contextmanager
def _terminal(command: str) -> Iterator[_Terminal]:
    """The terminal itself, whatever standard input is; where none is, what a person runs."""
    try:
        terminal = os.open("/dev/tty", os.O_RDWR | os.O_NOCTTY | os.O_CLOEXEC)
    except OSError as error:
        raise PreconditionError(
            "There is no terminal to ask a person on.",
            code="approval_missing",
            hint=f"A person runs, on a terminal: astedit {command}",
        ) from error

    def write(text: str) -> None:
        rest = memoryview(text.encode("utf-8", "backslashreplace"))
        while rest:
            rest = rest[os.write(terminal, rest) :]

    def ask(question: str) -> str:
        write(question)
        if not (answer := os.read(terminal, _LONGEST)):
            raise EOFError
        return answer.decode("utf-8", "replace").strip()

    try:
        yield _Terminal(ask, lambda line: write(f"{line}\n"))
    finally:
        os.close(terminal)


_CACHED = 64  # whose contents are kept, since edits of one file are often shown together


def possible() -> bool:
    """Whether a person can be asked: input and output are a terminal."""
    return streams.terminal(sys.stdin) and streams.terminal(sys.stdout)


def check_possible() -> None:
    """Raises `RequestError` where nobody can be asked."""
    if not possible():
        raise RequestError(
            "There is no terminal to decide on.", hint="Stage it, and use `astedit review --web`."
        )


class EndedReview(NamedTuple):
    """How a person left a review: of which action and part, and why to apply what is accepted.

    There is no reason where nobody asked for that. A hunk that was edited makes another action.
    """

    action_id: str
    selection: Selection
    reason: str | None = None


def go_through(
    review: "Review",
    session: "Session",
    place: "Place",
    selection: Selection = ALL,
    *,
    questions: bool = False,
    theme: "Theme" = "auto",
) -> EndedReview:
    """Lets a person decide about a part; whatever ends it, what was decided before is kept.

    Raises what `part_of` raises.
    """
    part = part_of(review.plan, selection)
    ended = EndedReview(review.plan.action_id or "", selection)
    if questions or not _full_screen():
        with _ending(review, session):
            _ask(guided_review(review, place.workspace, part))
        return ended
    from astedit.staging.replacement import stage_own
    from astedit.staging.stored_review import open_review
    from astedit.terminal.review_app import ReviewApp
    from astedit.terminal.screen import is_light

    light, start = is_light(theme), None
    while True:
        guided = guided_review(review, place.workspace, part)
        action = session.store.find(ended.action_id)
        stage = partial(stage_own, older=review.plan, action=action, session=session)
        app = ReviewApp(guided, place.workspace.root, light=light, rewrite=stage, start=start)
        with _ending(review, session):
            reason = app.run()
        if app.rewritten is None:
            return ended._replace(reason=reason)
        before = ids_of(review.plan)
        review = open_review(session, app.rewritten)
        own = ids_of(review.plan) - before
        part, start = part & ids_of(review.plan) | own, next(iter(own), None)
        chosen = ALL if selection == ALL else Selection(tuple(sorted(part)))
        ended = EndedReview(app.rewritten.id, chosen)


@contextmanager
def _ending(review: "Review", session: "Session") -> Iterator[None]:
    """Says at the end how far a review is, and keeps what its edits stand in."""
    from astedit.staging.stored_review import remember_decided

    try:
        yield
    finally:
        streams.note(f"{review.progress()}.")
        remember_decided(review.plan, session.records, review.plan.action_id or "")


def guided_review(review: "Review", workspace: "Workspace", part: Set[str]) -> "GuidedReview":
    """The review of a part in its order, with the code of the workspace's files."""
    from astedit.staging.plan_contents import contents_of
    from astedit.terminal.questions import GuidedReview
    from astedit.workspace.codeowners import CodeOwners

    files = {file.path: file for file in review.plan.files}
    read = contents_of(review.plan, workspace)
    contents = lru_cache(_CACHED)(lambda path: read(files[path]))
    return GuidedReview(review, CodeOwners.read(workspace).of, contents, part)


def _full_screen() -> bool:
    """Whether the terminal has a screen, and what draws on it is installed."""
    if os.environ.get("TERM", "dumb") == "dumb":
        return False
    if find_spec("textual") is None:
        streams.note(f"For a review on the whole screen: {how_to_have('tui')}")
        return False
    return True


def _ask(guided: "GuidedReview") -> None:
    from astedit.terminal.questions import Conversation, run

    run(guided, Conversation(_answer, lambda line: _write(f"{line}\n"), streams.painter()))


def _answer(question: str) -> str:
    _write(question)
    if not (line := sys.stdin.readline()):
        raise EOFError
    return line.rstrip("\n")


def _write(text: str) -> None:
    """Writes to the terminal at once, past the pager."""
    sys.stdout.buffer.write(text.encode("utf-8", "backslashreplace"))
    sys.stdout.flush()
