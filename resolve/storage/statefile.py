"""Opens the state file, keeps its promises, and turns SQLite's errors into ours."""

from __future__ import annotations

import errno
import os
import sqlite3
import threading
import time
import warnings
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, TypeVar

from resolve.errors import StoreError
from resolve.storage.marker import damaged, refuse_odd

VERSION = 2

# Times are milliseconds since 1970. Payloads, details, intents and bodies are JSON, as
# text or (large ones) as a zlib blob. The payload is the last column, so that listing
# never reads its overflow pages. Annotations lie beside the actions: changing a row writes
# its whole payload again.
SCHEMA = """
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE actions (
    id TEXT PRIMARY KEY, position INTEGER NOT NULL, session TEXT NOT NULL,
    state TEXT NOT NULL, condition TEXT, sentence TEXT, handler TEXT, label TEXT NOT NULL,
    source TEXT NOT NULL, created INTEGER NOT NULL, resolved INTEGER, who TEXT, reason TEXT,
    claim_session TEXT, claim_call TEXT, claim_locked INTEGER, details, payload
);
CREATE INDEX actions_stack ON actions (state, position);
CREATE INDEX actions_position ON actions (position);
CREATE TABLE audit (
    seq INTEGER PRIMARY KEY, time INTEGER NOT NULL, action_id TEXT, kind TEXT NOT NULL,
    label TEXT NOT NULL, who TEXT NOT NULL, reason TEXT NOT NULL, outcome TEXT NOT NULL,
    code TEXT, text TEXT NOT NULL, session TEXT NOT NULL,
    call_id TEXT, files
);
CREATE INDEX audit_action ON audit (action_id);
CREATE TRIGGER audit_kept BEFORE UPDATE ON audit
    BEGIN SELECT RAISE(ABORT, 'audit rows are never rewritten'); END;
CREATE TRIGGER audit_stays BEFORE DELETE ON audit
    BEGIN SELECT RAISE(ABORT, 'audit rows are never removed'); END;
CREATE TABLE intents (action_id TEXT PRIMARY KEY, created INTEGER NOT NULL, intent NOT NULL);
CREATE TABLE images (sha256 TEXT PRIMARY KEY, created INTEGER NOT NULL, image BLOB NOT NULL);
CREATE TABLE image_uses (
    action_id TEXT NOT NULL, sha256 TEXT NOT NULL, PRIMARY KEY (action_id, sha256)
);
CREATE TABLE records (
    seq INTEGER PRIMARY KEY AUTOINCREMENT, session TEXT NOT NULL, kind TEXT NOT NULL,
    call_id TEXT, body NOT NULL
);
CREATE INDEX records_session ON records (session, seq);
CREATE TABLE annotated (action_id TEXT PRIMARY KEY, revision INTEGER NOT NULL);
CREATE TABLE annotations (
    action_id TEXT NOT NULL, key TEXT NOT NULL, revision INTEGER NOT NULL, body NOT NULL,
    PRIMARY KEY (action_id, key)
) WITHOUT ROWID;
CREATE INDEX annotations_revision ON annotations (action_id, revision);
"""


def statements(script: str) -> list[str]:
    """Splits a script into its statements; a trigger stays whole."""
    parts = [""]
    for line in script.strip().splitlines():
        parts[-1] += f"{line}\n"
        if sqlite3.complete_statement(parts[-1]):
            parts.append("")
    return [part.strip() for part in parts[:-1]]


BUSY_TIMEOUT = 10.0  # seconds
Row = TypeVar("Row")
# What reading a row raises that nobody of ours has written.
_UNREADABLE = (
    AttributeError,
    KeyError,
    OverflowError,
    RecursionError,
    TypeError,
    ValueError,
    zlib.error,
)
_FILES = ("", "-wal", "-shm", "-journal")  # what SQLite opens
_CODES = {
    "SQLITE_BUSY": "store_locked",
    "SQLITE_LOCKED": "store_locked",
    "SQLITE_PROTOCOL": "store_locked",
    "SQLITE_CORRUPT": "store_damaged",
    "SQLITE_NOTADB": "store_damaged",
}
_HINTS = {
    "store_locked": "Try again; if it stays, put the state into a directory on a local disk.",
    "store_damaged": "Nothing in it was changed. Move it away to start afresh.",
    "store_unwritable": "Make room or permission there, or use another state directory.",
}


