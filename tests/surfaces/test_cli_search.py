"""`astedit search`, `explain`, `languages`, `schema`, `completion`."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.lists import rows
from tests.support.project import Project

ROWS = rows(Path(__file__).with_suffix(".txt"))

AST_GREP = Path(sys.executable).with_name("ast-grep")
SOURCE = 'def f():\n    x = foo(1,\n       2)\n    return foo(3); foo(é)\nfoo("é")  # é\n'


@pytest.fixture
def small(project: Project) -> Project:
    return project.write(src__a_py=SOURCE, b_py=SOURCE, c_js="foo(1);\n")


def test_text_is_path_line_text_each_line_once(small: Project) -> None:
    done = small("search", "-p", "foo($$$A)", "-l", "py", "src")
    assert done.code == 0
    assert done.text.splitlines() == [
        "src/a.py:2:    x = foo(1,",
        "src/a.py:3:       2)",
        "src/a.py:4:    return foo(3); foo(é)",
        'src/a.py:5:foo("é")  # é',
    ]


@pytest.mark.skipif(not AST_GREP.exists(), reason="ast-grep is a development dependency")
@pytest.mark.parametrize("form", ["pretty", "stream", "compact"])
@pytest.mark.parametrize("pattern", ["foo($$$A)", "foo($A)", "$F(3)", "nothing()"])
@pytest.mark.parametrize("paths", ["b.py src", "src", "./src/", "src/../src"])
def test_json_is_byte_for_byte_that_of_ast_grep(
    small: Project, form: str, pattern: str, paths: str
) -> None:
    words = ["-p", pattern, "-l", "py", f"--json={form}"]
    done = small("search", *words, *paths.split())
    command = [str(AST_GREP), "run", *words, "--threads=1", *paths.split()]
    theirs = subprocess.run(command, cwd=small.root, capture_output=True)
    assert (done.code, done.out) == (theirs.returncode, theirs.stdout)


@pytest.mark.skipif(not AST_GREP.exists(), reason="ast-grep is a development dependency")
def test_json_of_a_directory_is_that_of_ast_grep_in_path_order(small: Project) -> None:
    words = ["-p", "foo($$$A)", "-l", "py", "--json", "."]
    command = [str(AST_GREP), "run", *words, "--threads=1"]
    theirs = subprocess.run(command, cwd=small.root, capture_output=True, check=True)
    matches = sorted(json.loads(theirs.stdout), key=lambda match: match["file"])
    assert small("search", *words).json == matches


def test_nothing_found_exits_1_and_says_so_on_stderr(small: Project) -> None:
    done = small("search", "-p", "nothing()")
    assert (done.code, done.out) == (1, b"")
    assert "Nothing found (3 files searched)." in done.err


def test_a_limit_keeps_the_first_in_path_order_and_tells(small: Project) -> None:
    done = small("search", "-p", "foo($A)", "-l", "py", "--limit", "2", "--json")
    assert [match["file"] for match in done.json] == ["b.py", "b.py"]
    assert "--limit was reached" in done.err


def test_what_was_skipped_is_told(small: Project) -> None:
    small.put("d.py", b"foo(3)\0" + b"x" * 10)
    assert "Skipped: 1 binary" in small("search", "-p", "foo(3)").err


def test_a_search_reads_what_an_edit_leaves_alone(small: Project) -> None:
    small.put("vendor/e.py", "foo(9)\n")
    assert small("search", "-p", "foo(9)").text == "vendor/e.py:1:foo(9)\n"


def test_a_bad_pattern_exits_2(small: Project) -> None:
    assert small("search", "-p", "").code == 2
    assert small("search", "-p", "$$$A", "--json").json["error"]["message"]
    assert small("search").code == 2


def test_no_search_opens_the_state(small: Project) -> None:
    small("search", "-p", "foo($A)")
    small("explain", "-p", "foo($A)", "-l", "py")
    small("languages")
    assert not small.state.exists()


def test_explain_shows_the_tree_and_what_is_wrong(small: Project) -> None:
    shown = small("explain", "-l", "py", "-p", "foo($A)")
    assert shown.code == 0 and "call" in shown.text
    found = small("explain", "-l", "go", "-p", "fmt.Println($A)", "--json").json
    assert found["schema"] == "astedit/explanation/1"
    assert found["suggestions"]


def test_languages_names_each_with_its_grammar(small: Project) -> None:
    found = {one["name"]: one for one in small("languages", "--json").json}
    assert found["python"]["aliases"] == ["py"]
    assert found["python"]["provider"] == "tree-sitter-python"
    assert any(line.startswith("python, py ") for line in small("languages").text.splitlines())


@pytest.mark.parametrize(
    "document, field", [("ops", "ops"), ("plan", "files"), ("result", "text"), ("ledger", "names")]
)
def test_schemas_are_printed(small: Project, document: str, field: str) -> None:
    assert field in small("schema", document).json["properties"]


def test_the_plan_schema_names_every_field_of_a_plan(small: Project) -> None:
    schema = small("schema", "plan").json
    plan = small("edit", "-p", "foo($A)", "-r", "bar($A)", "--no-stage", "--json").json
    parts = {"FilePlan": plan["files"][0], "Edit": plan["files"][0]["edits"][0]}
    assert set(plan) == set(schema["properties"])
    for name, document in parts.items():
        assert set(document) == set(schema["$defs"][name]["properties"])


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_scripts_are_printed(small: Project, shell: str) -> None:
    script = small("completion", shell).text
    assert "_ASTEDIT_COMPLETE" in script
    if shutil.which(shell):
        subprocess.run([shell, "-n"], input=script.encode(), check=True)


def test_a_shell_is_answered(small: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("_ASTEDIT_COMPLETE", "bash_complete")
    monkeypatch.setenv("COMP_WORDS", "astedit lang")
    monkeypatch.setenv("COMP_CWORD", "1")
    out, err = small.process().communicate()
    assert (out, err) == (b"plain,languages\n", b"")


def test_every_command_has_help_with_an_example(small: Project) -> None:
    from astedit.cli.main import every_command

    listed = " ".join(small("--help-all").text.split())
    for name, line in every_command().items():
        shown = small(name, "--help")
        assert (shown.code, shown.err) == (0, "")
        assert f"Example: astedit {name}" in " ".join(shown.text.split())
        assert line in listed and line.rstrip(".") in " ".join(shown.text.split())


def test_every_command_takes_a_root(small: Project) -> None:
    from astedit.cli.main import every_command

    for name in every_command().keys() - {"resident", "lsp"}:  # of a user, of an editor
        assert "--root DIR" in small(name, "--help").text
    for args in (("languages",), ("schema", "ops"), ("completion", "bash")):
        assert small(*args, "--root", str(small.root)).code == 0
        assert small(*args, "--root", "missing").code == 2


def test_the_version(small: Project) -> None:
    from astedit.version import __version__

    assert small("--version").text == f"astedit {__version__}\n"
    assert small.process("--version").communicate()[0].decode() == f"astedit {__version__}\n"


def test_an_unknown_command_exits_2(small: Project) -> None:
    done = small("scam", "--json")
    assert (done.code, done.json["error"]["code"]) == (2, "usage")
    assert small().code == 2


def test_json_of_a_name_that_is_not_utf8(small: Project) -> None:
    (small.root / "caf\udce9.py").write_text("foo(7)\n")
    done = small("search", "-p", "foo(7)", "--json=compact")
    assert json.loads(done.out)[0]["file"] == "caf\udce9.py"


@pytest.mark.parametrize(("flags", "expected"), ROWS["what is printed of matches"])
def test_what_is_printed_of_matches(small: Project, flags: tuple[str, ...], expected: str) -> None:
    assert small("search", "-p", "foo($A)", "-l", "py", *flags).text.startswith(expected)


@pytest.mark.parametrize(("flags", "message"), ROWS["flags that exclude one another"])
def test_flags_that_exclude_one_another(
    small: Project, flags: tuple[str, ...], message: str
) -> None:
    done = small("search", "-p", "foo($A)", *flags)
    assert done.code == 2 and message in done.err + done.out.decode()


@pytest.mark.parametrize(("words", "hint"), ROWS["what was meant is said"])
def test_what_was_meant_is_said(small: Project, words: tuple[str, ...], hint: str) -> None:
    done = small(*words)
    assert done.code == 2 and hint in done.err
