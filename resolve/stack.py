"""The LIFO stack of pending actions: of one session, or of a whole store; ids, and refusals."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from typing import Protocol

from resolve.actions import (
    ALPHABET,
    ENDED_WITHIN,
    FINAL,
    NOTHING_DONE,
    PendingAction,
    State,
    listing,
    stamp,
)
from resolve.errors import ToolError
from resolve.records import Annotate, Move, Push, Remove, StoreChange
from resolve.visible import one_line

RECOVER = (
    "Recover it, by Session.recover or the command of its tool, once what is missing is back "
    "or everything is as it was."
)
SHORTEST = 4  # characters of a short id
_LISTED = 10  # of the actions that a text may mean


class StackRecords(Protocol):
    """What a stack asks of the store below it."""

    def get(self, action_id: str) -> PendingAction | None:
        """Returns any action of the store, in any state and of any session."""

    def alike(self, end: str) -> list[PendingAction]:
        """Returns all actions whose id begins or ends like this, newest first."""

    def select(
        self, states: Sequence[State], session: str | None = None, limit: int | None = None
    ) -> list[PendingAction]:
        """Returns actions in these states (of this session), newest first."""

    def tally(self, session: str | None = None) -> int:
        """Counts the pending actions (of this session)."""

    def commit(self, *changes: StoreChange) -> None:
        """Makes all changes or none."""


class Stack:
    """The pending actions of one session (`scope`), or of the whole store, newest first."""

    scope: str | None = None

    def __init__(self, records: StackRecords, scope: str | None) -> None:
        self._records, self.scope = records, scope

    @property
    def records(self) -> StackRecords:
        """The store below, which is a stack of its own."""
        return self._records

    def get(self, action_id: str) -> PendingAction | None:
        """Returns any action of the store, in any state and of any session."""
        return self.records.get(action_id)

    def find(self, text: str) -> PendingAction:
        """Returns the action with this id or one unambiguous end of it, of any session.

        An end has four or more characters; one that a single pending action has means that.
        """
        end = text.strip().lower()
        if len(end) < SHORTEST or not set(end) <= set(ALPHABET):
            raise unknown(text)
        actions = self.records.alike(end)
        candidates = [action for action in actions if action.state == "pending"] or actions
        if len(candidates) > 1:
            more = "\n…" if len(candidates) > _LISTED else ""
            raise ToolError(
                f"{text} is ambiguous:\n{listing(candidates[:_LISTED])}{more}",
                code="ambiguous",
                hint="Give more characters of the id; its end is what differs most.",
            )
        if not candidates:
            raise unknown(text)
        return candidates[0]

    def push(self, action: PendingAction) -> PendingAction:
        """Puts an action on top; two actions with the same label are two actions."""
        if self.scope is not None:
            action.session = self.scope
        self.records.commit(Push(action))
        return action

    def peek(self) -> PendingAction | None:
        """Returns the newest pending action."""
        newest = self.records.select(("pending",), self.scope, limit=1)
        return newest[0] if newest else None

    def pop(self) -> PendingAction | None:
        """Takes the newest pending action off the stack and returns it."""
        newest = self.peek()
        return self.remove(newest.id) if newest else None

    def remove(self, action_id: str) -> PendingAction | None:
        """Takes a pending action off the stack; None if it is not pending."""
        action = self.get(action_id)
        if action is None or action.state != "pending":
            return None
        self.records.commit(Remove(action_id))
        return action

    def list(self, states: Iterable[State] = ("pending",)) -> list[PendingAction]:
        """Returns the actions in these states, newest first, without their payloads."""
        return self.records.select(tuple(states), self.scope)

    def clear(self) -> None:
        """Takes every pending action off the stack."""
        self.records.commit(*(Remove(action.id) for action in self.list()))

    @property
    def count(self) -> int:
        """How many actions are pending."""
        return self.records.tally(self.scope)

    @property
    def has_pending(self) -> bool:
        """True when at least one action is pending."""
        return self.peek() is not None


# -- short ids ---------------------------------------------------------------------------------


def short_ids(ids: Collection[str]) -> dict[str, str]:
    """Returns for each id the shortest end that means no other one of them."""
    ends = {id: id[-SHORTEST:] for id in ids}
    while shared := _shared(ends):
        ends = {id: id[-len(end) - 1 :] if end in shared else end for id, end in ends.items()}
    return ends


def _shared(ends: dict[str, str]) -> set[str]:
    counts = Counter(ends.values())
    beginnings = {id[:size] for id in ends for size in {*map(len, counts)} if size < len(id)}
    return {end for end, count in counts.items() if count > 1 or end in beginnings}


# -- refusals ----------------------------------------------------------------------------------


def unknown(text: str) -> ToolError:
    """Returns the error for an id that no action has."""
    return ToolError(
        f"There is no action {text!r}.",
        code="unknown_action",
        hint="List the pending actions, and give an id or four characters or more of its end.",
    )


def half_done(action_id: str, why: str) -> ToolError:
    """Returns why an action whose apply was interrupted can be neither discarded nor forgotten."""
    return ToolError(
        f"An apply of {action_id} was interrupted: {why}", code="interrupted", hint=RECOVER
    )


def not_made(change: Move | Annotate, action: PendingAction | None) -> ToolError:
    """Returns why a change cannot be made to an action as it is now."""
    if isinstance(change, Annotate) and action is not None and action.state == "pending":
        return ToolError(
            f"Somebody else changed what is kept beside {change.action_id} meanwhile.",
            code="changed_meanwhile",
            hint="Look at it as it is now, then decide again.",
        )
    return refusal(change.action_id, action)


def refusal(action_id: str, action: PendingAction | None) -> ToolError:
    """Returns why an action cannot be claimed now."""
    if action is None:
        return unknown(action_id)
    at = f"at {stamp(action.resolved_at or action.created_at)}"
    by = f"by {action.resolved_by} {at}"
    if action.state == "lost":
        return ToolError(
            f"{action_id} was already lost {at}, since its process had ended.",
            code="already_resolved",
            hint=f"{NOTHING_DONE[action.reason != ENDED_WITHIN]}; preview the change again.",
        )
    if action.state in FINAL:
        why = one_line(action.reason or "") if action.state == "discarded" else ""
        return ToolError(
            f"{action_id} was already {action.state} {by}.{f' Reason: {why}' if why else ''}",
            code="already_resolved",
            hint="Nothing is left to do for it.",
        )
    return ToolError(
        f"{action_id} is being resolved {by}.",
        code="busy",
        hint="Wait until that has ended, then look at its state.",
    )
