"""What the kernel tells of a tree, and what it does not."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from astedit.engine.tree_watch import TreeWatch


@pytest.fixture
def watch(tmp_path: Path) -> Iterator[TreeWatch]:
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub/a.py").write_text("1\n")
    root = os.open(tmp_path, os.O_RDONLY)
    made = TreeWatch(root, ())
    yield made
    made.close()
    os.close(root)


def test_reading_is_told_apart_from_writing_and_from_our_own(
    tmp_path: Path, watch: TreeWatch
) -> None:
    watch.own("sub/a.py")
    (tmp_path / "sub/a.py").read_bytes()
    assert not any(watch.changes())
    (tmp_path / "sub/a.py").read_bytes()
    assert watch.changes().opened == {"sub/a.py"}
    with open(tmp_path / "sub/a.py", "r+b") as file:
        file.write(b"2")
    heard = watch.changes()
    assert (heard.written, heard.names) == ({"sub/a.py"}, False)
    (tmp_path / "sub/.gitignore").write_text("x")
    assert watch.changes().names


def test_a_directory_that_moves_in_one_go_with_others_is_still_heard(
    tmp_path: Path, watch: TreeWatch
) -> None:
    (tmp_path / "new").mkdir()
    (tmp_path / "sub").rename(tmp_path / "new/sub")
    (tmp_path / "gone").mkdir()
    (tmp_path / "gone").rmdir()
    assert watch.changes().directories >= {"sub", "new"}
    assert watch.covers("new/sub/a.py") and not watch.covers("sub/a.py")
    (tmp_path / "new/sub/a.py").write_text("3\n")
    assert watch.changes().written == {"new/sub/a.py"}
