"""What the old and the new module become."""

from pathlib import Path

import pytest

from astedit.errors import PreconditionError
from astedit.staging.part import Wish
from tests.support.moving import moved, planned, tree_of

# why, what moves, DEST, whether an import stays, the files, those that change
CASES: list[tuple[str, list[str], str, bool, dict[str, str], dict[str, str]]] = [
    (
        "a new file, with what the code needs", ["f"], "p/new.py", False,
        {"a.py": "import os\n\n\ndef f(): return os\n\n\nx = 1\n", "u.py": "from a import f, x\n"},
        {
            "a.py": "x = 1\n",
            "p/new.py": "import os\n\n\ndef f(): return os\n",
            "u.py": "from a import x\nfrom p.new import f\n",
        },
    ),
    (
        "a new file in a new directory, where no import shows how they begin", ["f"],
        "p/new.py", False,
        {"a.py": "def f(): ...\n\n\ndef g():\n    f()\n"},
        {
            "a.py": "from p.new import f\n\n\ndef g():\n    f()\n",
            "p/new.py": "def f(): ...\n",
        },
    ),
    (
        "an import stays, and says why", ["f"], "b.py", True,
        {"a.py": "def f(): ...\n", "b.py": "", "u.py": "from a import f\n"},
        {
            "a.py": "from b import f as f\n",
            "b.py": "def f(): ...\n",
            "u.py": "from b import f\n",
        },
    ),
    (
        "a module that nothing is left of goes", ["f"], "b.py", False,
        {"a.py": "from __future__ import annotations\n\n\ndef f(): ...\n", "b.py": "x = 1\n"},
        {"a.py": "", "b.py": "x = 1\n\n\ndef f(): ...\n"},
    ),
    (
        "an empty module stays that is imported", ["f"], "b.py", False,
        {
            "a.py": "from __future__ import annotations\n\n\ndef f(): ...\n",
            "b.py": "x = 1\n", "u.py": "import a\n",
        },
        {
            "a.py": "from __future__ import annotations\n",
            "b.py": "x = 1\n\n\ndef f(): ...\n",
        },
    ),
    (
        "globals() that only writes is in no way", ["f"], "b.py", False,
        {"a.py": "globals()['y'] = 1\n\n\ndef f(): ...\n", "b.py": ""},
        {"a.py": "globals()['y'] = 1\n", "b.py": "def f(): ...\n"},
    ),
    (
        "relative imports where the old module has them", ["f"], "p/b.py", False,
        {
            "p/__init__.py": "", "p/c.py": "y = 1\n", "p/b.py": "",
            "p/a.py": "from .c import y\n\nx = y\n\n\ndef f(): x\n",
        },
        {
            "p/a.py": "from .c import y\n\nx = y\n",
            "p/b.py": "from .a import x\n\n\ndef f(): x\n",
        },
    ),
    (
        "lists keep their lines and their order", ["f"], "b.py", False,
        {
            "a.py": "__all__ = ('c', 'f',\n           'd')\nc = d = 1\n\n\ndef f(): ...\n",
            "b.py": "__all__ = ('a',)\na = 1\n",
            "u.py": "from a import (d, f,\n               c)\nfrom b import y, z, x\n",
        },
        {
            "a.py": "__all__ = ('c',\n           'd')\nc = d = 1\n",
            "b.py": "__all__ = ('a', 'f')\na = 1\n\n\ndef f(): ...\n",
            "u.py": "from a import (d,\n               c)\nfrom b import y, z, x, f\n",
        },
    ),
    (
        "what is there for type checkers alone", ["f"], "b.py", False,
        {
            "a.py": "from __future__ import annotations\nfrom typing import TYPE_CHECKING\n\n"
            "if TYPE_CHECKING:\n    T = list[int]\n\n\ndef f() -> T: ...\n",
            "b.py": "from __future__ import annotations\n",
        },
        {
            "a.py": "from __future__ import annotations\nfrom typing import TYPE_CHECKING\n\n"
            "if TYPE_CHECKING:\n    T = list[int]\n",
            "b.py": "from __future__ import annotations\n\nfrom typing import TYPE_CHECKING\n\n"
            "if TYPE_CHECKING:\n    from a import T\n\n\ndef f() -> T: ...\n",
        },
    ),
    (
        "into a list whose last line is full", ["f"], "b.py", False,
        {
            "a.py": "__all__ = ('f', 'c')\nc = 1\n\n\ndef f(): ...\n",
            "b.py": "__all__ = ['z',\n           '" + "a" * 65 + "']\n",
        },
        {
            "a.py": "__all__ = ('c',)\nc = 1\n",
            "b.py": "__all__ = ['z',\n           '" + "a" * 65 + "',\n           'f']\n"
            "\n\ndef f(): ...\n",
        },
    ),
    (
        "in order among lines for each name, comments or not", ["f"], "b.py", False,
        {
            "a.py": "def f(): ...\n\n\ndef g(): ...\n", "b.py": "",
            "u.py": "from a import f, g\nfrom c import x  # noqa\nfrom c import Y\n",
            "c.py": "x = Y = 1\n",
        },
        {
            "a.py": "def g(): ...\n", "b.py": "def f(): ...\n",
            "u.py": "from a import g\nfrom b import f\nfrom c import x  # noqa\nfrom c import Y\n",
        },
    ),
    (
        "several, one of which the other uses", ["f", "g"], "b.py", False,
        {"a.py": "def g(): ...\n\n\ndef f(): g()\n\n\ndef k(): f()\n", "b.py": "x = 1\n"},
        {
            "a.py": "from b import f\n\n\ndef k(): f()\n",
            "b.py": "x = 1\n\n\ndef g(): ...\n\n\ndef f(): g()\n",
        },
    ),
    (
        "before what needs it on import", ["f"], "b.py", False,
        {
            "a.py": "def f(x): ...\n\n\ndef g(): ...\n",
            "b.py": "from a import f, g\n\n\n@f\ndef k(): g\n",
        },
        {
            "a.py": "def g(): ...\n",
            "b.py": "from a import g\n\n\ndef f(x): ...\n\n\n@f\ndef k(): g\n",
        },
    ),
    (
        "before the main part, where it is reached by its name", ["f"], "b.py", False,
        {
            "a.py": "def f(): ...\n",
            "b.py": "import a\n\nif __name__ == '__main__':\n    a.f()\n",
        },
        {"a.py": "", "b.py": "def f(): ...\n\n\nif __name__ == '__main__':\n    f()\n"},
    ),
    (
        "overloads stay together, with the line ends there", ["f"], "b.py", False,
        {
            "a.py": "from typing import overload\n\n\n@overload\ndef f(x: int): ...\n@overload\n"
            "def f(x: str): ...\n# all\ndef f(x): ...\n",
            "b.py": "x = 1\r\n",
        },
        {
            "a.py": "",
            "b.py": "from typing import overload\r\n\r\nx = 1\r\n\r\n\r\n@overload\r\n"
            "def f(x: int): ...\r\n@overload\r\ndef f(x: str): ...\r\n# all\r\ndef f(x): ...\r\n",
        },
    ),
    (
        "imports for type checkers go into such a block", ["C"], "b.py", False,
        {
            "a.py": "from typing import TYPE_CHECKING\n\nif TYPE_CHECKING:\n    from c import T\n"
            "\n\nclass C:\n    x: 'T'\n",
            "b.py": "import os\n",
            "c.py": "class T: ...\n",
        },
        {
            "a.py": "",
            "b.py": "import os\nfrom typing import TYPE_CHECKING\n\nif TYPE_CHECKING:\n"
            "    from c import T\n\n\nclass C:\n    x: 'T'\n",
        },
    ),
    (
        "a relative import within the code means what it meant", ["f"], "q/b.py", False,
        {
            "p/__init__.py": "", "p/c.py": "z = 1\n", "q/__init__.py": "", "q/b.py": "",
            "p/a.py": "def f():\n    from .c import z\n    return z\n",
            "a.py": "",
        },
        {"p/a.py": "", "q/b.py": "def f():\n    from p.c import z\n    return z\n"},
    ),
    (
        "a forward reference in a type alias is a use", ["C"], "b.py", False,
        {"a.py": "from typing import Dict\n\nM = Dict['C', int]\n\n\nclass C: ...\n", "b.py": ""},
        {
            "a.py": "from typing import Dict\n\nfrom b import C\n\nM = Dict['C', int]\n",
            "b.py": "class C: ...\n",
        },
    ),
    (
        "what it had through a package is its own", ["f"], "p/b.py", False,
        {
            "p/__init__.py": "from .a import f\n",
            "p/a.py": "def f(): ...\n",
            "p/b.py": "from p import f\n\n\ndef k(): f()\n",
        },
        {
            "p/__init__.py": "from .b import f\n",
            "p/a.py": "",
            "p/b.py": "def k(): f()\n\n\ndef f(): ...\n",
        },
    ),
    (
        "a line for each import where the old module has it so", ["f"], "b.py", False,
        {
            "a.py": "from c import x\nfrom c import y\n\n\ndef f(): x, y\n",
            "b.py": "",
            "c.py": "x = y = 1\n",
        },
        {"a.py": "", "b.py": "from c import x\nfrom c import y\n\n\ndef f(): x, y\n"},
    ),
    (
        "an import that its module deletes again", ["f"], "b.py", False,
        {"a.py": "import os\n\nf = os.sep\n\ndel os\n", "b.py": ""},
        {"a.py": "import os\n\ndel os\n", "b.py": "import os\n\nf = os.sep\n"},
    ),
    (
        "an import comes before code that needs it", ["D"], "b.py", False,
        {
            "a.py": "import os\n\n\nclass D: ...\n\n\nclass E(D): ...\n\n\nfrom c import x\n",
            "b.py": "", "c.py": "x = 1\n",
        },
        {
            "a.py": "import os\n\nfrom b import D\n\n\nclass E(D): ...\n\n\nfrom c import x\n",
            "b.py": "class D: ...\n",
        },
    ),
    (
        "a tuple of names stays one", ["f"], "b.py", False,
        {"a.py": "__all__ = ('f', 'g')\n\n\ndef f(): ...\n\n\ndef g(): ...\n", "b.py": ""},
        {"a.py": "__all__ = ('g',)\n\n\ndef g(): ...\n", "b.py": "def f(): ...\n"},
    ),
    (
        "an import stays that others take from there", ["f"], "b.py", False,
        {
            "a.py": "import os\nimport sys\n\n\ndef f(): os, sys\n",
            "b.py": "",
            "u.py": "from a import os\n",
        },
        {"a.py": "import os\n", "b.py": "import os\nimport sys\n\n\ndef f(): os, sys\n"},
    ),
]  # fmt: skip


