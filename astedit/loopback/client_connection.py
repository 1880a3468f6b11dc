"""One connection of the HTTP server, which strangers may open but not keep."""

import asyncio

import uvicorn
from starlette.types import ASGIApp
from uvicorn.protocols.http.h11_impl import H11Protocol

SILENT_SECONDS = 10.0  # from a connection to the whole head of its first request
MOST = 128  # at once; the process may have 256 descriptors on some systems


def server(app: ASGIApp, *, grace: int) -> uvicorn.Server:
    """The server of an application: one that no connection keeps busy by saying nothing.

    At its end it waits `grace` seconds for what is being answered.
    """
    config = uvicorn.Config(
        app,
        http=ClientConnection,
        log_level="error",
        access_log=False,
        server_header=False,
        timeout_graceful_shutdown=grace,
    )
    return uvicorn.Server(config)


class ClientConnection(H11Protocol):
    """Ends where no request comes, and gives way to a newer one while it has none."""

    def connection_made(  # type: ignore[override]  # that of asyncio, which uvicorn narrows
        self, transport: asyncio.Transport
    ) -> None:
        """Makes room where there are too many: the oldest that says nothing ends."""
        super().connection_made(transport)
        self._since = self.loop.time()
        if len(self.connections) > MOST:
            everyone = [each for each in self.connections if isinstance(each, ClientConnection)]
            silent = [each for each in everyone if each.is_silent]
            min(silent, key=lambda each: each._since).transport.abort()
        self._watch = self.loop.call_later(SILENT_SECONDS, self._end_silent)

    def connection_lost(self, exc: Exception | None) -> None:
        """Nothing more is waited for."""
        self._watch.cancel()
        super().connection_lost(exc)

    @property
    def is_silent(self) -> bool:
        """Whether it has brought no request yet."""
        return self.scope is None

    def _end_silent(self) -> None:
        if self.is_silent:
            self.transport.abort()
