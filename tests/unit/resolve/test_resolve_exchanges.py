"""Exchanges: no tool call without a result, and one fold for every view."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from resolve import PendingAction, Session, SessionBusy, SqliteStore, ToolError, ToolResult
from resolve.exchanges import Exchange, view
from resolve.fold import ChatMessage, fold, paired
from resolve.records import Record
from resolve.store import PendingActionStore
from tests.support.gate.handlers import Recorder
from tests.support.gate.kill import finishes
from tests.support.gate.records import shape
from tests.support.lists import rows

ROWS = rows(Path(__file__).with_suffix(".txt"))


def test_a_call_is_recorded_before_it_runs_and_closed_once(session: Session) -> None:
    with session.exchange("c1", "read", {"path": "a"}) as exchange:
        assert shape(session.view()) == ["c1?"]
        assert exchange.close("content").text == "content"
        exchange.close("again")
    assert [record.kind for record in session.records.log(session.id)] == ["call", "result"]
    [done] = session.view().calls
    assert (done.arguments, done.answer.content) == (
        {"path": "a"},
        [{"type": "text", "text": "content"}],
    )


@pytest.mark.parametrize(
    ("error", "text"),
    [
        (ToolError("refused", hint="Do this."), "refused\nDo this."),
        (ValueError("broken"), "ValueError: broken"),
        (KeyboardInterrupt(), "Interrupted (KeyboardInterrupt)."),
        (asyncio.CancelledError(), "Interrupted (CancelledError)."),
    ],
)
def test_whatever_happens_inside_closes_the_call(
    session: Session, error: BaseException, text: str
) -> None:
    with pytest.raises(type(error)), session.exchange("c1", "read"):
        raise error
    [done] = session.view().calls
    assert done.answer.is_error
    assert done.answer.content == [{"type": "text", "text": text}]


def test_leaving_without_a_result_is_an_error(session: Session) -> None:
    with session.exchange("c1", "read"):
        pass
    assert session.view().calls[0].answer.is_error


def test_a_call_id_is_used_once(session: Session) -> None:
    with session.exchange("c1", "read") as exchange:
        exchange.close("ok")
    with pytest.raises(ToolError, match="'c1' is recorded already"):
        session.exchange("c1", "read")


def test_a_call_id_stays_used_as_long_as_it_is_shown_or_resolved_something(
    session: Session,
) -> None:
    session.store.push(PendingAction(label="change", apply=lambda reason: "done"))
    with session.exchange("c1", "resolve"):
        session.resolve("apply", "reviewed")
    for call_id in ("c2", "c3"):
        with session.exchange(call_id, "read") as exchange:
            exchange.close("ok")
    session.compact(keep=1)
    for call_id in ("c1", "c3"):  # in the audit, where recovery looks; and in the snapshot
        with pytest.raises(ToolError, match="is recorded already"):
            session.exchange(call_id, "read")
    with session.exchange("c2", "read") as exchange:
        exchange.close("again")
    assert session.view().open == []


@pytest.mark.parametrize(("given", "kept"), ROWS["unparseable arguments stay as they came"])
def test_unparseable_arguments_stay_as_they_came(
    session: Session, given: object, kept: object
) -> None:
    with session.exchange("c1", "read", given) as exchange:
        exchange.close("ok")
    assert session.view().calls[0].arguments == kept


def test_a_preview_is_registered_with_its_result(session: Session, recorder: Recorder) -> None:
    with session.exchange("c1", "edit", preview=True) as exchange:
        action = session.stage(handler="recorder", payload={}, label="change")
        assert (session.store.count, session.steering) == (0, [])
        exchange.close("1 preview")
    assert [one.id for one in session.store.list()] == [action.id]
    assert session.queue.inspect() == [f"resolve:{action.id}"]
    assert session.records.log(session.id)[-1].body["registers"] == [action.id]


def test_a_preview_that_fails_registers_nothing(session: Session, recorder: Recorder) -> None:
    with pytest.raises(ValueError, match="no"), session.exchange("c1", "edit", preview=True):
        session.stage(handler="recorder", payload={}, label="change")
        raise ValueError("no")
    assert (session.store.count, session.queue.inspect()) == (0, [])


def test_resolve_closes_its_call_with_the_action(session: Session, recorder: Recorder) -> None:
    session.stage(handler="recorder", payload={}, label="change")
    with session.exchange("c1", "resolve", {"action": "apply"}) as exchange:
        applied = session.resolve("apply", "reviewed")
        assert exchange.closed
    [done] = session.view().calls
    assert (done.answer.content, done.answer.details) == (applied.content, applied.details)
    assert session.records.audit()[0].call_id == "c1"


def test_a_failed_resolve_closes_its_call_as_an_error(session: Session, recorder: Recorder) -> None:
    recorder.fail = ToolError("moved", code="stale")
    session.stage(handler="recorder", payload={}, label="change")
    with pytest.raises(ToolError), session.exchange("c1", "resolve"):
        session.resolve("apply", "reviewed")
    assert session.view().calls[0].answer.is_error
    assert session.store.count == 1


def test_another_tool_may_resolve_without_losing_its_own_result(
    session: Session, recorder: Recorder
) -> None:
    session.stage(handler="recorder", payload={}, label="change")
    with session.exchange("c1", "wrapper") as exchange:
        session.resolve("apply", "reviewed")
        exchange.close("wrapped")
    assert session.view().calls[0].answer.content == [{"type": "text", "text": "wrapped"}]


async def test_exchanges_of_parallel_tasks_do_not_mix(session: Session, recorder: Recorder) -> None:
    async def one(call_id: str) -> None:
        with session.exchange(call_id, "edit", step=1, preview=True) as exchange:
            await asyncio.sleep(0)
            session.stage(handler="recorder", payload={}, label=call_id)
            await asyncio.sleep(0)
            exchange.close(call_id)

    await asyncio.gather(*(one(f"c{n}") for n in range(4)))
    assert {
        record.call_id: [session.store.get(one).label for one in record.body["registers"]]
        for record in session.records.log(session.id)
        if record.kind == "result"
    } == {f"c{n}": [f"c{n}"] for n in range(4)}
    assert len(session.view().blocks) == 1


def test_a_late_result_is_kept_as_a_message(session: Session) -> None:
    with session.exchange("c1", "fetch") as exchange:
        exchange.close("first")
    Exchange(session, "c1", "").close("from outside")
    assert shape(session.view())[1].startswith("{'lateResult': 'c1'")


def test_a_transcript_for_people_hides_nothing(session: Session) -> None:
    session.say("look \u202eat\x1b[2J this")
    with session.exchange("c1", "read", {"path": "a"}) as exchange:
        exchange.close(ToolResult("gone", is_error=True))
    assert session.view().transcript() == (
        "user: look \\u202eat\\x1b[2J this\nread {'path': 'a'}\nerror: gone"
    )


def test_compaction_keeps_what_is_open_pending_and_deferred(
    session: Session, recorder: Recorder
) -> None:
    for number in range(30):
        session.say(f"message {number}")
    session.stage(handler="recorder", payload={}, label="change")
    with session.exchange("c1", "slow") as exchange:
        session.say("meanwhile", "background")
        before = session.view()
        session.compact(keep=3, summary="thirty messages")
        after = session.view()
        assert shape(after) == ["thirty messages", "message 28", "message 29", "c1?"]
        assert (after.open, after.deferred, after.step) == (
            before.open,
            before.deferred,
            before.step,
        )
        assert [record.kind for record in session.records.log(session.id)] == ["snapshot"]
        exchange.close("done")
    assert shape(session.view())[-1] == "meanwhile"
    assert session.store.count == 1


def test_compaction_without_anything_to_cut_writes_nothing(session: Session) -> None:
    session.say("one")
    before = session.records.log(session.id)
    session.compact(keep=5)
    assert session.records.log(session.id) == before


def test_compaction_is_refused_while_an_apply_is_in_flight(
    session: Session, recorder: Recorder
) -> None:
    refused: list[str] = []

    def during(context: object) -> None:
        with pytest.raises(ToolError) as caught:
            session.compact(keep=0)
        refused.append(caught.value.code)

    recorder.during = during
    session.say("one")
    session.stage(handler="recorder", payload={}, label="change")
    session.resolve("apply", "reviewed")
    assert refused == ["busy"]
    session.compact(keep=0)
    assert len(session.view().blocks) == 1


def test_a_session_is_open_once_and_can_still_be_read(store: PendingActionStore) -> None:
    with Session(store, id="one") as session:
        session.say("hello")
        with pytest.raises(SessionBusy) as caught:
            Session(store, id="one")
        assert caught.value.code == "session_busy"
        assert shape(fold(store.log("one"))) == ["hello"]
        with Session(store, id="two"):
            pass
    with Session(store, id="one") as again:
        assert shape(view(again)) == ["hello"]


def test_a_session_that_nobody_refers_to_lets_go_of_its_lock(
    store: PendingActionStore, recorder: Recorder
) -> None:
    session = Session(store, id="one")
    session.stage(handler="recorder", payload={}, label="change")
    session.next_tool_choice()
    session.resolve("apply", "reviewed")
    del session
    Session(store, id="one").close()


@pytest.mark.parametrize("name", ["", "../up", "a/b", ".hidden", "x" * 101, "a\x00"])
def test_a_session_id_is_a_plain_name(store: PendingActionStore, name: str) -> None:
    with pytest.raises(ToolError, match="cannot name a session"):
        Session(store, id=name)


def interrupted_by(state: Path, work: Callable[[Session], None]) -> None:
    """Runs `work` in session "one" of another process, which then dies."""

    def run() -> None:
        import os
        import signal

        with SqliteStore(state) as store, Session(store, id="one") as session:
            work(session)
            os.kill(os.getpid(), signal.SIGKILL)

    assert not finishes(run)


@pytest.mark.parametrize(("tool", "preview", "text"), ROWS["interrupted calls"])
def test_an_interrupted_call_is_closed_when_the_session_opens(
    sqlite: SqliteStore, state: Path, tool: str, preview: bool, text: str
) -> None:
    def work(session: Session) -> None:
        session.say("before")
        session.exchange("c1", tool, {"a": 1}, preview=preview)
        session.say("while it ran")

    interrupted_by(state, work)
    for _ in range(2):
        with Session(sqlite, id="one") as session:
            view = session.view()
            assert view.calls[0].answer.content == [{"type": "text", "text": text}]
            assert view.calls[0].answer.is_error
            assert shape(view)[2:] == ["while it ran"]
            assert paired(view.context()).repaired == 0


def test_a_call_of_a_living_session_is_never_recovered(sqlite: SqliteStore, state: Path) -> None:
    with Session(sqlite, id="one") as session, session.exchange("c1", "slow") as exchange:
        other = SqliteStore(state)
        Session(other, id="two").close()
        with pytest.raises(SessionBusy):
            Session(other, id="one")
        other.close()
        assert [one.id for one in session.view().open] == ["c1"]
        exchange.close("done")


def test_a_volatile_action_of_a_dead_process_is_lost_and_the_first_view_says_so(
    sqlite: SqliteStore, state: Path
) -> None:
    def work(session: Session) -> None:
        session.store.push(PendingAction("rename 3 files", apply=lambda reason: None))

    interrupted_by(state, work)
    [action] = sqlite.list()
    for _ in range(2):
        with Session(sqlite, id="one") as session:
            assert session.store.count == 0
            [said] = session.view().blocks
            assert said == ChatMessage(
                "system",
                f"{action.id} (rename 3 files) is lost: its process ended. Nothing of it was done.",
            )
    found = sqlite.get(action.id)
    assert found is not None
    assert found.state == "lost"
    assert sqlite.audit()[0].outcome == "lost"


def test_a_volatile_action_of_a_living_process_is_held(sqlite: SqliteStore, state: Path) -> None:
    with Session(sqlite, id="one") as session:
        action = session.store.push(PendingAction("change", apply=lambda reason: "done"))
        elsewhere = SqliteStore(state)
        with Session(elsewhere, workspace=True) as other:
            assert other.lost == []
            [found] = other.store.list()
            assert (found.id, found.condition, found.apply) == (action.id, "held", None)
            for verb in ("apply", "discard"):
                with pytest.raises(ToolError) as caught:
                    other.resolve(verb, "by hand", target=action.id)
                assert caught.value.code == "held"
        elsewhere.close()
        assert session.resolve("apply", "here").text == "done"


def test_a_volatile_action_pushed_without_a_session_is_held_too(
    sqlite: SqliteStore, state: Path
) -> None:
    action = sqlite.push(PendingAction("change", apply=lambda reason: None))
    elsewhere = SqliteStore(state)
    with Session(elsewhere, workspace=True) as other:
        assert [one.condition for one in other.store.list()] == ["held"]
    elsewhere.close()
    found = sqlite.get(action.id)
    assert found is not None
    assert (found.state, found.condition) == ("pending", None)


def test_a_held_action_whose_process_ends_is_lost_when_someone_asks_for_it(
    sqlite: SqliteStore, state: Path
) -> None:
    with Session(sqlite, id="one"), Session(sqlite, workspace=True) as people:
        elsewhere = SqliteStore(state)
        owner = Session(elsewhere, id="two")
        action = owner.store.push(PendingAction("change", apply=lambda reason: None))
        owner.close()
        with pytest.raises(ToolError, match="was already lost at 20") as caught:
            people.resolve("apply", "by hand", target=action.id)
        assert caught.value.code == "already_resolved"
        assert [one.id for one in people.lost] == [action.id]
        elsewhere.close()


def test_a_sub_agents_call_runs_inside_its_parents(
    store: PendingActionStore, recorder: Recorder
) -> None:
    with Session(store) as parent, Session(store) as child:
        with parent.exchange("p1", "task") as outer, child.exchange("c1", "edit") as inner:
            mine = parent.stage(handler="recorder", payload={}, label="parent")
            theirs = child.stage(handler="recorder", payload={}, label="child")
            inner.close("1 preview")
            assert (parent.store.count, child.store.list()) == (0, [child.store.get(theirs.id)])
            outer.close("done")
        assert [action.id for action in parent.store.list()] == [mine.id]


def test_a_workspace_session_without_a_lock_shows_that_it_is_alive(
    store: PendingActionStore, recorder: Recorder
) -> None:
    with Session(store, workspace=True) as people, Session(store, workspace=True) as others:
        assert store.alive(people.id)
        recorder.during = lambda context: others.recover() and None
        people.stage(handler="recorder", payload={}, label="change")
        assert people.resolve("apply", "reviewed").text == "done"
        assert others.claimed is None


@pytest.mark.slow
def test_the_ten_thousandth_exchange_costs_what_the_first_does(
    sqlite: SqliteStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Counted in records that are read: time would tell of the machine."""
    read: list[int] = []
    log = SqliteStore.log

    def counting(store: SqliteStore, session: str, after: int = 0) -> list[Any]:
        records = log(store, session, after)
        read.append(len(records))
        return records

    body = {"tool": "t", "arguments": {}, "step": None, "preview": True}
    answer = {"content": [], "isError": False, "details": None, "registers": []}
    calls = [Record("one", "call", f"c{n}", body | {"step": n}) for n in range(1, 10_001)]
    ends = [Record("one", "result", call.call_id, answer) for call in calls]
    sqlite.commit(*(record for pair in zip(calls, ends, strict=True) for record in pair))
    with Session(sqlite, id="one") as session:
        assert len(session.view().calls) == 10_000
        with session.exchange("first", "t"):
            pass
        monkeypatch.setattr(SqliteStore, "log", counting)
        for number in range(20):
            with session.exchange(f"new{number}", "t") as exchange:
                exchange.close("done")
            assert session.view().step == 10_002 + number
        with pytest.raises(ToolError, match="recorded already"):
            session.exchange("c5000", "t")
        assert session.view().calls[-1].id == "new19"
    assert max(read) == 4  # of two exchanges, each the call and its result


def test_a_view_stays_as_it_was_taken(session: Session) -> None:
    with session.exchange("c1", "t", step=1) as exchange:
        before = session.view()
        session.say("meanwhile")
        exchange.close("done")
    with session.exchange("c2", "t", step=1):
        pass
    assert [call.answer for call in before.calls] == [None]
    assert before.deferred == [] and len(before.blocks) == 1
    assert [call.id for call in session.view().calls] == ["c1", "c2"]
