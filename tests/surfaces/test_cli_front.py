"""What a person types: applying and discarding by name, help in groups, what was meant."""

import json

import pytest

from tests.support.project import Project

EDIT = ("edit", "-p", "foo($A)", "-r", "bar($A)")


@pytest.fixture
def two(project: Project) -> list[str]:
    project.write(a_py="foo(1)\n", b_py="foo(2)\n")
    return [project(*EDIT, path, "--json").json["actionId"] for path in ("a.py", "b.py")]


def test_several_are_applied_in_their_order_until_one_is_refused(
    project: Project, two: list[str]
) -> None:
    first, second = two
    third = project(*EDIT, "b.py", "--json").json["actionId"]
    done = project("apply", first[-6:], second, third, "--reason", "r")
    assert done.code == 3 and done.text.count("Applied ") == 2
    assert done.text.index(first) < done.text.index(second)
    assert (project.read("a.py"), project.read("b.py")) == ("bar(1)\n", "bar(2)\n")
    assert [row["id"] for row in project("pending", "--json").json] == [third]


def test_apply_prints_a_table_a_list_or_nothing(project: Project, two: list[str]) -> None:
    assert " a.py | 1\n" in project("apply", two[0], "-y", "--stat").text
    quiet = project("discard", two[1], "-q", "--reason", "r")
    assert (quiet.code, quiet.text, quiet.err) == (0, "", "")
    more = [project(*EDIT, "b.py", "--json").json["actionId"] for _ in range(2)]
    both = project("discard", *more, "--yes", "--json")
    assert [each["isError"] for each in both.json] == [False, False]
    assert project("discard", "--reason", "r", "--json").json["error"]["code"] == "nothing_pending"


def test_a_script_names_one_of_several_plans(project: Project, two: list[str]) -> None:
    refused = project("apply", "-y", "--json")
    assert refused.code == 3 and refused.json["error"]["code"] == "ambiguous"
    assert all(each in refused.json["error"]["message"] for each in two)
    assert project("discard", "-y").code == 3
    assert "Add --reason TEXT, or -y" in project("apply", two[0]).err
    assert project("resolve", "apply", "-y").code == project("apply", "-y").code == 0
    assert "error: Nothing is pending." in project("apply", "-y").err


def test_the_help_stands_in_groups_and_names_no_older_command(project: Project) -> None:
    short, whole = project("--help").text, project("--help-all").text
    assert [line[:-1] for line in short.splitlines() if line.endswith(":") and line[0] != " "] == [
        *("Options", "Change", "Find", "Decide", "Prove and land", "Rules and packs"),
        *("Agents and editors", "Set up"),
    ]
    assert "\n  resolve " not in short and "\n  resolve " in whole and "\n  schema " in whole
    assert "move-module" not in whole and project("move-module", "--help").code == 0
    assert "lsp-rename" not in whole and project("lsp-rename", "--help").code == 0
    assert project("lsp-edit", "rename", "--help").code == 0


def test_the_help_of_edit_is_one_screen(project: Project) -> None:
    shown = project("edit", "-h").text
    assert len(shown.splitlines()) <= 50 and "--max-files" not in shown
    assert "--max-files" in project("edit", "--help-all").text


@pytest.mark.parametrize(
    ("words", "hint"),
    [
        (("edti",), "'edit'"),
        (("lsp-edit", "renam"), "'rename'"),
        (("resolve", "aply"), "'apply'"),
        ((*EDIT, "--strictness", "smrt"), "'smart'"),
        ((*EDIT, "--stta"), "--stat"),
        ((*EDIT, "--dry-run"), "Did you mean '--no-stage'?"),
        ((*EDIT, "--update-all"), "Did you mean '--yes'?"),
    ],
)
def test_what_was_meant_is_said(project: Project, words: tuple[str, ...], hint: str) -> None:
    refused = project(*words)
    assert refused.code == 2 and "Did you mean" in refused.err and hint in refused.err


def test_each_way_to_mend_a_pattern_has_a_line_of_its_own(project: Project) -> None:
    refused = project("edit", "-l", "rust", "-p", "println!($A", "-r", "x")
    assert "-p 'println!($A)'\n`astedit explain" in refused.err


@pytest.mark.parametrize(
    ("document", "said"),
    [
        ({"ops": [{"pat": "f(1)", "ot": "g"}]}, "'ops[0].ot'. Did you mean 'out'?"),
        ({"opps": []}, "'opps'. Did you mean 'ops'?"),
        ({"ops": [], "overlap": "compse"}, "Did you mean 'compose'?"),
        ({"ops": [{"pat": "a", "out": ""}], "expct": {}}, "'expct'. Did you mean 'expect'?"),
        ({"ops": [{"pat": 3, "out": ""}]}, "'ops[0].pat' must be a text, not 3."),
    ],
)
def test_json_is_refused_in_plain_words(
    project: Project, document: dict[str, object], said: str
) -> None:
    (project.root / "ops.json").write_text(json.dumps(document))
    refused = project("edit", "--ops", "ops.json")
    assert refused.code == 2 and said in refused.err
    assert "pydantic" not in refused.err and "http" not in refused.err


