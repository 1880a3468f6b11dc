"""The diff of a stored plan: the same before and after the apply, honest about changed files."""

from pathlib import Path

import pytest

from astedit import Plan, ast_edit
from astedit.staging.plan_contents import redraw
from astedit.workspace.root import Workspace

BEFORE = "import os\n\nf(1)\nx = 2\nf(3)\n"
AFTER = BEFORE.replace("f(", "longer(")


@pytest.fixture
def plan(tmp_path: Path) -> Plan:
    (tmp_path / "a.py").write_text(BEFORE)
    return ast_edit([{"pat": "f($A)", "out": "longer($A)"}], root=tmp_path)


def drawn(plan: Plan) -> tuple[list[str], str]:
    with Workspace(plan.root) as workspace:
        changed = redraw(plan, workspace)
    return changed, plan.files[0].hunks.decode()


def test_before_and_after_an_apply_the_diff_is_the_same(plan: Plan) -> None:
    changed, text = drawn(plan)
    assert changed == [] and "-f(1)\n+longer(1)\n x = 2\n" in text
    (Path(plan.root) / "a.py").write_text(AFTER)
    assert drawn(plan) == ([], text)


@pytest.mark.parametrize("content", ["f(1)\n", AFTER + "f(4)\n", None])
def test_of_a_file_that_changed_only_the_edits_are_shown(plan: Plan, content: str | None) -> None:
    file = Path(plan.root) / "a.py"
    file.write_text(content) if content is not None else file.unlink()
    changed, text = drawn(plan)
    assert changed == ["a.py"]
    assert "@@ line 3 when previewed @@\n-f(1)\n+longer(1)\n" in text
    assert "x = 2" not in text
