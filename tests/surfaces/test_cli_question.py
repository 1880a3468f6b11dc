"""The question after a preview, on a real terminal: each answer, and what gets in between."""

import os
import re
import signal
import sys
from pathlib import Path

import pytest

from tests.support.patience import LAST
from tests.support.project import Project
from tests.support.terminal import Terminal

EDIT = ("edit", "-p", "foo($A)", "-r", "bar($A)")
ASKED = "Apply 1 edit in 1 file? ["


@pytest.fixture
def small(project: Project) -> Project:
    return project.write(a_py="foo(1)\n")


def terminal(project: Project, *args: str, **settings: str) -> Terminal:
    settings = {"ASTEDIT_STATE_DIR": str(project.state), "PAGER": "cat", **settings}
    return Terminal(project.process_command(*args), project.root, settings, columns=100)


def answered(project: Project, typed: str, *args: str, **settings: str) -> tuple[int, str]:
    with terminal(project, *(args or EDIT), **settings) as screen:
        screen.until("?] ")
        screen.type(typed)
        return screen.ended(), screen.text


def outcomes(project: Project) -> list[tuple[str, str]]:
    rows = project("log", "--json", "--state-dir", str(project.state)).json
    return [(row["outcome"], row["reason"]) for row in rows]


def pending(project: Project) -> list[str]:
    rows = project("pending", "--json", "--state-dir", str(project.state)).json
    return [row["id"] for row in rows]


def test_yes_applies_and_the_reason_is_what_the_plan_does(small: Project) -> None:
    code, text = answered(small, "y\n")
    assert code == 0 and small.read("a.py") == "bar(1)\n"
    assert text.index("+bar(1)") < text.index(ASKED) < text.index("Applied ")
    assert outcomes(small) == [("applied", "foo($A) → bar($A)")]


@pytest.mark.parametrize("typed", ["n\n", "\n", "No\n"])
def test_no_discards(small: Project, typed: str) -> None:
    assert answered(small, typed)[0] == 0
    assert small.read("a.py") == "foo(1)\n" and pending(small) == []
    assert outcomes(small)[0][0] == "discarded"


@pytest.mark.parametrize("typed", ["s\n", "\x04"])
def test_it_can_be_left_staged_and_the_end_of_input_does_that(small: Project, typed: str) -> None:
    code, text = answered(small, typed)
    assert code == 0 and len(pending(small)) == 1 and outcomes(small) == []
    assert re.search(r"Staged as \w+: no file .*\nApply with: astedit apply \w+\n", text)


def test_letters_are_explained_and_it_asks_again(small: Project) -> None:
    with terminal(small, *EDIT) as screen:
        screen.until("?] ")
        screen.type("?\n")
        screen.until("leave it staged, and decide later")
        screen.until("later\nApply 1 edit in 1 file? [y/N/r/w/s/?] ")
        screen.type("s\n")
        assert screen.ended() == 0


def test_ctrl_c_leaves_it_staged(small: Project) -> None:
    code, text = answered(small, "\x03")
    (action,) = pending(small)
    assert code == 130 and small.read("a.py") == "foo(1)\n"
    named = re.search(r"Interrupted: staged as (\w+)", text)
    assert named and action.endswith(named[1])


def test_a_hang_up_loses_nothing(small: Project) -> None:
    with terminal(small, *EDIT) as screen:
        screen.until("?] ")
        os.kill(screen.process.pid, signal.SIGHUP)
        screen.until("Interrupted: staged as ")
        assert screen.process.wait(LAST) == 130
    assert len(pending(small)) == 1 and small.read("a.py") == "foo(1)\n"


def test_a_file_that_changes_while_it_asks_is_stale(small: Project) -> None:
    with terminal(small, *EDIT) as screen:
        screen.until("?] ")
        small.write(a_py="foo(2)\n")
        screen.type("y\n")
        assert screen.ended() == 3
    assert small.read("a.py") == "foo(2)\n"


def test_a_person_is_wanted_where_the_policy_says_so(small: Project) -> None:
    with terminal(small, *EDIT, ASTEDIT_POLICY="human") as screen:
        text = screen.until("[N/r/w/s/?] ")
        assert re.search(r"astedit approve \w+ --apply \[N/r/w/s/\?\] $", text)
        screen.type("y\n")
        screen.until("later\nApply 1 edit")
        screen.type("s\n")
        assert screen.ended() == 0
    assert small.read("a.py") == "foo(1)\n"


