"""Handlers by name, and the context that a handler works in.

A name means a handler of the session, else one registered in this process, else one that an
installed package declares as an entry point of the group `resolve.handlers`.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Protocol, TypeVar, cast

from resolve.actions import PendingAction, State
from resolve.errors import ToolError
from resolve.records import Annotate, AuditRow, DropIntent, Move, Push, SaveIntent
from resolve.stack import refusal, unknown
from resolve.state import SessionState
from resolve.storage.rows import refuse_odd_fields, strict_json

if TYPE_CHECKING:
    from resolve.abort import AbortSignal

Outcome = Literal["applied", "untouched", "rolled_back", "blocked"]
Registered = TypeVar("Registered")


class Handler(Protocol):
    """Applies the durable actions of its name, in any process that finds it by that name.

    Optional: `reject(payload, reason, extra, context)`, whose answer is that of a discard;
    `recover(payload, intent, context) -> Outcome | Recovered`, called under the apply lock
    for an intent that an interrupted apply left open, possibly again and again; and
    `on_apply_error(error)`. All may be coroutines.
    """

    def apply(
        self, payload: Any, reason: str, extra: Mapping[str, Any] | None, context: Context
    ) -> Any:
        """Does the work; returns None, a `str` or a `ToolResult`."""


class Recovered:
    """The outcome of a recovery, with the text and the files that people should see."""

    def __init__(self, outcome: Outcome, text: str = "", files: Iterable[Any] = ()) -> None:
        self.outcome = outcome
        self.text = str(text)
        self.files = [dict(file) for file in files]
        self.changes: list[Push | Move | Annotate | AuditRow] = []
        self.done: Done = Done()


class Done(NamedTuple):
    """The label and details of an action that was done in part; None leaves them as they are."""

    label: str | None = None
    details: Mapping[str, Any] | None = None


GROUP = "resolve.handlers"  # of entry points

_registry: dict[str, object] = {}
_broken: dict[str, str] = {}  # by name, why the handler that a package declares cannot be had


def register(name: str) -> Callable[[Registered], Registered]:
    """Registers a handler class (one instance is made) or object under a stable name.

    It may be a function that makes it, when it is first needed. A later registration of the
    name replaces the earlier one.
    """

    def decorate(handler: Registered) -> Registered:
        _registry[name] = made(handler)
        return handler

    return decorate


def made(handler: object) -> object:
    """Returns a handler; of a class an instance is made."""
    return handler() if inspect.isclass(handler) else handler


def unregister(name: str) -> None:
    """Forgets a handler; its pending actions can still be listed and discarded."""
    _registry.pop(name, None)


def get(name: str) -> Handler | None:
    """Returns the handler of that name that is registered, or that a package declares."""
    return _taken(name, _registry) or _declared(name)


def find(name: str, session: SessionState) -> Handler | None:
    """Returns the handler of that name for the actions of this session."""
    return _taken(name, session.handlers) or get(name)


def _taken(name: str, handlers: dict[str, object]) -> Handler | None:
    """One that a function makes is made when it is first needed."""
    handler = handlers.get(name)
    if inspect.isfunction(handler):
        handler = handlers[name] = handler()
    return cast(Handler | None, handler)


def _declared(name: str) -> Handler | None:
    """Loads the handler that an installed package declares; what is stored names no code."""
    from importlib.metadata import entry_points

    for entry in entry_points(group=GROUP, name=name):
        try:
            declared = entry.load()
        except Exception as error:  # the package is broken, and what is staged can be discarded
            _broken[name] = f"{entry.value} cannot be loaded ({error})"
            return None
        register(name)(declared)
        return _taken(name, _registry)
    return None


def note_package(name: str, session: SessionState) -> None:
    """Notes which package the handler of a staged action is of, for who has not got it."""
    handler = session.handlers.get(name) or _registry.get(name)
    if handler is not None:
        home = handler if inspect.isfunction(handler) else type(handler)
        session.records.set_meta(_noted(name), home.__module__.partition(".")[0])


def _noted(name: str) -> str:
    return f"handler {name}"


def missing(name: str, session: SessionState) -> ToolError:
    """Returns the error for a name that nobody has a handler for, and what to install."""
    if name in _broken:
        return ToolError(
            f"The handler {name!r} is no use: {_broken[name]}.",
            code="handler_missing",
            hint="Repair or update the package, then try again; or discard the action.",
        )
    package = session.records.meta(_noted(name))
    what = f"the package {package}" if package else f"the package that declares {name!r}"
    return ToolError(
        f"No handler {name!r} is installed here; {what} has it.",
        code="handler_missing",
        hint=f"Install {what} (entry points of the group {GROUP}), or discard the action.",
    )


class Context:
    """What a handler may ask of the gate while it applies, rejects or recovers one action.

    What `close_other` and `supersede` ask for is committed together with the result, so
    a kill before that leaves everything as it was.
    """

    def __init__(
        self, session: SessionState, action: PendingAction, reason: str, signal: AbortSignal
    ) -> None:
        self.session = session
        self.action = action
        self.reason = reason
        self.signal = signal
        self.committed = False
        self.superseded_by: PendingAction | None = None
        self.changes: list[Push | Move | Annotate | AuditRow] = []
        self.done = Done()
        self.closes_as: Literal["applied", "landed"] = "applied"
        self.files: list[dict[str, Any]] = []
        self.image = session.records.image  # of any action, by its hash

    @property
    def action_id(self) -> str:
        """The id of the action at hand."""
        return self.action.id

    def commit_intent(self, intent: Mapping[str, Any], images: Mapping[str, bytes]) -> None:
        """Stores what `recover` needs: the commit point.

        An abort before it stops here with `AbortError`; after it the signal is ignored.
        Once it returns, a kill at any moment ends in `recover`. A second one takes the place
        of the first.
        """
        self.signal.throw_if_aborted()
        text = strict_json(intent, "intent")
        self.session.records.commit(SaveIntent(self.action_id, text, images))
        self.committed = True

    def withdraw_intent(self) -> None:
        """Takes the intent back: everything is as before, and the apply may fail now."""
        self.session.records.commit(DropIntent(self.action_id))
        self.committed = False

    def progress(self, done: int, total: int) -> None:
        """Tells who waits for this resolution how far it is, if they asked."""
        if self.session.on_progress is not None:
            self.session.on_progress(done, total)

    def record_files(self, files: Iterable[Mapping[str, Any]]) -> None:
        """Says which files this resolution changed (`path`, `before`, `after`), for the audit."""
        self.files = [dict(file) for file in files]

    def record_landed(self, details: Mapping[str, Any]) -> None:
        """Says that this ends as `landed`: no file was written, what was done lies elsewhere."""
        self.record_done(None, details)
        self.closes_as = "landed"

    def record_done(self, label: str | None, details: Mapping[str, Any]) -> None:
        """Says what of the action was done, where that is not all that its label says."""
        refuse_odd_fields(Move(self.action_id, "applying", "applied", label=label, details=details))
        self.done = Done(label, details)

    def close_other(self, action_id: str, state: Literal["undone", "applied"]) -> None:
        """Closes another action with this one's result: `undone`, or `applied` again."""
        source: State = "applied" if state == "undone" else "undone"
        if (other := self.session.records.get(action_id)) is None:
            raise unknown(action_id)
        if other.state != source:
            raise refusal(action_id, other)
        self.changes.append(
            Move(action_id, source, state, who=self.session.who, reason=self.reason)
        )

    def stage_beside(
        self, payload: Any, label: str, details: Mapping[str, Any] | None = None
    ) -> PendingAction:
        """Returns a new action of the same handler that is staged with this one's result."""
        new = self._alike(label, details)
        self.add(Push(new, strict_json(payload)))
        return new

    def add(self, change: Push | Annotate | AuditRow) -> None:
        """Keeps an action with the result; or annotations or a row of the audit, also of that."""
        refuse_odd_fields(change)  # before the work is done, and cannot be recorded
        self.changes.append(change)

    def _alike(self, label: str, details: Mapping[str, Any] | None) -> PendingAction:
        old = self.action
        return PendingAction(
            label=label,
            handler=old.handler,
            source_tool_name=old.source_tool_name,
            details=details,
            session=old.session,
        )

    def supersede(
        self, payload: Any, label: str | None = None, details: Mapping[str, Any] | None = None
    ) -> PendingAction:
        """Returns a new action that takes this one's place in the stack.

        This one becomes `superseded`, and the call ends as `ToolError(code="superseded")`:
        raise it with a text of your own, or return and let the gate raise it. Any other
        failure forgets the new action.
        """
        new = self._alike(self.action.label if label is None else label, details)
        self.add(Push(new, strict_json(payload), replaces=self.action.id))
        self.superseded_by = new
        return new


def superseded(new: PendingAction) -> ToolError:
    """Returns how a call ends whose action gave way to a new one."""
    return ToolError(
        f"The plan has changed: staged as {new.id}. Look at it and resolve again.",
        code="superseded",
        hint=f"Resolve {new.id}.",
    )
