"""Audit rows as `log --json` prints them."""

from __future__ import annotations

import asyncio
import sqlite3
import time
import warnings
from collections.abc import Callable
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from resolve import (
    AbortError,
    MemoryStore,
    PendingAction,
    Session,
    SqliteStore,
    Tool,
    ToolError,
    ToolResult,
)
from resolve.records import AuditRow


def test_a_row_prints_all_but_the_call_it_came_from() -> None:
    file = {"path": "a.py", "before": None, "after": "abc"}
    row = AuditRow("a1", "ast_edit", "1 edit", "cli", "tested", "failed", "stale", "No.", [file])
    row.session, row.call_id, row.seq, row.time = "s1", "c1", 7, datetime(2026, 1, 2, tzinfo=UTC)
    assert row.to_json() == {
        "seq": 7,
        "time": "2026-01-02T00:00:00.000Z",
        "actionId": "a1",
        "kind": "ast_edit",
        "label": "1 edit",
        "who": "cli",
        "reason": "tested",
        "outcome": "failed",
        "code": "stale",
        "text": "No.",
        "files": [file],
        "session": "s1",
    }


ODD = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(),
    st.binary(max_size=3),
    st.text(max_size=5),
    st.sampled_from(["\udc80", "user", "assistant", "resolve", object()]),
    st.lists(st.one_of(st.integers(), st.text(max_size=2)), max_size=2),
    st.dictionaries(st.one_of(st.text(max_size=2), st.integers()), st.integers(), max_size=2),
)


class Odd:
    """Ends an apply in every odd way that a handler has."""

    def apply(self, payload: Any, reason: str, extra: Any, context: Any) -> Any:
        way, value = VALUES[payload]
        match way:
            case "raises":
                raise ToolError("no", code=value)
            case "text":
                return ToolResult(value)
            case "done":
                context.record_done(value, {})
            case "beside":
                context.stage_beside(1, value, value)
            case "files":
                context.record_files([{"path": value}])
        return value


VALUES: list[tuple[str, Any]] = []


def calls_of(session: Session) -> dict[str, Callable[[Any], Any]]:
    """Every public call that records something, with one odd value in it."""

    def stage(**fields: Any) -> Any:
        return session.stage(**{"handler": "odd", "payload": 0, "label": "l", **fields})

    def exchange(value: Any, **fields: Any) -> None:
        with session.exchange(**{"call_id": "c", "tool": "t", **fields}) as exchange:
            exchange.close(value)

    def apply(way: str, value: Any) -> Any:
        VALUES.append((way, value))
        stage(payload=len(VALUES) - 1)
        return session.resolve("apply", "r")

    def standing(value: Any, **fields: Any) -> None:
        session.set_standing_resolve_handler(lambda params: value, **fields)
        session.store.clear()
        session.resolve("apply", "r")

    return {
        "label": lambda odd: stage(label=odd),
        "details": lambda odd: stage(details=odd),
        "handler": lambda odd: stage(handler=odd),
        "source": lambda odd: stage(source_tool_name=odd),
        "payload": lambda odd: stage(payload=odd),
        "volatile": lambda odd: session.store.push(PendingAction(label=odd, details=odd)),
        "answer": lambda odd: exchange(odd),
        "result": lambda odd: exchange(ToolResult("t", details=odd, is_error=odd)),
        "call": lambda odd: exchange("a", call_id=odd),
        "tool": lambda odd: exchange("a", tool=odd, call_id=str(time.time_ns())),
        "arguments": lambda odd: exchange("a", arguments=odd, call_id=str(time.time_ns())),
        "step": lambda odd: exchange("a", step=odd, call_id=str(time.time_ns())),
        "preview": lambda odd: exchange("a", preview=odd, call_id=str(time.time_ns())),
        "say": lambda odd: session.say(odd),
        "origin": lambda odd: session.say("text", odd),
        "compact": lambda odd: session.compact(1, odd),
        "standing": lambda odd: standing("a", label=odd),
        "standing source": lambda odd: standing("a", source_tool_name=odd),
        "standing answer": standing,
        "reason": lambda odd: session.resolve("apply", odd),
        "extra": lambda odd: session.resolve("apply", "r", odd),
        **{
            way: lambda odd, way=way: apply(way, odd)
            for way in ("raises", "text", "done", "beside", "files", "answered")
        },
    }


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(st.sampled_from(sorted(calls_of(Session()))), ODD), max_size=8))
def test_what_is_recorded_can_be_read(sequence: list[tuple[str, Any]]) -> None:
    own = {"odd": Odd()}
    with TemporaryDirectory() as folder, SqliteStore(Path(folder, "state.db")) as stored:
        for store in (MemoryStore(), stored):
            with Session(store, id="s", handlers=own) as session:
                for name, value in sequence:
                    try:
                        calls_of(session)[name](value)
                    except (ToolError, AbortError):
                        pass
                    except TypeError as error:  # what cannot even be called so
                        assert "argument" in str(error) or "hashable" in str(error), name
                    session.view().transcript()
                    session.view().context()
            states = ("pending", "applying", "applied", "discarded", "superseded")
            rows = [store.get(action.id) for action in store.select(states)]
            assert all(row is not None and isinstance(row.to_json(), dict) for row in rows)
            assert not store.claims()
            assert all(row.to_json() for row in store.audit())
        with Session(stored, id="s", handlers=own) as again:
            assert again.view().transcript() is not None


