"""Symbols: a name to the definitions it may mean, by a glance at bytes first."""

import builtins
import re
import sys
from collections.abc import Callable, Iterator

from astedit.errors import PreconditionError
from astedit.language import for_path
from astedit.language.traits import traits
from astedit.locating.identifier import Identifier
from astedit.locating.inventory.inventory import FileTest, Inventory, Look
from astedit.locating.inventory.read_file import FileFacts
from astedit.locating.inventory.source_roots import SourceRoots
from astedit.locating.result import Candidate, MatchReason, MeantNodes, NodeRef, number_ids


def may_define(roots: SourceRoots, name: tuple[str, ...]) -> FileTest:
    """The prefilter of a symbol's name: False only where nothing so named is defined.

    What is not part of the module's own name stands in the file, the last name where a
    definition can be.
    """
    segments = [part.encode("utf-8", "surrogateescape") for part in name]
    last = re.compile(re.escape(segments[-1]) + rb"(?!\w)")

    def test(path: str, language: str, raw: bytes) -> bool:
        if segments[-1] not in raw and name[-1] != "<init>":
            return False
        may_bind = _TESTS.get(language)
        if may_bind is not None and not _any_place(last, raw, may_bind):
            return False
        count = _in_module(roots.module(path, language), name) if len(name) > 1 else 0
        return all(part in raw for part in segments[count:-1])

    return test


# What may stand behind a Python name that is bound there. A pattern that begins with the
# name itself is searched ten times faster than one that begins with what is before it.
_BOUND = re.compile(rb"[\s\\]*(?:[,:)\]#]|=(?!=)|in\b)")
_SET = re.compile(rb"[\s\\]*(?::|=(?!=))")
_INTRODUCED = (b"def", b"class")
_LOOK_BACK = 64  # bytes before a name in which `def` stands


_ASSIGNED = re.compile(rb"\s*(?:=(?!=)|/[/*])")  # a comment may stand before the `=`


def _binds(before: bytes, raw: bytes, end: int) -> bool:
    """Whether a Python name that ends here is bound, as far as a glance can tell."""
    if before.endswith(_INTRODUCED):
        return True
    is_member = before.endswith(b".") and not before.endswith((b"self.", b"cls."))
    return (_SET if is_member else _BOUND).match(raw, end) is not None


def _declares(before: bytes, raw: bytes, end: int) -> bool:
    """Whether a name of a script is more than a member of something that is used."""
    return not before.endswith(b".") or _ASSIGNED.match(raw, end) is not None


_TESTS = {"python": _binds, "javascript": _declares, "typescript": _declares, "tsx": _declares}


def _any_place(
    name: "re.Pattern[bytes]", raw: bytes, test: Callable[[bytes, bytes, int], bool]
) -> bool:
    """Whether a test says yes of a place of a name, by what is before it and its end."""
    for match in name.finditer(raw):
        start, end = match.span()
        if start and (raw[start - 1 : start].isalnum() or raw[start - 1] in b"_"):
            continue
        if test(raw[max(0, start - _LOOK_BACK) : start].rstrip(b" \t\r\n\\\f"), raw, end):
            return True
    return False


def _in_module(module: tuple[str, ...], name: tuple[str, ...]) -> int:
    """How many of a name's first segments are the end of its module's name, at most."""
    for count in range(min(len(module), len(name) - 1), 0, -1):
        if module[-count:] == name[:count]:
            return count
    return 0


def by_id(inventory: Inventory, identifier: Identifier) -> MeantNodes:
    """The symbol with this id; its file alone is read, and only if the tree has it."""
    assert identifier.id is not None
    path, _, qualified = identifier.id.removeprefix("sym:").partition("::")
    parts = qualified.partition("@")[0].replace("::", ".").split(".")
    names = tuple(part for part in parts if part and part != "<locals>")
    if not names or not inventory.has(path):
        return MeantNodes([], Look())
    look = inventory.look(None, names[-1], [path])
    full_id = f"sym:{path}::{'.'.join(names)}" + "".join(qualified.partition("@")[1:])
    nodes = (node for node in _nodes(inventory, look) if node.id == full_id)
    return MeantNodes(
        [Candidate(node, float(len(identifier.text)), "exact_id") for node in nodes], look
    )


def by_name(inventory: Inventory, identifier: Identifier) -> MeantNodes:
    """Every symbol that the full name, its end, or the short name means."""
    name = identifier.name
    look = inventory.look(may_define(inventory.roots, name), name[-1])
    score = float(len(".".join(name)))
    every = ((node, _reason(name, node)) for node in _nodes(inventory, look))
    return MeantNodes([Candidate(node, score, why) for node, why in every if why], look)


def _reason(name: tuple[str, ...], node: NodeRef) -> MatchReason | None:
    assert node.fqn is not None
    full = tuple(node.fqn.split("."))
    if full == name:
        return "exact_fqn"
    if full[-len(name) :] != name:
        return None
    if len(name) > 1:
        return "fqn_suffix"
    return None if node.enclosing else "short_name"


