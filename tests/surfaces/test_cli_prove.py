"""`astedit prove`: the real command, with real runners, on small projects."""

import shlex
import sys
from pathlib import Path

import pytest

from tests.support.cases import tree
from tests.support.project import Outcome, Project

EDIT = ("edit", "-q", "-p", "add($A, $B)", "-r", "plus($A, $B)")
LIBRARY = """\
def add(a, b):
    return a + b


def plus(a, b):
    return a + b if b != 7 else 0


""" + "".join(f"def f{n}(a):\n    return add(a, {n})\n\n\n" for n in range(10))
# As quick as a command can be: fails as unittest does, without importing it.
CHECK = """\
import sys, library
failed = [n for n in range(10) if getattr(library, f"f{n}")(1) != 1 + n]
for n in failed:
    print(f"FAIL: test_f{n} (check.T.test_f{n})")
sys.exit(bool(failed))
"""
WORDS = (sys.executable, "-S", "check.py")


@pytest.fixture
def library(project: Project) -> Project:
    """A project with ten edits staged, of which one breaks a test."""
    project.write(library_py=LIBRARY, check_py=CHECK)
    project(*EDIT)
    return project


def prove(project: Project, *args: str, words: tuple[str, ...] = WORDS) -> Outcome:
    return project("prove", *args, "--", *words)


def test_the_edit_that_breaks_a_test_is_named_and_the_rest_can_be_applied(library: Project) -> None:
    before = library.files()
    proved = prove(library)
    assert proved.code == 1
    assert proved.text == ("library.py:38  add($A, $B) → plus($A, $B)  check.T.test_f7\n")
    assert "library.py" not in proved.err and "the other 9 pass" in proved.err
    assert library.files() == before
    assert "[broken: " in library("pending").text
    reviewed = library("review").text
    assert "reject, cli: breaks check.T.test_f7" in reviewed
    assert f"proof: {shlex.join(WORDS)} passes with 9 of the edits\n" in reviewed
    shown = library("show", "--json").json["proof"]
    assert (shown["proven"], shown["edits"], len(shown["excluded"])) == (False, 9, 1)
    assert library("resolve", "apply", "--proven", "--reason", "r").code == 0
    assert library.read("library.py").count("return plus(") == 9
    assert "return add(a, 7)" in library.read("library.py")


def test_a_plan_that_passes_is_proven(library: Project) -> None:
    library.put("library.py", LIBRARY.replace("if b != 7 else 0", ""))
    library(*EDIT, "--replace", "")
    library("resolve", "discard", "--all", "--reason", "r")
    library(*EDIT)
    proved = prove(library, "--json")
    assert (proved.code, proved.json["outcome"], proved.json["runs"]) == (0, "proven", 1)
    assert proved.json["sandbox"] == {"way": "overlay", "warnings": []}
    assert "[proven: " in library("pending").text
    log = library("log", "--json").json[0]
    assert (log["outcome"], log["reason"]) == (
        "proven",
        f"{shlex.join(WORDS)} passes with all 10 edits",
    )


PATCH = tree("cli-prove")["deep.patch"]
BREAKS = "test -e gone.txt || test ! -e deep/new.txt"


@pytest.mark.parametrize("way", ["overlay", pytest.param("copy", marks=pytest.mark.slow)])
def test_files_that_come_go_and_move_are_proven_and_blamed(project: Project, way: str) -> None:
    project.write(gone_txt="gone\n", here_txt="a\nb\n")
    project.put("../p.diff", PATCH)
    assert project("stage", "--patch", str(project.root.parent / "p.diff"), "-q").code == 0
    before = project.files()
    all_of_it = (
        "test -e gone.txt -a -e here.txt -a ! -e deep || "
        "test -x deep/new.txt -a ! -e gone.txt -a ! -e here.txt -a $(tail -1 there.txt) = c"
    )
    assert prove(project, "--sandbox", way, words=("sh", "-c", all_of_it)).code == 0
    broken = prove(project, "--sandbox", way, "--json", words=("sh", "-c", BREAKS)).json
    assert [[edit["path"] for edit in each["edits"]] for each in broken["culprits"]] == [
        ["deep/new.txt", "gone.txt"]
    ]
    assert project.files() == before


@pytest.mark.slow
def test_a_plan_on_top_of_another_is_proven_on_top_of_it(library: Project) -> None:
    first = library.newest()
    staged = library("edit", "-q", "--after", first, "-p", "plus($A, 7)", "-r", "add($A, 7)")
    assert staged.code == 0
    assert prove(library, "--json", words=("true",)).json["proven"]
    count = "import sys; sys.exit(open('library.py').read().count('return plus(') not in (9, 10))"
    assert prove(library, words=(sys.executable, "-S", "-c", count)).code == 0


