"""A command's session with the gate: opening it, asking a person, resolving, recovering.

Ids of actions are shown short to a person, and whole to a program. An apply that was killed is
found by one `stat`, without the state file."""

import os
import re
import signal
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, nullcontext
from functools import partial
from typing import TYPE_CHECKING, Any, TextIO, get_args

import click

from astedit.cli.output import streams
from astedit.cli.place import Place, is_within
from astedit.errors import PreconditionError
from astedit.workspace.config import Config
from astedit.workspace.root import STATE_FILE
from resolve.errors import AbortError
from resolve.visible import one_line, visible

if TYPE_CHECKING:
    from astedit.cli.terminal_approval import EndedReview
    from resolve import AbortSignal, PendingAction, Session, ToolResult
    from resolve.recovery import Recovery


def can_ask() -> bool:
    """Whether somebody is there who can be asked."""
    return streams.terminal(sys.stdin) and streams.terminal(sys.stderr)


def reason_of(reason: str | None, settings: Config, unanswered: str) -> str:
    """The reason; where there is none the person is asked, and may answer nothing.

    Raises `click.UsageError` where nobody can be asked, and `AbortError`, which says
    `unanswered`, if the person goes away instead.
    """
    if reason is not None:
        return reason
    if not can_ask():
        yes = ", or -y to take the plan's title" * ("yes" in click.get_current_context().params)
        raise click.UsageError(f"Add --reason TEXT{yes}.")
    usual = f"by {settings.actor or _user()}"
    try:  # whoever sees the question may leave it
        streams.prompt(f"Why? (Enter: {usual}) ")
        line = sys.stdin.readline()
    except KeyboardInterrupt as error:
        raise AbortError(f"Interrupted: {unanswered}") from error
    if not line:
        raise AbortError(f"Not answered: {unanswered}")
    return line.strip() or usual


def sure(question: str) -> bool:
    """Whether a person on the terminal says yes; no where nobody can be asked."""
    if not can_ask():
        return False
    streams.prompt(f"{question} [y/N] ")
    try:
        return sys.stdin.readline().strip().lower() in ("y", "yes")
    except KeyboardInterrupt:
        return False


def _user() -> str:
    from getpass import getuser

    try:
        return getuser()
    except (KeyError, OSError):  # no name is known for this number
        return "a person"


ShowIds = Callable[[str], str]


def shown_on(stream: TextIO | None, session: "Session") -> ShowIds:
    """Rewrites the ids in a text for a stream: on a terminal to the shortest end that is enough."""
    if not streams.terminal(stream):
        return str
    short = all_short(session)
    from resolve.actions import ALPHABET

    name = re.compile(rf"\ba[{ALPHABET}]{{17}}\b")
    return lambda text: name.sub(lambda match: short.get(match[0], match[0]), text)


def all_short(session: "Session") -> dict[str, str]:
    """The short form of the id of every action there is."""
    from resolve.actions import State
    from resolve.stack import short_ids

    return short_ids([action.id for action in session.records.select(get_args(State))])


def staged_notice(
    action_id: str, notice: str | None, session: "Session", place: Place, state_dir: str | None
) -> list[str]:
    """What is said of a staged action: to a person the command that applies it.

    A pipe gets `notice`, the sentence for agents.
    """
    if not streams.terminal(sys.stderr):
        return [notice] if notice else []
    name = shown_on(sys.stderr, session)(action_id)
    verb, _, _ = (notice or "Staged").partition(" as ")
    return [f"{verb} as {name}: no file is changed yet.", _how_to_apply(name, place, state_dir)]


def _how_to_apply(name: str, place: Place, state_dir: str | None) -> str:
    """The command by which a person applies an action, from the working directory."""
    words = [f"astedit apply {name}"]
    if not is_within(place.workspace):
        words.append(f"--root {place.workspace.root}")
    if state_dir is not None:
        words.append(f"--state-dir {state_dir}")
    return f"Apply with: {' '.join(words)}"


_STOPPING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
_UNDECIDED = "Interrupted: no file was changed, and the action is still pending."
_UNCHANGED = "Interrupted: nothing was done."
_WAYS_OUT = """\
hint: Put back what is missing and recover again. If that cannot be, this ends what was interrupted
here by what lies beside the files, each wholly old or new: astedit recover --from-leftovers"""


@contextmanager
def open_session(
    place: Place,
    state: str | None,
    *,
    create: bool = False,
    announce: bool = True,
    codemods: Mapping[str, str] | None = None,
) -> Iterator["Session"]:
    """Opens the workspace's stack; `state` is what --state-dir says.

    Without a state file the stack is empty, and only `create` makes one. `codemods` are
    the classes that the command line names. Raises `RequestError` for a state directory
    inside the root, and `resolve.StoreError` for one that cannot be used.
    """
    from astedit.programs import ANY
    from astedit.staging.workspace_session import acting, workspace_session

    if announce:
        streams.note(f"root: {one_line(place.workspace.root)}")
    with (
        _noted_warnings(),
        workspace_session(
            place.workspace.root,
            place.state(state),
            who=acting("cli", place.config.actor),
            create=create,
            inline=True,
            codemods=codemods,
            config=place.config,
            commands=ANY,
        ) as session,
    ):
        yield session


