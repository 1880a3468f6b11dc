"""What files name, kept between two questions: one row for each content there was.

A row is found by the hash of the very bytes it is about, so none is ever stale: a file that
changed has no row yet. Nothing is opened before a tree asks, and whatever is wrong with the
file (damaged, locked, on a read-only disk) costs time only: files are parsed as without it.
"""

import hashlib
import json
import os
import zlib
from collections.abc import Iterable
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from astedit.language import load, named
from astedit.locating.inventory.read_file import FileFacts
from astedit.version import __version__
from astedit.workers.plain import plain, restored

if TYPE_CHECKING:
    import sqlite3

FILE = "names.db"
_FORMAT = 4  # of a row and of how a file is read; another leaves all rows of before unread
_MUTE = 16  # bytes of a hash that stand for a content of which no row is worth it
_KEPT = 20_000  # rows; the oldest go first
_AT_ONCE = 500  # keys in one query
_BUSY = 0.2  # seconds to wait for another process


class Index:
    """The rows in `names.db` of a state directory, which need not exist yet."""

    def __init__(self, directory: str) -> None:
        self._directory = directory

    def known(self, keys: Iterable[str], last_name: str | None) -> dict[str, FileFacts]:
        """What is known, by key, of the definitions only those named `wanted`, or all for ""."""
        every = list(keys)
        rows: list[tuple[str, int, str]] = []
        if os.path.exists(os.path.join(self._directory, FILE)):
            rows = self._guarded(lambda file: _rows(file, every)) or []
        return {key: _facts(text, last_name) for key, check, text in rows if check == _check(text)}

    def keep(self, contents: dict[str, FileFacts]) -> None:
        """Adds rows: all of them, or none."""
        texts = {key: json.dumps(plain(facts)) for key, facts in contents.items()}
        self._write([(key, _check(text), text) for key, text in texts.items()])

    def silent(self, language: str) -> set[bytes]:
        """What `keep_silent` was given of a language: `mute` of contents that say nothing."""
        if not os.path.exists(os.path.join(self._directory, FILE)):
            return set()
        rows = self._guarded(lambda file: _rows(file, [_silent_key(language)])) or []
        texts = [bytes.fromhex(text) for _, check, text in rows if check == _check(text)]
        return {text[at : at + _MUTE] for text in texts for at in range(0, len(text), _MUTE)}

    def keep_silent(self, language: str, contents: Iterable[bytes]) -> None:
        """Notes all contents of a language that say nothing about routes and clients."""
        text = b"".join(sorted(contents)).hex()
        self._write([(_silent_key(language), _check(text), text)])

    def _write(self, rows: list[tuple[str, int, str]]) -> None:
        from astedit.transaction import disk  # what is known already needs nothing that writes

        with suppress(OSError):  # nowhere to keep them
            disk.private_file(self._directory, FILE)
            self._guarded(lambda file: _add(file, rows))

    def _guarded(self, use: Any) -> Any:
        """What `use` of the open file gives; None if it cannot be used. A damaged one goes."""
        import sqlite3

        try:
            file = sqlite3.connect(os.path.join(self._directory, FILE), timeout=_BUSY)
            try:
                return use(file)
            finally:
                file.close()
        except sqlite3.OperationalError:  # locked, read-only, full
            return None
        except sqlite3.DatabaseError:
            from astedit.transaction import disk

            with suppress(OSError):
                disk.remove_private(self._directory, FILE)
            return None


def key_of(sha256: str, language: str, web: bool) -> str:
    """What a row is found by: content, and all that decides what is read off it."""
    row = named(language)
    assert row is not None, language
    grammar = load(row)
    edition = f"{_FORMAT} {__version__} {grammar.distribution} {grammar.version}"
    return f"{edition} {language} {'web' if web else 'symbols'} {sha256}"


def mute(raw: bytes) -> bytes:
    """A content that says nothing: enough of its hash that nobody makes another like it."""
    return hashlib.sha256(raw).digest()[:_MUTE]


def _silent_key(language: str) -> str:
    return f"{_FORMAT} {__version__} silent {language}"


def _rows(file: "sqlite3.Connection", keys: list[str]) -> list[tuple[str, int, str]]:
    rows: list[tuple[str, int, str]] = []
    for at in range(0, len(keys), _AT_ONCE):
        some = keys[at : at + _AT_ONCE]
        marks = ",".join("?" * len(some))
        rows += file.execute(f"SELECT key, sum, facts FROM files WHERE key IN ({marks})", some)
    return rows


def _add(file: "sqlite3.Connection", rows: list[tuple[str, int, str]]) -> None:
    with file:
        file.execute("CREATE TABLE IF NOT EXISTS files (key TEXT UNIQUE, sum INTEGER, facts TEXT)")
        file.executemany("INSERT OR REPLACE INTO files VALUES (?, ?, ?)", rows)
        oldest = "(SELECT max(rowid) FROM files) - ?"
        file.execute(f"DELETE FROM files WHERE rowid <= {oldest}", (_KEPT,))


def _check(text: str) -> int:
    """What a row's text must still add up to."""
    return zlib.crc32(text.encode())


def _facts(text: str, last_name: str | None) -> FileFacts:
    facts = restored(FileFacts, json.loads(text)).only(last_name)
    return restored(FileFacts, _frozen(list(plain(facts))))


def _frozen(value: Any) -> Any:
    """JSON's lists as the tuples they were."""
    return tuple(_frozen(item) for item in value) if isinstance(value, list) else value
