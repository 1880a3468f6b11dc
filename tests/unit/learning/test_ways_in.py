"""Where examples come from, a question that is broken off, and input that is too much or bad."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from astedit.cli.main import run
from tests.support.terminal import Terminal

Capture = pytest.CaptureFixture[str]
GIT = ["git", "-c", "user.name=t", "-c", "user.email=t@example.org"]


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    place = tmp_path / "tree"
    place.mkdir()
    (place / "a.py").write_text("import log\nlog.warn(1)\nlog.warn(0)\n")
    (place / "b.py").write_text("import log\ndef f():\n    return log.warn(3)\n")
    for words in (["init", "-q"], ["add", "."], ["commit", "-qm", "x"]):
        subprocess.run([*GIT, *words], cwd=place, check=True)
    monkeypatch.chdir(place)
    monkeypatch.setenv("ASTEDIT_STATE_DIR", str(tmp_path / "state"))
    return place


def told(capfd: Capture, *words: str) -> tuple[int, Any]:
    capfd.readouterr()
    return run([*words, "--json"]), json.loads(capfd.readouterr().out)


def test_a_rejected_edit_is_a_hard_no(root: Path, capfd: Capture) -> None:
    assert run([*("edit", "-p", "log.warn($A)", "-r", "log.warning($A)", "a.py"), "-q"]) == 0
    assert run(["review", "--export", "review.json"]) == 0
    review = json.loads((root / "review.json").read_text())
    for each in review["edits"]:
        each["decision"] = "accept" if each["line"] == 2 else "reject"
    (root / "review.json").write_text(json.dumps(review))
    assert run(["review", "--import", "review.json"]) == 0

    code, document = told(capfd, "learn", "--from", review["actionId"], "--questions", "0")

    assert code == 0
    (rule,) = document["rules"]
    assert rule["matches"] == 1 and "log.warn(0)" in rule["test"]
    (root / "rule.yml").write_text(rule["yaml"])
    assert run(["scan", "-r", "rule.yml", "a.py", "--fix", "--apply", "--reason", "x"]) == 0
    assert (root / "a.py").read_text() == "import log\nlog.warning(1)\nlog.warn(0)\n"


def test_the_place_of_the_example_stays_as_it_was_made(root: Path, capfd: Capture) -> None:
    """A rule that swaps two things would change it back."""
    code, document = told(capfd, "learn", "--commit", "HEAD")
    assert code == 2 and "HEAD is the first commit" in document["error"]["message"]
    code, document = told(capfd, "learn", "--commit", "HEAD", "-l", "python")
    assert code == 2 and "-l goes with" in document["error"]["message"]
    for name, text in (("a.py", "s(a, b)\n"), ("b.py", "s(c, d)\n")):
        (root / name).write_text(text)
    subprocess.run([*GIT, "commit", "-qam", "y"], check=True)
    (root / "a.py").write_text("s(b, a)\n")
    os.utime(root / "b.py", (0, 0))  # which git would note in its index, given the chance
    index = (root / ".git/index").read_bytes()
    assert run(["learn", "--questions", "0", "--no-stage"]) == 0
    assert (root / ".git/index").read_bytes() == index
    shown = capfd.readouterr().out
    assert "fix: s($B, $A)" in shown and "+s(d, c)" in shown and "a.py" not in shown


def test_the_tests_of_a_rule_are_examples(root: Path, capfd: Capture) -> None:
    folder = root.parent / "cases"
    folder.mkdir()
    names = {"x-before": "warn(1)", "x-after": "warning(1)"}
    for name, call in (names | dict.fromkeys(("y-before", "y-after"), "warn(0)")).items():
        (folder / f"{name}.py").write_text(f"import log\nlog.{call}\n")

    code, document = told(capfd, "learn", "--tests", str(folder), "--questions", "0")

    assert code == 0 and document["rules"][0]["matches"] == 2
    assert "log.warn(0)" in document["rules"][0]["test"].split("invalid:")[0]


def test_ctrl_c_in_a_question_leaves_nothing_and_goes_on(root: Path, capfd: Capture) -> None:
    (root / "a.py").write_text("import log\nlog.warning(1)\nlog.warning(0)\n")
    with Terminal([sys.executable, "-m", "astedit", "learn"], root) as terminal:
        terminal.until("here too?")
        shown = terminal.interrupt("--resume")
        assert terminal.ended() == 130
    token = shown.split("--resume")[1].split()[0]
    assert run(["pending"]) == 0 and token not in capfd.readouterr().out

    code, document = told(capfd, "learn", "--resume", token, "--answer", "1=yes", "-y")

    assert code == 0 and document["rules"][0]["matches"] == 1 and document["actionId"]


def test_an_answer_is_to_the_change_that_was_shown(root: Path, capfd: Capture) -> None:
    """Two rules change one place in two ways: the no to one of them is not one to the other."""
    head = "from m import old\n"
    texts = {"one": "old()\nold(y)\n", "two": "old(1)\nold(ctx, y)\n"}
    for name, text in (texts | {"a": "old(z)\nold(w, 2)\nq = old()\nold(3)\n", "b": ""}).items():
        (root / f"{name}.py").write_text(head + text)
    words = ["learn", "one.py", "two.py", "--glob", "a.py", "--questions", "9"]
    words = ["learn", "--resume", told(capfd, *words)[1]["token"], "--apply", "--reason", "x"]
    (root / "a.py").write_text("\n" + (root / "a.py").read_text())  # which makes no new question
    answers = dict.fromkeys("124678", "skip") | {"3": "yes", "5": "no"}
    assert run([*words, *(f"--answer={id}={reply}" for id, reply in answers.items())]) == 0
    assert (root / "a.py").read_text() == f"\n{head}old(ctx, z)\nold(w, 2)\nq = old(1)\nold(1, 3)\n"


def test_old_tokens_are_removed(root: Path, capfd: Capture) -> None:
    (root / "a.py").write_text("import log\nlog.warning(1)\nlog.warn(0)\n")
    tokens = [told(capfd, "learn")[1]["token"] for _ in range(2)]
    folder = next(Path(os.environ["ASTEDIT_STATE_DIR"]).rglob("learn"))
    os.utime(folder / f"{tokens[0]}.json", (0, 0))

    token = told(capfd, "learn")[1]["token"]

    assert {path.stem for path in folder.iterdir()} == {tokens[1], token}


PAIRS = [
    ("x = (\n", "y = (\n", 3, "bad_example"),
    ("f(1)\n", "f(1)\n", 3, "nothing_learned"),
    ("f(1)\n\0", "f(2)\n\0", 3, "nothing_learned"),
    ("x = 1\n" * 4_000_000, "x = 2\n" * 4_000_000, 3, "nothing_learned"),
]


@pytest.mark.parametrize(("before", "after", "code", "kind"), PAIRS)
def test_what_is_no_example_says_so(
    root: Path, capfd: Capture, before: str, after: str, code: int, kind: str
) -> None:
    (root / "one.py").write_text(before)
    (root / "two.py").write_text(after)

    got, document = told(capfd, "learn", "one.py", "two.py")

    assert (got, document["error"]["code"]) == (code, kind)


def test_a_patch_that_is_too_large_is_refused(root: Path, capfd: Capture) -> None:
    line = b"-x = 1\n+x = 2\n"
    head = b"--- a/a.py\n+++ b/a.py\n@@ -1,4000000 +1,4000000 @@\n"
    (root / "big.patch").write_bytes(head + line * 4_000_000)

    code, document = told(capfd, "learn", "--patch", "big.patch")

    assert code in (2, 3) and document["error"]["message"]


def test_a_binary_file_is_left_out_of_a_patch(root: Path, capfd: Capture) -> None:
    differ = "Binary files a/b.bin and b/b.bin differ"
    binary = f"diff --git a/b.bin b/b.bin\nindex 1..2 100644\n{differ}\n"
    code = "diff --git a/a.py b/a.py\n--- a/a.py\n+++ b/a.py\n@@ -1 +1 @@\n-f(1)\n+g(1)\n"
    (root / "a.patch").write_text(f"{binary}{code}{binary}")

    got, document = told(capfd, "learn", "--patch", "a.patch", "--questions", "0")

    assert (got, len(document["rules"])) == (0, 1)
    assert document["others"] == [differ] * 2


@pytest.mark.parametrize(
    ("most", "stopped"), [pytest.param(60_000_000, False, marks=pytest.mark.slow), (20_000, True)]
)
def test_five_hundred_kinds_of_edit_end_soon(
    root: Path, capfd: Capture, monkeypatch: pytest.MonkeyPatch, most: int, stopped: bool
) -> None:
    monkeypatch.setattr("astedit.learning.search._MOST_READ", most)
    before = "".join(f"f{at}(x, {at})\n" for at in range(500))
    after = "".join(f"g{at}({at}, y{at})\n" for at in range(500))
    (root / "one.py").write_text(before)
    (root / "two.py").write_text(after)

    command = ("learn", "one.py", "two.py", "--questions", "0", "--timeout", "600")
    code, document = told(capfd, *command)

    assert code == 0 and 1 <= len(document["rules"]) <= 3
    assert document["stopped"] is stopped and told(capfd, *command) == (code, document)
    assert any("one at a time" in line for line in document["others"])


def test_a_name_with_control_characters_is_shown_escaped(root: Path, capfd: Capture) -> None:
    (root / "b\x1b[31m\n.py").write_text("import log\ndef f():\n    return log.warn(3)\n")
    (root / "a.py").write_text("import log\nlog.warning(1)\nlog.warning(0)\n")

    assert run(["learn"]) == 3

    printed = capfd.readouterr()
    assert "\x1b[31m" not in printed.out + printed.err
