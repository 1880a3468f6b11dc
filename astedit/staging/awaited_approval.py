"""Waiting until a person has decided: the call that applies returns when they have."""

import time
from collections.abc import Callable
from contextlib import AbstractContextManager

from astedit.staging.approval import waits
from astedit.workspace.config import Config
from resolve import AbortSignal, Session

_LOOK = 0.2  # seconds between two looks
LONGEST = 86_400.0  # seconds that a call may wait


def await_approval(
    open_session: Callable[[], AbstractContextManager[Session]],
    action_id: str,
    settings: Config,
    seconds: float,
    signal: AbortSignal | None = None,
) -> None:
    """Returns once the action needs no approval any more, or the time is over.

    It is approved then, denied, or ended otherwise: an apply says which. The store is opened
    for each look, so that nobody else has to wait. Raises `AbortError` when `signal` says so.
    """
    end = time.monotonic() + min(seconds, LONGEST)
    while True:
        with open_session() as session:
            action = session.records.get(action_id)
            if action is None or action.state != "pending":
                return
            if not waits(action, session, settings):
                return
        if time.monotonic() >= end:
            return
        if signal is not None:
            signal.throw_if_aborted()
        time.sleep(min(_LOOK, max(end - time.monotonic(), 0)))
