"""`move`: functions, classes and constants go to another module of the workspace.

Python only. Whoever imports them, or reaches them through their module, follows in its own
style; the code itself stays as it is, byte for byte.
"""

import posixpath
import re
import stat
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial

from astedit.engine.change_steps import ChangeSteps, WorkedOut
from astedit.engine.whole_files import check_place, created, deleted, with_files
from astedit.errors import PreconditionError
from astedit.model.edit import FilePlan
from astedit.model.plan import Plan
from astedit.model.request import Operation
from astedit.python.facts import AttributeUse, ImportUse, ListedUse, SpelledUse
from astedit.python.module_paths import stem_of
from astedit.python.syntax import arguments, last_name, split_level, text_of
from astedit.semantic.file_imports import FileImports, OutsideNeeds
from astedit.semantic.inference.names import member_of
from astedit.semantic.inference.values import ModuleValue, QualifiedName
from astedit.semantic.library import Library, NameRequest
from astedit.semantic.listed_uses import AlsoUses, UsePlace, is_listing, listed
from astedit.semantic.module_code import (
    ChangedModule,
    ModuleCode,
    ModuleNames,
    WorkspaceCode,
    base_of,
    destination,
    refused,
)
from astedit.semantic.move.import_cycles import (
    ImportGraph,
    RawSteps,
    new_circle,
    refuse_circles,
    too_early,
)
from astedit.semantic.move.local_imports import localise
from astedit.semantic.move.method import FreedMethod
from astedit.semantic.move.moved_tree import MovedTree
from astedit.semantic.move.side_effects import replacements
from astedit.semantic.move.to_class import FunctionToMethod
from astedit.semantic.move.users import MovedNames
from astedit.semantic.rename.definition_nodes import definition_nodes
from astedit.semantic.rename.gather import (
    References,
    entry_points,
    gather,
    keeping_decorators,
    possible_places,
)
from astedit.text import first_names
from astedit.text.source import Lines, splice

_FOUND_BY_NAME = ("__init__.py", "__main__.py", "conftest.py")


def emptied(
    code: WorkspaceCode, changed: Mapping[str, ChangedModule], path: str
) -> FilePlan | None:
    """The plan of the old module's end; None if it stays.

    A comment or a docstring is reason enough for it to stay.
    """
    stem, asked = posixpath.basename(stem_of(path)), code.library.asked
    left = changed[path].code
    kinds = {node.type for node, _ in left.statements}
    is_empty = kinds <= {"future_import_statement"} and b"#" not in left.code
    if posixpath.basename(path) in _FOUND_BY_NAME or not is_empty:
        return None
    word = re.compile(rb"(?<!\w)" + re.escape(stem.encode()) + rb"(?!\w)")
    for other in code.library.keep(stem, word.search):
        module = changed[other].code if other in changed else code.code(other)
        if other != path and (module is None or _imports(module, code, path)):
            return None
    raw, status = asked.workspace.read(path, asked.request.max_file_size)
    return deleted(path, raw, stat.S_IMODE(status.st_mode))


def _imports(module: ModuleCode, code: WorkspaceCode, path: str) -> bool:
    file = FileImports(module, code.modules)
    targets = [file.target(item) for _, _, item in file.items]
    return path in (*targets, *map(file.source_of, file.statements))


_STAR = re.compile(rb"^[ \t]*from[ \t]+([\w.]+)[ \t]+import[ \t]*\*", re.MULTILINE)
_CIRCLE_HINT = "Move what the code needs as well, or use --local-imports."
_LOCAL_HINT = (
    "Move what the code needs as well: an import inside a function is no way where the name "
    "stands outside of bodies, too."
)
_TARGET = "something else is put in its place"


def plan(asked: NameRequest) -> Plan:
    """The plan of a move; the same tree gives the same plan.

    Raises `StaleError` when the file of the definitions is not the one that was located, and
    `PreconditionError` with a place for everything that cannot be followed as a whole.
    """
    made = _worked_out(asked)
    whole = [file for file in (made.created, made.end) if file is not None]
    return with_files(asked.plan(made), whole)


