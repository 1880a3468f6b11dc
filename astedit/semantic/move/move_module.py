"""`move-module`: a Python file, or a package with all below it, goes to another place.

Whoever imports it follows, and its own relative imports mean what they meant.
"""

import posixpath
import re
import stat
from collections.abc import Iterable, Mapping, Sequence

from astedit.discover.discover import discover
from astedit.engine.known_edits import stale
from astedit.engine.whole_files import check_place, deleted, moved, with_files
from astedit.model.edit import FilePlan
from astedit.model.plan import Plan
from astedit.python.facts import AttributeUse, NameUse
from astedit.python.module_paths import stem_of
from astedit.semantic.inference.infer import Inference
from astedit.semantic.inference.values import ModuleValue
from astedit.semantic.library import Library, NameRequest
from astedit.semantic.listed_uses import AlsoUses, UsePlace, in_use, listed, refuse_listed, standing
from astedit.semantic.module_code import ModuleNames, Relocation, WorkspaceCode, refused
from astedit.semantic.move.import_cycles import ImportGraph, RawSteps, refuse_circles
from astedit.semantic.move.module_users import ModuleUsers
from astedit.semantic.rename.gather import in_project, settled
from astedit.text.source import Change, splice

_PLACE = re.compile(rb"(?<!\w)__(?:file|path|package)__(?!\w)")


def plan(asked: NameRequest) -> Plan:
    """The plan of a move of modules, or of a removal; the same tree gives the same plan.

    Raises `PreconditionError` with a place for everything that cannot follow.
    """
    source = posixpath.normpath(asked.arguments["id"])
    is_removal = "new" not in asked.arguments
    with Library(asked, posixpath.basename(stem_of(source))) as library:
        moves = {source: f"{stem_of(source)}_.py"} if is_removal else _moves(library, source)
        reads = _reads(library, source)
    roots = asked.run.roots
    relocation = Relocation(library.files, moves, roots)
    code = WorkspaceCode(library)
    names = ModuleNames(relocation.after, roots)
    dotted = ModuleNames(relocation.before).absolute(source, _module(source))
    edits: dict[str, set[Change]] = {}
    mentioning = _mentioning(library, posixpath.basename(stem_of(source)))
    for path in sorted({*mentioning, *(p for p in moves if p in library.files)}):
        user = ModuleUsers(path, code, relocation, names)
        edits[path] = {*user.changes(*reads.get(path, ([], [])))}
    if is_removal:
        return _removal(asked, code, source, dotted, edits)
    new = names.absolute(_module(source), relocation.there(_module(source)))
    every = _places(code, dotted, edits)
    places = [p._replace(span=(0, 0)) if p.path in moves or not new else p for p in every]
    left = AlsoUses(asked.arguments).write(places, edits, new or "")
    _check_circles(code, relocation, edits)
    users = {path: changes for path, changes in edits.items() if path not in moves}
    hints = listed(dotted or "", left)
    for path in moves:
        if path.endswith(".py") and _PLACE.search(code.bytes(path) or b""):
            hints.append(f"{path} asks where it is: look at it")
    result = asked.plan(library.worked_out(users, hints))
    moving = [moved_file(library, old, to, edits.get(old, ())) for old, to in moves.items()]
    return with_files(result, moving)


def _removal(
    asked: NameRequest,
    code: WorkspaceCode,
    source: str,
    dotted: str | None,
    edits: Mapping[str, Iterable[Change]],
) -> Plan:
    """The plan that removes a module; raises `PreconditionError` while others name it.

    It is `in_use` where an import would have to follow if the module moved.
    """
    library = code.library
    if source not in library.files or posixpath.basename(source) == "__init__.py":
        why = "is no Python module that others import by its own name"
        raise refused(source, why, "not_removable")
    uses = [
        (path, code.needed(path).code, start)
        for path, changes in edits.items()
        for start, *_ in sorted(changes)
        if path != source
    ]
    if uses:
        raise in_use(source, source, uses)
    places = _places(code, dotted, edits)
    refuse_listed(source, [place for place in places if place.path != source], asked.arguments)
    raw, status = asked.workspace.read(source, asked.request.max_file_size)
    plan = asked.plan(library.worked_out({}, ()))
    return with_files(plan, [deleted(source, raw, stat.S_IMODE(status.st_mode))])


def _moves(library: Library, source: str) -> dict[str, str]:
    """The new path of every file that goes, by its old one."""
    asked = library.asked
    if source in library.files:
        if posixpath.basename(source) == "__init__.py":
            raise refused(source, "is its package: name the directory", "not_movable")
        if library.modules.twin(source) is not None:
            raise refused(source, f"is described by {source}i, which does not move", "stub")
        files = [source]
    else:
        if not any(path.startswith(f"{source}/") for path in library.files):
            raise refused(source, "is no Python module or package", "no_module")
        files = below(asked, source)
        if f"{source}/__init__.py" not in files:
            raise refused(source, "is no Python module or package", "no_module")
    return destinations(asked, files, source, _place(asked.arguments["new"], source, library))


def below(asked: NameRequest, source: str) -> list[str]:
    """Every file below a directory, whatever its language."""
    run = asked.run
    return discover(asked.workspace, [source], ignore=run.ignore, deadline=run.deadline).files


