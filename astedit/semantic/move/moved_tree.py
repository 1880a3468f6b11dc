"""All modules that a move changes: the old one, the new one, and those that use what moves."""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence

from astedit.semantic.facts.uses import ListedUse, NameUse, SpelledUse
from astedit.semantic.imports.python_import import PythonImport, import_statements, module_of
from astedit.semantic.imports.python_layout import is_single
from astedit.semantic.inference.module_paths import ModulePaths
from astedit.semantic.move.carried_imports import CarriedImports, ImportCarrier
from astedit.semantic.move.changed_module import ChangedModule
from astedit.semantic.move.file_imports import FileImports, is_relative
from astedit.semantic.move.listed_names import listed
from astedit.semantic.move.module_code import ModuleCode, refused
from astedit.semantic.move.module_names import ModuleNames, split_level
from astedit.semantic.move.moved_code import MovedLines, moved_lines, pieces, removals
from astedit.semantic.move.needed_names import needed_names
from astedit.semantic.move.place_in_module import (
    has_annotations,
    has_lazy_annotations,
    insertion,
    names_on_import,
)
from astedit.semantic.move.side_effects import changed_on_import, names_at_once
from astedit.semantic.move.top_imports import bring, leave
from astedit.semantic.move.users import Following, MovedNames
from astedit.text.splice import Change

UsesByPath = Mapping[str, Sequence[SpelledUse]]


