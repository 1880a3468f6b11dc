"""The definitions around a line, read off the layout: held against what parsers say."""

import ast
import random
from pathlib import Path

import pytest

import astedit
from astedit.review.excerpt import enclosing_definitions
from tests.support.cases import tree

TEXTS = tree("enclosing-definition")
PYTHON = TEXTS["a.py"]
JAVASCRIPT = TEXTS["a.js"]
GO = "func (c *Cart) Total(a int) int {\n\treturn a\n}\n\nvar x = f(1)\n"
JAVA = TEXTS["a.java"]
RUST = "impl<T> Cart<T> {\n    pub(crate) fn total(&self) -> i32 {\n        1\n    }\n}\n"


@pytest.mark.parametrize(
    ("source", "line", "names"),
    [
        (PYTHON, 4, ["A"]),
        (PYTHON, 10, ["A", "f"]),
        (PYTHON, 12, ["A", "f"]),
        (PYTHON, 15, []),
        (JAVASCRIPT, 4, ["Cart", "total"]),
        (JAVASCRIPT, 9, ["later"]),
        (GO, 2, ["Total"]),
        (GO, 5, []),
        (JAVA, 6, ["Cart"]),
        (RUST, 3, ["Cart", "total"]),
        ("", 1, []),
        ("x\n", 9, []),
    ],
)
def test_names_by_layout(source: str, line: int, names: list[str]) -> None:
    assert [each.name for each in enclosing_definitions(source.encode(), line)] == names


def test_no_name_is_wrong_in_our_own_sources() -> None:
    """A name may be missing, where a text has lines further left; a wrong one never."""
    chance, missing, asked = random.Random(1), 0, 0
    for path in chance.sample(sorted(Path(astedit.__file__).parent.rglob("*.py")), 40):
        source = path.read_bytes()
        nodes = [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.stmt)]
        kinds = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
        defined = [node for node in nodes if isinstance(node, kinds)]
        others = [node for node in nodes if node not in defined]
        for node in chance.sample(others, min(5, len(others))):
            around = [d for d in defined if d.lineno < node.lineno <= (d.end_lineno or 0)]
            expected = [(d.name, d.lineno) for d in sorted(around, key=lambda d: d.lineno)]
            found = [tuple(each) for each in enclosing_definitions(source, node.lineno)]
            assert set(found) <= set(expected), (path, node.lineno)
            missing, asked = missing + (found != expected), asked + 1
    assert missing <= asked / 50
