"""Names of a module that other modules put something else in the place of.

Moved code takes such a name from its old module once, when it is imported, and would go on with
what the name meant then.
"""

import ast
import re
from collections.abc import Collection, Iterator

from astedit.semantic.move.file_imports import FileImports
from astedit.semantic.move.module_code import ModuleCode, refused
from astedit.semantic.move.workspace_code import WorkspaceCode

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
