"""What is known of an apply of a part: its label, and which edits were not made.

It is kept in the action's details, and in the intent meanwhile, so that an apply that was
killed is recorded as what it did.
"""

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass
from typing import Any, NamedTuple, Self

from astedit.errors import RequestError
from astedit.model.plan import Plan
from astedit.review.selectors import ALL, Selection, ids_of, part_of
from astedit.staging.selection import parted
from resolve import PendingAction
from resolve.handlers import Context
from resolve.state import SessionState

_KEY = "notApplied"  # of an action's details: the ids of the edits that were not made
_DONE = "done"  # of an intent
_PART_STATES = ("applied", "landed", "undone")


def left_out(rest: list[dict[str, str]]) -> dict[str, Any]:
    """What the details of an action say of the edits that were not made."""
    return {_KEY: [each["id"] for each in rest]} if rest else {}


@dataclass(frozen=True, slots=True)
class PartJournal:
    """The journal of an apply of a part: its intent also says what the part is."""

    context: Context
    label: str
    details: Mapping[str, Any]
    kept: Sequence[str] = ()

    @classmethod
    def of(
        cls,
        context: Context,
        label: str,
        part: Plan,
        rest: list[dict[str, str]],
        kept: Set[str] = frozenset(),
    ) -> Self:
        """The journal of this part; `rest` are the other edits, as `{id, path}`.

        Those of them that are `kept` are staged again when it is applied.
        """
        counts = {"replacements": part.total_replacements, "files": part.files_touched}
        known = dict(context.action.notes)
        details = known | counts | {_KEY: [each["id"] for each in rest]}
        context.record_done(label, details)
        return cls(context, label, details, sorted(kept))

    def commit_intent(self, intent: Mapping[str, Any], images: Mapping[str, bytes]) -> None:
        """Stores both in one transaction, with what the part is."""
        done = {"label": self.label, "details": self.details, "kept": self.kept}
        self.context.commit_intent({**intent, _DONE: done}, images)

    def withdraw_intent(self) -> None:
        """Forgets the intent: every file is as before."""
        self.context.withdraw_intent()

    def image(self, sha256: str) -> bytes | None:
        """A stored image, of any action."""
        return self.context.image(sha256)


class RecoveredPart(NamedTuple):
    """Which edits an apply was of that recovery has finished, and which it was to keep."""

    applied: set[str]
    kept: set[str]


def record_recovered(plan: Plan, intent: Any, context: Context) -> RecoveredPart | None:
    """Records which part of the plan was applied; returns it, None for all of the plan."""
    done = intent.get(_DONE) if isinstance(intent, dict) else None
    if done is None:
        return None
    context.record_done(done["label"], done["details"])
    left, kept = done["details"][_KEY], done.get("kept", ())
    return RecoveredPart(ids_of(plan).difference(left), set(kept))


def shown_part(
    plan: Plan, action: PendingAction, session: SessionState, selection: Selection = ALL
) -> Plan:
    """What is shown of a stored plan: what was applied of it, if it was, and of that a part.

    Raises `RequestError` as `part_of` does.
    """
    left = action.notes.get(_KEY) if action.state in _PART_STATES else None
    part, rest = parted(plan, part_of(plan, selection).difference(left or ()))
    if not rest:
        return plan
    if not part.files:
        raise RequestError("No edit is left.", code="empty_choice", hint="It was not applied.")
    rows = session.records.audit(action_id=action.id, outcome="applied", limit=1)
    after = {file["path"]: file["after"] for row in rows for file in row.files}
    for file in part.files:
        file.after_hash = file.after_hash or after.get(file.path)
    return part
