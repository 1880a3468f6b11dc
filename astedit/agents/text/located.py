"""What a name means, as text for a model: places to look at, and ids to pass on."""

from collections.abc import Iterator

from astedit.agents.text.budget import name
from astedit.agents.text.failure import for_agents
from astedit.locating.result import LocateResult, NodeRef
from resolve.visible import one_line


def located_text(result: LocateResult) -> str:
    """One line and an id a node; with several or none the sentence that says so comes first."""
    lines = [for_agents(one_line(result.message))] if result.message else []
    if not result.success:
        lines.append("next: Call locate with a name such as Cart.total, or GET /users/{id}.")
    if result.node is not None:
        lines += _node(result.node)
    for candidate in result.candidates:
        lines += _node(candidate.node, f" ({candidate.reason})")
    return "\n".join(lines) + "\n"


def _node(node: NodeRef, reason: str = "") -> Iterator[str]:
    described = (
        f"{node.symbol_kind} {node.fqn}" if node.kind == "symbol" else f"{node.kind} {node.name}"
    )
    yield f"{name(node.path)}:{node.start_line}: {one_line(described)}{reason}"
    yield f"  id: {one_line(node.id)}"
