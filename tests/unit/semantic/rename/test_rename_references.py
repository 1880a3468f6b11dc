"""Which places a rename changes, and which it must leave."""

import os
from pathlib import Path

import pytest

from astedit import operations
from astedit.engine.run_context import Run
from astedit.errors import AstEditError, StaleError
from astedit.workspace.root import Workspace
from tests.support.renaming import expected, planned, result
from tests.support.requests import request_of

Files = dict[str, str]

CASES: list[tuple[str, str, str, Files]] = [
    (
        "a function, its imports under its own name, and __all__",
        "m.py::run", "start",
        {
            "m.py": '__all__ = ["other", "«run»"]\n\n\ndef «run»():\n    return «run»\n',
            "n.py": "from m import «run», other\nimport m\n«run»()\nm.«run»()\n",
            "o.py": "from m import «run» as go\ngo()\nrun = 1\nprint(run)\n",
            "p.py": "import m as q\nq.«run»()\nq.runner()\n",
        },
    ),
    (
        "a quoted name in a type alias, and no value of `Literal` or key of a dict",
        "m.py::Thing", "Item",
        {
            "m.py": "from typing import Dict, Literal, TypeAlias\nd = {}\n"
            "A = Dict['«Thing»', int]\nB = list['«Thing»']\nC: TypeAlias = '«Thing»'\n"
            "D = Literal['Thing']\nE = d['Thing']\n\nclass «Thing»: ...\n",
        },
    ),
    (
        "what is imported again from a package, and by a star",
        "pkg/impl.py::Thing", "Item",
        {
            "pkg/__init__.py": "from .impl import «Thing»\n",
            "pkg/impl.py": "class «Thing»:\n    pass\n",
            "pkg/all.py": "from pkg.impl import *\n«Thing»()\n",
            "use.py": "import pkg\nfrom pkg import «Thing»\nfrom pkg.all import «Thing» as T\n"
            "pkg.«Thing»()\npkg.impl.«Thing»()\n",
        },
    ),
    (
        "an import beside the definition that stands in for it",
        "m.py::loads", "parse",
        {
            "m.py": "try:\n    from fast import «loads|loads as parse»\n"
            "except ImportError:\n    def «loads»(x): ...\n",
            "n.py": "from m import «loads»\n",
        },
    ),
    (
        "a method where the receiver is evident",
        "m.py::Service.create", "place",
        {
            "m.py": "class Service:\n    def «create»(self): ...\n"
            "    def go(self):\n        return self.«create»()\n"
            "    alias = «create»\n",
            "n.py": "from m import Service\nfrom typing import Optional\ns = Service()\n"
            "s.«create»()\nService.«create»(s)\n"
            "def f(a: Service, b: 'Service', c: Optional[Service] = None, d=None):\n"
            "    a.«create»(); b.«create»(); c.«create»(); d.create()\n"
            "    for x in [Service()]:\n        x.«create»()\n"
            "    with Service() as y:\n        y.«create»()\n"
            "def made() -> Service: ...\n"
            "made().«create»()\n"
            "class Holder:\n    def __init__(self):\n        self.inner = Service()\n"
            "    def use(self):\n        self.inner.«create»()\n"
            "Holder().inner.«create»()\n",
        },
    ),
    (
        "overriding methods and super, and no other class",
        "m.py::Base.run", "start",
        {
            "m.py": "class Base:\n    def «run»(self): ...\n",
            "n.py": "import m\nclass Sub(m.Base):\n    def «run»(self):\n"
            "        return super().«run»()\nclass Other:\n    def run(self):\n"
            "        return self.run()\nOther().run()\nSub().«run»()\n",
        },
    ),
    (
        "an attribute of instances",
        "m.py::Point.x", "left",
        {
            "m.py": "class Point:\n    __slots__ = ('«x»', 'y')\n    def __init__(self, x):\n"
            "        self.«x» = x\n    def moved(self, x):\n        return Point(self.«x» + x)\n",
            "n.py": "from m import Point\nPoint(1).«x» = 2\nPoint(1).moved(2).«x»\n",
        },
    ),
    (
        "what may also be a function or another class without the member",
        "m.py::Service.create", "place",
        {
            "m.py": "from typing import Callable\nclass Service:\n    def «create»(self): ...\n"
            "class Plain: ...\nclass Rival:\n    def create(self): ...\n"
            "def f(a: Service | Callable[[], int], b: Service | Plain, c: Service | Rival):\n"
            "    a.«create»(); b.«create»(); c.create()\n",
        },
    ),
    (
        "where a test says what an object is",
        "m.py::A.x", "y",
        {
            "m.py": "class A:\n    def __init__(self):\n        self.«x» = 1\n"
            "    def __eq__(self, other):\n"
            "        return isinstance(other, A) and self.«x» == other.«x» or other.x\n"
            "def f(a):\n    if isinstance(a, (A, int)):\n        return a.«x»\n    a.x\n"
            "def g(a):\n    if not isinstance(a, A):\n        return a.x\n    return a.«x»\n"
            "def j(a):\n    if not isinstance(a, A):\n        print(a)\n    return a.x\n"
            "def h(a):\n    assert isinstance(a, A)\n    return a.«x»\n"
            "def i(a):\n    return a.«x» if isinstance(a, A) else a.x\n",
        },
    ),
    (
        "a dataclass's field and the arguments that set it",
        "m.py::Point.x", "left",
        {
            "m.py": "from dataclasses import dataclass\n@dataclass\nclass Point:\n    «x»: int\n"
            "    y: int = 0\nPoint(«x»=1, y=2).«x»\ndict(x=1)\n",
        },
    ),
    (
        "a parameter and the calls that name it",
        "m.py::f.x", "left",
        {
            "m.py": "def f(«x», y=1):\n    def g():\n        return «x»\n    return g, «x»\n"
            "f(«x»=1, y=2)\n",
            "n.py": "import m\nm.f(«x»=1)\nprint(x=2)\n",
        },
    ),
    (
        "a local name, and not the global one that it hides",
        "m.py::f.total", "sum_",
        {"m.py": "total = 1\ndef f():\n    «total» = 2\n    return «total»\nprint(total)\n"},
    ),
    (
        "a global that functions declare",
        "m.py::count", "tally",
        {"m.py": "«count» = 0\ndef up():\n    global «count»\n    «count» += 1\n"
                 "def other(count):\n    return count\n"},
    ),
    (
        "formatted strings and quoted annotations",
        "m.py::Name", "Label",
        {
            "m.py": "class «Name»: ...\n"
            "def f(a: '«Name»', b: 'list[«Name»]') -> '«Name»':\n"
            "    return f'é {«Name»} Name'\n",
        },
    ),
    (
        "what pytest passes and raises",
        "m.py::Broken.why", "cause",
        {
            "m.py": "class Broken(Exception):\n    def __init__(self):\n        self.«why» = 1\n"
            "class Thing:\n    def why(self): ...\n",
            "test_m.py": "import pytest\nfrom m import Broken, Thing\n"
            "@pytest.fixture\ndef broken():\n    yield Broken()\n"
            "@pytest.fixture\ndef thing():\n    return Thing()\n"
            "def test_a(broken, thing):\n    broken.«why»\n    thing.why()\n"
            "    with pytest.raises(Broken) as e:\n        f()\n    e.value.«why»\n",
        },
    ),
    (
        "what parametrized tests and fixtures are passed",
        "m.py::A.go", "run",
        {
            "m.py": "class A:\n    def «go»(self): ...\nclass B:\n    def go(self): ...\n",
            "test_m.py": "import pytest\nfrom m import A, B\n"
            "@pytest.mark.parametrize('kind', [A])\ndef test_a(kind):\n    kind().«go»()\n"
            "@pytest.mark.parametrize(('a', 'b'), [(A(), B()), pytest.param(A(), 1, id='x')])\n"
            "def test_b(b, a):\n    a.«go»()\n    b.go()\n"
            "@pytest.mark.parametrize('a', [A(), B()])\ndef test_c(a):\n    a.go()\n"
            "@pytest.mark.parametrize('kind', [A], indirect=True)\n"
            "def test_d(kind):\n    kind().go()\n"
            "@pytest.fixture(params=[A])\ndef made(request):\n    return request.param()\n"
            "def test_e(made):\n    made.«go»()\n",
        },
    ),
    (
        "what a decorator passes, by its annotation, the innermost one that says so",
        "m.py::Context.go", "run",
        {
            "m.py": "from typing import Any, Callable, Concatenate\n"
            "class Context:\n    def «go»(self): ...\n"
            "class Other:\n    def go(self): ...\n"
            "def given(f: Callable[Concatenate[Context, ...], Any]): ...\n"
            "def other(f: Callable[[Other, Context], Any]): ...\n"
            "def plain(f): ...\n",
            "n.py": "from m import given, other, plain\n"
            "@given\n@plain\ndef a(x, y):\n    x.«go»()\n    y.go()\n"
            "@given\n@other\ndef b(x, y):\n    x.go()\n    y.«go»()\n"
            "@plain\ndef c(x):\n    x.go()\n",
        },
    ),
    (
        "a class in an attribute that the classes below set",
        "m.py::A.go", "run",
        {
            "m.py": "class A:\n    def «go»(self): ...\n    def __and__(self, o) -> 'A': ...\n"
            "    def __eq__(self, o):\n        return self.__class__().«go»()\n",
            "t.py": "from m import A\n"
            "class Mixed:\n    kind = None\n    def t(self):\n        self.kind().«go»()\n"
            "        self.made().«go»()\n        self.nothing().go()\n"
            "class T(Mixed):\n    kind = A\n    made = A\n"
            "(A() & A()).«go»()\n(1 & A()).go()\n",
        },
    ),
    (
        "what a decorator makes of a function",
        "m.py::Made.go", "run",
        {
            "m.py": "from typing import Callable\n"
            "class Made:\n    def __init__(self, f): ...\n    def «go»(self): ...\n"
            "def made(name) -> Callable[[object], Made]: ...\n"
            "@Made\ndef a(x): ...\n@made('b')\ndef b(): ...\n"
            "def c(): ...\n"
            "a.«go»()\nb.«go»()\na(x=1).go()\nc.go()\n",
        },
    ),
    (
        "a parameter without annotation, of a method that overrides one with it",
        "m.py::Context.go", "run",
        {
            "m.py": "class Context:\n    def «go»(self): ...\nclass Other:\n    def go(self): ...\n"
            "class Command:\n    def invoke(self, ctx: Context, other: Other): ...\n",
            "n.py": "import m\nclass Own(m.Command):\n    def invoke(self, c, o):\n"
            "        c.«go»()\n        o.go()\n    def other(self, c):\n        c.go()\n",
        },
    ),
    (
        "a property by its name",
        "A.x", "left",
        {
            "m.py": "class A:\n    @property\n    def «x»(self): ...\n"
            "    @«x».setter\n    def «x»(self, value): ...\nA().«x» = A().«x»\n",
        },
    ),
    (
        "a module of the configured root, where several have one of the name",
        "lib/app/main.py::go", "run",
        {
            "astedit.toml": "roots = ['lib']\n",
            "old/app/main.py": "def go(): ...\n",
            "lib/app/main.py": "def «go»(): ...\n",
            "tests/test_main.py": "from app.main import «go»\n",
        },
    ),
    (
        "another root's module of the same name",
        "a/app/main.py::go", "run",
        {
            "a/app/main.py": "def «go»(): ...\n",
            "a/cli.py": "from app.main import «go»\n",
            "b/app/main.py": "def go(): ...\n",
            "b/cli.py": "from app.main import go\n",
        },
    ),
]  # fmt: skip


