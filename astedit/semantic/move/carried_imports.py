"""The names that moved code needs, and the imports that bring them to its new module."""

import builtins
import posixpath
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from keyword import iskeyword
from types import ModuleType

from tree_sitter import Node

from astedit.python.evaluation import is_within
from astedit.python.scopes import full_name
from astedit.python.spelled import SpelledUses
from astedit.python.syntax import (
    IMPORTS,
    dotted,
    evaluated,
    every_node,
    parsed,
    split_level,
    text_of,
)
from astedit.semantic.file_imports import FileImports, ImportStatement, is_relative
from astedit.semantic.imports.python import PythonImport, module_of
from astedit.semantic.module_code import ModuleCode, ModuleNames, WorkspaceCode, refused

_IMPORTING = (*IMPORTS, "if_statement")
_TYPE = re.compile(r"(?<![\w.'\"])[^\W\d]\w*(?:\.[^\W\d]\w*)*")


@dataclass(slots=True)
class NeededNames:
    """`names` are read or bound as the module's; `quoted` are named in quoted annotations.

    `dotted` are the attributes that are read of them, as `os.path.join`; `rebound` are the
    names that a function binds for the whole module.
    """

    names: set[str] = field(default_factory=set)
    quoted: set[str] = field(default_factory=set)
    dotted: set[str] = field(default_factory=set)
    rebound: set[str] = field(default_factory=set)

    @property
    def all(self) -> set[str]:
        """Every name."""
        return self.names | self.quoted | self.rebound


def needed_names(code: ModuleCode, source: ModuleCode) -> NeededNames:
    """What code of the top level of the module `source` needs that it does not define itself."""
    needed, scopes = NeededNames(), code.scopes
    every = scopes.module.bindings.items()
    own = {
        n for n, bindings in every if any(binding.scope is scopes.module for binding in bindings)
    }
    needed.rebound = set(code.rebound - own)
    for word in scopes.reads:
        name = text_of(word)
        if scopes.holder(word) in (None, scopes.module) and name not in own | needed.rebound:
            needed.names.add(name)
    attributes = (node for node in every_node(code.root) if node.type == "attribute")
    needed.dotted = {*map(dotted, attributes)}
    types = _QuotedTypes(code, source)
    types.walk(code.root)
    needed.dotted |= types.dotted
    needed.quoted = {name.partition(".")[0] for name in types.dotted} - own - needed.names
    return needed


class _QuotedTypes(SpelledUses):
    """Collects the names in quoted types: of annotations, and of what is taken for types."""

    def __init__(self, code: ModuleCode, source: ModuleCode) -> None:
        super().__init__(code.code, code.scopes, "", None)
        self._source = source.scopes
        self.dotted: set[str] = set()

    def _is_from(self, node: Node, sources: tuple[str, ...]) -> bool:
        names = self._source.meaning(full_name(node), self._source.module)
        return super()._is_from(node, sources) or any(n.startswith(sources) for n in names)

    def _quotes(self, node: Node) -> bool:
        text = evaluated(node)
        if isinstance(text, str) and not parsed(text.strip().encode()).has_error:
            self.dotted |= {name for name in _TYPE.findall(text) if not iskeyword(name)}
        return True

    def _note_mentions(self, start: int, end: int, value: str | bytes, prose: bool) -> None:
        pass


_OWN = vars(ModuleType("")).keys()  # `__name__` and others that each module has
_BUILTINS = frozenset(dir(builtins)) - _OWN
_GUARD = "TYPE_CHECKING"


@dataclass(slots=True)
class CarriedImports:
    """What comes into the new module: `plain`, and `guarded` for type checkers alone.

    `left` are the imports of the old module that served the moved code, `behind` the names of
    the old module that stay in it, `unknown` the names that nothing binds, or that mean another
    thing in each module.
    """

    plain: list[PythonImport] = field(default_factory=list)
    guarded: list[PythonImport] = field(default_factory=list)
    left: set[PythonImport] = field(default_factory=set)
    behind: set[str] = field(default_factory=set)
    unknown: set[str] = field(default_factory=set)


