"""The secrets of one run of the page: who comes in, and who may change something."""

import hmac
import secrets
from dataclasses import dataclass, field

from starlette.types import Scope

from astedit.loopback import header_values


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

    def has_csrf(self, scope: Scope) -> bool:
        """Whether the request carries the header that only our own page knows."""
        values = header_values(scope, b"x-astedit-csrf")
        return len(values) == 1 and _same(values[0].decode("latin-1"), self.csrf)


def _same(value: str, secret: str) -> bool:
    return hmac.compare_digest(value.encode(), secret.encode())
