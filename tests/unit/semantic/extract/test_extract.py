"""Extractions: `«code»` is selected; the program does the same, or the reason is said."""

from pathlib import Path

import pytest

from astedit.engine.run_context import Run
from astedit.errors import AstEditError
from astedit.model.plan import Plan
from astedit.staging.preview import preview
from astedit.text.splice import splice
from astedit.workspace.root import Workspace
from tests.support.requests import request_of


def planned(root: Path, kind: str, marked: str, name: str = "new") -> Plan:
    before, selected, behind = marked.replace("»", "«").split("«")
    (root / "m.py").write_text(before + selected + behind)
    lines = before.count("\n") + 1, (before + selected).count("\n") + 1
    columns = [len(text.rpartition("\n")[2]) + 1 for text in (before, before + selected)]
    place = f"m.py:{lines[0]}:{columns[0]}-{lines[1]}:{columns[1]}"
    with Workspace(root) as workspace:
        request = request_of("extract", workspace, kind, place, name)
        return preview(request, workspace, Run(inline=True))


def extracted(root: Path, kind: str, marked: str, name: str = "new") -> str:
    plan = planned(root, kind, marked, name)
    return splice((root / "m.py").read_bytes(), plan.files[0].changes).decode()


DONE = {
    "a variable comes before its statement": (
        "variable",
        "def f(a):\n    # say it\n    return print(«a * 2», 3)\n",
        "def f(a):\n    # say it\n    new = a * 2\n    return print(new, 3)\n",
    ),
    "a whole statement is given its value's name": ("variable", "«f()»\n", "new = f()\n"),
    "the one expression of a block": (
        "variable", "def f():\n    «g()»\n", "def f():\n    new = g()\n",
    ),
    "a value of several lines gets brackets": (
        "variable",
        "x = (1 +\n     «2 *\n     3»)\n",
        "new = (2 *\n     3)\nx = (1 +\n     new)\n",
    ),
    "a variable on a line of its statement": (
        "variable",
        "def f(a):\n    if a: print(«a + 1»)\n",
        "def f(a):\n    if a: new = a + 1; print(new)\n",
    ),
    "what an `if` asks": ("variable", "if «f()» and g():\n    pass\n",
                          "new = f()\nif new and g():\n    pass\n"),
    "the first iterable of a comprehension": (
        "variable", "x = [i for i in «f()»]\n", "new = f()\nx = [i for i in new]\n",
    ),
    "a local name behind a call": (
        "variable",
        "def f(a):\n    return g(h(), «a + 1»)\n",
        "def f(a):\n    new = a + 1\n    return g(h(), new)\n",
    ),
    "a constant comes behind the imports": (
        "constant",
        "import os\n\n\ndef f():\n    return «60 * 60»\n",
        "import os\n\nnew = 60 * 60\n\n\ndef f():\n    return new\n",
    ),
    "a constant of a module without imports": (
        "constant", "def f():\n    return «'a'»\n", "new = 'a'\n\n\ndef f():\n    return new\n",
    ),
    "a function takes what it reads and gives what is read": (
        "function",
        "def f(a, b):\n    «c = a + 1\n    d = c * b»\n    return d\n",
        "def new(a, b):\n    c = a + 1\n    d = c * b\n    return d\n\n\n"
        "def f(a, b):\n    d = new(a, b)\n    return d\n",
    ),
    "a function of an expression": (
        "function",
        "def f(a):\n    return [«a + i» for i in a]\n",
        "def new(i, a):\n    return a + i\n\n\ndef f(a):\n    return [new(i, a) for i in a]\n",
    ),
    "code that always returns is returned": (
        "function",
        "def f(a):\n    a += 1\n    «if a:\n        return 1\n    return 2»\n",
        "def new(a):\n    if a:\n        return 1\n    return 2\n\n\n"
        "def f(a):\n    a += 1\n    return new(a)\n",
    ),
    "what goes around in a loop goes in and out": (
        "function",
        "def f(a):\n    n = 0\n    for i in a:\n        «if i:\n            n += i»\n"
        "    return n\n",
        "def new(n, i):\n    if i:\n        n += i\n    return n\n\n\n"
        "def f(a):\n    n = 0\n    for i in a:\n        n = new(n, i)\n    return n\n",
    ),
    "code that waits": (
        "function",
        "async def f(a):\n    «b = await a»\n    return b\n",
        "async def new(a):\n    b = await a\n    return b\n\n\n"
        "async def f(a):\n    b = await new(a)\n    return b\n",
    ),
    "code that waits in a loop": (
        "function",
        "async def f(a):\n    «async for b in a:\n        print(b)»\n",
        "async def new(a):\n    async for b in a:\n        print(b)\n\n\n"
        "async def f(a):\n    await new(a)\n",
    ),
    "texts stay as they are": (
        "function",
        "class A:\n    def f(self):\n        «self.x = '''a\n  b'''  # kept»\n",
        "def new(self):\n    self.x = '''a\n  b'''  # kept\n\n\n"
        "class A:\n    def f(self):\n        new(self)\n",
    ),
    "names of the module are there, what is bound is bound": (
        "function",
        "x = 1\n«y = x\nz = y»\nprint(y)\n",
        "x = 1\ndef new():\n    y = x\n    z = y\n    return y, z\n\n\ny, z = new()\nprint(y)\n",
    ),
    "a loop that is left within": (
        "function",
        "def f(a):\n    «for i in a:\n        if i:\n            break»\n    return 1\n",
        "def new(a):\n    for i in a:\n        if i:\n            break\n\n\n"
        "def f(a):\n    new(a)\n    return 1\n",
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", DONE)
def test_what_is_made(tmp_path: Path, case: str) -> None:
    kind, marked, expected = DONE[case]
    assert extracted(tmp_path, kind, marked) == expected


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
        planned(tmp_path, kind, marked)
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
        planned(tmp_path, kind, marked, name)
    assert caught.value.code == code


@pytest.mark.parametrize("place", ["m.py:1", "m.py:0-1", "m.py:1-9", "m.py:1:9-1:9", "m.py:1-1:99"])
def test_a_place_that_is_none(tmp_path: Path, place: str) -> None:
    (tmp_path / "m.py").write_text("x = 1\n")
    with Workspace(tmp_path) as workspace, pytest.raises(AstEditError) as caught:
        preview(
            request_of("extract", workspace, "variable", place, "y"), workspace, Run(inline=True)
        )
    assert (caught.value.code, caught.value.exit_code) == ("bad_range", 2)
