"""Cancellation: the signal, and waiting for a callback with or without an event loop."""

from __future__ import annotations

import inspect
import sys
import threading
from collections.abc import Awaitable, Callable, Coroutine
from contextvars import copy_context
from typing import Any, TypeVar

from resolve.errors import AbortError

Pending = Callable[[], bool]
Result = TypeVar("Result")


class AbortSignal:
    """Says once, to any thread, that a call is no longer wanted.

    `abort` may be called from a signal handler, in the middle of anything here.
    """

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self._listeners: list[Callable[[], None]] = []
        self.aborted = False
        self.reason: str | None = None

    @property
    def cancelled(self) -> bool:
        """The same as `aborted`, under the name that engines ask for."""
        return self.aborted

    def abort(self, reason: str | None = None) -> None:
        """Aborts; a second call changes nothing."""
        with self._lock:
            if self.aborted:
                return
            self.aborted, self.reason = True, reason
            listeners = tuple(self._listeners)
        for listener in listeners:
            listener()

    def throw_if_aborted(self) -> None:
        """Raises `AbortError` if aborted."""
        if self.aborted:
            raise AbortError(self.reason)

    def listen(self, listener: Callable[[], None]) -> Callable[[], None]:
        """Calls `listener` on abort, at once if that has happened; returns how to stop."""
        with self._lock:
            if not self.aborted:
                self._listeners.append(listener)
                return lambda: self._listeners.remove(listener)
        listener()
        return lambda: None


async def until_aborted(
    signal: AbortSignal | None,
    call: Callable[[], Any] | Awaitable[Any],
    may_stop: Pending = lambda: True,
) -> Any:
    """Returns what `call` gives; on abort cancels it and raises `AbortError`.

    Aborted before the start, nothing runs. A call that completes although it was
    cancelled has done its work: its result stands. While `may_stop()` is false
    (past the commit point) the abort is ignored.
    """
    import asyncio

    if signal is not None and signal.aborted:
        if inspect.iscoroutine(call):
            call.close()
        signal.throw_if_aborted()
    answer = call() if callable(call) else call
    if not inspect.isawaitable(answer):
        return answer
    task = asyncio.ensure_future(answer)
    if signal is None:
        return await task
    loop = asyncio.get_running_loop()
    stopped = False

    def stop() -> None:
        nonlocal stopped
        if may_stop() and not task.done():
            stopped = True
            task.cancel()

    def forward() -> None:
        if not loop.is_closed():
            loop.call_soon_threadsafe(stop)

    forget = signal.listen(forward)
    try:
        return await task
    except asyncio.CancelledError:
        if stopped:
            raise AbortError(signal.reason) from None
        raise
    finally:
        forget()


class Blocking:
    """How a resolution waits: it blocks its thread. A loop is made only for a coroutine."""

    def answer(self, signal: AbortSignal | None, returned: Any, may_stop: Pending) -> Any:
        """Returns what a callback gave, awaited if it has to be."""
        if not inspect.isawaitable(returned):
            return returned
        return self._wait(until_aborted(signal, returned, may_stop))

    def _wait(self, work: Coroutine[Any, Any, Any]) -> Any:
        """Runs it to its end; beside a running loop, in a thread of its own."""
        import asyncio

        if not _in_event_loop():
            return asyncio.run(work)
        from concurrent.futures import ThreadPoolExecutor

        with ThreadPoolExecutor(1) as pool:
            return pool.submit(copy_context().run, asyncio.run, work).result()


class Looping(Blocking):
    """Waits in a thread beside the running event loop, on which coroutines run."""

    def __init__(self) -> None:
        import asyncio

        self._loop = asyncio.get_running_loop()

    def _wait(self, work: Coroutine[Any, Any, Any]) -> Any:
        import asyncio

        return asyncio.run_coroutine_threadsafe(work, self._loop).result()


async def beside_loop(work: Callable[[AbortSignal], Result], signal: AbortSignal | None) -> Result:
    """Returns what `work` gives in a thread of its own, while the event loop goes on.

    It gets a signal that follows `signal`, and that is set when the awaiting task is
    cancelled. Even then the work is waited for: up to its commit point it stops by itself.
    """
    import asyncio

    loop = asyncio.get_running_loop()
    ended: asyncio.Future[Result] = loop.create_future()
    own = AbortSignal()
    forget = _follow(own, signal)

    def run() -> None:
        try:
            result = work(own)
        except BaseException as error:
            loop.call_soon_threadsafe(ended.set_exception, error)
        else:
            loop.call_soon_threadsafe(ended.set_result, result)

    # Not of a pool, in which those who wait for a lock could keep its holder waiting.
    threading.Thread(target=copy_context().run, args=(run,)).start()
    try:
        return await asyncio.shield(ended)
    except asyncio.CancelledError:
        own.abort("cancelled")
        await asyncio.wait([ended])
        ended.exception()
        raise
    finally:
        forget()


def _follow(own: AbortSignal, signal: AbortSignal | None) -> Callable[[], None]:
    if signal is None:
        return lambda: None
    return signal.listen(lambda: own.abort(signal.reason))


def refuse_in_event_loop() -> None:
    """Raises `RuntimeError` where blocking would stop a running event loop."""
    if _in_event_loop():
        raise RuntimeError("called inside a running event loop: call it by asyncio.to_thread")


def _in_event_loop() -> bool:
    asyncio = sys.modules.get("asyncio")
    return asyncio is not None and asyncio._get_running_loop() is not None