@pytest.mark.parametrize("why, identifier, new, files", CASES, ids=[case[0] for case in CASES])
def test_exactly_the_references_change(
    tmp_path: Path, why: str, identifier: str, new: str, files: Files
) -> None:
    plan = planned(tmp_path, files, identifier, new)
    assert result(tmp_path, plan) == expected(files, new)


REFUSED: list[tuple[str, str, str, Files]] = [
    ("collision", "m.py::A.x", "y", {"m.py": "class A:\n    x = 1\n    y = 2\n"}),
    ("collision", "m.py::f", "g", {"m.py": "def f(): ...\ng = 1\n"}),
    ("collision", "m.py::f", "g", {"m.py": "def f(): ...\n", "n.py": "from m import f\ng = 1\n"}),
    ("collision", "m.py::f", "g", {"m.py": "def f(): ...\ndef h(g):\n    return f, g\n"}),
    ("collision", "m.py::f", "len", {"m.py": "def f(): ...\ndef h(a):\n    return len(a)\n"}),
    ("collision", "m.py::A.x", "y", {"m.py": "class A:\n    x = 1\n",
                                     "n.py": "import m\nclass B(m.A):\n    y = 2\n"}),
    ("collision", "m.py::f.a", "b", {"m.py": "b = 1\ndef f(a):\n    return a + b\n"}),
    ("collision", "m.py::f", "g",
     {"m.py": "def f(): ...\n", "n.py": "from m import *\ng = 1\nf()\n"}),
    ("bad_name", "m.py::f", "class", {"m.py": "def f(): ...\n"}),
    ("bad_name", "m.py::f", "2x", {"m.py": "def f(): ...\n"}),
    ("bad_name", "m.py::f", "a.b", {"m.py": "def f(): ...\n"}),
    ("same_name", "m.py::f", "f", {"m.py": "def f(): ...\n"}),
    ("special_name", "m.py::A.__init__", "setup",
     {"m.py": "class A:\n    def __init__(self): ...\n"}),
    ("generated", "m.py::f", "g", {"m.py": "def f(): ...\n",
                                   "n.py": "# @generated\nfrom m import f\n"}),
]  # fmt: skip


