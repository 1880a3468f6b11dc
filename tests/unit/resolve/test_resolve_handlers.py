"""Handlers by name, and what a handler may ask of the gate."""

from __future__ import annotations

from typing import Any

import pytest

from resolve import AbortError, Session, ToolError, handlers
from resolve.handlers import Context
from tests.support.gate.handlers import Recorder


class Answering:
    def __init__(self, text: str = "class") -> None:
        self.text = text

    def apply(self, payload: Any, reason: str, extra: Any, context: Context) -> str:
        return self.text


def test_a_class_is_made_once_and_an_object_stays_itself() -> None:
    assert handlers.register("answering")(Answering) is Answering
    made = handlers.get("answering")
    assert isinstance(made, Answering) and handlers.get("answering") is made
    other = Answering("object")
    handlers.register("answering")(other)
    assert handlers.get("answering") is other
    handlers.unregister("answering")
    handlers.unregister("answering")
    assert handlers.get("answering") is None


def test_progress_goes_to_who_waits(session: Session, recorder: Recorder) -> None:
    heard: list[tuple[int, int]] = []
    recorder.during = lambda context: context.progress(1, 2)
    session.stage(handler="recorder", payload={}, label="nobody waits")
    session.resolve("apply", "t")
    session.on_progress = lambda done, total: heard.append((done, total))
    session.stage(handler="recorder", payload={}, label="somebody does")
    session.resolve("apply", "t")
    assert heard == [(1, 2)]


def test_an_intent_can_be_taken_back(session: Session, recorder: Recorder) -> None:
    seen: list[tuple[bool, list[str]]] = []

    def during(context: Context) -> None:
        context.commit_intent({"n": 1}, {"hash": b"image"})
        seen.append((context.committed, [intent for _, intent in session.records.intents()]))
        assert context.image("hash") == b"image"
        context.withdraw_intent()
        seen.append((context.committed, session.records.intents()))
        raise ToolError("not now")

    recorder.during = during
    action = session.stage(handler="recorder", payload={}, label="change")
    with pytest.raises(ToolError, match="not now"):
        session.resolve("apply", "t")
    assert seen == [(True, [{"n": 1}]), (False, [])]
    assert session.store.peek().id == action.id


def test_an_abort_stops_at_the_commit_point(session: Session, recorder: Recorder) -> None:
    def during(context: Context) -> None:
        context.signal.abort("enough")
        context.commit_intent({}, {})

    recorder.during = during
    session.stage(handler="recorder", payload={}, label="change")
    with pytest.raises(AbortError, match="enough"):
        session.resolve("apply", "t")
    assert (session.records.intents(), session.store.count) == ([], 1)
