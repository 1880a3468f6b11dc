"""What every form of import becomes when code moves is bound as before, and comes back."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.cases import FIXTURES, bare_case, tree
from tests.support.refactoring import moved, planned, tree_of

CASE, _ = bare_case(FIXTURES / "refactor/move/every-form-of-import-follows-what-moves.txt")
TREE = {path: text.decode() for path, text in CASE.before.items()}
_UNSORTED = {"u37.py"}  # `import os, pkg.a` is two statements when it comes back
_NAMES = tree("move-forms")["names.py"]


@pytest.fixture(scope="module")
def there(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    return moved(tree_of(tmp_path_factory.mktemp("there"), TREE), ["pkg/a.py::f"], "pkg.b")


def test_there_and_back_restores_every_byte(there: dict[str, str], tmp_path: Path) -> None:
    back = moved(tree_of(tmp_path, there), ["pkg/b.py::f"], "pkg/a.py")
    assert {path for path in TREE if back[path] != TREE[path]} == _UNSORTED


@pytest.mark.slow
def test_every_module_binds_what_it_bound(there: dict[str, str], tmp_path: Path) -> None:
    """Python itself is asked: it imports every module before and after."""
    before = _bound(tree_of(tmp_path / "before", TREE))
    after = _bound(tree_of(tmp_path / "after", there))
    assert before.pop("pkg/a.py").keys() - {"f", "os"} == after.pop("pkg/a.py").keys()
    assert before.pop("pkg/b.py").keys() | {"f", "os"} == after.pop("pkg/b.py").keys()
    for path, names in before.items():
        kept = {name: value for name, value in names.items() if value not in ("pkg", "pkg.a")}
        assert kept.items() <= after[path].items(), path


def _bound(root: Path) -> dict[str, dict[str, str]]:
    paths = [path for path in TREE if "__init__" not in path]
    command = [sys.executable, "-c", _NAMES, str(root), *paths]
    result = subprocess.run(command, capture_output=True, text=True, check=True)
    names: dict[str, dict[str, str]] = json.loads(result.stdout)
    return names


def test_a_decorator_is_named_where_nobody_imports_the_new_module(tmp_path: Path) -> None:
    code = "import r\n\n\n@r.route('/x')\ndef f(): ...\n\n\ndef g(): ...\n"
    code += "class A:\n    def __init_subclass__(cls): ...\nclass B(A): ...\n"
    code += "class M(type): ...\nclass C(metaclass=M): ...\n"
    for name, hints in {
        "f": ["nothing imports b.py: a.py:4: its decorator r.route does nothing from there"],
        "g": [],
        "B": ["nothing imports b.py: A, which may keep its classes, does not get B"],
        "C": ["nothing imports b.py: C, which may keep its classes, does not get C"],
    }.items():
        plan = planned(tree_of(tmp_path, {"a.py": code}), "move", [f"a.py::{name}"], "b.py")
        assert plan.hints == hints
