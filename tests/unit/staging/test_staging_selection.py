"""Which part of a plan a resolution chooses: ids and globs; never all by accident."""

from pathlib import Path
from typing import Any

import pytest

from astedit import Plan, ast_edit
from astedit.errors import RequestError
from astedit.staging.part import Wish


@pytest.fixture
def plan(tmp_path: Path) -> Plan:
    (tmp_path / "a.py").write_text("f(1)\nf(2)\n")
    (tmp_path / "b.py").write_text("f(3)\n")
    return ast_edit([{"pat": "f($A)", "out": "g($A)"}], root=tmp_path)


def chosen(plan: Plan, **extra: Any) -> tuple[list[str], list[str]]:
    """The places that are written, and those that are not."""
    part, rest = Wish.of(extra).chosen(plan)
    assert part.total_replacements == sum(len(file.edits) for file in part.files)
    assert part.files_touched == len(part.files)
    written = [f"{file.path}:{edit.line}" for file in part.files for edit in file.edits]
    return written, [item["path"] for item in rest]


def test_without_a_wish_all_is_chosen(plan: Plan) -> None:
    assert chosen(plan) == (["a.py:1", "a.py:2", "b.py:1"], [])


def test_an_id_and_a_glob_choose_or_leave_out(plan: Plan) -> None:
    second = plan.files[0].edits[1].id
    assert chosen(plan, only=[second]) == (["a.py:2"], ["a.py", "b.py"])
    assert chosen(plan, exclude=["b.*"]) == (["a.py:1", "a.py:2"], ["b.py"])
    assert chosen(plan, only=["a.py"], exclude=[second]) == (["a.py:1"], ["a.py", "b.py"])


def test_only_a_file_that_is_written_whole_keeps_its_hash(plan: Plan) -> None:
    part, _ = Wish.of({"exclude": [plan.files[0].edits[0].id]}).chosen(plan)
    assert [file.after_hash is None for file in part.files] == [True, False]


@pytest.mark.parametrize(
    ("extra", "code"),
    [
        ({"only": ["nothing"]}, "unknown_edit"),
        ({"onyl": ["a.py"]}, "invalid"),
        ({"only": ["a.py"], "dryRun": True}, "invalid"),
        ({"only": []}, "empty_choice"),
        ({"exclude": ["*.py"]}, "empty_choice"),
        ({"only": "a.py"}, "bad_request"),
        ({"only": [""]}, "bad_request"),
        ({"refresh": 1}, "bad_request"),
        ({"refresh": True, "only": ["a.py"]}, "bad_request"),
    ],
)
def test_a_wish_that_means_nothing_is_refused(plan: Plan, extra: Any, code: str) -> None:
    with pytest.raises(RequestError) as refused:
        chosen(plan, **extra)
    assert refused.value.code == code
