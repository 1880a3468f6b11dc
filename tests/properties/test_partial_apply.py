"""A part and the rest are the whole: `--only` and `--exclude` of the same edits."""

from pathlib import Path
from random import Random
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from astedit.errors import RequestError
from astedit.model.plan import Plan
from astedit.staging.part import Wish
from tests.support.trees import plan_of, write

OPS = [
    {"pat": "foo($A)", "out": "baz($A)"},
    {"pat": "bar($A, $B)", "out": "bar($B, $A)"},
    {"pat": "$A.old", "out": "$A.new"},
]
LINES = ["foo(1)", "bar(x, foo(2))", "foo(bar(1, 2))", "y.old", "foo(y.old)", "z = 3"]


def edits_of(plan: Plan) -> set[tuple[str, str]]:
    return {(file.path, edit.id) for file in plan.files for edit in file.edits}


@settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(st.randoms(use_true_random=True))
def test_only_and_exclude_of_any_edits_divide_the_plan(tmp_path: Path, by: Random) -> None:
    tree = {
        f"{name}.py": "".join(f"{by.choice(LINES)}\n" for _ in range(by.randint(1, 12))).encode()
        for name in "abc"
    }
    plan = plan_of(write(tmp_path, tree), OPS)
    every = edits_of(plan)
    if len(every) < 2:
        return
    chosen = by.sample(sorted(every), by.randint(1, len(every) - 1))
    names = [name for _, name in chosen]
    part, rest = _parts(plan, {"only": names}), _parts(plan, {"exclude": names})
    assert part[0] | part[1] == rest[0] | rest[1] == every
    assert not part[0] & part[1] and not rest[0] & rest[1]
    assert part[0] >= set(chosen) and rest[0] >= every - set(chosen) - part[0]
    if part[0] == set(chosen):  # no edit goes along with another one
        assert rest[0] == part[1] and rest[1] == part[0]


def _parts(plan: Plan, extra: dict[str, Any]) -> tuple[set[tuple[str, str]], set[tuple[str, str]]]:
    """The edits that are applied, and those that are not."""
    try:
        taken, left = Wish.of(extra).chosen(plan)
    except RequestError as error:
        assert error.code == "empty_choice"
        return set(), edits_of(plan)
    assert taken.total_replacements == sum(file.replacements for file in taken.files)
    assert taken.files_touched == len(taken.files)
    return edits_of(taken), {(one["path"], one["id"]) for one in left}
