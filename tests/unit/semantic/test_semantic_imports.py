"""Imports that an edit needs, and needs no more. (rule F11)"""

import ast
from pathlib import Path

import pytest

from astedit.engine.request import rule_request
from astedit.engine.run.plan import plan_buffer
from astedit.errors import RequestError
from astedit.language import named
from astedit.rule import read_rules
from astedit.rule.failure import RuleError
from astedit.rule.scope import EditedFile, ImportChanges
from astedit.semantic import NAMES
from astedit.semantic.imports import edits
from astedit.text.source import Change, splice
from tests.support.lists import rows

ROWS = rows(Path(__file__).with_suffix(".txt"))


def import_edits(source: bytes, wanted: list[str], unused: list[str]) -> list[Change]:
    file = EditedFile("a.py", "python", source, source)
    return edits.import_edits(file, ImportChanges(tuple(wanted), tuple(unused)), lenient=True)


@pytest.mark.parametrize("source, wanted, unused", ROWS["nothing"])
def test_nothing_to_do(source: str, wanted: list[str], unused: list[str]) -> None:
    assert import_edits(source.encode(), wanted, unused) == []


CASES = [
    (why, source, [*filter(None, wanted.split("; "))], [*filter(None, unused.split("; "))], after)
    for why, source, wanted, unused, after in ROWS["edits"]
]
CRLF = "import os\r\nx = 1\r\n", ["import re"], [], "import os\r\nimport re\r\nx = 1\r\n"
CASES.append(("line ends are the file's", *CRLF))


@pytest.mark.parametrize(
    "why, source, wanted, unused, after", CASES, ids=[case[0] for case in CASES]
)
def test_imports(why: str, source: str, wanted: list[str], unused: list[str], after: str) -> None:
    text = source.encode()
    made = import_edits(text, wanted, unused)
    assert [place[:2] for place in made] == sorted({place[:2] for place in made})
    result = splice(text, made)
    assert result.decode() == after
    ast.parse(result)
    assert import_edits(result, wanted, unused) == []


@pytest.mark.parametrize(("source",), ROWS["a name that means something else"])
def test_a_name_that_means_something_else(source: str) -> None:
    """Whichever came later would hide the other."""
    with pytest.raises(RequestError, match="path means something else in the file"):
        import_edits(source.encode(), ["from urls import path"], [])


@pytest.mark.parametrize(("source",), ROWS["what is tried is there"])
def test_what_is_tried_is_there(source: str) -> None:
    assert import_edits(source.encode(), ["from urls import path"], []) == []


def test_packages_share_a_name() -> None:
    source = b"import a.b\n"
    assert splice(source, import_edits(source, ["import a.c"], [])) == source + b"import a.c\n"


@pytest.mark.parametrize(("text", "stays"), ROWS["strings that may name what is imported"])
def test_strings_that_may_name_what_is_imported(text: str, stays: bool) -> None:
    assert (import_edits(f"from m import url\nx = {text}\n".encode(), [], ["url"]) == []) is stays


@pytest.mark.parametrize(
    "text", ["os", "import a, b", "from a import b.c", "import .a", "import a\nx"]
)
def test_malformed(text: str) -> None:
    with pytest.raises(RequestError):
        import_edits(b"", [text], [])


RULE = """
id: t
language: %s
rule: {pattern: print($A)}
fix: logging.info($A)
imports: %s
"""


def fixed(source: str, imports: str, language: str = "python") -> str:
    row = named(language)
    assert row is not None
    request = rule_request(read_rules((RULE % (language, imports)).encode(), "r.yml"))
    plan = plan_buffer(request, "a.py", row, source.encode(), NAMES)
    made = [(edit.start, edit.end, edit.new) for file in plan.files for edit in file.edits]
    assert plan.total_replacements == source.count("print(")
    return splice(source.encode(), made).decode()


def test_a_fix_brings_its_imports_and_takes_those_it_spares() -> None:
    imports = "{add: import logging, remove: [import sys, from x import y]}"
    assert fixed("import sys\nfrom x import y, z\n\nprint(1)\nprint(z)\n", imports) == (
        "import logging\nfrom x import z\n\nlogging.info(1)\nlogging.info(z)\n"
    )
    assert fixed("x = 1\n", imports) == "x = 1\n"


@pytest.mark.parametrize("imports, language", ROWS["malformed imports are refused"])
def test_malformed_imports_are_refused(imports: str, language: str) -> None:
    with pytest.raises(RuleError):
        fixed("print(1)\n", imports, language)
