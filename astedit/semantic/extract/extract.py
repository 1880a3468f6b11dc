"""`extract`: the plan that gives a part of a module a name."""

from collections.abc import Callable

from astedit.engine.known_edits import plan_of_edits
from astedit.engine.run_context import Run
from astedit.errors import RequestError
from astedit.model.plan import Plan
from astedit.model.request import EditRequest
from astedit.semantic.extract.function import named_function
from astedit.semantic.extract.selection import SelectedCode
from astedit.semantic.extract.value import named_constant, named_value
from astedit.semantic.library import Library
from astedit.semantic.move.module_code import WorkspaceCode
from astedit.semantic.rename.gather import check_fresh
from astedit.text.splice import Change
from astedit.workspace.root import Workspace

KINDS: dict[str, Callable[[SelectedCode, str], list[Change]]] = {
    "function": named_function,
    "variable": named_value,
    "constant": named_constant,
}


def check_kind(kind: str) -> None:
    """Raises `RequestError` for what nothing can be extracted to."""
    if kind not in KINDS:
        hint = f"There are: {', '.join(KINDS)}."
        raise RequestError(f"There is no extract {kind!r}.", hint=hint, code="bad_kind")


def plan(request: EditRequest, workspace: Workspace, run: Run) -> Plan:
    """The plan of an extraction; the same tree gives the same plan.

    Raises `StaleError` when the file is not the one that was meant, `RequestError` for a range
    that selects no code as a whole, and `PreconditionError` where the program would change.
    """
    assert request.operation is not None
    arguments = request.operation.arguments
    path, new = arguments["path"], arguments["new"]
    check_kind(arguments["kind"])
    check_fresh(request, workspace, path, arguments["hash"])
    library = Library(request, workspace, run, new, None)
    code = WorkspaceCode(library, run)
    selection = SelectedCode.of(code.needed(path), arguments["range"])
    changes = KINDS[arguments["kind"]](selection, new)
    text = library.text(path)
    assert text is not None
    return plan_of_edits(
        request,
        workspace,
        {path: code.marked(path, sorted(changes))},
        run,
        expected={path: text.sha256},
        contained=False,
        files_searched=1,
    )