def destinations(
    asked: NameRequest, files: Sequence[str], source: str, place: str
) -> dict[str, str]:
    """Where the files below `source` go if that goes to `place`; raises where that is taken."""
    if place == source or place.startswith(f"{source}/"):
        raise refused(source, "is there already, or would come into itself", "same_place")
    leaving = frozenset(files)
    places = [place if path == source else place + path[len(source) :] for path in files]
    checked = [check_place(path, asked.request, asked.workspace, leaving) for path in places]
    return dict(zip(files, checked, strict=True))


def _place(written: str, source: str, library: Library) -> str:
    """Where the file or the package comes: a path, an existing directory, or a dotted name."""
    is_file = source.endswith(".py")
    name = posixpath.basename(source)
    if "/" not in written and not written.endswith(".py") and "." in written:
        package, _, last = written.rpartition(".")
        above = library.modules.find(source, 0, package)
        if above is None or not above.endswith(("/", "/__init__.py")):
            raise refused(package, "is no package of this workspace", "no_module")
        folder = above.removesuffix("/__init__.py").rstrip("/")
        return f"{folder}/{last}.py" if is_file else f"{folder}/{last}"
    path = posixpath.normpath(written)
    if library.modules.at("" if path == "." else path, [name.removesuffix(".py")]) == source:
        return source
    exists = any(file.startswith(f"{path}/") for file in library.files) or path == "."
    if exists or (is_file and not path.endswith(".py")):
        return posixpath.normpath(f"{path}/{name}")
    stem = posixpath.basename(path).removesuffix(".py")
    if not stem.isidentifier() or (not is_file and path.endswith(".py")):
        raise refused(path, "cannot be imported by its name", "no_module")
    return path


def _mentioning(library: Library, stem: str) -> list[str]:
    word = re.compile(rb"(?<!\w)" + re.escape(stem.encode()) + rb"(?!\w)")
    return library.keep(stem, lambda code: b"import" in code and word.search(code))


def _reads(library: Library, source: str) -> dict[str, tuple[list[int], list[int]]]:
    """Where code reads the module by path: as an attribute of its package, and by its name."""
    target = _module(source)
    folder, name = posixpath.split(stem_of(target))
    packages = {ModuleValue(f"{folder}/"), ModuleValue(f"{folder}/__init__.py")}
    library.load(_mentioning(library, name))

    def reads(inference: Inference) -> dict[str, tuple[list[int], list[int]]]:
        result: dict[str, tuple[list[int], list[int]]] = {}
        for path in sorted(library.facts):
            inside, named = result[path] = [], []
            facts = inference.facts[path]
            for use in facts.uses:
                if isinstance(use, AttributeUse) and packages & inference.values(path, use.value):
                    inside.append(use.start)
                names = use.names if isinstance(use, NameUse) else ()
                # a package has a name that nothing binds there, since its module is imported
                is_bare = isinstance(use, NameUse) and facts.bindings.keys().isdisjoint(names)
                if is_bare and ModuleValue(target) in inference.starred(path, name):
                    inside.append(use.start)
                elif names and all(ModuleValue(target) in inference.bound(path, n) for n in names):
                    named.append(use.start)
        return result

    return settled(library, reads)


def moved_file(library: Library, old: str, new: str, changes: Iterable[Change]) -> FilePlan:
    """The plan of one file that goes, with what changes in it."""
    limit = library.asked.request.max_file_size
    try:
        raw, status = library.asked.workspace.read(old, limit)
    except OSError as error:
        raise stale(old) from error
    if len(raw) > limit:
        raise refused(old, "is too large", "too_large")
    text = library.text(old) if changes else None
    if text is not None and not raw.endswith(text.code):
        raise refused(old, "is not in UTF-8, and its imports would change", "not_utf8")
    own = text.marked(sorted(changes)) if text is not None else []
    return moved(old, new, raw, own, stat.S_IMODE(status.st_mode))


def _check_circles(
    code: WorkspaceCode, relocation: Relocation, edits: Mapping[str, Iterable[Change]]
) -> None:
    """Raises `PreconditionError` if modules would import each other that did not before."""
    homes = {new: old for old, new in relocation.moves.items()}

    def after_bytes(path: str) -> bytes | None:
        old = homes.get(path, path)
        text = code.bytes(old) if old not in relocation.moves or path in homes else None
        return None if text is None else splice(text, sorted(edits.get(old, ())))

    raw = RawSteps(code.library.store)
    before = ImportGraph(relocation.before, code.bytes, raw)
    refuse_circles(before, ImportGraph(relocation.after, after_bytes, raw), edits, relocation.moves)
    raw.keep()


def _places(
    code: WorkspaceCode, dotted: str | None, edits: Mapping[str, Iterable[Change]]
) -> list[UsePlace]:
    """Where the name of the module stands and was left."""
    if dotted is None:
        return []
    places = []
    word = re.compile(rb"(?<![\w.])" + re.escape(dotted.encode()) + rb"(?!\w)")
    quoted = re.compile(rb"(?<=['\"])" + dotted.encode() + rb"(?=['\".:])")
    alone = word if "." in dotted else quoted
    for path in code.library.keep(dotted, alone.search):
        text = code.library.text(path)
        assert text is not None
        places += standing(path, text.code, alone, edits.get(path, ()), "its name stands there")
    outside = {*PROJECT_FILES} - {*code.library.files}
    return [*places, *in_project(code.library.asked.workspace, outside, alone)]


PROJECT_FILES = ("pyproject.toml", "setup.cfg", "setup.py", "tox.ini")


def _module(source: str) -> str:
    return source if source.endswith(".py") else f"{source}/__init__.py"
