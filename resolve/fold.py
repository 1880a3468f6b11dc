"""One pure function from exchange records to everything that is shown of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any, NamedTuple

from resolve.records import Origin, Record
from resolve.visible import visible


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
        opened = [
            place
            for place, block in enumerate(self.blocks)
            if isinstance(block, Batch) and any(call.answer is None for call in block.calls)
        ]
        cut = min([max(len(self.blocks) - keep, 0), *opened])
        if cut == 0:
            return self
        return View([ChatMessage("system", summary), *self.blocks[cut:]], self.deferred, self.step)

    def to_json(self) -> dict[str, Any]:
        """Returns the whole state, as a snapshot keeps it."""
        return asdict(self)


def fold(records: Iterable[Record], view: View | None = None) -> View:
    """Returns the view after these records; `view` is continued, if there is one."""
    folding = Folding(view)
    for record in records:
        folding.add(record)
    return folding.view


class Folding:
    """A fold that is kept: the next record costs the same, however long the conversation is.

    What a snapshot has is replaced, never changed, so that `snapshot` costs next to nothing.
    """

    def __init__(self, view: View | None = None) -> None:
        self._begin(View() if view is None else view)

    def _begin(self, view: View) -> None:
        self.view = view
        self._batches: dict[int, int] = {}  # where the batch of a step is
        self._calls: dict[str, tuple[int, int]] = {}  # where a call is: its batch, its place
        self._own: set[int] = set()  # where batches are that no snapshot has
        self._open = 0
        for place, block in enumerate(view.blocks):
            if isinstance(block, Batch):
                self._note(place, block)

    def snapshot(self) -> View:
        """Returns the view as it is now; what is added later does not change it."""
        view = self.view
        self._own.clear()
        return View(list(view.blocks), list(view.deferred), view.step)

    def add(self, record: Record) -> None:
        """Continues the view by one record."""
        match record.kind:
            case "call":
                self._call(record)
            case "result":
                self._result(record)
            case "message":
                self._say(ChatMessage(record.body["origin"], record.body["content"]))
            case "snapshot":
                self._begin(_restored(record.body))

    def _note(self, place: int, batch: Batch) -> None:
        self._batches[batch.step] = place
        for number, call in enumerate(batch.calls):
            self._calls.setdefault(call.id, (place, number))
            self._open += call.answer is None

    def _call(self, record: Record) -> None:
        body, view = record.body, self.view
        step = view.step + 1 if body["step"] is None else body["step"]
        call = Call(str(record.call_id), body["tool"], body["arguments"], body["preview"])
        view.step = max(view.step, step)
        place = self._batches.setdefault(step, len(view.blocks))
        if place == len(view.blocks):
            view.blocks.append(Batch(step))
        calls = self._batch(place).calls
        self._calls.setdefault(call.id, (place, len(calls)))
        calls.append(call)
        self._open += 1

    def _result(self, record: Record) -> None:
        body = record.body
        place, number = self._calls.get(str(record.call_id), (-1, -1))
        calls = self._batch(place).calls if place >= 0 else []
        if not calls or calls[number].answer is not None:
            late = {"lateResult": record.call_id, "content": body["content"]}
            self._say(ChatMessage("background", late))
            return
        answer = Answer(body["content"], body["isError"], body["details"])
        calls[number] = replace(calls[number], answer=answer)
        self._open -= 1
        if not self._open:
            self.view.blocks += self.view.deferred
            self.view.deferred = []

    def _say(self, message: ChatMessage) -> None:
        (self.view.deferred if self._open else self.view.blocks).append(message)

    def _batch(self, place: int) -> Batch:
        """The batch there, to be changed: a copy once, where a snapshot has it."""
        batch = self.view.blocks[place]
        assert isinstance(batch, Batch)
        if place not in self._own:
            batch = self.view.blocks[place] = Batch(batch.step, list(batch.calls))
            self._own.add(place)
        return batch


def _restored(body: Mapping[str, Any]) -> View:
    blocks: list[Batch | ChatMessage] = []
    for block in body["blocks"]:
        if "origin" in block:
            blocks.append(ChatMessage(**block))
            continue
        batch = Batch(block["step"])
        for call in block["calls"]:
            answer = call["answer"] and Answer(**call["answer"])
            batch.calls.append(Call(**{**call, "answer": answer}))
        blocks.append(batch)
    return View(blocks, [ChatMessage(**message) for message in body["deferred"]], body["step"])


def _messages(block: Batch | ChatMessage) -> list[dict[str, Any]]:
    if isinstance(block, ChatMessage):
        return [{"role": block.origin, "content": block.content}]
    calls = [
        {"id": call.id, "tool": call.tool, "arguments": call.arguments} for call in block.calls
    ]
    answers = [
        {"role": "tool", "callId": call.id, "content": one.content, "isError": one.is_error}
        for call in block.calls
        if (one := call.answer) is not None
    ]
    return [{"role": "assistant", "calls": calls}, *answers]


def _line(message: Mapping[str, Any]) -> str:
    if "calls" in message:
        return "\n".join(f"{call['tool']} {call['arguments']}" for call in message["calls"])
    mark = "error" if message.get("isError") else message["role"]
    return f"{mark}: {text_of(message['content'])}"


def text_of(content: Any) -> str:
    """Returns the text of a content, whether a string or blocks."""
    if isinstance(content, list):
        blocks = (b.get("text", b) if isinstance(b, Mapping) else b for b in content)
        return "\n".join(map(str, blocks))
    return str(content)


Messages = Sequence[Mapping[str, Any]]
MISSING = "Interrupted: the outcome is unknown. Do not assume success."


class Paired(NamedTuple):
    """Messages that every provider accepts, and how many places had to be repaired."""

    messages: list[dict[str, Any]]
    repaired: int


def paired(messages: Messages) -> Paired:
    """Returns the messages of `View.context` with each call followed by its one answer.

    Repairs only what is returned, never a record: a missing answer becomes an error, a
    second or orphan one is left out, one further away is brought next to its call.
    """
    answers: dict[str, Mapping[str, Any]] = {}
    for message in messages:
        if message["role"] == "tool":
            answers.setdefault(message["callId"], message)
    in_place = _adjacent(messages)
    result: list[dict[str, Any]] = []
    paired_count = moved = missing = 0
    for message in messages:
        if message["role"] == "tool":
            continue
        result.append(dict(message))
        for call in message.get("calls", ()):
            answer = answers.pop(call["id"], None)
            missed = {"role": "tool", "callId": call["id"], "content": MISSING, "isError": True}
            result.append(dict(answer or missed))
            missing += answer is None
            paired_count += answer is not None
            moved += answer is not None and id(answer) not in in_place
    left_out = sum(message["role"] == "tool" for message in messages) - paired_count
    return Paired(result, moved + missing + left_out)


def _adjacent(messages: Messages) -> set[int]:
    """Returns the answers that stand with the step that called for them."""
    answers: set[int] = set()
    called: set[str] = set()
    for message in messages:
        if message["role"] != "tool":
            called = {call["id"] for call in message.get("calls", ())}
        elif message["callId"] in called:
            answers.add(id(message))
    return answers
