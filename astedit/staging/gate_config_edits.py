"""Which edits change the configuration that governs the gate: these are a person's to decide.

Else a model could relax the policy through the gate itself. A `pyproject.toml` counts where
its table `[tool.astedit]` comes out otherwise, the files that are ours as a whole.
"""

import os
from collections.abc import Callable, Iterable
from typing import NamedTuple

from astedit.errors import AstEditError, OutsideRootError
from astedit.model.edit import FilePlan
from astedit.model.plan import Plan
from astedit.staging.undo_payload import Restore, UndoPayload
from astedit.text.splice import splice
from astedit.workspace.config import table_of, user_file
from astedit.workspace.file_bytes import content_with_hash
from astedit.workspace.path_policy import GOVERNING, PROJECT, plain_name
from astedit.workspace.root import Workspace
from resolve.state import SessionState

Texts = tuple[bytes | None, bytes | None]
"""What a file holds before and after; None for one of them that cannot be known."""


class _Change(NamedTuple):
    path: str
    texts: Callable[[], Texts]


def governing_edit(plan: Plan, workspace: Workspace) -> str | None:
    """Returns a file of the plan that governs the gate; None if there is none."""

    def change(file: FilePlan, path: str) -> _Change:
        return _Change(path, lambda: _edited(file, path, workspace))

    every = (change(file, path) for file in plan.files for path in file.paths)
    return _first(every, workspace)


def governing_undo(undo: UndoPayload, workspace: Workspace, session: SessionState) -> str | None:
    """Returns a file that an undo restores and that governs the gate."""

    def change(file: Restore) -> _Change:
        return _Change(file.path, lambda: _restored(file, workspace, session))

    return _first(map(change, undo.files), workspace)


def _first(changes: Iterable[_Change], workspace: Workspace) -> str | None:
    whole, tables = _governing_paths(workspace)
    for path, texts in changes:
        name = plain_name(path)
        if name in GOVERNING or path in whole:
            return path
        if (name == PROJECT or path in tables) and _table_differs(*texts()):
            return path
    return None


def _governing_paths(workspace: Workspace) -> tuple[set[str], set[str]]:
    """Returns the files that links of these names lead to: those that count as a whole, and
    those of which a table does. A configuration of the user's may lie in the root, too."""
    whole = {_target(workspace, name) for name in GOVERNING}
    whole.add(os.path.relpath(os.path.realpath(user_file()), workspace.root))
    return whole, {_target(workspace, PROJECT)}


def _target(workspace: Workspace, name: str) -> str:
    try:
        return workspace.resolve(name)
    except OutsideRootError:
        return name


def _table_differs(before: bytes | None, after: bytes | None) -> bool:
    if before is None or after is None:
        return True
    try:
        return table_of(before, PROJECT) != table_of(after, PROJECT)
    except AstEditError:
        return True


def _edited(file: FilePlan, path: str, workspace: Workspace) -> Texts:
    """What the file holds at this path; an empty file says what no file says: nothing."""
    before: bytes | None = b""
    if file.operation != "create":
        before = content_with_hash(workspace, file.read_from, file.before_hash)
    if before is None:
        return None, None
    after = splice(before, file.changes)
    if file.operation != "move":
        return before, after
    return (before, b"") if path == file.source else (b"", after)


def _restored(file: Restore, workspace: Workspace, session: SessionState) -> Texts:
    before = content_with_hash(workspace, file.path, file.expected)
    return before, None if file.restore is None else session.records.image(file.restore)
