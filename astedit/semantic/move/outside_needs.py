"""Whether other modules take a name from a module that only imports it."""

import posixpath
import re
from collections import defaultdict
from functools import cached_property

from astedit.semantic.move.file_imports import FileImports
from astedit.semantic.move.module_code import ModuleCode
from astedit.semantic.move.module_names import stem_of
from astedit.semantic.move.workspace_code import WorkspaceCode

_IMPORT = re.compile(rb"^[ \t]*(?:from|import)\b([^\n(]*(?:\([^)]*\))?)", re.MULTILINE)
_WORD = re.compile(rb"[^\W\d]\w*|\.(?=\s)")


class OutsideNeeds:
    """Looks through the modules of a workspace; their imports are listed once."""

    def __init__(self, code: WorkspaceCode) -> None:
        self._code = code
        self._asked: set[tuple[str, str]] = set()

    @cached_property
    def _importing(self) -> dict[bytes, list[str]]:
        """The files by every word of their imports; a dot alone is the package around a file."""
        files: dict[bytes, list[str]] = defaultdict(list)
        for path in self._code.library.files:
            text = self._code.bytes(path) or b""
            for word in {word for each in _IMPORT.findall(text) for word in _WORD.findall(each)}:
                files[word].append(path)
        return files

    def need(self, path: str, name: str) -> bool:
        """Whether another module imports the name from the one at `path`, or reads it there."""
        stem = posixpath.basename(stem_of(path))
        files = {*self._importing.get(stem.encode(), ())}
        if path.endswith("__init__.py"):
            files.update(self._importing.get(b".", ()))
        word = re.compile(rb"(?<!\w)" + name.encode() + rb"(?!\w)|import[ \t]*\*")
        holding = [other for other in files if word.search(self._code.bytes(other) or b"")]
        return any(self._needs(other, path, stem, name) for other in holding if other != path)

    def _needs(self, other: str, path: str, stem: str, name: str) -> bool:
        module = self._code.code(other)
        if module is None:
            return True
        file = FileImports(module, self._code.modules)
        known = {stem}
        for statement in file.statements:
            if file.source_of(statement) == path:
                names = {item.name for item, _ in statement.imports}
                if name in names or (not names and self._is_starred(path, name, module)):
                    return True
            for item, _ in statement.imports:
                if item.alias and path in (file.submodule(item), file.resolved(item.name)):
                    known.add(item.alias)
        words = "|".join(re.escape(each) for each in known)
        return bool(re.search(rf"\b(?:{words})\.{re.escape(name)}\b", module.code.decode()))

    def _is_starred(self, path: str, name: str, by: ModuleCode) -> bool:
        """Whether a star import of a module by another brings what somebody needs of it."""
        module = self._code.code(path)
        if name.startswith("_") or (module is not None and "__all__" in module.bound):
            return False
        if re.search(rf"(?<!\w){re.escape(name)}(?!\w)", by.code.decode()):
            return True
        self._asked.add((path, name))  # a circle of star imports
        return (by.path, name) not in self._asked and self.need(by.path, name)
