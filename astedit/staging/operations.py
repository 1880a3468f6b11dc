"""Operations by kind: a change that is planned from a name, and planned again to apply it.

Each kind's module has `plan(request, workspace, run)`. It computes the plan from the
operation's arguments alone, so that the same tree gives the same plan in any process.
"""

from collections.abc import Sequence
from importlib import import_module
from typing import TYPE_CHECKING

from astedit.engine.run_context import Run
from astedit.errors import PreconditionError, RequestError
from astedit.model.plan import Plan
from astedit.model.request import EditRequest, Operation
from astedit.workspace.config import Config
from astedit.workspace.root import Workspace

if TYPE_CHECKING:
    from astedit.locating import Inventory, NodeRef

# The table is closed: what is stored names a kind, never a module.
OPERATIONS = {
    "rename": "astedit.semantic.rename.rename",
    "set_path": "astedit.locating.set_path",
    "codemod": "astedit.semantic.codemod",
    "patch": "astedit.producers.patch",
    "capture": "astedit.producers.capture",
    "lsp": "astedit.producers.lsp_question",
}


def plan(request: EditRequest, workspace: Workspace, run: Run) -> Plan:
    """The plan of a request that has an operation.

    Raises what its module raises, and `PreconditionError` (`unknown_operation`) for a kind
    that is in no row, as in a plan of another version.
    """
    assert request.operation is not None
    kind = request.operation.kind
    if kind not in OPERATIONS:
        hint = f"There are: {', '.join(OPERATIONS)}."
        raise PreconditionError(
            f"There is no operation {kind!r}.", hint=hint, code="unknown_operation"
        )
    made: Plan = import_module(OPERATIONS[kind]).plan(request, workspace, run)
    return made


def title(operation: Operation) -> str:
    """`rename: sym:app/main.py::OrderService.create -> place`, for labels."""
    arguments = operation.arguments
    names = [arguments[key] for key in ("id", "new", "label") if key in arguments]
    return f"{operation.kind}: {' -> '.join(names)}" if names else operation.kind


def renaming(
    workspace: Workspace,
    identifier: str,
    new: str,
    *,
    allow_syntactic: bool = False,
    state: str | None = None,
    config: Config | None = None,
) -> EditRequest:
    """The request that renames what `identifier` names.

    `state` is where `locate` keeps what it parsed, if it may; `config` is the configuration,
    if it was read already. Raises `NotLocated` unless the identifier names one symbol, and
    `RequestError` for a malformed one and for a new name that no definition can have.
    """
    from astedit.locating import Inventory, NotLocated, find_in
    from astedit.semantic.rename.missing import explained
    from astedit.semantic.rename.rename import request_of_rename

    inventory = Inventory(workspace, state=state, config=config)
    result = find_in(inventory, identifier, "symbol")
    if not result.success:
        raise RequestError(result.message or "", code="bad_identifier")
    node = result.node
    if result.status == "many":
        node = _one_binding([one.node for one in result.candidates])
    name = node.id.partition("::")[2].partition("@")[0] if node is not None else ""
    if result.status == "none":
        node, name = _parameter(inventory, identifier)
    if node is None:
        known = explained(workspace, identifier) if result.status == "none" else None
        raise known or NotLocated(result)
    if not node.renamable:
        raise PreconditionError(f"{node.id} cannot be renamed.", code="not_renamable")
    marked = f"{node.id.partition('::')[0]}::{name}"
    return request_of_rename(marked, node.path, name, node.sha256, node.span, new, allow_syntactic)


def _one_binding(nodes: Sequence["NodeRef"]) -> "NodeRef | None":
    """The first of several that are one name of one scope: a property and its setter."""
    names = {node.id.partition("@")[0] for node in nodes}
    alike = len(names) == 1 and all(node.language == "python" for node in nodes)
    return nodes[0] if alike else None


def _parameter(inventory: "Inventory", identifier: str) -> tuple["NodeRef | None", str]:
    """The function whose parameter an id names, which is no node of its own."""
    from astedit.locating import find_in

    path, _, name = identifier.partition("::")
    function, _, last = name.replace(".<locals>", "").rpartition(".")
    if not (function and last.isidentifier()):
        return None, ""
    node = find_in(inventory, f"{path}::{function}", "symbol").node
    known = node is not None and node.symbol_kind in ("function", "method")
    return (node, f"{function}.{last}") if known else (None, "")
