"""A worker that dies takes one file with it, though files go out in groups."""

from pathlib import Path

import pytest

from astedit.engine.run.plan import compute
from astedit.engine.run_context import Start
from astedit.limits import Deadline
from astedit.model.plan import Plan
from astedit.model.request import EditRequest, Op
from astedit.workers.pool import Pool
from astedit.workspace.root import Workspace
from tests.support.slowly import slow_after

SMALL = 20


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    for number in range(SMALL):
        (tmp_path / f"small{number:02}.py").write_text(f"f({number})\n")
    (tmp_path / "huge.py").write_text("f(0)\n" + "a = [b, c, d]\n" * 60_000)
    return tmp_path


def planned(root: Path, memory: int, *, inline: bool) -> Plan:
    request = EditRequest(ops=[Op(pat="f($A)", out="g($A)")])
    with (
        Workspace(root) as workspace,
        Start(request, workspace, jobs=2, inline=inline, names="") as start,
    ):
        start.pool.close()
        start.pool = Pool(1, fds=(workspace.fd,), memory=memory)
        return compute(request, workspace, start, deadline=Deadline(60))[0]


@slow_after(1, "inline", [True, False])
def test_only_the_file_that_killed_the_worker_is_skipped(tree: Path, inline: bool) -> None:
    plan = planned(tree, 112 << 20, inline=inline)
    assert [skip.path for skip in plan.skipped] == ["huge.py"]
    assert plan.skipped[0].reason in ("crashed", "out_of_memory")
    assert plan.files_touched == SMALL
    assert plan.incomplete


def test_with_memory_enough_nothing_is_skipped(tree: Path) -> None:
    plan = planned(tree, 2 << 30, inline=True)
    assert not plan.skipped
    assert plan.files_touched == SMALL + 1
    assert not plan.incomplete