def _worked_out(asked: NameRequest) -> WorkedOut:
    """What becomes of the tree; methods first become functions of their own module.

    What goes to a class goes to its module first.
    """
    path, names = asked.path, asked.arguments["names"].split()
    new, _, owner = asked.arguments["new"].partition("::")
    are_methods = any("." in name for name in names)
    if not owner and not are_methods:
        return _moved_out(asked, new, names)
    steps, workspace = ChangeSteps(asked.workspace), asked.workspace
    if are_methods:
        asked = _methods_freed(asked, names, steps)
    dest = destination(new, path, Library(asked, names[0]).modules)
    functions = [name.rpartition(".")[2] for name in names]
    if dest != path:
        with workspace.overlaid(steps.contents):
            moved = _moved_out(asked, new, functions)
        if are_methods:  # nobody could mean the function before there was one
            moved.hints = [hint for hint in moved.hints if not is_listing(hint)]
        steps.take(moved)
    for name, function in zip(names, functions, strict=True) if owner else ():
        with workspace.overlaid(steps.contents), Library(asked, function) as library:
            old = QualifiedName(path, name.rpartition(".")[0])
            bound = FunctionToMethod(library, dest, function, owner, old)
            steps.take(library.worked_out(bound.changes(), []))
    assert steps.made is not None
    return steps.made


def _methods_freed(asked: NameRequest, names: Sequence[str], steps: ChangeSteps) -> NameRequest:
    """Makes functions of the methods; the request is then without the uses that went along."""
    also, left, path = AlsoUses(asked.arguments), list[UsePlace](), asked.path
    for name in names:
        last = name.rpartition(".")[2]
        with asked.workspace.overlaid(steps.contents), Library(asked, last) as library:
            code = WorkspaceCode(library)
            dest = destination(asked.arguments["new"].partition("::")[0], path, code.modules)
            freed = FreedMethod(library, code, path, name, also)
            left += freed.places
            new = freed.changes(stays=dest == path)
            after = {user: splice(code.needed(user).code, changes) for user, changes in new.items()}
            _check_circles(code, after, (path,))
            steps.take(library.worked_out(new, freed.hints()))
    also.check(left)
    rest = {key: value for key, value in asked.arguments.items() if key != "also"}
    assert asked.request.operation is not None
    kind = asked.request.operation.kind
    return replace(asked, request=replace(asked.request, operation=Operation(kind, rest)))


def _moved_out(asked: NameRequest, new: str, names: Sequence[str]) -> WorkedOut:
    """Definitions of the top level in another module, and everything that uses them."""
    arguments, path, workspace = asked.arguments, asked.path, asked.workspace
    uses = _NameUses()
    for name in names:
        with Library(asked, name) as library:
            uses.read(library, path, name)
    dest = destination(new, path, library.modules)
    if dest == path:
        raise refused(path, f"has {names[0]} already", "same_place")
    is_new = dest not in library.files
    if is_new:
        dest = check_place(dest, asked.request, workspace, frozenset())
    code = WorkspaceCode(library, dest if is_new else None)
    moved = MovedNames(
        names, path, dest, _starred(code, uses, path, names), "reexport" in arguments
    )
    module_names = ModuleNames(code.modules, [*_bases(uses, code, path), *asked.run.roots])
    needs = OutsideNeeds(code)
    tree = MovedTree(moved, code, module_names, needs.need)
    tree.build(uses.certain, list(_starring(code, path)) if moved.starred else [])
    is_local = "local_imports" in arguments
    local = list(_localised(code, tree, needs, path, dest)) if is_local else []
    _check_circles(code, _changed_code(tree), (path, dest))
    replaced = list(replacements(code, path, tree.behind))
    end = emptied(code, tree.changed, path)
    for name in names:
        module = code.modules.inside(dest, name)
        if module is not None and (module != path or tree.changed[path].code.statements):
            raise refused(dest, f"{name} is taken: {module} has that name", "collision")
    dotted = module_names.absolute(path, path), module_names.absolute(path, dest)
    apart = {path} if end is not None else set[str]()
    apart |= {dest} if is_new else set()
    edits = {user: {*m.changes} for user, m in tree.changed.items() if user not in apart}
    places = _possible(code, path, names, uses, tree, dotted[0] if dotted[1] else None)
    every = (place for named in places.values() for place in named)
    left = AlsoUses(arguments).write(every, edits, dotted[1] or "")
    rest = {name: [p for p in named if p in left] for name, named in places.items()}
    hints = [hint for name, named in rest.items() for hint in listed(name, named, also=True)]
    if is_new:
        hints += _unregistered(code, tree, dest, uses)
    made = library.worked_out(edits, [*hints, *tree.notes, *replaced, *local])
    made.created = created(dest, tree.changed[dest].code.code) if is_new else None
    made.end = end
    return made


