"""What becomes of a file that imports modules which go to another place, or goes there itself."""

import re
from collections.abc import Sequence

from astedit.python.syntax import dotted_start, split_level
from astedit.semantic.file_imports import FileImports, ImportStatement
from astedit.semantic.imports.python import PythonImport, module_of
from astedit.semantic.module_code import ModuleNames, Relocation, WorkspaceCode
from astedit.text.source import Change

_NAMELESS = "no_module_name"


class ModuleUsers:
    """Writes the imports of one file for the places where everything is afterwards."""

    def __init__(
        self, path: str, code: WorkspaceCode, relocation: Relocation, names: ModuleNames
    ) -> None:
        module = code.needed(path)
        self._module, self._code = module, code
        self._relocation, self._names = relocation, names
        self._after = relocation.after
        self._file = FileImports(module, relocation.before)
        self._path = relocation.there(module.path)
        self._changes: list[Change] = []
        self._is_spread = False

    def changes(self, reads: Sequence[int], heads: Sequence[int]) -> list[Change]:
        """All changes; at each byte of `reads` a moved module is read as an attribute.

        At each of `heads` stands the name of a moved module that is in no package.
        """
        spans = [item.node.byte_range for item in self._file.statements]
        reads = [at for at in reads if not any(low <= at < high for low, high in spans)]
        self._is_spread = self._follow_heads(heads)
        for statement in self._file.statements:
            if module_of(statement.node) is not None:
                self._follow_from(statement)
            else:
                for number in range(len(statement.imports)):
                    self._follow_import(statement, number, reads)
        for start in reads:
            self._follow_read(start)
        return [*self._changes, *self._file.changes]

    # -- from a import b ---------------------------------------------------------------------

    def _follow_from(self, statement: ImportStatement) -> None:
        module = module_of(statement.node) or ""
        level, name = split_level(module)
        target = self._file.resolved(module)
        if target is None:
            if level and self._path != self._module.path:
                raise self._file.refused(
                    statement.node.start_byte, f"{module} is not there", _NAMELESS
                )
            return
        there = self._relocation.there(target)
        leaving = [
            number
            for number, (item, _) in enumerate(statement.imports)
            if (inner := self._relocation.before.inside(target, item.name)) is not None
            and self._after.inside(there, item.name) != self._relocation.there(inner)
        ]
        same = self._after.find(self._path, level, name) == there
        written = module
        if not same and (not leaving or len(leaving) < len(statement.imports)):
            written = self._written(there, level)
        for number in leaving:
            self._leave(statement, number, target, level, written)
        if written != module:
            self._file.put_module(statement, written)

    def _dotted(self, target: str, at: int) -> str:
        if (dotted := self._names.absolute(self._path, target)) is None:
            raise self._file.refused(at, f"{target} has no name with dots", _NAMELESS)
        return dotted

    def _written(self, target: str, level: int) -> str:
        return self._names.written(self._path, target, relative=level > 0, levels=level)

    def _leave(
        self, statement: ImportStatement, number: int, target: str, level: int, module: str
    ) -> None:
        """A module that is imported from its package is in another, or has another name."""
        item, node = statement.imports[number]
        inner = self._relocation.before.inside(target, item.name)
        assert inner is not None
        dots, name = split_level(self._written(self._relocation.there(inner), level))
        package, _, last = name.rpartition(".")
        if not last:
            raise self._file.refused(node.start_byte, "a package has no name in itself", _NAMELESS)
        home = "." * dots + package
        if self._code.hides(self._relocation.there(inner)):
            why = f"the package around {last} calls something else by that name"
            raise self._file.refused(node.start_byte, why, "collision")
        new = PythonImport.of(home or None, last, None if item.bound == last else item.bound)
        if home == module:
            self._changes.append((*node.byte_range, new.item.encode()))
        elif len(statement.imports) == 1:
            self._file.replace(statement, new)
        else:
            self._file.take_out(statement, {number})
            self._file.add([new], statement)

    # -- a package that moves itself ----------------------------------------------------------

    def _follow_heads(self, heads: Sequence[int]) -> bool:
        """Writes the name of a package in full where `import package.module` brings it."""
        items = (item for _, _, item in self._file.items if not (item.module or item.alias))
        spread = {item.bound for item in items if "." in item.name}
        words = {self._module.word_at(start) for start in heads}
        for start in heads:
            word = self._module.word_at(start)
            target = self._relocation.before.find(self._module.path, 0, word)
            there = self._relocation.there(target) if target is not None else None
            dotted = self._names.absolute(self._path, there) if there is not None else None
            if word in spread and dotted is not None:
                self._check_head(start, dotted)
                self._changes.append((start, start + len(word.encode()), dotted.encode()))
        return not words.isdisjoint(spread)

    # -- import a.b --------------------------------------------------------------------------

    def _follow_import(self, statement: ImportStatement, number: int, reads: Sequence[int]) -> None:
        item, node = statement.imports[number]
        if (target := self._file.resolved(item.name)) is None:
            return
        there = self._relocation.there(target)
        if self._after.find(self._path, 0, item.name) == there:
            return
        dotted = self._dotted(there, node.start_byte)
        new = PythonImport.of(None, dotted, item.alias)
        if item.alias is None and "." not in item.name and not self._is_spread:
            new = PythonImport.of(None, dotted, item.name)
        text = dotted if new.repeated else new.item
        head = item.bound
        other = dotted.partition(".")[0] != head and not self._is_spread
        gone = {self._chain(start)[0] for start in reads}
        if not new.alias and other and self._file.needs_head(head, item, gone):
            text = f"{head}, {text}"
        self._changes.append((*node.byte_range, text.encode()))

    # -- a.b as an expression ----------------------------------------------------------------

    def _chain(self, start: int) -> tuple[int, int, str]:
        """Where the dotted name begins and ends whose last part begins here, and its text."""
        end = start + len(self._module.word_at(start).encode())
        first = dotted_start(self._module.code, end)
        return first, end, self._module.code[first:end].decode()

    def _follow_read(self, start: int) -> None:
        first, end, text = self._chain(start)
        target = self._relocation.before.find(self._module.path, 0, text)
        head = text.partition(".")[0]
        plain = [
            (statement, item)
            for statement, _, item in self._file.items
            if item.module is None and not item.alias and item.bound == head
        ]
        if target is None or not plain or not re.fullmatch(r"[\w.]+", text):
            raise self._file.refused(
                start, f"{text} cannot be written for its new place", _NAMELESS
            )
        there = self._relocation.there(target)
        if self._after.find(self._path, 0, text) == there:
            return
        dotted = self._dotted(there, start)
        self._check_head(start, dotted)
        self._changes.append((first, end, dotted.encode()))
        if not any(item.name == text or item.name.startswith(f"{text}.") for _, item in plain):
            new = PythonImport.of(None, dotted, None)
            if new not in [item for _, item in plain]:
                self._file.add([new], plain[0][0])

    def _check_head(self, start: int, dotted: str) -> None:
        """Raises unless the first part of a name means nothing else in the file."""
        why = self._file.hiding(PythonImport.of(None, dotted, None), lambda _: False)
        if why:
            raise self._file.refused(start, why, "collision")
