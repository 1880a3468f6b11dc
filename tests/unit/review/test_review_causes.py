"""What caused an edit is said beside it, and how many go with one before it is rejected."""

from collections.abc import Callable
from pathlib import Path

import pytest

import astedit
from astedit.agents.text.plan import edit_text, staged_text
from astedit.errors import PreconditionError
from astedit.interface.work import StagedPlan, Work
from astedit.model.edit import Edit
from astedit.page.report import report
from astedit.review.causes import Causes, consequence
from astedit.review.decisions import Review
from astedit.staging.stored_review import open_review
from astedit.terminal.questions import Conversation, GuidedReview, run
from tests.support.cases import tree
from tests.support.review_page import served_page

RULES = tree("review-causes")["rules.yml"]
TEXT = "x = 1\nseed(v)\nseed(w)\nkeep(use(v))\npair(v, pair(w, 0))\nuse(w)\nuse(v)\n"


@pytest.fixture
def work(tmp_path: Path) -> Work:
    (tmp_path / "root").mkdir()
    (tmp_path / "root" / "a.py").write_text(TEXT)
    return astedit.open(tmp_path / "root", state_dir=tmp_path / "state")


@pytest.fixture
def plan(work: Work) -> StagedPlan:
    return work.edit(rules=RULES)


def edits_of(plan: StagedPlan) -> list[Edit]:
    """The two seeds, then what they cause."""
    return plan.files[0].edits


def guided(review: Review) -> GuidedReview:
    return GuidedReview(review, lambda path: (), lambda path: TEXT.encode(), review.edits.keys())


def reviewed(work: Work, plan: StagedPlan, act: Callable[[Review], object]) -> None:
    with work.session() as session:
        act(open_review(session, session.store.find(str(plan.action_id))))


def test_the_causes_and_the_steps_of_an_edit_are_lines(plan: StagedPlan) -> None:
    first, _, kept, pair, *_ = edits_of(plan)
    causes = Causes(plan)
    assert list(causes.lines(first)) == []
    assert list(causes.lines(kept)) == [
        "Caused by a.py:2 (seed).",
        "1. use: use(v) => used(v)",
        "2. keep: keep(used(v)) => used(v)",
    ]
    assert next(causes.lines(pair)) == "Caused by a.py:2 (seed), a.py:3 (seed)."
    page = report(plan, lambda file: TEXT.encode(), "t")
    assert "Caused by a.py:2 (seed).<br>1. use: use(v) =&gt; used(v)" in page


def test_a_rejection_says_what_goes_with_it(work: Work, plan: StagedPlan) -> None:
    first, second, kept, pair, *_ = edits_of(plan)

    def decide(review: Review) -> None:
        says = "Rejecting this rejects 2 other edits, too: a.py:4, a.py:7."
        assert consequence(review, [first.id]) == says
        assert consequence(review, [pair.id]) == ""
        assert len(review.decide([first.id], "reject")) == 3
        assert review.own(pair.id).choice is None  # the other seed reaches it
        assert consequence(review, [kept.id]) == ""
        review.decide([kept.id], "accept")
        assert consequence(review, [kept.id]) == "What causes this is rejected: it is not made."
        assert "a.py:5, a.py:6" in consequence(review, [second.id])

    reviewed(work, plan, decide)


def test_questions_say_so_before_and_ask_about_many(work: Work, plan: StagedPlan) -> None:
    said: list[str] = []
    answers = iter(["s", "s", "s", "x", "n", "x", "y", "q"])

    def ask(question: str) -> str:
        said.append(question)
        return next(answers)

    def go_through(review: Review) -> None:
        run(guided(review), Conversation(ask, said.append, lambda _, text: text))
        assert review.progress().rejected == 6

    reviewed(work, plan, go_through)
    text = "\n".join(said)
    assert "Caused by a.py:2 (seed)." in text
    assert "Rejecting this rejects 2 other edits, too: a.py:4, a.py:7." in text
    asked = [line for line in said if line.endswith("Reject them all? [y,n] ")]
    assert len(asked) == 2 and "rejects 4 other edits, too" in asked[0]


def test_the_page_says_so_and_keeps_it_up_to_date(
    work: Work, plan: StagedPlan, tmp_path: Path
) -> None:
    first, second, kept, pair, *_ = edits_of(plan)
    (state,) = (tmp_path / "state").iterdir()
    with served_page(tmp_path / "root", state, str(plan.action_id)) as served:
        page = served.entered()
        assert "Caused by a.py:2 (seed)." in page.text
        assert "Rejecting this rejects 2 other edits, too: a.py:4, a.py:7." in page.text
        ids = [first.id, second.id, kept.id, pair.id]
        status, answer = page.post("/decide", edits=[first.id], choice="reject", shown=ids)
        assert status == 200 and answer["choices"][kept.id] == "reject"
        assert "2 other edits" in answer["follows"][second.id]
        assert answer["follows"][first.id] == answer["follows"][kept.id] == ""


def test_agents_read_how_many_go_with_an_edit(work: Work, plan: StagedPlan) -> None:
    first, second, *_ = edits_of(plan)
    assert f"Without {first.id} (a.py:2) 2 other edits would go." in edit_text(plan)
    with work.session() as session:
        chosen = [second.id, *(edit.id for edit in edits_of(plan)[3:])]
        text, part = staged_text(session, str(plan.action_id), chosen, work.root)
    assert "+pair(v, 0)" in text and part.files[0].edits[0].after == ""


def test_what_nobody_has_reviewed_is_not_applied(work: Work, plan: StagedPlan) -> None:
    """Without one of its two causes an edit comes out otherwise: where it is named, it is told."""
    first = edits_of(plan)[0]

    def decide(review: Review) -> None:
        review.decide([edit.id for edit in edits_of(plan)], "accept")
        review.decide([first.id], "reject")

    reviewed(work, plan, decide)
    says = r"1 edit would come out otherwise .*: a\.py:5"
    with pytest.raises(PreconditionError, match=says) as error:
        plan.apply("r", reviewed=True)
    assert error.value.code == "comes_out_otherwise"
    assert Path(work.root, "a.py").read_text() == TEXT
    assert "It came out otherwise without them: a.py:5." in plan.apply("r", exclude=[first.id]).text
    assert Path(work.root, "a.py").read_text() == (
        "x = 1\nseed(v)\nkeep(use(v))\npair(v, 0)\nused(w)\nuse(v)\n"
    )
