"""The marker beside the state file says which applies are open."""

from __future__ import annotations

import os
import socket
from collections.abc import Callable
from pathlib import Path

import pytest

from resolve import SqliteStore, StoreError
from resolve.storage.marker import announce, interrupted, read_small, refuse_odd
from tests.support.faults.mutate import replace


def test_without_a_marker_nothing_was_interrupted(tmp_path: Path) -> None:
    assert interrupted(tmp_path / "state.db") == []
    assert interrupted(tmp_path / "nowhere" / "state.db") == []


def test_what_is_announced_is_read_until_nothing_is_open(tmp_path: Path) -> None:
    state = tmp_path / "state.db"
    announce(state, ["a1", "a2"])
    assert interrupted(state) == ["a1", "a2"]
    assert (tmp_path / "intent").stat().st_mode & 0o777 == 0o600
    announce(state, ["a2"])
    assert interrupted(str(state)) == ["a2"]
    announce(state, [])
    announce(state, [])
    assert list(tmp_path.iterdir()) == []


def test_a_link_in_place_of_the_marker_is_not_written_through(tmp_path: Path) -> None:
    (tmp_path / "intent").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(OSError):
        announce(tmp_path / "state.db", ["a1"])
    assert not (tmp_path / "elsewhere").exists()


def bind(path: Path) -> None:
    here = os.getcwd()
    os.chdir(path.parent)  # the name of a socket is short
    with socket.socket(socket.AF_UNIX) as made:
        made.bind(path.name)
    os.chdir(here)


def link(path: Path) -> None:
    target = path.with_name("elsewhere")
    target.write_bytes(b"theirs")
    path.symlink_to(target)


ODD: dict[str, Callable[[Path], object]] = {
    "a directory": Path.mkdir,
    "a link": link,
    "a pipe": os.mkfifo,
    "a socket": bind,
}
KINDS = pytest.mark.parametrize("kind", ODD)


@KINDS
def test_what_is_no_file_is_named_and_never_waited_for(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "x"
    ODD[kind](path)
    for look in (refuse_odd, lambda path: read_small(path, 9)):
        with pytest.raises(StoreError) as raised:
            look(path)
        assert str(raised.value) == f"{path} is {kind}, and should be a file of ours."
        assert raised.value.code == "store_damaged" and raised.value.hint


@KINDS
@pytest.mark.parametrize("name", ["state.db", "state.db-wal", "state.db-shm", "state.db-journal"])
def test_no_file_of_sqlite_may_be_anything_else(tmp_path: Path, name: str, kind: str) -> None:
    ODD[kind](tmp_path / name)
    with pytest.raises(StoreError, match=f"is {kind}") as raised:
        SqliteStore(tmp_path / "state.db")
    assert str(tmp_path / name) in str(raised.value)
    assert not (tmp_path / "elsewhere").exists() or (tmp_path / "elsewhere").read_text() == "theirs"


@KINDS
def test_a_marker_may_not_either(tmp_path: Path, kind: str) -> None:
    ODD[kind](tmp_path / "intent")
    with pytest.raises(StoreError, match=f"is {kind}"):
        interrupted(tmp_path / "state.db")
    with SqliteStore(tmp_path / "state.db") as store, pytest.raises(StoreError, match=kind):
        store.refuse_lost()
    assert (tmp_path / "intent").exists(), "nothing is cleared away"


def test_without_the_question_a_pipe_would_say_that_nothing_was_interrupted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    os.mkfifo(tmp_path / "intent")
    replace(monkeypatch, refuse_odd, "kind != stat.S_IFREG", "False")
    assert interrupted(tmp_path / "state.db") == []


@pytest.mark.parametrize(
    "content",
    [b"\xff\xfe\n", b"a1\n\0\0\0", b"a b\n", b"{}\n", b"\n", b"x" * 200, b"a\n" * (1 << 20)],
)
def test_a_marker_with_other_content_is_named(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "intent").write_bytes(content)
    with pytest.raises(StoreError) as raised:
        interrupted(tmp_path / "state.db")
    assert str(tmp_path / "intent") in str(raised.value) and "Move it away" in str(
        raised.value.hint
    )


def test_a_line_that_was_never_wholly_written_is_none(tmp_path: Path) -> None:
    """An intent is committed after its line is on the disk."""
    (tmp_path / "intent").write_bytes(b"a1\na2345")
    assert interrupted(tmp_path / "state.db") == ["a1"]


def test_what_is_there_is_read_up_to_the_limit(tmp_path: Path) -> None:
    assert read_small(tmp_path / "x", 3) is None
    (tmp_path / "x").write_bytes(b"abc")
    assert read_small(tmp_path / "x", 3) == b"abc"
    with pytest.raises(StoreError, match="more than 2 bytes"):
        read_small(tmp_path / "x", 2)
