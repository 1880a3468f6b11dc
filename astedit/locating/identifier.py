"""An identifier as typed, to the forms it may be of."""

import re
import unicodedata
from dataclasses import dataclass

from astedit.language import for_path
from astedit.locating.result import MALFORMED

LONGEST = 1_024  # characters
METHODS = frozenset(
    ["GET", "HEAD", "POST", "PUT", "DELETE", "CONNECT", "OPTIONS", "TRACE", "PATCH"]
)
_ID = {"sym": "symbol", "route": "route", "r": "route", "client": "client", "c": "client"}
_FULL = {"symbol": "sym:", "route": "route:", "client": "client:"}
_SEPARATORS = re.compile(r"\.<locals>(?=[.:#]|$)|::|[.#:/\\]+")


class Malformed(Exception):
    """No identifier at all; the text is the envelope's message."""


@dataclass(frozen=True, slots=True)
class Identifier:
    """One identifier, and each form whose shape it has; None or () where it has not.

    `id` is a full node id of kind `id_kind`. `name` holds the segments of a symbol's name.
    A route is `path`, perhaps with a `method` and a `service`; a client `target`, perhaps
    with `path`. `wildcard` is the character that keeps a name from being one.
    """

    text: str
    id: str | None = None
    id_kind: str | None = None
    name: tuple[str, ...] = ()
    path: str | None = None
    method: str | None = None
    service: str | None = None
    target: str | None = None
    prefix: str | None = None
    wildcard: str | None = None

    def asks_for(self, kind: str) -> bool:
        """Whether it has a shape of this kind."""
        shape = {"symbol": self.name, "route": self.path, "client": self.target}
        return self.id_kind == kind or bool(shape[kind])


def parse(identifier: object) -> Identifier:
    """The forms of an identifier. Raises `Malformed`; anything else is well-formed."""
    text = _checked(identifier)
    head, colon, rest = text.partition(":")
    if colon and head in _ID and not rest.startswith(":"):
        kind = _ID[head]
        return Identifier(text, id=_FULL[kind] + rest, id_kind=kind)
    words = text.split()
    if len(words) > 1:
        return _of_words(text, words)
    if text.startswith("/"):
        return Identifier(text, path=text)
    return _of_name(text)


def _checked(identifier: object) -> str:
    if not isinstance(identifier, str):
        raise Malformed(f"{MALFORMED}it is not a text.")
    if not identifier.strip(" "):
        raise Malformed(f"{MALFORMED}it is {'blank' if identifier else 'empty'}.")
    if len(identifier) > LONGEST:
        raise Malformed(f"{MALFORMED}it is longer than {LONGEST:,} characters.")
    if any(unicodedata.category(char) in ("Cc", "Zl", "Zp") for char in identifier):
        raise Malformed(f"{MALFORMED}it holds a newline or another control character.")
    return identifier.strip()


def _of_words(text: str, words: list[str]) -> Identifier:
    """`METHOD /path`, `service METHOD /path` or `target /prefix`; else a sentence."""
    last = words[-1]
    if last.startswith("/") and len(words) == 2:
        if words[0].upper() in METHODS:
            return Identifier(text, path=last, method=words[0].upper())
        return Identifier(text, target=words[0], prefix=last)
    if last.startswith("/") and len(words) == 3 and words[1].upper() in METHODS:
        return Identifier(text, path=last, method=words[1].upper(), service=words[0])
    return Identifier(text)


def _of_name(text: str) -> Identifier:
    path, mark, _ = text.partition("::")
    is_file = bool(mark) and ("/" in path or for_path(path) is not None)
    wildcard = next((char for char in text if char in "*?"), None)
    name = () if wildcard else tuple(filter(None, _SEPARATORS.split(text.rstrip("()"))))
    return Identifier(
        text,
        id=f"sym:{text}" if is_file else None,
        id_kind="symbol" if is_file else None,
        name=() if is_file and ".." in path.split("/") else name,
        target=None if is_file or wildcard else text,
        wildcard=wildcard,
    )
