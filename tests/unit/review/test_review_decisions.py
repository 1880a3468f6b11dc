"""A review keeps what was decided about each edit, and loses nothing of two reviewers."""

from pathlib import Path

import pytest

from astedit import Plan
from astedit.errors import AstEditError, PreconditionError, RequestError
from astedit.review.decisions import Review
from tests.support.reviews import reviews_of, small_plan


@pytest.fixture
def plan(tmp_path: Path) -> Plan:
    return small_plan(tmp_path)


@pytest.fixture
def review(plan: Plan) -> Review:
    (ann,) = reviews_of(plan, "ann")
    return ann


def ids(plan: Plan) -> list[str]:
    return [edit.id for file in plan.files for edit in file.edits]


def test_nothing_is_decided_at_first(review: Review) -> None:
    assert review.progress() == (6, 0, 0, 0, 0, 0)
    assert (review.progress().mark, review.progress().undecided) == (None, 6)
    assert review.chosen(None) == ids(review.plan)


def test_what_was_decided_is_there_for_who_opens_it_next(plan: Plan) -> None:
    ann, ben = reviews_of(plan, "ann", "ben")
    _, first, second, *_ = ids(plan)
    assert ann.decide([first], "reject") == [first]
    ann.comment(first, "not this one")
    ann.mark([first, second], "read")
    assert ben.decision(first).choice is None
    assert ben.refresh() == [first, second]
    decision = ben.decision(first)
    assert decision.content == ("reject", "not this one", "read")
    assert (decision.who, decision.when[:2], decision.when[-1]) == ("ann", "20", "Z")
    assert ann.decide([first], "reject") == []
    assert ann.decide([first], None) == [first]
    assert ann.decision(first).content == (None, "not this one", "read")


def test_the_last_decision_is_undone_and_made_again(review: Review) -> None:
    _, first, second, *_ = ids(review.plan)
    review.decide([first], "accept", read=[first])
    review.decide([first, second], "reject")
    assert review.undo() == [first, second]
    assert (review.own(first).content, review.own(second).choice) == (("accept", "", "read"), None)
    assert review.undo() == [first] and review.own(first).content == (None, "", None)
    assert review.undo() == []
    assert review.redo() == [first] and review.own(first).content == ("accept", "", "read")
    review.decide([second], "accept")
    assert review.redo() == [], "what was decided since wins"


def test_undo_leaves_what_somebody_else_decided_since(plan: Plan) -> None:
    ann, ben = reviews_of(plan, "ann", "ben")
    _, first, second, *_ = ids(plan)
    ann.decide([first, second], "accept")
    ben.refresh()
    ben.decide([first], "reject")
    ann.refresh()
    assert ann.undo() == [second]
    assert (ann.own(first).choice, ann.own(second).choice) == ("reject", None)


def test_counts_are_kept_until_something_is_decided(plan: Plan) -> None:
    ann, ben = reviews_of(plan, "ann", "ben")
    _, first, second, *_ = ids(plan)
    before = ann.progress()
    assert ann.progress() is before
    ben.decide([first], "accept")
    assert ann.refresh() == [first]
    assert ann.progress().accepted == 2  # an import follows
    ann.decide([second], "reject", read=[first])
    assert ann.progress() == (6, 2, 1, 1, 0, 0)


def test_the_second_to_decide_about_an_edit_sees_the_first(plan: Plan) -> None:
    ann, ben = reviews_of(plan, "ann", "ben")
    _, first, second, third, *_ = ids(plan)
    ann.decide([first, second], "accept")
    with pytest.raises(PreconditionError) as caught:
        ben.decide([second, third], "reject")
    assert caught.value.code == "changed_meanwhile"
    assert ben.decision(second).choice == "accept"
    assert ben.decision(third).choice is None
    assert ben.decide([second, third], "reject") == [second, third]
    assert ann.decide([first], "reject") == [first]  # others do not stand in the way


def test_an_edit_of_imports_follows_those_it_is_for(review: Review) -> None:
    imports, *uses = ids(review.plan)[:4]
    assert review.tie(imports) is not None
    review.decide(uses[:2], "reject")
    assert review.decision(imports).choice is None
    review.decide(uses[2:], "accept")
    assert review.decision(imports).choice == "accept"
    review.decide(uses[2:], "reject")
    assert review.decision(imports).choice == "reject"
    assert review.decide(ids(review.plan)[5:], "accept") == ids(review.plan)[5:]
    assert review.progress() == (6, 2, 4, 0, 0, 0)
    with pytest.raises(RequestError) as caught:
        review.decide([imports], "accept")
    assert caught.value.code == "follows"


def test_an_import_that_is_replaced_binds_its_uses(tmp_path: Path) -> None:
    from astedit import ast_edit

    (tmp_path / "a.py").write_text("from m import f\n\nx = 0\nf(1)\nf(2)\n")
    ops = [{"pat": "f($A)", "out": "g($A)"}]
    plan = ast_edit(ops, root=tmp_path, add_import="from m import g", prune_imports=True)
    (review,) = reviews_of(plan, "ann")
    imports, first, second = ids(plan)
    assert review.ties[0].comes == "binding"
    assert review.decide([second], "accept") == [first, second]
    assert review.decision(imports).choice == "accept"


def test_shapes_are_numbered_from_one(review: Review) -> None:
    _, first, second, third, _, last = ids(review.plan)
    shapes = [[each.edit.id for each in shape.edits] for shape in review.shapes]
    assert shapes[0] == [first, second, last] and [third] in shapes


def test_what_was_read_stays_read_beside_a_sample(review: Review) -> None:
    first, second, third = (each.edit.id for each in review.shapes[0].edits)
    review.mark([first], "read")
    review.mark([first, second, third], "sampled")
    assert [review.decision(each).attention for each in (first, second, third)] == [
        "read", "sampled", "sampled"]  # fmt: skip
    review.mark([first], None)
    assert review.decision(first).attention is None


def test_what_the_plan_does_not_have_is_refused(review: Review) -> None:
    for call in (
        lambda: review.decide(["0" * 12], "accept"),
        lambda: review.comment("0" * 12, "x"),
        lambda: review.mark(["0" * 12], "read"),
    ):
        with pytest.raises(AstEditError) as caught:
            call()
        assert caught.value.code == "unknown_edit"
    with pytest.raises(RequestError):
        review.comment(ids(review.plan)[1], "x" * 10_001)
    assert review.progress() == (6, 0, 0, 0, 0, 0)