def test_details_are_any_json_value(tmp_path: Path) -> None:
    with SqliteStore(tmp_path / "state.db") as store, Session(store, id="s") as session:
        for details in ([1, 2], "text", 5, None, {"a": 1}):
            action = session.stage(handler="h", payload=1, label="l", details=details)
            assert session.store.find(action.id).to_json()["details"] == details
        with pytest.raises(ToolError, match="details holds a bytes") as caught:
            session.stage(handler="h", payload=1, label="l", details=b"x")  # type: ignore[arg-type]
        assert caught.value.code == "invalid"


def test_a_row_that_cannot_be_read_is_set_aside_and_named(tmp_path: Path) -> None:
    place = tmp_path / "state.db"
    with SqliteStore(place) as store, Session(store, id="s", handlers={"odd": Odd()}) as session:
        session.say("first")
        good = session.stage(handler="odd", payload=0, label="good")
        bad = session.stage(handler="odd", payload=0, label="bad")
        session.say("second")
    with closing(sqlite3.connect(place)) as database:
        database.execute("UPDATE actions SET created='when' WHERE id=?", (bad.id,))
        database.execute("UPDATE records SET body='[]' WHERE seq=1")
        database.commit()
    VALUES[:] = [("answered", "done")]
    own = {"odd": Odd()}
    with (
        warnings.catch_warnings(record=True, action="always") as warned,
        SqliteStore(place) as store,
        Session(store, id="s", handlers=own) as session,
    ):
        assert [action.id for action in session.store.list()] == [good.id]
        assert session.view().transcript() == "user: second"
        with pytest.raises(ToolError, match=bad.id) as caught:
            session.resolve("apply", "r", target=bad.id)
        assert caught.value.code == "store_damaged"
        assert session.resolve("apply", "r").details["actionId"] == good.id  # type: ignore[index]
        aside = [str(each.message) for each in warned]
        assert any(bad.id in text and "is set aside; all others" in text for text in aside)


def test_a_message_of_the_assistant_is_shown_as_text() -> None:
    session = Session()
    session.say("I will look at it.", "assistant")
    session.say([{"type": "text", "text": "so"}, "odd", 5], "assistant")
    assert session.view().transcript() == "assistant: I will look at it.\nassistant: so\nodd\n5"


def test_many_open_calls_are_closed_in_one_transaction(tmp_path: Path) -> None:
    with SqliteStore(tmp_path / "state.db") as store:
        with Session(store, id="s") as session:
            for number in range(2_000):
                session.exchange(f"c{number}", "resolve" if number % 2 else "t", {}, step=1)
        commits = []
        write = store.write
        store.write = lambda changes: (commits.append(len(changes)), write(changes))[1]  # type: ignore
        with Session(store, id="s") as session:
            assert session.view().open == []
            assert [count for count in commits if count] == [2_000]


def test_the_documented_loop_survives_a_tool_that_fails_and_one_that_is_not_there() -> None:
    text = (Path(__file__).parents[3] / "docs/gate.md").read_text()
    code = next(part for part in text.split("```python\n") if "async def run_agent" in part)
    names: dict[str, Any] = {"ToolError": ToolError}
    exec(code.partition("```")[0], names)
    turns = iter([[("nothing_of_that_name", {}), ("breaks", {})], []])

    def breaks(call_id: str, params: Any) -> None:
        raise ZeroDivisionError("division by zero")

    session = Session()
    tools = [Tool("breaks", execute=breaks)]
    assert asyncio.run(names["run_agent"](session, lambda *_: next(turns), tools)) == "done"
    answers = [call.answer for call in session.view().calls]
    assert [answer is not None and answer.is_error for answer in answers] == [True, True]
    assert "There is no tool 'nothing_of_that_name'" in session.view().transcript()
    assert "division by zero" in session.view().transcript()
