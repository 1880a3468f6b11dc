"""What hides an import, beside what Python compiles the name to."""

import ast
import dis
from collections.abc import Iterator
from pathlib import Path
from types import CodeType

import pytest

import astedit

OP = {"pat": "f($A)", "out": "g($A)", "imports": {"add": ["from m import g"]}}
IN_FUNCTION = [
    "g = 1", "g += 1", "g: int = 1", "g: int", "(g, *h) = x", "*g, h = x", "[g, h] = x",
    "(a, (g, b)) = x", "a = g = 1", "import g", "import z as g", "from z import g", "import g.h",
    "from z import y as g", "from m import g, h", "def g(): pass", "class g: pass", "(g := 1)",
    "[(g := y) for y in x]", "del g", "nonlocal_ = 1; g = 2", "global g; g = 1",
    # and what binds no g for the function
    "x.g = 1", "g[0] = 1", "h(g=1)", "h = lambda g: g", "h = lambda: g", "[g for g in x]",
    "import z.g as k", "from g import z", "def v(): g = 1", "class K: g = 1", "gg = 1", "x: g = 1",
]  # fmt: skip
AROUND = [
    "for g in x", "with x as g", "with x as (g, h)", "with (x as g, y as h)", "for x.g in y",
    "while (g := x)", "if (g := x)", "with g", "for y in g",
]  # fmt: skip
CASES = [
    "g", "[1] as g", "[*g]", "{1: g}", "{1: 2, **g}", "C(a=g)", "C(g)", "[1, g] | [2, g]", "h, g",
    "g.h", "C(1)", "1 if g",
]  # fmt: skip
WHOLE = [
    *(f"def u({head}):\n    f(1)\n" for head in ("g", "g=1", "*, g", "*g", "**g", "g, /", "h: g")),
    "def u():\n    try: pass\n    except E as g:\n        f(1)\n",
    "def u():\n    f(1)\n    g = 2\n",
    "async def u():\n    async for g in x:\n        f(1)\n",
    "y = [f(1) for g in x]\n",
    "y = [[f(1) for a in b] for g in c]\n",
    "y = lambda g: f(1)\n",
    "@f(1)\ndef u(g):\n    pass\n",
    "def o():\n    g = 1\n    def u():\n        nonlocal g\n        f(1)\n",
    "def o(g):\n    def u():\n        f(1)\n",
    "class C:\n    g = 1\n    def u(self):\n        f(1)\n",
    "class C:\n    g = 1\n    y = f(1)\n",
    "class C:\n    def g(self): pass\n    y = f(1)\n",
    "class C:\n    g = 1\n    y = [f(1) for z in x]\n",
]
# Bound for the whole file: no function hides the import, but it would mean something else.
OF_THE_FILE = [
    "g = 1\n", "for g in x: pass\n", "if x:\n    g = 1\n", "(g := 1)\n", "class g: pass\n",
    "try:\n    from z import g\nexcept E:\n    g = None\n", "def g(): pass\n", "from z import g\n",
    "def w():\n    global g\n    g = 1\n", "with x as g: pass\n", "import g.h\n",
]  # fmt: skip
SOURCES = [
    *(f"def u():\n    {binding}\n    f(1)\n" for binding in IN_FUNCTION),
    *(f"def u():\n    {head}:\n        f(1)\n" for head in AROUND),
    *(f"def u():\n    match x:\n        case {case}:\n            f(1)\n" for case in CASES),
    *WHOLE,
    *(f"{text}def u():\n    f(1)\n" for text in OF_THE_FILE),
]


def results(root: Path, sources: list[str]) -> Iterator[tuple[str, str]]:
    """Each source with what becomes of it."""
    for index, source in enumerate(sources):
        (root / f"{index}.py").write_text(source)
    changed = {file.path: file for file in astedit.ast_edit([OP], root=root).files}
    for index, source in enumerate(sources):
        file = changed.get(f"{index}.py")
        after = source
        for edit in reversed(file.edits if file is not None else ()):
            after = after[: edit.start] + edit.after + after[edit.end :]
        yield source, after


def loads(text: str) -> set[str]:
    """How the `g` of a call `g(1)` is loaded, by the compiler."""
    calls = [node.func for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Call)]
    places = {(name.lineno, name.col_offset) for name in calls if ast.unparse(name) == "g"}
    return {
        found.opname
        for found in _instructions(compile(text, "a.py", "exec"))
        if found.argval == "g" and found.opname.startswith("LOAD")
        if found.positions is not None
        if (found.positions.lineno, found.positions.col_offset) in places
    }


def _instructions(code: CodeType) -> Iterator[dis.Instruction]:
    yield from dis.get_instructions(code)
    for inner in code.co_consts:
        if isinstance(inner, CodeType):
            yield from _instructions(inner)


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> list[tuple[str, str]]:
    return list(results(tmp_path_factory.mktemp("hidden"), SOURCES))


def test_where_it_is_made_the_compiler_takes_the_import(made: list[tuple[str, str]]) -> None:
    edited = [after for source, after in made if after != source]
    assert len(edited) > 10
    wrong = [text for text in edited if loads(text) - {"LOAD_GLOBAL", "LOAD_NAME"}]
    assert [text for text in wrong if "    from m import g\n" not in text] == []


def test_where_it_is_blocked_the_compiler_takes_something_else(made: list[tuple[str, str]]) -> None:
    blocked = [after for source, after in made[: -len(OF_THE_FILE)] if after == source]
    assert len(blocked) > 40
    # A comprehension may load its name in one instruction with another (3.13): not seen.
    seen = [text for text in blocked if loads(text.replace("f(1)", "g(1)")) == {"LOAD_GLOBAL"}]
    assert [text for text in seen if "global g" not in text] == []


def test_what_the_whole_file_binds_is_no_import(made: list[tuple[str, str]]) -> None:
    assert [after for source, after in made[-len(OF_THE_FILE) :] if after != source] == []