class StateFile:
    """One SQLite file: WAL, `synchronous=FULL`, short `BEGIN IMMEDIATE` transactions.

    Missing parents are created 0700 and the file 0600, whatever the umask. What a
    transaction committed survives a power cut. A file of a newer version is read as far
    as it can be and never written.

    Whoever opens it closes it: one that is forgotten is closed with a `ResourceWarning`.
    Without a path it is no file: it lies in memory, and is forgotten with this object.
    """

    def __init__(self, path: Path | None) -> None:
        self.path = path or Path(":memory:")
        self._lies_on_disk = path is not None
        self._lock = threading.RLock()
        self._aside: set[str] = set()
        self.closed = True
        with self.translated():
            if path is not None:
                for ending in _FILES:
                    refuse_odd(path.with_name(path.name + ending))
                _create(path)
            self._connection = sqlite3.connect(
                ":memory:" if path is None else _address(path),
                timeout=BUSY_TIMEOUT, isolation_level=None, check_same_thread=False, uri=True,
            )  # fmt: skip
            self.closed = False
            try:
                self._connection.execute("PRAGMA synchronous=FULL")
                self.version = self._prepare()
            except BaseException:
                self.close()
                raise

    def __del__(self) -> None:
        if self.closed:
            return
        try:
            if self._lies_on_disk:
                message = f"{self.path} was never closed"
                warnings.warn(message, ResourceWarning, stacklevel=2, source=self)
        finally:
            self.close()

    def close(self) -> None:
        """Closes the connection; what is committed stays. A second call does nothing."""
        self.closed = True
        self._connection.close()

    def read(self, sql: str, parameters: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        """Returns all rows of one query; what is no text (a lone surrogate) is in none."""
        with self._lock, self.translated(), suppress(UnicodeEncodeError):
            return self._connection.execute(sql, parameters).fetchall()
        return []

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Commits what happens inside, or nothing of it when an exception passes through."""
        if self.version > VERSION:
            raise self.newer()
        with self._lock, self.translated():
            self.run("BEGIN IMMEDIATE")
            try:
                yield
                self.run("COMMIT")
            except BaseException:
                if self._connection.in_transaction:
                    self.run("ROLLBACK")
                raise

    def settle(self) -> None:
        """Brings what is committed from the log beside the file into the file itself.

        As far as nobody who reads keeps it: it is for the day on which that log is lost.
        """
        with self._lock, self.translated():
            self._connection.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchall()

    def rows(
        self, read: Callable[[tuple[Any, ...]], Row], sql: str, parameters: Sequence[Any] = ()
    ) -> list[Row]:
        """Returns what `read` makes of all rows; those that nobody of ours wrote are set aside.

        A warning names each of these once.
        """
        return [value for row in self.read(sql, parameters) for value in self._readable(read, row)]

    def _readable(self, read: Callable[[tuple[Any, ...]], Row], row: tuple[Any, ...]) -> list[Row]:
        try:
            return [read(row)]
        except _UNREADABLE as error:
            name = f"{row[-1] if isinstance(row[-1], int) else row[0]!r}"[:60]
            if name not in self._aside:
                self._aside.add(name)
                what = f"the row {name} cannot be read ({error!r:.200}) and is set aside"
                warnings.warn(f"{self.path}: {what}; all others are read.", stacklevel=4)
            return []

    def check(self) -> None:
        """Raises `StoreError` if pages of the file do not belong together."""
        ((answer, *_), *_) = self.read("PRAGMA quick_check(1)")
        if answer != "ok":
            raise damaged(self.path, f"is damaged ({answer})")

    def run(self, sql: str, parameters: Sequence[Any] | Mapping[str, Any] = ()) -> int:
        """Executes one writing statement of a transaction; returns the rows it touched.

        A lone surrogate in a text (an odd file name in an error message) is stored escaped.
        """
        try:
            return self._connection.execute(sql, parameters).rowcount
        except UnicodeEncodeError:
            return self._connection.execute(sql, _escaped(parameters)).rowcount

    def _prepare(self) -> int:
        version = self._user_version()
        if version >= VERSION:
            return version
        self._set_wal()
        self.version = version
        with self.transaction():
            if self._user_version() < VERSION:  # nobody else has done it meanwhile
                for statement in statements(SCHEMA):
                    self.run(statement)
                self.run(f"PRAGMA user_version={VERSION}")
        return VERSION

    def _user_version(self) -> int:
        return int(self._connection.execute("PRAGMA user_version").fetchone()[0])

    def _set_wal(self) -> None:
        """Switches a new file to WAL; here SQLite does not honour its busy timeout."""
        end = time.monotonic() + BUSY_TIMEOUT
        while True:
            try:
                self._connection.execute("PRAGMA journal_mode=WAL")
                return
            except sqlite3.OperationalError as error:
                if error.sqlite_errorname != "SQLITE_BUSY" or time.monotonic() > end:
                    raise
                time.sleep(0.01)

    def newer(self) -> StoreError:
        """Returns the refusal of whatever would write to a file of a newer version."""
        return StoreError(
            f"{self.path} was written by a newer version ({self.version}, this is {VERSION}).",
            code="store_newer",
            hint="Nothing was changed. Update this program, or use another state directory.",
        )

    @contextmanager
    def translated(self) -> Iterator[None]:
        """Turns errors of SQLite and the file system into `StoreError`."""
        try:
            yield
        except sqlite3.Error as error:
            if getattr(self, "version", 0) > VERSION:
                raise self.newer() from error
            name = getattr(error, "sqlite_errorname", "")
            code = _CODES.get("_".join(name.split("_")[:2]), "store_unwritable")
            if isinstance(error, sqlite3.OperationalError) and not name:
                code = "store_damaged"  # Python says it: a text that is not UTF-8
            raise StoreError(f"{self.path}: {error}.", code=code, hint=_HINTS[code]) from error
        except OSError as error:
            code = "store_unwritable"
            message = f"{error.filename or self.path}: {error.strerror or error}."
            raise StoreError(message, code=code, hint=_HINTS[code]) from error


def _escaped(parameters: Sequence[Any] | Mapping[str, Any]) -> Sequence[Any] | Mapping[str, Any]:
    def escape(value: Any) -> Any:
        return value.encode(errors="backslashreplace").decode() if isinstance(value, str) else value

    if isinstance(parameters, Mapping):
        return {name: escape(value) for name, value in parameters.items()}
    return [escape(value) for value in parameters]


def _create(path: Path) -> None:
    missing = [path.parent, *path.parent.parents]
    for directory in reversed([path for path in missing if not path.exists()]):
        directory.mkdir(mode=0o700, exist_ok=True)
    try:
        os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o600))
    except OSError as error:
        if error.errno not in (errno.EACCES, errno.EPERM, errno.EROFS):
            raise
        os.close(os.open(path, os.O_RDONLY))  # still readable: SQLite opens it read-only


def _address(path: Path) -> str:
    """The file as SQLite is to open it: where nothing can be written beside it, as it lies."""
    beside = os.access(path.parent, os.W_OK) or path.with_name(f"{path.name}-wal").exists()
    return path.absolute().as_uri() + ("" if beside else "?immutable=1")