def _nodes(inventory: Inventory, look: Look) -> Iterator[NodeRef]:
    for path, language, facts in look.files:
        yield from nodes_of(inventory, path, language, facts)


def nodes_of(inventory: Inventory, path: str, language: str, facts: FileFacts) -> list[NodeRef]:
    """The symbols of one file, with their ids."""
    rules = traits(language).definitions
    module = inventory.roots.module(path, language) if rules and rules.by_path else facts.package
    nodes = [
        NodeRef(
            id=f"sym:{path}::{'.'.join(definition.names)}",
            kind="symbol",
            name=definition.names[-1],
            path=path,
            start_line=definition.line,
            language=language,
            root=inventory.roots.of(path),
            fqn=".".join((*module, *definition.names)),
            symbol_kind=definition.kind,  # type: ignore[arg-type]
            # a binding with several sites, or of an attribute in a method, is no one place
            region=definition.bound == 1 and not definition.attribute,
            renamable=definition.names[-1] != (rules.constructor if rules else ""),
            enclosing=".".join(definition.names[:-1]) if definition.local else None,
            span=definition.span,
            body=definition.body,
            sha256=facts.sha256,
        )
        for definition in facts.defined()
    ]
    number_ids(nodes)
    return nodes


_STARS = 50  # modules looked into before giving up, most because of `from m import *`


def reexported(inventory: Inventory, name: tuple[str, ...]) -> str | None:
    """A sentence that names the definition behind a re-exported Python name."""
    for count in range(len(name) - 1, 0, -1):
        path = inventory.modules.find("", 0, ".".join(name[:count]))
        if path is not None:
            home = _defining_module(inventory, path, name[count])
            if home is not None:
                full = ".".join([*home, *name[count + 1 :]])
                return f"It is re-exported there: its definition is {full}."
    return None


def _defining_module(inventory: Inventory, path: str, name: str) -> tuple[str, ...] | None:
    """The full name of what a module imports as `name`; None in a cycle or at a dead end."""
    from astedit.locating.routers import RouterName, origins, python_imports

    waiting = [RouterName(path, name)]
    for origin in waiting:  # grows while it is looked through
        if origin is not waiting[0] and _defines(inventory, *origin):
            return (*inventory.roots.module(origin.path, "python"), origin.name)
        imports = python_imports(inventory, origin.path)
        further = origins(inventory, origin, imports) if len(waiting) < _STARS else ()
        waiting += [other for other in further if other not in waiting]
    return None


def _defines(inventory: Inventory, path: str, name: str) -> bool:
    look = inventory.look(may_define(inventory.roots, (name,)), name, [path])
    defined = (definition for file in look.files for definition in file.facts.defined())
    return any(definition.names == (name,) for definition in defined)


def misnamed(inventory: Inventory, identifier: str) -> PreconditionError | None:
    """The error that says what `identifier`, which no definition has, is instead; or None."""
    from astedit.semantic.rename.definition_nodes import SPECIAL, special

    identifier = identifier.removeprefix("sym:")
    path, _, name = identifier.partition("::")
    last = re.split(r"[.:#]", identifier)[-1]
    if SPECIAL.fullmatch(last):
        return special(last)
    if name:
        return _imported(inventory, path, name)
    if for_path(path) is not None and inventory.has(path):
        return _no_symbol(f"{path} is a file", "Name a symbol in it: `FILE::NAME`.")
    head, _, rest = identifier.partition(".")
    if identifier.removeprefix("builtins.") in vars(builtins):
        return _no_symbol(f"{last!r} is built into Python", "Only this workspace's own names are.")
    for place in (identifier.replace(".", "/"), f"src/{identifier.replace('.', '/')}"):
        if any(inventory.has(place + end) for end in (".py", "/__init__.py")):
            return _no_symbol(f"{identifier} is a module", "Name a symbol in it.")
    if rest and head in sys.stdlib_module_names:
        return _no_symbol(f"{head} is a module of Python's library", "It is not in the workspace.")
    return None


def _no_symbol(what: str, hint: str) -> PreconditionError:
    return PreconditionError(f"{what}, not a symbol.", code="not_found", hint=hint)


def _imported(inventory: Inventory, path: str, name: str) -> PreconditionError | None:
    """The error for a name that its module only imports; None if it does not."""
    from astedit.locating.routers import python_imports

    for local, dots, module, original in python_imports(inventory, path):
        if local == name:
            dotted = "." * dots + ".".join(filter(None, [module, original]))
            return PreconditionError(
                f"{path} only imports {name!r}: it is {dotted}, and a rename begins at the "
                "definition.",
                path=path,
                code="not_found",
                hint="Name the definition, if it is in this workspace.",
            )
    return None
