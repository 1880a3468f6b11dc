"""The `resolve` tool: who answers, and what the answer looks like."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from resolve.abort import AbortSignal, Blocking, Looping, beside_loop, refuse_in_event_loop
from resolve.actions import listing
from resolve.errors import AbortError, ToolError
from resolve.exchanges import commit_result, open_call
from resolve.records import AuditRow
from resolve.resolution import Request, Resolution
from resolve.results import ToolResult
from resolve.state import SessionState
from resolve.storage.rows import strict_json

DESCRIPTION = """\
Applies or discards a pending action: a change that was previewed and not made yet.
Nothing of it is done before `apply`; `discard` drops it. Without `target` it answers for
the newest pending action of this session."""

INPUT_SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "action": {
            "type": "string",
            "enum": ["apply", "discard"],
            "description": "apply makes the previewed change; discard drops it.",
        },
        "reason": {"type": "string", "minLength": 1, "description": "One sentence: why."},
        "extra": {"type": "object", "description": "Passed to the action's handler as it is."},
        "target": {"type": "string", "description": "The id of a pending action."},
    },
    "required": ["action", "reason"],
    "additionalProperties": False,
}


class ResolveTool:
    """The tool that ends pending actions, bound to one session.

    An expected failure raises `ToolError` (or `AbortError`), and then the action is still
    pending. It is hidden: in an in-process runtime `create_tools` adds it when needed.
    """

    name = "resolve"
    label = "Resolve"
    hidden = True
    deferrable = False
    mutating = True
    description = DESCRIPTION
    input_schema = INPUT_SCHEMA

    def __init__(self, session: SessionState) -> None:
        self.session = session

    async def execute(
        self, params: Mapping[str, Any], signal: AbortSignal | None = None
    ) -> ToolResult:
        """Resolves what `params` mean, and never blocks the running event loop.

        The work is done in a thread; handlers and callbacks that are coroutines run on the
        loop, plain functions in that thread.
        """
        waiting = Looping()
        return await beside_loop(lambda own: self._run(params, own, waiting), signal)

    def run(self, params: Mapping[str, Any], signal: AbortSignal | None = None) -> ToolResult:
        """Does the same without an event loop; `RuntimeError` inside a running one."""
        refuse_in_event_loop()
        return self._run(params, signal, Blocking())

    def _run(
        self, params: Mapping[str, Any], signal: AbortSignal | None, waiting: Blocking
    ) -> ToolResult:
        request = parse(params)
        signal = signal or AbortSignal()
        signal.throw_if_aborted()
        target = self._bound(request.target)
        invoker = self.session.gate.queue.peek_in_flight_invoker()
        if target is None and invoker is not None:
            return self._ask(invoker, request, signal, waiting, "queue", {})
        if target is None and (newest := self.session.store.peek()) is not None:
            target = newest.id  # one of another session needs its id
        if target is not None:
            return Resolution(self.session, request, signal, waiting).run(target)
        session = self.session
        if session.standing is not None:
            about = {"sourceToolName": session.standing_source, "label": session.standing_label}
            shown = {key: value for key, value in about.items() if value is not None}
            return self._ask(session.standing, request, signal, waiting, "standing", shown)
        raise self._nothing()

    def _bound(self, target: str | None) -> str | None:
        """Returns the target, or else the action of the directive in flight, now taken."""
        flight = self.session.gate.queue.in_flight
        if flight is None or flight.invoked:
            return target
        asked_for = flight.directive.action_id
        if target is None and asked_for is not None:
            records = self.session.records
            if records.get(asked_for) is None and not records.select(("pending",), limit=1):
                self.session.gate.redirect()  # it was taken off the stack
                return None
            self.session.gate.refuse_ambiguous(asked_for)
        flight.invoked = asked_for is not None and target in (None, asked_for)
        return asked_for if flight.invoked else target

    def _nothing(self) -> ToolError:
        foreign = self.session.records.select(("pending",), limit=20)
        if foreign:
            return ToolError(
                f"Nothing of this session is pending; of other sessions:\n{listing(foreign)}",
                code="ambiguous",
                hint="To resolve one of these all the same, give its id as `target`.",
            )
        self.session.gate.drop_phantoms()
        return ToolError(
            "No pending action to resolve. Nothing to apply or discard.",
            code="nothing_pending",
            hint="Preview a change first.",
        )

    def _ask(
        self,
        callback: Callable[[Any], Any],
        request: Request,
        signal: AbortSignal,
        waiting: Blocking,
        kind: str,
        shown: Mapping[str, str],
    ) -> ToolResult:
        """Lets a standing handler or a queue invoker answer, as details name it if they do."""
        try:
            returned = waiting.answer(signal, callback(request.to_json()), lambda: True)
        except (ToolError, AbortError):
            raise
        except Exception as error:
            if request.action == "discard":
                raise
            raise ToolError(f"Apply failed: {error}") from error
        label = shown.get("label", "")
        result = request.result(returned, label or "pending action", shown)
        outcome = "applied" if request.action == "apply" else "discarded"
        row = AuditRow(
            None,
            kind,
            label,
            self.session.who,
            request.reason,
            "failed" if result.is_error else outcome,
            text=result.text,
            session=self.session.id,
            call_id=open_call(self.session),
        )
        commit_result(self.session, [row], result)
        return result


def parse(params: Mapping[str, Any]) -> Request:
    """Returns a valid request, or raises `ToolError(code="invalid")` before any look-up."""
    if not isinstance(params, Mapping):
        raise _invalid("The parameters are not an object.")
    unknown = sorted(map(str, set(params) - set(INPUT_SCHEMA["properties"])))
    if unknown:
        raise _invalid(f"Unknown parameters: {', '.join(unknown)}.")
    action, reason = params.get("action"), params.get("reason")
    extra, target = params.get("extra"), params.get("target")
    if action not in ("apply", "discard"):
        raise _invalid(f"`action` is {action!r}.")
    if not isinstance(reason, str) or not reason.strip():
        raise _invalid("`reason` is missing or blank.")
    if extra is not None and not isinstance(extra, Mapping):
        raise _invalid("`extra` is not an object.")
    if target is not None and (not isinstance(target, str) or not target):
        raise _invalid("`target` is not the id of an action.")
    strict_json({"reason": reason, "extra": extra, "target": target}, "parameters")
    return Request(action, reason, extra, target)


def _invalid(message: str) -> ToolError:
    return ToolError(
        message,
        code="invalid",
        hint='Give action ("apply" or "discard"), reason (a sentence), '
        "and if needed extra (an object) and target (an action id).",
    )
