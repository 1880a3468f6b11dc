"""Cancellation: before the start, before and after the commit point."""

from __future__ import annotations

import asyncio
import fcntl
import os
import threading
from pathlib import Path

import pytest

from resolve import AbortError, AbortSignal, PendingAction, ResolveTool, Session, until_aborted
from resolve.handlers import Context
from resolve.store import PendingActionStore
from tests.support.gate.handlers import Recorder

APPLY = {"action": "apply", "reason": "reviewed"}


def state(session: Session, action: PendingAction) -> str:
    found = session.store.get(action.id)
    assert found is not None
    return found.state


def test_a_signal_says_so_once() -> None:
    signal, told = AbortSignal(), []
    signal.listen(lambda: told.append("early"))
    signal.listen(lambda: told.append("never"))()
    signal.throw_if_aborted()
    signal.abort("enough")
    signal.abort("again")
    signal.listen(lambda: told.append("late"))
    assert (signal.aborted, signal.cancelled, signal.reason) == (True, True, "enough")
    assert told == ["early", "late"]
    with pytest.raises(AbortError, match="enough") as caught:
        signal.throw_if_aborted()
    assert caught.value.reason == "enough"


class TestUntilAborted:
    def test_without_an_abort_the_result_comes_back(self) -> None:
        async def work() -> int:
            return 7

        assert asyncio.run(until_aborted(AbortSignal(), work)) == 7
        assert asyncio.run(until_aborted(None, work())) == 7
        assert asyncio.run(until_aborted(AbortSignal(), lambda: 8)) == 8

    def test_aborted_before_the_start_runs_nothing(self) -> None:
        signal, ran = AbortSignal(), []
        signal.abort()

        async def work() -> None:
            ran.append("started")

        for call in (work, work(), lambda: ran.append("called")):
            with pytest.raises(AbortError, match="aborted"):
                asyncio.run(until_aborted(signal, call))
        assert ran == []

    @pytest.mark.parametrize("from_thread", [False, True])
    def test_aborted_meanwhile_the_call_is_cancelled(self, from_thread: bool) -> None:
        signal, seen = AbortSignal(), []

        async def work() -> None:
            try:
                await asyncio.sleep(30)
            finally:
                seen.append("cleaned up")

        async def main() -> None:
            if from_thread:
                threading.Timer(0.01, signal.abort, ["stop"]).start()
            else:
                asyncio.get_running_loop().call_later(0.01, signal.abort, "stop")
            await until_aborted(signal, work)

        with pytest.raises(AbortError, match="stop"):
            asyncio.run(main())
        assert seen == ["cleaned up"]

    def test_a_call_that_completes_in_spite_of_it_stands(self) -> None:
        signal = AbortSignal()

        async def stubborn() -> str:
            signal.abort()
            try:
                await asyncio.sleep(30)
            except asyncio.CancelledError:
                return "done anyway"
            return "slept"

        assert asyncio.run(until_aborted(signal, stubborn)) == "done anyway"

    def test_cancelling_the_caller_is_no_abort(self) -> None:
        async def main() -> None:
            task = asyncio.ensure_future(until_aborted(AbortSignal(), asyncio.sleep(30)))
            await asyncio.sleep(0)
            task.cancel()
            await task

        with pytest.raises(asyncio.CancelledError):
            asyncio.run(main())


def test_aborted_before_the_start_touches_nothing(session: Session, recorder: Recorder) -> None:
    signal = AbortSignal()
    signal.abort("user left")
    action = session.stage(handler="recorder", payload={}, label="change")
    with pytest.raises(AbortError, match="user left"):
        session.resolve("apply", "reviewed", signal=signal)
    assert (recorder.calls, state(session, action)) == ([], "pending")
    assert session.records.audit() == []


def test_a_handler_that_watches_the_signal_stops_before_its_commit_point(
    session: Session, recorder: Recorder
) -> None:
    signal = AbortSignal()

    def during(context: Context) -> None:
        signal.abort("changed my mind")
        context.commit_intent({"files": []}, {})
        raise AssertionError("past the commit point")

    recorder.during = during
    action = session.stage(handler="recorder", payload={}, label="change")
    with pytest.raises(AbortError, match="changed my mind"):
        session.resolve("apply", "reviewed", signal=signal)
    assert (state(session, action), session.records.intents()) == ("pending", [])
    assert session.records.audit()[0].code == "aborted"
    assert len(session.steering) == 2


