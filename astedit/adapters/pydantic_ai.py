"""astedit for pydantic-ai: a toolset whose applies a person approves, and the history.

    with SqliteStore(path) as store, Session(store, id="conversation-1", lock=root) as session:
        agent = Agent(model, toolsets=[AstEditToolset(session, root)],
                      output_type=[str, DeferredToolRequests])
        answer = await converse(agent, session, "Rename f to g", decide=ask_a_person)

Needs the extra `pydantic-ai`. The conversation is the session's record: opened again after
a kill, `history(session)` is one that every provider accepts, and `converse` goes on.
"""

import asyncio
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pydantic_ai import Agent, DeferredToolRequests, DeferredToolResults, RunContext, ToolDenied
from pydantic_ai.capabilities import AbstractCapability
from pydantic_ai.exceptions import ApprovalRequired, ToolFailed
from pydantic_ai.messages import (
    ModelMessage,
    ModelRequest,
    ModelResponse,
    SystemPromptPart,
    TextPart,
    ToolCallPart,
    ToolReturnPart,
    UserPromptPart,
)
from pydantic_ai.settings import ModelSettings
from pydantic_ai.tools import ToolDefinition
from pydantic_ai.toolsets import AbstractToolset, ToolsetTool
from pydantic_core import SchemaValidator, core_schema

from astedit.agents.loop import RecordedTools
from astedit.agents.tools.specs import ToolSpec, toolset
from resolve import AbortSignal, GateIgnored, Session, ToolError, ToolResult, paired
from resolve.fold import text_of

_ANYTHING = SchemaValidator(core_schema.any_schema())  # our own check names what is wrong


@dataclass(frozen=True, slots=True)
class Asked:
    """An apply that waits for approval: which action, what it would do, and why."""

    call_id: str
    action_id: str | None
    label: str
    reason: str


Decide = Callable[[Asked], bool | str | Awaitable[bool | str]]
"""True lets the apply run; False, or a sentence for the model, denies it."""


class AstEditToolset(AbstractToolset[Any]):
    """ast_edit, ast_grep, locate, pending and resolve for one agent and one session.

    With `approval` (the default) `resolve` with action "apply" is deferred until it is
    approved, and then it is of the action that was asked about; everything else runs at
    once. Calls run one after another, since they share one stack.
    """

    def __init__(self, session: Session, root: str, *, approval: bool = True) -> None:
        self.tools = RecordedTools.of(session, root)
        self._approval = approval
        self._asked: dict[str, str] = {}
        self._steps: dict[str, int] = {}

    @property
    def id(self) -> str:
        return "astedit"

    async def get_tools(self, ctx: RunContext[Any]) -> dict[str, ToolsetTool[Any]]:
        return {spec.name: self._tool(spec) for spec in toolset()}

    async def call_tool(
        self, name: str, tool_args: dict[str, Any], ctx: RunContext[Any], tool: ToolsetTool[Any]
    ) -> Any:
        call_id = str(ctx.tool_call_id)
        if self._approval and name == "resolve" and tool_args.get("action") == "apply":
            tool_args = self._approved(call_id, tool_args, ctx)
        step = self._step(call_id, ctx)
        result = await _in_thread(self.tools.call, call_id, name, tool_args, step)
        if result.is_error:
            raise ToolFailed(result.text)
        return result.text

    def _tool(self, spec: ToolSpec) -> ToolsetTool[Any]:
        declared = ToolDefinition(
            name=spec.name,
            description=spec.description,
            parameters_json_schema=spec.schema,
            sequential=True,
        )
        return ToolsetTool(toolset=self, tool_def=declared, max_retries=0, args_validator=_ANYTHING)

    def _approved(
        self, call_id: str, values: dict[str, Any], ctx: RunContext[Any]
    ) -> dict[str, Any]:
        """The arguments bound to the action that was approved; asks if nobody has yet."""
        if ctx.tool_call_approved:
            return {**values, "target": self._asked.pop(call_id, values.get("target"))}
        try:
            action = self.tools.session.store.find(str(values.get("target", "")))
        except ToolError:
            return values  # the call says what is wrong with it; there is nothing to approve
        self._asked[call_id] = action.id
        raise ApprovalRequired({"actionId": action.id, "label": action.label})

    def _step(self, call_id: str, ctx: RunContext[Any]) -> int:
        """The number of the model's answer that this call is in: its calls stay together."""
        answer = next(filter(lambda ids: call_id in ids, _answers(ctx.messages)), [call_id])
        known = [self._steps[one] for one in answer if one in self._steps]
        step = known[0] if known else self.tools.session.view().step + 1
        self._steps[call_id] = step
        return step


