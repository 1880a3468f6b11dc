"""The code actions of a language server: which there are, and what one of them changes."""

import os
from collections.abc import Mapping, Sequence
from hashlib import sha256
from pathlib import Path

from lsprotocol import types

from astedit.errors import PreconditionError
from astedit.producers.lsp_connection import Connection
from astedit.text import first_lines

Action = types.CodeAction | types.Command
Actions = Mapping[str, Action]
_MARK = 12  # hex digits of a fingerprint
_SHORTEST = 6  # of them that a person has to write


async def actions_of(
    connection: Connection, uri: str, place: types.Range, kind: str | None
) -> Actions:
    """The actions for a part of a file that are not disabled, by fingerprint, in their order.

    Without a `kind` those of whole files are asked for as well, which servers keep to
    themselves unless somebody names their kind.
    """
    kinds = [None, types.CodeActionKind.Source.value] if kind is None else [kind]

    async def ask() -> list[Action]:
        return [action for kind in kinds for action in await _ask(connection, uri, place, kind)]

    actions = await connection.agreed(ask, len)
    enabled = [action for action in actions if getattr(action, "disabled", None) is None]
    marked: dict[str, Action] = {}
    for action in enabled:
        marked.setdefault(_fingerprint(action), action)
    return marked


async def _ask(
    connection: Connection, uri: str, place: types.Range, kind: str | None
) -> list[Action]:
    reported = connection.diagnostics.get(uri, [])
    context = types.CodeActionContext(
        [diagnostic for diagnostic in reported if _touch(diagnostic.range, place)],
        None if kind is None else [kind],
        types.CodeActionTriggerKind.Invoked,
    )
    params = types.CodeActionParams(types.TextDocumentIdentifier(uri), place, context)
    answer = await connection.answer(connection.client.text_document_code_action_async(params))
    return list(answer or [])


def _fingerprint(action: Action) -> str:
    """What the same action has when it is asked for again."""
    return sha256(f"{getattr(action, 'kind', None)}\0{action.title}".encode()).hexdigest()[:_MARK]


def _touch(reported: types.Range, place: types.Range) -> bool:
    ends = [((part.start.line, part.start.character), (part.end.line, part.end.character))
            for part in (reported, place)]  # fmt: skip
    return ends[0][0] <= ends[1][1] and ends[1][0] <= ends[0][1]


def named_action(actions: Actions, name: str) -> Action:
    """The action with this title or fingerprint; `PreconditionError` unless there is one."""
    fits = [action for action in actions.values() if action.title == name]
    if not fits and len(name) >= _SHORTEST:
        fits = [action for mark, action in actions.items() if mark.startswith(name)]
    if len(fits) == 1:
        return fits[0]
    titles = [f"{mark}  {action.title}" for mark, action in actions.items()]
    listed = "".join(f"\n  {line}" for line in first_lines(titles, 20))
    raise PreconditionError(
        f"{len(fits) or 'No'} code actions are called {name!r} there.{listed}",
        code="no_action",
        hint="astedit lsp-actions lists them.",
    )


async def action_edits(connection: Connection, action: Action) -> list[types.WorkspaceEdit]:
    """What an action changes: its own edit, then those that its command asks for."""
    if isinstance(action, types.Command):
        return await _commanded(connection, action)
    provider = connection.capabilities.code_action_provider
    if action.edit is None and getattr(provider, "resolve_provider", False):
        action = await connection.answer(connection.client.code_action_resolve_async(action))
    edits = [] if action.edit is None else [action.edit]
    return edits + ([] if action.command is None else await _commanded(connection, action.command))


async def _commanded(connection: Connection, command: types.Command) -> list[types.WorkspaceEdit]:
    connection.applied.clear()
    params = types.ExecuteCommandParams(command.command, command.arguments)
    await connection.answer(connection.client.workspace_execute_command_async(params))
    await connection.settle()
    return list(connection.applied)


async def edits_of_move(
    connection: Connection, root: str, source: str, dest: str
) -> Sequence[types.WorkspaceEdit]:
    """The server's edits for whoever names the moved files, and then the move itself.

    Raises `PreconditionError` for a server that does not follow files.
    """
    old, new = (Path(os.path.join(root, path)).as_uri() for path in (source, dest))
    workspace = connection.capabilities.workspace
    operations = workspace.file_operations if workspace is not None else None
    if operations is None or operations.will_rename is None:
        raise PreconditionError(
            "The language server does not follow files that move.", code="no_answer"
        )
    params = types.RenameFilesParams([types.FileRename(old, new)])

    async def ask() -> types.WorkspaceEdit | None:
        return await connection.answer(connection.client.workspace_will_rename_files_async(params))

    edit = await connection.agreed(ask, edit_count)
    move = types.WorkspaceEdit(document_changes=[types.RenameFile(old, new)])
    return [move] if edit is None else [edit, move]


def edit_count(edit: types.WorkspaceEdit | None) -> int:
    """How many edits an answer has."""
    if edit is None:
        return 0
    if edit.document_changes is None:
        return sum(len(change) for change in (edit.changes or {}).values())
    return sum(
        len(change.edits) if isinstance(change, types.TextDocumentEdit) else 1
        for change in edit.document_changes
    )
