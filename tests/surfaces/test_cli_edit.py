"""`astedit edit`, end to end: preview, streams, flags, exit codes."""

import json
import shlex
from collections.abc import Callable
from pathlib import Path
from subprocess import PIPE
from typing import Any

import pytest

from tests.support.lists import lists, rows
from tests.support.project import Project

ROWS = rows(Path(__file__).with_suffix(".txt"))

EDIT = ("edit", "-p", "f($A)", "-r", "g($A)")
SEARCH = ("search", "-p", "f($A)")
NOTICE = "Staged as {}: files are NOT modified yet. Call resolve to apply or discard."
DIFF = b"--- a/a.py\n+++ b/a.py\n@@ -1,2 +1,2 @@\n-f(1)\n+g(1)\n x = 2\n"


@pytest.fixture
def small(project: Project) -> Project:
    return project.write(a_py="f(1)\nx = 2\n", b_py="h(1)\n")


def test_a_preview_prints_the_diff_stages_and_writes_nothing(small: Project) -> None:
    before = small.files()
    done = small(*EDIT)
    notice = NOTICE.format(small.newest())
    assert (done.code, done.out) == (0, DIFF)
    assert done.err.splitlines()[:2] == [notice, "1 replacement in 1 file (2 files searched)."]
    assert small.files() == before


def test_the_json_is_the_plan_with_its_action(small: Project) -> None:
    plan = small(*EDIT, "--json").json
    assert plan["schema"] == "astedit/plan/1"
    assert (plan["totalReplacements"], plan["filesTouched"], plan["applied"]) == (1, 1, False)
    assert plan["actionId"] == small.newest()
    assert plan["notice"] == NOTICE.format(plan["actionId"])
    edit = plan["files"][0]["edits"][0]
    assert (edit["before"], edit["after"]) == ("f", "g")
    match = {"start": edit["start"], "end": edit["start"] + 4, "text": "f(1)"}
    assert edit["match"] == match | {"line": edit["line"], "column": edit["column"]}


@pytest.mark.parametrize("flag, code", [("--check", 1), ("--no-stage", 0)])
def test_what_only_looks_stages_nothing_and_opens_no_state(
    small: Project, flag: str, code: int
) -> None:
    assert small(*EDIT, flag).code == code
    assert small(*EDIT, flag, "--json").json["actionId"] is None
    assert small("edit", "-p", "nothing()", "-r", "g()", flag).code == 0
    assert not small.state.exists()


def test_nothing_to_change_is_no_error_and_stages_nothing(small: Project) -> None:
    done = small("edit", "-p", "nothing()", "-r", "g()")
    assert (done.code, done.out) == (0, b"")
    assert "Nothing to change (2 files searched)." in done.err
    assert not small.state.exists()


def test_apply_resolves_the_very_action_and_is_recorded(small: Project) -> None:
    done = small(*EDIT, "--apply", "--reason", "tried")
    row = small("log", "--json").json[0]
    assert done.code == 0
    assert done.out == DIFF + f"Applied {row['actionId']}: 1 replacement in 1 file.\n".encode()
    assert small.read("a.py") == "g(1)\nx = 2\n"
    assert (row["outcome"], row["reason"], row["who"]) == ("applied", "tried", "cli")
    assert row["files"][0]["path"] == "a.py"


def test_apply_with_json_is_one_document(small: Project) -> None:
    plan = small(*EDIT, "--apply", "--reason", "tried", "--json").json
    assert plan["applied"] is True
    assert plan["notice"] == f"Applied {plan['actionId']}: 1 replacement in 1 file."


def test_stat_and_quiet_print_less(small: Project) -> None:
    assert small(*EDIT, "--stat").text == " a.py | 1\n 1 replacement in 1 file\n"
    quiet = small(*EDIT, "--quiet")
    assert quiet.out == b""
    assert quiet.err == NOTICE.format(small.newest()) + "\n"


def test_pairs_keep_their_order(project: Project) -> None:
    project.write(a_py="f(1)\nh(2)\n")
    pairs = ("-p", "f($A)", "-r", "x($A)", "-p", "h($A)", "-r", "y($A)")
    assert b"+x(1)\n+y(2)\n" in project("edit", *pairs).out


def ops_of(project: Project, *args: str) -> list[dict[str, Any]]:
    """What differs from the defaults in the ops that a command line asks for."""
    request = project("edit", *args, "--no-stage", "--json").json["request"]
    ops = [{**op, "for all": request["lang"]} for op in request["ops"]]
    return [{key: value for key, value in op.items() if value is not None} for op in ops]