@dataclass(slots=True)
class _NameUses:
    """The uses of all names that move: those that follow, by path, and by name those that may."""

    certain: dict[str, list[SpelledUse]] = field(default_factory=dict)
    possible: dict[str, list[UsePlace]] = field(default_factory=dict)
    # classes, bases that may note them
    keeping: list[tuple[str, str]] = field(default_factory=list)

    def read(self, library: Library, path: str, name: str) -> None:
        """Reads what the workspace says of one of the names."""
        references = gather(library, path, name)
        _check_kind(references, path, name)
        judged = references.judged()
        self.possible[name] = possible_places(library, judged)
        inference, place = references.inference, QualifiedName(path, name)
        for base in inference.lineage(place)[0] if inference.class_facts(place) else ():
            is_told = base != place and inference.binds(member_of(base, "__init_subclass__"))
            if is_told or _has_metaclass(WorkspaceCode(library), base):
                self.keeping.append((name, base.name))
        for user, certain in judged.certain.items():
            for use in certain:  # what reaches a module that imports the name again stays
                value = use.value if isinstance(use, AttributeUse) else None
                if value is None or ModuleValue(path) in inference.values(user, value):
                    self.certain.setdefault(user, []).append(use)


def _unregistered(
    code: WorkspaceCode, tree: MovedTree, dest: str, uses: _NameUses
) -> Iterator[str]:
    """The decorators and bases that do nothing any more, since nothing imports the new module."""
    word = re.compile(rb"\b" + re.escape(posixpath.basename(stem_of(dest)).encode()) + rb"\b")
    others = (module.code.code for user, module in tree.changed.items() if user != dest)
    if any(map(word.search, others)):
        return
    path = code.library.asked.path
    nodes = (n for name in uses.possible for n in definition_nodes(code.needed(path).root, name))
    for place in (place for node in nodes for place in keeping_decorators(path, node)):
        why = place.why.removesuffix(" may keep it")
        yield f"nothing imports {dest}: {path}:{place.line}: {why} does nothing from there"
    for name, base in uses.keeping:
        yield f"nothing imports {dest}: {base}, which may keep its classes, does not get {name}"


def _has_metaclass(code: WorkspaceCode, place: QualifiedName) -> bool:
    """Whether a class is made by a class of its own, which may note it."""
    nodes = definition_nodes(code.needed(place.path).root, place.name)
    every = [
        item for node in nodes for item in arguments(node.child_by_field_name("definition") or node)
    ]
    makers = [last_name(item.value) for item in every if text_of(item.keyword) == "metaclass"]
    return any(maker != "ABCMeta" for maker in makers)


def _check_kind(references: References, path: str, name: str) -> None:
    """Raises for what others find by its place: Python, pytest, and who reads a stub."""
    if name in ("__all__", "__dir__", "__getattr__"):
        raise refused(path, f"has {name}, which Python looks for there", "special_name")
    function = references.inference.facts[path].functions.get(name)
    if function is not None and function.fixture:
        raise refused(path, f"has {name} as a fixture, which pytest finds by its place", "fixture")
    if (twin := references.inference.modules.twin(path)) is not None:
        raise refused(path, f"is described by {twin}, which does not move", "stub")


def _starred(code: WorkspaceCode, uses: _NameUses, path: str, names: Sequence[str]) -> list[str]:
    """The names that a star import of the module at `path` brings."""
    module = code.needed(path)
    if "__all__" not in module.bound:
        return [name for name in names if not name.startswith("_")]
    listed = {module.code[u.start : u.end] for u in uses.certain[path] if isinstance(u, ListedUse)}
    return [name for name in names if name.encode() in listed]


def _starring(code: WorkspaceCode, path: str) -> Iterator[str]:
    """The modules with a star import of the one at `path`."""
    for other in code.library.keep("*", _STAR.search):
        stars = (split_level(star.decode()) for star in _STAR.findall(code.bytes(other) or b""))
        if any(code.modules.find(other, *star) == path for star in stars):
            yield other


