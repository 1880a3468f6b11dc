"""One type a name: no two modules give the same name to different things."""

import ast
from collections import defaultdict
from pathlib import Path

REPOSITORY = Path(__file__).parent.parent.parent
TREES = {
    str(path.relative_to(REPOSITORY)): ast.parse(path.read_text())
    for package in ("astedit", "resolve")
    for path in sorted((REPOSITORY / package).rglob("*.py"))
}
# Names that several modules define, and why a reader is not misled.
ALLOWED = {
    "Context": "of a handler at the gate, and what the MCP library hands to a request",
    "Layout": "how a rewrite is laid out: the option, and what does it",
    "Move": "of an action to a state, and of lines to another indentation",
    "Place": "what the command line works on, and where a template begins to write",
    "Region": "what a request is restricted to, and what a template writes between two leaves",
    "Span": "of an edit in the JSON, and two offsets",
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
    for path, tree in TREES.items():
        for name in types(tree):
            homes[name].append(path)
    assert {
        name: paths for name, paths in homes.items() if len(paths) > 1 and name not in ALLOWED
    } == {}
    assert {name for name in ALLOWED if len(homes[name]) < 2} == set(), "no longer needed"


def test_every_way_to_define_a_type_is_seen() -> None:
    text = "class Aa: ...\nBb = Callable[[int], None]\nCc = Aa | None\nD = Bb()\n_Ee = list[int]\n"
    assert types(ast.parse(text)) == ["Aa", "Bb", "Cc"]
