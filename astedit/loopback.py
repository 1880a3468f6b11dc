"""Serving HTTP on this machine alone: the socket, and what a request says of itself.

A page in a browser on this machine can send requests to any port, under any name that leads
here. So whoever serves compares `Host` and `Origin` whole, and takes no header twice.
"""

import asyncio
import ipaddress
import json
import socket
from collections.abc import Sequence

import uvicorn
from starlette.types import ASGIApp, Scope, Send
from uvicorn.protocols.http.h11_impl import H11Protocol

from astedit.errors import RequestError


def listen(address: str, *, allow_remote: bool = False) -> socket.socket:
    """A socket that listens on `HOST:PORT`; port 0 is any free one.

    Raises `RequestError` for what is no such address, for one that is taken, and, unless
    `allow_remote`, for one that other machines can reach.
    """
    host, _, port = address.rpartition(":")
    host = "127.0.0.1" if host == "localhost" else host.strip("[]")
    try:
        place = ipaddress.ip_address(host)
        number = int(port)
    except ValueError as error:
        raise RequestError(
            f"{address!r} is not an address.", hint="Like 127.0.0.1:0 or [::1]:8000."
        ) from error
    if place.is_unspecified:
        raise RequestError(f"{host} is every address.", hint="Name the one that clients use.")
    if not place.is_loopback and not allow_remote:
        raise RequestError(
            f"Other machines can reach {host}, and nothing is encrypted.",
            hint="Put a proxy with TLS before it, and pass --allow-remote.",
        )
    family = socket.AF_INET6 if place.version == 6 else socket.AF_INET
    listening = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind((host, number))
        listening.listen(128)
    except (OSError, OverflowError) as error:
        listening.close()
        raise RequestError(f"{address} cannot be listened on: {error}.") from error
    return listening


def authority(listening: socket.socket) -> str:
    """What clients name in `Host`."""
    host, port = listening.getsockname()[:2]
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"


def header_values(scope: Scope, name: bytes) -> list[bytes]:
    """Every value that a request gives a header, as it was sent."""
    return [value for key, value in scope["headers"] if key == name]


def names_this_server(scope: Scope, host: str) -> bool:
    """Whether `Host` is there once, and is this very address with its port."""
    return header_values(scope, b"host") == [host.encode()]


def of_other_origin(scope: Scope, host: str) -> bool:
    """Whether a page of any other origin sends the request."""
    origin = f"http://{host}".encode()
    return any(value != origin for value in header_values(scope, b"origin"))


async def refuse(
    send: Send, status: int, sentence: str, headers: Sequence[tuple[bytes, bytes]] = ()
) -> None:
    """Sends a refusal, with these headers too, after which the connection is closed."""
    body = json.dumps({"error": sentence}).encode()
    own = [(b"content-type", b"application/json"), (b"connection", b"close"), *headers]
    await send({"type": "http.response.start", "status": status, "headers": own})
    await send({"type": "http.response.body", "body": body})


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
        # One that was made to end is there until the loop comes round.
        staying = [each for each in self.connections if not each.transport.is_closing()]
        if len(staying) > MOST:
            silent = [x for x in staying if isinstance(x, ClientConnection) and x.is_silent]
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
