"""What stands before the page: lets through what its own page in a person's browser asks.

Other pages in that browser, other names for this address, other programs and other users of
the machine are refused before anything is looked up.
"""

import hmac
import secrets
from collections.abc import Callable, MutableMapping
from dataclasses import dataclass, field
from typing import Any

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from astedit.loopback import header_values, names_this_server, of_other_origin, refuse


def _secret() -> str:
    return secrets.token_urlsafe(32)


@dataclass(slots=True)
class Entrance:
    """The token of the link opens once, for the cookie that all other requests carry.

    A change needs `csrf` as well, which only a page shows that the cookie was sent for. All
    ports of a machine share cookies: so this one's name has the port, it is sent to what lies
    below the secret `path` alone, and it opens nothing elsewhere.
    """

    host: str
    path: str = field(default_factory=_secret, repr=False)
    token: str | None = field(default_factory=_secret, repr=False)
    cookie: str = field(default_factory=_secret, repr=False)
    csrf: str = field(default_factory=_secret, repr=False)

    @property
    def cookie_name(self) -> str:
        """The name of the cookie."""
        return f"astedit-{self.host.rpartition(':')[2]}"

    @property
    def link(self) -> str:
        """Where a person comes in."""
        return f"http://{self.host}/{self.path}/enter?token={self.token}"

    def below(self, path: str) -> str | None:
        """The path below the secret one, with its slash; None for any other."""
        first, slash, rest = path.removeprefix("/").partition("/")
        return f"/{rest}" if slash and _same(first, self.path) else None

    def admits(self, token: str) -> bool:
        """Whether this is the token; from then on it opens nothing more."""
        if self.token is None or not _same(token, self.token):
            return False
        self.token = None
        return True

    def has_cookie(self, scope: Scope) -> bool:
        """Whether the request carries the cookie, and carries it once."""
        lines = b"; ".join(header_values(scope, b"cookie")).decode("latin-1").split(";")
        pairs = [line.strip().partition("=") for line in lines]
        values = [value for name, _, value in pairs if name == self.cookie_name]
        return len(values) == 1 and _same(values[0], self.cookie)


def _same(value: str, secret: str) -> bool:
    return hmac.compare_digest(value.encode(), secret.encode())


ENTER = "/enter"
BODY = 1 << 20  # bytes of a request
# The last part is needed: without it a page may not even ask its own server.
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self';"
    " frame-ancestors 'none'; base-uri 'none'; form-action 'self'; connect-src 'self'"
)
HEADERS = {
    "content-security-policy": POLICY,
    "x-content-type-options": "nosniff",
    "cache-control": "no-store",
    "referrer-policy": "no-referrer",
    "x-frame-options": "DENY",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
}
_RAW_HEADERS = [(name.encode(), value.encode()) for name, value in HEADERS.items()]


class PageGuard:
    """Refuses requests, sets the headers of every answer, and notes that somebody is there."""

    def __init__(self, app: ASGIApp, entrance: Entrance, visited: Callable[[], None]) -> None:
        self._app = app
        self._entrance = entrance
        self._visited = visited

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return  # sockets of the web; nothing here starts or ends with the server
        guarded = _Answer(send)
        path = self._entrance.below(scope["path"])
        scope = {**scope, "path": path or "", "raw_path": (path or "").encode()}
        if (refused := self._refusal(scope)) is not None:
            await refuse(guarded, *refused)
            return
        self._visited()
        await self._app(scope, _Limited(receive), guarded)

    def _refusal(self, scope: Scope) -> tuple[int, str] | None:
        """Why a request is not let through: the status, and a sentence."""
        if not names_this_server(scope, self._entrance.host):
            return 403, "The Host header does not name this server."
        if of_other_origin(scope, self._entrance.host):
            return 403, "Requests of other origins are refused."
        if not scope["path"]:
            return 403, "Open the link that astedit printed: the page is at no other address."
        if scope["method"] == "POST":
            return self._refused_change(scope)
        if scope["method"] != "GET":
            return 405, "Only GET and POST are answered."
        if scope["path"] == ENTER:
            return None  # the token decides
        return self._stranger(scope)

    def _stranger(self, scope: Scope) -> tuple[int, str] | None:
        """Why this is nobody who came in by the link."""
        sites = header_values(scope, b"sec-fetch-site")
        if any(site not in (b"same-origin", b"none") for site in sites):
            return 403, "Requests of other sites are refused."
        if not self._entrance.has_cookie(scope):
            return 403, "Open the link that astedit printed: it opens once, in one browser."
        return None

    def _refused_change(self, scope: Scope) -> tuple[int, str] | None:
        if header_values(scope, b"origin") != [f"http://{self._entrance.host}".encode()]:
            return 403, "A change comes from the page itself."
        if header_values(scope, b"sec-fetch-site") != [b"same-origin"]:
            return 403, "A change comes from the page itself."
        if header_values(scope, b"content-type") != [b"application/json"]:
            return 415, "A change is JSON."
        values = header_values(scope, b"x-astedit-csrf")  # which only our own page knows
        if len(values) != 1 or not _same(values[0].decode("latin-1"), self._entrance.csrf):
            return 403, "The page is of another run: open the new link."
        lengths = header_values(scope, b"content-length")
        if any(not length.isdigit() or int(length) > BODY for length in lengths):
            return 413, "The request is too large."
        return self._stranger(scope)


class _Limited:
    """Passes on a body up to the limit; what is beyond it counts as a broken connection."""

    def __init__(self, receive: Receive) -> None:
        self._receive = receive
        self._left = BODY

    async def __call__(self) -> Message:
        message = await self._receive()
        self._left -= len(message.get("body", b""))
        return message if self._left >= 0 else {"type": "http.disconnect"}


class _Answer:
    """Sends an answer with the headers that every answer has, whatever the page sets."""

    def __init__(self, send: Send) -> None:
        self._send = send

    async def __call__(self, message: MutableMapping[str, Any]) -> None:
        if message["type"] == "http.response.start":
            own = [pair for pair in message.get("headers", ()) if pair[0].decode() not in HEADERS]
            message["headers"] = [*own, *_RAW_HEADERS]
        await self._send(message)
