"""The Python interface to changes that follow a definition through a workspace.

As in `api`, every function is synchronous and may be called from any thread.
"""

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from astedit.api import operated
from astedit.model.plan import Plan
from astedit.model.request import EditRequest
from astedit.workspace.config import Config
from astedit.workspace.root import Workspace

if TYPE_CHECKING:
    from resolve import Session

__all__ = ["move", "move_module", "remove", "signature"]


def move(
    identifiers: str | Iterable[str],
    destination: str,
    *,
    root: str | Path | None = None,
    reexport: bool = False,
    session: "Session | None" = None,
    dry_run: bool = True,
    state: str | None = None,
) -> Plan:
    """The plan that moves definitions of one Python module to another; nothing is written.

    `identifiers` are what `locate` takes, one or several; `destination` is a file below the
    root, or the name of a module. With `reexport` an import stays behind. Raises as `rename`,
    and `PreconditionError` (`import_cycle`, `collision` and others) for what cannot follow.
    With a `session` the plan is staged. `state` is as for `locate`.
    """
    from astedit.staging.operations import moving

    names = [identifiers] if isinstance(identifiers, str) else list(identifiers)

    def make(workspace: Workspace, config: Config) -> EditRequest:
        return moving(workspace, names, destination, reexport=reexport, state=state, config=config)

    return operated(make, root, session, dry_run, state)


def remove(
    identifier: str,
    *,
    root: str | Path | None = None,
    session: "Session | None" = None,
    dry_run: bool = True,
    state: str | None = None,
) -> Plan:
    """The plan that removes one Python definition that nothing uses; nothing is written.

    Raises `NotLocated` unless `identifier` names one symbol, `PreconditionError` (`in_use`)
    while evident uses are left, with their places. What may be a use is in `plan.hints`.
    `session` and `state` are as for `move`.
    """
    from astedit.staging.operations import removing

    def make(workspace: Workspace, config: Config) -> EditRequest:
        return removing(workspace, identifier, state=state, config=config)

    return operated(make, root, session, dry_run, state)


def move_module(
    source: str,
    destination: str,
    *,
    root: str | Path | None = None,
    session: "Session | None" = None,
    dry_run: bool = True,
    state: str | None = None,
) -> Plan:
    """The plan that moves a Python file, or a package with all below it; nothing is written.

    `source` is a path below the root, `destination` another, a directory, or a name with dots.
    Raises `PreconditionError` with a place for what cannot follow. With a `session` the plan
    is staged.
    """
    from astedit.semantic.move.move_module import request_of_module_move

    def make(workspace: Workspace, config: Config) -> EditRequest:
        return request_of_module_move(workspace.check(source), destination)

    return operated(make, root, session, dry_run, state)


def signature(
    identifier: str,
    *,
    add: Sequence[str] = (),
    remove: Sequence[str] = (),
    rename: Sequence[str] = (),
    reorder: str | None = None,
    keyword_only: Sequence[str] = (),
    default_for_callers: str | None = None,
    root: str | Path | None = None,
    session: "Session | None" = None,
    dry_run: bool = True,
    state: str | None = None,
) -> Plan:
    """The plan that changes a Python function's parameters and calls; nothing is written.

    `add` are parameters as in code, `rename` texts such as `old=new`, `reorder` the names of
    all that positions fill, between commas. Raises `NotLocated` unless `identifier` names one
    function, `RequestError` (`bad_signature`), and `PreconditionError` (`cannot_follow`) with
    every place that cannot follow. `session` and `state` are as for `move`.
    """
    from astedit.staging.operations import changing_signature

    def make(workspace: Workspace, config: Config) -> EditRequest:
        return changing_signature(
            workspace,
            identifier,
            add=add,
            remove=remove,
            rename=rename,
            reorder=reorder,
            keyword_only=keyword_only,
            default_for_callers=default_for_callers,
            state=state,
            config=config,
        )

    return operated(make, root, session, dry_run, state)