P, Q = ("-p", "f($A)", "-r", "x"), ("-p", "h($A)", "-r", "y")


@pytest.mark.parametrize(("args", "ops"), ROWS["what follows a pattern is about that one"])
def test_what_follows_a_pattern_is_about_that_one(
    small: Project, args: tuple[str, ...], ops: list[dict[str, Any]]
) -> None:
    assert ops_of(small, *args) == ops


def test_conditions_choose_among_the_matches(project: Project) -> None:
    project.write(a_py="f(1)\nf(12)\nf(x)\n")
    pairs = ("--where", "A=^1$", "--where-kind", "A=integer", "-p", "f($A)", "-r", "n($A)")
    done = project("edit", "-p", "f($A)", "-r", "g($A)", *pairs, "--where-kind", "A=identifier")
    assert (b"+g(1)\n f(12)\n" in done.out, b"+n(x)" in done.out) == (True, True)
    assert project("search", "-p", "f($A)", "--where", "A=^1").text == "a.py:1:f(1)\na.py:2:f(12)\n"


@pytest.mark.parametrize(("args", "message", "hint"), ROWS["a wrong condition says what to do"])
def test_a_wrong_condition_says_what_to_do(
    small: Project, args: tuple[str, ...], message: str, hint: str
) -> None:
    done = small("edit", *args, "--json")
    error = done.json["error"]
    assert (done.code, message in error["message"], hint in error["hint"]) == (2, True, True)


def test_conditions_that_nothing_meets_show_what_is_there(small: Project) -> None:
    done = small("edit", *P, "--where", "A=^9")
    assert "The pattern matches, the conditions do not: at a.py:1 $A is `1`." in done.err


def test_the_language_behind_patterns_is_that_of_standard_input(small: Project) -> None:
    args = (*P, "-l", "py", *Q, "-l", "py")
    with small.process("edit", *args, "--stdin", stdin=PIPE) as process:
        assert process.communicate(b"f(1)\nh(1)\n")[0] == b"x\ny\n"


def test_a_pattern_and_a_rewrite_come_from_files(small: Project) -> None:
    small.put("p.txt", "f($A)\n")
    small.put("r.txt", "g(\n    $A,\n)\n")
    assert b"-f(1)\n+g(\n+    1,\n+)\n x = 2\n" in small("edit", "-p", "@p.txt", "-r", "@r.txt").out


def test_the_request_as_json(small: Project, typed: Callable[[bytes], None]) -> None:
    request = b'{"ops": [{"pat": "f($A)", "out": "g($A)"}], "paths": ["b.py"]}'
    small.put("ops.json", request)
    assert small("edit", "--ops", "ops.json").out == b""
    typed(request)
    assert small("edit", "--ops", "-", "a.py").out == DIFF
    small.put("~a.py", "f(1)\n")
    assert small(*EDIT, "~a.py", "--check").code == 1


@pytest.mark.parametrize("path", ["../x", "b/../a.py", "/etc", "~/x"])
def test_a_path_in_json_may_not_leave_the_root(small: Project, path: str) -> None:
    small.put("ops.json", json.dumps({"ops": [{"pat": "f($A)", "out": "g($A)"}], "paths": [path]}))
    assert small("edit", "--ops", "ops.json").code == 3


def test_a_buffer_is_rewritten_from_stdin_to_stdout(
    small: Project, typed: Callable[[bytes], None]
) -> None:
    typed(b"f(1)\r\nx = '\xc3\xa9'")
    done = small(*EDIT, "--stdin", "--stdin-filename", "x.py")
    assert (done.code, done.out) == (0, b"g(1)\r\nx = '\xc3\xa9'")
    typed(b"f(1)")
    assert small(*EDIT, "--stdin", "-l", "js", "--check").code == 1
    typed(b"f(1)")
    assert small(*EDIT, "--stdin", "-l", "js", "--json").json["totalReplacements"] == 1
    assert not small.state.exists()


def test_a_buffer_without_a_match_comes_back_unchanged(
    small: Project, typed: Callable[[bytes], None]
) -> None:
    typed(b"\xff\x00 no text at all")
    done = small(*EDIT, "--stdin", "--stdin-filename", "x.py")
    assert (done.code, done.out) == (0, b"\xff\x00 no text at all")


WRONG = [  # a line of a shell, where `…` is what an edit needs
    tuple(shlex.split(words.replace("…", shlex.join(EDIT[1:]))))
    for words in lists(Path(__file__).with_suffix(".txt"))["bad requests"]
]
WRONG += [
    ("-p", "f(\udcff)", "-r", "x"),
    ("-p", "f($A)", "-r", "\udcff"),
    (*EDIT[1:], "--context", "\udcff"),
]


