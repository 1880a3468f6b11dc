"""The state file: its permissions, its version, its errors, and who closes it."""

from __future__ import annotations

import gc
import os
import sqlite3
import stat
from contextlib import closing
from pathlib import Path

import pytest

from resolve import PendingAction, SqliteStore, StoreError
from resolve.storage.statefile import SCHEMA, StateFile, statements
from tests.support.database import opened


@pytest.mark.parametrize("umask", [0o000, 0o777 & ~0o700])
def test_parents_are_0700_and_the_file_0600_whatever_the_umask(tmp_path: Path, umask: int) -> None:
    before = os.umask(umask)
    try:
        store = SqliteStore(tmp_path / "one" / "two" / "state.db")
        store.push(PendingAction("change", lambda reason: None))
    finally:
        os.umask(before)
    modes = [path.stat().st_mode for path in (tmp_path / "one", tmp_path / "one" / "two")]
    assert [stat.S_IMODE(mode) for mode in modes] == [0o700, 0o700]
    files = [path for path in (tmp_path / "one").rglob("*") if path.is_file()]
    assert {stat.S_IMODE(path.stat().st_mode) for path in files} == {0o600}
    assert {path.name for path in files} >= {"state.db", "state.db-wal"}
    store.close()


def test_the_file_keeps_its_promises(sqlite: SqliteStore) -> None:
    assert [
        sqlite.file.read(f"PRAGMA {name}")[0][0]
        for name in ("journal_mode", "synchronous", "busy_timeout", "user_version")
    ] == ["wal", 2, 10_000, 2]


def test_a_newer_file_with_other_tables_is_refused_with_the_same_advice(state: Path) -> None:
    state.parent.mkdir()
    with opened(state) as connection:
        connection.execute("PRAGMA user_version=99")
    newer = SqliteStore(state)
    with pytest.raises(StoreError) as caught:
        newer.list()
    assert caught.value.code == "store_newer"
    newer.close()


def test_what_is_no_state_file_is_named_and_left_alone(state: Path) -> None:
    state.parent.mkdir()
    state.write_bytes(b"something else entirely" * 100)
    with pytest.raises(StoreError) as caught:
        SqliteStore(state)
    assert caught.value.code == "store_damaged"
    assert str(state) in str(caught.value)
    assert state.read_bytes() == b"something else entirely" * 100


def test_a_directory_that_cannot_be_made_is_unwritable(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(StoreError) as caught:
        SqliteStore(tmp_path / "file" / "state.db")
    assert caught.value.code == "store_unwritable"


def test_a_link_in_place_of_the_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "state.db").symlink_to(tmp_path / "elsewhere.db")
    with pytest.raises(StoreError):
        SqliteStore(tmp_path / "state.db")
    assert not (tmp_path / "elsewhere.db").exists()


def connections(path: Path) -> int:
    """How many descriptors of this process are open on the file."""
    opened = [os.readlink(link) for link in Path("/proc/self/fd").iterdir() if link.is_symlink()]
    return opened.count(str(path))


@pytest.mark.skipif(not Path("/proc/self/fd").is_dir(), reason="needs /proc")
def test_a_file_that_cannot_be_used_is_closed_before_the_error_is_raised(state: Path) -> None:
    state.parent.mkdir()
    state.write_bytes(b"something else entirely" * 100)
    with pytest.raises(StoreError) as caught:
        SqliteStore(state)
    assert caught.tb is not None and connections(state) == 0


@pytest.mark.skipif(not Path("/proc/self/fd").is_dir(), reason="needs /proc")
def test_a_store_is_closed_when_its_block_is_left(state: Path) -> None:
    with pytest.raises(ZeroDivisionError) as caught, SqliteStore(state) as store:
        store.push(PendingAction("change", lambda reason: None))
        assert connections(state) > 0
        raise ZeroDivisionError
    assert caught.tb is not None and connections(state) == 0
    store.close()


def test_a_closed_store_lets_go_of_the_session_it_pushed_for(
    state: Path, sqlite: SqliteStore
) -> None:
    with SqliteStore(state) as store:
        action = store.push(PendingAction("change", lambda reason: None))
        assert sqlite.alive(action.session)
    assert not sqlite.alive(action.session)


def test_a_store_that_is_forgotten_is_closed_and_reported(state: Path) -> None:
    with pytest.warns(ResourceWarning, match="state.db was never closed"):
        StateFile(state)
        gc.collect()


def test_a_trigger_stays_whole() -> None:
    script = """
    CREATE TABLE a (
        b TEXT
    );
    CREATE TRIGGER c BEFORE DELETE ON a
        BEGIN SELECT 1;
        SELECT 2; END;
    CREATE INDEX d ON a (b);
    """
    assert [text.split()[1] for text in statements(script)] == ["TABLE", "TRIGGER", "INDEX"]


def test_each_statement_runs_and_nothing_is_left_out() -> None:
    with closing(sqlite3.connect(":memory:")) as database:
        for statement in statements(SCHEMA):
            database.execute(statement)
        rows = database.execute("SELECT name FROM sqlite_schema WHERE type <> 'index'").fetchall()
    names = {name for (name,) in rows}
    assert names >= {"meta", "actions", "audit", "intents", "images", "image_uses", "records"}
    assert names >= {"audit_kept", "audit_stays"}
