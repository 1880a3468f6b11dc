"""Imports that go into functions, where modules would import each other."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from astedit.errors import AstEditError
from tests.support.cases import tree
from tests.support.lists import rows
from tests.support.refactoring import moved, planned, tree_of

TEXTS = tree("local-imports")
OLD = TEXTS["old.py"]
NEW = "def other():\n    return 1\n"
USE = "import sys\nfor name in sys.argv[1:]:\n    __import__(name)\nimport a\n"
USE += "print(a.C().g()(), a.h())\n"


def test_the_old_module_imports_in_its_functions(tmp_path: Path) -> None:
    tree_of(tmp_path, {"a.py": OLD, "b.py": NEW, "use.py": USE})
    with pytest.raises(AstEditError) as caught:
        planned(tmp_path, "move", ["a.py::f"], "b.py")
    assert caught.value.code == "import_cycle"
    assert "what the code needs (RATE) as well, or use --local" in str(caught.value.hint)
    after = moved(tmp_path, ["a.py::f"], "b.py", local_imports=True)
    assert '"""Doc."""\n        from b import f\n        return lambda' in after["a.py"]
    assert "def h(): from b import f; return f(2)\n" in after["a.py"]
    assert planned(tmp_path, "move", ["a.py::f"], "b.py", local_imports=True).hints == [
        "a.py imports f in the functions that use it: b.py needs a.py while it is imported"
    ]
    tree_of(tmp_path, after)
    for first in ("a", "b"):
        done = [sys.executable, "use.py", first]
        result = subprocess.run(done, cwd=tmp_path, capture_output=True, text=True, check=True)
        assert result.stdout == "3 5\n"


def test_what_is_needed_at_once_is_imported_by_the_moved_code(tmp_path: Path) -> None:
    old = OLD.replace("def h(): return f(2)", "def h():\n    return X\n\n\nX = f(2)")
    after = moved(
        tree_of(tmp_path, {"a.py": old, "b.py": NEW, "use.py": USE}),
        ["a.py::f"],
        "b.py",
        local_imports=True,
    )
    assert "def f(x):\n    from a import RATE\n    return" in after["b.py"]
    tree_of(tmp_path, after)
    subprocess.run([sys.executable, "use.py", "b"], cwd=tmp_path, check=True)


def test_what_both_need_at_once_stays_refused(tmp_path: Path) -> None:
    old = OLD.replace("def h(): return f(2)", "X = f(2)").replace("f(x)", "f(x=RATE)")
    tree_of(tmp_path, {"a.py": old, "b.py": NEW})
    with pytest.raises(AstEditError) as caught:
        planned(tmp_path, "move", ["a.py::f"], "b.py", local_imports=True)
    assert caught.value.code == "import_cycle"


def test_without_a_circle_nothing_is_local(tmp_path: Path) -> None:
    tree_of(tmp_path, {"a.py": "def f():\n    return 1\n\n\nx = f()\n", "b.py": NEW})
    after = moved(tmp_path, ["a.py::f"], "b.py", local_imports=True)
    assert after["a.py"].startswith("from b import f\n")


TYPED = TEXTS["typed.py"]
# what names F outside of bodies
KEEPING, LEAVING = (dict(cases) for cases in rows(Path(__file__).with_suffix(".txt")).values())
EVERY = KEEPING | LEAVING


def _typed(root: Path, case: str) -> dict[str, str]:
    tree_of(root, {"a.py": TYPED + EVERY[case] + "\n", "b.py": NEW})
    return moved(root, ["a.py::F"], "b.py", local_imports=True)


@pytest.mark.parametrize("case", EVERY)
def test_what_is_named_outside_of_bodies_is_imported_outside(case: str, tmp_path: Path) -> None:
    after = _typed(tmp_path, case)
    assert ("\nfrom b import F\n" in after["a.py"]) == (case in KEEPING)
    assert ("    from b import F\n" in after["a.py"]) == (case in LEAVING)


@pytest.mark.slow
def test_a_type_checker_knows_every_name(tmp_path: Path) -> None:
    for number, case in enumerate(EVERY):
        tree_of(tmp_path / f"tree{number}", _typed(tmp_path / f"tree{number}", case))
    program = Path(sys.executable).with_name("basedpyright")
    shown = subprocess.run([program, "--outputjson", "."], cwd=tmp_path, capture_output=True)
    rules = [item.get("rule") for item in json.loads(shown.stdout)["generalDiagnostics"]]
    assert rules and "reportUndefinedVariable" not in rules


def test_what_others_take_from_a_module_is_imported_outside(tmp_path: Path) -> None:
    user = "from a import f\n\n\ndef g():\n    return f()\n"
    tree = {"a.py": "import user\n\n\ndef f():\n    return user.g\n", "b.py": ""}
    tree_of(tmp_path, tree | {"user.py": user})
    after = moved(tmp_path, ["a.py::f"], "b.py", local_imports=True)
    assert after["user.py"] == "def g():\n    from b import f\n    return f()\n"
    taken = {"other.py": "from user import f\n"}, {"user.py": f'{user}\n\n__all__ = ["f"]\n'}
    for number, more in enumerate(taken):
        root = tree_of(tmp_path / f"tree{number}", tree | {"user.py": user} | more)
        with pytest.raises(AstEditError) as caught:
            planned(root, "move", ["a.py::f"], "b.py", local_imports=True)
        assert caught.value.code == "import_cycle"
