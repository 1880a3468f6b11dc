"""Where a language server would rename otherwise than a plan of ours: told, and not changed."""

from collections.abc import Iterator, Mapping, Sequence

from astedit.engine.run_context import Run
from astedit.model.plan import Plan
from astedit.producers.lsp_edit import Positions
from astedit.producers.lsp_question import answer_of_server, request_of_server
from astedit.text.count_phrases import first_lines, number
from astedit.text.splice import Change
from astedit.workspace.root import Workspace

_LISTED = 20  # places of each kind
_LARGEST = 1 << 30  # bytes of a file that a plan changes
FileChanges = Mapping[str, Sequence[Change]]


def server_differences(plan: Plan, server: str, workspace: Workspace, run: Run) -> list[str]:
    """What a plan of `rename` and the server's answer to the same rename do not share.

    First the places that the server alone would change, then those that it would leave, each
    kind with its count. Raises as `lsp_question.plan` for a server that goes wrong.
    """
    operation = plan.request.operation
    assert operation is not None
    path, new = operation.arguments["path"], operation.arguments["new"]
    ours = {file.read_from: file.changes for file in plan.files}
    place = _definition(path, operation.arguments["region"], ours, workspace)
    arguments = {"place": place, "name": new}
    request = request_of_server(server, path, arguments, allow_partial=True, allow_protected=True)
    change = answer_of_server(request, workspace, run).change
    theirs = {**change.edits, **{file.read_from: file.changes for file in change.whole}}
    return [*_told(ours, theirs, workspace), *change.notes, *change.misfits]


def _definition(path: str, region: str, changes: FileChanges, workspace: Workspace) -> str:
    """`LINE:COL` of the first change within the definition, from 1: there its name stands."""
    start, end = (int(each) for each in region.split(":"))
    first, *_ = [at for at, _, _ in changes[path] if start <= at < end] or [changes[path][0][0]]
    raw, _ = workspace.read(path, _LARGEST)
    line, column = Positions(path, raw, "utf-32").position(first)
    return f"{line + 1}:{column + 1}"


def _told(ours: FileChanges, theirs: FileChanges, workspace: Workspace) -> Iterator[str]:
    more, less = (list(_alone(*each, workspace)) for each in ((theirs, ours), (ours, theirs)))
    shared = sum(map(len, ours.values())) - len(less)
    if not more and not less:
        yield f"The language server would change the same {number(shared, 'place')}."
        return
    yield f"The language server would change {number(shared, 'place')} of these, too."
    if more:
        yield f"{number(len(more), 'place')} that it alone would change, not changed here:"
        yield from first_lines(more, _LISTED)
    if less:
        yield f"{number(len(less), 'place')} that it would leave unchanged:"
        yield from first_lines(less, _LISTED)


def _alone(some: FileChanges, others: FileChanges, workspace: Workspace) -> Iterator[str]:
    """The changes of `some` that touch none of `others`, as `path:line: text`."""
    for path in sorted(some):
        beside = others.get(path, ())
        alone = [
            start
            for start, end, _ in some[path]
            if not any(start <= last and first <= end for first, last, _ in beside)
        ]
        if alone:
            lines = workspace.read(path, _LARGEST)[0]
            yield from (f"{path}:{_line(lines, start)}" for start in alone)


def _line(content: bytes, offset: int) -> str:
    """The number of the line that a byte is in, and its text."""
    first = content.rfind(b"\n", 0, offset) + 1
    text = content[first:].split(b"\n", 1)[0].strip().decode("utf-8", "replace")
    row = content.count(b"\n", 0, first) + 1
    return f"{row}: {text[:100]}"
