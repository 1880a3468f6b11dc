"""Plain callbacks get what their signature asks for."""

from __future__ import annotations

from collections.abc import Callable

from resolve import AbortSignal, PendingAction, Session


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
