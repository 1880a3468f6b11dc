"""The table of faults is complete: every row names tests that exist, or says why not."""

import ast
import re
from functools import cache
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[2]
ROWS = 159
_ROW = re.compile(r"^\| (\d+) \| (.+) \| (.+) \|$", re.MULTILINE)
_TEST = re.compile(r"`([\w/]+\.py)::(\w+)`")
_WITHOUT = re.compile(r"(Waits for|Cannot) [^`]{20,}\.")
TABLE = {int(n): (what, tests) for n, what, tests in _ROW.findall(
    (REPOSITORY / "docs/development/acceptance.md").read_text()
)}  # fmt: skip


@cache
def names(path: str) -> frozenset[str]:
    """The tests of a file: functions and classes, as pytest would find them."""
    file = REPOSITORY / "tests" / path
    found = ast.walk(ast.parse(file.read_text())) if file.exists() else ()
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
    return frozenset(node.name for node in found if isinstance(node, kinds))


def test_every_row_is_there_once() -> None:
    text = (REPOSITORY / "docs/development/acceptance.md").read_text()
    assert [int(row[0]) for row in _ROW.findall(text)] == list(range(1, ROWS + 1))


@pytest.mark.parametrize("number", sorted(TABLE))
def test_a_row_names_tests_that_exist_or_says_why_not(number: int) -> None:
    what, tests = TABLE[number]
    assert len(what.split()) > 3
    if _WITHOUT.fullmatch(tests):
        return
    named = _TEST.findall(tests)
    assert named and ", ".join(f"`{path}::{name}`" for path, name in named) == tests
    assert [f"{path}::{name}" for path, name in named if name not in names(path)] == []
    assert [name for _, name in named if not name.lower().startswith("test")] == []


def test_no_row_waits_for_a_part_that_is_there() -> None:
    assert [number for number, (_, tests) in TABLE.items() if tests.startswith("Waits for")] == []
