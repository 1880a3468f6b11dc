"""Custom tools: how one stages an action, and when the model gets `resolve`."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from resolve import (
    AbortSignal,
    PendingAction,
    Session,
    SqliteStore,
    Tool,
    ToolError,
    create_tools,
    queue_resolve_handler,
)
from resolve.loops.custom import CustomTools
from resolve.store import PendingActionStore


def preview(session: Session, label: str = "change") -> PendingAction:
    return queue_resolve_handler(
        session, label=label, source_tool_name="tool", apply=lambda reason: "done"
    )


def tool(name: str, **fields: bool) -> Tool:
    return Tool(name, **fields)


class TestCustomTools:
    def test_a_custom_tool_stages_through_its_api(self, session: Session) -> None:
        action = session.custom_tools.push_pending_action(
            label="Batch rename: 3 files",
            apply=lambda reason, extra: f"renamed, {extra['how']}",
            details={"files": 3},
        )
        assert action.source_tool_name == "custom_tool"
        assert session.store.peek() == action
        assert action.details == {"files": 3}
        assert session.resolve("apply", "ok", {"how": "all"}).text == "renamed, all"

    def test_without_a_store_it_says_so(self) -> None:
        with pytest.raises(ToolError) as caught:
            CustomTools(None).push_pending_action("x", lambda reason: None)
        assert str(caught.value) == (
            "Pending action store unavailable for custom tools in this runtime."
        )

    def test_every_session_binds_its_own_api(self, store: PendingActionStore) -> None:
        def factory(api: CustomTools) -> Tool:
            def execute(call_id: str, params: dict[str, str]) -> str:
                api.push_pending_action(params["label"], lambda reason: None)
                return "preview"

            return Tool("rename", "Rename", "Renames files.", {"type": "object"}, execute)

        with Session(store) as parent, Session(store) as child:
            tool = child.load_tool(factory)
            assert tool.execute is not None
            assert tool.execute("call-1", {"label": "child"}) == "preview"
            assert (parent.store.count, child.store.count) == (0, 1)


class TestCreateTools:
    def names(self, session: Session, requested: list[str] | None, *available: Tool) -> list[str]:
        return [made.name for made in create_tools(session, requested, available)]

    def test_resolve_is_there_when_a_tool_can_stage(self, session: Session) -> None:
        edit = tool("ast_edit", deferrable=True)
        assert self.names(session, None, edit) == ["ast_edit", "resolve"]
        assert self.names(session, ["ast_edit"], edit, tool("read")) == ["ast_edit", "resolve"]

    def test_resolve_is_not_there_without_need(self, session: Session) -> None:
        available = tool("read"), tool("ast_edit", deferrable=True)
        assert self.names(session, ["read"], *available) == ["read"]

    def test_a_standing_handler_is_a_need(self, session: Session) -> None:
        session.set_standing_resolve_handler(lambda given: None)
        assert self.names(session, ["read"], tool("read")) == ["read", "resolve"]

    def test_hidden_tools_cannot_be_requested(self, session: Session) -> None:
        hidden = tool("secret", hidden=True, deferrable=True)
        assert self.names(session, ["secret", "resolve"], hidden) == []

    def test_a_model_without_resolve_is_never_asked_for_it(self, session: Session) -> None:
        self.names(session, None, tool("write"))
        action = preview(session)
        assert [session.next_tool_choice() for _ in range(3)] == [None] * 3
        assert session.hold("write") is None
        assert session.steering == []
        assert session.store.peek() == action


def test_what_an_earlier_process_staged_can_be_resolved_without_a_tool_that_stages(
    tmp_path: Path,
) -> None:
    with SqliteStore(tmp_path / "state.db") as store:
        with Session(store, id="s") as session:
            session.stage(handler="h", payload=1, label="l")
        with Session(store, id="s", policy="forced") as session:
            names = [tool.name for tool in create_tools(session, None, [Tool("reads")])]
            assert names == ["reads", "resolve"]
            assert session.next_tool_choice() == {"type": "tool", "name": "resolve"}
        with Session(store, id="other") as session:  # it may not
            assert [tool.name for tool in create_tools(session, None, [Tool("reads")])] == ["reads"]


def push(session: Session, apply: Callable[..., object], **fields: object) -> PendingAction:
    return session.store.push(PendingAction(label="change", apply=apply, **fields))


def test_callbacks_take_what_their_signature_asks_for(session: Session) -> None:
    heard: list[object] = []

    def second(reason: str, options: object) -> None:
        heard.append((reason, options))

    def named(reason: str, *, extra: object, signal: AbortSignal) -> None:
        heard.append((reason, extra, signal.aborted))

    def default(reason: str, limit: int = 3) -> None:
        heard.append((reason, limit))

    def between(reason: str, signal: AbortSignal, options: object) -> None:
        heard.append((reason, signal.aborted, options))

    def by_place(reason: str, extra: object, /) -> None:
        heard.append((reason, extra))

    callbacks = (second, named, default, between, by_place, lambda: heard.append("bare"))
    for callback in (*callbacks, lambda *rest: heard.append(rest), heard.append):
        push(session, callback)
        session.resolve("apply", "why", {"k": 1})
    assert heard == [
        ("why", {"k": 1}),
        ("why", {"k": 1}, False),
        ("why", 3),
        ("why", False, {"k": 1}),
        ("why", {"k": 1}),
        "bare",
        ("why",),
        "why",
    ]


def test_a_built_in_that_hides_its_signature_gets_the_reason(session: Session) -> None:
    push(session, int)
    assert session.resolve("apply", "12").text == "12"
