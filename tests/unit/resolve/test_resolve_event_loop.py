"""`await ResolveTool(session).execute(…)` leaves the event loop free, whatever a handler does."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from resolve import AbortError, AbortSignal, ResolveTool, Session
from resolve.handlers import Context
from resolve.locks import Hold
from tests.support.faults.mutate import replace
from tests.support.gate.handlers import Recorder
from tests.support.patience import LAST

APPLY = {"action": "apply", "reason": "reviewed"}
MANY = 12  # calls at once; a pool of asyncio has four threads more than the machine has cores


class Handler:
    """What a handler does in a test: it says that it has begun, and goes on when it is told to."""

    def __init__(self, recorder: Recorder, patience: float = LAST) -> None:
        self.begun, self.go_on = threading.Event(), threading.Event()
        self.was_told = False
        self.patience = patience
        recorder.during = self

    def __call__(self, context: Context) -> None:
        self.begun.set()
        self.was_told = self.go_on.wait(self.patience)

    async def answered(self, session: Session) -> None:
        """Applies; the loop that waits for it is the one that tells the handler to go on."""
        session.stage(handler="recorder", payload={}, label="slow")
        task = asyncio.ensure_future(ResolveTool(session).execute(APPLY))
        while not self.begun.is_set():
            await asyncio.sleep(0.001)
        self.go_on.set()
        await task


@pytest.mark.parametrize("store", ["sqlite"], indirect=True)
def test_the_loop_ticks_while_a_plain_handler_works(session: Session, recorder: Recorder) -> None:
    handler = Handler(recorder)
    asyncio.run(handler.answered(session))
    assert handler.was_told and session.store.count == 0


@pytest.mark.parametrize("store", ["sqlite"], indirect=True)
def test_without_the_thread_the_loop_stands_still(
    session: Session, recorder: Recorder, monkeypatch: pytest.MonkeyPatch
) -> None:
    replace(
        monkeypatch,
        ResolveTool.execute,
        "await beside_loop(lambda own: self._run(params, own, waiting), signal)",
        "self._run(params, signal, waiting)",
    )
    handler = Handler(recorder, patience=0.1)
    asyncio.run(handler.answered(session))
    assert not handler.was_told


@pytest.mark.parametrize("store", ["sqlite"], indirect=True)
async def test_it_ticks_while_another_apply_holds_the_lock(
    session: Session, recorder: Recorder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    session.lock.directory, session.lock.wait = tmp_path, LAST
    session.stage(handler="recorder", payload={}, label="busy")
    attempts: list[bool] = []
    free = threading.Event()
    monkeypatch.setattr(
        type(session.lock),
        "try_hold",
        lambda _: attempts.append(free.is_set()) or (Hold() if free.is_set() else None),
    )
    task = asyncio.ensure_future(ResolveTool(session).execute(APPLY))
    while len(attempts) < 3:
        await asyncio.sleep(0.001)
    assert not any(attempts)
    free.set()
    await task
    assert session.store.count == 0


def watching(begun: threading.Event) -> Callable[[Context], None]:
    def watch(context: Context) -> None:
        begun.set()
        while True:
            context.signal.throw_if_aborted()
            time.sleep(0.01)

    return watch


async def test_an_abort_is_seen_before_the_commit_point(
    session: Session, recorder: Recorder
) -> None:
    begun, signal = threading.Event(), AbortSignal()
    recorder.during = watching(begun)
    session.stage(handler="recorder", payload={}, label="watching")
    task = asyncio.ensure_future(ResolveTool(session).execute(APPLY, signal))
    await asyncio.to_thread(begun.wait, LAST)
    signal.abort("enough")
    with pytest.raises(AbortError, match="enough"):
        await task
    assert session.store.count == 1


async def test_a_cancelled_task_stops_the_handler_and_waits_for_it(
    session: Session, recorder: Recorder
) -> None:
    begun = threading.Event()
    recorder.during = watching(begun)
    session.stage(handler="recorder", payload={}, label="watching")
    task = asyncio.ensure_future(ResolveTool(session).execute(APPLY))
    await asyncio.to_thread(begun.wait, LAST)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert [action.state for action in session.store.list()] == ["pending"]


async def test_past_the_commit_point_a_cancelled_task_waits_for_the_end(
    session: Session, recorder: Recorder
) -> None:
    committed, cancelled = threading.Event(), threading.Event()

    def during(context: Context) -> None:
        context.commit_intent({}, {})
        committed.set()
        cancelled.wait(LAST)

    recorder.during = during
    action = session.stage(handler="recorder", payload={}, label="committed")
    task = asyncio.ensure_future(ResolveTool(session).execute(APPLY))
    await asyncio.to_thread(committed.wait, LAST)
    task.cancel()
    asyncio.get_running_loop().call_later(0.01, cancelled.set)
    with pytest.raises(asyncio.CancelledError):
        await task
    stored = session.store.get(action.id)
    assert stored is not None and stored.state == "applied"


@pytest.mark.parametrize("coroutine", [False, True])
async def test_coroutines_run_on_the_loop_and_plain_functions_beside_it(
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
    assert (await ResolveTool(session).execute(APPLY)).text == "done"
    assert (threads == [threading.current_thread()]) == coroutine


def test_many_at_once_each_apply_once(session: Session, recorder: Recorder) -> None:
    """More than any pool has threads: those who wait must not keep the others waiting."""
    actions = [session.stage(handler="recorder", payload={"n": n}, label="a") for n in range(MANY)]

    async def main() -> list[Any]:
        calls = [ResolveTool(session).execute(APPLY | {"target": one.id}) for one in actions]
        return await asyncio.gather(*calls)

    assert len({result.details["actionId"] for result in asyncio.run(main())}) == MANY
    assert len(recorder.calls) == MANY and session.store.count == 0
