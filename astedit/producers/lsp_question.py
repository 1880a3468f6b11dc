"""What a language server would change, as a plan: a rename, or one of its code actions.

An apply does not ask the server again. It compares the files, as for a command that is not to
run twice.
"""

import asyncio
import os
import re
import shlex
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple, TypeVar

from lsprotocol import types

from astedit.engine.run_context import Run
from astedit.errors import LimitError, PreconditionError, RequestError
from astedit.language import for_path
from astedit.model.plan import Plan
from astedit.model.request import EditRequest, Operation
from astedit.producers.lsp_actions import (
    action_edits,
    actions_of,
    edit_count,
    edits_of_move,
    named_action,
)
from astedit.producers.lsp_connection import Connection, connected
from astedit.producers.lsp_edit import OPENED, Positions, ServerEdit
from astedit.producers.name_places import names_left
from astedit.producers.tree_change import TreeChange, unchanged
from astedit.programs import allowed
from astedit.semantic.listed_uses import code_at
from astedit.text import first_lines, number
from astedit.text.source import Change
from astedit.workspace.root import Workspace

KIND = "lsp"
_SECONDS = 180.0  # for a server that was given no time
_LISTED = 20  # possible uses that a plan lists
_HINT = "Stage the rest with --allow-partial."
_REPLAY = "An apply compares the files; the language server is not asked again."
_PLACE = re.compile(r"(\d+)(?::(\d+))?(?:-(\d+)(?::(\d+))?)?")
Answer = TypeVar("Answer")
ServerQuestion = Callable[[Connection, "_Question", Mapping[str, str]], Awaitable[Answer]]
Answered = tuple[Connection, Answer]
_NAMES = {"tsx": "typescriptreact", "csharp": "csharp", "bash": "shellscript"}


def request_of_server(
    server: str,
    path: str,
    arguments: Mapping[str, str],
    *,
    allow_partial: bool = False,
    allow_protected: bool = False,
) -> EditRequest:
    """The request that a server is asked for; `path` is the file that it is shown.

    Of the `arguments` a rename has `place` (line and column, from 1) and `name`, an action
    `range` and `action`, a move of files `from` and `to`. All have a `label`.
    """
    return EditRequest(
        ops=[],
        operation=Operation(KIND, {"server": server, "path": path, **arguments}),
        allow_partial=allow_partial,
        allow_protected=allow_protected,
        no_ignore=["generated", "vendored"],
    )


def plan(request: EditRequest, workspace: Workspace, run: Run) -> Plan:
    """What the server answers, or the previewed plan if its files are the same.

    Raises `PreconditionError` for a server that dies or talks nonsense, `LimitError` for one
    that hangs or floods, `OutsideRootError` for edits elsewhere; each ends the server.
    """
    assert request.operation is not None
    arguments = request.operation.arguments
    if run.previewed is not None:
        return unchanged(run.previewed, workspace)
    answer = answer_of_server(request, workspace, run)
    change = answer.change
    if "name" in arguments:
        change.notes[:0] = _left(arguments, answer.content, change, run)
    change.notes.append(_REPLAY)
    return change.plan(run, "answer", answer.files, _HINT)


class ServerAnswer(NamedTuple):
    """What a server changes; `content` is that of the file it was asked about.

    `files` counts those that it named.
    """

    change: TreeChange
    content: bytes
    files: int


def answer_of_server(request: EditRequest, workspace: Workspace, run: Run) -> ServerAnswer:
    """Asks the server, and ends it. Raises as `plan` does."""
    assert request.operation is not None
    arguments = request.operation.arguments
    words = _admitted(arguments["server"], run)
    change = TreeChange(request, workspace)
    content, _ = change.read(arguments["path"])
    question = _Question(workspace.root, arguments["path"], content, words)
    connection, edits = question.run(_edits, arguments, run)
    server_edit = ServerEdit(change, connection.encoding)
    for edit in edits:
        server_edit.take(edit)
    server_edit.finish()
    change.notes += _how_asked(connection)
    return ServerAnswer(change, content, len(server_edit.documents))


def listed_actions(
    server: str, path: str, place: str, kind: str | None, workspace: Workspace, run: Run
) -> list[dict[str, str]]:
    """The code actions of a server for a part of a file: fingerprint, kind and title."""
    content, _ = TreeChange(EditRequest(ops=[]), workspace).read(path)
    question = _Question(workspace.root, path, content, _admitted(server, run))
    _, actions = question.run(_listed, {"range": place, **({"kind": kind} if kind else {})}, run)
    return actions


def _admitted(server: str, run: Run) -> list[str]:
    words = shlex.split(server)
    if not allowed(words, run.commands):
        raise PreconditionError(
            f"The language server {server!r} may not run here.",
            code="command_not_allowed",
            hint="Ask it on the command line.",
        )
    if run.overlay:
        raise RequestError("A language server cannot be asked on top of a pending plan.")
    return words


