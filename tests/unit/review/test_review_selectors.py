"""What a selector names: edits by id, glob, line, shape, rule and op, and clear errors."""

from pathlib import Path

import pytest

from astedit import Plan, ast_edit
from astedit.errors import RequestError
from astedit.review.selectors import Selection, edits_named, numbered_shapes, part_of
from tests.support.lists import rows

ROWS = rows(Path(__file__).with_suffix(".txt"))


@pytest.fixture
def plan(tmp_path: Path) -> Plan:
    (tmp_path / "a.py").write_text("f(1)\nf(\n  2,\n  k,\n)\nh(f(f(3)))\n")
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub/[b].py").write_text("x = 0\nf(1)\n")
    ops = [{"pat": "f($$$A)", "out": "g($$$A)"}, {"pat": "x = $A", "out": "y = $A"}]
    return ast_edit(ops, root=tmp_path)


def places(plan: Plan, *selectors: str) -> list[str]:
    named = edits_named(plan, selectors)
    return [
        f"{file.path}:{edit.shown_line}" for file in plan.files for edit in file.edits
        if edit.id in named
    ]  # fmt: skip


def test_each_kind_of_selector(plan: Plan) -> None:
    assert places(plan, plan.files[0].edits[1].id) == ["a.py:2"]
    assert places(plan, "*/?b?.py") == places(plan, "./sub/[b].py") == places(plan, "sub")
    assert places(plan, "sub") == ["sub/[b].py:1", "sub/[b].py:2"]
    assert places(plan, "a.py:2") == places(plan, "a.py:4") == ["a.py:2"]
    assert places(plan, "shape:1") == ["a.py:1", "a.py:2", "sub/[b].py:2"]
    assert places(plan, "op:2") == ["sub/[b].py:1"]
    assert places(plan, "op:2", "a.py:1") == ["a.py:1", "sub/[b].py:1"]


def test_a_rule_by_its_id(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("f(1)\ng(1)\n")
    rules = "\n---\n".join(
        f"{{id: no-{name}, language: python, rule: {{pattern: '{name}($A)'}}, fix: 'h($A)'}}"
        for name in "fg"
    )
    plan = ast_edit(root=tmp_path, rules=rules)
    assert places(plan, "rule:no-g") == ["a.py:2"]
    with pytest.raises(RequestError, match="there are edits of no-f, no-g"):
        edits_named(plan, ["rule:no-h"])


@pytest.mark.parametrize(("selector", "words"), ROWS["what names no edit is refused"])
def test_what_names_no_edit_is_refused(plan: Plan, selector: str, words: str) -> None:
    with pytest.raises(RequestError) as caught:
        edits_named(plan, ["a.py", selector])
    assert caught.value.code == "unknown_edit"
    assert words in caught.value.message


def test_a_part_keeps_the_numbers_of_the_whole(plan: Plan) -> None:
    edits = part_of(plan, Selection(("sub",), ("op:1",)))
    files = [file for file in plan.files if file.path == "sub/[b].py"]
    files[0].edits = [edit for edit in files[0].edits if edit.id in edits]
    whole = ast_edit(plan.request.ops, root=plan.root)
    ((number, shape),) = numbered_shapes(whole, files)
    assert (number, shape.label, shape.count) == (3, "x = $A → y = $A", 1)
    with pytest.raises(RequestError) as caught:
        part_of(whole, Selection(("sub",), ("*.py",)))
    assert caught.value.code == "empty_choice"
