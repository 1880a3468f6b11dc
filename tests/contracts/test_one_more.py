"""The cost of one more: each test adds one to a copy of the repository, as the recipes say.

What a recipe names is all that a test writes: see `docs/development/recipes.md`.
"""

import json
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.support import REPOSITORY
from tests.support.cases import tree

COPIED = ("astedit", "resolve", "tests", "fixtures", "docs", "benchmarks")
FILES = ("pyproject.toml", "README.md", "CHANGELOG.md")
ADDED = tree("one-more")


@dataclass(frozen=True)
class Copy:
    """A copy of the repository, and a project to try it on."""

    root: Path
    project: Path

    def put(self, name: str, text: str) -> None:
        """A new file of the copy."""
        place = self.root / name
        assert not place.exists()
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text)

    def add(self, name: str) -> None:
        """A new file of the copy, with the text of the fixture."""
        self.put(name, ADDED[name])

    def row(self, name: str, before: str, row: str) -> None:
        """One more row in a table, in front of another row."""
        place = self.root / name
        text = place.read_text()
        assert text.count(before) == 1, f"{name} has no row {before!r}"
        place.write_text(text.replace(before, row + before))

    def python(
        self, *args: str, cwd: Path | None = None, typed: str = ""
    ) -> subprocess.CompletedProcess[str]:
        """Runs Python, in which the packages are those of the copy; `typed` is its stdin."""
        env = os.environ | {
            "PYTHONPATH": str(self.root),
            "ASTEDIT_STATE_DIR": str(self.project.parent / "state"),
        }
        command = [sys.executable, *args]
        return subprocess.run(
            command, cwd=cwd or self.project, env=env, input=typed, capture_output=True, text=True
        )

    def astedit(self, *args: str) -> str:
        """What a command prints; it must succeed."""
        done = self.python("-m", "astedit", *args)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout


@pytest.fixture
def copy(tmp_path: Path) -> Copy:
    root, project = tmp_path / "copy", tmp_path / "project"
    ignored = shutil.ignore_patterns(".corpora", ".pytest_cache")
    for name in COPIED:
        shutil.copytree(REPOSITORY / name, root / name, ignore=ignored)
    for name in FILES:
        shutil.copy2(REPOSITORY / name, root / name)
    project.mkdir()
    (project / "a.py").write_text("f(1)\n")
    made = Copy(root, project)
    probe = made.python("-c", "import astedit, resolve; print(astedit.__file__)")
    assert probe.stdout.startswith(str(root)), probe.stderr
    return made


STARLARK_ROW = """\
    _row("starlark", "Starlark", "", "star", stand_in="µ", wheel="python", legacy="python"),
"""
DOCUMENTED = "| starlark |  | .star | tree-sitter-python | `µ` |\n"
STARLARK = '    "starlark": Traits(Facts.of("string", "#"), "an argument | f(…)"),\n'
STARLARK_CASE = """\
A rule of a build file is renamed.
pattern:  old($$$A)
rewrite:  new($$$A)
-- a.star --
old(name = "x")
-- a.star (after) --
new(name = "x")
"""


def add_language(copy: Copy) -> None:
    copy.row("astedit/language/table.py", '    _row("swift"', STARLARK_ROW)
    copy.row("astedit/language/traits/plain.py", '    "toml": Traits(', STARLARK)
    copy.put("fixtures/rewrite/starlark/renamed.txt", STARLARK_CASE)
    copy.row("docs/languages.md", "| swift |", DOCUMENTED)


def test_a_language_is_two_rows_and_one_folder_of_cases(copy: Copy) -> None:
    add_language(copy)
    (copy.project / "b.star").write_text("f(a = 1 + 2)\n")
    assert copy.astedit("search", "-p", "f($$$A)", "-l", "starlark") == "b.star:1:f(a = 1 + 2)\n"
    assert "starlark" in copy.astedit("languages")


def add_rule_key(copy: Copy) -> None:
    build = 'lambda raw, scope, place: atomic_keys.regex(f"^{raw}$", scope, place)'
    row = f'    RuleKey("text", {build}, TEXT),\n'
    copy.row("astedit/rule/compile.py", '    RuleKey("all"', row)


def test_a_rule_key_is_one_row(copy: Copy) -> None:
    add_rule_key(copy)
    rule = "id: r\nlanguage: python\nseverity: info\nrule: {kind: integer, text: '1'}\n"
    (copy.project / "rule.yml").write_text(rule)
    (copy.project / "b.py").write_text("f(11)\n")
    found = json.loads(copy.astedit("scan", "-r", "rule.yml", "--json=compact"))
    assert [(one["file"], one["text"]) for one in found] == [("a.py", "1")]
    schema = json.loads(copy.astedit("schema", "rule"))["$defs"]
    assert schema["rule"]["properties"]["text"] == {"type": "string"}
    assert "text" in schema["relation"]["properties"]


