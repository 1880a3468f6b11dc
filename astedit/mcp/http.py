"""The server over streamable HTTP: for clients of this machine that hold its token.

A web page in a browser on this machine can send requests to any port. So every request
must name this very address in `Host`, come from no other origin, and carry the token.
"""

import hmac
import json
import socket
from typing import Any

from mcp.server.transport_security import TransportSecuritySettings
from starlette.types import ASGIApp, Receive, Scope, Send

from astedit.agents.calls import Calls
from astedit.agents.reply import Form
from astedit.loopback import authority, header_values, names_this_server, of_other_origin, server
from astedit.mcp.server import make, noting

PATH = "/mcp"
BODY = 1 << 20  # bytes of a request
OPEN = 16  # requests that are worked on at once


def serve(calls: Calls, listening: socket.socket, token: str, form: Form = "text") -> None:
    """Serves any number of clients until the process is told to end."""
    app = application(calls, authority(listening), token, form)
    server(app, grace=5).run(sockets=[listening])


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
        self._host = host
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
            await self._app(scope, noting(scope, receive), send)
        finally:
            self._open -= counted

    def _refusal(self, scope: Scope) -> tuple[int, str] | None:
        """Why a request is not let through: the status, and a sentence."""
        if not names_this_server(scope, self._host):
            return 421, "The Host header does not name this server."
        if of_other_origin(scope, self._host):
            return 403, "Requests of other origins are refused."
        tokens = header_values(scope, b"authorization")
        if len(tokens) != 1 or not hmac.compare_digest(tokens[0], self._token):
            return 401, "The bearer token is missing or wrong."
        if scope["path"] != PATH:
            return 404, f"The server is at {PATH}."
        if scope["method"] == "POST" and self._open >= OPEN:
            return 503, f"Busy: {OPEN} requests are being worked on. Try again."
        return None


async def _answer(send: Send, status: int, sentence: str) -> None:
    body = json.dumps({"error": sentence}).encode()
    headers: list[Any] = [(b"content-type", b"application/json"), (b"connection", b"close")]
    if status == 401:
        headers.append((b"www-authenticate", b"Bearer"))
    if status == 503:
        headers.append((b"retry-after", b"1"))
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
