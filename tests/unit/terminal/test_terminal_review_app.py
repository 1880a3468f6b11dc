"""The full-screen review, driven through Textual's own pilot."""

import contextlib
import threading
from pathlib import Path

import pytest

from astedit import ast_edit
from astedit.review.decisions import ReviewChoice
from astedit.terminal import questions
from astedit.terminal.edit_pane import key_line
from astedit.terminal.questions import GuidedReview
from astedit.terminal.review_app import ReviewApp
from astedit.terminal.visible_rows import VisibleRows
from tests.support.guided_reviews import HOSTILE, guided_review
from tests.support.patience import LAST
from tests.support.review_screen import Screen, shown
from tests.support.reviews import reviews_of


def counts(guided: GuidedReview) -> tuple[int, int]:
    progress = guided.review.progress()
    return progress.accepted, progress.rejected


def test_keys_decide_and_what_is_decided_is_shown(tmp_path: Path) -> None:
    guided = guided_review(tmp_path)

    async def steps(screen: Screen) -> None:
        assert screen.lines()[1].startswith("▸ [ ] 0/1 Outliers")
        await screen.press("x")
        assert screen.lines()[1].startswith("▸ [-] 1/1 Outliers")
        await screen.press("x")  # once more takes it back
        assert counts(guided) == (0, 0)
        await screen.press("j", "l", "j", "space", "x")
        assert counts(guided) == (1, 1)
        assert [line[:8] for line in screen.lines()[2:6]] == [
            "▾ [~] 2/", "    [x] ", "    [-] ", "    [ ] "
        ]  # fmt: skip
        assert screen.part("progress") == f"█{'░' * 19} 2 of 31 decided, 1 rejected"
        await screen.press("a")
        assert counts(guided) == (29, 1)
        await screen.press("U")
        assert "Outliers" in screen.lines()[1]
        assert screen.lines()[2].strip("│ ").startswith("f") is False
        await screen.press("q")

    shown(guided, steps)
    assert guided.review.progress().read >= 2


@pytest.mark.slow
async def test_the_screen_is_there_before_the_edits_are_in_order(tmp_path: Path) -> None:
    guided, go_on = guided_review(tmp_path), threading.Event()

    def owners(path: str) -> tuple[str, ...]:
        assert go_on.wait(LAST)
        return ()

    guided._owners = owners
    app = ReviewApp(guided)
    async with app.run_test(size=(80, 24)) as pilot:
        screen = Screen(app, pilot)
        await screen.press("x", "U")
        assert screen.part("progress") == "Putting 31 edits in order …"
        go_on.set()
        await app.workers.wait_for_complete()
        await pilot.pause()
        assert screen.part("progress").endswith(" 0 of 31 decided, 0 rejected")


@pytest.mark.slow
def test_the_sample_comments_and_the_filter(tmp_path: Path) -> None:
    guided = guided_review(tmp_path)

    async def steps(screen: Screen) -> None:
        await screen.press("j", "s", "space", "s", "c", *"why", "enter")
        assert "0 of 2 wrong" in screen.part("edit")
        assert "Comment: why" in screen.part("edit")
        await screen.press("slash", *"x17)", "enter")
        assert "f00010.py:8" in screen.lines()[1]
        assert len([line for line in screen.lines() if "[" in line[:9]]) == 2
        await screen.press("slash", *"nowhere", "enter")
        assert screen.part("edit") == "Nothing is left to show."
        await screen.press("space", "x", "a", "l", "s", "n", "c", "escape", "question_mark")
        assert "accept what is left of this shape" in screen.part("edit")

    shown(guided, steps)
    assert counts(guided) == (1, 0)


_SLOW = (pytest.param(width, marks=pytest.mark.slow) for width in (80, 200))


