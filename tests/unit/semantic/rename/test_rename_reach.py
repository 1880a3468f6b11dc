"""What a rename reaches by conventions of Python and pytest, and what it lists with a reason."""

from pathlib import Path

import pytest

from astedit.errors import AstEditError
from tests.support.renaming import expected, planned, result

Files = dict[str, str]

FIXTURE = "import pytest\n@pytest.fixture\ndef «client»(): ...\n"
PLAIN = "class P:\n    def __init__(self, x):\n        self.«x» = x\n"

CASES: list[tuple[str, str, str, Files]] = [
    (
        "the keyword of a class pattern, and what the pattern says of its subject",
        "m.py::P.x", "left",
        {
            "m.py": PLAIN + "class Q:\n    x = 1\ndef f(p):\n    match p:\n"
            "        case P(«x»=0):\n            p.«x»\n        case P(«x»=x) as q:\n"
            "            q.«x»\n        case Q(x=1):\n            p.x\n",
        },
    ),
    (
        "a module's name, and not the keyword of a class pattern",
        "m.py::x", "left",
        {"m.py": "«x» = 1\ndef f(p):\n    match p:\n        case P(x=0):\n"
                 "            return «x»\n"},
    ),
    (
        "arguments that a partial call keeps, or that stand in a dict",
        "m.py::f.x", "left",
        {
            "m.py": "import functools\nfrom functools import partial\ndef f(«x», y): ...\n"
            "partial(f, «x»=1)\nfunctools.partial(f, y=1, «x»=2)\nf(**{'«x»': 1, 'y': 2})\n"
            "partial(g, x=1)\ng(**{'x': 1})\n",
        },
    ),
    (
        "the fields of a changed copy",
        "m.py::P.x", "left",
        {
            "m.py": "import copy, dataclasses\nfrom dataclasses import dataclass, replace\n"
            "@dataclass\nclass P:\n    «x»: int\n@dataclass\nclass R:\n    x: int\n"
            "replace(P(1), «x»=2)\ndataclasses.replace(P(1), «x»=2)\ncopy.replace(P(1), «x»=1)\n"
            "replace(R(1), x=2)\n'a'.replace(x=1)\n",
            "n.py": "from m import P\ndef replace(a, x): ...\nreplace(P(1), x=2)\n",
        },
    ),
    (
        "the fields of a changed named tuple, and of attrs",
        "m.py::P.x", "left",
        {
            "m.py": "import attr, attrs\nfrom typing import NamedTuple\n"
            "class P(NamedTuple):\n    «x»: int\nP(«x»=1)._replace(«x»=2)\n"
            "attrs.evolve(P(1), «x»=2)\nattr.evolve(P(1), «x»=2)\n",
        },
    ),
    (
        "a fixture, and the parameters that pytest fills with it",
        "test_m.py::client", "user",
        {
            "test_m.py": FIXTURE + "@pytest.fixture\ndef other(«client»):\n    return «client».x\n"
            "def test_a(«client», other):\n    def g():\n        return «client»\n"
            "def plain(client):\n    return client\n"
            "@pytest.mark.parametrize('client', [1])\ndef test_b(client):\n    client\n"
            "class TestA:\n    def test_c(self, «client»):\n        «client»\n",
        },
    ),
    (
        "a fixture of a conftest, unless a nearer one has its name",
        "conftest.py::client", "user",
        {
            "conftest.py": FIXTURE,
            "t/test_a.py": "from m import C\ndef test_a(«client»: C):\n    «client».get()\n",
            "t/test_b.py": "import pytest\n@pytest.fixture\ndef client(«client»):\n"
            "    return «client»\ndef test_a(client):\n    client.get()\n",
            "t/test_c.py": "from conftest import «client»\ndef test_a(«client»):\n    «client»\n",
        },
    ),
    (
        "the names of a test's parameters in its decorators",
        "t.py::test_a.x", "left",
        {
            "t.py": "import pytest\n@pytest.mark.parametrize('«x», z', [])\n"
            "@pytest.mark.other('x')\ndef test_a(«x», z):\n    «x»\n"
            "@pytest.mark.parametrize('x', [])\ndef test_b(x):\n    x\n",
            "u.py": "import pytest\n@pytest.mark.parametrize(['z', 'x'], [])\n"
            "def test_a(x, z):\n    x\n",
        },
    ),
    (
        "a parameter of a method in every class that has the method, and not of constructors",
        "m.py::A.f.x", "left",
        {
            "m.py": "class A:\n    def f(self, «x»): ...\nclass B(A):\n    def f(self, «x»):\n"
            "        «x»\nclass C:\n    def f(self, x): ...\n"
            "def g(a: A, b: B, c: C):\n    a.f(«x»=1)\n    b.f(«x»=1)\n    c.f(x=1)\n",
        },
    ),
    (
        "a constructor's parameter, and not that of a class below",
        "m.py::A.__init__.x", "left",
        {
            "m.py": "class A:\n    def __init__(self, «x»): ...\nclass B(A):\n"
            "    def __init__(self, x):\n        super().__init__(«x»=x)\n"
            "class C(A): ...\nA(«x»=1)\nB(x=1)\nC(«x»=1)\n",
        },
    ),
    (
        "what only the classes below define, if all that do are meant",
        "m.py::Mix.run", "go",
        {
            "m.py": "class Mix:\n    def «run»(self): ...\nclass Other:\n    def use(self):\n"
            "        self.«run»()\nclass C(Mix, Other): ...\nC().«run»()\n",
        },
    ),
    (
        "names in lists that grow, and in a dict of slots",
        "m.py::f", "g",
        {
            "m.py": "def «f»(): ...\n__all__ = []\n__all__ += ['«f»']\n__all__.append('«f»')\n"
            "__all__.extend(['«f»', 'h'])\nother = []\nother.append('f')\n",
        },
    ),
    (
        "a dict of slots",
        "m.py::A.x", "left",
        {"m.py": "class A:\n    __slots__ = {'«x»': 'x'}\n    def f(self):\n        self.«x» = 1\n"
                 "        del self.«x»\n"},
    ),
    (
        "types that are written as strings, and no other strings beside them",
        "m.py::run", "go",
        {
            "m.py": "from typing import Annotated, Literal, TypeVar, cast\nclass «run»: ...\n"
            "def f(a: Literal['run'], b: Annotated['«run»', 'run']): ...\n"
            "cast('«run»', 1)\nT = TypeVar('T', bound='«run»')\nU = TypeVar('run', '«run»', int)\n"
            "other('run')\n",
            "n.py": "from m import «run»\nfrom sql import cast\nimport typing as t\n"
            "cast('run', 1)\nt.cast('list[«run»]', 1)\nf('x', bound='run')\n",
        },
    ),
    (
        "what a copy is of, or comes back from a pickle", "m.py::A.go", "run",
        {
            "m.py": "import copy, pickle\nfrom copy import deepcopy\nclass A:\n"
            "    def «go»(self): ...\na = A()\ncopy.copy(a).«go»()\ndeepcopy(a, {}).«go»()\n"
            "pickle.loads(pickle.dumps(a, -1)).«go»()\npickle.loads(data).go()\ncopy.copy().go()\n",
        },
    ),
    (
        "elements of parts, of several lists, and the least of them", "m.py::A.go", "run",
        {
            "m.py": "class A:\n    def «go»(self): ...\ndef f(a: list[A], b: A):\n"
            "    [*a][0].«go»()\n    a[1:][0].«go»()\n    max(a).«go»()\n"
            "    min(b, b, key=len).«go»()\n    len(a).go()\n",
        },
    ),
    (
        "what loops count, pair, and take from a dict", "m.py::A.go", "run",
        {
            "m.py": "class A:\n    own: 'A'\n    def «go»(self): ...\n"
            "class B:\n    def go(self): ...\n"
            "def f(a: list[A], b: list[B], d: dict[str, A]):\n"
            "    for i, x in enumerate(a, 1):\n        x.«go»()\n"
            "    [y.«go»() or z.go() for y, z in zip(a, b)]\n"
            "    for p in enumerate(a):\n        p[1].«go»()\n"
            "    for k, v in d.items():\n        v.«go»()\n"
            "    d.get(1).«go»()\n    d.pop(1).«go»()\n    [v.«go»() for v in d.values()]\n"
            "    d.other().go()\n"
            "def g(d: dict[str, tuple[int, A]], e: dict[int, list[A]]):\n"
            "    for i, v in d.values():\n        v.«go»()\n        v.own.«go»()\n"
            "    for w in e.values():\n        w[0].«go»()\n",
        },
    ),
    (
        "a method that says it returns what it is called on", "m.py::A.go", "run",
        {
            "m.py": "import typing\nfrom typing import Self\nclass A:\n    def «go»(self): ...\n"
            "    def me(self) -> Self: ...\n    def too(self) -> 'A': ...\n"
            "    def three(self) -> typing.Self: ...\nA().me().too().three().«go»()\n",
        },
    ),
    (
        "a package that imports its own module", "pkg/a.py::go", "run",
        {
            "pkg/__init__.py": "from . import a\nx = a.«go»()\n", "pkg/a.py": "def «go»(): ...\n",
            "use.py": "from pkg import a\na.«go»()\n",
        },
    ),
    (
        "a package whose module nothing binds by name", "pkg/b.py::go", "run",
        {
            "pkg/__init__.py": "from .a import *\nx = a._b.«go»()\n",
            "pkg/a.py": "from . import b as _b\n", "pkg/b.py": "def «go»(): ...\n",
        },
    ),
    (
        "what annotations with several parts hold, yield and return",
        "m.py::A.go", "run",
        {
            "m.py": "from typing import Callable, Generator\nclass A:\n    def «go»(self): ...\n"
            "class B:\n    def go(self): ...\ndef f() -> tuple[A | None, int]: ...\n"
            "a, n = f()\na.«go»()\ndef g() -> Generator[A, B, B]: ...\n"
            "for x in g():\n    x.«go»()\ndef h() -> Callable[[B], A]: ...\nh()().«go»()\n"
            "def i(d: dict[A, str]):\n    for k in d:\n        k.«go»()\n",
        },
    ),
    (
        "what a class binds to the module's name of the same spelling",
        "m.py::x", "left",
        {"m.py": "«x» = 1\nclass A:\n    x = «x»\n    x = x\n    def f(self, y=x):\n        «x»\n"},
    ),
]  # fmt: skip


