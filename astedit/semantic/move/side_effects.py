"""What ties a name to its module: statements that change it there, and `globals()`."""

import ast
from collections.abc import Collection, Iterator

from astedit.semantic.move.module_code import ModuleCode, names_bound


def changed_on_import(module: ModuleCode, names: Collection[str]) -> Iterator[str]:
    """A line for each: who imports the new module alone does not have the change."""
    for node in module.tree.body:
        for name in sorted({_root(part) for part in _changed(node)}.intersection(names)):
            if name not in names_bound(node):
                yield (
                    f"{module.path}:{node.lineno} changes {name} when {module.path} is imported, "
                    "and stays there"
                )


def names_at_once(module: ModuleCode) -> int | None:
    """The line where a module reads its names by `globals()`; None if it does nowhere.

    Which names it needs there is not evident. What only writes (`globals()[x] = 1`) is none.
    """
    writing = {id(part) for node in ast.walk(module.tree) for part in _written(node)}
    for node in ast.walk(module.tree):
        match node:
            case ast.Call(func=ast.Name(id="globals"), args=[]) if id(node) not in writing:
                return node.lineno
    return None


def _written(node: ast.AST) -> Iterator[ast.expr]:
    match node:
        case ast.Subscript(value=value, ctx=ast.Store() | ast.Del()):
            yield value
        case ast.Call(func=ast.Attribute(value=value, attr="update" | "setdefault" | "pop")):
            yield value


def _changed(node: ast.stmt) -> Iterator[ast.expr]:
    """What a statement of the top level assigns to, calls a method of, or registers with."""
    match node:
        case ast.Assign(targets=targets) | ast.Delete(targets=targets):
            yield from (each for each in targets if not isinstance(each, ast.Name))
        case ast.AugAssign(target=target) | ast.AnnAssign(target=target):
            yield from (each for each in [target] if not isinstance(each, ast.Name))
        case ast.Expr(value=ast.Call(func=ast.Attribute() as func)):
            yield func
        case ast.FunctionDef(decorator_list=decorators) | ast.ClassDef(decorator_list=decorators):
            for each in decorators:
                called = each.func if isinstance(each, ast.Call) else each
                if isinstance(called, ast.Attribute):
                    yield called


def _root(node: ast.expr) -> str:
    """The name at the beginning of `name.attribute[key]`; "" for anything else."""
    while isinstance(node, ast.Attribute | ast.Subscript):
        node = node.value
    return node.id if isinstance(node, ast.Name) else ""
