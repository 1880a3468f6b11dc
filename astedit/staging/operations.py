"""Operations by kind: a change that is planned from a name, and planned again to apply it.

Each kind's module has `plan(request, workspace, run)`. It computes the plan from the
operation's arguments alone, so that the same tree gives the same plan in any process.
"""

from collections.abc import Sequence
from importlib import import_module

from astedit.engine.run_context import Run
from astedit.errors import PreconditionError
from astedit.model.plan import Plan
from astedit.model.request import EditRequest, Operation
from astedit.workspace.config import Config
from astedit.workspace.root import Workspace

# The table is closed: what is stored names a kind, never a module.
OPERATIONS = {
    "rename": "astedit.semantic.rename.rename",
    "set_path": "astedit.locating.set_path",
    "codemod": "astedit.semantic.codemod",
    "move": "astedit.semantic.move.move",
    "move_module": "astedit.semantic.move.move_module",
    "remove": "astedit.semantic.removal.remove",
    "signature": "astedit.semantic.signature.signature",
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
    from astedit.semantic.rename.rename import request_of_rename
    from astedit.staging.located_definition import find_definition

    definition = find_definition(workspace, identifier, state=state, config=config)
    if not definition.node.renamable:
        raise PreconditionError(f"{definition.node.id} cannot be renamed.", code="not_renamable")
    return request_of_rename(definition.arguments, new, allow_syntactic)


def moving(
    workspace: Workspace,
    identifiers: Sequence[str],
    dest: str,
    *,
    reexport: bool = False,
    state: str | None = None,
    config: Config | None = None,
) -> EditRequest:
    """The request that moves what the identifiers name, all of one module, to another.

    `dest` is the path of a module, or its name with dots. Raises as `renaming` does, and
    `PreconditionError` for what does not stand at the top level of one Python module.
    """
    from astedit.semantic.move.move import request_of_move
    from astedit.staging.located_definition import find_definition

    every = [find_definition(workspace, each, state=state, config=config) for each in identifiers]
    return request_of_move([each.arguments for each in every], dest, reexport=reexport)


def removing(
    workspace: Workspace,
    identifier: str,
    *,
    state: str | None = None,
    config: Config | None = None,
) -> EditRequest:
    """The request that removes what `identifier` names; arguments and errors as `renaming`."""
    from astedit.staging.located_definition import find_definition

    definition = find_definition(workspace, identifier, state=state, config=config)
    return EditRequest(ops=[], operation=Operation("remove", definition.arguments))


def changing_signature(
    workspace: Workspace,
    identifier: str,
    *,
    add: Sequence[str] = (),
    remove: Sequence[str] = (),
    rename: Sequence[str] = (),
    reorder: str | None = None,
    keyword_only: Sequence[str] = (),
    default_for_callers: str | None = None,
    state: str | None = None,
    config: Config | None = None,
) -> EditRequest:
    """The request that changes the parameters of what `identifier` names.

    `rename` are texts such as `old=new`, `reorder` names between commas. Raises as
    `renaming`, and `RequestError` (`bad_signature`) for what no signature can have.
    """
    from astedit.semantic.signature.new_signature import SignatureRequest, renames
    from astedit.staging.located_definition import find_definition

    asked = SignatureRequest(
        tuple(add),
        tuple(remove),
        renames(rename),
        tuple(name.strip() for name in reorder.split(",")) if reorder else (),
        tuple(keyword_only),
        default_for_callers,
    )
    asked.check("signature.py")
    definition = find_definition(workspace, identifier, state=state, config=config)
    arguments = definition.arguments | asked.arguments
    return EditRequest(ops=[], operation=Operation("signature", arguments))