@pytest.mark.parametrize("columns", [40, *_SLOW])
def test_it_fits_screens_of_any_width(tmp_path: Path, columns: int) -> None:
    async def steps(screen: Screen) -> None:
        await screen.press("l", "j")
        text = "\n".join(screen.lines())
        assert "[ ]" in text
        assert "a = q(lambda: [q(1)])" in text
        assert "0 of 31 decided, 0 rejected" in text
        await screen.pilot.resize_terminal(120 - columns // 2, 12)
        await screen.pilot.pause()
        assert "0 of 31 decided" in "\n".join(screen.lines())

    shown(guided_review(tmp_path), steps, (columns, 24))


def test_hostile_code_and_markup_are_text(tmp_path: Path) -> None:
    async def steps(screen: Screen) -> None:
        await screen.press("j", "l", "j")
        text = "\n".join(screen.lines())
        assert r"x\x1b]0;owned\x07\u202e[red]" in text
        assert not set("\x1b\x07\u202e") & set(text)

    shown(guided_review(tmp_path, hostile=HOSTILE), steps, (160, 24))


def test_what_others_decide_is_counted_in_all_groups(tmp_path: Path) -> None:
    guided = guided_review(tmp_path)
    rows = VisibleRows(guided)
    rows.arrange()
    assert [rows.state(row).decided for row in rows.rows] == [0, 0]
    for number, group in enumerate(guided.groups):
        guided.decide(group.edits[:1], "accept")
        assert rows.state(rows.rows[number]).decided == 1


def two_shapes(root: Path) -> GuidedReview:
    """Two shapes of thirty edits, with an outlier each."""
    lines = [f"a = {name}(x{n})" for name in "pr" for n in range(30)]
    odd = [f"a = {name}(lambda: [{name}(1)])" for name in "pr"]
    for at, line in enumerate([*lines, *odd]):
        with (root / f"f{at // 10}.py").open("a") as file:
            file.write(f"{line}\n")
    plan = ast_edit([{"pat": "p($A)", "out": "q($A)"}, {"pat": "r($A)", "out": "s($A)"}], root=root)
    (review,) = reviews_of(plan, "me")
    return GuidedReview(review, lambda path: (), lambda path: None, review.edits.keys())


def test_a_accepts_only_what_is_like_the_edit_in_focus(tmp_path: Path) -> None:
    guided = two_shapes(tmp_path)
    (odd, *_) = guided.groups
    assert odd.kind == "outliers" and len({edit.shape for edit in odd.edits}) == 2

    async def steps(screen: Screen) -> None:
        await screen.press("a")  # on the group of outliers
        assert counts(guided) == (0, 0) and "not alike" in screen.part("progress")
        await screen.press("l", "j", "a")
        accepted = {edit.shape for edit in odd.edits if guided.choice(edit) == "accept"}
        assert accepted == {odd.edits[0].shape}
        await screen.press("q")

    shown(guided, steps)


def test_a_in_questions_is_about_what_is_like_the_edit_asked_about(tmp_path: Path) -> None:
    guided = two_shapes(tmp_path)
    odd = guided.groups[0]
    answers = iter("aq")
    talk = questions.Conversation(
        lambda question: next(answers), lambda line: None, lambda code, text: text
    )
    questions.run(guided, talk)
    accepted = {edit.shape for edit in odd.edits if guided.choice(edit) == "accept"}
    assert accepted == {odd.edits[0].shape}


@pytest.mark.parametrize("key, other", [("space", "reject"), ("x", "accept")])
def test_a_decided_group_is_asked_about_before_it_is_decided_anew(
    tmp_path: Path, key: str, other: ReviewChoice
) -> None:
    guided = two_shapes(tmp_path)
    group = guided.groups[1]
    first: ReviewChoice = "accept" if other == "reject" else "reject"
    guided.decide(group.edits, first)
    guided.decide(group.edits[:1], other)

    async def steps(screen: Screen) -> None:
        await screen.press("j", key)
        assert guided.choice(group.edits[0]) == other, "one decision is kept"
        assert "Once more" in screen.part("progress")
        await screen.press("k", "j", key)  # of another time it is asked again
        await screen.press(key)
        assert guided.choice(group.edits[0]) == first
        await screen.press("q")

    shown(guided, steps)


def test_decisions_are_undone_and_what_was_rejected_is_listed(tmp_path: Path) -> None:
    guided = guided_review(tmp_path)

    async def steps(screen: Screen) -> None:
        await screen.press("j", "l", "j", "space", "x")
        assert counts(guided) == (1, 1)
        await screen.press("u")
        assert counts(guided) == (1, 0) and screen.part("progress") == "undo: 1 decision."
        await screen.press("ctrl+r")
        assert counts(guided) == (1, 1)
        await screen.press("R")
        rejected = [line for line in screen.lines() if "    [-] " in line]
        assert len(rejected) == 1 and " p(x" in rejected[0], "with its code"
        await screen.press("R", "u", "u", "u")
        assert counts(guided) == (0, 0) and screen.part("progress") == "Nothing to undo."

    shown(guided, steps)


def test_what_is_accepted_is_applied_after_a_question(tmp_path: Path) -> None:
    guided = guided_review(tmp_path)
    results: list[object] = []

    async def steps(screen: Screen) -> None:
        await screen.press("A")
        assert "Nothing is accepted" in screen.part("progress")
        await screen.press("j", "a", "A")
        assert (
            screen.part("progress")
            == "Apply 30 accepted edits: why? Enter does it, escape leaves it."
        )
        await screen.press("escape", "A", *"by me", "enter")
        results.append(screen.app.return_value)

    shown(guided, steps)
    assert results == ["by me"]


def test_the_code_is_shown_alone_and_side_by_side(tmp_path: Path) -> None:
    async def steps(screen: Screen) -> None:
        await screen.press("j", "l", "j", "|")
        assert len([line for line in screen.lines() if "p(x0)" in line and "q(x0)" in line]) == 1
        await screen.press("z")
        assert not any("[ ]" in line for line in screen.lines())
        await screen.pilot.resize_terminal(100, 24)
        await screen.press("z", "|")
        assert "needs 160 columns" in screen.part("progress")

    shown(guided_review(tmp_path), steps, (200, 24))


def test_the_editor_opens_the_file_at_the_place(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    editor = tmp_path / "editor"
    editor.write_text(f'#!/bin/sh\necho "$@" > {tmp_path}/opened\n')
    editor.chmod(0o755)
    monkeypatch.setenv("VISUAL", f"{editor} -w")

    async def steps(screen: Screen) -> None:
        monkeypatch.setattr(screen.app, "suspend", contextlib.nullcontext)
        await screen.press("j", "l", "j", "e")

    shown(guided_review(tmp_path), steps)
    assert (tmp_path / "opened").read_text().split()[:2] == ["-w", "+1"]


@pytest.mark.parametrize("columns", [20, 44, 60, 80, 120])
def test_the_key_line_always_says_how_to_get_help_and_how_to_leave(columns: int) -> None:
    line = str(key_line(columns))
    assert len(line) <= columns and line.endswith("? help  q leave")
    assert columns < 44 or "space accept  x reject" in line


def test_the_help_has_the_whole_width_until_another_key(tmp_path: Path) -> None:
    async def steps(screen: Screen) -> None:
        await screen.press("question_mark")
        assert any(line.strip().startswith("a ") for line in screen.lines())
        assert not any("[ ] 0/" in line for line in screen.lines())
        await screen.press("j")
        assert any("[ ] 0/" in line for line in screen.lines())

    shown(guided_review(tmp_path), steps)
