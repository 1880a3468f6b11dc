"""What several tests of faults begin with."""

from pathlib import Path

import pytest

from tests.support.faults.cli import AFTER, BEFORE, Tree, need_strace
from tests.support.faults.kills import killed


@pytest.fixture
def half(tmp_path: Path) -> Tree:
    """An apply that was killed when one file of three was in place."""
    need_strace()
    tree = Tree(tmp_path).staged()
    killed(tree, "renameat2", 2)
    assert tree.contents() not in (BEFORE, AFTER)
    return tree
