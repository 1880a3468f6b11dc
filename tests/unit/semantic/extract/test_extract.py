"""Extractions that would change what the program does: the reason is said."""

from pathlib import Path

import pytest

from astedit.errors import AstEditError
from astedit.model.plan import Plan
from tests.support.refactoring import planned, selected, tree_of


def extracted(root: Path, kind: str, marked: str, name: str = "new") -> Plan:
    files = {"m.py": marked}
    place = selected(files)
    return planned(tree_of(root, files), "extract", kind, place, name)


REFUSED = [
    ("variable", "x = a() + «b()»\n", "before a(), which runs before it"),
    ("variable", "def f(a):\n    return g(a.b, «c()»)\n", "before a.b is read"),
    ("variable", "x = a and «b()»\n", "may say that it does not"),
    ("variable", "x = 1 if a else «b()»\n", "may say that it does not"),
    ("variable", "x = a < b < «c()»\n", "may say that it does not"),
    ("variable", "while «f()»:\n    pass\n", "not each time around"),
    ("variable", "if a:\n    pass\nelif «f()»:\n    pass\n", "conditions above"),
    ("variable", "f = lambda: «g()»\n", "when the lambda is called"),
    ("variable", "x = [«f(i)» for i in a]\n", "for each element"),
    ("variable", "x = [i for i in a if «f()»]\n", "for each element"),
    ("variable", "x: «int» = 1\n", "has to be written out"),
    ("variable", "class A:\n    x = «f()»\n", "a member of the class"),
    ("variable", "x, «y» = 1, 2\n", "is assigned to"),
    ("constant", "def f(a):\n    return «[1]»\n", "can be changed"),
    ("constant", "def f(a):\n    return «a + 1»\n", "not the same value"),
    ("constant", "match a:\n    case «1»:\n        pass\n", "has to be written out"),
    ("function", "def f(a):\n    «if a:\n        return 1»\n    return 2\n", "on some ways"),
    ("function", "def f(a):\n    for i in a:\n        «break»\n", "leaves a loop"),
    ("function", "def f(a):\n    «yield a»\n", "`yield` is of its function"),
    ("function", "def f(a):\n    if a:\n        b = 1\n    «print(b)»\n", "b may have no value"),
    ("function", "def f(a):\n    «if a:\n        b = 1»\n    return b\n", "b may have no value"),
    ("function", "class A:\n    def f(self):\n        «self.__x = 1»\n", "name of the class alone"),
    ("function", "class A:\n    def f(self):\n        «super().f()»\n", "super depends"),
    ("function", "def f():\n    «return locals()»\n", "locals depends"),
    ("function", "class A:\n    «x = 1»\n", "stands in a class"),
    ("function", "def f():\n    global n\n    «n = 1»\n", "not a name of the function"),
    (
        "function",
        "def f(a):\n    n = 0\n    def g():\n        return n\n    «n = 1»\n    return g()\n",
        "a function inside shares n",
    ),
    ("function", "def h():\n    return x\n«x = 1\nprint(h())»\n", "shares x with the code"),
    (
        "function",
        "def f(a):\n    for i in a:\n        «a.append(lambda: i)»\n",
        "a function inside shares i",
    ),
    (
        "function",
        "def f(a):\n    b = 0\n    try:\n        «b = 1\n        a()»\n    except E:\n"
        "        pass\n    return b\n",
        "when something is raised",
    ),
]


@pytest.mark.parametrize(("kind", "marked", "why"), REFUSED)
def test_what_would_change_is_refused(tmp_path: Path, kind: str, marked: str, why: str) -> None:
    with pytest.raises(AstEditError) as caught:
        extracted(tmp_path, kind, marked)
    assert (caught.value.code, caught.value.exit_code) == ("would_change", 3)
    assert why in str(caught.value)


@pytest.mark.parametrize(
    ("kind", "marked", "name", "code"),
    [
        ("variable", "new = 1\nx = «f()»\n", "new", "collision"),
        ("constant", "def f(new):\n    return «1»\n", "new", "collision"),
        ("function", "x = new\ndef f():\n    «print(1)»\n", "new", "collision"),
        ("variable", "x = f«()»\n", "new", "bad_range"),
        ("variable", "x =« »1\n", "new", "bad_range"),
        ("function", "def f(a):\n    «x = 1\n    y» = 2\n", "new", "bad_range"),
        ("variable", "x = «f()»\n", "class", "bad_name"),
        ("value", "x = «f()»\n", "new", "bad_kind"),
    ],
)
def test_what_is_no_request_says_why(
    tmp_path: Path, kind: str, marked: str, name: str, code: str
) -> None:
    with pytest.raises(AstEditError) as caught:
        extracted(tmp_path, kind, marked, name)
    assert caught.value.code == code


@pytest.mark.parametrize("place", ["m.py:1", "m.py:0-1", "m.py:1-9", "m.py:1:9-1:9", "m.py:1-1:99"])
def test_a_place_that_is_none(tmp_path: Path, place: str) -> None:
    with pytest.raises(AstEditError) as caught:
        planned(tree_of(tmp_path, {"m.py": "x = 1\n"}), "extract", "variable", place, "y")
    assert (caught.value.code, caught.value.exit_code) == ("bad_range", 2)
