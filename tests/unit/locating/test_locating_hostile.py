"""Files made to keep a reader busy for hours, or to make it lose its way."""

from pathlib import Path

import click
import pytest
from tree_sitter import Node

from astedit.language import grammar_of
from astedit.locating.frameworks.syntax import Ancestors
from astedit.workspace.root import Workspace
from tests.support.located import find
from tests.support.patience import ends

EXPRESS = "const express = require('express'); const app = express(); app.get('/ok', f);\n"
FLASK = """\
import requests
from flask import Flask
app = Flask(__name__)
@app.get('/ok')
def f(): pass
"""
NESTED = [(f"A{i}", ("{A" + str(i + 1) + "}") * 500) for i in range(9)]
CASES = {
    "a chain of calls": ("a.js", EXPRESS + "app" + ".use('/a')" * 9_000, "/ok"),
    "clients in a sum": ("a.js", EXPRESS + "fetch('/x')" + " + fetch('/x')" * 9_000, "/ok"),
    "clients in a Python sum": ("a.py", FLASK + "x = 1" + " + requests.get('/x')" * 9_000, "/ok"),
    "constants of constants": (
        "a.py",
        FLASK + "".join(f'{name} = f"{text}"\n' for name, text in NESTED) + "requests.get(A0)\n",
        "/ok",
    ),
    "templates of templates": (
        "a.js",
        EXPRESS
        + "".join(f"const {name} = `{text.replace('{', '${')}`;\n" for name, text in NESTED)
        + "fetch(A0);\n",
        "/ok",
    ),
    "else after else": (
        "a.js",
        "if (1) {}" + "".join(f" else if (a) {{ var a{i} = 1 }}" for i in range(5_500)),
        "a77",
    ),
    "many in one statement": (
        "a.js", "var " + ", ".join(f"a{i} = 1" for i in range(20_000)), "a77",
    ),
    "one value for many": (
        "a.py", "x = " + "".join(f"a{i} = " for i in range(9_000)) + "1\n", "a77",
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_an_answer_comes_soon(tmp_path: Path, case: str) -> None:
    name, text, asked = CASES[case]
    (tmp_path / "tree").mkdir()
    (tmp_path / "tree" / name).write_text(text)
    with ends():
        found = find(Workspace(tmp_path / "tree"), asked, state=str(tmp_path))  # all are read off
    assert found.status == "one"


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.py", "x" + "()" * 70_000 + "\ndef ok(): pass\n"),
        ("a.js", "x" + "()" * 70_000 + "\nfunction ok() {}\n"),
        ("a.go", "package a\nvar x = 1" + " + 1" * 60_000 + "\nfunc ok() {}\n"),
    ],
)
def test_a_tree_too_deep_for_queries_is_named(tmp_path: Path, name: str, text: str) -> None:
    (tmp_path / name).write_text(text)
    found = find(Workspace(tmp_path), "ok")
    assert found.status == "none"
    assert f"{name} (too_deep)" in (found.message or "")


def test_a_file_in_utf_16_is_named_if_it_may_hold_the_name(tmp_path: Path) -> None:
    (tmp_path / "a.js").write_bytes("function wide() {}\n".encode("utf-16"))
    workspace = Workspace(tmp_path)
    assert "a.js (not_utf8)" in (find(workspace, "wide").message or "")
    assert "a.js" not in (find(workspace, "other").message or "")


def test_what_is_around_is_what_parents_say() -> None:
    grammar = grammar_of("python")
    kinds = ("function_definition", "class_definition", "call")
    for path in sorted(Path(click.__file__).parent.glob("*.py"))[:8]:
        root = grammar.parser().parse(path.read_bytes()).root_node
        around = Ancestors(grammar.nodes(root, kinds))
        for call in grammar.nodes(root, ("call", "assignment", "identifier")):
            assert [one.id for one in around.of(call)] == [one.id for one in above(call, kinds)]


def above(node: Node | None, kinds: tuple[str, ...]) -> list[Node]:
    """The node and those around it that are of these kinds, asked one by one."""
    found = []
    while node is not None:
        if node.type in kinds:
            found.append(node)
        node = node.parent
    return found
