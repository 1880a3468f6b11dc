"""Edits that are known already become a plan under the rules of all others."""

from pathlib import Path

import pytest

from astedit.engine.fingerprint import fingerprint
from astedit.engine.known_edits import plan_of_edits
from astedit.engine.run_context import Run
from astedit.errors import AstEditError, PreconditionError, StaleError
from astedit.model.plan import Plan
from astedit.model.request import EditRequest, Operation
from astedit.workspace.root import Workspace
from tests.support.lists import rows

ROWS = rows(Path(__file__).with_suffix(".txt"))


def planned(root: Path, edits: dict[str, list[tuple[int, int, bytes]]], **more: object) -> Plan:
    fields = more.pop("fields", {})
    assert isinstance(fields, dict)
    request = EditRequest(ops=[], operation=Operation("rename"), **fields)
    run = Run(inline=bool(more.pop("inline", True)))
    with Workspace(root) as workspace:
        return plan_of_edits(request, workspace, edits, run, **more)  # type: ignore[arg-type]


def test_the_plan_is_like_any_other(tmp_path: Path) -> None:
    (tmp_path / "b.py").write_bytes(b"x = 1\r\ny = x\r\n")
    (tmp_path / "a.py").write_bytes("é = x\n".encode())
    plan = planned(tmp_path, {"b.py": [(0, 1, b"zz"), (11, 12, b"zz")], "a.py": [(5, 6, b"zz")]})
    assert [file.path for file in plan.files] == ["a.py", "b.py"]
    assert (plan.total_replacements, plan.files_touched) == (3, 2)
    assert [(e.line, e.column, e.before, e.after) for e in plan.files[1].edits] == [
        (1, 1, "x", "zz"),
        (2, 5, "x", "zz"),
    ]
    assert "-x = 1\r\n+zz = 1\r\n-y = x\r\n+y = zz\r\n" in plan.diff()
    assert plan.fingerprint == fingerprint(plan.request, plan.files, plan.languages)


def test_workers_give_the_same_plan(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("x = 1\n")
    edits = {"a.py": [(0, 1, b"y")]}
    here, there = planned(tmp_path, edits), planned(tmp_path, edits, inline=False)
    assert here.fingerprint == there.fingerprint and here.diff() == there.diff()


@pytest.mark.parametrize(("path", "text", "new", "code"), ROWS["what stands in the way"])
def test_what_stands_in_the_way(
    tmp_path: Path, path: str, text: str, new: bytes, code: str
) -> None:
    (tmp_path / path).parent.mkdir(exist_ok=True)
    (tmp_path / path).write_text(text)
    at = text.index("x")
    with pytest.raises(PreconditionError) as refused:
        planned(tmp_path, {path: [(at, at + 1, new)]})
    assert refused.value.code == code


def test_a_part_may_be_wanted(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("x\n")
    (tmp_path / "b.py").write_text("# @generated\nx\n")
    plan = planned(tmp_path, {"a.py": [(0, 1, b"y")], "b.py": [(13, 14, b"y")]}, whole=False)
    assert [file.path for file in plan.files] == ["a.py"]
    assert [(skip.path, skip.reason) for skip in plan.skipped] == [("b.py", "generated")]


@pytest.mark.parametrize("inline", [True, False])
def test_a_file_that_was_not_the_one_seen_is_stale(tmp_path: Path, inline: bool) -> None:
    (tmp_path / "a.py").write_text("x\n")
    edits = {"a.py": [(0, 1, b"y")]}
    with pytest.raises(StaleError):
        planned(tmp_path, edits, expected={"a.py": "0" * 64}, inline=inline)
    with pytest.raises(StaleError):
        planned(tmp_path, {"gone.py": [(0, 1, b"y")]}, inline=inline)


def test_limits_and_edits_that_change_nothing(tmp_path: Path) -> None:
    for name in "ab":
        (tmp_path / f"{name}.py").write_text("x\n")
    edits = {"a.py": [(0, 1, b"y")], "b.py": [(0, 1, b"y")]}
    assert planned(tmp_path, edits, fields={"max_files": 1}).limit_reached
    assert planned(tmp_path, {"a.py": [(0, 1, b"x")]}).files == []


def test_an_operation_does_not_come_in_with_a_request() -> None:
    from astedit.engine.request import request_of

    with pytest.raises(AstEditError) as refused:
        request_of({"ops": [], "operation": Operation("codemod", {"id": "x"})})
    assert refused.value.code == "unsupported"