def test_yes_beforehand_answers_where_nobody_can_be_asked(
    small: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ASTEDIT_POLICY", "human")
    refused = small(*EDIT, "-y", "--json")
    monkeypatch.delenv("ASTEDIT_POLICY")
    assert refused.code == 3 and refused.json["error"]["code"] == "approval_missing"
    assert small(*EDIT, "-y").code == 0 and small.read("a.py") == "bar(1)\n"
    assert small("log", "--json").json[0]["reason"] == "foo($A) → bar($A)"
    assert small("undo", "--yes").code == 0 and small.read("a.py") == "foo(1)\n"


@pytest.mark.parametrize("flag", ["--stage", "-q", "--json", "--check", "--no-stage"])
def test_nothing_is_asked_with(small: Project, flag: str) -> None:
    with terminal(small, *EDIT, flag) as screen:
        assert screen.ended() == (1 if flag == "--check" else 0)
        assert "?]" not in screen.text
    staged = flag in ("--stage", "-q", "--json")
    assert len(pending(small)) == staged


def test_the_configuration_turns_it_off(small: Project) -> None:
    small.write(astedit_toml="ask = false\n")
    with terminal(small, *EDIT) as screen:
        assert screen.ended() == 0 and "?]" not in screen.text
    assert len(pending(small)) == 1


def test_an_undo_asks_too_and_is_one_step(small: Project) -> None:
    answered(small, "y\n")
    code, text = answered(small, "y\n", "undo")
    assert code == 0 and "Undo 1 edit in 1 file? [y/N/s/?] " in text
    assert small.read("a.py") == "foo(1)\n"


def test_new_deleted_and_moved_files_are_counted(project: Project) -> None:
    project.write(a_py="x = 1\n", b_py="y = 1\n")
    code, text = answered(project, "y\n", "capture", "--", "sh", "-c", "rm a.py; echo 1 > c.txt")
    assert code == 0 and "Apply 1 new, 1 deleted files? [" in text
    assert not (project.root / "a.py").exists()
    assert "cannot be undone" not in project("log", "--state-dir", str(project.state)).text


FIRST, SECOND = "-p 'foo($A)' -r 'bar($A)'", "-p 'foo($A)' -r 'qux($A)'"


@pytest.mark.parametrize(
    ("commands", "superseded", "sessions"),
    [
        ((FIRST, SECOND), 1, 2),  # in one session, with other ops; another's is left alone
        ((FIRST, FIRST), 1, 1),  # or the very same
        ((FIRST + " --stage", SECOND), 0, 1),  # left on purpose
        ((FIRST, SECOND + " b.py"), 0, 1),  # other paths
    ],
)
def test_the_next_try_takes_the_place_of_the_last(
    small: Project, commands: tuple[str, ...], superseded: int, sessions: int
) -> None:
    small.write(astedit_toml="ask = false\n", b_py="foo(2)\n")
    script = "; ".join(f"{sys.executable} -m astedit edit {each}" for each in commands)
    settings = {"ASTEDIT_STATE_DIR": str(small.state), "PAGER": "cat"}
    for _ in range(sessions):
        with Terminal(["sh", "-c", script], small.root, settings, columns=100) as screen:
            assert screen.ended() == 0
    assert [outcome for outcome, _ in outcomes(small)] == ["superseded"] * sessions * superseded
    assert len(pending(small)) == sessions * (2 - superseded)


def test_what_was_left_staged_stays(small: Project) -> None:
    with terminal(small, *EDIT) as screen:
        screen.until("?] ")
        screen.type("s\n")
        assert screen.ended() == 0
    assert len(pending(small)) == 1
    assert small("review", "--summary", "--state-dir", str(small.state)).code == 0


@pytest.mark.parametrize("flag", [("--stage",), ("-y",), ("--title", "t")])
def test_a_flag_without_an_effect_is_refused(project: Project, flag: tuple[str, ...]) -> None:
    project.write(r_yml="id: r\nlanguage: python\nrule: {pattern: foo($A)}\n")
    assert project("scan", "-r", "r.yml", *flag).code == 2
    assert project(*EDIT, "--stdin", "--stdin-filename", "a.py", *flag).code == 2
    assert project(*EDIT, "--check", *flag).code == (0 if flag[0] == "--title" else 2)


def test_a_hunk_is_edited_in_the_review_and_applied(project: Project, tmp_path: Path) -> None:
    project.write(a_py="foo(1)\nx = 0\nfoo(2)\n")
    editor = tmp_path / "editor"
    editor.write_text("#!/bin/sh\ngrep -q 'bar(1)' $1 || exit 1\nsed -i 's/+bar(1)/+bar(7)/' $1\n")
    editor.chmod(0o755)
    with terminal(project, *EDIT, VISUAL=str(editor)) as screen:
        screen.until("?] ")
        screen.type("r\n")
        screen.until("0 of 2 decided")
        screen.type("ljjE")
        screen.until("The editor ended with 1; the plan is as it was.")
        screen.type("kE")
        screen.until("bar(7)")
        screen.type(" A")
        screen.until("accepted edit: why?")
        screen.type("\r")
        screen.until("Applied ")
        assert screen.ended() == 0
    assert project.read("a.py") == "bar(7)\nx = 0\nfoo(2)\n"
    assert len(pending(project)) == 1