def test_after_the_commit_point_the_signal_is_ignored(session: Session, recorder: Recorder) -> None:
    signal = AbortSignal()

    def during(context: Context) -> None:
        context.commit_intent({"files": []}, {})
        signal.abort("too late")

    recorder.during = during
    action = session.stage(handler="recorder", payload={}, label="change")
    assert session.resolve("apply", "reviewed", signal=signal).text == "done"
    assert (state(session, action), session.records.intents()) == ("applied", [])


def test_a_coroutine_is_cancelled_before_but_not_after_its_commit_point(session: Session) -> None:
    from resolve import handlers

    @handlers.register("slow")
    class Slow:
        commit = False

        async def apply(self, payload: object, reason: str, extra: object, context: Context) -> str:
            if self.commit:
                context.commit_intent({}, {})
            signal.abort("stop")
            for _ in range(100):
                await asyncio.sleep(0)
            return "finished"

    signal = AbortSignal()
    action = session.stage(handler="slow", payload={}, label="change")
    with pytest.raises(AbortError, match="stop"):
        asyncio.run(ResolveTool(session).execute(APPLY, signal))
    assert state(session, action) == "pending"
    signal, Slow.commit = AbortSignal(), True
    assert asyncio.run(ResolveTool(session).execute(APPLY, signal)).text == "finished"
    handlers.unregister("slow")


def test_a_callback_that_takes_the_signal_is_left_to_it(session: Session) -> None:
    signal = AbortSignal()

    async def careful(reason: str, signal: AbortSignal) -> str:
        signal.abort()
        for _ in range(100):
            await asyncio.sleep(0)
        return "finished with care"

    session.store.push(PendingAction("change", apply=careful))
    assert session.resolve("apply", "reviewed", signal=signal).text == "finished with care"


def test_a_callback_that_does_not_take_it_is_cancelled(session: Session) -> None:
    signal = AbortSignal()

    async def plain(reason: str) -> None:
        asyncio.get_running_loop().call_later(0.01, signal.abort)
        await asyncio.sleep(30)

    action = session.store.push(PendingAction("change", apply=plain))
    with pytest.raises(AbortError):
        session.resolve("apply", "reviewed", signal=signal)
    assert state(session, action) == "pending"


def test_a_cancelled_task_leaves_the_action_pending(session: Session) -> None:
    async def plain(reason: str) -> None:
        await asyncio.sleep(30)

    async def main() -> None:
        task = asyncio.ensure_future(ResolveTool(session).execute(APPLY))
        await asyncio.sleep(0.02)
        task.cancel()
        await task

    action = session.store.push(PendingAction("change", apply=plain))
    with pytest.raises(asyncio.CancelledError):
        asyncio.run(main())
    assert state(session, action) == "pending"


async def test_two_tasks_of_one_loop_do_not_apply_at_once(session: Session) -> None:
    """The lock is reentrant along one call chain, not across tasks."""
    inside = most = 0

    async def apply(reason: str) -> None:
        nonlocal inside, most
        inside += 1
        most = max(most, inside)
        await asyncio.sleep(0.02)
        inside -= 1

    actions = [session.store.push(PendingAction("change", apply=apply)) for _ in range(3)]
    tool = ResolveTool(session)
    await asyncio.gather(*(tool.execute({**APPLY, "target": one.id}) for one in actions))
    assert (most, session.store.count) == (1, 0)


@pytest.mark.parametrize("release", [False, True])
def test_an_abort_while_waiting_for_the_lock_runs_nothing(
    store: PendingActionStore, root: Path, recorder: Recorder, release: bool
) -> None:
    """Whether or not the lock comes free in the same moment."""
    descriptor = os.open(root, os.O_RDONLY)
    fcntl.flock(descriptor, fcntl.LOCK_EX)
    signal = AbortSignal()

    def stop() -> None:
        signal.abort("enough")
        if release:
            fcntl.flock(descriptor, fcntl.LOCK_UN)

    with Session(store, lock=root, lock_wait=10.0) as session:
        action = session.stage(handler="recorder", payload={}, label="change")
        timer = threading.Timer(0.05, stop)
        timer.start()
        with pytest.raises(AbortError, match="enough"):
            session.resolve("apply", "reviewed", signal=signal)
        timer.join()
        os.close(descriptor)
        assert (recorder.calls, state(session, action)) == ([], "pending")
