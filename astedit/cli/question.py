"""The question after a preview on a terminal: apply it, discard it, look closer, or leave it."""

import gc
import signal
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import partial
from importlib.util import find_spec
from typing import TYPE_CHECKING, NamedTuple

from astedit.cli.output import streams
from astedit.cli.output.failure import needing
from astedit.cli.place import Place
from astedit.cli.session import (
    apply_accepted,
    named_or_newest,
    open_session,
    resolve_action,
    shown_on,
    staged_notice,
)
from astedit.cli.terminal_approval import go_through, tell
from astedit.model.plan import Plan
from astedit.review.selectors import ALL, Selection
from astedit.staging.approval import waits
from astedit.staging.stage import leave
from astedit.staging.workspace_session import acting, workspace_session
from astedit.text import number
from resolve import AbortError, PendingAction, Session
from resolve.stack import refusal

if TYPE_CHECKING:
    from astedit.web.open_plan import OpenPlan

_MEANINGS = {
    "y": "apply it now",
    "n": "discard it; Enter does the same",
    "r": "review it, edit by edit, on this terminal",
    "w": "review it in the browser",
    "s": "leave it staged, and decide later",
}
_ENDING = (signal.SIGHUP, signal.SIGTERM)
_WHOLE = {"create": "new", "delete": "deleted", "move": "moved"}


def counts(plan: Plan) -> str:
    """`30 edits in 14 files`, or `3 new, 1 deleted, 2 moved files`; both where there are both."""
    edited = [file for file in plan.files if file.operation == "modify"]
    files = Counter[str](file.operation for file in plan.files)
    whole = [f"{files[kind]:,} {word}" for kind, word in _WHOLE.items() if files[kind]]
    edits = sum(edit.matches > 0 for file in edited for edit in file.edits)  # no imports
    parts = [f"{number(edits, 'edit')} in {number(len(edited), 'file')}"] if edited else []
    if whole:
        total = len(plan.files) - len(edited)
        parts.append(f"{', '.join(whole)} {'file' if total == 1 else 'files'}")
    return ", ".join(parts)


class ApplyQuestion(NamedTuple):
    """What is asked about one staged action.

    `what` is `Apply 30 edits in 14 files`. `reason` is recorded with a yes, and `notice` is
    what is said of an action that stays staged. `whole` actions have no edits to review.
    """

    what: str
    reason: str
    notice: str | None
    whole: bool = False


@contextmanager
def staged_meanwhile(action_id: str, place: Place, state: str | None) -> Iterator[None]:
    """Turns a Ctrl-C, or a terminal that goes away, into the words that nothing is lost."""
    before = {each: signal.signal(each, signal.default_int_handler) for each in _ENDING}
    try:
        yield
    except KeyboardInterrupt as error:
        with open_session(place, state, announce=False) as session:
            name = shown_on(sys.stderr, session)(action_id)
        streams.note("")
        raise AbortError(f"Interrupted: staged as {name}") from error
    finally:
        for number_of_signal, handler in before.items():
            signal.signal(number_of_signal, handler)


def ask(question: ApplyQuestion, action_id: str, place: Place, state: str | None) -> None:
    """Asks until there is an answer, and does what it says.

    The end of input leaves the action staged. Raises what an apply raises, among it
    `StaleError` where a file was changed while the question stood.
    """
    with open_session(place, state, announce=False) as session:
        action = session.store.find(action_id)
        answer = _answer(question, action, session, place)
        if answer == "y":
            result = resolve_action(session, place.config, "apply", question.reason, action_id)
            streams.text(shown_on(sys.stdout, session)(result.text))
        elif answer == "n":
            session.resolve("discard", "answered no to the question", target=action_id)
            streams.note("Discarded: no file is changed.")
        elif answer == "r":
            review(action, session, place)
        elif answer == "s":
            leave(action, session)
            streams.notes(staged_notice(action_id, question.notice, session, place, state))
    if answer == "w":
        serve_review(place, state, action_id, ALL, opening=True)


