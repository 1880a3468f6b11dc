"""Every rule id that docstrings, comments, tests or fixtures cite is explained on one page."""

import ast
import re
from functools import cache
from pathlib import Path

REPOSITORY = Path(__file__).parent.parent.parent
PAGE = REPOSITORY / "docs" / "development" / "rule-ids.md"
ID = re.compile(r"(?<![\w$.:#])(?:[VPSACRUKTFGDXHE][1-9]\d?|[MNR]-\d)(?![\w.]*\w)")
ROW = re.compile(r"^\| ([\w, -]+) \| (.+) \|$", re.MULTILINE)
CASE = re.compile(r"\brow\d+\b")
# Control characters, not rules.
OTHERS = {"resolve/visible.py": {"C1"}}
# Texts that are no longer in the repository, or never were: nobody could look there.
ELSEWHERE = re.compile(r"\(spec:\s|\b(?:rules|locate|reliability|interfaces)\.md (?:section )?\d")


def explained() -> dict[str, str]:
    """The ids of the page with what it says of them."""
    rows = ROW.findall(PAGE.read_text())
    return {name: text for ids, text in rows for name in ids.split(", ") if name != "id"}


@cache
def prose(path: Path) -> str:
    """The docstrings of a module, and its comments (with what a text has behind a `#`)."""
    text = path.read_text()
    if not ID.search(text) and not ELSEWHERE.search(text):
        return ""  # most of them: nothing to parse
    documented = ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef
    nodes = [node for node in ast.walk(ast.parse(text)) if isinstance(node, documented)]
    docstrings = [ast.get_docstring(node, clean=False) or "" for node in nodes]
    return "\n".join(docstrings + re.findall("#.*", text))


def modules() -> list[Path]:
    return [
        path  # of `benchmarks` the modules alone: it has packages with a million files below it
        for folder in ("astedit/**", "resolve/**", "tests/**", "benchmarks")
        for path in sorted(REPOSITORY.glob(f"{folder}/*.py"))
        if ".corpora" not in path.parts  # packages that slow tests have fetched
    ]


def cited() -> dict[str, set[str]]:
    """The ids that each module and each fixture cites."""
    texts = {path: prose(path) for path in modules()}
    for path in sorted((REPOSITORY / "fixtures").rglob("*.txt")):
        texts[path] = path.read_text().partition("\n")[0]
    names = {str(path.relative_to(REPOSITORY)): ID.findall(text) for path, text in texts.items()}
    return {path: set(ids) - OTHERS.get(path, set()) for path, ids in names.items()}


def test_every_id_that_is_cited_is_explained() -> None:
    known = explained()
    assert {path: ids - known.keys() for path, ids in cited().items() if ids - known.keys()} == {}


def test_every_id_of_a_deviation_is_explained() -> None:
    text = (REPOSITORY / "docs" / "deviations.md").read_text()
    ids = {row.split()[0] for row, _ in re.findall(r"^\| (\S[^|]*) \| (.)", text, re.MULTILINE)}
    ids -= {"id"}
    assert len(ids) > 30
    assert ids - explained().keys() == set()


def test_every_case_that_stands_for_a_row_is_explained() -> None:
    texts = (REPOSITORY / "tests" / "test_fixtures.py").read_text()
    assert set(CASE.findall(texts)) - explained().keys() == set()


def test_every_id_says_something() -> None:
    known = explained()
    assert len(known) > 100
    assert {name for name, text in known.items() if len(text) < 20} == set()


def test_no_module_cites_what_is_not_in_the_repository() -> None:
    found = {
        str(path.relative_to(REPOSITORY)): ELSEWHERE.findall(prose(path))
        for path in modules()
        if not path.is_relative_to(REPOSITORY / "astedit" / "semantic")
    }
    assert {path: citations for path, citations in found.items() if citations} == {}
