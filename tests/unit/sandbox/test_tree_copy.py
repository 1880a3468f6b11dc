"""Whether a tree changed is seen from names, sizes and times alone."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from astedit.sandbox.tree_copy import changed_directories, tree_state

CHANGES: list[tuple[Callable[[Path], object], list[str]]] = [
    (lambda root: (root / "new").touch(), ["."]),
    (lambda root: (root / "d/a").write_text("B"), ["d"]),
    (lambda root: (root / "d/a").unlink(), ["d"]),
    (lambda root: (root / "d/a").chmod(0o600), ["d"]),
    (lambda root: (root / "d").rename(root / "e"), [".", "d", "e"]),
    (lambda root: (root / "d/sub").rmdir(), ["d"]),
    (lambda root: os.replace(root / "x", root / "d/a"), [".", "d"]),
    (lambda root: (root / ".git/index").touch(), []),
    (lambda root: (root / "own/state").touch(), []),
    (lambda root: (root / "d/a").read_text(), []),
]


@pytest.mark.parametrize(("change", "directories"), CHANGES)
def test_what_changed_is_named(
    tmp_path: Path, change: Callable[[Path], object], directories: list[str]
) -> None:
    for name in (".git", "own", "d", "d/sub"):
        (tmp_path / name).mkdir()
    (tmp_path / "d/a").write_text("A")
    (tmp_path / "x").write_text("A")
    before = tree_state(str(tmp_path), without=["own"])
    change(tmp_path)
    assert changed_directories(before, tree_state(str(tmp_path), without=["own"])) == directories