@pytest.mark.parametrize("flags", WRONG)
def test_a_bad_request_exits_2_and_stages_nothing(small: Project, flags: tuple[str, ...]) -> None:
    done = small("edit", *flags)
    assert done.code == 2
    if "--json" not in flags:
        assert done.out == b"" and done.err.startswith("error: ")
        done = small("edit", *flags, "--json")
    assert (done.code, done.err) == (2, "")
    assert set(done.json["error"]) == {"code", "message", "hint", "path"}
    assert not small.state.exists()


def test_a_path_outside_the_root_exits_3(small: Project) -> None:
    done = small(*EDIT, "--root", ".", "..", "--json")
    assert (done.code, done.json["error"]["code"]) == (3, "outside_root")


@pytest.mark.parametrize("flags", [("--expect", "2"), ("--expect-files", "0")])
def test_another_count_than_expected_exits_3(small: Project, flags: tuple[str, ...]) -> None:
    done = small(*EDIT, *flags, "--json")
    assert (done.code, done.json["error"]["code"]) == (3, "unexpected_count")
    assert small(*EDIT, "--expect", "1", "--expect-files", "1").code == 0


def test_a_limit_exits_4_shows_the_first_and_stages_nothing(project: Project) -> None:
    project.write(a_py="f(1)\nx = 2\n", b_py="f(2)\n")
    done = project(*EDIT, "--max-files", "1")
    assert (done.code, done.out) == (4, DIFF)
    assert project(*EDIT, "--max-files", "1", "--json").json["error"]["code"] == "limit_reached"
    assert not project.state.exists()
    assert project(*EDIT, "--max-files", "1", "--allow-partial").code == 0
    assert project("show", "--format", "stat").text.endswith("1 replacement in 1 file\n")


def test_when_every_match_is_blocked_it_exits_3(project: Project) -> None:
    project.write(a_py="f(1, # keep\n  2)\n")
    flags = ("-p", "f($A, $B)", "-r", "g($B, $A)")
    done = project("edit", *flags)
    assert (done.code, done.out) == (3, b"")
    assert "Blocked: 1 match left out\n  a.py:1:1: loss of # keep\n" in done.err
    blocked: Any = project("edit", *flags, "--json")
    assert (blocked.code, blocked.json["blocked"][0]["reason"]) == (3, "loss")
    assert project("edit", *flags, "--allow-loss").code == 0


def test_some_blocked_and_some_staged_exits_0_and_tells(project: Project) -> None:
    project.write(a_py="f(1, # keep\n  2)\nf(3, 4)\n")
    done = project("edit", "-p", "f($A, $B)", "-r", "g($B, $A)")
    assert done.code == 0
    assert "Staged as" in done.err and "Blocked: 1 match left out" in done.err


