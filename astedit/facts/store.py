"""Rows of plain data in `names.db` of a state directory, one for each content there was.

A row is found by the hash of the very bytes it is about, so none is ever stale: a file that
changed has no row yet. Whatever is wrong with the file (damaged, of another version, locked,
on a full or read-only disk) costs time only: what it would have said is computed again.
"""

import hashlib
import marshal
import os
import time
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from functools import cache
from typing import TYPE_CHECKING, Any

from astedit.language import grammar_of
from astedit.version import __version__
from astedit.workspace.root import Workspace, own_state

if TYPE_CHECKING:
    import sqlite3

FILE = "names.db"
LIMIT = 536_870_912  # bytes of the file; the rows that were least recently used go first
_FORMAT = 5  # of a row and of how a file is read; another leaves all rows of before unread
_AT_ONCE = 500  # keys in one query
_BUSY = 0.2  # seconds to wait for another process
_DAY = 86_400  # seconds: how exactly it is known when a row was used
_TABLE = """
    CREATE TABLE IF NOT EXISTS facts (key BLOB UNIQUE, sum BLOB, used INTEGER, data BLOB)
"""
_OLDEST = """
    DELETE FROM facts WHERE rowid IN (
        SELECT rowid FROM facts ORDER BY used, rowid LIMIT (SELECT count(*) / 8 + 1 FROM facts)
    )
"""


class FactStore:
    """The rows of one state directory, which need not exist yet.

    Nothing is opened before it is asked for. `store_in` gives the one of a directory.
    """

    def __init__(self, directory: str) -> None:
        self._directory = directory
        self._trouble = ""
        self._is_told = False

    def known(self, keys: Iterable[str]) -> dict[str, Any]:
        """The data that are kept under these keys, each as they were kept, or not at all."""
        every = {_key(key): key for key in keys}
        if not every or not os.path.exists(os.path.join(self._directory, FILE)):
            return {}
        rows = self._guarded(lambda file: _rows(file, list(every))) or []
        sound = [row for row in rows if row[1] == _sum(row[0], row[3])]
        today = _today()
        if any(used < today for _, _, used, _ in sound):
            old = [(today, key) for key, _, used, _ in sound if used < today]
            self._guarded(lambda file: _touch(file, old), is_needed=False)
        known = {}
        for key, _, _, data in sound:
            with suppress(ValueError, EOFError, TypeError):  # nobody's, and yet with a right sum
                known[every[key]] = marshal.loads(data)
        return known

    def keep(self, contents: Mapping[str, Any]) -> None:
        """Adds rows: all of them, or none."""
        from astedit.transaction import disk  # what is known already needs nothing that writes

        today = _today()
        rows = [
            (key, _sum(key, data), today, data)
            for key, data in ((_key(k), marshal.dumps(value)) for k, value in contents.items())
        ]
        if not rows:
            return
        try:
            disk.private_file(self._directory, FILE)
        except OSError as error:
            self._note(error.strerror or str(error))
        else:
            self._guarded(lambda file: _add(file, rows))

    def trouble(self) -> str | None:
        """Why nothing could be kept, or that what was kept is lost; said once."""
        if self._is_told or not self._trouble:
            return None
        self._is_told = True
        return (
            f"What was read to follow names could not be kept in {self._directory} "
            f"({self._trouble}): it was computed anew, and will be next time."
        )

    def _guarded(
        self, use: "Callable[[sqlite3.Connection], Any]", *, is_needed: bool = True
    ) -> Any:
        """What `use` of the open file gives; None if it cannot be used. A damaged one goes."""
        import sqlite3

        try:
            file = sqlite3.connect(os.path.join(self._directory, FILE), timeout=_BUSY)
            try:
                file.execute("PRAGMA synchronous = OFF")  # a torn row has a wrong sum
                return use(file)
            finally:
                file.close()
        except sqlite3.OperationalError as error:  # no table so far, locked, read-only, full
            if is_needed and ("full" in str(error) or "readonly" in str(error)):
                self._note(str(error))
            return None
        except sqlite3.DatabaseError as error:
            from astedit.transaction import disk

            self._note(str(error))
            with suppress(OSError):
                disk.remove_private(self._directory, FILE)
            return None

    def _note(self, trouble: str) -> None:
        self._trouble = self._trouble or trouble


@cache
def store_in(directory: str) -> FactStore:
    """The one store of a state directory."""
    return FactStore(directory)


def store_for(workspace: Workspace, state: str | None) -> FactStore | None:
    """Where facts of a workspace are kept; None without a state, and where that is in it."""
    return store_in(state) if state is not None and own_state(workspace) is None else None


def key_of(kind: str, language: str, sha256: str) -> str:
    """What a row is found by: content, and all that decides what is read off it."""
    grammar = grammar_of(language)
    edition = f"{_FORMAT} {__version__} {grammar.distribution} {grammar.version}"
    return f"{edition} {language} {kind} {sha256}"


def _key(key: str) -> bytes:
    return hashlib.blake2b(key.encode("utf-8", "surrogateescape"), digest_size=20).digest()


def _sum(key: bytes, data: object) -> bytes:
    """What a row must still add up to, its key included."""
    content = data if isinstance(data, bytes) else b""
    return hashlib.blake2b(content, digest_size=16, key=key).digest()


def _today() -> int:
    return int(time.time()) // _DAY


def _rows(file: "sqlite3.Connection", keys: list[bytes]) -> list[tuple[bytes, bytes, int, bytes]]:
    rows: list[tuple[bytes, bytes, int, bytes]] = []
    for at in range(0, len(keys), _AT_ONCE):
        some = keys[at : at + _AT_ONCE]
        marks = ",".join("?" * len(some))
        rows += file.execute(f"SELECT key, sum, used, data FROM facts WHERE key IN ({marks})", some)
    return rows


def _touch(file: "sqlite3.Connection", rows: list[tuple[int, bytes]]) -> None:
    with file:
        file.executemany("UPDATE facts SET used = ? WHERE key = ?", rows)


def _add(file: "sqlite3.Connection", rows: list[tuple[bytes, bytes, int, bytes]]) -> None:
    with file:
        file.execute("DROP TABLE IF EXISTS files")  # of earlier versions
        file.execute(_TABLE)
        file.executemany("INSERT OR REPLACE INTO facts VALUES (?, ?, ?, ?)", rows)
        while _size(file) > LIMIT and file.execute(_OLDEST).rowcount:
            pass


def _size(file: "sqlite3.Connection") -> int:
    """Bytes of the pages that hold anything."""
    pages, free, size = (
        file.execute(f"PRAGMA {name}").fetchone()[0]
        for name in ("page_count", "freelist_count", "page_size")
    )
    return int((pages - free) * size)
