"""Python's definitions have the names libcst gives them, in real files."""

import sysconfig
from collections import Counter
from pathlib import Path

import click
import libcst as cst
import pytest
from libcst.metadata import MetadataWrapper, QualifiedNameProvider

from astedit.language import load, named
from astedit.language.traits import traits
from astedit.locating.inventory.definitions import Definition, definitions
from tests.support.slowly import slow_after

STDLIB = Path(sysconfig.get_path("stdlib"))
FEW = [
    *(STDLIB / f"{name}.py" for name in ("contextlib", "heapq", "functools")),
    *sorted(Path(click.__file__).parent.glob("*.py"))[:6],
]
MANY = [path for path in sorted(STDLIB.glob("*.py"))[::3] if path.stat().st_size < 120_000]


def found(text: bytes) -> list[Definition]:
    row = named("python")
    assert row is not None
    rules = traits("python").definitions
    assert rules is not None
    grammar = load(row)
    return definitions(grammar.parser().parse(text).root_node, text, grammar, rules)[1]


class Names(cst.CSTVisitor):
    """Functions and classes with their counts, and the names that targets bind."""

    METADATA_DEPENDENCIES = (QualifiedNameProvider,)

    def __init__(self) -> None:
        super().__init__()
        self.definitions: Counter[str] = Counter()
        self.variables: set[str] = set()

    def _name(self, node: cst.CSTNode) -> str:
        names = self.get_metadata(QualifiedNameProvider, node, set())
        return next(iter(names)).name.replace(".<locals>", "") if names else ""

    def visit_FunctionDef(self, node: cst.FunctionDef) -> None:
        self.definitions[self._name(node)] += 1

    def visit_ClassDef(self, node: cst.ClassDef) -> None:
        self.definitions[self._name(node)] += 1

    def _target(self, node: cst.CSTNode) -> None:
        if isinstance(node, cst.Name):
            self.variables.add(self._name(node))
        elif isinstance(node, cst.Tuple | cst.List):
            for element in node.elements:
                self._target(element.value)

    def visit_AssignTarget(self, node: cst.AssignTarget) -> None:
        self._target(node.target)

    def visit_AnnAssign(self, node: cst.AnnAssign) -> None:
        self._target(node.target)

    def visit_For(self, node: cst.For) -> None:
        self._target(node.target)

    def visit_WithItem(self, node: cst.WithItem) -> None:
        if node.asname is not None:
            self._target(node.asname.name)


def agree(path: Path) -> None:
    text = path.read_bytes()
    names = Names()
    MetadataWrapper(cst.parse_module(text)).visit(names)
    ours = found(text)
    defined = Counter(
        ".".join(one.names) for one in ours if one.kind in ("function", "class", "method")
    )
    bound = {".".join(one.names) for one in ours if one.kind not in ("function", "class", "method")}
    assert defined == names.definitions
    assert names.variables - {""} <= bound


@slow_after(3, "path", FEW, ids=lambda path: path.name)
def test_names_are_those_of_libcst(path: Path) -> None:
    agree(path)


@pytest.mark.slow
@pytest.mark.timeout(900)
@pytest.mark.parametrize("path", MANY, ids=lambda path: path.name)
def test_names_are_those_of_libcst_everywhere(path: Path) -> None:
    agree(path)


def test_the_prefilter_never_hides_a_definition() -> None:
    from astedit.locating.inventory.source_roots import SourceRoots
    from astedit.locating.symbols import may_define

    for path in FEW:
        text = path.read_bytes()
        roots = SourceRoots([path.name])
        for one in found(text):
            assert may_define(roots, (one.names[-1],))(path.name, "python", text), (path, one.names)


def named_as(text: str) -> dict[str, Definition]:
    return {".".join(one.names): one for one in found(text.encode())}


def test_a_region_begins_at_its_first_decorator() -> None:
    text = "# é\n@a\n@b(1)\nasync def f():\n    pass\n"
    one = named_as(text)["f"]
    raw = text.encode()
    assert raw[slice(*one.span)].decode() == "@a\n@b(1)\nasync def f():\n    pass"
    assert raw[slice(*one.body)] == b"pass"
    assert one.line == 4


def test_an_attribute_of_self_is_one_of_its_class() -> None:
    text = "class A:\n    y: int\n    def p(me):\n        me.q = me.y = 1\n        other.z = 2\n"
    kinds = {name: one.kind for name, one in named_as(text).items() if name != "A.p.me"}
    assert kinds == {"A": "class", "A.y": "attribute", "A.p": "method", "A.q": "attribute"}
    assert named_as(text)["A.y"].bound == 2


def test_kinds() -> None:
    text = "A_B = 1\na = 2\nclass C:\n    d = 3\ndef f():\n    global g\n    g = h = 4\n"
    found_ = named_as(text)
    assert {name: one.kind for name, one in found_.items()} == {
        "A_B": "constant", "a": "variable", "C": "class", "C.d": "attribute", "f": "function",
        "g": "variable", "f.h": "variable",
    }  # fmt: skip
    assert [name for name, one in found_.items() if one.local] == ["f.h"]


def test_a_parameter_is_named_by_its_function() -> None:
    found_ = named_as("def f(a, b: int, c=1, d: int = 2, *e: int, g, **h): pass\nk = lambda l: l\n")
    assert [name for name, one in found_.items() if one.local] == [f"f.{one}" for one in "abcdegh"]
    assert all(one.attribute for one in found_.values() if one.local)
