"""The server over streamable HTTP: for clients of this machine that hold its token.

A web page in a browser on this machine can send requests to any port. So every request
must name this very address in `Host`, come from no other origin, and carry the token.
"""

import hmac
import ipaddress
import json
import socket
from typing import Any

import uvicorn
from mcp.server.transport_security import TransportSecuritySettings
from starlette.types import ASGIApp, Receive, Scope, Send

from astedit.agents.calls import Calls
from astedit.agents.reply import Form
from astedit.errors import RequestError
from astedit.mcp.server import make

PATH = "/mcp"
BODY = 1 << 20  # bytes of a request
OPEN = 16  # requests that are worked on at once


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
            f"{address!r} is no address.", hint="Like 127.0.0.1:0 or [::1]:8000."
        ) from error
    if place.is_unspecified:
        raise RequestError(f"{host} is every address.", hint="Name the one that clients use.")
    if not place.is_loopback and not allow_remote:
        raise RequestError(
            f"Other machines can reach {host}, and nothing is encrypted.",
            hint="Put a proxy with TLS before it, and pass --allow-remote.",
        )
    family = socket.AF_INET6 if place.version == 6 else socket.AF_INET
    listening = socket.socket(family, socket.SOCK_STREAM)
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


def serve(calls: Calls, listening: socket.socket, token: str, form: Form = "text") -> None:
    """Serves any number of clients until the process is told to end."""
    app = application(calls, authority(listening), token, form)
    config = uvicorn.Config(
        app, log_level="error", access_log=False, server_header=False, timeout_graceful_shutdown=5
    )
    uvicorn.Server(config).run(sockets=[listening])


def application(calls: Calls, host: str, token: str, form: Form = "text") -> ASGIApp:
    """The application for requests that name `host` and carry the token."""
    rules = TransportSecuritySettings(allowed_hosts=[host], allowed_origins=[f"http://{host}"])
    app = make(calls, form).streamable_http_app(
        streamable_http_path=PATH, max_request_body_size=BODY, transport_security=rules
    )
    return Guard(app, host, token)


class Guard:
    """Lets through what names this address, comes from no other page, and has the token."""

    def __init__(self, app: ASGIApp, host: str, token: str) -> None:
        self._app = app
        self._host = host.encode()
        self._origin = f"http://{host}".encode()
        self._token = f"Bearer {token}".encode()
        self._open = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":  # the start and the end of the server; sockets of the web
            if scope["type"] == "lifespan":
                await self._app(scope, receive, send)
            return
        refused = self._refusal(scope)
        if refused is not None:
            await _answer(send, *refused)
            return
        counted = scope["method"] == "POST"  # a GET waits for what the server has to say
        self._open += counted
        try:
            await self._app(scope, receive, send)
        finally:
            self._open -= counted

    def _refusal(self, scope: Scope) -> tuple[int, str] | None:
        """Why a request is not let through: the status, and a sentence."""
        if _values(scope, b"host") != [self._host]:
            return 421, "The Host header does not name this server."
        if any(origin != self._origin for origin in _values(scope, b"origin")):
            return 403, "Requests of other origins are refused."
        tokens = _values(scope, b"authorization")
        if len(tokens) != 1 or not hmac.compare_digest(tokens[0], self._token):
            return 401, "The bearer token is missing or wrong."
        if scope["path"] != PATH:
            return 404, f"The server is at {PATH}."
        if scope["method"] == "POST" and self._open >= OPEN:
            return 503, f"Busy: {OPEN} requests are being worked on. Try again."
        return None


def _values(scope: Scope, name: bytes) -> list[bytes]:
    return [value for key, value in scope["headers"] if key == name]


async def _answer(send: Send, status: int, sentence: str) -> None:
    body = json.dumps({"error": sentence}).encode()
    headers: list[Any] = [(b"content-type", b"application/json"), (b"connection", b"close")]
    if status == 401:
        headers.append((b"www-authenticate", b"Bearer"))
    if status == 503:
        headers.append((b"retry-after", b"1"))
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
