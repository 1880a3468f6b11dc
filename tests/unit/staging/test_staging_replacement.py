"""The last preview again: offered where only the ops differ, and one's own alone."""

from pathlib import Path

import pytest

import astedit
from astedit import StagedPlan, Work
from astedit.errors import PreconditionError, RequestError
from astedit.review.decisions import Review
from astedit.staging.stored import stored
from astedit.staging.stored_review import open_review
from tests.support.agent import Workspace


@pytest.fixture
def files(tmp_path: Path) -> Workspace:
    return Workspace(tmp_path).write("a.py", "f(1)\n")


def edit(work: Work, new: str, **more: object) -> StagedPlan:
    return work.edit([{"pat": "f($A)", "out": f"{new}($A)"}], **more)


def offers(plan: StagedPlan) -> list[str]:
    return [hint for hint in plan.hints if "--replace" in hint]


def test_other_ops_offer_to_replace_and_replacing_supersedes(files: Workspace) -> None:
    with astedit.open(files.root, state_dir=files.state) as work:
        first = edit(work, "g")
        assert offers(first) == []
        second = edit(work, "h")
        assert [str(first.action_id) in offer for offer in offers(second)] == [True]
        assert offers(edit(work, "h", lang="python")) == []  # something else than its ops
        third = edit(work, "k", replace=first.action_id)
        assert offers(third) == []
        assert first.action_id not in [action.id for action in work.pending()]
        row = work.log(1)[0]
        assert (row.action_id, row.outcome) == (first.action_id, "superseded")
        assert row.reason == f"replaced by {third.action_id}"
        with pytest.raises(PreconditionError, match="already superseded"):
            first.apply("t")
        with pytest.raises(PreconditionError) as gone:
            edit(work, "m", replace=first.action_id)
        assert gone.value.code == "not_replaceable"


def test_nobody_replaces_or_is_offered_what_another_session_staged(files: Workspace) -> None:
    with (
        astedit.open(files.root, state_dir=files.state) as one,
        astedit.open(files.root, state_dir=files.state) as two,
    ):
        first = edit(one, "g")
        assert offers(edit(two, "h")) == []
        with pytest.raises(PreconditionError, match="staged by another session"):
            edit(two, "k", replace=first.action_id)
        assert {action.id for action in two.pending()} >= {first.action_id}


def test_a_recorded_call_replaces_when_its_result_is_recorded(files: Workspace) -> None:
    ops = [{"pat": "f($A)", "out": "g($A)"}]
    with (
        astedit.open(files.root, state_dir=files.state, session_id="s") as work,
        astedit.Tools(work) as tools,
    ):
        first = tools.call("ast_edit", {"ops": ops}).action_id
        again = tools.call("ast_edit", {"ops": [ops[0] | {"out": "h($A)"}]})
        assert f"`replace` {first}" in again.text, again.text
        last = tools.call("ast_edit", {"ops": ops, "replace": first}).action_id
        pending = {action.id for action in work.pending()}
        assert pending == {again.action_id, last}
        missing = tools.call("ast_edit", {"ops": ops, "replace": first})
        assert missing.is_error and {action.id for action in work.pending()} == pending
        on_top = tools.call("ast_edit", {"ops": [{"pat": "g($A)", "out": "k($A)"}], "after": last})
        assert on_top.data["after"]["actionId"] == last


OPS = [{"pat": "f($A)", "out": "f($A, flag)"}, {"pat": "h($A)", "out": "h(f($A))"}]


@pytest.fixture
def work(tmp_path: Path) -> Work:
    (tmp_path / "root").mkdir()
    (tmp_path / "root/a.py").write_text("h(1)\nf(2)\nf(3)\nf(4)\n")
    (tmp_path / "root/b.py").write_text("f(5)\n")
    return astedit.open(tmp_path / "root", state_dir=tmp_path / "state")


def review(work: Work) -> Review:
    with work.session() as session:
        action = session.store.peek()
        assert action is not None
        return open_review(session, action)


def decide(work: Work, **choices: list[int]) -> list[str]:
    """Decides about edits by their number in the plan; returns all ids."""
    with work.session() as session:
        action = session.store.peek()
        assert action is not None
        opened = open_review(session, action)
        ids = list(opened.edits)
        for choice, numbers in choices.items():
            opened.decide([ids[number] for number in numbers], choice)  # type: ignore[arg-type]
        return ids


def tree(work: Work) -> list[str]:
    return [(Path(work.root) / name).read_text() for name in ("a.py", "b.py")]


def test_the_rest_is_staged_and_nothing_that_the_part_has_made(work: Work) -> None:
    plan = work.edit(OPS)
    result = plan.apply("r", only=["a.py:1", "a.py:3"], keep_rest=True)
    assert "The rest is staged as" in result.text
    assert tree(work) == ["h(f(1))\nf(2)\nf(3, flag)\nf(4)\n", "f(5)\n"]
    (rest,) = work.pending()
    assert rest.label == "ast_edit: 3 replacements in 2 files"
    with work.session() as session:
        kept = stored(session, rest)
    assert kept.fingerprint != plan.fingerprint and len(kept.request.kept) == 3
    work.resolve("apply", rest.id, "r", {"only": ["a.py"], "keepRest": True})
    assert tree(work) == ["h(f(1))\nf(2, flag)\nf(3, flag)\nf(4, flag)\n", "f(5)\n"]
    (last,) = work.pending()
    work.resolve("apply", last.id, "r")
    assert tree(work)[1] == "f(5, flag)\n" and work.pending() == []


def test_only_what_was_accepted_is_applied(work: Work) -> None:
    plan = work.edit(OPS)
    decide(work, accept=[1, 4], reject=[2])
    with pytest.raises(PreconditionError) as caught:
        plan.apply("r", reviewed=True)
    assert caught.value.code == "undecided"
    assert "2 of 5 edits are undecided: a.py:1, a.py:4." in caught.value.message
    plan.apply("r", reviewed=True, undecided="reject")
    assert tree(work) == ["h(1)\nf(2, flag)\nf(3)\nf(4)\n", "f(5, flag)\n"]
    assert work.pending() == []


@pytest.mark.slow
def test_what_is_undecided_is_kept_or_made(work: Work) -> None:
    plan = work.edit(OPS)
    ids = decide(work, accept=[1], reject=[2])
    with work.session() as session:
        open_review(session, session.store.list()[0]).comment(ids[3], "later")
    plan.apply("r", reviewed=True, undecided="keep")
    assert tree(work) == ["h(1)\nf(2, flag)\nf(3)\nf(4)\n", "f(5)\n"]
    assert review(work).progress() == (3, 0, 0, 0, 0, 1)  # the rejected one is gone
    decide(work, reject=[0])
    work.resolve("apply", work.pending()[0].id, "r", {"reviewed": True, "undecided": "accept"})
    assert tree(work) == ["h(1)\nf(2, flag)\nf(3)\nf(4, flag)\n", "f(5, flag)\n"]


@pytest.mark.parametrize(
    "extra",
    [{"undecided": "keep"}, {"reviewed": True, "undecided": "x"}, {"refresh": True, "reviewed": 1}],
)
def test_a_wish_that_contradicts_itself_is_refused(work: Work, extra: dict[str, object]) -> None:
    work.edit(OPS)
    with pytest.raises(RequestError):
        work.resolve("apply", work.pending()[0].id, "r", extra)
    assert len(work.pending()) == 1
