"""A state file opened by hand, to look into it or to spoil it."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path


@contextmanager
def opened(path: Path) -> Iterator[sqlite3.Connection]:
    """Commits what was done inside, and closes: `with sqlite3.connect()` leaves it open."""
    with closing(sqlite3.connect(path)) as connection, connection:
        yield connection
