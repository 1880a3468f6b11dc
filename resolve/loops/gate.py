"""What the model is asked, and forced, to do about the actions that are pending."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from resolve.actions import PendingAction, listing
from resolve.errors import GateIgnored, ToolError
from resolve.loops.choice import Choice, Directive, Provider, ToolChoiceQueue, forced
from resolve.results import ToolResult
from resolve.stack import Stack

Policy = Literal["soft", "forced"]
Resolve = Callable[[Mapping[str, Any]], Awaitable[ToolResult]]

REMINDER = """\
<system-reminder>
This is a preview. Call the `resolve` tool to apply or discard these changes.
</system-reminder>"""
NOT_EXECUTED = "Not executed: call the `resolve` tool to resolve the pending action first."
FORCED_TURNS = 3


@dataclass(frozen=True, slots=True)
class Message:
    """A steering message; `str` gives its content."""

    name: str
    content: str

    def __str__(self) -> str:
        return self.content


class Gate:
    """Keeps one directive for every pending action of a session, the newest first.

    It reminds and forces; what protects the files is that nothing is written before
    `apply`. It never demands a tool that the model does not have, and after three forced
    turns in a row that were ignored it gives up with `GateIgnored`.
    """

    def __init__(self, stack: Stack, policy: Policy, provider: Provider, resolve: Resolve) -> None:
        """`resolve` runs the tool of that name for whoever invokes a directive."""
        self._stack = stack
        self._resolve = resolve
        self.policy = policy
        self.provider = provider
        self.queue = ToolChoiceQueue()
        self.steering: list[Message] = []
        self.has_resolve = True
        self._own_turn = False  # soft: the model has had a turn with its own choice
        self._forced_turns = 0
        self._resting = False

    def rest(self) -> None:
        """Asks for nothing until something new is pushed: somebody has decided to leave it."""
        self._resting = True

    def pushed(self, action: PendingAction) -> None:
        """Asks for an action that was just pushed, before any older one.

        What the turn is forced to answer for stays in flight until that turn has ended.
        """
        self._resting = False
        flight = self.queue.in_flight
        if flight is None or flight.invoked or flight.directive.action_id is None:
            self.queue.put_back()
        self._direct(action)
        self._remind()
        self.progress()

    def failed(self) -> None:
        """Asks again for everything that is pending, since an action is pending again."""
        self.redirect()
        self._remind()
        self._own_turn = False

    def progress(self) -> None:
        """Starts counting afresh: the stack has changed."""
        self._own_turn = False
        self._forced_turns = 0

    def redirect(self) -> None:
        """Makes the queue ask for exactly what is pending in this session, newest first."""
        self.queue.remove(lambda directive: self._asks_for(directive) is not None)
        for action in reversed(self._stack.list()):
            self._direct(action)

    def drop_phantoms(self) -> None:
        """Drops what demands `resolve`, since there is nothing that it could answer for."""
        self.redirect()
        flight, demanded = self.queue.in_flight, forced("resolve", self.provider)

        def phantom(directive: Directive) -> bool:
            mine = flight is not None and flight.directive is directive
            served = [flight.choice] if flight is not None and mine else []
            return directive.on_invoked is None and demanded in directive.choices + served

        self.queue.remove(phantom)

    def forget(self, action_id: str) -> None:
        """Stops asking for an action that is no longer pending."""
        self.queue.remove(lambda directive: self._asks_for(directive) == action_id)
        self.progress()

    def reset(self) -> None:
        """Forgets every directive and message."""
        self.queue.clear()
        self.steering.clear()
        self.progress()

    def next_tool_choice(self) -> Choice | None:
        """Returns what the next model call is forced to do; None leaves it to the model."""
        self.queue.resolve()
        self._follow()
        head = self.queue.head
        if head is None or head.action_id is None:
            return self.queue.next_tool_choice()
        if not self.has_resolve or self._resting:
            return None
        if self.policy == "soft" and not self._own_turn:
            self._own_turn = True
            return None
        if self._forced_turns == FORCED_TURNS:
            self.progress()
            self._remind()
            raise GateIgnored(
                f"The model ignored {FORCED_TURNS} forced turns; "
                f"{head.action_id} is still pending.",
                code="gate_ignored",
                hint="End this turn. The action is asked for again in the next one.",
            )
        self._forced_turns += 1
        return self.queue.next_tool_choice()

    def hold(self, tool_name: str, mutating: bool = True) -> ToolResult | None:
        """Returns the result to give instead of running a tool; None lets it run."""
        if tool_name == "resolve" or not mutating or not self.has_resolve:
            return None
        if not self._stack.has_pending:
            return None
        return ToolResult(NOT_EXECUTED, is_error=True)

    def refuse_ambiguous(self, action_id: str) -> None:
        """Raises `ToolError` where something newer waits than what a turn was forced to answer.

        Nobody knows which of the two a call without a target means; the directive stays.
        """
        pending = self._stack.list()
        asked_for = [action for action in pending[1:] if action.id == action_id]
        if not asked_for:
            return
        raise ToolError(
            f"Which one is meant is not clear: this turn was to resolve the second of these, and "
            f"the first was staged since.\n{listing(pending[:1] + asked_for)}",
            code="ambiguous",
            hint="Give the id of one of them as `target`.",
        )

    def _follow(self) -> None:
        """Lets the queue follow the stack, which other processes change too."""
        bound = [directive.action_id for directive in self.queue.directives]
        asked_for = [action_id for action_id in bound if action_id is not None]
        pending = [action.id for action in self._stack.list()]
        if asked_for != pending and forced("resolve", self.provider) is not None:
            self.redirect()
            self.progress()

    def _direct(self, action: PendingAction) -> None:
        if (choice := forced("resolve", self.provider)) is not None:
            directive = self.queue.push_once(
                choice,
                label=f"resolve:{action.id}",
                now=True,
                on_rejected=lambda reason: "requeue",
                on_invoked=lambda params: self._resolve({**params, "target": action.id}),
            )
            directive.action_id = action.id

    def _asks_for(self, directive: Directive) -> str | None:
        """Returns the action of a directive that has not been taken in this very turn."""
        flight = self.queue.in_flight
        if flight is not None and flight.directive is directive and flight.invoked:
            return None
        return directive.action_id

    def _remind(self) -> None:
        if self.has_resolve:
            self.steering.append(Message("resolve-reminder", REMINDER))
