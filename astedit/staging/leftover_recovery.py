"""The recovery that a person asks for when nothing can be proven any more.

An interrupted apply whose state is lost, or whose files nobody could put back, is ended by
what lies below the root. What lies there was written by anybody: only applies that were
announced as open beside the state file are ended, and their ids cannot be guessed.
"""

from collections.abc import Callable
from contextlib import AbstractContextManager, closing
from functools import partial
from pathlib import Path

from astedit.staging.outcome import recovered
from astedit.staging.stored import HANDLER
from astedit.staging.workspace_session import leftovers_below
from astedit.transaction.leftovers import end_leftovers, find_leftovers
from astedit.transaction.recovery import listed
from astedit.workspace.root import Workspace
from resolve import PendingAction, Session, StoreError
from resolve.abort import AbortSignal
from resolve.handlers import Recovered
from resolve.locks import ApplyLock
from resolve.records import AuditRow
from resolve.recovery import Recovery, conclude
from resolve.storage.marker import announce, interrupted

Opened = Callable[[], AbstractContextManager[Session]]
_REASON = "recover --from-leftovers"
_NOTHING = "Nothing of it lies below the root; it is forgotten, and no file was touched."
_DELETIONS = (
    " A file that it was to delete leaves nothing beside it before that: look whether one still "
    "stands."
)
_STRANGE = "This lies beside files, and nothing that is stored here knows of it:"
_COMPARE = (
    "If its state is elsewhere, name that with --state-dir and recover again. Else compare each "
    "with its file, keep what you want, and delete it."
)


def recover_from_leftovers(
    opened: Opened, root: str, state_file: str, signal: AbortSignal | None = None
) -> list[Recovery]:
    """Recovers as ever, and ends what that cannot end by what lies below the root.

    `opened` opens the session of the workspace. May be killed and run again.
    """
    with closing(ApplyLock(root).hold(signal)), Workspace(root) as workspace:
        try:
            with opened() as session:
                return _recover_known(session, workspace)
        except StoreError as error:
            ids = interrupted(state_file)
            if error.code != "store_damaged" or not ids:
                raise
        return _recover_announced(ids, workspace, Path(state_file))


def strange_leftovers(root: str) -> list[Recovery]:
    """What lies below the root though nothing is stored of it, as something to look at."""
    lines: dict[str, list[str]] = {}
    for leftover in leftovers_below(root):
        lines.setdefault(leftover.sibling.action, []).append(leftover.describe())
    return [
        Recovery(_unknown(action), "blocked", f"{_STRANGE}{listed(lines[action])}\n{_COMPARE}")
        for action in sorted(lines)
    ]


def _recover_known(session: Session, workspace: Workspace) -> list[Recovery]:
    """By a state file that can be read: first what it has lost, then what it knows."""
    try:
        session.records.refuse_lost()
    except StoreError as error:
        if error.code != "store_lost":
            raise
    lost = map(_unknown, session.records.lost())
    ended = [_end(action, workspace, partial(_forget, session, action)) for action in lost]
    if session.records.lost():  # one that is blocked: nothing else can be recovered before
        return ended
    for recovery in session.recover():
        if recovery.outcome == "blocked":
            action = recovery.action
            recovery = _end(action, workspace, partial(conclude, session, action))
        ended.append(recovery)
    return ended


def _recover_announced(ids: list[str], workspace: Workspace, state_file: Path) -> list[Recovery]:
    """Without a state file that can be read; it is kept as it is."""
    ended = [_end(_unknown(action_id), workspace, lambda done: None) for action_id in ids]
    announce(state_file, [one.action.id for one in ended if one.outcome == "blocked"])
    return ended


def _forget(session: Session, action: PendingAction, done: Recovered) -> None:
    """Records how an apply has ended of which nothing is stored."""
    applied = done.outcome == "applied"
    row = AuditRow.of(
        action,
        session.who,
        _REASON,
        "applied" if applied else "failed",
        code="recovered_from_leftovers",
        text=done.text,
        files=done.files if applied else (),
        session=session.id,
    )
    session.records.forget_lost(action.id, row)


def _end(
    action: PendingAction, workspace: Workspace, record: Callable[[Recovered], None]
) -> Recovery:
    """Ends an apply by what lies below the root; `record` notes it, unless it is blocked."""
    ended = end_leftovers(workspace.fd, find_leftovers(workspace.fd), [action.id])
    done = Recovered("untouched", _NOTHING + listed(ended.trouble))
    if ended.steps:
        done = recovered(ended, _DELETIONS if ended.outcome == "applied" else "")
    if done.outcome != "blocked":
        record(done)
    return Recovery(action, done.outcome, done.text)


def _unknown(action: str) -> PendingAction:
    """Stands for an action of which nothing but its id is known."""
    label = "what was staged is lost"
    return PendingAction(label=label, id=action, source_tool_name=HANDLER, handler=HANDLER)
