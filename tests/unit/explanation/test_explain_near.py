"""Patterns that match some of the places of their names: counted, and what the others lack."""

from pathlib import Path
from typing import Any

import pytest

import astedit
from astedit import Plan, ast_edit, search
from astedit.model.edit import Near
from tests.support.lists import rows

ROWS = rows(Path(__file__).with_suffix(".txt"))

ANNOTATED = """\
from typing import Optional
def f(a: Optional[int], b: Optional[str] = None):  # Optional[x]
    return "Optional[y]", Optional[b], Optionals[a]
"""
CODE = "def f():\n    assert foo(1)\n    self.hass.go(2)\n"


def plan_of(root: Path, *pats: str, **options: Any) -> Plan:
    return ast_edit(root=root, ops=[{"pat": pat, "out": "x"} for pat in pats], **options)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "a.py").write_text(ANNOTATED)
    (tmp_path / "b.py").write_text("X: Optional[int] = log(1)\n")
    return tmp_path


def counts(near: Near) -> tuple[str, int, int]:
    return near.name, near.matched, near.places


def test_places_are_counted_in_code_by_what_they_stand_in(root: Path) -> None:
    (near,) = plan_of(root, "Optional[$A]").near
    assert counts(near) == ("Optional", 1, 5)
    assert [(one.kind, one.count) for one in near.reasons] == [
        ("generic_type", 3),
        ("import_from_statement", 1),
    ]
    first = near.reasons[0]
    assert (first.path, first.line, first.text) == ("a.py", 2, "Optional[int]")
    assert first.why == "this is a generic_type, the pattern is a subscript"


def test_what_would_match_the_others_does(root: Path) -> None:
    (hint,) = plan_of(root, "Optional[$A]").hints
    assert hint.startswith("`Optional[$A]` matches 1 of 5 places of `Optional`; 3 stand in")
    context = {"context": "x: Optional[$A]", "selector": "generic_type"}
    assert f"--context '{context['context']}' --selector {context['selector']}" in hint
    assert plan_of(root, "Optional[$A]", **context).total_replacements == 3


