"""One resolution of one action: lock, recover, claim, call, close."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Literal

from resolve import exchanges, handlers, recovery
from resolve.abort import AbortSignal, Blocking
from resolve.actions import CONDITIONS, DISCARDING, FINAL, Condition, PendingAction, State
from resolve.errors import AbortError, StoreError, ToolError
from resolve.handlers import Context, superseded
from resolve.records import AuditRow, Claim, DropIntent, Move, StoreChange
from resolve.results import ToolResult, as_result
from resolve.stack import RECOVER, half_done, refusal
from resolve.state import SessionState, close_lost
from resolve.visible import one_line

Verb = Literal["apply", "discard"]


@dataclass(slots=True)
class Request:
    """What a caller of `resolve` asks for, validated."""

    action: Verb
    reason: str
    extra: Mapping[str, Any] | None = None
    target: str | None = None

    def to_json(self) -> dict[str, Any]:
        """Returns it as a standing handler or a queue invoker receives it."""
        return {"action": self.action, "reason": self.reason, "extra": self.extra}

    def result(self, returned: object, label: str, about: Mapping[str, str]) -> ToolResult:
        """Returns what a callback answered as a result; `about` names what it is of."""
        text = f"Applied: {one_line(label)}."
        if self.action == "discard":
            text = f"Discarded: {one_line(label)}. Reason: {one_line(self.reason)}"
        answer = as_result(returned, text)
        details = self.details(about, answer.details)
        return ToolResult(answer.text, answer.content, details, answer.is_error)

    def details(
        self, about: Mapping[str, str], source: Mapping[str, Any] | None = None
    ) -> dict[str, Any]:
        """Returns the `details` of a resolution; `source` are those of its callback."""
        details: dict[str, Any] = {"action": self.action, "reason": self.reason}
        if self.extra is not None:
            details["extra"] = dict(self.extra)
        details |= about
        return details if source is None else details | {"sourceResultDetails": source}


class Resolution:
    """Applies or discards one action.

    Success closes the action exactly once, in one transaction with its audit row. Any
    failure leaves it pending: same id, same place, and the reminder is sent again.
    """

    def __init__(
        self, session: SessionState, request: Request, signal: AbortSignal, waiting: Blocking
    ) -> None:
        self.session = session
        self.request = request
        self.signal = signal
        self.waiting = waiting

    def run(self, action_id: str) -> ToolResult:
        """Resolves the action, or raises `ToolError` saying why not, and of which action."""
        try:
            return self._run(action_id)
        except (ToolError, AbortError) as error:
            with suppress(StoreError):
                error.about = about(self.session.records.get(action_id))
            raise

    def _run(self, action_id: str) -> ToolResult:
        self._refuse(action_id)
        hold = self.session.lock.hold(self.signal)
        try:
            self.signal.throw_if_aborted()
            for recovered in recovery.recover(self.session, self.waiting):
                is_applied = self.request.action == "apply" and recovered.outcome == "applied"
                if recovered.action.id == action_id and is_applied:  # which was asked for
                    return self._recovered(recovered)
            action = self._claim(self._refuse(action_id))
            with self.session.claiming(action):
                return self._resolve(action)
        finally:
            hold.close()

    def _refuse(self, action_id: str) -> PendingAction:
        """Returns the action unless nobody could resolve it from here."""
        action = self.session.records.get(action_id)
        if action is None or action.state in FINAL:
            raise refusal(action_id, action)
        if action.condition == "held" and action.handler is None and action.apply is None:
            close_lost(self.session)
            if action_id in {lost.id for lost in self.session.lost}:
                raise refusal(action_id, self.session.records.get(action_id))
            raise ToolError(
                f"{action_id} belongs to a running process, and only that can resolve it.",
                code="held",
                hint="Resolve it there.",
            )
        return action

    def _claim(self, action: PendingAction) -> PendingAction:
        self._refuse_interrupted(action)
        if self.request.action == "apply":
            self._refuse_apply(action)
        session = self.session
        locked = session.lock.directory is not None
        self.claim = Claim(action.id, session.id, locked, exchanges.open_call(session))
        who, reason = session.who, self.request.reason
        discarding = Condition(DISCARDING, "It is being discarded.")
        condition = None if self.request.action == "apply" else discarding
        session.records.commit(
            Move(action.id, "pending", "applying", condition, who, reason, self.claim)
        )
        return self._refuse(action.id)

    def _refuse_interrupted(self, action: PendingAction) -> None:
        """Refuses what an interrupted apply has left half done, until it is recovered."""
        if action.id not in dict(self.session.records.intents()):
            return
        sentence = action.condition.sentence if action.condition else "it is half done"
        if self.request.action == "apply":
            message = f"{action.id} needs attention: {sentence}"
            raise ToolError(message, code="blocked", hint=RECOVER)
        raise half_done(action.id, sentence)

    def _recovered(self, recovered: recovery.Recovery) -> ToolResult:
        """Returns how an apply that was interrupted has ended; it is recorded already."""
        action = recovered.action
        text = f"Applied: {one_line(action.label)} ({action.id}).\n{recovered.text}".rstrip()
        details = self.request.details(about(action)) | {"recovered": True}
        result = ToolResult(text, details=details)
        exchanges.commit_result(self.session, [], result)
        self._forget(action)
        return result

    def _refuse_apply(self, action: PendingAction) -> None:
        if action.condition == "outcome_unknown" and action.id not in self.session.run_again:
            raise ToolError(
                f"{action.id} may have run already: its apply was interrupted while it ran.",
                code="outcome_unknown",
                hint="Look at what it has done. Then discard it, or let a person run it again, on "
                f"a terminal: resolve apply {action.id}",
            )
        if action.handler is None or handlers.find(action.handler, self.session) is not None:
            return
        error = handlers.missing(action.handler, self.session)
        move = Move(action.id, "pending", "pending", Condition(error.code, str(error)))
        self.session.records.commit(move, self._audit(action, "failed", error))
        raise error

    def _resolve(self, action: PendingAction) -> ToolResult:
        context = Context(self.session, action, self.request.reason, self.signal)
        try:
            answer = self._call(action, context)
            if context.superseded_by is not None:
                raise superseded(context.superseded_by)
        except BaseException as error:
            return self._failed(action, context, error)
        result = self.request.result(answer, action.label, about(action))
        if result.is_error:
            self._back(action, ToolError(result.text, code="error"))
        else:
            closes_as = context.closes_as if self.request.action == "apply" else "discarded"
            self._close(action, closes_as, context, result)
        return result

    def _call(self, action: PendingAction, context: Context) -> Any:
        request, signal = self.request, self.signal
        name = "apply" if request.action == "apply" else "reject"
        if action.handler is not None:
            method = getattr(handlers.find(action.handler, self.session), name, None)
            if method is None:
                return None
            returned = method(self._payload(action), request.reason, request.extra, context)
            return self.waiting.answer(signal, returned, lambda: not context.committed)
        callback = action.apply if name == "apply" else action.reject
        if callback is None:
            return None
        watching = takes_signal(callback)
        returned = call(callback, request.reason, request.extra, signal)
        return self.waiting.answer(signal, returned, lambda: not watching)

    def _payload(self, action: PendingAction) -> Any:
        """Returns what the action stores; None for a discard of what is damaged."""
        try:
            return self.session.records.payload(action.id)
        except StoreError:
            if self.request.action == "apply":
                raise
            return None

    def _failed(self, action: PendingAction, context: Context, error: BaseException) -> ToolResult:
        """Returns a result if the work turns out to be done; otherwise raises."""
        code = error.code if isinstance(error, ToolError) else ""
        if code == "superseded" and context.superseded_by is not None:
            self._close(action, "superseded", context, ToolResult(str(error)))
            raise error
        if isinstance(error, Exception) and not isinstance(error, AbortError):
            self._hook(action, error)
        if context.committed:
            result = self._end_intent(action)
            if result is not None and isinstance(error, Exception):
                return result
        else:
            self._back(action, error)
        if isinstance(error, ToolError | AbortError) or not isinstance(error, Exception):
            raise error
        if self.request.action == "discard":
            raise error
        raise ToolError(f"Apply failed: {error}") from error

    def _hook(self, action: PendingAction, error: Exception) -> None:
        handler = handlers.find(action.handler, self.session) if action.handler else action
        hook = getattr(handler, "on_apply_error", None)
        if hook is None or self.request.action == "discard":
            return
        try:
            self.waiting.answer(None, hook(error), lambda: False)
        except Exception as second:
            error.add_note(f"The error hook failed too: {second}")

    def _end_intent(self, action: PendingAction) -> ToolResult | None:
        """Ends an intent that the handler left open, as a recovery would."""
        session = self.session
        intent = dict(session.records.intents())[action.id]
        recovered = recovery.ask(session, action, intent, self.waiting)
        session.records.commit(*recovery.ending(session, action, recovered, self.claim))
        if recovered.outcome != "applied":
            self._ask_again()
            return None
        self._forget(action)
        return self._recovered(recovery.Recovery(action, recovered.outcome, recovered.text))

    def _back(self, action: PendingAction, error: BaseException) -> None:
        """Makes the action pending again; that this fails never hides the failure itself."""
        code = error.code if isinstance(error, ToolError) else ""
        condition = Condition(code, str(error)) if code in CONDITIONS else None
        move = Move(action.id, "applying", "pending", condition)
        try:
            self.session.records.commit(move, self._audit(action, "failed", error))
        except ToolError as second:
            error.add_note(f"It could not be made pending again: {second}")
        self._ask_again()

    def _close(
        self, action: PendingAction, state: State, context: Context, result: ToolResult
    ) -> None:
        who, reason, (label, details) = self.session.who, self.request.reason, context.done
        move = Move(
            action.id, "applying", state, who=who, reason=reason, label=label, details=details
        )
        row = self._audit(action, state, None, result.text, context.files)
        row.label = label or row.label
        changes: list[StoreChange] = [*context.changes, move, row, DropIntent(action.id)]
        try:
            exchanges.commit_result(self.session, changes, result)
        except StoreError as error:
            error.add_note(f"{action.id} was {state}, but this could not be recorded.")
            raise
        self._forget(action)

    def _ask_again(self) -> None:
        if not self.session.workspace:
            self.session.gate.failed()

    def _forget(self, action: PendingAction) -> None:
        if not self.session.workspace:
            self.session.gate.forget(action.id)

    def _audit(
        self,
        action: PendingAction,
        outcome: str,
        error: BaseException | None,
        text: str = "",
        files: Sequence[Mapping[str, Any]] = (),
    ) -> AuditRow:
        return AuditRow.of(
            action,
            self.session.who,
            self.request.reason,
            outcome,
            code=_code(error),
            text=text or str(error or ""),
            files=files,
            session=self.session.id,
            call_id=exchanges.open_call(self.session),
        )


def about(action: PendingAction | None) -> dict[str, str]:
    """Returns what names an action in the details of a result, and on an error."""
    if action is None:
        return {}
    return {"sourceToolName": action.source_tool_name, "label": action.label, "actionId": action.id}


def _code(error: BaseException | None) -> str | None:
    if isinstance(error, AbortError):
        return "aborted"
    if isinstance(error, ToolError):
        return error.code
    return None if error is None else type(error).__name__


_POSITIONAL = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)


def call(
    callback: Callable[..., Any], reason: str, extra: Mapping[str, Any] | None, signal: object
) -> Any:
    """Calls `callback(reason[, extra][, signal])`.

    `extra` goes to a parameter of that name, or to a second positional one without a
    default; `signal` to a parameter of that name. A callback without parameters gets none.
    """
    try:
        bound = inspect.signature(callback).bind_partial()
    except ValueError:  # some built-ins do not tell
        return callback(reason)
    parameters = bound.signature.parameters
    named = {"extra": extra, "signal": signal}
    bound.arguments.update({name: named[name] for name in named if name in parameters})
    plain = [entry for entry in parameters.values() if entry.name not in named]
    positional = [entry for entry in plain if entry.kind in _POSITIONAL]
    if positional:
        bound.arguments[positional[0].name] = reason
    elif rest := [entry for entry in plain if entry.kind is inspect.Parameter.VAR_POSITIONAL]:
        bound.arguments[rest[0].name] = (reason,)
    second = positional[1:2]
    if second and second[0].default is inspect.Parameter.empty and "extra" not in parameters:
        bound.arguments[second[0].name] = extra
    return callback(*bound.args, **bound.kwargs)


def takes_signal(callback: Callable[..., Any]) -> bool:
    """True when the callback watches the abort signal itself."""
    try:
        return "signal" in inspect.signature(callback).parameters
    except ValueError:
        return False