def _bases(uses: _NameUses, code: WorkspaceCode, path: str) -> Iterator[str]:
    """The directories where absolute imports of the module begin, as its users write them."""
    every = ((user, use) for user, certain in sorted(uses.certain.items()) for use in certain)
    for user, use in every:
        name = use.module.module if isinstance(use, ImportUse) and not use.module.level else ""
        base = base_of(path, name)
        if name and base is not None and code.modules.find(user, 0, name) == path:
            yield base


def _changed_code(tree: MovedTree) -> dict[str, bytes]:
    """The modules that change, as they will be."""
    return {path: module.code.code for path, module in tree.changed.items() if module.changes}


def _localised(
    code: WorkspaceCode, tree: MovedTree, needs: OutsideNeeds, path: str, dest: str
) -> Iterator[str]:
    """Imports in functions wherever an import would close a circle; a line about each."""
    raw = RawSteps(code.library.store)
    for user in sorted(tree.changed, key=lambda user: (user not in (path, dest), user)):
        while True:
            contents = _changed_code(tree)
            before, after = _graphs(code, contents, raw)
            circle = new_circle(before, after, user, {}) if user in contents else None
            target = circle[1] if circle is not None else ""
            if not target and too_early(before, after, user) and user in (path, dest):
                target = dest if user == path else path
            # who took it from the old module has followed
            own = partial(needs.need, user) if user != path else lambda _: False
            said = localise(tree.changed[user], target, code.modules, own) if target else ""
            if not said:
                break
            yield f"{user} imports {said}: {target} needs {user} while it is imported"


def _graphs(
    code: WorkspaceCode, contents: Mapping[str, bytes], raw: RawSteps
) -> tuple[ImportGraph, ImportGraph]:
    """The imports of the workspace before and after these modules change."""

    def read(path: str) -> bytes | None:
        return contents[path] if path in contents else code.bytes(path)

    return ImportGraph(code.modules, code.bytes, raw), ImportGraph(code.modules, read, raw)


def _check_circles(code: WorkspaceCode, contents: Mapping[str, bytes], ends: Sequence[str]) -> None:
    """Raises `PreconditionError` for a new circle of imports, and one that would not work.

    `contents` are the modules that change, as they will be.
    """
    raw = RawSteps(code.library.store)
    before, after = _graphs(code, contents, raw)
    hint = _LOCAL_HINT if "local_imports" in code.library.asked.arguments else _CIRCLE_HINT
    path, dest = ends[0], ends[-1]
    taken = {name for s in after.steps(dest) if s.source == path != dest for name in s.taken}
    hint = hint.replace(" as", f" ({first_names(sorted(taken), 5)}) as", 1) if taken else hint
    refuse_circles(before, after, contents, {}, hint)
    for path in ends:
        if (why := too_early(before, after, path)) is not None:
            message = f"{why}; nothing was staged."
            raise PreconditionError(message, path=path, code="import_cycle", hint=hint)
    raw.keep()


def _possible(
    code: WorkspaceCode,
    path: str,
    names: Sequence[str],
    uses: _NameUses,
    tree: MovedTree,
    dotted: str | None,
) -> dict[str, list[UsePlace]]:
    """What was left alone although it may mean what moves, by name.

    A place has the span of the module's name before it, if that is `dotted` and stands there.
    """
    possible = {}
    for name in names:
        places = [
            UsePlace(user, Lines(text).row(start) + 1, _TARGET)
            for user, starts in sorted(tree.unclear.items())
            for text in [code.bytes(user) or b""]
            for start in starts
            if text.startswith(name.encode(), start)
        ]
        points = entry_points(code.library.asked.workspace, path, name, member=False)
        every = [*points, *uses.possible[name], *places]
        possible[name] = [_of_module(code, place, dotted) for place in every]
    return possible


def _of_module(code: WorkspaceCode, place: UsePlace, dotted: str | None) -> UsePlace:
    text = code.library.text(place.path) if dotted is not None and place.span[1] else None
    head = text.code[: place.span[0]] if text is not None else b""
    module = re.search(rb"(?<![\w.])" + re.escape((dotted or "").encode()) + rb"(?=[.:]\Z)", head)
    return place._replace(span=module.span() if module is not None else (0, 0))
