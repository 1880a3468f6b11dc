"""Overlaps of pending plans: told when staged, equal to a brute-force comparison."""

import random
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import astedit
from astedit import StagedPlan, Work, ast_edit, locate
from astedit.locating.result import LocateResult
from astedit.staging.overlaps import cross, mention
from astedit.staging.stage import stage
from astedit.staging.workspace_session import workspace_session
from astedit.workspace.root import Workspace as Root
from tests.support.agent import Workspace

SPANS = st.lists(
    st.tuples(st.integers(0, 40), st.integers(0, 6)).map(lambda at: (at[0], at[0] + at[1])),
    max_size=6,
)
SOURCE = "def one():\n    f(1)\n    g(2)\n\ndef two():\n    h(3)\n"


def touching(one: tuple[int, int], two: tuple[int, int]) -> bool:
    """The definition, letter by letter: a shared byte, or an insertion at a touched place."""
    shared = set(range(*one)) & set(range(*two))
    within = [
        place
        for place in [span[0] for span in (one, two) if span[0] == span[1]]
        for a, b in [one if place == two[0] == two[1] else two]
        if a <= place <= b
    ]
    return bool(shared or within)


@given(SPANS, SPANS)
def test_the_sweep_equals_every_pair_compared(
    own: list[tuple[int, int]], other: list[tuple[int, int]]
) -> None:
    expected = any(touching(one, two) for one in own for two in other)
    assert cross(own, other) == expected == cross(other, own)


@pytest.fixture
def files(tmp_path: Path) -> Workspace:
    return Workspace(tmp_path).write("a.py", SOURCE).write("b.py", "f(1)\n")


def edit(work: Work, name: str, *paths: str) -> StagedPlan:
    return work.edit([{"pat": f"{name}($A)", "out": f"{name}{name}($A)"}], list(paths) or ["a.py"])


def test_how_close_two_plans_are_is_told_where_the_second_is_staged(files: Workspace) -> None:
    with astedit.open(files.root, state_dir=files.state) as work:
        first = edit(work, "f")
        assert first.overlaps == []
        for name, how in (("f", "bytes"), ("g", "definition"), ("h", "file")):
            plan = edit(work, name)
            (found,) = [one for one in plan.overlaps if one.action_id == first.action_id]
            assert (found.how, found.by) == (how, work.session_id)
            assert found.since.endswith("Z")
            assert plan.to_json()["overlaps"][-1]["actionId"] == first.action_id
            plan.discard("only asked")
        assert edit(work, "f", "b.py").overlaps == []


def test_plans_of_other_sessions_and_undos_overlap_too(files: Workspace) -> None:
    with (
        astedit.open(files.root, state_dir=files.state) as one,
        astedit.open(files.root, state_dir=files.state) as two,
    ):
        done = edit(one, "f")
        done.apply("t")
        back = one.undo(str(done.action_id))
        assert [(each.action_id, each.how, each.by) for each in edit(two, "h").overlaps] == [
            (back.action_id, "bytes", one.session_id)
        ]


def test_an_apply_names_what_it_made_stale(files: Workspace) -> None:
    with astedit.open(files.root, state_dir=files.state) as work:
        near, other = edit(work, "h"), edit(work, "f", "b.py")
        result = edit(work, "f").apply("t")
        assert (result.details or {})["sourceResultDetails"]["madeStale"] == [near.action_id]
        assert result.text.endswith(
            f"\nStale now, since they edit the same files: {near.action_id}."
        )
        assert "Stale" not in other.apply("t").text


@pytest.mark.slow
def test_who_was_told_of_no_overlap_can_be_applied_in_any_order(files: Workspace) -> None:
    """Random plans of random files: those without an overlap all go through, whatever the
    order; of those that overlap in a file only the first does, and the rest are told."""
    chance = random.Random(7)
    for index in range(6):
        files.write(f"m{index}.py", "".join(f"f{n}({n})\n" for n in range(6)))
    with astedit.open(files.root, state_dir=files.state) as work:
        plans = []
        for _ in range(9):
            names = chance.sample([f"m{n}.py" for n in range(6)], 2)
            plans.append(edit(work, f"f{chance.randrange(6)}", *names))
        pairs = {(plan.action_id, each.action_id) for plan in plans for each in plan.overlaps}
        chance.shuffle(plans)
        written: list[StagedPlan] = []
        for plan in plans:
            clashes = [
                w
                for w in written
                if {(plan.action_id, w.action_id), (w.action_id, plan.action_id)} & pairs
            ]
            try:
                plan.apply("t")
            except astedit.StaleError:
                assert clashes
            else:
                assert not clashes
                written.append(plan)
        assert written and len(written) < len(plans)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "root").mkdir()
    (tmp_path / "root" / "a.py").write_text("def old():\n    pass\n")
    return tmp_path / "root"


def staged(root: Path, state: Path) -> str:
    plan = ast_edit([{"pat": "def old(): $$$B", "out": "def fresh(): $$$B"}], root=root)
    with workspace_session(str(root), str(state), who="test", create=True) as session:
        return stage(plan, session).id


def mentioned(root: Path, state: Path, name: str) -> LocateResult:
    result = locate(name, root=root)
    with Root(root) as workspace:
        mention(result, name, workspace, str(state))
    return result


def test_a_name_that_waits_is_mentioned_with_its_action(root: Path, tmp_path: Path) -> None:
    action = staged(root, tmp_path / "state")
    message = mentioned(root, tmp_path / "state", "fresh").message
    assert str(message).endswith(f"The pending action {action} would write that name.")


@pytest.mark.parametrize("name", ["fres", "other"])
def test_another_name_is_not(root: Path, tmp_path: Path, name: str) -> None:
    staged(root, tmp_path / "state")
    assert "pending action" not in str(mentioned(root, tmp_path / "state", name).message)


def test_without_a_state_file_none_is_made(root: Path, tmp_path: Path) -> None:
    assert "pending action" not in str(mentioned(root, tmp_path / "state", "fresh").message)
    assert not (tmp_path / "state").exists()


def test_a_state_file_that_cannot_be_read_leaves_the_answer(root: Path, tmp_path: Path) -> None:
    (tmp_path / "state").mkdir()
    (tmp_path / "state" / "state.db").write_bytes(b"no database at all" * 100)
    assert mentioned(root, tmp_path / "state", "fresh").status == "none"
