"""Symbols: a name and a tree to the definitions it may mean."""

from collections import Counter
from collections.abc import Iterator

from astedit.language.traits import traits
from astedit.locating.candidates import MeantNodes
from astedit.locating.identifier import Identifier
from astedit.locating.inventory.definitions import Definition
from astedit.locating.inventory.inventory import Inventory, Look
from astedit.locating.inventory.read_file import FileFacts
from astedit.locating.inventory.symbol_prefilter import may_define
from astedit.locating.result import Candidate, MatchReason, NodeRef


def by_id(inventory: Inventory, identifier: Identifier) -> MeantNodes:
    """The symbol with this id; its file alone is read, and only if the tree has it."""
    assert identifier.id is not None
    path, _, qualified = identifier.id.removeprefix("sym:").partition("::")
    names = _names(qualified.partition("@")[0])
    if not names or not inventory.has(path):
        return MeantNodes([], Look())
    look = inventory.look(lambda *_: True, names[-1], False, [path])
    wanted = f"sym:{path}::{'.'.join(names)}" + "".join(qualified.partition("@")[1:])
    nodes = (node for node in _nodes(inventory, look) if node.id == wanted)
    return MeantNodes([_candidate(node, "exact_id", identifier.text) for node in nodes], look)


def by_name(inventory: Inventory, identifier: Identifier) -> MeantNodes:
    """Every symbol that the full name, its end, or the short name means."""
    name = identifier.name
    look = inventory.look(may_define(inventory.roots, name), name[-1], False)
    candidates = []
    for node in _nodes(inventory, look):
        reason = _reason(name, node)
        if reason is not None:
            candidates.append(_candidate(node, reason, ".".join(name)))
    return MeantNodes(candidates, look)


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


def nodes_of(inventory: Inventory, path: str, language: str, facts: FileFacts) -> Iterator[NodeRef]:
    """The symbols of one file, with their ids."""
    seen: Counter[str] = Counter()
    rules = traits(language).definitions
    module = inventory.roots.module(path, language) if rules and rules.by_path else facts.package
    for definition in facts.defined():
        qualified = ".".join(definition.names)
        seen[qualified] += 1
        number = f"@{seen[qualified]}" if seen[qualified] > 1 else ""
        yield NodeRef(
            id=f"sym:{path}::{qualified}{number}",
            kind="symbol",
            name=definition.names[-1],
            path=path,
            start_line=definition.line,
            language=language,
            root=inventory.roots.of(path),
            fqn=".".join((*module, *definition.names)),
            symbol_kind=definition.kind,  # type: ignore[arg-type]
            region=_is_region(definition),
            renamable=definition.names[-1] != (rules.constructor if rules else ""),
            enclosing=".".join(definition.names[:-1]) if definition.local else None,
            span=definition.span,
            body=definition.body,
            sha256=facts.sha256,
        )


def _is_region(definition: Definition) -> bool:
    """A binding with several sites, or of an attribute in a method, is no one place."""
    return definition.bound == 1 and not definition.attribute


def _candidate(node: NodeRef, reason: MatchReason, matched: str) -> Candidate:
    return Candidate(node, float(len(matched)), reason)


def _names(qualified: str) -> tuple[str, ...]:
    parts = qualified.replace("::", ".").split(".")
    return tuple(part for part in parts if part and part != "<locals>")
