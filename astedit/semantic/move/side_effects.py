"""What ties a name to its module: `globals()`, statements that change it, and replacements.

Moved code takes a name that others replace from its old module once, when it is imported, and
would go on with what the name meant then.
"""

import ast
import re
from collections.abc import Collection, Iterator

from astedit.semantic.move.file_imports import FileImports
from astedit.semantic.move.module_code import ModuleCode, WorkspaceCode, names_bound, refused


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
            yield from (item for item in targets if not isinstance(item, ast.Name))
        case ast.AugAssign(target=target) | ast.AnnAssign(target=target):
            yield from (item for item in [target] if not isinstance(item, ast.Name))
        case ast.Expr(value=ast.Call(func=ast.Attribute() as func)):
            yield func
        case ast.FunctionDef(decorator_list=decorators) | ast.ClassDef(decorator_list=decorators):
            for decorator in decorators:
                called = decorator.func if isinstance(decorator, ast.Call) else decorator
                if isinstance(called, ast.Attribute):
                    yield called


def _root(node: ast.expr) -> str:
    """The name at the beginning of `name.attribute[key]`; "" for anything else."""
    while isinstance(node, ast.Attribute | ast.Subscript):
        node = node.value
    return node.id if isinstance(node, ast.Name) else ""


_DOTTED = re.compile(r"[\w.]+\Z")


def replacements(code: WorkspaceCode, path: str, names: Collection[str]) -> Iterator[str]:
    """The places where tests and others replace one of the names of the module at `path`.

    Raises `PreconditionError` with the place of an assignment (`module.name = …`).
    """
    if not names:
        return
    word = re.compile(rb"(?<!\w)(?:" + b"|".join(map(re.escape, map(str.encode, names))) + rb")\b")
    for other in code.library.keep(word.search):
        module = code.code(other)
        if module is not None and other != path:
            yield from _in_module(module, code, path, names)


def _in_module(
    module: ModuleCode, code: WorkspaceCode, path: str, names: Collection[str]
) -> Iterator[str]:
    file = FileImports(module, code.modules)
    for node in ast.walk(module.tree):
        match node:
            case ast.Attribute(value, attr, ast.Store() | ast.Del()) if attr in names:
                if _is_module(file, value, path):
                    why = f"assigns to {ast.unparse(node)}: moved code would not see that"
                    raise refused(f"{module.path}:{node.lineno}:", why, "global_name")
            case ast.Call(args=[first, ast.Constant(value=str(attr)), *_]) if attr in names:
                if _is_module(file, first, path):
                    yield _noted(module, node.lineno, attr)
            case ast.Call(args=[ast.Constant(value=str(dotted)), *_]) if _DOTTED.match(dotted):
                before, _, attr = dotted.rpartition(".")
                if attr in names and file.resolved(before) == path:
                    yield _noted(module, node.lineno, attr)


def _is_module(file: FileImports, value: ast.expr, path: str) -> bool:
    """Whether an expression is the module at `path`, as the file imports it."""
    written = ast.unparse(value)
    first = written.partition(".")[0]
    for item in (item for statement in file.statements for item, _ in statement.imports):
        if item.module and item.bound == written and file.submodule(item) == path:
            return True
        if item.module is None and item.bound == first:
            name = written.replace(first, item.name, 1) if item.alias else written
            if file.resolved(name) == path:
                return True
    return False


def _noted(module: ModuleCode, line: int, name: str) -> str:
    return f"{module.path}:{line}: may replace {name}, which moved code would not see"
