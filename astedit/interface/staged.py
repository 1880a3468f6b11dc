"""What a program has staged through an open workspace, and how it decides on it."""

from collections.abc import Iterable
from dataclasses import fields
from typing import Any, Protocol, Self

from astedit.errors import PreconditionError
from astedit.model.plan import Plan
from astedit.review.selectors import Undecided
from resolve import PendingAction, ToolResult


class Resolving(Protocol):
    """Who resolves what is staged."""

    def resolve(
        self, action: str, target: str, reason: str, extra: Any = None, wait: float = 0
    ) -> ToolResult:
        """Applies or discards one action; raises `AstEditError` with nothing written."""


class StagedPlan(Plan):
    """A plan that waits for `apply` or `discard`, if it replaces anything."""

    _gate: Resolving

    @classmethod
    def of(cls, plan: Plan, gate: Resolving) -> Self:
        """The same plan, tied to the gate that it was staged through."""
        staged = cls.__new__(cls)
        for each in fields(plan):
            if each.name != "shapes":  # made when somebody asks
                setattr(staged, each.name, getattr(plan, each.name))
        staged._gate = gate
        return staged

    def apply(
        self,
        reason: str,
        *,
        only: Iterable[str] | None = None,
        exclude: Iterable[str] | None = None,
        reviewed: bool = False,
        undecided: Undecided | None = None,
        keep_rest: bool = False,
        wait: float = 0,
    ) -> ToolResult:
        """Writes what was previewed, or the part of it that `only` and `exclude` choose.

        With `reviewed` only what was accepted in a review; `undecided` says what becomes of the
        other edits. With `keep_rest` what is not applied is staged again, as a plan of its own.
        Where a person has to approve it, the call waits for so many seconds at most.

        They hold edit ids, path globs, `FILE:LINE`, `shape:N`, `rule:ID` and `op:N`; without
        `only` all edits are chosen, with an empty one none, which is refused. Raises
        `RequestError` for a choice of no edit, `StaleError` when the tree has changed, and
        `PreconditionError` for anything else in the way; nothing is written then.
        """
        chosen = {"only": only, "exclude": exclude}
        extra: dict[str, Any] = {
            key: list(value) for key, value in chosen.items() if value is not None
        }
        asked = {"reviewed": reviewed, "undecided": undecided, "keepRest": keep_rest}
        extra |= {key: value for key, value in asked.items() if value}
        result = self._gate.resolve("apply", self._id, reason, extra or None, wait)
        self.applied, self.notice = True, result.text
        return result

    def discard(self, reason: str) -> ToolResult:
        """Drops the plan; nothing is written."""
        return self._gate.resolve("discard", self._id, reason)

    @property
    def _id(self) -> str:
        if self.action_id is None:
            raise PreconditionError(
                "The plan replaces nothing, so nothing was staged.",
                code="nothing_staged",
                hint="Look at its `hints`, `blocked` and `near`.",
            )
        return self.action_id


class StagedUndo:
    """The inverse of an applied action, waiting for `apply` or `discard`."""

    def __init__(self, action: PendingAction, patch: bytes, gate: Resolving) -> None:
        self.action_id = action.id
        self.label = action.label
        self._patch = patch
        self._gate = gate

    def diff(self) -> str:
        """What would be put back, as a unified diff; bytes that are not UTF-8 as surrogates."""
        return self._patch.decode("utf-8", "surrogateescape")

    def apply(self, reason: str) -> ToolResult:
        """Puts every file back; `StaleError` with nothing written if one was edited since."""
        return self._gate.resolve("apply", self.action_id, reason)

    def discard(self, reason: str) -> ToolResult:
        """Drops the undo; nothing is written."""
        return self._gate.resolve("discard", self.action_id, reason)

    def __repr__(self) -> str:
        return f"StagedUndo({self.action_id}: {self.label})"
