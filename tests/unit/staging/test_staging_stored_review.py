"""A refresh takes over the decisions that hold: about the same edit in the same place."""

from pathlib import Path

import pytest

import astedit
from astedit.errors import PreconditionError
from astedit.interface.work import Work
from astedit.staging.approval import approve, approved
from astedit.staging.stored import stored
from astedit.staging.stored_review import open_review, remember
from tests.support.cases import tree
from tests.support.slowly import slow_after

SOURCE = tree("stored-review")["a.py"]


@pytest.fixture
def work(tmp_path: Path) -> Work:
    (tmp_path / "root").mkdir()
    (tmp_path / "root/a.py").write_text(SOURCE)
    (tmp_path / "root/b.py").write_text("f(5)\n")
    return astedit.open(tmp_path / "root", state_dir=tmp_path / "state")


def refreshed(work: Work, content: str) -> tuple[list[str], str]:
    """Accepts all, changes the file, refreshes: the lines that are accepted, and what is said."""
    work.edit([{"pat": "f($A)", "out": "g($A)"}])
    with work.session() as session:
        review = open_review(session, session.store.list()[0])
        review.decide(review.edits, "accept")
        review.keep_contexts()
    (Path(work.root) / "a.py").write_text(content)
    with pytest.raises(PreconditionError) as caught:
        work.resolve("apply", work.pending()[0].id, "r", {"refresh": True})
    assert caught.value.code == "superseded"
    with work.session() as session:
        review = open_review(session, session.store.list()[0])
        accepted = review.chosen("accept")
        places = [review.edits[edit_id] for edit_id in accepted]
        assert {review.own(edit_id).who for edit_id in accepted} <= {"api"}
    return [f"{path}:{edit.line}" for path, edit in places], caught.value.message


def test_what_is_the_same_in_the_same_place_is_carried(work: Work) -> None:
    moved = "import os\n\n" + SOURCE.replace("f(4)", "f( 4 )").replace(
        "    if x", "    # why\n    if x"
    )
    carried, told = refreshed(work, moved)
    assert carried == ["a.py:4", "a.py:7", "a.py:11", "a.py:12", "b.py:1"]
    assert "5 carried, 1 new, 0 changed, 1 gone." in told
    assert "new: a.py:15: f( 4 ) -> g( 4 )" in told and "gone: a.py:12: f(4) -> g(4)" in told


@slow_after(
    4,
    "change, left",
    [
        (("    f(1)\n    if x", "    if False:\n        f(1)\n    if x"), {"a.py:2"}),
        (("    if x:", "    if not x:"), {"a.py:4"}),
        (("    return f(3)", "    return f(3) + 1"), {"a.py:9"}),
        (("    f(1)\n    return", "    f(1)\n    f(1)\n    return"), {"a.py:8"}),
        (("return f(3)", "return f(3)  # type: ignore"), {"a.py:9"}),
        (("def b", "def c"), {"a.py:8", "a.py:9"}),
        (("    f(1)\n    if", "    y\n    f(1)\n    z\n    if"), {"a.py:2"}),  # moved
        (("def a(x):\n    f(1)", "def a(x):\n    y = f(1)"), {"a.py:2"}),
    ],
)
def test_what_stands_in_something_else_is_undecided(
    work: Work, change: tuple[str, str], left: set[str]
) -> None:
    before = {"a.py:2", "a.py:4", "a.py:8", "a.py:9", "a.py:12", "b.py:1"}
    content = SOURCE.replace(*change)
    carried, told = refreshed(work, content)
    lines = content.splitlines()
    old = SOURCE.splitlines()
    texts = {lines[int(each[5:]) - 1] for each in carried if each[0] == "a"}
    assert len(carried) == len(before) - len(left), told
    assert texts <= {old[int(each[5:]) - 1] for each in before - left if each[0] == "a"}


def test_swapped_functions_keep_nothing(work: Work) -> None:
    first, second = SOURCE.split("\n\n\n")[:2]
    carried, told = refreshed(work, "\n\n\n".join([second, first, "f(4)\n"]))
    assert carried == ["a.py:12", "b.py:1"], told
    assert "2 carried, 0 new, 4 changed, 0 gone." in told


def test_a_duplicated_block_keeps_nothing(work: Work) -> None:
    block = SOURCE.split("\n\n\n")[0]
    carried, told = refreshed(work, SOURCE.replace(block, f"{block}\n\n\n{block}"))
    numbers = [int(place[5:]) for place in carried if place[0] == "a"]
    assert [number for number in numbers if number < 11] == [], told


@pytest.mark.parametrize(
    ("policy", "more", "holds"),
    [("agent", "", True), ("agent", "f(6)\n", False), ("human", "", False)],
)
def test_an_approval_holds_where_nothing_is_new(
    work: Work, policy: str, more: str, holds: bool
) -> None:
    if policy == "human":
        (Path(work.root) / "astedit.toml").write_text('policy = "human"\n')
    plan = work.edit([{"pat": "f($A)", "out": "g($A)"}])
    with work.session() as session:
        action = session.store.list()[0]
        approve(action, plan.fingerprint, session)
        remember(plan, plan.files, session.records, action.id)
    (Path(work.root) / "a.py").write_text("import os\n" + SOURCE + more)
    with pytest.raises(PreconditionError):
        work.resolve("apply", action.id, "r", {"refresh": True})
    with work.session() as session:
        new = session.store.list()[0]
        assert approved(new.id, stored(session, new).fingerprint, session) is holds
