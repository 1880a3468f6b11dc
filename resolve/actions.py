"""`PendingAction`, its states and the legal moves between them."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, Literal

State = Literal[
    "pending", "applying", "applied", "landed", "discarded", "superseded", "lost", "undone"
]
Callback = Callable[..., Any]

FINAL = frozenset({"applied", "landed", "discarded", "superseded", "lost", "undone"})
MOVES = frozenset(
    {
        ("pending", "applying"),
        ("pending", "pending"),
        ("pending", "discarded"),
        ("pending", "lost"),
        ("pending", "superseded"),
        ("applying", "pending"),
        ("applying", "applied"),
        ("applying", "landed"),
        ("applying", "discarded"),
        ("applying", "superseded"),
        ("applied", "undone"),
        ("undone", "applied"),
    }
)
CONDITIONS = frozenset({"stale", "handler_missing", "held", "blocked"})

ENDED_WITHIN = "its process ended while it was applied"  # why an action is lost
NOTHING_DONE = ("It may have run already", "Nothing of it was done")  # of a lost one
DISCARDING = "discarding"  # the condition of a claim that is no apply

ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"  # Crockford base32, lower case
_clock = threading.Lock()
_last_ms = 0


class Condition(str):
    """The name of a condition (`action.condition == "stale"`), with its sentence."""

    sentence: str

    def __new__(cls, name: str, sentence: str = "") -> Condition:
        self = super().__new__(cls, name)
        self.sentence = sentence or name
        return self


def new_id() -> str:
    """Returns 18 characters that sort by creation, cannot be guessed, and are no number.

    Two ids of one process never share a millisecond: a burst runs ahead of the
    clock instead, so that the order of creation is also the order of the ids.
    """
    global _last_ms
    with _clock:
        _last_ms = max(time.time_ns() // 1_000_000, _last_ms + 1)
        stamp = _last_ms
    return f"a{_base32(stamp, 9)}{_base32(int.from_bytes(os.urandom(5), 'big'), 8)}"


def _base32(number: int, width: int) -> str:
    return "".join(ALPHABET[number >> 5 * place & 31] for place in reversed(range(width)))


def now() -> datetime:
    """Returns the time as the stores keep it: UTC, to the millisecond."""
    moment = datetime.now(UTC)
    return moment.replace(microsecond=moment.microsecond // 1000 * 1000)


@dataclass(slots=True)
class PendingAction:
    """A change that was previewed and waits for `apply` or `discard`.

    *Durable* when `handler` names a registered handler: any later process can apply it,
    with the payload that the store keeps. Otherwise *volatile*: `apply` and `reject` are
    plain callbacks that live as long as their process.

    What a store hands out is a snapshot; only the store changes the stored row.
    """

    label: str
    apply: Callback | None = None
    reject: Callback | None = None
    source_tool_name: str = "custom_tool"
    details: Any = None
    id: str = field(default_factory=new_id)
    created_at: datetime = field(default_factory=now)
    state: State = "pending"
    condition: Condition | None = None
    handler: str | None = None
    session: str = ""
    on_apply_error: Callback | None = None
    resolved_at: datetime | None = None
    resolved_by: str | None = None
    reason: str | None = None

    @property
    def durable(self) -> bool:
        """True when a later process can apply it."""
        return self.handler is not None

    @property
    def notes(self) -> Mapping[str, Any]:
        """The details, where they are an object; any JSON value may stand there."""
        return self.details if isinstance(self.details, Mapping) else {}

    @property
    def title(self) -> str:
        """What it does, in a few words; where nothing says that, its label."""
        title = self.notes.get("title")
        return title if isinstance(title, str) and title else self.label

    @property
    def kind(self) -> str:
        """The handler's name, or the source tool of a volatile action."""
        return self.handler or self.source_tool_name

    def to_json(self) -> dict[str, Any]:
        """Returns what every surface lists, in camelCase; callbacks and payload stay out."""
        row: dict[str, Any] = {
            "id": self.id,
            "label": self.label,
            "title": self.title,
            "kind": self.kind,
            "sourceToolName": self.source_tool_name,
            "session": self.session,
            "createdAt": stamp(self.created_at),
            "state": self.state,
            "details": dict(self.details) if isinstance(self.details, Mapping) else self.details,
            "condition": None,
        }
        if self.condition is not None:
            row["condition"] = {"name": str(self.condition), "sentence": self.condition.sentence}
        if self.resolved_at is not None:
            row["resolvedAt"] = stamp(self.resolved_at)
            row["resolvedBy"] = self.resolved_by
            row["reason"] = self.reason
        return row


def stamp(moment: datetime) -> str:
    """Returns a time as people and JSON read it: `2026-11-21T22:13:04.120Z`."""
    return moment.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def listing(actions: Iterable[PendingAction]) -> str:
    """Returns one line an action, as errors and `pending` show them."""
    from resolve.visible import visible

    return "\n".join(f"{action.id}  {visible(action.label)}" for action in actions)
