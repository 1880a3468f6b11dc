"""Names say what a value is: one type a name, and no name that fits any value."""

import ast
from collections import defaultdict
from pathlib import Path

import astedit
import resolve
from tests.support.sources import nodes, trees

# Names that several modules define, and why a reader is not misled.
ALLOWED = {
    "Context": "of a handler at the gate, and what the MCP library hands to a request",
    "Format": "each output format has a class of this name, which the table of formats loads",
}


def types(tree: ast.Module) -> list[str]:
    """The public classes and type aliases that a module defines."""
    classes = [node.name for node in tree.body if isinstance(node, ast.ClassDef)]
    aliases = [
        target.id
        for node in tree.body
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Subscript | ast.BinOp)
        for target in node.targets
        if isinstance(target, ast.Name) and not target.id.isupper()
    ]
    return [name for name in classes + aliases if not name.startswith("_")]


def test_a_name_means_one_type() -> None:
    homes = defaultdict(list)
    for path, tree in trees().items():
        for name in types(tree):
            homes[name].append(path)
    assert {
        name: paths for name, paths in homes.items() if len(paths) > 1 and name not in ALLOWED
    } == {}
    assert {name for name in ALLOWED if len(homes[name]) < 2} == set(), "no longer needed"


def test_no_public_name_is_that_of_a_module_beside_it() -> None:
    """Importing a module `astedit.x` puts it where the public name `astedit.x` was found."""
    for package in (astedit, resolve):
        folder = Path(package.__path__[0])
        packages = {path.parent for path in folder.glob("*/__init__.py")}
        modules = {path.stem for path in (*folder.glob("*.py"), *packages)}
        functions = {name for name in dir(package) if callable(getattr(package, name, None))}
        assert functions & modules == set()


# Names that say nothing of a value. `found` is a match where its type is `Found`.
HOLLOW = {"found", "given", "told", "said", "one", "held", "thing", "things"}


def hollow(tree: ast.AST) -> list[str]:
    """Parameters, fields and attributes whose name says nothing, as `name: type`."""
    named = []
    for node in nodes(tree):
        if isinstance(node, ast.arg) and node.annotation is not None:
            named.append((node.arg, ast.unparse(node.annotation)))
        elif isinstance(node, ast.ClassDef):
            fields = [field for field in node.body if isinstance(field, ast.AnnAssign)]
            named += [(ast.unparse(each.target), ast.unparse(each.annotation)) for each in fields]
        elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
            named.append((node.attr, ""))
    return [
        f"{name}: {kind}"
        for name, kind in named
        if name.strip("_") in HOLLOW and not (name == "found" and "Found" in kind)
    ]


def test_parameters_and_fields_have_names_that_say_what_they_are() -> None:
    wrong = {path: hollow(tree) for path, tree in trees().items()}
    assert {path: names for path, names in wrong.items() if names} == {}


def test_every_hollow_name_is_seen() -> None:
    text = """
def f(found: Diagnosis, one: str, found_at: int) -> None: ...
class A:
    held: bytes
    def __init__(self, found: Found) -> None:
        self._told = found
"""
    seen = ["found: Diagnosis", "one: str", "held: bytes", "_told: "]
    assert sorted(hollow(ast.parse(text))) == sorted(seen)


def test_every_way_to_define_a_type_is_seen() -> None:
    text = "class Aa: ...\nBb = Callable[[int], None]\nCc = Aa | None\nD = Bb()\n_Ee = list[int]\n"
    assert types(ast.parse(text)) == ["Aa", "Bb", "Cc"]