def add_format(copy: Copy) -> None:
    copy.add("astedit/cli/output/tab_separated.py")
    copy.row("astedit/cli/output/formats.py", '"github", ', '"tab-separated", ')


@pytest.mark.slow
def test_an_output_format_is_one_file_and_one_row(copy: Copy) -> None:
    add_format(copy)
    rule = "{id: r, language: python, rule: {pattern: f($A)}}"
    shown = copy.astedit("scan", "--inline-rules", rule, "--format", "tab-separated")
    assert shown == "a.py\tr\tf(1)\n"
    assert "tab-separated" in copy.astedit("scan", "--help")


SHOUT_ROW = (
    "| `astedit shout FILE [--letters N]` | `astedit.shout(file, letters=)`"
    " | Shout at a file. Its first letter becomes a capital, or all that are asked for. |\n"
)


def add_operation(copy: Copy) -> None:
    copy.add("astedit/operations/shout.py")
    copy.add("tests/unit/operations/test_operations_shout.py")
    copy.row("docs/reference.md", "| `astedit signature IDENT [", SHOUT_ROW)


@pytest.mark.slow
def test_an_operation_is_its_module_its_test_and_a_line_of_the_reference(copy: Copy) -> None:
    add_operation(copy)
    assert "Shout at a file." in copy.astedit("--help-all")
    assert "FILE is what shall shout." in copy.astedit("shout", "--help")
    assert "+F(1)" in copy.astedit("shout", "a.py")
    assert (copy.project / "a.py").read_text() == "f(1)\n"
    copy.astedit("resolve", "apply", "--reason", "tested")
    assert (copy.project / "a.py").read_text() == "F(1)\n"
    tools = {tool["name"]: tool for tool in json.loads(copy.astedit("tools"))}
    properties = tools["refactor"]["input_schema"]["properties"]
    assert "shout" in properties["kind"]["enum"]
    assert properties["letters"]["type"] == "string"
    tests = ("tests/unit/operations/test_operations_shout.py", "tests/contracts/test_reference.py")
    done = copy.python("-m", "pytest", "-q", "-p", "no:cacheprovider", *tests, cwd=copy.root)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.slow
def test_a_codemod_is_a_file_of_the_users_and_its_name(copy: Copy) -> None:
    copy.add("own_codemods.py")
    named = ("--codemod", "longer=own_codemods:Longer")
    assert "+longer(1)" in copy.astedit("codemod", "longer", *named)
    assert (copy.project / "a.py").read_text() == "f(1)\n"
    copy.astedit("resolve", "apply", "--reason", "tested", *named)
    assert (copy.project / "a.py").read_text() == "longer(1)\n"


SERVED = """\
import sys
from astedit.lines.serve import main

main(sys.argv[1])
"""


def add_surface(copy: Copy) -> None:
    copy.put("astedit/lines/__init__.py", '"""Edits from lines of standard input."""\n')
    copy.add("astedit/lines/serve.py")
    copy.row("tests/contracts/test_house.py", "mcp adapters terminal web", "lines ")
    copy.row("tests/contracts/test_house.py", '    "mcp",\n', '    "lines",\n')


@pytest.mark.slow
def test_a_surface_is_one_package(copy: Copy) -> None:
    add_surface(copy)
    done = copy.python("-c", SERVED, str(copy.project), typed="f($A) => g($A)\n")
    assert done.returncode == 0, done.stderr
    action, label = done.stdout.split(" ", 1)
    assert label == "ast_edit: 1 replacement in 1 file\n"
    assert (copy.project / "a.py").read_text() == "f(1)\n"
    copy.astedit("resolve", "apply", action, "--reason", "tested")
    assert (copy.project / "a.py").read_text() == "g(1)\n"


@pytest.mark.slow
def test_with_one_more_of_each_the_tests_hold(copy: Copy) -> None:
    """No table in a test needs a change: those that read the tables run in the copy."""
    for add in (add_language, add_rule_key, add_format, add_operation, add_surface):
        add(copy)
    chosen = ("starlark", "documentation", "files", "every_language", "every_format", "valid")
    done = copy.python(
        *("-m", "pytest", "-q", "-p", "no:cacheprovider", "tests/test_fixtures.py"),
        *("tests/unit/language", "tests/unit/rule/test_rule_schema.py"),
        *("tests/unit/cli/test_cli_formats.py", "tests/contracts/test_house.py"),
        *("-k", " or ".join((*chosen, "findings_is", "test_house"))),
        cwd=copy.root,
    )
    assert done.returncode == 0, done.stdout + done.stderr
