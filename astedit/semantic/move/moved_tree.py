"""All modules that a move changes: the old one, the new one, and those that use what moves."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence

from tree_sitter import Node

from astedit.python.evaluation import LATE
from astedit.python.facts import ListedUse, NameUse, SpelledUse
from astedit.python.syntax import dotted, every_node
from astedit.semantic.file_imports import FileImports, is_relative
from astedit.semantic.imports.lines import after, indented, without
from astedit.semantic.imports.python import (
    Python,
    PythonImport,
    import_statements,
    is_single,
    module_of,
    statement_of,
)
from astedit.semantic.module_code import (
    ChangedModule,
    ModuleCode,
    ModuleNames,
    WorkspaceCode,
    line_at,
    refused,
)
from astedit.semantic.move.carried_imports import (
    CarriedImports,
    ImportCarrier,
    guarded_block,
    moved_name,
    needed_names,
)
from astedit.semantic.move.moved_code import (
    DEFINITIONS,
    MovedLines,
    has_annotations,
    has_lazy_annotations,
    insertion,
    moved_lines,
    names_on_import,
    pieces,
)
from astedit.semantic.move.side_effects import changed_on_import, names_at_once
from astedit.semantic.move.users import MovedNames, MovedUser, listed
from astedit.semantic.remove import statement_cuts
from astedit.text.source import Change, end_of_line

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
    if not (present := guards(module.code)):
        module.make(_new_guard(module.code, carried.guarded))
        if _GUARD.bound not in module.code.bound:
            module.make(Python().added([_GUARD], module.code.root, module.code.code))
        return
    block, code = present[-1], module.code.code
    changes = Python().added([*dict.fromkeys(carried.guarded)], block, code, single=single)
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
        and syntax.prunable(item, code.path)
        and not is_needed(item.bound)
    }
    if not doomed:
        return
    module.make(syntax.removed(doomed, code.root, code.code))
    for block in reversed(guards(module.code)):
        _leave_guard(module, block, doomed)
    if _GUARD in doomed or not Python().uses(module.code.root).hold(_GUARD.bound):
        emptied = guards(code) and not guards(module.code)
        if emptied and not is_needed(_GUARD.bound):
            module.make(syntax.removed({_GUARD}, module.code.root, module.code.code))


def _leave_guard(module: ChangedModule, block: Node, doomed: set[PythonImport]) -> None:
    items = [item for statement in import_statements(block) for item, _ in statement.imports]
    others = [child for child in block.named_children if not statement_of(child).imports]
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
    first = next((node for node in module.root.named_children if node.type in DEFINITIONS), None)
    before = None if first is None else first.start_byte  # what they bring may be needed there
    return Python().added(
        [*dict.fromkeys(imports)], module.root, module.code, single=single, before=before
    )


def guards(module: ModuleCode) -> list[Node]:
    """The blocks of `if TYPE_CHECKING:` at the top level that import anything."""
    blocks = filter(None, map(guarded_block, module.root.named_children))
    return [block for block in blocks if import_statements(block)]


def _new_guard(module: ModuleCode, imports: Sequence[PythonImport]) -> list[Change]:
    """A block for type checkers behind the imports of a module."""
    eol = end_of_line(module.code)
    lines = [b"if TYPE_CHECKING:", *(f"    {item}".encode() for item in [*dict.fromkeys(imports)])]
    text = eol.join(lines) + eol
    if not (statements := import_statements(module.root)):
        first = module.root.named_children[0]
        return [(first.start_byte, first.start_byte, text + eol + eol)]
    return [after(statements[-1].node, module.code, eol + text)]


UsesByPath = Mapping[str, Sequence[SpelledUse]]


class MovedTree:
    """What every module becomes; `changed` holds them by path, `notes` what a person must know.

    `is_needed` says of a module's name whether another module takes it from there.
    """

    def __init__(
        self,
        moved: MovedNames,
        code: WorkspaceCode,
        names: ModuleNames,
        is_needed: Callable[[str, str], bool],
    ) -> None:
        self._moved, self._names, self._is_needed = moved, names, is_needed
        self._code, self._modules = code, code.modules
        self.changed: dict[str, ChangedModule] = {}
        self.unclear: dict[str, list[int]] = {}
        self.behind: set[str] = set()  # names of the old module that moved code needs
        self.notes: list[str] = []
        self._moving: list[MovedLines] = []

    def build(self, uses: UsesByPath, starring: Sequence[str]) -> None:
        """Works out every change; raises `PreconditionError` for what cannot be followed."""
        source, dest = self._at(self._moved.source), self._at(self._moved.dest)
        if (line := names_at_once(source.before)) is not None:
            why = "reads names of the module by globals()"
            raise refused(source.before.path, why, "global_name", at=line)
        self._moving = moved_lines(source.before, self._moved.names)
        self._check_bound_once(source.before)
        for path in sorted({*uses, *starring, source.before.path, dest.before.path}):
            module = self._at(path)
            user = MovedUser(module.before, self._moved, self._code, self._names, self._is_needed)
            changes = user.changes(uses.get(path, ()))
            self.unclear[path] = user.unclear
            if module is source:
                own = changes
            else:
                module.make(changes)
        inside = [change for change in own if self._is_inside(change)]
        carried = self._arrive(source.before, dest, inside)
        if "__all__" in dest.code.bound and self._moved.starred:
            self._list(dest)
        self.notes += changed_on_import(source.before, self._moved.names)
        rest = [change for change in own if change not in inside]
        gone = [lines.node for lines in self._moving]
        source.make([*rest, *statement_cuts(gone, source.before.code)])
        self._leave(source, uses, carried)

    def _check_bound_once(self, source: ModuleCode) -> None:
        """Raises where moved code needs a name at once that is bound again behind it."""
        for node in (lines.node for lines in self._moving):
            before = (n for other, n in source.statements if other.end_byte <= node.start_byte)
            needs = names_on_import(source, node) & set[str]().union(*before) - {*self._moved.names}
            for other, names in source.statements:
                is_behind = other.start_byte > node.start_byte and other.type != "delete_statement"
                if is_behind and (again := needs & names):
                    why = f"binds {min(again)} again: moved code would not see what it is now"
                    raise refused(source.path, why, "global_name", at=line_at(other))

    def _at(self, path: str) -> ChangedModule:
        if path not in self.changed:
            self.changed[path] = ChangedModule(self._code.needed(path))
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
                line = dest.code.line_of(name)
                raise refused(moved.dest, f"{name} is taken", "collision", at=line)
        inside = sorted([*inside, *self._relative(source)])
        arriving = pieces(source.code, self._moving, inside)
        alone = ModuleCode(moved.source, b"".join(piece.code for piece in arriving))
        here = FileImports(source, self._modules)
        there = FileImports(dest.code, self._modules)
        self.notes += self._computed(here, alone)
        carrier = ImportCarrier(here, there, self._names, self._code)
        carried = carrier.carried(needed_names(alone, source), moved.names)
        self._agree_on_annotations(source, dest.code, alone, carried)
        needed = {name for node, _ in alone.statements for name in names_on_import(alone, node)}
        dest.make([insertion(dest.code, arriving, moved.names, needed)])
        bring(dest, carried, single=is_single(import_statements(source.root)))
        self.behind = carried.behind
        for name in sorted(carried.unknown):
            own = name.startswith("__") and name.endswith("__")
            where = f"{self._moved.source} does not bind it"
            why = "it is another one in each module" if own else where
            self.notes.append(f"the moved code uses {name}: {why}")
        return carried

    def _computed(self, here: FileImports, alone: ModuleCode) -> Iterator[str]:
        """What functions of the workspace do for a value is done when the new module is read."""
        outside = {item.bound for _, _, item in here.items if here.target(item) is None}
        for node, names in alone.statements:
            every = every_node(node, LATE) if node.type == "expression_statement" else ()
            heads = {dotted(call).partition(".")[0] for call in every if call.type == "call"}
            if own := sorted(heads & here.module.bound - outside):
                why = f"{own[0]} is called for it when {self._moved.dest} is imported"
                yield f"{', '.join(sorted(names))}: {why}, earlier or later than now"

    def _relative(self, source: ModuleCode) -> Iterator[Change]:
        """What becomes of relative imports within the moved code, if their meaning would change."""
        file = FileImports(source, self._modules)
        for statement in file.statements:
            module = module_of(statement.node) or ""
            start = statement.node.start_byte
            if not module.startswith(".") or not self._is_inside((start, start + 1, b"")):
                continue
            names = {item.name for item, _ in statement.imports}
            if file.source_of(statement) == source.path and names & {*self._moved.names}:
                continue  # it follows as any user's
            written = moved_name(file, module, self._moved.dest, self._names)
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
            self.notes.append(f"{dest.before.path}:{line}: __all__ is not a plain list; look at it")
        else:
            dest.make(changes)

    # -- the module that it leaves -----------------------------------------------------------

    def _leave(self, source: ChangedModule, uses: UsesByPath, carried: CarriedImports) -> None:
        """Lets the old module import what it still uses, and no more what it does not."""
        moved = self._moved
        names = list(moved.names) if moved.reexport else sorted(self._still_used(uses))
        if names:
            file = FileImports(source.before, self._modules)
            relative = is_relative(file, FileImports(self._at(moved.dest).before, self._modules))
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
