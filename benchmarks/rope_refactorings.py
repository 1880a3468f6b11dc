"""The same moves and signature changes by rope, which writes what it changes."""

import ast
import re
from pathlib import Path

from rope.base.project import Project
from rope.base.resources import File
from rope.refactor import change_signature as by_rope
from rope.refactor.move import create_move
from rope.refactor.rename import Rename

from benchmarks.refactorings import Move, Signature


def change_by_rope(root: Path, source: str, change: Move | Signature) -> bool:
    """Lets rope make a change in a tree; False if it knows none of that kind.

    Raises whatever rope raises.
    """
    project = Project(str(root), ropefolder=None, source_folders=[source])
    try:
        resource = project.get_file(change.path)
        offset = _offset(root / change.path, change.name)
        if isinstance(change, Move):
            dest = project.get_file(change.dest)
            if not dest.exists():
                dest.create()
            project.do(create_move(project, resource, offset).get_changes(dest))
            return True
        return _change_signature(project, resource, offset, change)
    finally:
        project.close()


def _offset(path: Path, name: str) -> int:
    """Where the name of a definition stands, in characters."""
    lines = path.read_text().splitlines(keepends=True)
    node: ast.AST = ast.parse("".join(lines))
    for part in name.split("."):
        node = next(each for each in ast.iter_child_nodes(node) if _binds(each, part))
    row = getattr(node, "lineno", 1) - 1
    word = re.compile(rf"\b{re.escape(name.rpartition('.')[2])}\b")
    found = word.search("".join(lines), sum(map(len, lines[:row])))
    assert found is not None
    return found.start()


def _binds(node: ast.AST, name: str) -> bool:
    match node:
        case ast.Assign(targets=[ast.Name(id=bound)]) | ast.AnnAssign(target=ast.Name(id=bound)):
            return bound == name
    return getattr(node, "name", None) == name


def _change_signature(project: Project, resource: File, offset: int, change: Signature) -> bool:
    refactoring = by_rope.ChangeSignature(project, resource, offset)
    names = [name for name, _ in refactoring.get_args()]
    match change.kind, change.options:
        case "add", _:
            adder = by_rope.ArgumentAdder(len(names), "extra", "None")
            project.do(refactoring.get_changes([adder]))
        case "remove", {"remove": [name]}:
            remover = by_rope.ArgumentRemover(names.index(name))
            project.do(refactoring.get_changes([remover]))
        case "reorder", {"reorder": str(order)}:
            new = [names.index(name) for name in order.split(",")]
            project.do(refactoring.get_changes([by_rope.ArgumentReorderer(new)]))
        case "rename", {"rename": [pair]}:
            old, _, name = pair.partition("=")
            text = resource.read()
            found = re.compile(rf"\b{old}\b").search(text, text.index("(", offset))
            assert found is not None
            project.do(Rename(project, resource, found.start()).get_changes(name))
        case _:
            return False
    return True