@pytest.mark.parametrize(("names", "dest", "reexport", "files", "changed"), [c[1:] for c in CASES],
                         ids=[c[0] for c in CASES])  # fmt: skip
def test_code_moves(
    tmp_path: Path,
    names: list[str],
    dest: str,
    reexport: bool,
    files: dict[str, str],
    changed: dict[str, str],
) -> None:
    home = "p/a.py" if "p/a.py" in files else "a.py"
    identifiers = [f"{home}::{name}" for name in names]
    after = moved(tree_of(tmp_path, files), identifiers, dest, reexport=reexport)
    assert after == {
        path: text for path, text in (files | changed).items() if text or path not in changed
    }


def test_what_may_be_a_use_is_counted_first(tmp_path: Path) -> None:
    files = {
        "a.py": "def f(): ...\n",
        "b.py": "",
        "u.py": "import a\na.f = 1\n",
        "v.py": "patch('a.f')\n",
    }
    plan = planned(tree_of(tmp_path, files), ["a.py::f"], "b.py")
    assert plan.hints == [
        "2 possible uses of 'f' not changed; look at each before you apply:",
        "not changed: v.py:1: f may be this one (a string)",
        "not changed: u.py:2: f may be this one (something else is put in its place)",
    ]


def test_what_changes_it_on_import_is_named(tmp_path: Path) -> None:
    files = {
        "a.py": "def f(): ...\n\n\nf.x = 1\n\n\n@f.register(int)\ndef g(): ...\nprint(f)\n",
        "b.py": "",
    }
    plan = planned(tree_of(tmp_path, files), ["a.py::f"], "b.py")
    assert [hint.partition(" ")[0] for hint in plan.hints] == ["a.py:4", "a.py:8"]


def test_a_move_is_nothing_by_halves(tmp_path: Path) -> None:
    files = {"a.py": "def f(): ...\n", "u.py": "from a import f\n"}
    plan = planned(tree_of(tmp_path, files), ["a.py::f"], "new.py")
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
    plan = planned(tree_of(tmp_path, files), ["p/a.py::f"], "p/b.py")
    assert [hint for hint in plan.hints if "replace" in hint] == [
        f"t.py:{line}: may replace g, which moved code would not see" for line in (3, 4, 5)
    ]
