"""`within`: a request aimed at one located symbol or route handler."""

from astedit.errors import PreconditionError, RequestError
from astedit.limits import Deadline
from astedit.locating.answer import find_in
from astedit.locating.inventory.inventory import Inventory
from astedit.locating.result import LocateResult, NodeRef, NotLocated
from astedit.model.request import EditRequest, Region
from astedit.workspace.config import Config
from astedit.workspace.root import Workspace


def aim(
    request: EditRequest,
    workspace: Workspace,
    deadline: Deadline | None = None,
    *,
    state: str | None = None,
    config: Config | None = None,
) -> None:
    """Puts the region of the request's `within` in the place of the name, for good.

    Nothing asks for the name again: a rerun has the node's bytes and its file's hash. Only
    that file is searched then. `state` and `config` are as for `Inventory`. Raises
    `NotLocated` for a name of several nodes or of none, `RequestError` for a malformed one,
    and what `deadline.check` raises.
    """
    if request.within is None:
        if request.body_only:
            raise RequestError("`body_only` needs `within`.")
        return
    inventory = Inventory(
        workspace, deadline, state=state, config=config, encoding=request.encoding
    )
    node = the_one(find_in(inventory, request.within))
    if not node.region:
        raise PreconditionError(
            f"{node.id} is no one place in the code that could be rewritten by itself.",
            code="no_region",
            hint="Name the class, function or single assignment around it.",
        )
    if not any(_below(node.path, path) for path in request.paths):
        raise PreconditionError(
            f"{node.id} lies outside the paths that were named.",
            code="not_found",
            path=node.path,
        )
    start, end = node.body if request.body_only else node.span
    request.regions = [Region(node.id, node.path, node.sha256, start, end)]
    request.paths = [node.path]
    request.within, request.body_only = None, False


def the_one(result: LocateResult) -> NodeRef:
    """The node of an answer that names one; raises for every other answer."""
    if not result.success:
        raise RequestError(result.message or "", code="bad_identifier")
    if result.node is None:
        raise NotLocated(result)
    return result.node


def _below(path: str, directory: str) -> bool:
    return directory in (".", path) or path.startswith(f"{directory}/")
