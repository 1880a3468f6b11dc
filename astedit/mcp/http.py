"""The server over streamable HTTP: for clients of this machine that hold its token.

A web page in a browser on this machine can send requests to any port. So every request
must name this very address in `Host`, come from no other origin, and carry the token.
"""

import fcntl
import hmac
import os
import secrets
import socket
import stat
from collections.abc import Mapping

from mcp.server.transport_security import TransportSecuritySettings
from starlette.types import ASGIApp, Receive, Scope, Send

from astedit.agents.calls import Calls
from astedit.agents.reply import Form
from astedit.errors import PreconditionError, RequestError
from astedit.loopback import (
    authority,
    header_values,
    names_this_server,
    of_other_origin,
    refuse,
    server,
)
from astedit.mcp.server import make
from astedit.sandbox.locked_directory import private_directory

VARIABLE = "ASTEDIT_MCP_TOKEN"
FILE = "mcp-token"  # in the directory of the workspace's state
_LEAST = 16  # characters
_CAREFULLY = os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC


def token(state_dir: str, environment: Mapping[str, str] = os.environ) -> tuple[str, str]:
    """The token, and where it is from: the variable, or a file that is made if need be.

    It is no argument of a command, since everybody on the machine can list those. Raises
    `RequestError` for one that is too short or not plain, `PreconditionError` (`bad_token`)
    for a file that others could have read or written.
    """
    if environment.get(VARIABLE):
        return _checked(environment[VARIABLE], VARIABLE), VARIABLE
    path = os.path.join(state_dir, FILE)
    return _checked(_of_file(path), path), path


def _checked(text: str, origin: str) -> str:
    if len(text) < _LEAST or not text.isascii() or not text.isprintable() or " " in text:
        raise RequestError(
            f"The token of {origin} is not a line of {_LEAST} or more plain characters.",
            code="bad_token",
        )
    return text


def _of_file(path: str) -> str:
    private_directory(os.path.dirname(path))
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_CREAT | _CAREFULLY, 0o600)
    except OSError as error:
        raise _bad(path, f"cannot be read: {error.strerror}") from error
    with open(descriptor, "rb") as file:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode) or status.st_uid != os.getuid():
            raise _bad(path, "is not a file of yours")
        if status.st_mode & 0o077:
            raise _bad(path, "can be read by others")
        fcntl.flock(file, fcntl.LOCK_EX)  # of two that begin at once, one writes it
        if not (word := file.read(1024).decode("ascii", "replace")):
            word = secrets.token_urlsafe(32)
            with open(os.open(path, os.O_WRONLY | _CAREFULLY), "w") as new:
                new.write(word)
        return word.strip()


def _bad(path: str, why: str) -> PreconditionError:
    return PreconditionError(
        f"The token file {path} {why}.", code="bad_token", hint="Remove it: a new one is made."
    )


PATH = "/mcp"
BODY = 1 << 20  # bytes of a request
OPEN = 16  # requests that are worked on at once


def serve(calls: Calls, listening: socket.socket, token: str, form: Form = "text") -> None:
    """Serves any number of clients until the process is told to end."""
    server(application(calls, authority(listening), token, form), grace=5).run(sockets=[listening])


def application(calls: Calls, host: str, token: str, form: Form = "text") -> ASGIApp:
    """The application for requests that name `host` and carry the token."""
    rules = TransportSecuritySettings(allowed_hosts=[host], allowed_origins=[f"http://{host}"])
    app = make(calls, form).streamable_http_app(
        streamable_http_path=PATH, max_request_body_size=BODY, transport_security=rules
    )
    return Guard(app, host, token)


_MORE_HEADERS = {401: [(b"www-authenticate", b"Bearer")], 503: [(b"retry-after", b"1")]}


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
        if (refused := self._refusal(scope)) is not None:
            status, sentence = refused
            await refuse(send, status, sentence, _MORE_HEADERS.get(status, ()))
            return
        counted = scope["method"] == "POST"  # a GET waits for what the server has to say
        self._open += counted
        try:
            await self._app(scope, receive, send)
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
