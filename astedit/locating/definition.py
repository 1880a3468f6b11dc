"""The definition that an identifier names, for operations that follow it through a tree."""

from collections.abc import Sequence
from typing import NamedTuple

from astedit.errors import RequestError
from astedit.locating.answer import find_in
from astedit.locating.inventory.inventory import Inventory
from astedit.locating.result import NodeRef, NotLocated
from astedit.workspace.config import Config
from astedit.workspace.root import Workspace

_SCOPED = ("python", "javascript", "typescript", "tsx")  # where a name is one in its scope


class LocatedDefinition(NamedTuple):
    """A located definition, and its name within its module (`OrderService.create`).

    Of a parameter, `node` is the function, and the name is that of the parameter within it.
    """

    node: NodeRef
    name: str

    @property
    def arguments(self) -> dict[str, str]:
        """What an operation keeps of it, to be computed again and to know a stale file.

        Its id, path and name, the bytes of the node, and the hash of the file that has them.
        """
        node = self.node
        return {
            "id": f"{node.id.partition('::')[0]}::{self.name}",
            "path": node.path,
            "name": self.name,
            "hash": node.sha256,
            "region": f"{node.span[0]}:{node.span[1]}",
        }


def find_definition(
    workspace: Workspace, identifier: str, *, state: str | None = None, config: Config | None = None
) -> LocatedDefinition:
    """The one symbol, or the parameter, that `identifier` names.

    `state` is where `locate` keeps what it parsed, if it may; `config` is the configuration,
    if it was read already. Raises `NotLocated` unless the identifier names one symbol,
    `RequestError` for a malformed one, and `PreconditionError` for what is known to be
    something else.
    """
    from astedit.semantic.rename.definition_nodes import explained

    inventory = Inventory(workspace, state=state, config=config)
    result = find_in(inventory, identifier, "symbol")
    if not result.success:
        raise RequestError(result.message or "", code="bad_identifier")
    node = result.node
    if result.status == "many":
        node = _one_binding([candidate.node for candidate in result.candidates])
    name = node.id.partition("::")[2].partition("@")[0] if node is not None else ""
    if result.status == "none":
        node, name = _parameter(inventory, identifier)
    if node is None:
        reason = explained(workspace, identifier) if result.status == "none" else None
        raise reason or NotLocated(result)
    return LocatedDefinition(node, name)


def _one_binding(nodes: Sequence[NodeRef]) -> NodeRef | None:
    """The first of several that are one name of one scope: a property and its setter."""
    names = {node.id.partition("@")[0] for node in nodes}
    alike = len(names) == 1 and all(node.language in _SCOPED for node in nodes)
    return nodes[0] if alike else None


def _parameter(inventory: Inventory, identifier: str) -> tuple[NodeRef | None, str]:
    """The function whose parameter an id names, which is no node of its own."""
    path, _, name = identifier.partition("::")
    function, _, last = name.replace(".<locals>", "").rpartition(".")
    if not (function and last.isidentifier()):
        return None, ""
    node = find_in(inventory, f"{path}::{function}", "symbol").node
    is_function = node is not None and node.symbol_kind in ("function", "method")
    return (node, f"{function}.{last}") if is_function else (None, "")
