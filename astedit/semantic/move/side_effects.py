"""What ties a name to its module: `globals()`, statements that change it, and replacements.

Moved code takes a name that others replace from its old module once, when it is imported, and
would go on with what the name meant then.
"""

import re
from collections.abc import Collection, Iterator

from tree_sitter import Node

from astedit.python.syntax import (
    SUBSCRIPTS,
    arguments,
    dotted,
    evaluated,
    every_node,
    parts_of,
    text_of,
)
from astedit.semantic.file_imports import FileImports
from astedit.semantic.module_code import ModuleCode, WorkspaceCode, line_at, refused
from astedit.semantic.move.users import is_target

_WRITING = ("update", "setdefault", "pop")


def changed_on_import(module: ModuleCode, names: Collection[str]) -> Iterator[str]:
    """A line for each: who imports the new module alone does not have the change."""
    for node, bound in module.statements:
        changed = {dotted(part, SUBSCRIPTS).partition(".")[0] for part in _changed(node)}
        for name in sorted(changed.intersection(names) - bound):
            yield (
                f"{module.path}:{line_at(node)} changes {name} when {module.path} is imported, "
                "and stays there"
            )


def names_at_once(module: ModuleCode) -> int | None:
    """The line where a module reads its names by `globals()`; None if it does nowhere.

    Which names it needs there is not evident. What only writes (`globals()[x] = 1`) is none.
    """
    for word in module.reads:
        call = word.parent
        is_call = call is not None and call.type == "call" and not arguments(call)
        if text_of(word) == "globals" and is_call and call is not None and not _writes(call):
            return call.start_point.row + 1
    return None


def _writes(call: Node) -> bool:
    """Whether what a call gives is only written to."""
    above = call.parent
    if above is None:
        return False
    if above.type == "subscript":
        return is_target(above)
    name = text_of(above.child_by_field_name("attribute")) if above.type == "attribute" else ""
    whole = above.parent
    return name in _WRITING and whole is not None and whole.type == "call"


def _changed(node: Node) -> Iterator[Node]:
    """What a statement of the top level assigns to, calls a method of, or registers with."""
    parts = parts_of(node)
    if node.type == "decorated_definition":
        called = [parts_of(part)[0] for part in parts if part.type == "decorator"]
        every = [item.child_by_field_name("function") or item for item in called]
        yield from (item for item in every if item.type == "attribute")
    elif node.type == "delete_statement":
        yield from (item for part in parts for item in parts_of(part) or [part])
    elif node.type == "expression_statement":
        value: Node | None = parts[0]
        if value is not None and value.type == "call":
            function = value.child_by_field_name("function")
            yield from [function] if function is not None and function.type == "attribute" else []
        while value is not None and value.type in ("assignment", "augmented_assignment"):
            left = value.child_by_field_name("left")
            yield from [left] if left is not None and left.type != "identifier" else []
            value = value.child_by_field_name("right")


_DOTTED = re.compile(r"[\w.]+\Z")


def replacements(code: WorkspaceCode, path: str, names: Collection[str]) -> Iterator[str]:
    """The places where tests and others replace one of the names of the module at `path`.

    Raises `PreconditionError` with the place of an assignment (`module.name = …`).
    """
    if not names:
        return
    word = re.compile(rb"(?<!\w)(?:" + b"|".join(map(re.escape, map(str.encode, names))) + rb")\b")
    for other in code.library.keep("", word.search):
        if (module := code.code(other)) is not None and other != path:
            yield from _in_module(module, code, path, names)


def _in_module(
    module: ModuleCode, code: WorkspaceCode, path: str, names: Collection[str]
) -> Iterator[str]:
    file = FileImports(module, code.modules)
    for node in every_node(module.root):
        line = node.start_point.row + 1
        if node.type == "attribute" and text_of(node.child_by_field_name("attribute")) in names:
            if is_target(node) and _is_module(file, node.child_by_field_name("object"), path):
                why = f"assigns to {text_of(node)}: moved code would not see that"
                raise refused(module.path, why, "global_name", at=line)
        elif node.type == "call" and (args := arguments(node)):
            first, *rest = (evaluated(arg.value) if not arg.star else None for arg in args[:2])
            if rest and rest[0] in names and _is_module(file, args[0].value, path):
                yield _noted(module, line, str(rest[0]))
            elif isinstance(first, str) and _DOTTED.match(first):
                before, _, attr = first.rpartition(".")
                if attr in names and file.resolved(before) == path:
                    yield _noted(module, line, attr)


def _is_module(file: FileImports, value: Node | None, path: str) -> bool:
    """Whether an expression is the module at `path`, as the file imports it."""
    written = text_of(value)
    first = written.partition(".")[0]
    for _, _, item in file.items:
        if item.module and item.bound == written and file.submodule(item) == path:
            return True
        if item.module is None and item.bound == first:
            name = written.replace(first, item.name, 1) if item.alias else written
            if file.resolved(name) == path:
                return True
    return False


def _noted(module: ModuleCode, line: int, name: str) -> str:
    return f"{module.path}:{line}: may replace {name}, which moved code would not see"
