"""The last look before a transcript goes to a model: every call, exactly one answer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

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