@pytest.mark.parametrize("why, identifier, new, files", CASES, ids=[case[0] for case in CASES])
def test_exactly_the_references_change(
    tmp_path: Path, why: str, identifier: str, new: str, files: Files
) -> None:
    plan = planned(tmp_path, files, identifier, new)
    assert result(tmp_path, plan) == expected(files, new)


RUN = "def «run»(): ...\n"
LISTED: list[tuple[str, str, Files, list[str]]] = [
    (
        "what a module makes when it is asked", "pkg/impl.py::Foo",
        {
            "pkg/__init__.py": "def __getattr__(name): ...\n",
            "pkg/impl.py": "class «Foo»: ...\n",
            "use.py": "import pkg\nfrom pkg import Foo\npkg.Foo()\npkg.impl.«Foo»\n",
            "clear.py": "import star, other\nother.Foo\nstar.Foo\nfrom other import Foo\n",
            "other.py": "Foo = 1\n", "star.py": "from other import *\n",
        },
        ["use.py:2 (the module does not say where it has it from)",
         "use.py:3 (the module does not say where it has it from)"],
    ),
    (
        "paths, entry points, and objects that answer to anything", "m.py::run",
        {
            "m.py": RUN,
            "n.py": "f('m.run')\nf('m:run')\nf('x = m:run')\nf('run.a')\nf('run-it', 'run=m:x')\n",
        },
        [f"n.py:{line} (a string)" for line in (1, 2, 3, 4)],
    ),
    (
        "entry points in project files above", "src/m.py::run",
        {
            "src/m.py": RUN,
            "pyproject.toml": '[project.scripts]\nx = "m:run"\ny = "m:runs"\nz = "m:A.run"\n',
            "src/setup.cfg": "[options.entry_points]\nx =\n  run = m:run\n  run = m:x\n",
            "other/pyproject.toml": 'x = "m:run"\n',
        },
        ["src/setup.cfg:3 (an entry point)", "pyproject.toml:2 (an entry point)"],
    ),
    (
        "an entry point that is a method", "m.py::A.run",
        {
            "m.py": "class A:\n    def «run»(self): ...\n",
            "pyproject.toml": '[project.scripts]\nx = "m:run"\nz = "m:A.run"\n',
        },
        ["pyproject.toml:3 (an entry point)"],
    ),
    (
        "what stands for any object", "m.py::A.run",
        {
            "m.py": "from unittest.mock import Mock\nclass A:\n    def «run»(self): ...\n"
            "Mock(spec=A).run()\nsum([A()]).run()\n",
        },
        [f"m.py:{line} (the object's class is not evident)" for line in (4, 5)],
    ),
    (
        "another name that is made from it", "m.py::run",
        {
            "m.py": RUN,
            "n.py": "import m\nrun = wrap(m.«run»)\nclass A:\n    run = staticmethod(m.«run»)\n"
            "def f():\n    run = m.«run»\n    run = 1\nclass B:\n    run = 1\n",
        },
        ["n.py:2 (a name of its own, made from this one)",
         "n.py:4 (a name of its own, made from this one)"],
    ),
    (
        "code and examples in strings", "m.py::run",
        {
            "m.py": RUN,
            "n.py": "exec('import m; m.run()')\nx = '''\nfrom m import run\n'''\n'run for it'\n"
            "def f():\n    '''Call run(1), it\n    is run\n\n    >>> 1 + run()\n    ... .run\n"
            "    '''\n"
            "    return 'to run it', f'run({1})', 'runs(1)', 'x == run'\n"
            "assert repr(x) == '<run now>' != 'run now'\n"
            "'say'.find('run or stop')\ndef g():\n    '''Calls run(1).'''\n",
        },
        ["n.py:1 (code in a string)", "n.py:3 (code in a string)",
         "n.py:10 (an example in a string)", "n.py:11 (an example in a string)",
         "n.py:13 (a text that shows it)", "n.py:13 (code in a string)",
         "n.py:14 (a text that shows it)"],
    ),
    (
        "of a member, what stands behind a dot or before a sign", "m.py::A.run",
        {
            "m.py": "class A:\n    def «run»(self): ...\n    def s(self):\n"
            "        '''\n        >>> run(A())\n        >>> A().run()\n        '''\n"
            "        return '{self.run!r} {run}'.format(self=self), 'run(1)', 'run'\n",
            "n.py": "f('x.run = 1')\nf('A(run=1)')\nf('y = run')\nf(b'\\x04runq.')\nf(b'runs')\n",
        },
        ["m.py:6 (an example in a string)", "m.py:8 (a format's field)", "m.py:8 (a string)",
         "n.py:1 (code in a string)", "n.py:2 (code in a string)",
         "n.py:4 (bytes that hold the name)"],
    ),
    (
        "what implements a protocol", "m.py::P.run",
        {
            "m.py": "from typing import Protocol\nclass P(Protocol):\n    def «run»(self): ...\n"
            "    def stop(self): ...\nclass Fits:\n    def run(self): ...\n"
            "    def stop(self): ...\n"
            "class Lacks:\n    def run(self): ...\ndef f(p: P):\n    p.«run»()\n",
        },
        ["m.py:6 (a protocol asks for it)"],
    ),
    (
        "the protocol that a class implements", "m.py::Fits.run",
        {
            "m.py": "from typing import Protocol\nclass P(Protocol):\n    def run(self): ...\n"
            "class More(Protocol):\n    def run(self): ...\n    def stop(self): ...\n"
            "class Fits:\n    def «run»(self): ...\n",
        },
        ["m.py:3 (a protocol asks for it)"],
    ),
    (
        "a fixture that comes from nowhere evident", "fix.py::run",
        {
            "fix.py": "import pytest\n@pytest.fixture\ndef «run»(): ...\n",
            "t/test_a.py": "def test_a(run):\n    run.get()\ndef helper(run):\n    run\n",
        },
        ["t/test_a.py:1 (which fixture pytest passes is not evident)",
         "t/test_a.py:2 (which fixture pytest passes is not evident)"],
    ),
    (
        "a member that the object's class does not define", "m.py::A.run",
        {
            "m.py": "class A:\n    «run» = 1\nclass B:\n    def __getattr__(self, name): ...\n"
            "B().run\nclass Base:\n    def f(self):\n        self.run\nclass C(Base):\n"
            "    run = 1\n",
            "n.py": "import lib\nfrom m import B\nclass D(lib.Base): ...\nD().run\n"
            "def f(b: B | None, d: B | str, e: other):\n    b.run\n    d.run\n    e().run\n",
        },
        ["m.py:5 (its class has no such member)",
         *(f"n.py:{line} (its class has no such member)" for line in (6, 7)),
         "n.py:8 (the object's class is not evident)"],
    ),
    (
        "a member that this class and an unrelated one give to a base", "m.py::A.run",
        {
            "m.py": "class Base:\n    def f(self):\n        self.run()\nclass A(Base):\n"
            "    def «run»(self): ...\nclass B(Base):\n    def run(self): ...\n",
        },
        ["m.py:3 (the object's class is not evident)"],
    ),
    (
        "a field of a copy of nobody knows what", "m.py::P.run",
        {
            "m.py": "from dataclasses import dataclass, replace\n@dataclass\nclass P:\n"
            "    «run»: int\ndef f(p):\n    replace(p, run=1)\n",
        },
        ["m.py:6 (what is called is not evident)"],
    ),
]  # fmt: skip


