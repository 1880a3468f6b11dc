"""Imports that go into the functions that use them, where modules would import each other."""

from tree_sitter import Node

from astedit.python.module_paths import ModulePaths
from astedit.python.syntax import parts_of, text_of, words
from astedit.semantic.imports.lines import line_start
from astedit.semantic.imports.python import PythonImport
from astedit.semantic.move.file_imports import FileImports
from astedit.semantic.move.module_code import ChangedModule, ModuleCode
from astedit.text.indent import leading
from astedit.text.source import end_of_line
from astedit.text.splice import Change


def localise(module: ChangedModule, target: str, modules: ModulePaths) -> list[str]:
    """Lets functions of a module import what is new from the one at `target`; the names.

    There are none, and nothing changes, if anything but the body of a function needs one of them.
    """
    file = FileImports(module.code, modules)
    known = {
        item for old in FileImports(module.before, modules).statements for item, _ in old.imports
    }
    names: list[str] = []
    changes: list[Change] = []
    for statement in file.statements:
        at_top = statement.node.parent == module.code.root
        if not at_top or file.source_of(statement) != target:
            continue
        new = {n: item for n, (item, _) in enumerate(statement.imports) if item not in known}
        for item in new.values():
            functions = _using(module.code, item.bound, statement.node)
            if not functions:
                return []
            names.append(item.bound)
            changes += [_line(module.code, function, item) for function in functions]
        if new:
            file.take_out(statement, {*new})
    if names:
        module.make([*changes, *file.changes])
    return names


def _using(module: ModuleCode, name: str, statement: Node) -> list[Node]:
    """The bodies of functions that use a name of the module; none if anything else does."""
    bodies: dict[int, Node] = {}
    for word in words(module.root):
        inside = statement.start_byte <= word.start_byte < statement.end_byte
        if text_of(word) != name or inside:
            continue
        if module.scopes.holder(word) is not module.scopes.module:
            continue
        body = _body_around(word)
        if body is None:
            return []
        bodies[body.id] = body
    return list(bodies.values())


def _body_around(word: Node) -> Node | None:
    """The body of the outermost function around a name that runs only when it is called."""
    node, body = word, None
    while (above := node.parent) is not None:
        if above.type == "function_definition":
            body = node if above.child_by_field_name("body") == node else None
        node = above
    return body


def _line(module: ModuleCode, body: Node, item: PythonImport) -> Change:
    """The import as the first statement of a body, its docstring aside."""
    first, *rest = parts_of(body)
    if rest and first.type == "expression_statement" and parts_of(first)[0].type == "string":
        first = rest[0]
    code, text = module.code, str(item).encode()
    start = line_start(code, first.start_byte)
    if code[start : first.start_byte].strip():
        return first.start_byte, first.start_byte, text + b"; "
    return start, start, leading(code, first.start_byte) + text + end_of_line(code)
