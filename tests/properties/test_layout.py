"""What a rewrite leaves alone, over real code: nothing moves that does not change. (rule F16)"""

import sysconfig
from pathlib import Path

import pytest

from astedit.model.plan import Plan
from astedit.text.source import splice
from tests.support.trees import plan_of, write

LIBRARY = Path(sysconfig.get_path("stdlib"))
FILES = sorted((LIBRARY / "email").glob("*.py")) + sorted((LIBRARY / "asyncio").glob("*.py"))
SOURCES = {path.name + path.parent.name + ".py": path.read_bytes() for path in FILES[:40]}


def made(root: Path, pat: str, out: str, layout: str = "keep") -> Plan:
    return plan_of(write(root, SOURCES), [{"pat": pat, "out": out}], layout=layout)


def after(plan: Plan) -> dict[str, bytes]:
    return {
        file.path: splice(SOURCES[file.path], [(e.start, e.end, e.new) for e in file.edits])
        for file in plan.files
    }


@pytest.mark.parametrize("pattern", ["isinstance($$$A)", "len($A)", "ValueError($$$A)"])
def test_a_renamed_call_changes_in_its_name_alone(tmp_path: Path, pattern: str) -> None:
    name = pattern.partition("(")[0]
    plan = made(tmp_path, pattern, pattern.replace(name, "other_name"))
    edits = [edit for file in plan.files for edit in file.edits if edit.matches == 1]
    assert len(edits) > 10 and not plan.blocked
    assert {(edit.before, edit.after) for edit in edits} == {(name, "other_name")}


@pytest.mark.slow
def test_an_argument_is_added_and_no_token_moves(tmp_path: Path) -> None:
    plan = made(tmp_path, "$F($$$A)", "$F($$$A, key=1)")
    edits = [edit for file in plan.files for edit in file.edits if edit.matches == 1]
    assert len(edits) > 500
    assert {edit.before.strip() for edit in edits} <= {"", ","}
    assert {"".join(edit.after.split()).strip(",") for edit in edits} == {"key=1"}


def test_a_template_that_is_its_pattern_changes_nothing(tmp_path: Path) -> None:
    for pattern in ("$F($$$A)", "$A = $B", "if $A:\n    $$$B", "$O.$M"):
        assert made(tmp_path, pattern, pattern).files == []


@pytest.mark.parametrize(
    ("pat", "out"), [("self.$F = $V", "self.$F = wrap($V)"), ("$A.append($B)", "$A.add($B)")]
)
def test_both_layouts_write_the_same_code(tmp_path: Path, pat: str, out: str) -> None:
    """White space and comments aside: only these may differ."""
    kept, whole = after(made(tmp_path, pat, out)), after(made(tmp_path, pat, out, "template"))
    assert kept.keys() >= whole.keys() and whole
    same = [name for name in whole if kept[name].split() == whole[name].split()]
    assert len(same) >= len(whole) * 0.9