@pytest.mark.parametrize("code, identifier, new, files", REFUSED)
def test_refused(tmp_path: Path, code: str, identifier: str, new: str, files: Files) -> None:
    with pytest.raises(AstEditError) as refused:
        planned(tmp_path, files, identifier, new)
    assert refused.value.code == code


def test_an_outer_name_may_be_hidden_where_nobody_needs_it(tmp_path: Path) -> None:
    files = {"m.py": "b = 1\ndef f(«a»):\n    return «a»\n"}
    assert result(tmp_path, planned(tmp_path, files, "m.py::f.a", "b")) == expected(files, "b")


def test_what_may_be_a_reference_is_listed_and_left(tmp_path: Path) -> None:
    files = {
        "m.py": "class A:\n    def «run»(self): ...\n",
        "n.py": 'def f(x):\n    x.run()\n    getattr(x, "run")\n    patch("m.A.run")\n'
        "class T:\n    made = None\n    def t(self):\n        self.made.run()\n",
    }
    plan = planned(tmp_path, files, "m.py::A.run", "go")
    assert result(tmp_path, plan) == expected(files, "go")
    head, *each = plan.hints
    assert head == "4 possible uses of 'run' not changed; look at each before you apply:"
    assert [hint.split(": ")[1] for hint in each] == [f"n.py:{line}" for line in (2, 3, 4, 8)]