@contextmanager
def _noted_warnings() -> Iterator[None]:
    """Warnings of what is stored, each as a line of ours."""
    import warnings

    with warnings.catch_warnings():
        warnings.simplefilter("always", UserWarning)
        warnings.showwarning = lambda message, *_: streams.note(f"warning: {message}")
        yield


def named_or_newest(session: "Session", action_id: str | None) -> "PendingAction":
    """The action with this id, in whatever state, or the newest that is pending."""
    action = session.store.find(action_id) if action_id is not None else session.store.peek()
    if action is None:
        raise PreconditionError(
            "Nothing is pending.", code="nothing_pending", hint="See astedit log."
        )
    return action


def resolve_action(
    session: "Session",
    settings: "Config",
    verb: str,
    reason: str,
    target: str | None,
    extra: dict[str, Any] | None = None,
    stop: "AbortSignal | None" = None,
    wait: float = 0,
    *,
    ask: bool = True,
) -> "ToolResult":
    """Resolves one action; Ctrl-C stops it up to the moment it begins to write, and no later.

    One that comes later is kept in `stop`, for whoever goes on to the next action.
    `settings` say whether a person has to approve it first; for `wait` seconds it is left to
    one elsewhere, else the terminal asks if it may (`ask`). Raises `ToolError` when it is
    refused, `AbortError` when it was stopped.
    """
    if ask and verb == "apply" and target is not None and not (extra or {}).get("refresh"):
        _approval(session, settings, target, wait)

    with listening(_UNDECIDED, stop) as signalled, streams.Bar() as session.on_progress:
        return session.resolve(verb, reason, extra, target, signalled)


def apply_accepted(session: "Session", settings: "Config", ended: "EndedReview") -> None:
    """Applies what was accepted of a part, stages again what is undecided, and says so."""
    extra: dict[str, Any] = {"reviewed": True, "undecided": "keep"}
    if ended.selection.only is not None:
        extra["only"] = list(ended.selection.only)
    if ended.selection.exclude:
        extra["exclude"] = list(ended.selection.exclude)
    done = resolve_action(session, settings, "apply", ended.reason or "", ended.action_id, extra)
    streams.text(visible(done.text))


def recover_in(session: "Session") -> "list[Recovery]":
    """Ends what was interrupted; Ctrl-C stops the wait for another apply, and nothing else."""
    with listening(_UNCHANGED) as signalled:
        return session.recover(signalled)


def recover_place(place: Place, state: str | None, *, from_leftovers: bool) -> "list[Recovery]":
    """Recovers, and looks at what lies below the root, too."""
    from astedit.staging.leftover_recovery import recover_from_leftovers, strange_leftovers

    root, state_file = place.workspace.root, os.path.join(place.state(state), STATE_FILE)
    if from_leftovers:
        with listening(_UNCHANGED) as signalled:
            opened = partial(open_session, place, state)
            ended = recover_from_leftovers(opened, root, state_file, signalled)
    else:
        with open_session(place, state) as session:
            ended = recover_in(session)
        if any(recovery.outcome == "blocked" for recovery in ended):
            streams.note(_WAYS_OUT)
    return ended or strange_leftovers(root)


def recover_interrupted(place: Place, state: str | None) -> None:
    """Opens the workspace's stack for that alone: the tree may be a mix."""
    with open_session(place, state, announce=False) as session:
        recover_in(session)


@contextmanager
def listening(why: str, stop: "AbortSignal | None" = None) -> Iterator["AbortSignal"]:
    """Lets the signals that end a process ask for an end, while a file could be half done."""
    from resolve import AbortSignal

    stop = stop or AbortSignal()
    before = {number: signal.signal(number, lambda *_: stop.abort(why)) for number in _STOPPING}
    try:
        yield stop
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _approval(session: "Session", settings: "Config", target: str, wait: float) -> None:
    """Asks a person where the policy wants one and a terminal is there; else the gate refuses."""
    if wait:
        from astedit.staging.approval import await_approval

        with listening(_UNDECIDED) as signalled:
            await_approval(lambda: nullcontext(session), target, settings, wait, signalled)
        return
    from astedit.staging.approval import waits

    if (action := session.records.get(target)) is None or action.state != "pending":
        return
    if action.condition == "outcome_unknown" and sure("It may have run already. Run it again?"):
        session.run_again.add(action.id)
    if waits(action, session, settings):
        from astedit.cli.terminal_approval import ask

        ask(action, session)