def test_ops_are_numbered_from_one(project: Project) -> None:
    project.write(a_py="foo(1)\nbaz(1)\n")
    project(*EDIT, "-p", "baz($A)", "-r", "qux($A)")
    refused = project("show", "--only", "op:0", "--json")
    assert refused.code == 2 and refused.json["error"]["code"] == "unknown_edit"
    assert "from 1" in refused.json["error"]["hint"]
    assert project("apply", "--only", "op:2", "--reason", "r").code == 0
    assert project.read("a.py") == "foo(1)\nqux(1)\n"


@pytest.mark.parametrize("flags", [("--fixpoint",), ("--fixpoint", "--stat"), ("--fixpoint=3",)])
def test_fixpoint_needs_no_number(project: Project, flags: tuple[str, ...]) -> None:
    project.write(a_py="f(f(f(1)))\n")
    done = project("edit", "-p", "f($A)", "-r", "$A", *flags, "--check", "a.py")
    assert done.code == 1, done.err


def test_move_moves_modules(project: Project) -> None:
    project.write(log_py="x = 1\n", a_py="from log import x\n")
    assert project("move", "log.py", "tools.py", "-y").code == 0
    assert project.read("a.py") == "from tools import x\n"
    refused = project("move", "tools.py", "t.py", "--reexport")
    assert refused.code == 2 and "--reexport" in refused.err


def test_with_fixpoint_each_op_counts_by_itself(project: Project) -> None:
    project.write(a_py="foo(1)\n")
    done = project("edit", "-p", "foo($A)", "-r", "bar($A)", "-p", "bar(1)", "-r", "baz()",
                   "--fixpoint")  # fmt: skip
    assert "1 replacement: foo($A)" in done.err and "1 replacement: bar(1)" in done.err
    assert "hint" not in done.err


def test_at_most_three_hints_are_printed(project: Project) -> None:
    project.write(a_py="".join(f"f{number}(1)\n" for number in range(6)))
    patterns = [word for n in range(6) for word in ("-p", f"f{n}($A, $B)", "-r", "g()")]
    few, every = (project("edit", *patterns, "--hints", how).err for how in ("few", "all"))
    assert few.count("hint: ") == 3 and "more hints: --hints all" in few
    assert every.count("hint: ") > 3 and "more hint" not in every


def test_no_hint_denies_what_another_language_holds(project: Project) -> None:
    project.write(a_py="foo(1)\n", b_js="x()\n")
    assert "holds" not in project("edit", "-p", "foo($A, $B)", "-r", "g()").err


def test_what_an_op_with_many_matches_changes_is_no_near_miss_of_another(project: Project) -> None:
    project.write(a_py="x = Maybe[int]\n" * 120)
    done = project("edit", "-p", "Maybe[$A]", "-r", "$A", "-p", "Maybe[$A, $B]", "-r", "$A")
    assert done.err.count("hint: ") == 0


def test_a_language_that_nobody_meant_is_not_said_to_be_left_out(project: Project) -> None:
    project.write(a_py="print(1)\n", b_go="package b\n")
    assert "Left out" not in project(*("edit", "-p", "print $A; $B", "-r", "g()")).err


def test_a_hint_says_what_keeps_matches_out_and_not_that_nothing_holds_them(
    project: Project,
) -> None:
    project.write(a_py="# @generated\nfoo(1)\n")
    done = project("edit", "-p", "foo($A)", "-r", "bar($A)")
    (hint,) = [line for line in done.err.splitlines() if line.startswith("hint:")]
    assert hint == (
        "hint: What matches is in 1 file not written by hand: --no-ignore generated edits there,"
        " too."
    )
    assert project("edit", "-p", "foo($A)", "-r", "bar($A)", "--no-ignore", "generated").code == 0


def test_hints_that_say_what_to_write_come_first(project: Project) -> None:
    project.write(a_py="x.cast(1)\n# cast\nbroadcast(1)\n")
    hints = [
        line
        for line in project("search", "-p", "cast($A)").err.splitlines()
        if line.startswith("hint:")
    ]
    assert hints[0].endswith("Called on anything: -p '$ON.cast($A)'")
    assert all("a.py:1" in hint for hint in hints)
    chain = ("-p", "x.cast($A)", "-r", "became($A)", "-p", "became($A)", "-r", "done($A)")
    assert "what another op writes needs --fixpoint" in project("edit", *chain).err
