"""Who may apply a plan: what the policy leaves to a person, and that a person approved it.

An approval is of one fingerprint, and a row of the audit.
"""

from typing import NamedTuple

from astedit.errors import AstEditError, PreconditionError
from astedit.model.origin import PlanOrigin
from astedit.model.plan import Plan
from astedit.staging.gate_config_edits import governing_edit, governing_undo
from astedit.staging.origin import reopened
from astedit.staging.payload import HANDLER
from astedit.staging.stored_plan import stored
from astedit.staging.undo_payload import HANDLER as UNDO
from astedit.staging.undo_payload import UndoPayload
from astedit.workspace.config import Config
from astedit.workspace.gitignore import Globs
from astedit.workspace.root import Workspace
from resolve import PendingAction, Session
from resolve.records import AuditRow
from resolve.state import SessionState
from resolve.visible import one_line


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
    paths = [path for file in plan.files for path in file.paths]
    return ApprovalSubject(plan.fingerprint, paths, plan.origin, governing_edit(plan, workspace))


def undo_subject(undo: UndoPayload, workspace: Workspace, session: SessionState) -> ApprovalSubject:
    """Returns what an undo is about."""
    paths, governing = [file.path for file in undo.files], governing_undo(undo, workspace, session)
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
    row = AuditRow(action.id, action.kind, action.label, session.who, reason, "approved", mark)
    session.records.commit(row)
