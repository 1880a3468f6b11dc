"""Imports that a removal leaves without a use: of the name itself, and in its own module."""

from tree_sitter import Node

from astedit.rule.names import EditedFile, ImportChanges
from astedit.semantic.facts.uses import ImportUse
from astedit.semantic.imports.edits import import_edits
from astedit.semantic.imports.python import Python
from astedit.semantic.imports.python_import import PythonImport
from astedit.semantic.library import Library
from astedit.semantic.rename.definition_nodes import parsed
from astedit.semantic.rename.module_readers import module_stem, reads
from astedit.text.splice import Change, compose, splice

_SYNTAX = Python()


def idle_import(use: ImportUse, root: Node, path: str) -> PythonImport | None:
    """The import at the top of a module that brings the name to nobody; None if it may serve.

    In an `__init__.py`, as `f as f`, and where a string such as those of `__all__` holds the
    name, it is there for other modules.
    """
    uses = _SYNTAX.uses(root)
    for statement in _SYNTAX.statements(root):
        for present, node in statement.imports:
            if node.start_byte <= use.start < node.end_byte:
                idle = not uses.hold(present.bound) and _SYNTAX.prunable(present, root, path)
                return present if idle else None
    return None


def without_idle_imports(
    library: Library, path: str, code: bytes, changes: list[Change]
) -> list[Change]:
    """The changes, and the imports of the module that nobody needs after them.

    An import stays that another module takes from this one, by its name or by `*`.
    """
    after = splice(code, changes)
    before, result = parsed(code), parsed(after)
    used, uses = _SYNTAX.uses(before).code, _SYNTAX.uses(result)
    idle = [
        present
        for statement in _SYNTAX.statements(result)
        for present, _ in statement.imports
        if present.bound in used and not uses.hold(present.bound)
        if _SYNTAX.prunable(present, result, path)
    ]
    idle = [present for present in idle if not _is_taken(library, path, present.bound)]
    if not idle:
        return changes
    asked = ImportChanges(remove=tuple(dict.fromkeys(map(str, idle))))
    more = import_edits(EditedFile(path, "python", code, after), asked)
    return [change for change, _, _ in compose(code, changes, more)]


def _is_taken(library: Library, path: str, name: str) -> bool:
    """Whether another module may read this module's `name`, which it only imports."""
    stem = module_stem(path)
    texts = (library.text(other) for other in library.files if other != path)
    return any(reads(text.code, stem, name) for text in texts if text is not None)
