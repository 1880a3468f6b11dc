"""Groups of alike edits: what a reviewer of 900 edits reads instead of 900 edits."""

import json
import random
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import astedit
from astedit.model.edit import Edit, FilePlan, Shape
from astedit.model.plan import Plan
from astedit.model.request import EditRequest
from astedit.model.shapes import FEW
from astedit.model.token_diff import LONG


def plan(*pairs: tuple[str, str], op: int | None = 0, path: str = "a.py") -> Plan:
    """A plan of one file with these edits: before, after."""
    edits = [Edit("", op, None, n, n, n + 1, 1, *pair) for n, pair in enumerate(pairs)]
    file = FilePlan(path, "modify", None, None, 0o644, len(edits), edits)
    return Plan("/", EditRequest(), [file])


def calls(*arguments: str) -> list[tuple[str, str]]:
    """Calls with these arguments of which the name changes."""
    return [(f"p({each})", f"q({each})") for each in arguments]


def labels(shapes: Sequence[Shape]) -> list[tuple[int, str]]:
    return [(shape.count, shape.label) for shape in shapes]


@pytest.mark.parametrize(
    ("pairs", "found"),
    [
        # What is kept is a hole where it varies, whatever it is made of.
        ([("p(a)", "q(a)"), ("p(f(b), 1)", "q(f(b), 1)"), ("p()", "q()")], [(3, "p(…) → q(…)")]),
        # White space is not a difference.
        ([("p( a,\n  b )", "q( a,\n  b )"), ("p(c)", "q(c)")], [(2, "p( … ) → q( … )")]),
        # What does not vary is shown.
        ([("self.p(a)", "self.q(a)"), ("self.p(b)", "self.q(b)")], [(2, "self.p(…) → self.q(…)")]),
        ([("p(1)", "q(1)"), ("p(1)", "q(1)")], [(2, "p(1) → q(1)")]),
        # One hole has one number, on both sides.
        (
            [("s(a, b)", "s(b, a)"), ("s(f(1), g.h)", "s(g.h, f(1))")],
            [(2, "s(…1, …2) → s(…2, …1)")],
        ),
        # What is not kept may vary too; another arrangement of it is another shape.
        (
            [("d(a)", "d()"), ("d(b)", "d()"), ("d(f(x, y))", "d()")],
            [(2, "d(…) → d()"), (1, "d(f(x, y)) → d()")],
        ),
        ([("getX()", "get_x()"), ("getY()", "get_y()")], [(2, "…1() → …2()")]),
        # How many items a hole holds says nothing, unless a spread or a keyword is among them.
        (
            calls("a", "b, c", "b, *c", "k=1", "j=2", "...x, y"),
            [
                (2, "p(…) → q(…)"),
                (2, "p(…) → q(…) (1 item, with =)"),
                (1, "p(b, *c) → q(b, *c) (2 items, with *)"),
                (1, "p(...x, y) → q(...x, y) (2 items, with ...)"),
            ],
        ),
        (calls("x == y", "[*x]", "f(k=1)", "x => y", "a::b", "lambda: 1"), [(6, "p(…) → q(…)")]),
        ([("x = d(k=1)", "y = d(k=1)"), ("x = e", "y = e")], [(2, "x = … → y = …")]),
        (
            [("w(p(a))", "w(q(a))"), ("w(p(*b))", "w(q(*b))")],
            [(1, "w(p(a)) → w(q(a))"), (1, "w(p(*b)) → w(q(*b)) (1 item, with *)")],
        ),
        (
            calls("x", *(", ".join(["k=1"] * n) for n in range(1, 20))),
            [(19, "p(k=1…) → q(k=1…) (with =)"), (1, "p(x) → q(x)")],
        ),
        # Matches in matches are outliers.
        (
            [("p(a)", "q(a)"), ("p(b)", "q(b)"), ("p(p(c))", "q(q(c))")],
            [(2, "p(…) → q(…)"), (1, "p(p(c)) → q(q(c))")],
        ),
        ([("f(x)", "await f(x)"), ("f(y)", "await f(y)")], [(2, "f(…) → await f(…)")]),
        ([("import a", ""), ("import b", "")], [(2, "import … → (nothing)")]),
        ([("", "import a")], [(1, "(nothing) → import a")]),
        ([("f( x )", "f(x)")], [(1, "f( x ) → f(x) (white space)")]),
    ],
)
def test_what_alike_edits_have_in_common_is_their_label(
    pairs: list[tuple[str, str]], found: list[tuple[int, str]]
) -> None:
    assert labels(plan(*pairs).shapes) == found


