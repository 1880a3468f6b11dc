"""Who may apply a plan: what the policy leaves to a person, and that a person approved it.

An approval is of one fingerprint, and a row of the audit.
"""

import os
import time
from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager
from functools import partial
from typing import NamedTuple

from astedit.errors import AstEditError, OutsideRootError, PreconditionError
from astedit.model.edit import FilePlan
from astedit.model.plan import Plan, PlanOrigin
from astedit.staging.preview import reopened
from astedit.staging.stored import HANDLER, UNDO, Restore, UndoPayload, stored
from astedit.text.source import splice
from astedit.workspace.config import Config, table_of, user_file
from astedit.workspace.gitignore import Globs
from astedit.workspace.path_policy import GOVERNING, PROJECT, plain_name
from astedit.workspace.root import Workspace, content_with_hash
from resolve import AbortSignal, PendingAction, Session
from resolve.records import AuditRow
from resolve.state import SessionState
from resolve.visible import one_line

Texts = tuple[bytes | None, bytes | None]
"""What a file holds before and after; None for one of them that cannot be known."""


def _governing(
    changes: Iterable[tuple[str, Callable[[], Texts]]], workspace: Workspace
) -> str | None:
    """The first of these files whose change governs the gate; None if there is none."""
    # Links of these names lead to files, too; a configuration of the user's may lie in the root.
    whole = {_target(workspace, name) for name in GOVERNING}
    whole.add(os.path.relpath(os.path.realpath(user_file()), workspace.root))
    project = _target(workspace, PROJECT)
    for path, texts in changes:
        name = plain_name(path)
        if name in GOVERNING or path in whole:
            return path
        if (name == PROJECT or path == project) and _table_differs(*texts()):
            return path
    return None


def _target(workspace: Workspace, name: str) -> str:
    try:
        return workspace.resolve(name)
    except OutsideRootError:
        return name


def _table_differs(before: bytes | None, after: bytes | None) -> bool:
    if before is None or after is None:
        return True
    try:
        return table_of(before, PROJECT) != table_of(after, PROJECT)
    except AstEditError:
        return True


def _edited(file: FilePlan, path: str, workspace: Workspace) -> Texts:
    """What the file holds at this path; an empty file says what no file says: nothing."""
    from astedit.staging.plan_contents import present_content  # most plans change no such file

    if (before := present_content(file, workspace)) is None:
        return None, None
    after = splice(before, file.changes)
    if file.operation != "move":
        return before, after
    return (before, b"") if path == file.source else (b"", after)


def _restored(file: Restore, workspace: Workspace, session: SessionState) -> Texts:
    before = content_with_hash(workspace, file.path, file.expected)
    return before, None if file.restore is None else session.records.image(file.restore)


_LOOK = 0.2  # seconds between two looks
LONGEST = 86_400.0  # seconds that a call may wait


def await_approval(
    open_session: Callable[[], AbstractContextManager[Session]],
    action_id: str,
    settings: Config,
    seconds: float,
    signal: AbortSignal | None = None,
) -> None:
    """Returns once the action needs no approval any more, or the time is over.

    It is approved then, denied, or ended otherwise: an apply says which. The store is opened
    for each look, so that nobody else has to wait. Raises `AbortError` when `signal` says so.
    """
    end = time.monotonic() + min(seconds, LONGEST)
    while True:
        with open_session() as session:
            action = session.records.get(action_id)
            if action is None or action.state != "pending":
                return
            if not waits(action, session, settings):
                return
        if time.monotonic() >= end:
            return
        if signal is not None:
            signal.throw_if_aborted()
        time.sleep(min(_LOOK, max(end - time.monotonic(), 0)))


class ApprovalSubject(NamedTuple):
    """What is to be decided about: a fingerprint, the files written, and where it was staged.

    `governing` is one of the files, if its change decides about approvals themselves.
    """

    fingerprint: str
    paths: list[str]
    origin: PlanOrigin | None = None
    governing: str | None = None


def plan_subject(plan: Plan, workspace: Workspace) -> ApprovalSubject:
    """Returns what a plan, or a part of one, is about."""
    places = [(file, path) for file in plan.files for path in file.paths]
    texts = [partial(_edited, file, path, workspace) for file, path in places]
    paths = [path for _, path in places]
    governing = _governing(zip(paths, texts, strict=True), workspace)
    return ApprovalSubject(plan.fingerprint, paths, plan.origin, governing)


def undo_subject(undo: UndoPayload, workspace: Workspace, session: SessionState) -> ApprovalSubject:
    """Returns what an undo is about."""
    paths = [file.path for file in undo.files]
    texts = [partial(_restored, file, workspace, session) for file in undo.files]
    governing = _governing(zip(paths, texts, strict=True), workspace)
    return ApprovalSubject(undo.fingerprint, paths, undo.origin, governing)


def allowed(
    subject: ApprovalSubject, action: PendingAction, session: SessionState, settings: Config
) -> None:
    """Raises `PreconditionError` unless the policy lets this be applied.

    What is a person's to decide needs an approval of that fingerprint; it covers any part.
    """
    why = reserved(subject, settings)
    if why is None or approved(action.id, subject.fingerprint, session):
        return
    raise PreconditionError(
        f"The policy wants a person to approve this ({why} theirs to decide).",
        code="approval_missing",
        hint=f"A person runs, on a terminal: astedit approve {action.id}",
    )


def reserved(subject: ApprovalSubject, settings: Config) -> str | None:
    """What of it only a person may decide, as `… is`; None if an agent may.

    The stricter of the configuration now and when it was staged counts: who can relax it in
    between could otherwise decide alone.
    """
    if subject.governing is not None:
        return f"{one_line(subject.governing)}, which governs approvals, is"
    then = subject.origin or settings
    for human_paths in (settings.human_paths, then.human_paths):
        guarded = Globs(human_paths)
        asked = next((path for path in subject.paths if guarded.verdict(path) is True), None)
        if asked is not None:
            return f"{one_line(asked)} is"
    return "every edit here is" if "human" in (settings.policy, then.policy) else None


def decided(action: PendingAction, session: SessionState) -> ApprovalSubject:
    """What an approval of this action is about."""
    if action.kind == HANDLER:
        plan = stored(session, action)
        with reopened(plan.root, plan.origin) as workspace:
            return plan_subject(plan, workspace)
    if action.kind != UNDO:
        raise PreconditionError(f"{action.id} ({action.kind}) holds no plan.", code="no_plan")
    undo = UndoPayload.unpacked(session.records.payload(action.id))
    with reopened(undo.root, undo.origin) as workspace:
        return undo_subject(undo, workspace, session)


def approved(action_id: str, mark: str, session: SessionState) -> bool:
    """Whether a person approved this very fingerprint."""
    rows = session.records.audit(action_id=action_id, outcome="approved")
    return any(row.code == mark for row in rows)


def waits(action: PendingAction, session: SessionState, settings: Config) -> bool:
    """Whether an apply waits for a person's approval; not of what an apply would refuse anyway."""
    try:
        subject = decided(action, session)
    except AstEditError:
        return False
    needed = reserved(subject, settings) is not None
    return needed and not approved(action.id, subject.fingerprint, session)


def approve(
    action: PendingAction, mark: str, session: Session, reason: str = "approved on a terminal"
) -> None:
    """Records a person's approval of a fingerprint; the audit is never rewritten."""
    session.records.commit(AuditRow.of(action, session.who, reason, "approved", code=mark))
