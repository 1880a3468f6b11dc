"""The durable store: what other processes see, and what a disk that refuses to write leaves."""

from __future__ import annotations

import os
import resource
import sqlite3
import tempfile
from pathlib import Path

import pytest

from resolve import PendingAction, Session, SqliteStore, StoreError
from resolve.records import AuditRow
from tests.support.gate.handlers import Recorder
from tests.support.gate.kill import finishes
from tests.support.gate.program import output

STAGE = """
    import sys
    from resolve import Session, SqliteStore
    with SqliteStore(sys.argv[1]) as store, Session(store, id=sys.argv[2]) as session:
        print(session.stage(handler="recorder", payload={"n": 1}, label="change").id)
"""


def test_a_durable_action_survives_its_process(
    sqlite: SqliteStore, state: Path, recorder: Recorder
) -> None:
    action_id = output(STAGE, state, "other").strip()
    with Session(sqlite, workspace=True) as session:
        assert [action.id for action in session.store.list()] == [action_id]
        assert session.resolve("apply", "reviewed").text == "done"
    assert recorder.calls == [("apply", {"n": 1}, "reviewed", None)]


def test_a_file_of_a_newer_version_is_listed_and_never_written(
    sqlite: SqliteStore, state: Path, recorder: Recorder
) -> None:
    with Session(sqlite, id="one") as session:
        action = session.stage(handler="recorder", payload={}, label="change")
    sqlite.file.run("PRAGMA user_version=99")
    newer = SqliteStore(state)
    assert [found.id for found in newer.list()] == [action.id]
    with Session(newer, workspace=True) as session:
        for forbidden in (
            lambda: session.stage(handler="recorder", payload={}, label="more"),
            lambda: session.resolve("apply", "reviewed"),
            lambda: session.resolve("discard", "reviewed"),
        ):
            with pytest.raises(StoreError, match="newer version") as caught:
                forbidden()
            assert caught.value.code == "store_newer"
            assert caught.value.hint
    assert (newer.count, recorder.calls) == (1, [])
    newer.close()


def test_a_full_disk_registers_nothing(sqlite: SqliteStore, recorder: Recorder) -> None:
    """A limit on file sizes is what a full disk looks like to SQLite."""
    with Session(sqlite, workspace=True) as session:
        kept = session.stage(handler="recorder", payload={}, label="small")
        before = resource.getrlimit(resource.RLIMIT_FSIZE)
        resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, before[1]))
        try:
            with pytest.raises(StoreError) as caught:
                session.stage(
                    handler="recorder", payload={"n": os.urandom(500_000).hex()}, label="large"
                )
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, before)
        assert caught.value.code == "store_unwritable"
        assert [action.id for action in session.store.list()] == [kept.id]
        assert session.resolve("apply", "reviewed").text == "done"


NOBODY = 65534


def test_a_read_only_file_can_be_listed_and_nothing_else() -> None:
    """As another user: root writes anywhere."""

    def work() -> None:
        if os.geteuid() == 0:
            os.setuid(NOBODY)
        store = SqliteStore(state)
        with Session(store, workspace=True, lock=state.parent) as session:
            listed = [action.label for action in session.store.list()]
            assert listed == ["of a dead process", "change"]
            with pytest.raises(StoreError) as caught:
                session.stage(handler="h", payload={}, label="more")
            assert caught.value.code == "store_unwritable"
            assert "readonly" in str(caught.value)
            with pytest.raises(StoreError):
                session.resolve("discard", "no", target=session.store.list()[1].id)

    with tempfile.TemporaryDirectory() as directory:
        state = Path(directory) / "state.db"
        with SqliteStore(state) as store, Session(store) as session:
            session.stage(handler="h", payload={}, label="change")
            store.push(PendingAction("of a dead process", session="gone"))
        os.chmod(directory, 0o777)
        state.chmod(0o444)
        assert finishes(work)


def test_audit_rows_can_be_neither_rewritten_nor_removed(sqlite: SqliteStore) -> None:
    sqlite.commit(AuditRow("a1", "kind", "label", "me", "why", "applied"))
    for statement in ("UPDATE audit SET who='you'", "DELETE FROM audit"):
        with pytest.raises(sqlite3.IntegrityError, match="audit rows are never"):
            sqlite.file.run(statement)
    assert sqlite.audit()[0].who == "me"