def moved_name(file: FileImports, module: str, dest: str, names: ModuleNames) -> str:
    """How a file names the module of a `from` import after it has gone to `dest`.

    Raises `PreconditionError` where a relative name means no module that is there.
    """
    (level, _), target, path = split_level(module), file.resolved(module), file.module.path
    if level and target is not None:
        return names.written(dest, target, relative=True, levels=level)
    if level and posixpath.dirname(path) != posixpath.dirname(dest):
        raise refused(path, f"imports from {module}, which is not there", "no_module_name")
    return module


def guarded_block(node: Node) -> Node | None:
    """The block of an `if TYPE_CHECKING:`; None for any other statement."""
    condition = node.child_by_field_name("condition") if node.type == "if_statement" else None
    is_guard = text_of(condition).rpartition(".")[2] == _GUARD
    return node.child_by_field_name("consequence") if is_guard else None


def _at_top(file: FileImports) -> Iterator[tuple[ImportStatement, bool]]:
    """The imports of a module's top level, and whether only type checkers see them."""
    root = file.module.root
    blocks = [*filter(None, map(guarded_block, root.named_children))]
    for statement in file.statements:
        if statement.node.parent in (root, *blocks):
            yield statement, statement.node.parent in blocks


def _is_for_types(module: ModuleCode, name: str) -> bool:
    """Is a name bound under `if TYPE_CHECKING:` alone?"""
    guards = [guarded_block(node) for node, names in module.statements if name in names]
    bindings = module.scopes.module.bindings[name]
    return all(
        any(guard is not None and is_within(item.node, guard) for guard in guards)
        for item in bindings
    )


