"""Clients: the calls that ask another service."""

from collections import Counter
from collections.abc import Iterator

from astedit.locating.frameworks.web_facts import ClientCall
from astedit.locating.identifier import Identifier
from astedit.locating.inventory.inventory import Inventory
from astedit.locating.result import Candidate, NodeRef
from astedit.locating.routers import LinkedFacts
from astedit.locating.urls import Address, address, begins


def clients(inventory: Inventory, linked: LinkedFacts) -> list[NodeRef]:
    """Every client call of the tree, by path and in source order."""
    nodes: list[NodeRef] = []
    for path in sorted(linked.facts):
        seen: Counter[str] = Counter()
        for call in linked.facts[path].calls:
            node = _node(inventory, linked, path, call)
            seen[node.id] += 1
            if seen[node.id] > 1:
                node.id += f"@{seen[node.id]}"
            nodes.append(node)
    return nodes


def _node(inventory: Inventory, linked: LinkedFacts, path: str, call: ClientCall) -> NodeRef:
    asked = _address(call)
    return NodeRef(
        id=f"client:{path}::{call.enclosing}::{call.method} {asked.path}",
        kind="client",
        name=f"{call.method} {' '.join(filter(None, [asked.target, asked.path]))}",
        path=path,
        start_line=call.line,
        language=linked.languages[path],
        root=inventory.roots.of(path),
        methods=[] if call.method == "ANY" else [call.method],
        target=asked.target,
        target_unresolved=asked.unresolved,
        url_path=asked.path,
        library=call.library,
        enclosing=call.enclosing,
        span=call.span,
        body=call.span,
        literal=call.literal,
        sha256=linked.hashes[path],
    )


def _address(call: ClientCall) -> Address:
    """Whom a call asks for what; a test client asks nobody in particular."""
    if call.target is not None:
        return Address(call.target, False, address(call.url).path)
    asked = address(call.url, call.base)
    return Address(None, False, asked.path) if call.is_test else asked


def matching(nodes: list[NodeRef], parsed: Identifier) -> Iterator[Candidate]:
    """The calls that a target, perhaps with the first segments of a path, means."""
    for node in nodes:
        if node.target is None or node.target != parsed.target or node.url_path is None:
            continue
        if parsed.prefix is None:
            yield Candidate(node, float(len(node.target)), "client_target")
        elif begins(node.url_path, parsed.prefix):
            score = float(len(node.target) + len(parsed.prefix))
            yield Candidate(node, score, "client_target_path")