@pytest.mark.parametrize("why, identifier, files, places", LISTED, ids=[one[0] for one in LISTED])
def test_the_rest_is_listed_with_its_place_and_reason(
    tmp_path: Path, why: str, identifier: str, files: Files, places: list[str]
) -> None:
    plan = planned(tmp_path, files, identifier, "other_name")
    assert result(tmp_path, plan) == expected(files, "other_name")
    word = "run" if "run" in identifier else "Foo"
    found = [hint.replace(f": {word} may be this one", "") for hint in plan.hints[1:]]
    assert found == [f"not changed: {place}" for place in places]


def test_what_an_outside_base_has_is_not_listed(tmp_path: Path) -> None:
    files = {
        "m.py": "class A:\n    «args» = 1\nclass E(Exception): ...\nE().args\n"
        "class D(dict): ...\nD().args\n"
    }
    assert planned(tmp_path, files, "m.py::A.args", "other").hints == []


def test_a_submodule_of_the_name_is_no_riddle(tmp_path: Path) -> None:
    files = {"m.py": RUN, "pkg/__init__.py": "", "pkg/run.py": "", "n.py": "from pkg import run\n"}
    plan = planned(tmp_path, files, "m.py::run", "other")
    assert plan.hints == [] and result(tmp_path, plan) == expected(files, "other")


def test_a_fixture_gets_no_name_that_a_test_uses(tmp_path: Path) -> None:
    files = {"conftest.py": FIXTURE, "test_a.py": "def test_a(client, user):\n    client\n"}
    with pytest.raises(AstEditError) as refused:
        planned(tmp_path, files, "conftest.py::client", "user")
    assert refused.value.code == "collision" and refused.value.path == "test_a.py"
