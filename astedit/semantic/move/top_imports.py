"""Imports at the top of a module, and those for type checkers, that come and go."""

from collections.abc import Callable, Collection, Sequence

from tree_sitter import Node

from astedit.semantic.imports.lines import after, indented, without
from astedit.semantic.imports.python import Python
from astedit.semantic.imports.python_import import PythonImport, import_statements, statement_of
from astedit.semantic.imports.python_layout import added
from astedit.semantic.move.carried_imports import CarriedImports, guard_of
from astedit.semantic.move.changed_module import ChangedModule
from astedit.semantic.move.module_code import ModuleCode
from astedit.text.source import end_of_line
from astedit.text.splice import Change

_GUARD = PythonImport("typing", "TYPE_CHECKING")


def bring(module: ChangedModule, carried: CarriedImports, *, single: bool = False) -> None:
    """Adds the imports to a module, in order; `single` is for `added`."""
    if carried.plain:
        is_first = not import_statements(module.code.root)
        module.make(_added(carried.plain, module.code, single))
        if is_first:
            module.make(_spaced(module.code))
    if not carried.guarded:
        return
    guards = _guards(module.code)
    if not guards:
        module.make(_new_guard(module.code, carried.guarded))
        if _GUARD.bound not in module.code.bound:
            module.make(added([_GUARD], module.code.root, module.code.code))
        return
    block, code = guards[-1], module.code.code
    changes = added(_once(carried.guarded), block, code, single=single)
    module.make(indented(changes, block, code))


def leave(
    module: ChangedModule, served: Collection[PythonImport], is_needed: Callable[[str], bool]
) -> None:
    """Takes imports away that only moved code used, and that nobody takes from this module."""
    syntax, code = Python(), module.code
    uses = syntax.uses(code.root)
    doomed = {
        item
        for item in served
        if not uses.hold(item.bound)
        and syntax.prunable(item, code.root, code.path)
        and not is_needed(item.bound)
    }
    if not doomed:
        return
    module.make(syntax.removed(doomed, code.root, code.code))
    for block in reversed(_guards(module.code)):
        _leave_guard(module, block, doomed)
    if _GUARD in doomed or not Python().uses(module.code.root).hold(_GUARD.bound):
        emptied = _guards(code) and not _guards(module.code)
        if emptied and not is_needed(_GUARD.bound):
            module.make(syntax.removed({_GUARD}, module.code.root, module.code.code))


def _leave_guard(module: ChangedModule, block: Node, doomed: set[PythonImport]) -> None:
    items = [item for each in import_statements(block) for item, _ in each.imports]
    others = [each for each in block.named_children if not statement_of(each).imports]
    guard = block.parent
    assert guard is not None
    if items and not others and doomed.issuperset(items):
        if guard.child_by_field_name("alternative") is None:
            module.make(without([guard], module.code.code, b"#"))
    elif not doomed.isdisjoint(items):
        module.make(Python().removed(doomed, block, module.code.code))


def _spaced(module: ModuleCode) -> list[Change]:
    """Blank lines behind the first imports of a module, where a definition follows."""
    last = import_statements(module.root)[-1].node
    following = next(
        (n for n in module.root.named_children if n.start_byte > last.start_byte), None
    )
    if following is None or not following.type.endswith("_definition"):
        return []
    blanks = module.code.count(b"\n", last.end_byte, following.start_byte) - 1
    missing = end_of_line(module.code) * max(0, 2 - blanks)
    return [(following.start_byte, following.start_byte, missing)]


def _added(imports: Sequence[PythonImport], module: ModuleCode, single: bool) -> list[Change]:
    kinds = ("function_definition", "class_definition", "decorated_definition")
    definitions = (node for node in module.root.named_children if node.type in kinds)
    first = next(definitions, None)
    before = None if first is None else first.start_byte  # what they bring may be needed there
    return added(_once(imports), module.root, module.code, single=single, before=before)


def _once(imports: Sequence[PythonImport]) -> list[PythonImport]:
    return list(dict.fromkeys(imports))


def _guards(module: ModuleCode) -> list[Node]:
    """The blocks of `if TYPE_CHECKING:` at the top level that import anything."""
    blocks = []
    for node in module.root.named_children:
        block = node.child_by_field_name("consequence") if node.type == "if_statement" else None
        statements = import_statements(block) if block is not None else []
        if block is not None and statements and guard_of(statements[0].node) is not None:
            blocks.append(block)
    return blocks


def _new_guard(module: ModuleCode, imports: Sequence[PythonImport]) -> list[Change]:
    """A block for type checkers behind the imports of a module."""
    eol = end_of_line(module.code)
    lines = [b"if TYPE_CHECKING:", *(f"    {item}".encode() for item in _once(imports))]
    text = eol.join(lines) + eol
    statements = import_statements(module.root)
    if not statements:
        first = module.root.named_children[0]
        return [(first.start_byte, first.start_byte, text + eol + eol)]
    return [after(statements[-1].node, module.code, eol + text)]
