"""`ToolChoiceQueue`: what the next model call is asked or forced to do."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Literal

Choice = Any  # whatever the provider takes as `tool_choice`
Reason = Literal["aborted", "error", "cleared", "removed", "unavailable", "not_invoked"]
Provider = Literal["anthropic", "openai", "google", "mcp"]


def forced(name: str, provider: Provider = "anthropic") -> Choice | None:
    """Returns the provider's form of "call this tool now"; None where there is none."""
    match provider:
        case "anthropic":
            return {"type": "tool", "name": name}
        case "openai":
            return {"type": "function", "function": {"name": name}}
        case "google":
            return {"functionCallingConfig": {"mode": "ANY", "allowedFunctionNames": [name]}}
        case "mcp":
            return None
    raise ValueError(f"unknown provider: {provider}")


@dataclass(eq=False, slots=True)
class Directive:
    """The choices still to serve, and what to call when one was, or was not, taken.

    `action_id` is of the one action that it is bound to, if it is.
    """

    choices: list[Choice]
    label: str
    on_resolved: Callable[[], Any] | None = None
    on_rejected: Callable[..., Any] | None = None
    on_invoked: Callable[[Any], Any] | None = None
    action_id: str | None = None


@dataclass(eq=False, slots=True)
class InFlight:
    """A choice that was served to the model call now running."""

    directive: Directive
    choice: Choice
    invoked: bool = False

    def invoke(self, params: Any) -> Any:
        """Calls the directive's `on_invoked`, which counts as the choice having been taken."""
        self.invoked = True
        assert self.directive.on_invoked is not None
        return self.directive.on_invoked(params)


class ToolChoiceQueue:
    """Directives in order, at most one in flight, and the label served last.

    First in, first out; `now=True` goes to the head. A choice that is rejected and
    requeued comes back as it was: same directive, same label, at the head.
    """

    def __init__(self) -> None:
        self._queue: list[Directive] = []
        self._served: str | None = None
        self.in_flight: InFlight | None = None

    def push_once(
        self,
        choice: Choice,
        *,
        label: str = "anonymous",
        now: bool = False,
        on_resolved: Callable[[], Any] | None = None,
        on_rejected: Callable[..., Any] | None = None,
        on_invoked: Callable[[Any], Any] | None = None,
    ) -> Directive:
        """Queues one choice."""
        return self._push(Directive([choice], label, on_resolved, on_rejected, on_invoked), now)

    def push_sequence(
        self, choices: Iterable[Choice], *, label: str = "anonymous", now: bool = False
    ) -> Directive:
        """Queues choices that are served one a model call, with nothing in between."""
        return self._push(Directive(list(choices), label), now)

    def next_tool_choice(self) -> Choice | None:
        """Serves the head and puts it in flight; None when nothing is queued.

        A choice that is still in flight is resolved first: its turn has ended.
        """
        self.resolve()
        while self._queue:
            directive = self._queue[0]
            if directive.choices:
                self.in_flight = InFlight(directive, directive.choices.pop(0))
                return self.in_flight.choice
            self._queue.pop(0)
        return None

    def resolve(self) -> None:
        """Ends the turn: the choice was taken, or (with `on_invoked` not run) it was not."""
        flight = self.in_flight
        if flight is None:
            return
        if flight.directive.on_invoked is not None and not flight.invoked:
            self.reject("not_invoked")
            return
        self.in_flight = None
        self._served = flight.directive.label
        if flight.directive.on_resolved is not None:
            flight.directive.on_resolved()

    def reject(self, reason: Reason) -> None:
        """Ends the turn without the choice: its directive is requeued or dropped."""
        flight = self.in_flight
        if flight is None:
            return
        self.in_flight = None
        if _ask(flight.directive, reason) == "requeue":
            self._return(flight)
        elif flight.directive in self._queue:
            self._queue.remove(flight.directive)

    def put_back(self) -> None:
        """Returns the choice in flight to the head, so that something newer can go first."""
        flight, self.in_flight = self.in_flight, None
        if flight is not None:
            self._return(flight)

    def peek_in_flight_invoker(self) -> Callable[[Any], Any] | None:
        """Returns what runs instead of the tool that is being forced, once; None if nothing."""
        flight = self.in_flight
        if flight is None or flight.invoked or flight.directive.on_invoked is None:
            return None
        return flight.invoke

    def remove_by_label(self, label: str) -> None:
        """Drops every directive of that label, in flight or queued."""
        self.remove(lambda directive: directive.label == label)

    def remove(self, unwanted: Callable[[Directive], bool], reason: Reason = "removed") -> None:
        """Drops the directives that `unwanted` picks, whatever their callbacks answer."""
        flight = self.in_flight
        gone = [directive for directive in self._queue if unwanted(directive)]
        if flight is not None and unwanted(flight.directive):
            self.in_flight = None
            gone = [
                flight.directive,
                *(queued for queued in gone if queued is not flight.directive),
            ]
        self._queue = [directive for directive in self._queue if directive not in gone]
        for directive in gone:
            _ask(directive, reason)

    def clear(self) -> None:
        """Empties the queue, even if a callback asks to requeue or pushes again."""
        self.remove(lambda directive: True, "cleared")
        self._queue.clear()

    @property
    def has_in_flight(self) -> bool:
        """True while a served choice has neither been resolved nor rejected."""
        return self.in_flight is not None

    def consume_last_served_label(self) -> str | None:
        """Returns the label that was resolved last, once."""
        label, self._served = self._served, None
        return label

    def inspect(self) -> list[str]:
        """Returns the labels that are queued, head first."""
        return [directive.label for directive in self.directives]

    @property
    def directives(self) -> list[Directive]:
        """The directives that have something left to serve, head first."""
        return [directive for directive in self._queue if directive.choices]

    @property
    def head(self) -> Directive | None:
        """The directive that is served next."""
        return next(iter(self.directives), None)

    def _push(self, directive: Directive, now: bool) -> Directive:
        self._queue.insert(0 if now else len(self._queue), directive)
        return directive

    def _return(self, flight: InFlight) -> None:
        flight.directive.choices.insert(0, flight.choice)
        if flight.directive in self._queue:
            self._queue.remove(flight.directive)
        self._queue.insert(0, flight.directive)


def _ask(directive: Directive, reason: Reason) -> object:
    callback = directive.on_rejected
    if callback is None:
        return "drop"
    return callback(reason) if inspect.signature(callback).parameters else callback()
