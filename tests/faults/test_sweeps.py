"""A transaction that is killed or fails at any of its calls lands wholly or not at all.

One sweep for every tree: it says how it is made, applied, recovered, and whether it is all
old or all new.
"""

import errno
from pathlib import Path
from types import ModuleType

import pytest

from astedit.errors import AstEditError
from tests.support.faults import operations, tree
from tests.support.faults.disks import Dying, Failing, Killed, Watched, kind
from tests.support.faults.journal import MemoryJournal

TREES = pytest.mark.parametrize(
    "tree", [tree, operations], ids=lambda tree: tree.__name__.rpartition(".")[2]
)
KINDS = pytest.mark.parametrize("exchanging", [True, False])


def calls(tree: ModuleType, folder: Path, exchanging: bool) -> int:
    """How many system calls the whole transaction makes."""
    disk, root = kind(Watched(), exchanging), tree.made(folder / "counted")
    assert tree.applied(root, MemoryJournal(), disk).outcome == "applied"
    assert tree.state(root) == "new"
    return len(disk.made)


@TREES
@KINDS
def test_a_kill_at_every_call_leaves_all_old_or_all_new(
    tmp_path: Path, tree: ModuleType, exchanging: bool
) -> None:
    seen = set()
    for at in range(1, calls(tree, tmp_path, exchanging) + 1):
        root, journal = tree.made(tmp_path / str(at)), MemoryJournal()
        with pytest.raises(Killed):
            tree.applied(root, journal, kind(Dying(at), exchanging))
        ended = tree.recovered(root, journal)
        found = tree.state(root)
        assert found in ("old", "new"), (at, found)
        assert ended is not None and (ended.outcome == "applied") == (found == "new"), at
        seen.add(ended.outcome)
    assert seen == {"untouched", "applied"}


@TREES
@KINDS
def test_a_recovery_that_is_killed_too_is_ended_by_the_next(
    tmp_path: Path, tree: ModuleType, exchanging: bool
) -> None:
    most = calls(tree, tmp_path, exchanging)
    for first in range(1, most + 1, 3):
        for second in range(1, most + 1):
            root, journal = tree.made(tmp_path / f"{first}-{second}"), MemoryJournal()
            with pytest.raises(Killed):
                tree.applied(root, journal, kind(Dying(first), exchanging))
            try:
                tree.recovered(root, journal, kind(Dying(second), exchanging))
                break
            except Killed:
                tree.recovered(root, journal)
            assert tree.state(root) in ("old", "new"), (first, second, tree.state(root))


@TREES
@KINDS
@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EIO])
def test_an_error_at_every_call_is_all_or_nothing_and_told(
    tmp_path: Path, tree: ModuleType, exchanging: bool, number: int
) -> None:
    for at in range(1, calls(tree, tmp_path, exchanging) + 1):
        root, journal = tree.made(tmp_path / str(at)), MemoryJournal()
        disk = kind(Failing(at, number), exchanging)
        try:
            ended = tree.applied(root, journal, disk)
        except AstEditError:
            tree.recovered(root, journal)
            assert tree.state(root) in ("old", "new"), (disk.made[at - 1], tree.state(root))
        else:
            assert ended.outcome == "applied" and tree.state(root) == "new"
            assert bool(ended.unsure) == (disk.made[at - 1] == "sync")
