"""Inlining that would change what the program does: the place and the reason are said."""

from pathlib import Path

import pytest

from astedit.errors import AstEditError
from tests.support.refactoring import planned, tree_of

REFUSED = [
    ("m.py:1:1", "x = f()\nprint(x, x)\n", "evaluated 2 times"),
    ("m.py:1:1", "x = f()\ng()\nprint(x)\n", "other code would run"),
    ("m.py:1:1", "x = f()\nprint(g(), x)\n", "other code would run"),
    ("m.py:1:1", "x = f()\nprint(a.b, x)\n", "other values would be read"),
    ("m.py:1:1", "x = f()\ny = a and x\n", "may say that it does not"),
    ("m.py:1:1", "x = f()\nprint(lambda: x)\n", "when the lambda is called"),
    ("m.py:2:5", "def f(a):\n    x = a\n    a = 2\n    return x\n", "other code would run"),
    ("m.py:1:1", "x = []\nx.append(1)\nprint(x)\n", "an object of its own"),
    ("m.py:1:1", "x = 1\nx = 2\nprint(x)\n", "more than one place"),
    ("m.py:1:1", "x = 1\nx += 1\nprint(x)\n", "more than one place"),
    ("m.py:1:1", "x = 1\n", "nothing uses it"),
    ("m.py::A.x", "class A:\n    x = 1\nprint(A.x)\n", "a member"),
    ("m.py:1:1", "x = 1\nprint(f'{x=}')\n", "shows how it is written"),
    (
        "m.py:3:9",
        "def f(a):\n    for i in a:\n        x = i\n        a.append(lambda: x)\n",
        "another one by then",
    ),
    ("m.py:1:1", "x = 1\nprint(x, '{x}'.format(**globals()))\n", "by globals()"),
    ("m.py:2:5", "def f():\n    x = 1\n    return x, locals()\n", "by locals()"),
    ("m.py::f", "def f(a):\n    return a\n\n\nprint(f)\n", "passed on"),
    ("m.py::f", "def f(a):\n    return a + a\n\n\nprint(f(g()))\n", "evaluated 2 times"),
    ("m.py::f", "def f(a):\n    return 1\n\n\nprint(f(g()))\n", "evaluated 0 times"),
    ("m.py::f", "def f(a, b):\n    return b, a\n\n\nprint(f(g(), h()))\n", "another order"),
    ("m.py::f", "def f(a):\n    return b or a\n\n\nprint(f(g()))\n", "or not at all"),
    ("m.py::f", "def f(a):\n    return f(a)\n\n\nprint(f(1))\n", "calls itself"),
    (
        "m.py::f",
        "def f(a):\n    x = a\n    return x\n\n\nprint(f(1))\n",
        "more than one expression",
    ),
    ("m.py::f", "def f(*a):\n    return a\n\n\nprint(f(1))\n", "any number of arguments"),
    ("m.py::f", "def f():\n    return y\n\n\ndef g(y):\n    return f()\n", "something else there"),
    (
        "m.py::f",
        "def f(a):\n    return [i for i in a]\n\n\nfor i in z:\n    f([i])\n",
        "something else",
    ),
    ("m.py::f", "def f(a):\n    print(a)\n\n\nx = f(1)\n", "its result is None"),
    ("m.py::f", "def f(a):\n    return a + 1\n\n\nprint(f(f(1)))\n", "an argument of another"),
]


@pytest.mark.parametrize(("target", "text", "why"), REFUSED)
def test_what_would_change_is_refused(tmp_path: Path, target: str, text: str, why: str) -> None:
    with pytest.raises(AstEditError) as caught:
        planned(tree_of(tmp_path, {"m.py": text}), "inline", target)
    assert (caught.value.code, caught.value.exit_code) == ("would_change", 3)
    assert why in str(caught.value)


def test_a_name_of_another_module_is_refused(tmp_path: Path) -> None:
    files = {"m.py": "y = 1\n\n\ndef f():\n    return y\n", "n.py": "from m import f\nprint(f())\n"}
    with pytest.raises(AstEditError, match="y means something else there"):
        planned(tree_of(tmp_path, files), "inline", "m.py::f")


@pytest.mark.parametrize("target", ["m.py:1:8", "m.py:9:1", "m.py:2:1"])
def test_a_place_that_is_no_name_of_the_module(tmp_path: Path, target: str) -> None:
    with pytest.raises(AstEditError) as caught:
        planned(tree_of(tmp_path, {"m.py": "import os\nos.sep\n"}), "inline", target)
    assert caught.value.exit_code == 2
