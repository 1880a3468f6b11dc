"""Exchanges: every tool call is recorded before it runs and closed exactly once."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from contextvars import ContextVar, Token
from typing import TYPE_CHECKING

from resolve.actions import PendingAction
from resolve.errors import AbortError, ToolError
from resolve.records import AuditRow, Compact, Move, Push, Record, StoreChange
from resolve.results import ToolResult, as_result, error_result
from resolve.state import SessionState
from resolve.storage.rows import plain, refuse_odd_fields
from resolve.visible import one_line

if TYPE_CHECKING:
    from types import TracebackType

    from resolve.fold import Call, View
    from resolve.records import Origin

NOTHING_CHANGED = "Interrupted: no file was changed and nothing is pending."
STILL_PENDING = "Interrupted before anything was written; the action is still pending."
SUMMARY = "Earlier messages were left out to save room."

_current: ContextVar[Exchange | None] = ContextVar("resolve_exchange", default=None)


class Exchange:
    """One recorded call. Leaving the block closes it, whatever happens inside.

    The call is on disk before the block runs. `close` commits the result together with
    the actions that the tool staged meanwhile; until then nobody sees them, and if the
    call ends as an error they are forgotten. A second `close` changes nothing.
    """

    def __init__(self, session: SessionState, call_id: str, tool: str) -> None:
        self.session = session
        self.call_id = call_id
        self.tool = tool
        self.closed = False
        self.staged: list[Push] = []
        self.replaced: list[StoreChange] = []  # what closes the actions that those replace
        self.outer: Exchange | None = None
        self._token: Token[Exchange | None] | None = None

    def close(self, answer: object, *changes: StoreChange) -> ToolResult:
        """Records the result (`None`, `str` or `ToolResult`), with other changes, at once."""
        result = as_result(answer, "")
        if not self.closed:
            staged, replaced = ([], []) if result.is_error else (self.staged, self.replaced)
            record = _record(self.session, self.call_id, result, staged)
            self.session.records.commit(*changes, *replaced, *staged, record)
            self.closed = True
        return result

    def fail(self, error: BaseException) -> ToolResult:
        """Records a failure as the result, for a loop that goes on after it."""
        return self.close(_as_error(error))

    def __enter__(self) -> Exchange:
        self.outer = _current.get()
        self._token = _current.set(self)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        assert self._token is not None
        _current.reset(self._token)
        if not self.closed:
            self.close(_as_error(error))


def begin(
    session: SessionState,
    call_id: str,
    tool: str,
    arguments: object = None,
    *,
    step: int | None = None,
    preview: bool = False,
) -> Exchange:
    """Records a tool call before it runs; `with` closes it, whatever happens.

    `step` groups the calls of one model turn. `preview` says that the tool changes
    nothing by itself, so an interrupted call has changed nothing.
    """
    body = {
        "tool": tool,
        "arguments": plain(_as_data(arguments)),
        "step": step,
        "preview": bool(preview),
    }
    record = Record(session.id, "call", call_id, body)
    refuse_odd_fields(record)
    if session.used_calls is None:  # once: nobody but this process makes calls of this session
        recorded = {call.id for call in view(session).calls}
        session.used_calls = recorded | session.records.resolved_calls(session.id)
    if call_id in session.used_calls:  # its result would go to another call, or its recovery
        raise ToolError(
            f"The call {call_id!r} is recorded already.",
            code="invalid",
            hint="Give every call an id of its own.",
        )
    session.records.commit(record)
    session.used_calls.add(call_id)
    return Exchange(session, call_id, tool)


def current(session: SessionState) -> Exchange | None:
    """Returns the exchange of this session that the caller runs in, while it is open."""
    exchange = _current.get()
    while exchange is not None and exchange.session is not session:
        exchange = exchange.outer  # a sub-agent's call runs inside its parent's
    return None if exchange is None or exchange.closed else exchange


def open_call(session: SessionState) -> str | None:
    """Returns the id of the exchange of this session that the caller runs in."""
    exchange = current(session)
    return None if exchange is None else exchange.call_id


def register(
    session: SessionState,
    action: PendingAction,
    payload: str | None = None,
    *,
    replaces: PendingAction | None = None,
) -> PendingAction:
    """Pushes an action; in an exchange, together with the result of that call.

    The pending action that it `replaces` becomes superseded at the same moment. Raises
    `ToolError` if that one is not pending any more.
    """
    action.session = session.id
    push = Push(action, payload)
    refuse_odd_fields(push)  # before the tool has gone on
    replaced: list[StoreChange] = []
    if replaces is not None:
        why = f"replaced by {action.id}"
        call = {"session": session.id, "call_id": open_call(session)}
        row = AuditRow.of(replaces, session.who, why, "superseded", **call)
        replaced = [Move(replaces.id, "pending", "superseded", who=session.who, reason=why), row]
    exchange = current(session)
    if exchange is None:
        session.records.commit(*replaced, push)
    else:
        exchange.staged.append(push)
        exchange.replaced += replaced
    return action


def commit_result(
    session: SessionState, changes: Sequence[StoreChange], result: ToolResult
) -> None:
    """Commits changes together with the result of the `resolve` call they come from."""
    exchange = current(session)
    if exchange is None or exchange.tool != "resolve":
        session.records.commit(*changes)
    else:
        exchange.close(result, *changes)


def say(session: SessionState, content: object, origin: Origin = "user") -> None:
    """Records a message; while a call is open it waits until after its answer."""
    body = {"origin": origin, "content": content}
    session.records.commit(Record(session.id, "message", None, body))


def view(session: SessionState) -> View:
    """Returns the conversation as its records tell it; only what is new of them is folded."""
    from resolve.fold import Folding  # who only stages needs none of it

    if session.folding is None:
        session.folding, session.folded = Folding(), 0
    for record in session.records.log(session.id, session.folded):
        session.folding.add(record)
        session.folded = record.seq
    return session.folding.snapshot()


def recover_calls(session: SessionState) -> None:
    """Closes every open call of this session, in order, and tells of lost actions.

    Keyed on calls without results, so it may be killed and run again: what it appended
    is folded like any other record.
    """
    calls = view(session).open
    resolving = any(call.tool == "resolve" for call in calls)
    rows = reversed(session.records.audit(session=session.id) if resolving else [])
    newest = {row.call_id: row for row in rows}
    results = (_fate(call, newest.get(call.id)) for call in calls)
    pairs = zip(calls, results, strict=True)
    session.records.commit(*(_record(session, call.id, result) for call, result in pairs))


def _fate(call: Call, row: AuditRow | None) -> ToolResult:
    from resolve.fold import MISSING

    if call.tool != "resolve":
        return ToolResult(NOTHING_CHANGED if call.preview else MISSING, is_error=True)
    return ToolResult(STILL_PENDING, is_error=True) if row is None else _recovered(row)


def _recovered(row: AuditRow) -> ToolResult:
    """Returns what a resolution came to that outlived its process only in the audit."""
    applied = row.outcome == "applied"
    details = {"label": row.label, "actionId": row.action_id, "recovered": applied}
    details["code"] = row.code
    text = row.text or STILL_PENDING
    if applied:
        text = f"Applied: {one_line(row.label)} ({row.action_id}).\n{row.text}".rstrip()
    return ToolResult(text, details=details, is_error=not applied)


def compact(session: SessionState, keep: int = 20, summary: object = SUMMARY) -> View:
    """Replaces all but the newest `keep` blocks of the log by a summary."""
    if any(claim.session == session.id for claim in session.records.claims()):
        raise ToolError(
            "The log cannot be compacted while an action is being applied.",
            code="busy",
            hint="Compact when the apply has ended.",
        )
    before = view(session)
    after = before.trimmed(keep, summary)
    if after is not before:
        snapshot = Record(session.id, "snapshot", None, after.to_json())
        session.records.commit(Compact(snapshot, session.folded))
        session.folding, session.used_calls = None, None
    return after


def _record(
    session: SessionState, call_id: str, result: ToolResult, staged: Sequence[Push] = ()
) -> Record:
    body = {
        "content": plain(result.content),
        "isError": bool(result.is_error),
        "details": plain(result.details),
        "registers": [push.action.id for push in staged],
    }
    return Record(session.id, "result", call_id, body)


def _as_error(error: BaseException | None) -> ToolResult:
    if isinstance(error, ToolError):
        return error_result(error)
    if error is None:
        return ToolResult("The tool gave no result.", is_error=True)
    if isinstance(error, AbortError) or not isinstance(error, Exception):
        return ToolResult(f"Interrupted ({str(error) or type(error).__name__}).", is_error=True)
    return ToolResult(f"{type(error).__name__}: {error}", is_error=True)


def _as_data(arguments: object) -> object:
    """Returns arguments as data; text that does not parse stays as it came, under `raw`."""
    if not isinstance(arguments, str):
        return arguments
    try:
        parsed = json.loads(arguments)
    except (ValueError, RecursionError):  # it may be nested deeper than Python reads
        return {"raw": arguments}
    return parsed if isinstance(parsed, Mapping) else {"raw": arguments}