def test_the_rarest_name_counts(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("def __init__(): pass\n" * 12 + "super().__init__()\n")
    plan = plan_of(tmp_path, "super().__init__()")
    assert [counts(near) for near in plan.near] == [("super", 1, 1)]
    assert not plan.hints


def test_a_name_within_a_capture_is_a_place_of_its_own(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("log(log)\nlog(log(1))\n")
    assert counts(search("log($A)", root=tmp_path).near[0]) == ("log", 3, 4)


def test_a_place_that_another_op_matches_lacks_nothing(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("log(1)\nlog(1, 2)\nlog(3, 4)\nlog(5, 6, 7)\n")
    plan = plan_of(tmp_path, "log($A)", "log($A, $B)")
    assert [counts(near) for near in plan.near] == [("log", 1, 2), ("log", 2, 3)]


def test_a_name_that_another_name_is_from_is_no_place(tmp_path: Path) -> None:
    (tmp_path / "A.java").write_text("class A { Object b = new Double(1), c = Double.TYPE; }\n")
    (near,) = plan_of(tmp_path, "new Double($A)").near
    assert counts(near) == ("Double", 1, 1)


def test_within_a_definition_only_its_places_count(root: Path) -> None:
    near = plan_of(root, "Optional[$A]", paths=["a.py"], within="f").near
    assert [counts(one) for one in near] == [("Optional", 1, 3)]


def test_an_op_without_a_match_beside_others_is_named(root: Path) -> None:
    plan = plan_of(root, "log($A)", "gone($A)")
    assert plan.hints == ["`gone($A)` matches nothing: no file holds all of it."]


def test_no_more_than_three_lines(root: Path) -> None:
    gone = [f"gone{at}($A)" for at in range(9)]
    plan = plan_of(root, "log($A)", *gone)
    assert (len(plan.hints), len(plan.near)) == (3, 10)


def test_it_can_be_turned_off_and_changes_no_plan(root: Path) -> None:
    plan, quiet = (plan_of(root, "Optional[$A]", no_near=off) for off in (False, True))
    assert (quiet.near, quiet.hints) == ([], [])
    assert plan.fingerprint == quiet.fingerprint


def test_a_few_others_are_no_news(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("from m import foo\nfoo(1)\nfoo = 2\n")
    plan = plan_of(tmp_path, "foo($A)")
    assert [counts(near) for near in plan.near] == [("foo", 1, 3)]
    assert not plan.hints


def test_places_that_hold_no_more_than_the_name_are_no_news(tmp_path: Path) -> None:
    text = "".join(f"super().f{at}(1)\n" for at in range(20)) + "super().__init__(1)\n"
    (tmp_path / "a.py").write_text("def __init__(): pass\n" * 30 + text)
    plan = plan_of(tmp_path, "super().__init__($A)")
    assert [counts(near) for near in plan.near] == [("super", 1, 21)]
    assert not plan.hints


def test_places_that_nothing_else_matches_are_told_when_they_are_many(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("log(1, 2, 3)\n" * 12 + "log(1, 2)\n")
    (hint,) = plan_of(tmp_path, "log($A, $B)").hints
    assert hint.startswith("`log($A, $B)` matches 1 of 13 places of `log`; 12 stand in call.")
    assert "a.py:1: `log(1, 2, 3)`: `3` (integer) is more than the pattern names" in hint


def test_many_matches_bring_no_near_misses_unless_they_are_asked_for(tmp_path: Path) -> None:
    for file in range(3):
        (tmp_path / f"{file}.py").write_text("log(1)\n" * 50 + "log(1, 2)\n" * 60)
    assert plan_of(tmp_path, "log($A)").near == []
    assert plan_of(tmp_path, "log($A)", near=True).near[0].places == 3 * 110
    few = plan_of(tmp_path, "log($A)", paths=["0.py", "1.py"])
    assert [counts(near) for near in few.near] == [("log", 100, 220)]
    assert (
        few.fingerprint
        == plan_of(tmp_path, "log($A)", paths=["0.py", "1.py"], near=True).fingerprint
    )


def hints(root: Path, pattern: str) -> set[str]:
    """Those of a search and of an edit, which are the same."""
    found = astedit.search(pattern, root=root, lang="python")
    assert not found.matches and found.stats.parsed == 0
    plan = astedit.ast_edit([{"pat": pattern, "out": "x", "lang": "python"}], root=root)
    assert plan.stats.parsed == 0
    assert found.hints == plan.hints
    return set(found.hints)


@pytest.mark.parametrize(("pattern", "line"), ROWS["a keyword, a sign or a dot"])
def test_a_keyword_a_sign_or_a_dot_may_be_what_is_wrong(
    tmp_path: Path, pattern: str, line: str
) -> None:
    (tmp_path / "a.py").write_text(CODE)
    assert any(hint.startswith(f"Near miss: {line}") for hint in hints(tmp_path, pattern))


def test_what_no_file_holds_is_named(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text(CODE)
    (tmp_path / "binary.py").write_bytes(b"nowhere\0(1)")
    assert hints(tmp_path, "lambda: nowhere($A)") == {"No file of the 2 searched holds `nowhere`."}
    (tmp_path / "b.py").write_text("away = lambda: 1\n")
    for pattern, texts in (("away(go, gone)", "`gone`"), ("away(go)", "`away` and `go`")):
        assert f"No file of the 3 searched holds {texts}." in hints(tmp_path, pattern)
    (tmp_path / "b.py").write_text("get(url, verify=False)\n")
    near = "Near miss: b.py:1: `get(url, verify=False)`: this is a false, the pattern is a true"
    assert near in hints(tmp_path, "get($U, verify=True)")
