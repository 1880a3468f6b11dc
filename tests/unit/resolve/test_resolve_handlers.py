"""Handlers by name, and what a handler may ask of the gate."""

from __future__ import annotations

from pathlib import Path
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


def test_a_session_s_own_handlers_come_first_then_those_of_the_process(session: Session) -> None:
    handlers.register("answering")(Answering("of the process"))
    with Session(handlers={"answering": Answering("its own"), "other": Answering}) as own:
        for name in ("answering", "other"):
            own.stage(handler=name, payload={}, label=name)
        assert [own.resolve("apply", "t").text for _ in range(2)] == ["class", "its own"]
    session.stage(handler="answering", payload={}, label="a")
    assert session.resolve("apply", "t").text == "of the process"
    handlers.unregister("answering")


def declare(place: Path, name: str, value: str) -> None:
    """Installs a package that declares one handler, as far as Python looks at it."""
    info = place / "declaring-1.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: declaring\nVersion: 1\n")
    (info / "entry_points.txt").write_text(f"[resolve.handlers]\n{name} = {value}\n")


def test_then_those_that_packages_declare(
    session: Session, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    declare(tmp_path, "declared", "declaring:Declared")
    text = "class Declared:\n    def apply(self, *_):\n        return 'from elsewhere'\n"
    (tmp_path / "declaring.py").write_text(text)
    monkeypatch.syspath_prepend(tmp_path)
    session.stage(handler="declared", payload={}, label="a")
    assert session.resolve("apply", "t").text == "from elsewhere"
    handlers.unregister("declared")


def test_a_package_that_is_broken_leaves_the_action_pending(
    session: Session, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    declare(tmp_path, "broken", "no_such_module:Handler")
    monkeypatch.syspath_prepend(tmp_path)
    session.stage(handler="broken", payload={}, label="a")
    with pytest.raises(ToolError, match="no_such_module") as caught:
        session.resolve("apply", "t")
    assert caught.value.code == "handler_missing"
    assert session.store.count == 1
    session.resolve("discard", "cannot be had")


def test_an_unknown_name_names_the_package_to_install(session: Session) -> None:
    handlers.register("answering")(Answering)
    action = session.stage(handler="answering", payload={}, label="a")
    handlers.unregister("answering")
    with pytest.raises(ToolError) as caught:
        session.resolve("apply", "t")
    assert f"the package {__name__.partition('.')[0]} has it" in str(caught.value)
    found = session.store.get(action.id)
    assert found is not None and (found.state, found.condition) == ("pending", "handler_missing")
    session.stage(handler="of nobody", payload={}, label="a")
    with pytest.raises(ToolError, match="the package that declares 'of nobody'"):
        session.resolve("apply", "t")


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
