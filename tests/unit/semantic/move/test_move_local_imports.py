"""Imports that go into functions, where modules would import each other."""

import subprocess
import sys
from pathlib import Path

import pytest

from astedit.errors import AstEditError
from tests.support.moving import moved, planned, tree_of

OLD = '''\
from b import other

RATE = 2


def f(x):
    return x * RATE + other()


class C:
    def g(self):
        """Doc."""
        return lambda: f(1)


def h(): return f(2)
'''
NEW = "def other():\n    return 1\n"
USE = "import sys\nfor name in sys.argv[1:]:\n    __import__(name)\nimport a\n"
USE += "print(a.C().g()(), a.h())\n"


def test_the_old_module_imports_in_its_functions(tmp_path: Path) -> None:
    tree_of(tmp_path, {"a.py": OLD, "b.py": NEW, "use.py": USE})
    with pytest.raises(AstEditError) as caught:
        planned(tmp_path, ["a.py::f"], "b.py")
    assert caught.value.code == "import_cycle"
    assert "--local-imports" in str(caught.value.hint)
    after = moved(tmp_path, ["a.py::f"], "b.py", local_imports=True)
    assert '"""Doc."""\n        from b import f\n        return lambda' in after["a.py"]
    assert "def h(): from b import f; return f(2)\n" in after["a.py"]
    hints = planned(tmp_path, ["a.py::f"], "b.py", local_imports=True).hints
    assert hints == [
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
        planned(tmp_path, ["a.py::f"], "b.py", local_imports=True)
    assert caught.value.code == "import_cycle"


def test_without_a_circle_nothing_is_local(tmp_path: Path) -> None:
    tree_of(tmp_path, {"a.py": "def f():\n    return 1\n\n\nx = f()\n", "b.py": NEW})
    after = moved(tmp_path, ["a.py::f"], "b.py", local_imports=True)
    assert after["a.py"].startswith("from b import f\n")