class MovedTree:
    """What every module becomes; `changed` holds them by path, `notes` what a person must know.

    `code_of` reads a module, or raises for one that cannot be read; `is_needed` says of a
    module's name whether another module takes it from there.
    """

    def __init__(
        self,
        moved: MovedNames,
        modules: ModulePaths,
        names: ModuleNames,
        code_of: Callable[[str], ModuleCode],
        is_needed: Callable[[str, str], bool],
    ) -> None:
        self._moved, self._modules, self._names = moved, modules, names
        self._code_of, self._is_needed = code_of, is_needed
        self.changed: dict[str, ChangedModule] = {}
        self.unclear: dict[str, list[int]] = {}
        self.behind: set[str] = set()  # names of the old module that moved code needs
        self.notes: list[str] = []
        self._moving: list[MovedLines] = []

    def build(self, uses: UsesByPath, starring: Sequence[str]) -> None:
        """Works out every change; raises `PreconditionError` for what cannot be followed."""
        source, dest = self._at(self._moved.source), self._at(self._moved.dest)
        line = names_at_once(source.before)
        if line is not None:
            place = f"{source.before.path}:{line}:"
            raise refused(place, "reads names of the module by globals()", "global_name")
        self._moving = moved_lines(source.before, self._moved.names)
        following = Following(self._moved, self._modules, self._names, self._is_needed)
        for path in sorted({*uses, *starring, source.before.path, dest.before.path}):
            followed = following.changes(self._at(path).before, uses.get(path, ()))
            self.unclear[path] = followed.unclear
            if path == source.before.path:
                own = followed.changes
            else:
                self._at(path).make(followed.changes)
        inside = [change for change in own if self._is_inside(change)]
        carried = self._arrive(source.before, dest, inside)
        if "__all__" in dest.code.bound and self._moved.starred:
            self._list(dest)
        self.notes += changed_on_import(source.before, self._moved.names)
        rest = [change for change in own if change not in inside]
        source.make([*rest, *removals(source.before.code, self._moving)])
        self._leave(source, uses, carried)

    def _at(self, path: str) -> ChangedModule:
        if path not in self.changed:
            self.changed[path] = ChangedModule(self._code_of(path))
        return self.changed[path]

    # -- the code that moves -----------------------------------------------------------------

    def _is_inside(self, change: Change) -> bool:
        start, end, _ = change
        return any(
            lines.start <= start <= end <= lines.end
            and not (start == end and start in (lines.start, lines.end))
            for lines in self._moving
        )

    def _arrive(
        self, source: ModuleCode, dest: ChangedModule, inside: Sequence[Change]
    ) -> CarriedImports:
        """Brings the code and the imports that it needs to the new module."""
        moved = self._moved
        for name in moved.names:
            if name in dest.code.bound:
                place = f"{moved.dest}:{dest.code.line_of(name)}:"
                raise refused(place, f"{name} is taken", "collision")
        inside = sorted([*inside, *self._relative(source)])
        arriving = pieces(source.code, self._moving, inside)
        alone = ModuleCode(moved.source, b"".join(piece.code for piece in arriving))
        here = FileImports(source, self._modules)
        there = FileImports(dest.code, self._modules)
        carrier = ImportCarrier(here, there, self._names, self._modules, self._code_of)
        carried = carrier.carried(needed_names(alone), moved.names)
        self._agree_on_annotations(source, dest.code, alone, carried)
        needed = {name for node in alone.tree.body for name in names_on_import(alone, node)}
        dest.make([insertion(dest.code, arriving, moved.names, needed)])
        bring(dest, carried, single=is_single(import_statements(source.root)))
        self.behind = carried.behind
        self._note(carried.unknown)
        return carried

    def _relative(self, source: ModuleCode) -> Iterator[Change]:
        """What becomes of relative imports within the moved code, if their meaning would change."""
        file = FileImports(source, self._modules)
        dest = self._moved.dest
        for statement in file.statements:
            module = module_of(statement.node) or ""
            start = statement.node.start_byte
            if not module.startswith(".") or not self._is_inside((start, start + 1, b"")):
                continue
            names = {item.name for item, _ in statement.imports}
            target = file.source_of(statement)
            if target == source.path and names & {*self._moved.names}:
                continue  # it follows as any user's
            if target is None:
                if source.path.rpartition("/")[0] != dest.rpartition("/")[0]:
                    raise refused(
                        source.path, f"imports from {module}, which is not there", "no_module_name"
                    )
                continue
            level, _ = split_level(module)
            written = self._names.written(dest, target, relative=True, levels=level)
            if written != module:
                file.put_module(statement, written)
        yield from file.changes

    def _agree_on_annotations(
        self, source: ModuleCode, dest: ModuleCode, alone: ModuleCode, carried: CarriedImports
    ) -> None:
        """Lets annotations be read as they were: at once, or only when somebody asks."""
        lazy = has_lazy_annotations(source)
        if lazy == has_lazy_annotations(dest) or not has_annotations(alone):
            return
        if not lazy:
            self.notes.append(f"{dest.path} does not evaluate the annotations of the moved code")
        elif has_annotations(dest):
            why = "evaluates annotations, which the old module does not"
            hint = "Add `from __future__ import annotations` to it first."
            raise refused(dest.path, why, "annotations", hint)
        else:
            carried.plain.append(PythonImport("__future__", "annotations"))

    def _list(self, dest: ChangedModule) -> None:
        """What a star import of the old module brought, that of the new one shall bring."""
        changes = listed(dest.code, sorted(self._moved.starred))
        if changes is None:
            line = dest.code.line_of("__all__")
            self.notes.append(f"{dest.before.path}:{line}: __all__ is no plain list; look at it")
        else:
            dest.make(changes)

    def _note(self, unknown: Collection[str]) -> None:
        for name in sorted(unknown):
            where = f"{self._moved.source} does not bind it"
            own = name.startswith("__") and name.endswith("__")
            why = "it is another one in each module" if own else where
            self.notes.append(f"the moved code uses {name}: {why}")

    # -- the module that it leaves -----------------------------------------------------------

    def _leave(self, source: ChangedModule, uses: UsesByPath, carried: CarriedImports) -> None:
        """Lets the old module import what it still uses, and no more what it does not."""
        moved = self._moved
        names = list(moved.names) if moved.reexport else sorted(self._still_used(uses))
        if names:
            file = FileImports(source.before, self._modules)
            other = FileImports(self._at(moved.dest).before, self._modules)
            relative = is_relative(file, other)
            module = self._names.written(moved.source, moved.dest, relative=relative)
            bring(source, CarriedImports(plain=[self._back(module, n, uses) for n in names]))
        leave(source, carried.left, lambda name: self._is_needed(moved.source, name))

    def _still_used(self, uses: UsesByPath) -> set[str]:
        code = self._at(self._moved.source).before.code
        return {
            code[use.start : use.end].decode()
            for use in uses.get(self._moved.source, ())
            if isinstance(use, NameUse) and not self._is_inside((use.start, use.end, b""))
        }

    def _back(self, module: str, name: str, uses: UsesByPath) -> PythonImport:
        """The import that stays: marked as one for others if nothing here uses it."""
        code = self._at(self._moved.source).before.code
        here = [use for use in uses.get(self._moved.source, ()) if isinstance(use, ListedUse)]
        served = name in self._still_used(uses)
        served |= any(code[use.start : use.end].decode() == name for use in here)
        return PythonImport.of(module, name, None if served else name)
