"""`Session`: one conversation, its pending actions, and what the model is asked next."""

from __future__ import annotations

import os
import re
import weakref
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from resolve.actions import PendingAction, new_id
from resolve.errors import ToolError
from resolve.locks import WAIT, ApplyLock
from resolve.payload import strict_json
from resolve.records import AuditRow, Change, Move, Push
from resolve.store import PendingActionStore, SessionStack

if TYPE_CHECKING:
    from resolve.abort import AbortSignal
    from resolve.choice import Directive, Provider, ToolChoiceQueue
    from resolve.recovery import Recovery
    from resolve.results import ToolResult

REMINDER = """\
<system-reminder>
This is a preview. Call the `resolve` tool to apply or discard these changes.
</system-reminder>"""
live: set[str] = set()  # ids of the actions that this very process is resolving now
_claimed: ContextVar[PendingAction | None] = ContextVar("resolve_claimed", default=None)
_ID = re.compile(r"[A-Za-z0-9_][A-Za-z0-9._-]{0,99}")


@dataclass(frozen=True, slots=True)
class Message:
    """A steering message; `str` gives its content."""

    name: str
    content: str

    def __str__(self) -> str:
        return self.content


class Session:
    """Owns a stack of pending actions and the queue of tool choices.

    In memory by default. With `store=SqliteStore(path)` its durable actions survive the
    process; `id` names the conversation (None makes a new one), and `lock` is the
    directory whose descriptor is locked from claim to close of every resolution: give all
    sessions of one store the same.

    A program's session holds its session lock until `close` (or until nobody refers to
    it); a second one with the same id gets `SessionBusy`. A surface that only resolves
    (a command line, a server) passes `workspace=True`: then the session *is* the
    workspace, `store` shows the actions of all sessions, newest first, and any number of
    such sessions exist at a time.
    """

    def __init__(
        self,
        store: PendingActionStore | None = None,
        *,
        id: str | None = None,
        lock: str | os.PathLike[str] | None = None,
        workspace: bool = False,
        who: str = "agent",
        provider: Provider = "anthropic",
        lock_wait: float = WAIT,
    ) -> None:
        if store is None:
            from resolve.memory import MemoryStore

            store = MemoryStore()
        self.id = _checked(id) if id is not None else f"s{new_id()}"
        self.who = who
        self.workspace = workspace
        self.records = store
        self.store = SessionStack(store, None if workspace else self.id)
        self.lock = ApplyLock(lock, lock_wait)
        self.steering: list[Message] = []
        self.lost: list[PendingAction] = []
        self._provider = provider
        self._standing: Callable[[Any], Any] | None = None
        self._hold = None if workspace else store.hold(self.id)
        self._unsubscribe = store.subscribe(_listener(self))
        self._open()

    @cached_property
    def queue(self) -> ToolChoiceQueue:
        """The tool choices that wait to be served."""
        from resolve.choice import ToolChoiceQueue

        return ToolChoiceQueue()

    def close(self) -> None:
        """Lets go of the session lock; what is stored stays."""
        self._unsubscribe()
        if self._hold is not None:
            self._hold.close()

    def __enter__(self) -> Session:
        return self

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
        details: Mapping[str, Any] | None = None,
    ) -> PendingAction:
        """Registers a durable action: any later process with that handler can apply it.

        `payload` is strict JSON. When this returns, the action is on disk.
        """
        action = PendingAction(
            label=label,
            handler=handler,
            source_tool_name=source_tool_name or handler,
            details=details,
            session=self.id,
        )
        self.records.commit(Push(action, strict_json(payload)))
        return action

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

        given = {"action": action, "reason": reason, "extra": extra, "target": target}
        params = {name: value for name, value in given.items() if value is not None}
        return ResolveTool(self).run(params, signal)

    def recover(self) -> list[Recovery]:
        """Ends what killed processes left open, under the apply lock (`busy` if taken)."""
        from resolve.abort import Blocking, drive
        from resolve.recovery import locked_recover

        found: list[Recovery] = drive(locked_recover(self, Blocking()))
        return found

    @property
    def claimed(self) -> PendingAction | None:
        """The action whose callback the caller runs in."""
        return _claimed.get()

    @contextmanager
    def claiming(self, action: PendingAction) -> Iterator[None]:
        """Marks an action as the one being resolved here."""
        token = _claimed.set(action)
        live.add(action.id)
        try:
            yield
        finally:
            live.discard(action.id)
            _claimed.reset(token)

    @property
    def open_call(self) -> str | None:
        """The id of the exchange in which the caller runs."""
        return None

    def commit_result(self, changes: Sequence[Change], result: ToolResult) -> None:
        """Commits changes in one transaction with the result of the open exchange."""
        self.records.commit(*changes)

    # -- what the model is asked -----------------------------------------------------------

    def set_standing_resolve_handler(self, handler: Callable[[Any], Any] | None) -> None:
        """Sets the one handler that answers when no pending action does."""
        self._standing = handler

    def peek_standing_resolve_handler(self) -> Callable[[Any], Any] | None:
        """Returns the standing handler."""
        return self._standing

    def peek_queue_invoker(self) -> Callable[[Any], Any] | None:
        """Returns what the directive in flight runs when `resolve` is called."""
        return self.queue.peek_in_flight_invoker()

    def remind(self) -> None:
        """Asks again for everything that is pending in this session, the newest first."""
        self.redirect()
        if not self.workspace:
            self.steering.append(Message("resolve-reminder", REMINDER))

    def redirect(self) -> None:
        """Makes the queue ask for exactly what is pending in this session, newest first."""
        if not self.workspace:
            self.queue.remove(_is_bound)
            for action in reversed(self.store.list()):
                self._direct(action)

    def pushed(self, action: PendingAction) -> None:
        """Asks for an action that was just pushed, before any older one."""
        if not self.workspace and action.session == self.id:
            self.queue.put_back()
            self._direct(action)
            self.steering.append(Message("resolve-reminder", REMINDER))

    def _direct(self, action: PendingAction) -> None:
        from resolve.choice import forced

        choice = forced("resolve", self._provider)
        if choice is not None:
            self.queue.push_once(
                choice,
                label=f"resolve:{action.id}",
                now=True,
                on_rejected=lambda reason: "requeue",
                on_invoked=Invoker(self, action.id),
            )

    def _open(self) -> None:
        """Recovers if nobody applies right now, and asks again for what is still pending."""
        self.close_lost()
        if self.workspace:
            return
        if self.records.claims() or self.records.intents():
            hold = self.lock.try_hold()
            if hold is not None:
                with closing(hold):
                    self.recover()
        if self.store.has_pending:
            self.remind()

    def close_lost(self) -> None:
        """Closes the volatile actions of ended processes as `lost`; `lost` lists them."""
        for action in self.records.held():
            if action.session == self.id or not self.records.alive(action.session):
                self._lose(action)

    def _lose(self, action: PendingAction) -> None:
        row = AuditRow(
            action_id=action.id,
            kind=action.kind,
            label=action.label,
            who=self.who,
            reason="its process ended",
            outcome="lost",
            session=self.id,
        )
        move = Move(action.id, "pending", "lost", who=self.who, reason=row.reason)
        self.records.commit(move, row)
        self.lost.append(action)


class Invoker:
    """Resolves the one action that a directive is bound to."""

    def __init__(self, session: Session, action_id: str) -> None:
        self._session = weakref.ref(session)  # a cycle would keep the session lock
        self.action_id = action_id

    async def __call__(self, given: Mapping[str, Any]) -> ToolResult:
        from resolve.tool import ResolveTool

        session = self._session()
        assert session is not None
        return await ResolveTool(session).execute({**given, "target": self.action_id})


def _is_bound(directive: Directive) -> bool:
    return isinstance(directive.on_invoked, Invoker)


def _listener(session: Session) -> Callable[[PendingAction], None]:
    """Returns a listener that does not keep the session, and so its lock, alive."""
    method = weakref.WeakMethod(session.pushed)

    def listen(action: PendingAction) -> None:
        pushed = method()
        if pushed is not None:
            pushed(action)

    return listen


def _checked(id: str) -> str:
    if not _ID.fullmatch(id):
        raise ToolError(
            f"{id!r} cannot name a session.",
            code="invalid",
            hint="Use up to 100 letters, digits, dots, dashes and underscores.",
        )
    return id
