"""What cannot follow as a whole is refused, with its place and a sentence."""

from pathlib import Path

import pytest

from astedit.errors import PreconditionError
from tests.support.moving import planned, tree_of

# why, code, what the message says, DEST, the files; `a.py::f` moves to it
CASES: list[tuple[str, str, str, str, dict[str, str]]] = [
    (
        "a circle of imports", "import_cycle", "a.py:1 -> b.py:1 -> a.py", "b.py",
        {"a.py": "def g(): ...\n\n\ndef f(): g()\n\n\ndef k(): f()\n", "b.py": "x = 1\n"},
    ),
    (
        "a package that imports it", "import_cycle", "a.py:1 -> p/__init__.py:1 -> a.py", "p/b.py",
        {
            "p/__init__.py": "from a import g\n",
            "p/b.py": "",
            "a.py": "def f(): ...\n\n\ndef g(): f()\n",
        },
    ),
    (
        "a circle that works as it is: the name comes too late there", "import_cycle",
        "a.py:1 would take f from b.py before line 6 binds it when b.py is imported first", "b.py",
        {
            "a.py": "def f(): ...\n\n\ndef g(): f()\n\n\nimport b\n",
            "b.py": "import a\n\nx = 1\n",
        },
    ),
    (
        "a user in a circle with the new module: it would take the name too early", "import_cycle",
        "u.py:2 would take f from b.py before line 6", "b.py",
        {
            "a.py": "def f(): ...\n", "b.py": "import u\n\nx = 1\n",
            "u.py": "import b\nfrom a import f\n",
        },
    ),
    (
        "an import that goes began a circle in the order that works", "import_cycle",
        "c.py:1 would take g from b.py before line 7 binds it when d.py is imported first", "d.py",
        {
            "a.py": "import c\n\n\ndef f(): ...\n", "d.py": "from a import f\nimport b\n",
            "c.py": "from b import g\n", "b.py": "import d\nimport c\n\n\n\n\ndef g(): ...\n",
        },
    ),
    (
        "no code of Python", "parse_error", "b.py cannot be read as Python (line 1)", "b.py",
        {"a.py": "def f(): ...\n", "b.py": "x = (\n"},
    ),
    (
        "onto itself", "same_place", "a.py has f already", "a.py", {"a.py": "def f(): ...\n"},
    ),
    (
        "its name is taken", "collision", "b.py:2: f is taken", "b.py",
        {"a.py": "def f(): ...\n", "b.py": "\nf = 1\n"},
    ),
    (
        "the name of an import is taken", "collision", "b.py:1: json is taken", "b.py",
        {"a.py": "import json\n\n\ndef f(): json\n", "b.py": "json = 2\n"},
    ),
    (
        "a built-in means something else there", "collision", "b.py:1: open is taken", "b.py",
        {"a.py": "def f(): open('x')\n", "b.py": "def open(): ...\n"},
    ),
    (
        "a user has another use for the module's name", "collision", "u.py:2: a cannot become b",
        "b.py",
        {"a.py": "def f(): ...\n", "b.py": "", "u.py": "import a\ndef k(b): return a.f(b)\n"},
    ),
    (
        "it binds a name of its module", "global_name", "`global x`", "b.py",
        {"a.py": "x = 1\n\n\ndef f():\n    global x\n    x = 2\n", "b.py": ""},
    ),
    (
        "its module reads all names at once", "global_name", "a.py:2: reads names", "b.py",
        {"a.py": "f = 1\ng = '{f}'.format(**globals())\n", "b.py": ""},
    ),
    (
        "another module replaces what it uses", "global_name", "u.py:2: assigns to m.g", "b.py",
        {
            "a.py": "def g(): ...\n\n\ndef f(): g()\n", "b.py": "",
            "u.py": "import a as m\nm.g = print\n",
        },
    ),
    (
        "its module binds it while it runs", "global_name", "`global f`", "b.py",
        {"a.py": "f = 1\n\n\ndef k():\n    global f\n    f = 2\n", "b.py": ""},
    ),
    (
        "it reads what is bound again", "global_name", "binds x again", "b.py",
        {"a.py": "x = 1\n\n\ndef f(): x\n\n\ndef k():\n    global x\n    x = 2\n", "b.py": ""},
    ),
    (
        "defined in branches", "not_movable", "a.py:1: f is bound within a statement", "b.py",
        {"a.py": "if 1:\n    def f(): ...\nelse:\n    f = None\n", "b.py": ""},
    ),
    (
        "bound with another name", "not_movable", "a.py:1: f, g is bound together", "b.py",
        {"a.py": "f, g = 1, 2\n", "b.py": ""},
    ),
    (
        "shares its line", "not_movable", "a.py:1: f shares its line", "b.py",
        {"a.py": "f = 1; g = 2\n", "b.py": ""},
    ),
    (
        "a fixture", "fixture", "pytest finds by its place", "b.py",
        {"a.py": "import pytest\n\n\n@pytest.fixture\ndef f(): ...\n", "b.py": ""},
    ),
    (
        "a stub describes it", "stub", "described by a.pyi", "b.py",
        {"a.py": "def f(): ...\n", "a.pyi": "def f(): ...\n", "b.py": ""},
    ),
    (
        "it uses its new module", "self_import", "import itself as b", "b.py",
        {"a.py": "import b\n\n\ndef f(): b.h()\n", "b.py": "def h(): ...\n"},
    ),
    (
        "a star import may bring what it uses", "star_import", "`from tkinter import *`", "b.py",
        {"a.py": "from tkinter import *\n\n\ndef f(): Tk()\n", "b.py": ""},
    ),
    (
        "annotations would be evaluated", "annotations", "b.py evaluates annotations", "b.py",
        {
            "a.py": "from __future__ import annotations\n\n\ndef f(x: Later): ...\n",
            "b.py": "def h(x: int): ...\n",
        },
    ),
    (
        "it is needed before it can be there", "order", "b.py:4: h would be needed before", "b.py",
        {
            "a.py": "from b import h\n\n\n@h\ndef f(): ...\n",
            "b.py": "def k():\n    from a import f\n    f()\nk()\ndef h(x): return x\n",
        },
    ),
    (
        "a list of names that code makes", "dynamic_all", "a.py:5: takes a name into __all__",
        "b.py",
        {"a.py": "def f(): ...\n\n\n__all__ = []\n__all__.append('f')\n", "b.py": ""},
    ),
    (
        "its module deletes what it needs", "not_movable", "a.py deletes x", "b.py",
        {"a.py": "x = 1\n\n\ndef f(y=x): ...\n\n\ndel x\n", "b.py": ""},
    ),
    ("no module", "no_module", "nowhere.b is no module", "nowhere.b", {"a.py": "def f(): ...\n"}),
]  # fmt: skip


@pytest.mark.parametrize(("code", "message", "dest", "files"), [c[1:] for c in CASES],
                         ids=[c[0] for c in CASES])  # fmt: skip
def test_a_move_is_refused(
    tmp_path: Path, code: str, message: str, dest: str, files: dict[str, str]
) -> None:
    tree_of(tmp_path, files)
    with pytest.raises(PreconditionError) as refusal:
        planned(tmp_path, ["a.py::f"], dest)
    assert code == refusal.value.code
    assert ":" not in str(refusal.value.path)  # the place is in the message
    assert message in str(refusal.value)
    assert str(refusal.value).endswith("nothing was staged.")