def review(action: PendingAction, session: Session, place: Place) -> None:
    """Lets a person decide about the edits of a staged plan, and applies what they say."""
    from astedit.staging.stored_review import open_review

    action = session.store.find(action.id)  # it may be resolved elsewhere by now
    if action.state != "pending":
        raise refusal(action.id, action)
    ended = go_through(open_review(session, action), session, place)
    if ended.reason is not None:
        apply_accepted(session, place.config, ended)
    else:
        name = shown_on(sys.stderr, session)(ended.action_id)
        streams.note(f"What was accepted is applied by: astedit apply {name} --reviewed")


def _answer(question: ApplyQuestion, action: PendingAction, session: Session, place: Place) -> str:
    """The letter that was typed: `s` at the end of input."""
    waiting = waits(action, session, place.config)
    letters = _letters(question, waiting)
    name = shown_on(sys.stderr, session)(action.id)
    aside = f" It needs: astedit approve {name} --apply" if waiting else ""
    shown = "/".join("N" if letter == "n" else letter for letter in [*letters, "?"])
    while True:
        streams.prompt(f"{question.what}?{aside} [{shown}] ")
        if not (line := sys.stdin.readline()):
            streams.prompt("\n")
            return "s"
        answer = line.strip().lower()
        answer = {"": "n", "yes": "y", "no": "n"}.get(answer, answer)
        if answer in letters:
            return answer
        for letter in letters:
            streams.note(f"{letter}  {_MEANINGS[letter]}")


def _letters(question: ApplyQuestion, waiting: bool) -> list[str]:
    """Those that can be answered here: what is not installed is not offered."""
    packages = {"r": ("textual",), "w": ("starlette", "uvicorn")}
    lacking = {
        letter: question.whole or not all(map(find_spec, needed))
        for letter, needed in packages.items()
    }
    lacking["y"] = waiting
    return [letter for letter in _MEANINGS if not lacking.get(letter)]


def serve_review(
    place: Place,
    state: str | None,
    action_id: str | None,
    selection: Selection,
    *,
    opening: bool = False,
) -> None:
    """Prints the link and serves the page of a plan, or of a part of it, until it ends.

    Where only a person may apply the plan, the link goes to the terminal itself: whoever has
    it can decide. With `opening` the browser shows it at once. Raises `PreconditionError`
    where there is none, or a package is missing.
    """
    with needing("web", "The review page", ("starlette", "uvicorn", "anyio")):
        from astedit.web.application import PageServer
        from astedit.web.open_plan import OpenPlan
    with open_session(place, state, announce=not opening) as session:
        target = named_or_newest(session, action_id).id
    gc.enable()  # switched off for commands, which end soon
    sessions = partial(
        workspace_session,
        place.workspace.root,
        place.state(state),
        who=acting("cli", place.config.actor),
        config=place.config,
    )
    plan = OpenPlan(sessions, target, place.config, selection)
    page = PageServer(plan)
    try:
        _tell(plan, page.link)  # who has it may press Ctrl-C at once
        if opening:
            _open(page.link)
        streams.note(page.run())
    except KeyboardInterrupt:  # the way to end it
        streams.note("The page has ended. Decisions are kept.")
    finally:
        plan.end()


def _open(link: str) -> None:
    """Shows the link in the person's browser, if there is one that can be started."""
    import webbrowser

    with suppress(webbrowser.Error, OSError):  # the link is printed
        webbrowser.open(link)


def _tell(plan: "OpenPlan", link: str) -> None:
    if plan.needs_approval is not None:
        tell(f"Review {plan.id} at {link}", plan.id)
        streams.note("The link was written to the terminal: only a person may use it.")
        return
    streams.text(link)
    streams.flush()
    streams.note(f"Review {plan.id} at this link; it opens once. Ctrl-C ends the page.")
