"""A plan that comes out otherwise under another Python is stale, and says so."""

from pathlib import Path

from astedit.language.interpreter import VERSION
from astedit.model.edit import FilePlan
from astedit.model.plan import Plan
from astedit.model.request import EditRequest
from astedit.staging.outcome import differing
from astedit.staging.stored import packed, unpacked
from astedit.workspace.root import Workspace


def plan(root: Path, interpreter: str | None, before: str, after: str) -> Plan:
    file = FilePlan("a.py", "modify", before, after, 0o644, 1, [])
    return Plan(root=str(root), request=EditRequest(), files=[file], interpreter=interpreter)


def message(root: Path, interpreter: str | None, old: str, new: str) -> str:
    previewed, now = plan(root, interpreter, old, "1"), plan(root, VERSION, new, "2")
    (root / "a.py").touch()
    with Workspace(root) as workspace:
        return differing(previewed, now, workspace).message


def test_another_python_is_the_reason(tmp_path: Path) -> None:
    assert f"Python was 3.1 and is {VERSION} now" in message(tmp_path, "3.1", "a", "a")
    assert "a.py: rewritten differently" in message(tmp_path, "3.1", "a", "a")


def test_a_file_that_has_changed_is_the_reason_first(tmp_path: Path) -> None:
    assert message(tmp_path, "3.1", "a", "b").startswith("The tree has changed")


def test_the_same_python_and_plans_of_old_are_no_reason(tmp_path: Path) -> None:
    for interpreter in (VERSION, None):
        assert "Python was" not in message(tmp_path, interpreter, "a", "a")


def test_the_stored_plan_knows_its_python(tmp_path: Path) -> None:
    assert unpacked(packed(plan(tmp_path, "3.1", "a", "b"))).interpreter == "3.1"
