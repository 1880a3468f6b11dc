"""Clients: the calls that ask another service. (spec: locate.md section 6)"""

from collections import Counter
from collections.abc import Iterator

from astedit.locating.frameworks.web_facts import Call
from astedit.locating.identifier import Identifier
from astedit.locating.inventory.inventory import Tree
from astedit.locating.result import NodeRef, Reason
from astedit.locating.routers import Linked
from astedit.locating.urls import Address, address, begins


def clients(tree: Tree, linked: Linked) -> list[NodeRef]:
    """Every client call of the tree, by path and in source order."""
    found: list[NodeRef] = []
    for path in sorted(linked.facts):
        seen: Counter[str] = Counter()
        for call in linked.facts[path].calls:
            node = _node(tree, linked, path, call)
            seen[node.id] += 1
            if seen[node.id] > 1:
                node.id += f"@{seen[node.id]}"
            found.append(node)
    return found


def _node(tree: Tree, linked: Linked, path: str, call: Call) -> NodeRef:
    asked = _address(call)
    return NodeRef(
        id=f"client:{path}::{call.enclosing}::{call.method} {asked.path}",
        kind="client",
        name=f"{call.method} {' '.join(filter(None, [asked.target, asked.path]))}",
        path=path,
        start_line=call.line,
        language=linked.languages[path],
        root=tree.roots.of(path),
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


def _address(call: Call) -> Address:
    """Whom a call asks for what; a test client asks nobody in particular."""
    if call.target is not None:
        return Address(call.target, False, address(call.url).path)
    asked = address(call.url, call.base)
    return Address(None, False, asked.path) if call.is_test else asked


def matching(found: list[NodeRef], parsed: Identifier) -> Iterator[tuple[NodeRef, Reason, int]]:
    """The calls that a target, perhaps with the first segments of a path, means."""
    for node in found:
        if node.target is None or node.target != parsed.target or node.url_path is None:
            continue
        if parsed.prefix is None:
            yield node, "client_target", len(node.target)
        elif begins(node.url_path, parsed.prefix):
            yield node, "client_target_path", len(node.target) + len(parsed.prefix)