class ImportCarrier:
    """Finds what code of the module `source` needs to stand in the module `dest`."""

    def __init__(
        self, source: FileImports, dest: FileImports, names: ModuleNames, code: WorkspaceCode
    ) -> None:
        self._source, self._dest = source, dest
        self._names, self._modules, self._code = names, code.modules, code

    def carried(self, needed: NeededNames, moving: Sequence[str]) -> CarriedImports:
        """The imports; raises `PreconditionError` for a name that would mean something else."""
        result = CarriedImports()
        source = self._source.module
        for name in sorted(needed.rebound):
            why = f"has moved code that says `global {name}`: it would bind another name"
            raise refused(source.path, why, "global_name")
        for name in sorted(needed.all - {*moving}):
            if name in source.bound:
                self._bound(result, name, needed)
            else:
                self._unbound(result, name)
        return result

    # -- names that the old module binds -----------------------------------------------------

    def _bound(self, result: CarriedImports, name: str, needed: NeededNames) -> None:
        source = self._source.module
        if name in source.rebound:
            why = f"binds {name} again while it runs: moved code would not see that"
            raise refused(source.path, why, "global_name")
        if not (statements := list(self._importing(name))):
            if any(name in n for node, n in source.statements if node.type == "delete_statement"):
                why = f"deletes {name}, which moved code needs"
                raise refused(source.path, why, "not_movable")
            relative = is_relative(self._dest, self._source)
            module = self._names.written(self._dest.module.path, source.path, relative=relative)
            result.behind.add(name)
            item = PythonImport.of(module, name, None)
            self._need(result, item, source.path, guarded=_is_for_types(source, name))
        for statement, guarded in statements:
            for item, _ in statement.imports:
                if item.bound == name and _is_used(item, needed, statements):
                    result.left.add(item)
                    self._carry(result, item, guarded)

    def _importing(self, name: str) -> Iterator[tuple[ImportStatement, bool]]:
        """The plain imports of a name, if nothing else binds it; as `_at_top`."""
        every = self._source.module.statements
        kinds = [n.type for n, names in every if name in names and n.type != "delete_statement"]
        plain = {*kinds} <= {"import_statement"} or (len(kinds) == 1 and kinds[0] in _IMPORTING)
        for statement, guarded in _at_top(self._source) if plain else ():
            if any(item.bound == name for item, _ in statement.imports):
                yield statement, guarded

    def _carry(self, result: CarriedImports, item: PythonImport, guarded: bool) -> None:
        """Brings an import of the old module, with its relative name as the new one has it."""
        dest = self._dest.module.path
        if self._source.target(item) == dest:
            why = f"would have to import itself as {item.bound}, which moved code uses"
            raise refused(dest, why, "self_import", f"Let the code name what it uses of {dest}.")
        target = self._source.resolved(item.module or item.name)
        if item.module:
            written = moved_name(self._source, item.module, dest, self._names)
            item = PythonImport.of(written, item.name, item.alias)
        self._need(result, item, target, guarded)

    # -- what the new module has of it -------------------------------------------------------

    def _need(
        self, result: CarriedImports, item: PythonImport, target: str | None, guarded: bool
    ) -> None:
        dest = self._dest.module
        if target == dest.path and item.module:
            if item.bound == item.name and item.name in dest.bound:
                return
            why = f"calls {item.name} what moved code knows as {item.bound}"
            raise refused(dest.path, why, "self_import")
        if item.bound in dest.bound:
            here = list(self._bindings(item.bound))
            same = [self._is_same(item, other) for other, _ in here]
            if any(is_it and (guarded or not here[at][1]) for at, is_it in enumerate(same)):
                return
            submodules = [not (item.module or item.alias or o.module or o.alias) for o, _ in here]
            if not here or not (all(same) or all(submodules)):
                raise self._taken(item.bound, f"moved code needs {item}")
        elif item.bound in _BUILTINS and item.bound in map(text_of, dest.reads):
            raise self._taken(item.bound, "it uses the built-in of that name")
        (result.guarded if guarded else result.plain).append(item)

    def _bindings(self, name: str) -> Iterator[tuple[PythonImport, bool]]:
        """The imports of a name in the new module, and whether only type checkers see them.

        None if anything else binds it there.
        """
        dest = self._dest.module
        if any(name in names and node.type not in _IMPORTING for node, names in dest.statements):
            return
        for statement, guarded in _at_top(self._dest):
            yield from ((item, guarded) for item, _ in statement.imports if item.bound == name)

    def _is_same(self, item: PythonImport, other: PythonImport) -> bool:
        """Whether two imports as the new module writes them are one."""
        if (item.name, item.bound) != (other.name, other.bound):
            return False
        if item.module is None or other.module is None:
            return item.module == other.module
        there = self._dest.resolved(item.module)
        same = there is not None and there == self._dest.resolved(other.module)
        return same or item.module == other.module

    def _taken(self, name: str, why: str) -> Exception:
        dest = self._dest.module
        return refused(dest.path, f"{name} is taken: {why}", "collision", at=dest.line_of(name))

    # -- names that the old module does not bind ---------------------------------------------

    def _unbound(self, result: CarriedImports, name: str) -> None:
        """A name from a star import or a built-in one; any other is noted."""
        source = self._source.module
        for statement in self._source.statements if name not in _OWN else ():
            if not statement.imports and module_of(statement.node) is not None:
                target = self._source.source_of(statement)
                if target is None and name not in _BUILTINS:
                    module = module_of(statement.node)
                    why = f"uses {name}, which `from {module} import *` may bring"
                    raise refused(source.path, why, "star_import", f"Import {name} by its name.")
                if target is not None and self._exports(target, name, 0):
                    item = PythonImport.of(module_of(statement.node), name, None)
                    self._carry(result, item, guarded=False)
                    return
        if name in _BUILTINS:
            if name in self._dest.module.bound:
                raise self._taken(name, "moved code uses the built-in of that name")
        else:
            result.unknown.add(name)

    def _exports(self, path: str, name: str, depth: int) -> bool:
        """Whether a star import of a module of the workspace brings a name."""
        if depth == 9 or path.endswith("/"):
            return False
        module = self._code.needed(path)
        if name in module.bound:
            return True
        imports = FileImports(module, self._modules)
        stars = [item for item in imports.statements if not item.imports]
        targets = [imports.source_of(star) for star in stars]
        return any(self._exports(target, name, depth + 1) for target in targets if target)


def _is_used(
    item: PythonImport, needed: NeededNames, statements: Sequence[tuple[ImportStatement, bool]]
) -> bool:
    """Of `import a.b` and `import a.c` the one whose module the code reads."""
    if item.module or item.alias or "." not in item.name:
        return True
    every = [other for entry, _ in statements for other, _ in entry.imports]
    dotted = [f"{path}." for path in needed.dotted]
    read = {n.name for n in every if any(p.startswith(f"{n.name}.") for p in dotted)}
    return item.name in read or not read
