"""Names of siblings: they tell, when nothing else does, what lies there and whose it is.

`.astedit-<action>-<random>-<name>-<before>-<after>`: the action that wrote it, the name of its
file (escaped as in a URL), and the SHA-256 of what that holds before and after. So an apply
can be ended when the state that knew of it is lost. A name may have 255 bytes: of a longer one
its hash is there, which finds the file among those that lie beside it.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from hashlib import sha256
from os import fsdecode, fsencode
from urllib.parse import quote, unquote_to_bytes

PREFIX = ".astedit-"
LONGEST = 255  # bytes of a file name
_NONE = "none"  # in place of a hash where there is no file
_NAME = re.compile(
    re.escape(PREFIX)
    + r"([0-9a-z]*)-([0-9a-f]{8})-(.+)-([0-9a-f]{64}|none)-([0-9a-f]{64}|none)([bkw]?)"
)


@dataclass(frozen=True, slots=True)
class SiblingName:
    """A name, read: `temporary` is the sibling's, without the letter that `file_step.py` adds.

    `file` is None where the file's own name was too long for it and is not among `beside`.
    """

    action: str
    temporary: str
    file: str | None
    before: str | None
    after: str | None


def sibling_name(token: str, file: str, before: str | None, after: str | None) -> str:
    """The name of the sibling of `file`, with the hashes (hex) of its contents.

    `token` begins the names of all siblings of one transaction, and of no other.
    """
    hashes = f"{before or _NONE}-{after or _NONE}"
    room = LONGEST - len(token) - len(hashes) - 3  # two dashes, and a letter behind it
    escaped = quote(fsencode(file), safe="")
    return f"{token}-{escaped if len(escaped) <= room else _marked(file)}-{hashes}"


def token_of(action: str, chance: bytes) -> str:
    """What the names of all siblings of one transaction begin with."""
    return f"{PREFIX}{action}-{chance.hex()}"


def read_name(name: str, beside: Iterable[str] = ()) -> SiblingName | None:
    """What a sibling's name says; None for any other name."""
    match = _NAME.fullmatch(name)
    if match is None:
        return None
    action, _, file, before, after, letter = match.groups()
    temporary = name.removesuffix(letter)
    hashes = (_hash(before), _hash(after))
    return SiblingName(action, temporary, _file(file, beside), *hashes)


def _marked(file: str) -> str:
    """Stands for a name that is too long; `=` is in no escaped name."""
    return "=" + sha256(fsencode(file)).hexdigest()[:16]


def _file(escaped: str, beside: Iterable[str]) -> str | None:
    if escaped.startswith("="):
        return next((name for name in beside if _marked(name) == escaped), None)
    return fsdecode(unquote_to_bytes(escaped))


def _hash(text: str) -> str | None:
    return None if text == _NONE else text