@pytest.mark.slow
def test_apply_can_prove_first(library: Project) -> None:
    applied = library("resolve", "apply", "--reason", "r", "--prove", shlex.join(WORDS))
    assert (applied.code, library.read("library.py")) == (1, LIBRARY)
    applied = library("resolve", "apply", "--reason", "r", "--prove", "true")
    assert (applied.code, library.read("library.py").count("return plus(")) == (0, 10)


def test_a_proof_can_be_required_by_the_user_and_not_by_the_repository(
    library: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    library.put("../astedit/config.toml", f"require_proof = [{shlex.join(WORDS)!r}]\n")
    apply = ("resolve", "apply", "--reason", "r", "--json")
    assert library(*apply).json["error"]["code"] == "proof_missing"
    assert prove(library, words=("true",)).code == 0
    assert library(*apply).json["error"]["code"] == "proof_missing"
    assert prove(library).code == 1
    assert "--proven" in library(*apply).json["error"]["hint"]
    assert library(*apply, "--proven").code == 0
    library.put("astedit.toml", "require_proof = ['true']\n")
    assert "require_proof is not for a repository" in library("pending").err


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("no-such-command",), "no-such-command cannot be started"),
        ((sys.executable, "-S", "-c", "print('broken'); raise SystemExit(1)"), "the tests fail"),
    ],
)
def test_without_a_baseline_nothing_is_proved(
    library: Project, words: tuple[str, ...], said: str
) -> None:
    refused = prove(library, words=words)
    assert (refused.code, refused.out) == (3, b"")
    assert said in refused.err
    assert "broken" in refused.err or "no-such" in refused.err


@pytest.mark.slow
def test_what_fails_before_says_nothing_if_that_is_expected(library: Project) -> None:
    library.put("check.py", CHECK.replace("!= 1 + n]", "!= 1 + n or n == 3]"))
    assert prove(library).code == 3
    proved = prove(library, "--expect-failing", "--json")
    assert proved.code == 1
    assert proved.json["baseline"]["failing"] == ["check.T.test_f3"]
    assert [each["tests"] for each in proved.json["culprits"]] == [["check.T.test_f7"]]


def test_out_of_budget_it_says_where_the_culprit_is(library: Project) -> None:
    proved = prove(library, "--runs", "3", "--json")
    assert (proved.code, proved.json["outcome"]) == (4, "out_of_budget")
    assert 1 < len(proved.json["bracket"]) < 10


@pytest.mark.slow
def test_a_run_that_hangs_with_an_edit_has_failed(library: Project) -> None:
    library.put("library.py", LIBRARY.replace("if b != 7 else 0", "if b != 7 else hang()")
                + "def hang():\n    while True: pass\n")  # fmt: skip
    library(*EDIT)
    proved = prove(library, "--run-timeout", "0.5", "--json")
    assert [len(each["edits"]) for each in proved.json["culprits"]] == [1]


@pytest.mark.slow
def test_a_tree_that_changes_meanwhile_makes_it_void(library: Project) -> None:
    outside = library.root.parent / "link"
    outside.symlink_to(library.root)
    words = (sys.executable, "-S", "-c", f"open({str(outside / 'new')!r}, 'w')")
    assert prove(library, words=words).code == 0, "a link leads into the sandbox"
    refused = prove(library, "--sandbox", "copy", "--json", words=words)
    assert (refused.code, refused.json["error"]["code"]) == (3, "void")


def test_the_command_is_split_off_before_options_are_read(library: Project) -> None:
    echo = (
        sys.executable,
        "-S",
        "-c",
        "import sys; sys.exit(sys.argv[1:] != ['--json', '--', '-h'])",
    )
    assert prove(library, words=(*echo, "--json", "--", "-h")).code == 0
    assert library("prove").code == 2
    assert library("prove", "--").code == 2


def test_it_runs_where_the_caller_is(library: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    library.put("sub/x", "")
    monkeypatch.chdir(library.root / "sub")
    assert prove(library, words=("test", "-e", "x")).code == 0


@pytest.mark.slow
@pytest.mark.parametrize("runner", ["pytest", "junit", "unittest"])
def test_real_runners_name_the_tests(library: Project, runner: str) -> None:
    cases = "".join(
        f"    def test_f{n}(self): assert library.f{n}(1) == {n + 1}\n" for n in range(10)
    )
    library.put("test_it.py", f"import unittest, library\nclass T(unittest.TestCase):\n{cases}")
    pytest_words = (sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider")
    words, options, name = {
        "pytest": (pytest_words, (), "test_it.py::T::test_f7"),
        "junit": ((*pytest_words, "--junitxml=j.xml"), ("--junit", "j.xml"), "test_it.T::test_f7"),
        "unittest": ((sys.executable, "-m", "unittest"), (), "test_it.T.test_f7"),
    }[runner]
    proved = prove(library, "--json", *options, words=words)
    assert [each["tests"] for each in proved.json["culprits"]] == [[name]]
