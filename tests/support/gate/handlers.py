"""Handlers that tests script."""

from __future__ import annotations

from collections.abc import Callable

from resolve import handlers


class Recorder:
    """A handler that notes its calls in order; `fail` and `answer` script the next ones."""

    def __init__(self) -> None:
        self.calls: list[tuple[object, ...]] = []
        self.fail: BaseException | None = None
        self.answer: object = "done"
        self.during: Callable[[handlers.Context], None] | None = None

    def apply(
        self, payload: object, reason: str, extra: object, context: handlers.Context
    ) -> object:
        self.calls.append(("apply", payload, reason, extra))
        if self.during is not None:
            self.during(context)
        if self.fail is not None:
            raise self.fail
        return self.answer


class Rejecting(Recorder):
    """The same with a `reject`."""

    def reject(
        self, payload: object, reason: str, extra: object, context: handlers.Context
    ) -> object:
        self.calls.append(("reject", payload, reason, extra))
        if self.fail is not None:
            raise self.fail
        return self.answer
