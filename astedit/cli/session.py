"""A command's session with the gate: on the command line a session is the workspace."""

import os
import signal
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from astedit.cli.output import streams
from astedit.cli.place import Place
from astedit.workspace.root import Workspace

if TYPE_CHECKING:
    from resolve import AbortSignal, Session, SqliteStore, ToolResult
    from resolve.recovery import Recovery

_STOPPING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
_UNDECIDED = "Interrupted: no file was changed, and the action is still pending."
_UNCHANGED = "Interrupted: nothing was done."


@contextmanager
def session(
    found: Place,
    state: str | None,
    *,
    create: bool = False,
    announce: bool = True,
    codemods: Mapping[str, str] | None = None,
) -> Iterator["Session"]:
    """Opens the workspace's stack; without a state file it is empty, and only
    `create` makes one. Raises `RequestError` for a state directory inside the root, and
    `resolve.StoreError` for one that cannot be used. `codemods` are the classes that the
    command line names."""
    from astedit.staging.ast_edit import HANDLER, AstEdit
    from resolve import MemoryStore, Session, SqliteStore, handlers

    handlers.register(HANDLER)(AstEdit(inline=True, codemods=codemods))
    if not create:  # what only stages is spared the import
        from astedit.staging import undo

        handlers.register(undo.HANDLER)(undo.Undo())
    workspace, who = found.workspace, _who(found.config.actor)
    if announce:
        streams.note(f"root: {streams.name(workspace.root)}")
    path = os.path.join(found.state(state), "state.db")
    if not create and not os.path.exists(path):
        yield Session(MemoryStore(), workspace=True, who=who)
        return
    store = SqliteStore(path)
    try:
        if create:
            _describe(store, workspace)
        yield Session(store, lock=workspace.root, workspace=True, who=who)
    finally:
        store.close()


def resolve(
    session: "Session",
    verb: str,
    reason: str,
    target: str | None,
    extra: dict[str, Any] | None = None,
    asked: "AbortSignal | None" = None,
) -> "ToolResult":
    """Resolves one action; Ctrl-C stops it up to the moment it begins to write, and no later.

    One that comes later is kept in `asked`, for whoever goes on to the next action. Raises
    `ToolError` when the action is refused, `AbortError` when it was stopped.
    """
    if verb == "apply" and target is not None and not (extra or {}).get("refresh"):
        _approval(session, target)
    from astedit.cli.output.progress_bar import Bar

    with _listening(_UNDECIDED, asked) as signalled, Bar() as session.on_progress:
        return session.resolve(verb, reason, extra, target, signalled)


def recover(session: "Session") -> "list[Recovery]":
    """Ends what was interrupted; Ctrl-C stops the wait for another apply, and nothing else."""
    with _listening(_UNCHANGED) as signalled:
        return session.recover(signalled)


@contextmanager
def _listening(said: str, asked: "AbortSignal | None" = None) -> Iterator["AbortSignal"]:
    """Lets the signals that end a process ask for an end, while a file could be half done."""
    from resolve import AbortSignal

    asked = asked or AbortSignal()
    before = {number: signal.signal(number, lambda *_: asked.abort(said)) for number in _STOPPING}
    try:
        yield asked
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _approval(session: "Session", target: str) -> None:
    """Asks a person where the policy wants one and a terminal is there; else the gate refuses."""
    from astedit.errors import AstEditError
    from astedit.staging.approval import approved, decided, reserved
    from astedit.workspace.config import load

    action, root = session.records.get(target), session.lock.directory
    if action is None or action.state != "pending" or root is None:
        return
    with Workspace(root) as workspace:
        settings = load(workspace)
    if settings.policy == "agent" and not settings.human_paths:
        return
    try:
        mark, paths = decided(action, session)
    except AstEditError:
        return  # the gate says what is wrong with it
    if reserved(paths, settings) is not None and not approved(target, mark, session):
        from astedit.cli.commands.approve import ask

        ask(action, session)


def _describe(store: "SqliteStore", workspace: Workspace) -> None:
    """Notes which directory the state is of, for a person who finds the file."""
    status = os.fstat(workspace.fd)
    known = {"path": workspace.root, "device": str(status.st_dev), "inode": str(status.st_ino)}
    for key, value in known.items():
        if store.meta(key) != value:
            store.set_meta(key, value)


def _who(actor: str | None) -> str:
    """`cli`, and the name that ASTEDIT_ACTOR adds."""
    return f"cli:{actor}" if actor else "cli"
