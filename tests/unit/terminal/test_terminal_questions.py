"""A review as questions: what is typed is decided, and nothing typed is lost."""

from pathlib import Path

from astedit import ast_edit
from astedit.terminal.questions import Conversation, GuidedReview, run
from tests.support.guided_reviews import HOSTILE, guided_review
from tests.support.reviews import reviews_of


def talked(guided: GuidedReview, *answers: str) -> str:
    """What is said when these answers are typed; then the input ends."""
    typed, said = iter(answers), []

    def ask(question: str) -> str:
        said.append(question)
        try:
            return next(typed)
        except StopIteration:
            raise EOFError from None

    run(guided, Conversation(ask, said.append, lambda _, text: text))
    return "\n".join(said)


def counts(guided: GuidedReview) -> tuple[int, int]:
    progress = guided.review.progress()
    return progress.accepted, progress.rejected


def test_each_answer_decides(tmp_path: Path) -> None:
    """The outlier is asked about first, then the five edits of the shape."""
    guided = guided_review(tmp_path, 5)
    for answers, decided in {
        "": (0, 0), "y": (1, 0), "n": (0, 1), "yn": (1, 1), "sy": (1, 0), "qyyy": (0, 0),
        "ya": (6, 0), "nx": (0, 6), "sf": (6, 0), "?y": (1, 0), "zy": (1, 0), "ey": (1, 0),
    }.items():  # fmt: skip
        talked(guided, *answers)
        assert (answers, counts(guided)) == (answers, decided)
        guided.review.decide(guided.review.edits, None)


def test_odd_ones_are_asked_about_first_with_the_reason_and_the_lines(tmp_path: Path) -> None:
    said = talked(guided_review(tmp_path, 5), "y")
    assert said.index("== Outliers: 1 edit") < said.index("== shape:1: 5 edits p($A) → q($A)")
    first = said[: said.index("== shape:1")]
    assert "f00000.py:6" in first
    assert "! like no other edit" in first
    assert "-a = p(lambda: [p(1)])\n+a = q(lambda: [q(1)])" in first


def test_what_is_decided_together_says_so(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("from m import f\n\nx = 0\nf(1)\nf(2)\n")
    ops = [{"pat": "f($A)", "out": "g($A)"}]
    plan = ast_edit(ops, root=tmp_path, add_import="from m import g", prune_imports=True)
    (review,) = reviews_of(plan, "me")
    guided = GuidedReview(review, lambda path: (), lambda path: None, review.edits.keys())
    assert "Decided together with 1 other edit." in talked(guided, "y")
    assert review.progress().accepted == 3


def test_the_rest_of_a_large_shape_is_decided_at_once_and_noted_as_sampled(tmp_path: Path) -> None:
    guided = guided_review(tmp_path, 100)
    said = talked(guided, *["y"] * 61, "?", "y")
    assert "40 more edits" in said
    assert "0 of 59 wrong: under 5 % wrong with 95 % confidence, if these are alike." in said
    progress = guided.review.progress()
    assert (progress.accepted, progress.read, progress.sampled) == (101, 61, 40)


def test_the_rest_can_be_asked_about_one_by_one(tmp_path: Path) -> None:
    guided = guided_review(tmp_path, 100)
    talked(guided, *["y"] * 61, "e", "n", "q")
    assert counts(guided) == (61, 1)


def test_what_was_decided_is_not_asked_again(tmp_path: Path) -> None:
    guided = guided_review(tmp_path, 5)
    talked(guided, "s", "y", "y")
    assert talked(guided).count("Accept?") == 1
    assert "f00000.py:6" in talked(guided)
    assert counts(guided) == (2, 0)


def test_a_comment_is_kept_and_what_cannot_be_done_is_said(tmp_path: Path) -> None:
    guided = guided_review(tmp_path, 5)
    said = talked(guided, "c", "x" * 20_000, "c", "why this?", "y")
    assert "The comment is over 10,000 characters long." in said
    assert "Noted." in said
    ((comment,),) = [
        [d.comment for key in guided.review.edits if (d := guided.review.own(key)).comment]
    ]
    assert comment == "why this?"


def test_hostile_code_is_shown_as_text(tmp_path: Path) -> None:
    said = talked(guided_review(tmp_path, 5, HOSTILE), "s", "s")
    assert r"# x\x1b]0;owned\x07\u202e[red]" in said
    assert not set("\x1b\x07\u202e") & set(said)
