"""What a language server changes where a file or a directory goes to another place."""

import os
from collections.abc import Sequence
from pathlib import Path

from lsprotocol import types

from astedit.errors import PreconditionError
from astedit.producers.lsp_connection import Connection


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
        asked = connection.client.workspace_will_rename_files_async(params)
        return await connection.answer(asked)

    edit = await connection.agreed(ask, edit_count)
    move = types.WorkspaceEdit(document_changes=[types.RenameFile(old, new)])
    return [move] if edit is None else [edit, move]


def edit_count(edit: types.WorkspaceEdit | None) -> int:
    """How many edits an answer has."""
    if edit is None:
        return 0
    if edit.document_changes is None:
        return sum(len(each) for each in (edit.changes or {}).values())
    return sum(
        len(each.edits) if isinstance(each, types.TextDocumentEdit) else 1
        for each in edit.document_changes
    )
