"""The LIFO stack of pending actions: of one session, or of a whole store."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from typing import Protocol

from resolve.actions import PendingAction, State
from resolve.records import Push, Remove, StoreChange


class Records(Protocol):
    """What a stack asks of the store below it."""

    def commit(self, *changes: StoreChange) -> None:
        """Makes all changes or none."""

    def select(
        self, states: Sequence[State], session: str | None = None, limit: int | None = None
    ) -> list[PendingAction]:
        """Returns actions in these states (of this session), newest first."""

    def tally(self, session: str | None = None) -> int:
        """Counts the pending actions (of this session)."""


class Stack(ABC):
    """The pending actions of one session, or of the whole store, newest first."""

    @property
    @abstractmethod
    def records(self) -> Records:
        """The store below."""

    @property
    @abstractmethod
    def scope(self) -> str | None:
        """The session whose actions these are; None: all of them."""

    @abstractmethod
    def get(self, action_id: str) -> PendingAction | None:
        """Returns any action of the store, in any state and of any session."""

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
