"""`Session`: one conversation, its pending actions, and what the model is asked next."""

from __future__ import annotations

import os
import weakref
from collections.abc import Awaitable, Callable, Mapping
from contextlib import AbstractContextManager, closing, suppress
from functools import cached_property
from typing import TYPE_CHECKING, Any

from resolve import exchanges
from resolve.actions import PendingAction
from resolve.errors import StoreError, ToolError
from resolve.handlers import made, note_package
from resolve.locks import WAIT
from resolve.results import ToolResult
from resolve.state import SessionState, close_lost, drop
from resolve.storage.rows import strict_json

if TYPE_CHECKING:
    from resolve.abort import AbortSignal
    from resolve.loops.choice import Provider, ToolChoiceQueue
    from resolve.loops.custom import CustomTools, Tool
    from resolve.loops.gate import Gate, Message, Policy
    from resolve.recovery import Recovery
    from resolve.store import PendingActionStore


class Session(SessionState, AbstractContextManager["Session"]):
    """Owns a stack of pending actions and the queue of tool choices.

    In memory by default. With `store=SqliteStore(path)` its durable actions survive the
    process. `id` names the conversation; without one the session gets a new id. `lock` is
    the directory whose descriptor is locked from claim to close of every resolution: give
    all sessions of a store the same. The session never closes the store.

    A program's session holds its session lock until `close` (or until nobody refers to
    it); a second one with the same id gets `SessionBusy`. A surface that only resolves
    (a command line, a server) passes `workspace=True`: then the session *is* the
    workspace, `store` shows the actions of all sessions, newest first, and any number of
    such sessions exist at a time.

    `handlers` are classes or objects by name, for the durable actions that this session
    resolves or recovers; they come before those of the process and of installed packages.

    Who waits for a resolution may set `on_progress`. It is called in the thread that
    resolves, with how much is done and of how much, in whatever the handler counts.
    """

    def __init__(
        self,
        store: PendingActionStore | None = None,
        *,
        id: str | None = None,
        lock: str | os.PathLike[str] | None = None,
        workspace: bool = False,
        who: str = "agent",
        policy: Policy = "soft",
        provider: Provider = "anthropic",
        lock_wait: float = WAIT,
        handlers: Mapping[str, object] | None = None,
    ) -> None:
        if store is None:
            from resolve.store import MemoryStore

            store = MemoryStore()
        super().__init__(
            store,
            id,
            who,
            workspace=workspace,
            lock=lock,
            lock_wait=lock_wait,
            handlers={name: made(handler) for name, handler in (handlers or {}).items()},
        )
        self._policy = policy
        self._provider = provider
        shared = workspace and lock is not None  # else only its session lock shows it is alive
        self._hold = None if shared else store.hold(self.id)
        pushed = weakref.WeakMethod(self._pushed)  # the store does not keep the session alive

        def listen(action: PendingAction) -> None:
            if (method := pushed()) is not None:
                method(action)

        self._unsubscribe = store.subscribe(listen)
        try:
            open_session(self)
        except BaseException:
            self.close()
            raise

    def _pushed(self, action: PendingAction) -> None:
        if not self.workspace and action.session == self.id:
            self.gate.pushed(action)

    @cached_property
    def gate(self) -> Gate:
        """What asks the model for pending actions; loaded when first needed."""
        from resolve.loops.gate import Gate

        reference = weakref.ref(self)  # which does not keep the session, and so its lock, alive

        def resolve(params: Mapping[str, Any]) -> Awaitable[ToolResult]:
            from resolve.tool import ResolveTool

            alive = reference()
            assert alive is not None
            return ResolveTool(alive).execute(params)

        return Gate(self.store, self._policy, self._provider, resolve)

    @property
    def queue(self) -> ToolChoiceQueue:
        """The tool choices that wait to be served."""
        return self.gate.queue

    @property
    def steering(self) -> list[Message]:
        """The messages that the model should see next; whoever shows them removes them."""
        return self.gate.steering

    def close(self) -> None:
        """Lets go of the session lock; what is stored stays. A second call does nothing."""
        self._unsubscribe()
        if self._hold is not None:
            self._hold.close()

    def __exit__(self, *_: object) -> None:
        self.close()

    # -- staging ---------------------------------------------------------------------------

    def stage(
        self,
        *,
        handler: str,
        payload: Any,
        label: str,
        source_tool_name: str | None = None,
        details: Any = None,
        replaces: PendingAction | None = None,
    ) -> PendingAction:
        """Registers a durable action: any later process with that handler can apply it.

        `payload` is strict JSON. When this returns, the action is on disk, and the pending
        one that it `replaces` is superseded; neither happens if that one is resolved already.
        """
        action = PendingAction(
            label=label,
            handler=handler,
            source_tool_name=source_tool_name or handler,
            details=details,
        )
        text = strict_json(payload)
        note_package(handler, self)
        return exchanges.register(self, action, text, replaces=replaces)

    # -- resolving -------------------------------------------------------------------------

    def resolve(
        self,
        action: str,
        reason: str,
        extra: Mapping[str, Any] | None = None,
        target: str | None = None,
        signal: AbortSignal | None = None,
    ) -> ToolResult:
        """Does what `ResolveTool.execute` does, without an event loop."""
        from resolve.tool import ResolveTool

        params = {"action": action, "reason": reason, "extra": extra, "target": target}
        params = {name: value for name, value in params.items() if value is not None}
        return ResolveTool(self).run(params, signal)

    def recover(self, signal: AbortSignal | None = None) -> list[Recovery]:
        """Ends what killed processes left open, under the apply lock (`busy` if taken).

        An abort ends the wait for the lock with `AbortError`; what has begun is ended.
        """
        from resolve.abort import Blocking
        from resolve.recovery import recover  # with all that resolving needs: seldom

        with closing(self.lock.hold(signal)):
            return recover(self, Blocking())

    # -- exchanges -------------------------------------------------------------------------

    exchange = exchanges.begin
    say = exchanges.say
    view = exchanges.view
    compact = exchanges.compact

    # -- what the model is asked -----------------------------------------------------------

    def set_standing_resolve_handler(
        self,
        handler: Callable[[Any], Any] | None,
        *,
        label: str | None = None,
        source_tool_name: str | None = None,
    ) -> None:
        """Sets the one handler that answers when no pending action does.

        `label` and `source_tool_name` are how its answers are shown and recorded, as
        `Accept: Plan ready for approval`; without them, attributes of these names of the
        handler are.
        """
        label = label or getattr(handler, "label", None)
        source_tool_name = source_tool_name or getattr(handler, "source_tool_name", None)
        for name, value in (("label", label), ("source_tool_name", source_tool_name)):
            if not isinstance(value, str | None):
                raise ToolError(f"`{name}` is {value!r}, and no text.", code="invalid")
        self.standing = handler
        self.standing_label, self.standing_source = label, source_tool_name

    def peek_standing_resolve_handler(self) -> Callable[[Any], Any] | None:
        """Returns the standing handler."""
        return self.standing

    def peek_queue_invoker(self) -> Callable[[Any], Any] | None:
        """Returns what the directive in flight runs when `resolve` is called."""
        return self.queue.peek_in_flight_invoker()

    def next_tool_choice(self) -> Any:
        """Returns what the next model call is forced to do; None leaves it to the model.

        An agent loop asks before each call. Raises `GateIgnored` when the model has
        ignored three forced turns; the action stays pending.
        """
        return self.gate.next_tool_choice()

    def hold(self, tool_name: str, mutating: bool = True) -> ToolResult | None:
        """Returns the result to give instead of running a tool; None lets it run."""
        return self.gate.hold(tool_name, mutating)

    def reset(self) -> None:
        """Starts another conversation: discards everything volatile of this one.

        Callback actions, directives, steering messages and the standing handler go;
        durable actions stay pending in the workspace. In memory nothing is durable.
        """
        volatile = [action for action in self.store.list() if not action.durable]
        for action in volatile if self.records.durable else self.store.list():
            drop(self, action, "discarded", "the session was reset")
        self.standing = None
        self.gate.reset()

    # -- tools of your own -----------------------------------------------------------------

    @property
    def custom_tools(self) -> CustomTools:
        """The API object for custom tools, bound to this session."""
        from resolve.loops.custom import CustomTools

        return CustomTools(self)

    def load_tool(self, factory: Callable[[CustomTools], Tool]) -> Tool:
        """Returns the tool that `factory(api)` makes."""
        return factory(self.custom_tools)


def open_session(session: Session) -> None:
    """Recovers, closes what a killed process left open, and asks for what is pending.

    A workspace session only closes lost actions: its surface says when to recover.
    """
    if not session.records.writable:
        return
    if session.workspace:
        with suppress(StoreError):  # a state file that can only be read can still be listed
            close_lost(session)
        return
    if any(claim.session == session.id for claim in session.records.claims()):
        session.recover()
    elif session.records.unsettled and (hold := session.lock.try_hold()) is not None:
        with closing(hold):  # nobody applies just now
            session.recover()
    if session.records.log(session.id):
        from resolve.exchanges import recover_calls

        recover_calls(session)
    close_lost(session)
    if session.store.has_pending:
        session.gate.failed()
