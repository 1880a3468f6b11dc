"""One pure function from exchange records to everything that is shown of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, Literal

from resolve.records import Record
from resolve.visible import visible

Origin = Literal["user", "assistant", "background", "system"]


@dataclass(slots=True)
class Answer:
    """What a call came back with."""

    content: Any
    is_error: bool = False
    details: Any = None


@dataclass(slots=True)
class Call:
    """One tool call; open as long as it has no answer."""

    id: str
    tool: str
    arguments: Any
    preview: bool = False
    answer: Answer | None = None


@dataclass(slots=True)
class Batch:
    """The calls of one step of the model: never separated, each with its own answer."""

    step: int
    calls: list[Call] = field(default_factory=list)


@dataclass(slots=True)
class ChatMessage:
    """A message that is no tool result."""

    origin: Origin
    content: Any


@dataclass(slots=True)
class View:
    """A conversation as the records tell it.

    `blocks` in order; `deferred` arrived while a call was open and follow its answer;
    `step` is the highest step ever used. A message never stands between a call and its
    answer, and a call never has two.
    """

    blocks: list[Batch | ChatMessage] = field(default_factory=list)
    deferred: list[ChatMessage] = field(default_factory=list)
    step: int = 0

    @property
    def calls(self) -> list[Call]:
        """All calls, in order."""
        return [call for block in self.blocks if isinstance(block, Batch) for call in block.calls]

    @property
    def open(self) -> list[Call]:
        """The calls that have no answer yet, oldest first."""
        return [call for call in self.calls if call.answer is None]

    def call(self, call_id: str | None) -> Call | None:
        """Returns the call with this id."""
        return next((call for call in self.calls if call.id == call_id), None)

    def context(self) -> list[dict[str, Any]]:
        """Returns what a model is shown: neutral messages, calls before their answers."""
        return [message for block in self.blocks for message in _messages(block)]

    def transcript(self) -> str:
        """Returns what a person is shown, with hidden characters escaped."""
        return visible("\n".join(_line(message) for message in self.context()))

    def trimmed(self, keep: int, summary: Any) -> View:
        """Returns a view whose older blocks are one summary; the newest `keep` stay.

        The cut falls between blocks, so no call leaves its siblings or its answer, and
        before the oldest open call. Without anything to cut the view comes back as it is.
        """
        opened = [place for place, block in enumerate(self.blocks) if _is_open(block)]
        cut = min([max(len(self.blocks) - keep, 0), *opened])
        if cut == 0:
            return self
        blocks = [ChatMessage("system", summary), *self.blocks[cut:]]
        return View(blocks, self.deferred, self.step)

    def to_json(self) -> dict[str, Any]:
        """Returns the whole state, as a snapshot keeps it."""
        return asdict(self)


def fold(records: Iterable[Record], view: View | None = None) -> View:
    """Returns the view after these records; `view` is continued in place, if there is one."""
    view = View() if view is None else view
    for record in records:
        match record.kind:
            case "call":
                _call(view, record)
            case "result":
                _result(view, record)
            case "message":
                _say(view, ChatMessage(record.body["origin"], record.body["content"]))
            case "snapshot":
                view = _restored(record.body)
    return view


def _call(view: View, record: Record) -> None:
    body = record.body
    step = view.step + 1 if body["step"] is None else body["step"]
    call = Call(str(record.call_id), body["tool"], body["arguments"], body["preview"])
    view.step = max(view.step, step)
    for block in reversed(view.blocks):
        if isinstance(block, Batch) and block.step == step:
            block.calls.append(call)
            return
    view.blocks.append(Batch(step, [call]))


def _result(view: View, record: Record) -> None:
    body = record.body
    call = view.call(record.call_id)
    if call is None or call.answer is not None:
        late = {"lateResult": record.call_id, "content": body["content"]}
        _say(view, ChatMessage("background", late))
        return
    call.answer = Answer(body["content"], body["isError"], body["details"])
    if not view.open:
        view.blocks += view.deferred
        view.deferred = []


def _say(view: View, message: ChatMessage) -> None:
    (view.deferred if view.open else view.blocks).append(message)


def _is_open(block: Batch | ChatMessage) -> bool:
    return isinstance(block, Batch) and any(call.answer is None for call in block.calls)


def _restored(body: Mapping[str, Any]) -> View:
    blocks = [_restored_block(block) for block in body["blocks"]]
    return View(blocks, [ChatMessage(**message) for message in body["deferred"]], body["step"])


def _restored_block(body: Mapping[str, Any]) -> Batch | ChatMessage:
    if "origin" in body:
        return ChatMessage(**body)
    return Batch(body["step"], [_restored_call(call) for call in body["calls"]])


def _restored_call(body: Mapping[str, Any]) -> Call:
    answer = body["answer"]
    return Call(**{**body, "answer": None if answer is None else Answer(**answer)})


def _messages(block: Batch | ChatMessage) -> list[dict[str, Any]]:
    if isinstance(block, ChatMessage):
        return [{"role": block.origin, "content": block.content}]
    calls = [
        {"id": call.id, "tool": call.tool, "arguments": call.arguments} for call in block.calls
    ]
    answers = [_answer(call.id, call.answer) for call in block.calls if call.answer is not None]
    return [{"role": "assistant", "calls": calls}, *answers]


def _answer(call_id: str, answer: Answer) -> dict[str, Any]:
    content, is_error = answer.content, answer.is_error
    return {"role": "tool", "callId": call_id, "content": content, "isError": is_error}


def _line(message: Mapping[str, Any]) -> str:
    if message["role"] == "assistant":
        return "\n".join(f"{call['tool']} {call['arguments']}" for call in message["calls"])
    mark = "error" if message.get("isError") else message["role"]
    return f"{mark}: {text_of(message['content'])}"


def text_of(content: Any) -> str:
    """Returns the text of a content, whether a string or blocks."""
    if isinstance(content, list):
        return "\n".join(str(block.get("text", block)) for block in content)
    return str(content)
