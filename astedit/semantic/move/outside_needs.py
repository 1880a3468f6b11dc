"""Whether other modules take a name from a module that only imports it."""

import re
from collections.abc import Callable

from astedit.semantic.inference.module_paths import ModulePaths
from astedit.semantic.library import Library
from astedit.semantic.move.file_imports import FileImports
from astedit.semantic.move.module_code import ModuleCode
from astedit.semantic.move.module_names import stem_of


class OutsideNeeds:
    """Looks through the modules of the workspace; `code_of` reads one that can be read."""

    def __init__(
        self,
        library: Library,
        modules: ModulePaths,
        code_of: Callable[[str], ModuleCode | None],
    ) -> None:
        self._library, self._modules, self._code_of = library, modules, code_of

    def need(self, path: str, name: str) -> bool:
        """Whether another module imports the name from the one at `path`, or reads it there."""
        stem = stem_of(path).rpartition("/")[2]
        words = [re.compile(rb"(?<!\w)" + each.encode() + rb"(?!\w)") for each in (stem, name)]
        files = self._library.keep(lambda code: all(word.search(code) for word in words))
        return any(self._needs(other, path, stem, name) for other in files if other != path)

    def _needs(self, other: str, path: str, stem: str, name: str) -> bool:
        module = self._code_of(other)
        if module is None:
            return True
        file = FileImports(module, self._modules)
        known = {stem}
        for statement in file.statements:
            if file.source_of(statement) == path:
                names = {item.name for item, _ in statement.imports}
                if name in names or not names:
                    return True
            for item, _ in statement.imports:
                if item.alias and path in (file.submodule(item), file.resolved(item.name)):
                    known.add(item.alias)
        word = "|".join(re.escape(each) for each in known)
        return bool(re.search(rf"\b(?:{word})\.{re.escape(name)}\b", module.code.decode()))
