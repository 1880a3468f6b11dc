"""`astedit scan --stdin`: findings of a buffer, and the buffer as the fixes make it."""

import io
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.support.lists import rows
from tests.support.project import Outcome, Project

ROWS = rows(Path(__file__).with_suffix(".txt"))

AST_GREP = Path(sys.executable).with_name("ast-grep")
RULE = "{id: r, language: ts, rule: {pattern: foo($A)}, fix: bar($A), severity: error}"
TWO = "id: a\nlanguage: ts\nrule: {kind: number}\n---\nid: b\nlanguage: py\nrule: {kind: integer}"
BUFFER = b"foo(1);\n  foo('\xc3\xa9');\n"


class Pipe:
    """`astedit` with a buffer on standard input."""

    def __init__(self, project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
        self.project = project
        self._patch = monkeypatch

    def __call__(self, buffer: bytes, *args: str) -> Outcome:
        self._patch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(buffer)))
        return self.project("scan", "--stdin", *args)


@pytest.fixture
def pipe(project: Project, monkeypatch: pytest.MonkeyPatch) -> Pipe:
    return Pipe(project, monkeypatch)


@pytest.mark.skipif(not AST_GREP.exists(), reason="ast-grep-cli is not installed")
def test_json_is_that_of_ast_grep(pipe: Pipe) -> None:
    command = [str(AST_GREP), "scan", "--stdin", "--inline-rules", RULE, "--json=compact"]
    theirs: Any = json.loads(subprocess.run(command, input=BUFFER, capture_output=True).stdout)
    done = pipe(BUFFER, "--inline-rules", RULE, "--json=compact")
    assert done.code == 1
    assert done.json == theirs
    assert {one["file"] for one in theirs} == {"STDIN"}


def test_with_fix_the_buffer_comes_back_rewritten(pipe: Pipe) -> None:
    done = pipe(BUFFER, "--inline-rules", RULE, "--fix")
    assert (done.code, done.out) == (0, BUFFER.replace(b"foo", b"bar"))
    assert "2 replacements" in done.err
    assert pipe(BUFFER, "--inline-rules", RULE, "--fix", "--check").code == 1
    assert pipe(b"x\n", "--inline-rules", RULE, "--fix", "--check").out == b"x\n"


def test_the_rules_of_the_project_run_over_a_buffer_where_it_belongs(pipe: Pipe) -> None:
    pipe.project.put("sgconfig.yml", "ruleDirs: [rules]")
    pipe.project.put("rules/r.yml", RULE.replace("}, fix", "}, files: [src/*.ts], fix"))
    assert pipe(BUFFER).code == 1
    assert pipe(BUFFER, "--stdin-filename", "src/a.ts").text.startswith("src/a.ts:1:1: error[r]")
    assert pipe(BUFFER, "--stdin-filename", "lib/a.ts").out == b""


@pytest.mark.parametrize(("args", "found"), ROWS["the language is given or that of the rules"])
def test_the_language_is_given_or_that_of_the_rules(
    pipe: Pipe, args: tuple[str, ...], found: str | None
) -> None:
    done = pipe(b"x = 1\n", "--inline-rules", TWO, *args)
    if found is None:
        assert (done.code, "--stdin-filename NAME" in done.err) == (2, True)
    else:
        assert f"hint[{found}]" in done.text


@pytest.mark.parametrize(("args", "message"), ROWS["flags about files are refused"])
def test_flags_about_files_are_refused(pipe: Pipe, args: tuple[str, ...], message: str) -> None:
    done = pipe(BUFFER, "--inline-rules", RULE, *args)
    assert (done.code, message in done.err) == (2, True)


def test_a_buffer_that_is_no_text_is_refused(pipe: Pipe) -> None:
    done = pipe(b"foo(\xff)", "--inline-rules", RULE)
    assert (done.code, "not UTF-8" in done.err) == (2, True)


def test_a_name_belongs_to_a_buffer(project: Project) -> None:
    assert project("scan", "--stdin-filename", "x.ts", "--inline-rules", RULE).code == 2
