"""The state file: its permissions, its version, its errors, and what other processes see."""

from __future__ import annotations

import os
import resource
import sqlite3
import stat
import subprocess
import sys
import tempfile
import textwrap
from pathlib import Path

import pytest
from gate_handlers import Recorder
from gate_kill import finishes

from resolve import PendingAction, Session, SqliteStore, StoreError, ToolError
from resolve.locks import ApplyLock
from resolve.records import AuditRow

HERE = Path(__file__).parent


def run(script: str, *arguments: object) -> subprocess.Popen[str]:
    """Starts a program that has this folder and the package on its path."""
    path = os.pathsep.join([str(HERE), *sys.path])
    return subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(script), *map(str, arguments)],
        stdout=subprocess.PIPE,
        stdin=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": path},
    )


def output(script: str, *arguments: object) -> str:
    process = run(script, *arguments)
    out, _ = process.communicate(timeout=60)
    assert process.returncode == 0
    return out


STAGE = """
    import sys
    from resolve import Session, SqliteStore
    store = SqliteStore(sys.argv[1])
    with Session(store, id=sys.argv[2]) as session:
        print(session.stage(handler="recorder", payload={"n": 1}, label="change").id)
"""


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
    settings = [
        sqlite.file.read(f"PRAGMA {name}")[0][0]
        for name in ("journal_mode", "synchronous", "busy_timeout", "user_version")
    ]
    assert settings == ["wal", 2, 10_000, 1]


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


def test_a_newer_file_with_other_tables_is_refused_with_the_same_advice(state: Path) -> None:
    state.parent.mkdir()
    with sqlite3.connect(state) as connection:
        connection.execute("PRAGMA user_version=99")
    connection.close()
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
        with Session(SqliteStore(state)) as session:
            session.stage(handler="h", payload={}, label="change")
            session.records.push(PendingAction("of a dead process", session="gone"))
            session.records.close()
        os.chmod(directory, 0o777)
        state.chmod(0o444)
        assert finishes(work)


def test_audit_rows_can_be_neither_rewritten_nor_removed(sqlite: SqliteStore) -> None:
    sqlite.commit(AuditRow("a1", "kind", "label", "me", "why", "applied"))
    for statement in ("UPDATE audit SET who='you'", "DELETE FROM audit"):
        with pytest.raises(sqlite3.IntegrityError, match="audit rows are never"):
            sqlite.file.run(statement)
    assert sqlite.audit()[0].who == "me"


def test_payloads_are_plain_data_and_name_no_code(sqlite: SqliteStore) -> None:
    """CVE-class: a payload that looks like a pickle or a constructor stays a string."""
    hostile = {"py/object": "os.system", "__reduce__": ["os.system", ["id"]], "lc": 1}
    with Session(sqlite) as session:
        action = session.stage(handler="h", payload=hostile, label="x")
        assert session.records.payload(action.id) == hostile


@pytest.mark.parametrize(
    "payload",
    [
        {"n": float("nan")},
        {"n": float("inf")},
        {1: "key"},
        {"s": "\ud800"},
        {"\udfff": 1},
        {"b": b"bytes"},
        {"s": {1, 2}},
        {"o": object()},
    ],
)
def test_what_is_not_strict_json_is_refused_at_the_door(
    sqlite: SqliteStore, payload: object
) -> None:
    with Session(sqlite) as session:
        with pytest.raises(ToolError) as caught:
            session.stage(handler="h", payload=payload, label="x")
        assert caught.value.code == "invalid"
        assert session.store.count == 0


def test_deep_payloads_are_refused_without_recursion(sqlite: SqliteStore) -> None:
    deep: list[object] = []
    for _ in range(100_000):
        deep = [deep]
    with Session(sqlite) as session, pytest.raises(ToolError, match="more than 100 levels"):
        session.stage(handler="h", payload=deep, label="x")
    while deep:  # or the interpreter recurses to free it
        deep = deep[0]


def test_a_huge_payload_is_refused(sqlite: SqliteStore) -> None:
    with Session(sqlite) as session, pytest.raises(ToolError) as caught:
        session.stage(handler="h", payload={"n": "x" * 70_000_000}, label="x")
    assert caught.value.code == "too_large"


def test_the_apply_lock_is_waited_for_and_then_busy(root: Path) -> None:
    holder = run(
        """
        import sys, time
        from resolve.locks import ApplyLock
        hold = ApplyLock(sys.argv[1]).try_hold()
        print(hold is not None, flush=True)
        sys.stdin.read()
        """,
        root,
    )
    assert holder.stdout is not None
    assert holder.stdout.readline() == "True\n"
    lock = ApplyLock(root)
    assert lock.try_hold() is None
    assert str(holder.pid) in lock.holder()
    holder.kill()
    holder.communicate()
    hold = lock.try_hold()
    assert hold is not None
    hold.close()
    assert list(root.iterdir()) == []


def test_busy_names_the_holder_and_leaves_the_action_alone(
    sqlite: SqliteStore, root: Path, recorder: Recorder
) -> None:
    descriptor = os.open(root, os.O_RDONLY)
    import fcntl

    fcntl.flock(descriptor, fcntl.LOCK_EX)
    with Session(sqlite, lock=root, lock_wait=0.05) as session:
        action = session.stage(handler="recorder", payload={}, label="change")
        with pytest.raises(ToolError, match=f"process {os.getpid()}") as caught:
            session.resolve("apply", "reviewed")
        assert caught.value.code == "busy"
        os.close(descriptor)
        assert session.resolve("apply", "reviewed").details["actionId"] == action.id


def test_a_handler_may_resolve_another_action_under_the_same_lock(
    sqlite: SqliteStore, root: Path, recorder: Recorder
) -> None:
    with Session(sqlite, lock=root, lock_wait=0.05) as session:
        inner = session.stage(handler="missing", payload={}, label="inner")
        session.stage(handler="recorder", payload={}, label="outer")
        recorder.during = lambda context: session.resolve("discard", "nested", target=inner.id)
        assert session.resolve("apply", "reviewed").text == "done"
        assert session.store.count == 0


def test_a_missing_lock_directory_is_named(sqlite: SqliteStore, tmp_path: Path) -> None:
    with Session(sqlite, lock=tmp_path / "gone") as session:
        session.stage(handler="recorder", payload={}, label="change")
        with pytest.raises(ToolError, match="gone cannot be locked") as caught:
            session.resolve("discard", "no")
        assert caught.value.code == "lock"


def test_staging_needs_no_heavy_import() -> None:
    """One plan may cost a command 20 ms; pydantic alone costs 210, asyncio 50."""
    loaded = output(
        """
        import sys
        from resolve import Session, SqliteStore
        import tempfile, pathlib
        with tempfile.TemporaryDirectory() as directory:
            store = SqliteStore(pathlib.Path(directory) / "state.db")
            session = Session(store, workspace=True, lock=directory)
            session.stage(handler="h", payload={"a": 1}, label="x")
            store.close()
        heavy = ("pydantic", "asyncio", "rich", "click", "uuid", "resolve.tool", "resolve.memory")
        print([name for name in heavy if name in sys.modules])
        """
    )
    assert loaded == "[]\n"


def test_importing_resolve_imports_nothing_else_of_it() -> None:
    loaded = output(
        "import sys, resolve; print([name for name in sys.modules if name.startswith('resolve')])"
    )
    assert loaded == "['resolve']\n"
