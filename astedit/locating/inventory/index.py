"""What files name, kept between two questions in the store of facts."""

import hashlib
from collections.abc import Iterable

from astedit.facts.store import key_of as fact_key
from astedit.facts.store import store_in
from astedit.locating.inventory.read_file import FileFacts
from astedit.workers.plain import plain, restored

_FORMAT = 4  # of what is kept of one file
_MUTE = 16  # bytes of a hash that stand for a content of which no row is worth it
_BROKEN = (TypeError, ValueError, IndexError, KeyError, AttributeError)


class Index:
    """What a state directory knows of files."""

    def __init__(self, directory: str) -> None:
        self._store = store_in(directory)

    def known(self, keys: Iterable[str], last_name: str | None) -> dict[str, FileFacts]:
        """What is known, by key, of the definitions only those named `wanted`, or all for ""."""
        known = {}
        for key, data in self._store.known(keys).items():
            try:
                known[key] = restored(FileFacts, data).only(last_name)
            except _BROKEN:  # not of ours: read again
                continue
        return known

    def keep(self, contents: dict[str, FileFacts]) -> None:
        """Adds rows: all of them, or none."""
        self._store.keep({key: plain(facts) for key, facts in contents.items()})

    def silent(self, language: str) -> set[bytes]:
        """What `keep_silent` was given of a language: `mute` of contents that say nothing."""
        texts = self._store.known([_silent_key(language)]).values()
        return {
            text[at : at + _MUTE]
            for text in texts
            if isinstance(text, bytes)
            for at in range(0, len(text), _MUTE)
        }

    def keep_silent(self, language: str, contents: Iterable[bytes]) -> None:
        """Notes all contents of a language that say nothing about routes and clients."""
        self._store.keep({_silent_key(language): b"".join(sorted(contents))})


def key_of(sha256: str, language: str, web: bool) -> str:
    """What a row is found by: content, and what was asked about it."""
    return fact_key(f"{'web' if web else 'symbols'} {_FORMAT}", language, sha256)


def mute(raw: bytes) -> bytes:
    """A content that says nothing: enough of its hash that nobody makes another like it."""
    return hashlib.sha256(raw).digest()[:_MUTE]


def _silent_key(language: str) -> str:
    return fact_key(f"silent {_FORMAT}", language, "")