def test_what_a_decorated_function_has_is_listed(tmp_path: Path) -> None:
    files = {"m.py": "class A:\n    def «go»(self): ...\n@some\ndef f(): ...\nf.go()\n"}
    plan = planned(tmp_path, files, "m.py::A.go", "run")
    assert [hint.split(": ")[1] for hint in plan.hints[1:]] == ["m.py:5"]


def test_a_base_class_from_elsewhere_is_named(tmp_path: Path) -> None:
    files = {"m.py": "import lib, abc\nclass A(lib.Base, abc.ABC):\n    def «go»(self): ...\n"}
    plan = planned(tmp_path, files, "m.py::A.go", "run")
    assert plan.hints == ["lib.Base: a base class outside the workspace may define it too"]


def test_every_possible_reference_is_listed(tmp_path: Path) -> None:
    files = {"m.py": "class A:\n    def run(self): ...\ndef f(x):\n" + "    x.run()\n" * 50}
    plan = planned(tmp_path, files, "m.py::A.run", "go")
    assert [hint.split(": ")[1] for hint in plan.hints[1:]] == [f"m.py:{n}" for n in range(4, 54)]


def test_a_file_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    files = {"m.py": "def «f»(): ...\n", "broken.py": "from m import f\ndef (:\n"}
    plan = planned(tmp_path, files, "m.py::f", "g")
    assert [(skip.path, skip.reason) for skip in plan.skipped] == [("broken.py", "parse_error")]


