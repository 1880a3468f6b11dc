"""The module that a move leaves empty: it goes, unless anything else imports it."""

import ast
import posixpath
import re
import stat
from collections.abc import Mapping

from astedit.engine.whole_files import deleted
from astedit.model.edit import FilePlan
from astedit.model.request import EditRequest
from astedit.semantic.move.changed_module import ChangedModule
from astedit.semantic.move.file_imports import FileImports
from astedit.semantic.move.module_code import ModuleCode
from astedit.semantic.move.module_names import stem_of
from astedit.semantic.move.workspace_code import WorkspaceCode
from astedit.workspace.root import Workspace

_FOUND_BY_NAME = ("__init__.py", "__main__.py", "conftest.py")


def emptied(
    request: EditRequest,
    workspace: Workspace,
    code: WorkspaceCode,
    changed: Mapping[str, ChangedModule],
    path: str,
) -> FilePlan | None:
    """The plan of the old module's end; None if it stays.

    A comment or a docstring is reason enough for it to stay.
    """
    if posixpath.basename(path) in _FOUND_BY_NAME or not _is_empty(changed[path].code):
        return None
    word = re.compile(
        rb"(?<!\w)" + re.escape(posixpath.basename(stem_of(path)).encode()) + rb"(?!\w)"
    )
    for other in code.library.keep(word.search):
        module = changed[other].code if other in changed else code.code(other)
        if other != path and (module is None or _imports(module, code, path)):
            return None
    raw, status = workspace.read(path, request.max_file_size)
    return deleted(path, raw, stat.S_IMODE(status.st_mode))


def _is_empty(module: ModuleCode) -> bool:
    """Whether a module holds nothing, or nothing but `from __future__`."""
    only = all(isinstance(n, ast.ImportFrom) and n.module == "__future__" for n in module.tree.body)
    return only and b"#" not in module.code


def _imports(module: ModuleCode, code: WorkspaceCode, path: str) -> bool:
    file = FileImports(module, code.modules)
    for statement in file.statements:
        items = [item for item, _ in statement.imports]
        if path == file.source_of(statement) or path in map(file.submodule, items):
            return True
        if any(not item.module and path == file.resolved(item.name) for item in items):
            return True
    return False
