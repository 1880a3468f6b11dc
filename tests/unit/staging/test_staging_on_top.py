"""Previews on top of pending ones: the tree as those would leave it, and what becomes of them."""

from pathlib import Path

import pytest

import astedit
from astedit import PreconditionError, StagedPlan, StaleError, Work
from resolve import MemoryStore, Session
from tests.support.agent import Workspace


@pytest.fixture
def files(tmp_path: Path) -> Workspace:
    place = Workspace(tmp_path).write("a.py", "def one():\n    f(1)\n    h(2)\n")
    return place.write("b.py", "f(3)\n").write("c.py", "h(4)\n")


@pytest.fixture
def work(files: Workspace) -> Work:
    return astedit.open(files.root, state_dir=files.state)


def edit(work: Work, name: str, new: str, **more: object) -> StagedPlan:
    return work.edit([{"pat": f"{name}($A)", "out": f"{new}($A)"}], **more)


def test_it_is_computed_on_the_tree_as_the_other_leaves_it_and_applied_byte_for_byte(
    files: Workspace, work: Work
) -> None:
    first = edit(work, "f", "g")
    second = edit(work, "g", "k", after=str(first.action_id)[-6:])
    third = edit(work, "k", "m", after=second.action_id, within="sym:a.py::one")
    assert [file.path for file in third.files] == ["a.py"]
    assert (second.total_replacements, third.total_replacements) == (2, 1)
    assert second.to_json()["after"] == {
        "actionId": first.action_id,
        "fingerprint": first.fingerprint,
    }
    assert second.overlaps == third.overlaps == []
    assert files.read("a.py").count("f(1)") == 1
    with pytest.raises(PreconditionError) as waiting:
        second.apply("too early")
    assert waiting.value.code == "waits" and str(first.action_id) in str(waiting.value)
    expected = {file.path: file.after_hash for file in second.files}
    for plan in (first, second, third):
        plan.apply("in order")
    assert files.read("a.py") == "def one():\n    m(1)\n    h(2)\n"
    assert expected == {file.path: file.after_hash for file in second.files}
    assert files.read("b.py") == "k(3)\n"


def test_what_it_stood_on_was_discarded_so_it_is_stale_and_says_why(
    files: Workspace, work: Work
) -> None:
    first = edit(work, "f", "g")
    second = edit(work, "h", "k", after=first.action_id, paths=["c.py"])
    assert str(second.action_id) in first.discard("a better way").text
    with pytest.raises(StaleError, match=r"was discarded \(a better way\)"):
        second.apply("t")
    assert files.read("c.py") == "h(4)\n"
    with pytest.raises(PreconditionError) as refreshed:
        work.resolve("apply", str(second.action_id), "t", {"refresh": True})
    assert refreshed.value.code == "superseded"
    (left,) = work.pending()
    work.resolve("apply", left.id, "it stands by itself now")
    assert files.read("c.py") == "k(4)\n"


@pytest.mark.slow
def test_it_is_stale_when_what_it_stood_on_was_previewed_anew(work: Work) -> None:
    first = edit(work, "f", "g")
    second = edit(work, "g", "k", after=first.action_id)
    with pytest.raises(PreconditionError):
        work.resolve("apply", str(first.action_id), "look again", {"refresh": True})
    with pytest.raises(StaleError, match="was superseded"):
        second.apply("t")


@pytest.mark.slow
def test_a_partial_apply_below_makes_it_stale(files: Workspace, work: Work) -> None:
    first = edit(work, "f", "g")
    second = edit(work, "g", "k", after=first.action_id)
    done = first.apply("a part", only=["b.py"])
    assert done.details["sourceResultDetails"]["madeStale"] == [second.action_id]
    with pytest.raises(StaleError, match=r"a\.py: no longer matching"):
        second.apply("t")
    assert files.read("b.py") == "g(3)\n"


@pytest.mark.slow
def test_whoever_makes_the_lower_one_stale_is_told_of_both(files: Workspace, work: Work) -> None:
    first = edit(work, "f", "g")
    second = edit(work, "h", "k", after=first.action_id, paths=["c.py"])
    assert set(
        edit(work, "f", "q", paths=["b.py"]).apply("t").details["sourceResultDetails"]["madeStale"]
    ) == {first.action_id, second.action_id}
    with pytest.raises(StaleError, match=r"b\.py has changed since"):
        edit(work, "g", "k", after=first.action_id)


def test_what_matches_nothing_names_the_pending_plan_that_would_create_it(work: Work) -> None:
    first = edit(work, "f", "g")
    told = edit(work, "g", "k")
    assert told.action_id is None
    assert any(f"--after {first.action_id}" in hint for hint in told.hints)
    assert not any("--after" in hint for hint in edit(work, "nowhere", "k").hints)
    assert not any("--after" in hint for hint in edit(work, "g", "k", paths=["c.py"]).hints)
    first.discard("t")
    assert not any("--after" in hint for hint in edit(work, "g", "k").hints)


def test_only_a_pending_plan_can_be_stood_on(work: Work) -> None:
    first = edit(work, "f", "g")
    first.apply("t")
    with pytest.raises(PreconditionError, match="is applied") as refused:
        edit(work, "g", "k", after=first.action_id)
    assert refused.value.code == "not_pending"
    with pytest.raises(PreconditionError, match="There is no action"):
        edit(work, "g", "k", after="azzzzzzzzzzzzzzzzz")


@pytest.mark.slow
def test_a_session_of_ones_own_is_asked(files: Workspace) -> None:
    with Session(MemoryStore()) as session:
        ops = ({"pat": "f($A)", "out": "g($A)"}, {"pat": "g($A)", "out": "k($A)"})
        first = astedit.ast_edit([ops[0]], root=files.root, session=session)
        second = astedit.ast_edit([ops[1]], root=files.root, session=session, after=first.action_id)
        session.resolve("apply", "t", target=first.action_id)
        session.resolve("apply", "t", target=second.action_id)
    assert files.read("b.py") == "k(3)\n"


@pytest.mark.slow
def test_files_that_workers_read_are_overlaid_too(files: Workspace, work: Work) -> None:
    for path, text in {f"m{number}.py": "f(1)\n" * 2_000 for number in range(3)}.items():
        files.write(path, text)
    first = edit(work, "f", "g")
    second = edit(work, "g", "k", after=first.action_id, jobs=2)
    assert second.total_replacements == first.total_replacements == 6_002
