"""Symbols: a name and a tree to the definitions it may mean. (spec: locate.md section 4)"""

from collections import Counter
from collections.abc import Iterator

from astedit.language.traits import traits
from astedit.locating.identifier import Identifier
from astedit.locating.inventory.definitions import Definition
from astedit.locating.inventory.inventory import Found, Tree
from astedit.locating.inventory.read_file import Facts
from astedit.locating.inventory.symbol_prefilter import may_define
from astedit.locating.result import Candidate, NodeRef, Reason


def by_id(tree: Tree, identifier: Identifier) -> tuple[list[Candidate], Found]:
    """The symbol with this id; its file alone is read, and only if the tree has it."""
    assert identifier.id is not None
    path, _, qualified = identifier.id.removeprefix("sym:").partition("::")
    names = _names(qualified.partition("@")[0])
    if not names or not tree.has(path):
        return [], Found()
    found = tree.look(lambda *_: True, names[-1], False, [path])
    wanted = f"sym:{path}::{'.'.join(names)}" + "".join(qualified.partition("@")[1:])
    nodes = (node for node in _nodes(tree, found) if node.id == wanted)
    return [_candidate(node, "exact_id", identifier.text) for node in nodes], found


def by_name(tree: Tree, identifier: Identifier) -> tuple[list[Candidate], Found]:
    """Every symbol that the full name, its end, or the short name means."""
    name = identifier.name
    found = tree.look(may_define(tree.roots, name), name[-1], False)
    candidates = []
    for node in _nodes(tree, found):
        reason = _reason(name, node)
        if reason is not None:
            candidates.append(_candidate(node, reason, ".".join(name)))
    return candidates, found


def _reason(name: tuple[str, ...], node: NodeRef) -> Reason | None:
    assert node.fqn is not None
    full = tuple(node.fqn.split("."))
    if full == name:
        return "exact_fqn"
    if full[-len(name) :] != name:
        return None
    if len(name) > 1:
        return "fqn_suffix"
    return None if node.enclosing else "short_name"


def _nodes(tree: Tree, found: Found) -> Iterator[NodeRef]:
    for path, language, facts in found.files:
        yield from nodes_of(tree, path, language, facts)


def nodes_of(tree: Tree, path: str, language: str, facts: Facts) -> Iterator[NodeRef]:
    """The symbols of one file, with their ids."""
    seen: Counter[str] = Counter()
    rules = traits(language).definitions
    module = tree.roots.module(path, language) if rules and rules.by_path else facts.package
    for one in facts.defined():
        qualified = ".".join(one.names)
        seen[qualified] += 1
        number = f"@{seen[qualified]}" if seen[qualified] > 1 else ""
        yield NodeRef(
            id=f"sym:{path}::{qualified}{number}",
            kind="symbol",
            name=one.names[-1],
            path=path,
            start_line=one.line,
            language=language,
            root=tree.roots.of(path),
            fqn=".".join((*module, *one.names)),
            symbol_kind=one.kind,  # type: ignore[arg-type]
            region=_is_region(one),
            renamable=one.names[-1] != (rules.constructor if rules else ""),
            enclosing=".".join(one.names[:-1]) if one.local else None,
            span=one.span,
            body=one.body,
            sha256=facts.sha256,
        )


def _is_region(one: Definition) -> bool:
    """A binding with several sites, or of an attribute in a method, is no one place."""
    return one.bound == 1 and not one.attribute


def _candidate(node: NodeRef, reason: Reason, matched: str) -> Candidate:
    return Candidate(node, float(len(matched)), reason)


def _names(qualified: str) -> tuple[str, ...]:
    parts = qualified.replace("::", ".").split(".")
    return tuple(part for part in parts if part and part != "<locals>")