class _Question:
    """A question about one file, which is all that the server is shown as open."""

    def __init__(self, root: str, path: str, content: bytes, words: Sequence[str]) -> None:
        self.root, self.path, self.content, self.words = root, path, content, words
        self.uri = Path(os.path.join(root, path)).as_uri()

    def run(
        self, ask: ServerQuestion[Answer], arguments: Mapping[str, str], run: Run
    ) -> Answered[Answer]:
        """Asks within the time of the run; the server is ended before this returns."""
        seconds = run.deadline.remaining()
        limit = _SECONDS if seconds is None else seconds

        async def asked() -> Answered[Answer]:
            async with asyncio.timeout(limit):
                async with connected(self.words, self.root, run.deadline) as connection:
                    self._open(connection)
                    return connection, await ask(connection, self, arguments)

        try:
            return asyncio.run(asked())
        except TimeoutError as error:
            raise LimitError(
                f"The language server did not answer within {limit:.0f} s; nothing was staged.",
                code="server_timeout",
                hint="Give it more time: --timeout SECONDS.",
            ) from error

    def _open(self, connection: Connection) -> None:
        row = for_path(self.path)
        language = _NAMES.get(row.name, row.name) if row else "plaintext"
        text = self.content.decode("utf-8", "replace").removeprefix("\ufeff")
        document = types.TextDocumentItem(self.uri, language, OPENED, text)
        connection.client.text_document_did_open(types.DidOpenTextDocumentParams(document))

    def range_of(self, place: str, encoding: str) -> types.Range:
        """The range of `LINE[:COL][-LINE[:COL]]`, all of the file for ""."""
        whole = Positions(self.path, self.content, "utf-32")
        if not place:
            return self._range(0, len(self.content), encoding)
        match = _PLACE.fullmatch(place)
        if match is None:
            raise RequestError(f"{place!r} is not a range.", hint="Like 12, 12:5 or 12:5-14:1.")
        first, column, last, end = (int(text) if text else None for text in match.groups())
        start = whole.offset((first or 1) - 1, (column or 1) - 1)
        if last is None and column is not None:
            return self._range(start, start, encoding)
        stop = whole.offset((last or first or 1) - 1, end - 1 if end else 1 << 30)
        return self._range(start, stop, encoding)

    def _range(self, start: int, end: int, encoding: str) -> types.Range:
        positions = Positions(self.path, self.content, encoding)
        first, last = (types.Position(*positions.position(at)) for at in (start, end))
        return types.Range(first, last)


async def _edits(
    connection: Connection, question: _Question, arguments: Mapping[str, str]
) -> Sequence[types.WorkspaceEdit]:
    if "name" in arguments:
        return [await _rename(connection, question, arguments)]
    if "to" in arguments:
        return await edits_of_move(connection, question.root, arguments["from"], arguments["to"])
    actions = await actions_of(
        connection, question.uri, question.range_of(arguments["range"], connection.encoding), None
    )
    edits = await action_edits(connection, named_action(actions, arguments["action"]))
    if not edits:
        raise PreconditionError("The language server changes nothing.", code="no_answer")
    return edits


async def _rename(
    connection: Connection, question: _Question, arguments: Mapping[str, str]
) -> types.WorkspaceEdit:
    place = question.range_of(arguments["place"], connection.encoding).start
    params = types.RenameParams(
        types.TextDocumentIdentifier(question.uri), place, arguments["name"]
    )

    async def ask() -> types.WorkspaceEdit | None:
        return await connection.answer(connection.client.text_document_rename_async(params))

    edit = await connection.agreed(ask, edit_count)
    if edit is None or not edit_count(edit):
        raise PreconditionError(
            f"The language server renames nothing at {arguments['path']}:{arguments['place']}.",
            code="no_answer",
        )
    return edit


async def _listed(
    connection: Connection, question: _Question, arguments: Mapping[str, str]
) -> list[dict[str, str]]:
    place = question.range_of(arguments["range"], connection.encoding)
    actions = await actions_of(connection, question.uri, place, arguments.get("kind"))
    return [
        {
            "fingerprint": mark,
            "kind": str(getattr(action, "kind", None) or ""),
            "title": action.title,
        }
        for mark, action in actions.items()
    ]


def _how_asked(connection: Connection) -> list[str]:
    notes = []
    if len(set(connection.answers)) > 1:
        sizes = ", ".join(map(str, connection.answers))
        notes.append(f"The language server was still loading: its answers had {sizes} edits.")
    if not connection.settled:
        notes.append("The language server was still busy when it was asked.")
    return notes


def _left(arguments: Mapping[str, str], content: bytes, change: TreeChange, run: Run) -> list[str]:
    """The possible uses that the server leaves, their count first."""
    line, column = (int(part) for part in arguments["place"].split(":"))
    offset = Positions(arguments["path"], content, "utf-32").offset(line - 1, column - 1)
    name = name_at(content, offset)
    lines = names_left(change.workspace, arguments["path"], name, change.edits, run.deadline)
    if not lines:
        return []
    head = f"{number(len(lines), 'possible use')} of {name} left as they are:"
    return [head, *first_lines(lines, _LISTED)]


def name_at(content: bytes, offset: int) -> str:
    """The identifier that a byte of a text is in; "" if there is none."""
    text = content.decode("utf-8", "replace")
    at = len(content[:offset].decode("utf-8", "replace"))
    return next((word[0] for word in re.finditer(r"[\w$]+", text)
                 if word.start() <= at <= word.end()), "")  # fmt: skip


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
    return [*_sentences(ours, theirs, workspace), *change.notes, *change.misfits]


def _definition(path: str, region: str, changes: FileChanges, workspace: Workspace) -> str:
    """`LINE:COL` of the first change within the definition, from 1: there its name stands."""
    start, end = (int(part) for part in region.split(":"))
    first, *_ = [at for at, _, _ in changes[path] if start <= at < end] or [changes[path][0][0]]
    raw, _ = workspace.read(path, _LARGEST)
    line, column = Positions(path, raw, "utf-32").position(first)
    return f"{line + 1}:{column + 1}"


def _sentences(ours: FileChanges, theirs: FileChanges, workspace: Workspace) -> Iterator[str]:
    more, less = (list(_alone(*pair, workspace)) for pair in ((theirs, ours), (ours, theirs)))
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
            content = workspace.read(path, _LARGEST)[0]
            yield from (code_at(path, content, start, 100) for start in alone)
