"""Who may apply a plan: what the policy leaves to a person, and that a person approved it.

An approval is of one fingerprint, and a row of the audit.
"""

from collections.abc import Iterable

from astedit.errors import PreconditionError
from astedit.staging.payload import HANDLER
from astedit.staging.stored_plan import stored
from astedit.staging.undo_payload import HANDLER as UNDO
from astedit.staging.undo_payload import UndoPayload
from astedit.workspace.config import Config
from astedit.workspace.gitignore import Globs
from resolve import PendingAction, Session
from resolve.records import AuditRow
from resolve.state import SessionState
from resolve.visible import one_line


def allowed(
    paths: Iterable[str], mark: str, action: PendingAction, session: SessionState, settings: Config
) -> None:
    """Raises `PreconditionError` unless the policy lets this fingerprint be applied.

    What is a person's to decide needs an approval of `mark` itself; it covers any part.
    """
    why = reserved(paths, settings)
    if why is None or approved(action.id, mark, session):
        return
    raise PreconditionError(
        f"The policy wants a person to approve this ({why} theirs to decide).",
        code="approval_missing",
        hint=f"A person runs, on a terminal: astedit approve {action.id}",
    )


def reserved(paths: Iterable[str], settings: Config) -> str | None:
    """What of these files only a person may decide, as `… is`; None if an agent may."""
    guarded = Globs(settings.human_paths)
    asked = next((path for path in paths if guarded.verdict(path) is True), None)
    if asked is not None:
        return f"{one_line(asked)} is"
    return "every edit here is" if settings.policy == "human" else None


def decided(action: PendingAction, session: SessionState) -> tuple[str, list[str]]:
    """The fingerprint that an approval of this action is of, and the files it writes."""
    if action.kind == HANDLER:
        plan = stored(session, action)
        return plan.fingerprint, [file.path for file in plan.files]
    if action.kind != UNDO:
        raise PreconditionError(f"{action.id} ({action.kind}) holds no plan.", code="no_plan")
    undoing = UndoPayload.unpacked(session.records.payload(action.id))
    return undoing.fingerprint, [file.path for file in undoing.files]


def approved(action_id: str, mark: str, session: SessionState) -> bool:
    """Whether a person approved this very fingerprint."""
    rows = session.records.audit(action_id=action_id, outcome="approved")
    return any(row.code == mark for row in rows)


def approve(action: PendingAction, mark: str, session: Session) -> None:
    """Records a person's approval of a fingerprint; the audit is never rewritten."""
    reason = "approved on a terminal"
    row = AuditRow(action.id, action.kind, action.label, session.who, reason, "approved", mark)
    session.records.commit(row)
