"""The tables: the script is cut into whole statements, and every version has a way to the last."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

from resolve import PendingAction, SqliteStore
from resolve.records import Annotate, Push
from resolve.rows import write
from resolve.schema import MIGRATIONS, V1, VERSION, statements


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
        for statement in statements(V1):
            database.execute(statement)
        rows = database.execute("SELECT name FROM sqlite_schema WHERE type <> 'index'").fetchall()
    names = {name for (name,) in rows}
    assert names >= {"meta", "actions", "audit", "intents", "images", "image_uses", "records"}
    assert names >= {"audit_kept", "audit_stays"}


def test_every_older_version_leads_to_this_one() -> None:
    assert sorted(MIGRATIONS) == list(range(VERSION))


def test_what_the_first_version_stored_is_there_and_can_be_annotated(tmp_path: Path) -> None:
    action = PendingAction("change", handler="ast_edit", session="s")
    with closing(sqlite3.connect(tmp_path / "state.db", isolation_level=None)) as database:
        for statement in [*statements(V1), "PRAGMA user_version=1"]:
            database.execute(statement)
        write(lambda sql, values: database.execute(sql, values).rowcount, Push(action, "{}"))
    with SqliteStore(tmp_path / "state.db") as store:
        assert store.list() == [action]
        store.commit(Annotate(action.id, {"key": {}}, 0))
        assert store.annotations(action.id) == [("key", {}, 1)]