class ResolveFirst(AbstractCapability[Any]):
    """Asks the session before each request to the model whether it must call `resolve`.

    With the session's policy "soft" the model has one turn of its own after a preview,
    with "forced" none. After an apply was denied it is not asked again until it has staged
    something new. It is a reminder: where the provider cannot force a tool, or when
    the model has ignored it often enough, the action just stays pending.
    """

    def __init__(self, session: Session) -> None:
        self._session = session

    def get_model_settings(self) -> Callable[[RunContext[Any]], ModelSettings]:
        return self._choice

    def _choice(self, ctx: RunContext[Any]) -> ModelSettings:
        try:
            must = self._session.next_tool_choice() is not None
        except GateIgnored:  # the run may end; the next one is asked again
            must = False
        return ModelSettings(tool_choice=["resolve"]) if must else ModelSettings()


async def _in_thread(call: Callable[..., ToolResult], *args: Any) -> ToolResult:
    """Runs it beside the loop; a cancelled task stops it before it commits to writing."""
    signal = AbortSignal()
    running = asyncio.ensure_future(asyncio.to_thread(call, *args, signal))
    try:
        return await asyncio.shield(running)
    except asyncio.CancelledError:
        signal.abort("cancelled")
        await asyncio.wait([running])  # its result is recorded, whatever it came to
        running.exception()
        raise


def _answers(messages: Sequence[ModelMessage]) -> Iterator[list[str]]:
    """The ids of the calls of each answer of the model, the newest first."""
    for message in reversed(messages):
        if isinstance(message, ModelResponse):
            yield [part.tool_call_id for part in message.parts if isinstance(part, ToolCallPart)]


async def converse(
    agent: Agent[Any, Any], session: Session, prompt: str | None = None, *, decide: Decide
) -> str:
    """Runs the agent until it answers in text, asking `decide` about every apply.

    The prompt and the answer are recorded. Without a prompt the conversation goes on where
    the record ends: so it is continued in a process that follows one that was killed.
    """
    if prompt is not None:
        session.say(prompt)
    known = history(session)
    if known and isinstance(known[-1], ModelResponse):
        return known[-1].text or ""  # it was answered before the process ended
    result = await agent.run(message_history=known)
    while isinstance(result.output, DeferredToolRequests):
        decided = await decisions(session, result.output, decide)
        messages = result.all_messages()
        result = await agent.run(message_history=messages, deferred_tool_results=decided)
    session.say(str(result.output), "assistant")
    return str(result.output)


async def decisions(
    session: Session, requests: DeferredToolRequests, decide: Decide
) -> DeferredToolResults:
    """Asks about every apply that waits. A denial is recorded as the answer of its call."""
    results = DeferredToolResults()
    for call in requests.approvals:
        about = requests.metadata.get(call.tool_call_id, {})
        values = call.args_as_dict()
        asked = Asked(
            call.tool_call_id, about.get("actionId"), about.get("label", call.tool_name),
            str(values.get("reason", "")),
        )  # fmt: skip
        verdict = decide(asked)
        if not isinstance(verdict, bool | str):
            verdict = await verdict
        denied = "The apply was denied; the action is still pending."
        if verdict is True:
            results.approvals[call.tool_call_id] = True
        else:
            denied = verdict if isinstance(verdict, str) else denied
            _record_denial(session, call, values, denied)
            session.gate.rest()
            results.approvals[call.tool_call_id] = ToolDenied(denied)
    return results


def _record_denial(
    session: Session, call: ToolCallPart, values: Mapping[str, Any], message: str
) -> None:
    with session.exchange(call.tool_call_id, call.tool_name, values, preview=True) as exchange:
        exchange.close(ToolResult(message, details={"code": "denied"}, is_error=True))


def history(session: Session) -> list[ModelMessage]:
    """The conversation as the record has it: each call with exactly one answer beside it."""
    messages: list[ModelMessage] = []
    names: dict[str, str] = {}
    for message in paired(session.view().context()).messages:
        names.update({call["id"]: call["tool"] for call in message.get("calls", ())})
        _append(messages, _message(message, names))
    return messages


def _append(messages: list[ModelMessage], new: ModelMessage) -> None:
    """Adds a message; two in a row of one side are one."""
    last = messages[-1] if messages else None
    if last is not None and last.kind == new.kind:
        last.parts = [*last.parts, *new.parts]
    else:
        messages.append(new)


def _message(message: Mapping[str, Any], names: Mapping[str, str]) -> ModelMessage:
    if message["role"] == "assistant":
        calls = message.get("calls", ())
        parts = [ToolCallPart(one["tool"], one["arguments"], one["id"]) for one in calls]
        text = [TextPart(text_of(message["content"]))] if "content" in message else []
        return ModelResponse([*text, *parts])
    content = text_of(message["content"])
    if message["role"] == "system":
        return ModelRequest([SystemPromptPart(content)])
    if message["role"] != "tool":
        return ModelRequest([UserPromptPart(content)])
    outcome: Any = "failed" if message["isError"] else "success"
    call_id = message["callId"]
    return ModelRequest([ToolReturnPart(names[call_id], content, call_id, outcome=outcome)])
