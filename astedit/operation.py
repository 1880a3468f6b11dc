"""Operations by kind: a change that is planned from a name, and planned again to apply it.

Each kind's module has `plan(request, workspace, run)`. It computes the plan from the
operation's arguments alone, so that the same tree gives the same plan in any process.
"""

from dataclasses import replace
from importlib import import_module

from astedit.config import Config
from astedit.engine.given import Run
from astedit.errors import PreconditionError, RequestError
from astedit.model import EditRequest, Operation, OperationKind, Plan
from astedit.workspace import Workspace

# The table is closed: what is stored names a kind, never a module.
_MODULES: dict[OperationKind, str] = {
    "rename": "astedit.semantic.rename",
    "set_path": "astedit.names.set_path",
    "codemod": "astedit.semantic.codemod",
}


def plan(request: EditRequest, workspace: Workspace, run: Run) -> Plan:
    """The plan of a request that has an operation; raises what its module raises."""
    assert request.operation is not None
    made: Plan = import_module(_MODULES[request.operation.kind]).plan(request, workspace, run)
    return made


def configured(run: Run, settings: Config) -> Run:
    """The run with what files and environment say; what the command line said wins."""
    return replace(
        run,
        jobs=run.jobs or settings.jobs,
        ignore=settings.ignore,
        codemods={**settings.codemods, **run.codemods},
    )


def title(operation: Operation) -> str:
    """`rename: sym:app/main.py::OrderService.create -> place`, for labels."""
    given = operation.arguments
    names = [given[key] for key in ("id", "new") if key in given]
    return f"{operation.kind}: {' -> '.join(names)}"


def renaming(
    workspace: Workspace, identifier: str, new: str, *, allow_syntactic: bool = False
) -> EditRequest:
    """The request that renames what `identifier` names.

    Raises `NotLocated` unless it names one symbol, and `RequestError` for a malformed
    identifier and for a new name that no definition can have.
    """
    from astedit.names import NotLocated, find
    from astedit.semantic.rename import request_of_rename

    result = find(workspace, identifier, "symbol")
    if not result.success:
        raise RequestError(result.message or "", code="bad_identifier")
    node = result.node
    if node is None:
        raise NotLocated(result)
    if not node.renamable:
        raise PreconditionError(f"{node.id} cannot be renamed.", code="not_renamable")
    name = node.id.partition("::")[2].partition("@")[0]
    return request_of_rename(node.id, node.path, name, node.sha256, node.span, new, allow_syntactic)