def test_what_is_not_looked_at_is_told_or_not_ours(tmp_path: Path) -> None:
    files = {
        "m.py": "def «f»(): ...\n",
        "big.py": "from m import f\n" + "#" * 2_100_000,
        "vendor/lib.py": "from m import f\n",
    }
    (tmp_path / "raw.py").write_bytes(b"from m import f  # \xff\n")
    plan = planned(tmp_path, files, "m.py::f", "g")
    assert [(file.path, len(file.edits)) for file in plan.files] == [("m.py", 1)]
    assert {skip.path: skip.reason for skip in plan.skipped} == {
        "big.py": "too_large",
        "raw.py": "not_utf8",
    }


def test_the_definition_is_the_one_that_was_located(tmp_path: Path) -> None:
    (tmp_path / "m.py").write_text("def f(): ...\n")
    with Workspace(tmp_path) as workspace:
        request = request_of("rename", workspace, "m.py::f", "g")
        (tmp_path / "m.py").write_text("def f(): ...\nf()\n")
        with pytest.raises(StaleError) as refused:
            operations.plan(request, workspace, Run(inline=True))
    assert refused.value.path == "m.py"


class Racing(Workspace):
    """One in which somebody saves `n.py` right after it was read for the first time."""

    def read(self, path: str, limit: int) -> tuple[bytes, os.stat_result]:
        content = super().read(path, limit)
        if path == "n.py" and b"saved" not in content[0]:
            (Path(self.root) / path).write_bytes(b"# saved\n" + content[0])
        return content


def test_a_reference_that_moves_meanwhile_is_not_cut_elsewhere(tmp_path: Path) -> None:
    (tmp_path / "m.py").write_text("def f(): ...\n")
    (tmp_path / "n.py").write_text("from m import f\n")
    with Racing(tmp_path) as workspace:
        request = request_of("rename", workspace, "m.py::f", "g")
        (tmp_path / "n.py").write_text("from m import f\n")
        with pytest.raises(StaleError) as refused:
            operations.plan(request, workspace, Run(inline=True))
    assert refused.value.path == "n.py"


def test_hostile_files_cost_themselves_and_cycles_end(tmp_path: Path) -> None:
    files = {
        "m.py": "def «f»(): ...\nclass A(A): ...\nclass B(C): ...\nclass C(B): ...\n",
        "a.py": "from b import f\nfrom a import *\nf()\n",
        "b.py": "from a import f\n",
        "c.py": "from d import *\nfrom m import «f»\n",
        "d.py": "from c import *\n«f»()\n",
        "deep.py": "f" + "(" * 1500 + ")" * 1500 + "\n",
        "chain.py": "f" + ".f" * 1500 + "\n",
    }
    plan = planned(tmp_path, files, "m.py::f", "g")
    assert result(tmp_path, plan) == expected(files, "g")
    assert {skip.path: skip.reason for skip in plan.skipped} == {
        "chain.py": "parse_error",
        "deep.py": "too_deep",
    }


@pytest.mark.parametrize(
    "text", ["\ufeffdef «f»(): ...\r\n«f»()  # ü\r\n«f»()", "# é\n\n\f\ndef «f»():\n\tpass\n«f»()"]
)
def test_bytes_beside_the_name_stay(tmp_path: Path, text: str) -> None:
    files = {"m.py": text}
    assert result(tmp_path, planned(tmp_path, files, "m.py::f", "gg")) == expected(files, "gg")


def test_an_encoding_that_the_file_declares_is_kept(tmp_path: Path) -> None:
    text = '# coding: latin-1\nx = "é"\ndef f(): ...\nf()\n'
    (tmp_path / "m.py").write_bytes(text.encode("latin-1"))
    plan = planned(tmp_path, {}, "m.py::f", "gg")
    assert [(edit.start, edit.new) for edit in plan.files[0].edits] == [(30, b"gg"), (39, b"gg")]
