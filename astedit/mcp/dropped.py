"""Whether who sent an HTTP request still waits for the answer.

A client of the current protocol cancels a call by dropping its connection, and the library
ends the call. For one of the older protocol the library lets it go on, though nobody can
read its answer any more: such a call is ended here.
"""

from typing import Any

import anyio
from starlette.types import Message, Receive, Scope

_KEY = "astedit.dropped"


def noting(scope: Scope, receive: Receive) -> Receive:
    """The same `receive`, which notes in the scope that the connection was dropped."""
    dropped = scope[_KEY] = anyio.Event()

    async def receive_and_note() -> Message:
        message = await receive()
        if message["type"] == "http.disconnect":
            dropped.set()
        return message

    return receive_and_note


def is_dropped(request: Any) -> bool:
    """Whether this request, if it came over HTTP at all, has lost its connection."""
    dropped: anyio.Event | None = None if request is None else request.scope.get(_KEY)
    return dropped is not None and dropped.is_set()
