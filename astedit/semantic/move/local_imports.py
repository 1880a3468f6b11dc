"""Imports that go into the functions that use them, where a module imports what needs it."""

from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import islice

from tree_sitter import Node

from astedit.language.brackets import nearest, parents
from astedit.python.facts import ListedUse, NameUse, StringUse
from astedit.python.module_paths import ModulePaths
from astedit.python.reader import Unreadable, read
from astedit.python.spelled import CODE, EXAMPLE, SPELLED, TYPE_COMMENT
from astedit.python.syntax import docstring_of, parts_of
from astedit.semantic.file_imports import FileImports
from astedit.semantic.imports.python import PythonImport, import_statements
from astedit.semantic.module_code import ChangedModule, ModuleCode
from astedit.semantic.move.carried_imports import CarriedImports
from astedit.semantic.move.moved_code import has_lazy_annotations
from astedit.semantic.move.moved_tree import bring, guards
from astedit.text.indent import leading
from astedit.text.source import Change, end_of_line, line_start


def localise(
    module: ChangedModule, target: str, modules: ModulePaths, is_needed: Callable[[str], bool]
) -> str:
    """Lets functions of a module import what is new from the one at `target`; says which names.

    Nothing changes, and "" comes out, if one of them is needed outside of bodies, or by another
    module. What only annotations of functions name is imported for type checkers, if the module
    imports anything for these alone: then nobody else can ask for its annotations.
    """
    file = FileImports(module.code, modules)
    root = module.before.root
    known = {item for statement in import_statements(root) for item, _ in statement.imports}
    blocks = guards(module.code)
    hidden = {i for block in blocks for s in import_statements(block) for i, _ in s.imports}
    local, typed, changes = list[str](), list[PythonImport](), list[Change]()
    for statement in file.statements:
        if statement.node.parent != module.code.root or file.source_of(statement) != target:
            continue
        new = {n: item for n, (item, _) in enumerate(statement.imports) if item not in known}
        for item in new.values():
            needs = _needs(module.code, item.bound, statement.node)
            if needs.others or is_needed(item.bound) or (needs.types and not blocks):
                return ""
            changes += [_line(module.code, body, item) for body in needs.bodies.values()]
            local += [item.bound] if needs.bodies else []
            typed += [item] if needs.types else []
        if new:
            file.take_out(statement, {*new})
    if not local and not typed:
        return ""
    module.make([*changes, *file.changes])
    bring(module, CarriedImports(guarded=[item for item in typed if item not in hidden]))
    names = ", ".join(item.bound for item in typed)
    parts = [f"{', '.join(local)} in the functions that use it" if local else ""]
    parts += [f"{names} for type checkers" if typed else ""]
    return " and ".join(filter(None, parts))


@dataclass(slots=True)
class _NameNeeds:
    """What needs a name: function `bodies`, annotations for type checkers, and `others`."""

    bodies: dict[int, Node] = field(default_factory=dict)
    types: bool = False
    others: bool = False


def _needs(module: ModuleCode, name: str, statement: Node) -> _NameNeeds:
    """What needs a name of a module, the statement that imports it aside."""
    needs = _NameNeeds()
    try:
        uses = read(module.code, name, None).uses
    except Unreadable:
        uses, needs.others = [], True
    for use in uses:
        is_import = statement.start_byte <= use.start < statement.end_byte
        if isinstance(use, NameUse) and use.names == (name,) and not is_import:
            _add(needs, module.at(use), has_lazy_annotations(module))
        elif isinstance(use, ListedUse | StringUse):
            needs.others |= _is_of_module(use, module)
    needs.others |= not (needs.bodies or needs.types)
    needs.others |= needs.types and b"get_type_hints" in module.code
    return needs


def _is_of_module(use: ListedUse | StringUse, module: ModuleCode) -> bool:
    """Whether a string means the name as the module has it: in `__all__`, in code, in a type."""
    if isinstance(use, ListedUse):
        return not use.owner
    if use.kind == SPELLED:  # of `Box["Order"]`, where nobody says that it is a type
        string = module.root.descendant_for_byte_range(use.start, use.start)
        around = islice(parents(string), 2) if string is not None else ()
        return any(above.type == "subscript" for above, _ in around)
    return use.kind in (CODE, EXAMPLE, TYPE_COMMENT)


_ANNOTATED = ("assignment", "typed_parameter", "typed_default_parameter", "function_definition")


def _add(needs: _NameNeeds, word: Node, lazy: bool) -> None:
    """Notes what needs a name at a place: a body that runs when its function is called, or not.

    Whoever asks for annotations that were not evaluated looks their names up in the module:
    those of classes and of decorated functions are not there for type checkers alone.
    """
    body = None
    for above, node in parents(word):
        if above.type == "function_definition":
            body = node if above.child_by_field_name("body") == node else None
        if node.type == "type" and (lazy or word.type != "identifier") and above.type in _ANNOTATED:
            around = nearest(node, ("class_definition", "function_definition"))
            is_function = around is not None and around.type == "function_definition"
            if above.type == "assignment" and is_function:
                continue  # nobody keeps that of a variable
            outer = around.parent if around is not None else None
            needs.types = True
            needs.others |= around is not None and not is_function
            needs.others |= outer is not None and outer.type == "decorated_definition"
            return
    if body is None:
        needs.others = True
    else:
        needs.bodies[body.id] = body


def _line(module: ModuleCode, body: Node, item: PythonImport) -> Change:
    """The import as the first statement of a body, its docstring aside."""
    first, *rest = parts_of(body)
    if rest and docstring_of(body) is not None:
        first = rest[0]
    code, text = module.code, str(item).encode()
    start = line_start(code, first.start_byte)
    if code[start : first.start_byte].strip():
        return first.start_byte, first.start_byte, text + b"; "
    return start, start, leading(code, first.start_byte) + text + end_of_line(code)
