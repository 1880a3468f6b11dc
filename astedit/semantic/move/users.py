"""What becomes of a module that uses what moves: its imports, receivers and lists of names."""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field

from astedit.semantic.facts.uses import AttributeUse, ImportUse, ListedUse, SpelledUse
from astedit.semantic.imports.python_import import PythonImport, module_of
from astedit.semantic.inference.module_paths import ModulePaths
from astedit.semantic.move.attribute_users import AttributeUsers
from astedit.semantic.move.file_imports import FileImports, ImportStatement
from astedit.semantic.move.listed_names import unlisted
from astedit.semantic.move.module_code import ModuleCode, refused
from astedit.semantic.move.module_names import ModuleNames, split_level
from astedit.text.splice import Change


@dataclass(slots=True)
class MovedNames:
    """The names that go from the module `source` to `dest`.

    `starred` are those that `from source import *` brings, and that of `dest` will; `reexport`
    says that an import stays.
    """

    names: Sequence[str]
    source: str
    dest: str
    starred: Collection[str] = ()
    reexport: bool = False


@dataclass(slots=True)
class ModuleUses:
    """The changes of one module, in no order; `unclear` are uses that stay as they are."""

    changes: list[Change] = field(default_factory=list)
    unclear: list[int] = field(default_factory=list)


class Following:
    """Lets the modules that use what moves follow it."""

    def __init__(
        self,
        moved: MovedNames,
        modules: ModulePaths,
        names: ModuleNames,
        is_needed: Callable[[str, str], bool],
    ) -> None:
        self._moved, self._modules, self._names = moved, modules, names
        self._is_needed = is_needed

    def changes(self, module: ModuleCode, uses: Sequence[SpelledUse]) -> ModuleUses:
        """What becomes of a module with these uses of the names."""
        file = FileImports(module, self._modules)
        attributes = AttributeUsers(
            file, self._moved.source, self._moved.dest, self._names, self._is_needed
        )
        attributes.follow([use.start for use in uses if isinstance(use, AttributeUse)])
        brought = {use.start for use in uses if isinstance(use, ImportUse)}
        for statement in file.statements:
            if module.path == self._moved.dest:
                self._end(file, statement, brought)
            elif file.source_of(statement) == self._moved.source:
                self._follow(file, statement)
        changes = [*attributes.changes, *file.changes]
        if module.path == self._moved.source and not self._moved.reexport:
            places = [use.start for use in uses if isinstance(use, ListedUse) and not use.owner]
            changes += unlisted(module, places)
        return ModuleUses(changes, attributes.unclear)

    def _follow(self, file: FileImports, statement: ImportStatement) -> None:
        numbers = [
            number
            for number, (item, _) in enumerate(statement.imports)
            if item.name in self._moved.names
        ]
        items = [statement.imports[number][0] for number in numbers]
        star = not statement.imports
        if not (items or (star and self._moved.starred)):
            return
        module = self._written(file, statement)
        if self._is_starred(file, statement, items):
            if items:
                file.take_out(statement, {*numbers})
        elif star:
            new = [PythonImport.of(module, name, None) for name in sorted(self._moved.starred)]
            file.add(new, statement)
        elif len(items) == len(statement.imports) and not file.has_near(module, statement):
            file.put_module(statement, module)
        else:
            new = [_from(module, item) for item in items]
            file.take_out(statement, {*numbers})
            file.add(new, statement)

    def _is_starred(
        self, file: FileImports, statement: ImportStatement, items: Sequence[PythonImport]
    ) -> bool:
        """Whether a star import beside it will bring all that a statement takes."""
        brought = all(item.name in self._moved.starred and not item.alias for item in items)
        stars = [each for each in file.statements if not each.imports]
        near = [each for each in stars if each.node.parent == statement.node.parent]
        return brought and self._moved.dest in map(file.source_of, near)

    def _written(self, file: FileImports, statement: ImportStatement) -> str:
        level, _ = split_level(module_of(statement.node) or "")
        return self._names.written(
            file.module.path, self._moved.dest, relative=level > 0, levels=level
        )

    def _end(self, file: FileImports, statement: ImportStatement, brought: set[int]) -> None:
        """In the new module itself nothing is imported any more, through whatever module."""
        numbers = set()
        for number, (item, node) in enumerate(statement.imports):
            if item.name in self._moved.names and node.start_byte in brought:
                numbers.add(number)
                if item.bound != item.name:
                    place = f"{file.module.path}:{node.start_point.row + 1}:"
                    raise refused(place, f"{item} would import the module itself", "self_import")
        if numbers:
            file.take_out(statement, numbers)


def _from(module: str, item: PythonImport) -> PythonImport:
    alias = item.name if item.repeated else item.alias
    return PythonImport.of(module, item.name, alias)
