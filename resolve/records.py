"""What a store writes: the rows, and the changes that one transaction makes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal, NamedTuple

from resolve.actions import Condition, PendingAction, State, now, stamp

RecordKind = Literal["call", "result", "message", "snapshot"]
Origin = Literal["user", "assistant", "background", "system"]


@dataclass(slots=True)
class AuditRow:
    """One resolution, as it was: never rewritten, never removed.

    `outcome` is the state it led to (`applied`, `discarded`, `superseded`, `lost`,
    `undone`) or `failed`; then `code` and `text` say why. `files` holds
    `{path, before, after}` with hashes, or None where a file was absent.
    """

    action_id: str | None
    kind: str
    label: str
    who: str
    reason: str
    outcome: str
    code: str | None = None
    text: str = ""
    files: Sequence[Mapping[str, Any]] = ()
    session: str = ""
    call_id: str | None = None
    time: datetime = field(default_factory=now)
    seq: int = 0

    @classmethod
    def of(
        cls, action: PendingAction, who: str, reason: str, outcome: str, **fields: Any
    ) -> AuditRow:
        """Returns the row of an action."""
        return cls(action.id, action.kind, action.label, who, reason, outcome, **fields)

    def to_json(self) -> dict[str, Any]:
        """Returns the row as `log --json` prints it."""
        return {
            "seq": self.seq,
            "time": stamp(self.time),
            "actionId": self.action_id,
            "kind": self.kind,
            "label": self.label,
            "who": self.who,
            "reason": self.reason,
            "outcome": self.outcome,
            "code": self.code,
            "text": self.text,
            "files": [dict(file) for file in self.files],
            "session": self.session,
        }


@dataclass(slots=True)
class Record:
    """One entry of a session's exchange log; `body` is strict JSON."""

    session: str
    kind: RecordKind
    call_id: str | None
    body: dict[str, Any]
    seq: int = 0


class Claim(NamedTuple):
    """An action in `applying`: which session and call claimed it, and under the apply lock?"""

    action_id: str
    session: str
    locked: bool
    call_id: str | None = None


class Push(NamedTuple):
    """Adds an action on top of the stack, or in the place of the one it replaces."""

    action: PendingAction
    payload: str | None = None
    replaces: str | None = None


class Move(NamedTuple):
    """Changes the state, if it still is `source`; refused otherwise (compare and set).

    `label` and `details` take the place of the action's, unless they are None.
    """

    action_id: str
    source: State
    target: State
    condition: Condition | None = None
    who: str | None = None
    reason: str | None = None
    claim: Claim | None = None
    label: str | None = None
    details: Mapping[str, Any] | None = None


class Remove(NamedTuple):
    """Takes a pending action off the stack without a trace."""

    action_id: str


class SaveIntent(NamedTuple):
    """Commits what recovery needs: the commit point of an apply."""

    action_id: str
    intent: str
    images: Mapping[str, bytes]


class DropIntent(NamedTuple):
    """Ends an intent; its images stay."""

    action_id: str


class Annotation(NamedTuple):
    """What a surface keeps beside an action under a key; `body` is strict JSON."""

    key: str
    body: dict[str, Any]
    revision: int


class Annotate(NamedTuple):
    """Keeps bodies beside a pending action, all under its next revision (compare and set).

    Refused if one of these keys was written after revision `seen`, by whomever.
    """

    action_id: str
    bodies: Mapping[str, Mapping[str, Any]]
    seen: int


class Compact(NamedTuple):
    """Replaces the records of a session up to `seq` by one snapshot."""

    snapshot: Record
    up_to: int


StoreChange = (
    Push | Move | Remove | Annotate | SaveIntent | DropIntent | Compact | AuditRow | Record
)