def test_edits_of_two_ops_are_never_alike() -> None:
    one, two = plan(("p(a)", "q(a)")), plan(("p(b)", "q(b)"), op=1)
    both = Plan("/", EditRequest(), one.files + two.files)
    assert [(shape.op, shape.count) for shape in both.shapes] == [(0, 1), (1, 1)]


def test_the_files_of_a_shape_are_counted_and_its_first_edit_is_the_example() -> None:
    parts = [plan((f"p({n})", f"q({n})"), ("p(z)", "q(z)"), path=f"{n}.py") for n in range(3)]
    (shape,) = Plan("/", EditRequest(), [part.files[0] for part in parts]).shapes
    assert (shape.count, shape.files) == (6, 3)
    example = shape.example
    assert (example.path, example.line) == ("0.py", 1)
    assert (example.before, example.after) == ("p(0)", "q(0)")


def test_many_arrangements_of_what_is_not_kept_are_one_shape() -> None:
    pairs = [(f"d({'(' * n}x{')' * n})", "") for n in range(FEW + 1)]
    assert labels(plan(*pairs).shapes) == [(FEW + 1, "d(…) → (nothing)")]


def test_a_large_group_keeps_its_label_beside_many_small_ones() -> None:
    small = [(f"d({'(' * n}x{')' * n}, y)", "") for n in range(1, FEW + 2)]
    large = [("d(a)", "e(a)"), ("d(b)", "e(b)"), ("d(c)", "e(c)")]
    assert labels(plan(*small, *large).shapes) == [
        (FEW + 1, "d((…), y) → (nothing)"),
        (3, "d(…) → e(…)"),
    ]


def test_long_texts_are_cut_and_compared_by_lines() -> None:
    body = "\n".join(f"line {n}" for n in range(LONG))
    (shape,) = plan((f"p\n{body}", f"q\n{body}"), (f"p\n{body}\nz", f"q\n{body}\nz")).shapes
    assert shape.count == 2
    assert len(shape.label) < 300
    assert len(shape.example.before) < 300


def test_a_plan_groups_its_edits_when_asked_and_they_are_in_its_json(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("p(1)\np(x)\n")
    found = astedit.ast_edit([{"pat": "p($A)", "out": "q($A)"}], root=tmp_path)
    assert found.model_dump()["shapes"] == [
        {
            "label": "p($A) → q($A)",
            "count": 2,
            "files": 1,
            "op": 0,
            "ruleId": None,
            "example": {"path": "a.py", "line": 1, "before": "p(1)", "after": "q(1)"},
        }
    ]
    assert Plan.model_validate(json.loads(found.model_dump_json())).shapes == found.shapes
    with pytest.raises(AttributeError):
        _ = found.shape


def test_the_shapes_do_not_depend_on_the_number_of_workers(tmp_path: Path) -> None:
    for n in range(40):
        (tmp_path / f"{n}.py").write_text(f"p({n})\np(x, {n})\np(p({n}))\n")
    ops = [{"pat": "p($$$A)", "out": "q($$$A)"}]
    found = [astedit.ast_edit(ops, root=tmp_path, jobs=jobs).shapes for jobs in (1, 2)]
    assert found[0] == found[1]
    assert labels(found[0])[0] == (80, "p($$$A) → q($$$A)")


_TEXTS = st.text("ab(),.'\" \n1\\é\udc80", max_size=12)


@settings(max_examples=200, deadline=None)
@given(st.lists(st.tuples(_TEXTS, _TEXTS), max_size=20), st.randoms())
def test_every_edit_is_in_one_shape_and_order_does_not_choose_the_groups(
    pairs: list[tuple[str, str]], chance: random.Random
) -> None:
    shuffled = list(pairs)
    chance.shuffle(shuffled)
    one, other = plan(*pairs).shapes, plan(*shuffled).shapes
    assert sum(shape.count for shape in one) == len(pairs)
    assert sorted(shape.count for shape in one) == sorted(shape.count for shape in other)
