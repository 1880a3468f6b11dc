"""Where a test stands: its folder mirrors a package, and what tests share is in one place."""

import ast
import re
from pathlib import Path

import pytest

from tests.support import REPOSITORY

TESTS = REPOSITORY / "tests"
UNIT = TESTS / "unit"
SUPPORT = TESTS / "support"
BUNDLED = TESTS / "differential" / "bundled"  # source to search in, never run
CORPORA = TESTS / ".corpora"  # packages that slow tests have downloaded
MODULES = [
    path for path in sorted(TESTS.rglob("*.py")) if {BUNDLED, CORPORA}.isdisjoint(path.parents)
]
# What begins no import of another test; only a file with another line needs to be parsed.
LINE = re.compile(
    r"^\s*(?:from|import) (?:tests(?!\.support\b)|test_|conftest|\.)|^\s*import .*,", re.MULTILINE
)
NAMES = {path.stem for path in MODULES if SUPPORT not in path.parents}


def mirrored(folder: Path) -> Path:
    """The package that a folder of unit tests is about."""
    own = folder.parts[:1] in (("resolve",), ("benchmarks",))
    return REPOSITORY / folder if own else REPOSITORY / "astedit" / folder


def imported(text: str) -> set[str]:
    """The modules that a test imports, with those that a name of them may be."""
    names = set()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            origin = "." * node.level + (node.module or "")
            names |= {origin, *(f"{origin}.{alias.name}" for alias in node.names)}
    return names


def is_of_tests(name: str) -> bool:
    """Whether an imported module belongs to one folder of tests, and is no shared one."""
    first, _, rest = name.partition(".")
    if first == "tests":
        return rest.partition(".")[0] not in ("", "support")
    return not first or first in NAMES


def test_unit_tests_mirror_the_packages() -> None:
    folders = {path.parent for path in UNIT.rglob("test_*.py")}
    assert len(folders) > 20
    assert UNIT not in folders
    assert {f for f in folders if not mirrored(f.relative_to(UNIT)).is_dir()} == set()


def test_what_is_no_test_is_in_the_shared_folder() -> None:
    others = {path for path in MODULES if SUPPORT not in path.parents}
    assert others - {path for path in others if path.name.startswith("test_")} - {
        path for path in others if path.name == "conftest.py"
    } == {TESTS / "__init__.py"}


def test_no_two_files_of_tests_have_one_name() -> None:
    """pytest imports them by their name alone, and collects nothing where two are the same."""
    names = [path.name for path in MODULES if path.name.startswith("test_")]
    assert sorted(names) == sorted(set(names))


def test_shared_modules_hold_no_tests() -> None:
    assert set(SUPPORT.rglob("test_*.py")) == set()


def test_no_test_imports_a_test() -> None:
    assert {
        str(path.relative_to(TESTS)): names
        for path in MODULES
        if LINE.search(text := path.read_text())
        and (names := set(filter(is_of_tests, imported(text))))
    } == {}


@pytest.mark.parametrize(
    "text",
    [
        "from tests.surfaces.test_mcp import agent", "from tests.surfaces import test_mcp",
        "from test_mcp import agent", "import test_mcp", "from conftest import project",
        "from tests import conftest", "from .test_mcp import agent", "from . import test_mcp",
        "def late():\n    import test_mcp",
    ],
)  # fmt: skip
def test_every_way_to_import_a_test_is_seen(text: str) -> None:
    assert any(map(is_of_tests, imported(text)))


@pytest.mark.parametrize(
    "text", ["from tests.support import REPOSITORY", "from tests.support.cases import all_cases"]
)
def test_what_is_shared_may_be_imported(text: str) -> None:
    assert not any(map(is_of_tests, imported(text)))
