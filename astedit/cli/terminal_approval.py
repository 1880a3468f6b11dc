"""Asking a person to approve an action, on the terminal itself."""

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import NamedTuple, NoReturn

from astedit.errors import PreconditionError
from resolve import PendingAction, Session
from resolve.visible import one_line, visible

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
    from astedit.cli.approval_view import approval_view
    from astedit.staging.approval import approve, decided

    subject = decided(action, session)
    text = "\n".join(approval_view(action, subject, session))
    with _terminal(action) as terminal:
        more: dict[str, _More] = {"d": _diff, "r": partial(_review, terminal)}
        question = f"\n\n{_KEYS}\n{_QUESTION}"
        answer = _line(terminal, text + question).lower()
        while answer in (*more, "n"):
            if answer == "n":
                if why := _line(terminal, _WHY):
                    _deny(action, session, why)
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
    from astedit.staging import undo
    from astedit.staging.remembered_contexts import remember
    from astedit.staging.stored_plan import stored

    if action.kind != undo.HANDLER:
        plan = stored(session, action)
        remember(plan, plan.files, session.records, action.id)


def _deny(action: PendingAction, session: Session, why: str) -> NoReturn:
    session.resolve("discard", why, target=action.id)
    raise PreconditionError(
        f"Denied, and discarded: {action.id}. Who staged it reads: {one_line(why)}", code="denied"
    )


def _diff(action: PendingAction, session: Session) -> str:
    from astedit.staging import undo
    from astedit.staging.on_top import as_previewed
    from astedit.staging.origin import reopened
    from astedit.staging.stored_diff import redraw
    from astedit.staging.stored_plan import stored

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
    from astedit.cli.review_on_terminal import guided_review
    from astedit.staging import undo
    from astedit.staging.origin import reopened
    from astedit.staging.remembered_contexts import remember_decided
    from astedit.staging.stored_review import open_review
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
    hint = f"A person runs, on a terminal: astedit review {action_id} --web"
    terminal = _opened(hint)
    try:
        os.write(terminal, f"{text}\n".encode("utf-8", "backslashreplace"))
    finally:
        os.close(terminal)


@contextmanager
def _terminal(action: PendingAction) -> Iterator[_Terminal]:
    """The terminal itself, whatever standard input is."""
    terminal = _opened(f"A person runs, on a terminal: astedit approve {action.id}")

    def write(text: str) -> None:
        rest = memoryview(text.encode("utf-8", "backslashreplace"))
        while rest:
            rest = rest[os.write(terminal, rest) :]

    def ask(question: str) -> str:
        write(question)
        answer = os.read(terminal, _LONGEST)
        if not answer:
            raise EOFError
        return answer.decode("utf-8", "replace").strip()

    try:
        yield _Terminal(ask, lambda line: write(f"{line}\n"))
    finally:
        os.close(terminal)


def _opened(hint: str) -> int:
    """The terminal of this process, to read and to write."""
    try:
        return os.open("/dev/tty", os.O_RDWR | os.O_NOCTTY | os.O_CLOEXEC)
    except OSError as error:
        raise PreconditionError(
            "There is no terminal to ask a person on.", code="approval_missing", hint=hint
        ) from error
