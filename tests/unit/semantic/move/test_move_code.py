"""What the old and the new module become."""

from pathlib import Path

import pytest

from astedit.errors import PreconditionError
from astedit.staging.part import Wish
from tests.support.refactoring import moved, planned, tree_of


def test_overloads_stay_together_with_the_line_ends_there(tmp_path: Path) -> None:
    overload = "@overload\ndef f(x: int): ...\n@overload\ndef f(x: str): ...\n# all\n"
    code = f"{overload}def f(x): ...\n"
    files = {"a.py": f"from typing import overload\n\n\n{code}", "b.py": "x = 1\r\n"}
    after = f"from typing import overload\n\nx = 1\n\n\n{code}"
    assert moved(tree_of(tmp_path, files), ["a.py::f"], "b.py") == {
        "b.py": after.replace("\n", "\r\n")
    }


def test_what_may_be_a_use_is_counted_first(tmp_path: Path) -> None:
    files = {
        "a.py": "def f(): ...\n",
        "b.py": "",
        "u.py": "import a\na.f = 1\n",
        "v.py": "patch('a.f')\n",
    }
    assert planned(tree_of(tmp_path, files), "move", ["a.py::f"], "b.py").hints == [
        "2 possible uses of 'f' not changed; look at each before you apply "
        "(--also FILE:LINE and --also-all change them, too):",
        "not changed: v.py:1: f may be this one (a string)",
        "not changed: u.py:2: f may be this one (something else is put in its place)",
    ]


def test_what_changes_it_on_import_is_named(tmp_path: Path) -> None:
    files = {
        "a.py": "def f(): return __name__\n\n\nf.x = 1\n\n\n@f.register(int)\ndef g(): 1\n",
        "b.py": "",
    }
    plan = planned(tree_of(tmp_path, files), "move", ["a.py::f"], "b.py")
    assert [hint.partition(" ")[0] for hint in plan.hints] == ["the", "a.py:4", "a.py:8"]


def test_a_move_is_nothing_by_halves(tmp_path: Path) -> None:
    files = {"a.py": "def f(): ...\n", "u.py": "from a import f\n"}
    plan = planned(tree_of(tmp_path, files), "move", ["a.py::f"], "new.py")
    with pytest.raises(PreconditionError, match="as a whole"):
        Wish.of({"exclude": ["u.py"]}).chosen(plan)
    assert Wish.of({"only": ["*.py"]}).chosen(plan) == (plan, [])


def test_what_may_replace_a_name_that_moved_code_needs_is_listed(tmp_path: Path) -> None:
    files = {
        "p/__init__.py": "",
        "p/b.py": "",
        "p/a.py": "def g(): ...\n\n\ndef f(): g()\n",
        "t.py": "import p.a\nfrom p import a\n"
        "patch('p.a.g')\nput(p.a, 'g', 1)\nput(a, 'g')\nput(t, 'g')\n",
    }
    plan = planned(tree_of(tmp_path, files), "move", ["p/a.py::f"], "p/b.py")
    assert [hint for hint in plan.hints if "replace" in hint] == [
        f"t.py:{line}: may replace g, which moved code would not see" for line in (3, 4, 5)
    ]