def test_a_subdirectory_is_the_default_path(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    project.write(a_py="f(1)\n", sub__b_py="f(2)\n")
    monkeypatch.chdir(project.root / "sub")
    assert project(*EDIT).out.startswith(b"--- a/sub/b.py\n")
    assert project(*EDIT, "..", "--stat").text.count("|") == 2
    assert project(*EDIT, "--root", "..", "--stat").text.count("|") == 1


def test_a_root_elsewhere_is_taken_whole(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    project.write(a_py="f(1)\n")
    (project.root.parent / "elsewhere").mkdir()
    monkeypatch.chdir(project.root.parent / "elsewhere")
    assert project(*EDIT, "--root", str(project.root)).out.startswith(b"--- a/a.py\n")
    assert project(*EDIT, str(project.root / "a.py")).out.startswith(b"--- a/a.py\n")


def test_a_link_that_was_named_is_followed_and_shown(project: Project) -> None:
    project.write(src__real_py="f(1)\n")
    (project.root / "a.py").symlink_to("src/real.py")
    done = project(*EDIT, "a.py", "--stat")
    assert done.text.startswith(" a.py -> src/real.py | 1\n")
    assert "Followed a.py -> src/real.py\n" in done.err


def test_only_what_differs_from_a_revision(project: Project) -> None:
    project.write(same_py="f(1)\n", old_py="f(1)\n", touched_py="f(1)\n", gone_py="f(1)\n")
    project.git("init", "-q")
    project.git("add", ".")
    project.git("commit", "-qm", "x")
    project.write(old_py="f(2)\n", new_py="f(3)\n", touched_py="f(1)\n")
    (project.root / "gone.py").unlink()
    assert project(*EDIT, "--changed", "--stat").text.split("\n")[:2] == [
        " new.py | 1",
        " old.py | 1",
    ]
    assert project(*EDIT, "--changed=HEAD", "old.py", "--stat").text.count("|") == 1
    assert project(*EDIT, "--changed=HEAD", "same.py").out == b""
    for command in ((*EDIT, "--changed=HEAD", "same.py"), (*SEARCH, "--changed=HEAD", "same.py")):
        assert project(*command).err.splitlines()[1:] == [
            "hint: No file differs from the revision that --changed names."
        ]
    assert project(*EDIT, "--changed=nothing").code == 2


def test_changed_runs_no_program_that_the_repository_names(project: Project) -> None:
    project.write(a_py="f(1)\n")
    project.put(".gitattributes", "*.py filter=evil diff=evil\n")
    project.git("init", "-q")
    project.git("add", ".")
    project.git("commit", "-qm", "x")
    evil = f"touch {project.root.parent}/ran; cat"
    for key in (
        "filter.evil.clean",
        "filter.evil.process",
        "diff.evil.command",
        "diff.evil.textconv",
    ):
        project.git("config", key, evil)
    project.git("config", "core.fsmonitor", evil)
    project.write(a_py="f(2)\n")
    assert project(*EDIT, "--changed", "--no-stage").out.startswith(b"--- a/a.py")
    assert not (project.root.parent / "ran").exists()


def test_changed_needs_git(project: Project) -> None:
    assert project(*EDIT, "--changed", "--json").json["error"]["code"] == "no_repository"
    project.git("init", "-q")
    assert project(*EDIT, "--changed", "--json").json["error"]["code"] == "no_commit"
    assert project(*EDIT, "--changed=x", "--json").json["error"]["code"] == "bad_request"


MISSING = ROWS["missing"]


@pytest.mark.parametrize(
    "name, source, pattern, rewrite, hint, added", MISSING, ids=[case[0] for case in MISSING]
)
def test_a_missing_import_is_named_with_the_flag_that_adds_it(
    project: Project, name: str, source: str, pattern: str, rewrite: str, hint: str, added: str
) -> None:
    project.put(name, source)
    command = ("edit", "-p", pattern, "-r", rewrite, "--no-stage")
    assert f"hint: {hint}" in project(*command).err.splitlines()
    done = project(*command, "--add-import", added)
    assert added.removeprefix('import "') in done.text
    assert "would lack" not in done.err


def test_imports_are_flags_keys_of_the_request_and_keys_of_an_op(project: Project) -> None:
    project.write(a_py="from old import f\n\nf(1)\n")
    asked = ("--add-import", "import new", "--prune-imports")
    by_flags = project("edit", "-p", "f($A)", "-r", "new.f($A)", "--no-stage", *asked).text
    assert "-from old import f" in by_flags and "+import new" in by_flags
    op = {"pat": "f($A)", "out": "new.f($A)"}
    for document in (
        {"ops": [op | {"imports": {"add": ["import new"], "prune": True}}]},
        {"ops": [op], "addImport": ["import new"], "pruneImports": True},
    ):
        project.put("ops.json", json.dumps(document))
        assert project("edit", "--ops", "ops.json", "--no-stage").text == by_flags
    project.put("ops.json", json.dumps({"ops": [op | {"imports": {"adds": "import new"}}]}))
    refused = project("edit", "--ops", "ops.json", "--no-stage")
    assert (refused.code, "Unknown key 'adds' in `imports`." in refused.err) == (2, True)
    refused = project("edit", "-p", "f($A)", "-r", "g($A)", "--add-import", "new")
    assert (refused.code, "'new' is not an import of one name." in refused.err) == (2, True)


def test_a_match_within_a_match_brings_the_imports_of_its_own_op(project: Project) -> None:
    """Both are one edit, which has the number of the outer op."""
    inner = {"pat": "url('a', $V)", "out": "path('a', $V)"}
    outer = {"pat": "url($R, $V)", "out": "re_path($R, $V)"}
    ops = [
        {**op, "imports": {"add": [f"from urls import {name}"], "remove": ["url"]}}
        for name, op in (("path", inner), ("re_path", outer))
    ]
    project.put("ops.json", json.dumps({"ops": ops}))
    project.put("u.py", "from old import url\n\nx = url('b', [url('a', 1)])\n")
    assert project("edit", "--ops", "ops.json", "--apply", "--reason", "t", "u.py").code == 0
    assert project.read("u.py") == (
        "from urls import path, re_path\n\nx = re_path('b', [path('a', 1)])\n"
    )
