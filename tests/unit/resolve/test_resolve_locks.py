"""The locks: who waits, who is named, and what runs under one lock."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from resolve import Session, SqliteStore, ToolError
from resolve.locks import ApplyLock
from tests.support.gate.handlers import Recorder
from tests.support.gate.program import run


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
