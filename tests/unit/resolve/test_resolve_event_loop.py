"""`await ResolveTool(session).execute(…)` leaves the event loop free, whatever a handler does."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from resolve import AbortError, AbortSignal, ResolveTool, Session, ToolError
from resolve.handlers import Context
from tests.support.faults.mutate import replace
from tests.support.gate.handlers import Recorder

APPLY = {"action": "apply", "reason": "reviewed"}
TICK = 0.01  # seconds between two ticks of a free loop
MANY = 12  # calls at once; a pool of asyncio has four threads more than the machine has cores
# Far below what a handler takes here, and far above 50 ms: a machine may have other work.
LONGEST = 1.0
TAKES = 2.0  # seconds of a slow handler


async def longest_pause(work: Awaitable[Any]) -> float:
    """The longest time between two ticks of the loop while the work goes on."""
    task = asyncio.ensure_future(work)
    pauses, last = [0.0], time.monotonic()
    while not task.done():
        await asyncio.sleep(TICK)
        now = time.monotonic()
        pauses.append(now - last)
        last = now
    await task
    return max(pauses)


def sleeping(context: Context) -> None:
    time.sleep(TAKES)


@pytest.mark.parametrize("store", ["sqlite"], indirect=True)
def test_the_loop_ticks_while_a_plain_handler_works(session: Session, recorder: Recorder) -> None:
    recorder.during = sleeping
    session.stage(handler="recorder", payload={}, label="slow")

    async def main() -> float:
        return await longest_pause(ResolveTool(session).execute(APPLY))

    assert asyncio.run(main()) < LONGEST
    assert session.store.count == 0


@pytest.mark.parametrize("store", ["sqlite"], indirect=True)
@pytest.mark.slow
def test_it_ticks_while_another_apply_holds_the_lock(
    session: Session, recorder: Recorder, tmp_path: Path
) -> None:
    session.lock.directory, session.lock.wait = tmp_path, TAKES
    session.stage(handler="recorder", payload={}, label="busy")

    async def main() -> float:
        with pytest.raises(ToolError, match="Another apply is running"):
            return await longest_pause(ResolveTool(session).execute(APPLY))
        return 0.0

    taken = threading.Event()
    done = threading.Event()

    def hold() -> None:
        lock = session.lock.try_hold()
        assert lock is not None
        taken.set()
        done.wait(30)
        lock.close()

    thread = threading.Thread(target=hold)
    thread.start()
    taken.wait(30)
    try:
        assert asyncio.run(main()) < LONGEST
    finally:
        done.set()
        thread.join()


@pytest.mark.parametrize("store", ["sqlite"], indirect=True)
@pytest.mark.slow
def test_without_the_thread_the_loop_stands_still(
    session: Session, recorder: Recorder, monkeypatch: pytest.MonkeyPatch
) -> None:
    replace(
        monkeypatch,
        ResolveTool.execute,
        "await beside_loop(\n            lambda own: drive(self._run(params, own, waiting)),"
        " signal\n        )",
        "drive(self._run(params, signal, waiting))",
    )
    recorder.during = sleeping
    session.stage(handler="recorder", payload={}, label="slow")

    async def main() -> float:
        return await longest_pause(ResolveTool(session).execute(APPLY))

    assert asyncio.run(main()) > LONGEST


def watching(context: Context) -> None:
    while True:
        context.signal.throw_if_aborted()
        time.sleep(0.01)


def test_an_abort_is_seen_at_once_before_the_commit_point(
    session: Session, recorder: Recorder
) -> None:
    recorder.during = watching
    session.stage(handler="recorder", payload={}, label="watching")
    signal = AbortSignal()

    async def main() -> float:
        asyncio.get_running_loop().call_later(0.1, signal.abort, "enough")
        begun = time.monotonic()
        with pytest.raises(AbortError, match="enough"):
            await ResolveTool(session).execute(APPLY, signal)
        return time.monotonic() - begun - 0.1

    assert asyncio.run(main()) < LONGEST
    assert session.store.count == 1


def test_a_cancelled_task_stops_the_handler_and_waits_for_it(
    session: Session, recorder: Recorder
) -> None:
    recorder.during = watching
    session.stage(handler="recorder", payload={}, label="watching")

    async def main() -> None:
        task = asyncio.ensure_future(ResolveTool(session).execute(APPLY))
        await asyncio.sleep(0.1)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert [action.state for action in session.store.list()] == ["pending"]

    asyncio.run(main())


def test_past_the_commit_point_a_cancelled_task_waits_for_the_end(
    session: Session, recorder: Recorder
) -> None:
    committed = threading.Event()

    def during(context: Context) -> None:
        context.commit_intent({}, {})
        committed.set()
        time.sleep(0.2)

    recorder.during = during
    action = session.stage(handler="recorder", payload={}, label="committed")

    async def main() -> None:
        task = asyncio.ensure_future(ResolveTool(session).execute(APPLY))
        await asyncio.to_thread(committed.wait, 30)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(main())
    stored = session.store.get(action.id)
    assert stored is not None and stored.state == "applied"


@pytest.mark.parametrize("coroutine", [False, True])
def test_coroutines_run_on_the_loop_and_plain_functions_beside_it(
    session: Session, coroutine: bool
) -> None:
    threads = []

    async def on_the_loop(reason: str) -> str:
        threads.append(threading.current_thread())
        assert session.claimed is not None
        await asyncio.sleep(0)
        return "done"

    def beside_it(reason: str) -> str:
        threads.append(threading.current_thread())
        assert session.claimed is not None
        return "done"

    apply: Callable[[str], Any] = on_the_loop if coroutine else beside_it
    session.custom_tools.push_pending_action("callback", apply)

    async def main() -> None:
        assert (await ResolveTool(session).execute(APPLY)).text == "done"
        assert (threads == [threading.current_thread()]) == coroutine

    asyncio.run(main())


def test_many_at_once_each_apply_once(session: Session, recorder: Recorder) -> None:
    """More than any pool has threads: those who wait must not keep the others waiting."""
    actions = [session.stage(handler="recorder", payload={"n": n}, label="a") for n in range(MANY)]

    async def main() -> list[Any]:
        calls = [ResolveTool(session).execute(APPLY | {"target": one.id}) for one in actions]
        return await asyncio.gather(*calls)

    assert len({result.details["actionId"] for result in asyncio.run(main())}) == MANY
    assert len(recorder.calls) == MANY and session.store.count == 0
