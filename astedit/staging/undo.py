"""Undo as a gated tool: the contents from before, staged and applied like any change.

An action of kind `undo` lists per file the hash expected now, and the hash and mode to
restore. Importing this registers its handler, by which any later process applies it.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from hashlib import sha256
from typing import TYPE_CHECKING, Any

from astedit.errors import PreconditionError, StaleError
from astedit.model.request import checked_title, short
from astedit.staging import overlaps
from astedit.staging.approval import allowed, undo_subject
from astedit.staging.outcome import Count, prepared, recovered, translated
from astedit.staging.preview import origin_of, reopened
from astedit.staging.stored import UNDO, Restore, UndoPayload
from astedit.text import number
from astedit.workspace.config import Config, load, settings_of
from astedit.workspace.root import Workspace, content_with_hash
from resolve import PendingAction, Session, ToolResult, handlers
from resolve.handlers import Context, Recovered
from resolve.records import AuditRow
from resolve.stack import refusal
from resolve.state import SessionState
from resolve.visible import one_line

if TYPE_CHECKING:
    from astedit.transaction.commit import FileChange

HANDLER = UNDO


def newest(session: Session) -> PendingAction | None:
    """The newest applied action that is not itself an undo.

    By the order of the audit, not by its times: a clock may be set back.
    """
    applied = {action.id: action for action in session.store.list(("applied",))}
    for row in session.records.audit(outcome="applied"):
        action = applied.get(row.action_id or "")
        if action is not None and action.kind != HANDLER:
            return action
    return None


def stage_shown(action_id: str, root: str, session: Session) -> tuple[PendingAction, bytes, bool]:
    """Stages the inverse of an id, which may be shortened, with the diff of what it puts back.

    The last value says whether it is new: an undo that waits already is not staged twice.
    """
    with Workspace(root) as workspace:
        other = session.store.find(action_id)
        undoing = inverse(other, workspace, session)
        diff = diff_of(undoing, workspace, session)  # a recorded call is not stored yet
        waiting = pending_undo(other, session)
        return waiting or register(undoing, other, session), diff, waiting is None


def inverse(other: PendingAction, workspace: Workspace, session: Session) -> UndoPayload:
    """What would take an applied action back.

    Raises `PreconditionError`: it is not applied, wrote no files, was edited since, or is
    too old to have its contents from before.
    """
    if other.state == "landed":
        commits = [row["commit"] for row in reversed(other.notes.get("commits", ()))]
        raise PreconditionError(
            f"{other.id} was landed as commits, and wrote no file here.",
            code="landed",
            hint=f"Revert these commits: git revert {' '.join(commits)}",
        )
    if other.state != "applied" and other.resolved_at is None:
        raise PreconditionError(
            f"{other.id} is {other.state}: there is nothing to undo.",
            code="not_applied",
            hint="Discard it instead.",
        )
    if other.state != "applied":
        raise refusal(other.id, other)
    origin = origin_of(workspace, load(workspace))
    undoing = UndoPayload(workspace.root, other.id, _restores(other, session), origin)
    _check(undoing, workspace)
    return undoing


def pending_undo(other: PendingAction, session: Session) -> PendingAction | None:
    """What is staged already and would take an action back."""
    for action in session.records.select(("pending",)):
        if action.kind == HANDLER and action.notes.get("undoes") == other.id:
            return action
    return None


def register(
    undoing: UndoPayload, other: PendingAction, session: Session, title: str | None = None
) -> PendingAction:
    """Stages the inverse of `other`; one that is staged already is returned, and no twin made."""
    if (already := pending_undo(other, session)) is not None:
        return already
    many = len(undoing.files)
    return session.stage(
        handler=HANDLER,
        payload=undoing.packed(),
        label=f"undo: {number(many, 'file')} of {other.id} ({other.label})",
        source_tool_name=HANDLER,
        details={
            "files": many,
            "fingerprint": undoing.fingerprint,
            "undoes": other.id,
            "title": checked_title(title) if title else short(f"undo: {other.title}"),
        },
    )


def undoable(row: AuditRow, session: Session) -> bool:
    """Whether what this row applied still has all its contents from before."""
    return session.records.image_names().issuperset(
        str(file["before"]) for file in row.files if file["before"] is not None
    )


def shown_as(action: PendingAction, session: Session) -> UndoPayload:
    """What an undo, in whatever state it is, restores or restored."""
    return UndoPayload.unpacked(session.records.payload(action.id))


def diff_of(undoing: UndoPayload, workspace: Workspace, session: Session) -> bytes:
    """The unified diff of what an undo restores, from the files of now and from images.

    Raises `PreconditionError` for a file of which neither holds both contents.
    """
    from astedit.text.diff import changed_lines, file_diff

    diffs = []
    for file in undoing.files:
        before = _known(file, file.expected, workspace, session)
        lines = changed_lines(before, _known(file, file.restore, workspace, session))
        kind = "modify" if file.restore is not None else "delete"
        kind = "create" if file.expected is None else kind
        diffs.append(file_diff(kind, None, file.path, before, lines, file.mode))
    return b"".join(diffs)


def _known(file: Restore, digest: str | None, workspace: Workspace, session: SessionState) -> bytes:
    """The content with this hash: what the file holds, or an image."""
    if digest is None:
        return b""
    content = content_with_hash(workspace, file.path, digest)
    content = session.records.image(digest) if content is None else content
    if content is None:
        raise StaleError(
            f"{one_line(file.path)} was edited since, and is not stored: no diff can be made.",
            path=file.path,
            hint="Look at it with --format json.",
        )
    return content


class Undo:
    """The handler of `undo`; `config` is as for `AstEdit`."""

    def __init__(self, *, config: Config | None = None) -> None:
        self._config = config

    def apply(
        self, payload: Any, reason: str, extra: Mapping[str, Any] | None, context: Context
    ) -> ToolResult:
        """Restores every file of the list, or raises `ToolError` with nothing written."""
        from astedit.staging.part import refuse_unknown
        from astedit.transaction import commit, recovery
        from astedit.transaction.disk import directories_above

        with translated():
            refuse_unknown(extra, ())
            undoing = UndoPayload.unpacked(payload)
            self._close(undoing, context)
            with reopened(undoing.root, undoing.origin) as workspace:
                settings = settings_of(workspace, self._config)
                subject = undo_subject(undoing, workspace, context.session)
                allowed(subject, context.action, context.session, settings)
                paths = subject.paths
                _check(undoing, workspace)
                count = Count(len(paths), context.progress)
                changes = _changes(undoing, workspace, context.session)
                back = (file.path for file in undoing.files if file.expected is None)
                done = commit.write(
                    paths,
                    prepared(changes, count, context.signal),
                    workspace.fd,
                    context,
                    directories=directories_above(back),
                    action=context.action_id,
                )
                _remove_emptied(undoing, workspace)
        context.record_files(done.files())
        many = number(len(done.steps), "file")
        text = f"Applied {context.action_id}: {undoing.undoes} undone, {many} restored."
        details: dict[str, Any] = {"undoes": undoing.undoes, "files": done.files()}
        if done.unsure:
            details["durability"] = "unknown"
            text += f"\n{recovery.doubt(done.unsure)}"
        text += recovery.not_restored(done.lost)
        text += overlaps.stale_now(done.files(), context, details)
        return ToolResult(text, details=details)

    def reject(
        self, payload: Any, reason: str, extra: Mapping[str, Any] | None, context: Context
    ) -> None:
        """Lets a discard go on; an undo has no parts."""
        from astedit.staging.part import refuse_unknown

        with translated():
            refuse_unknown(extra, ())

    def recover(self, payload: Any, intent: Any, context: Context) -> Recovered:
        """Ends an undo that was interrupted; called under the apply lock."""
        from astedit.transaction import recovery

        with translated():
            undoing = UndoPayload.unpacked(payload)
            with reopened(undoing.root, undoing.origin) as workspace:
                ended = recovery.recover(intent, workspace.fd, context)
                if ended.outcome == "applied":
                    _remove_emptied(undoing, workspace)
            if ended.outcome == "applied":
                self._close(undoing, context)
        return recovered(ended)

    def _close(self, undoing: UndoPayload, context: Context) -> None:
        """Asks that the other action becomes undone; undoing an undo revives what that undid."""
        context.close_other(undoing.undoes, "undone")
        other = context.session.records.get(undoing.undoes)
        if other is not None and other.kind == HANDLER:
            inner = UndoPayload.unpacked(context.session.records.payload(other.id))
            context.close_other(inner.undoes, "applied")


handlers.register(HANDLER)(Undo())


def _restores(other: PendingAction, session: Session) -> list[Restore]:
    rows = session.records.audit(action_id=other.id, outcome="applied", limit=1)
    if not rows or not rows[0].files:
        raise PreconditionError(f"{other.id} wrote no file.", code="nothing_to_undo")
    if not all("mode" in file for file in rows[0].files) or not undoable(rows[0], session):
        raise PreconditionError(
            f"{other.id} cannot be undone any more: what its files held before is not stored.",
            code="no_images",
            hint="Use the version control of the project.",
        )
    return [
        Restore(
            file["path"],
            file["after"],
            file["before"],
            file["mode"],
            file.get("metadata"),
            file.get("directories", ()),
        )
        for file in rows[0].files
    ]


def _check(undoing: UndoPayload, workspace: Workspace) -> None:
    """Refuses, with the whole list, when any file was edited since."""
    from astedit.transaction.recovery import listed

    edited = [file.path for file in undoing.files if not _as_expected(file, workspace)]
    if edited:
        raise StaleError(
            f"Files were edited since; nothing was written.{listed(list(map(one_line, edited)))}",
            path=edited[0],
            hint="Undo by hand, or with the version control of the project.",
        )


def _remove_emptied(undoing: UndoPayload, workspace: Workspace) -> None:
    """Removes the directories that were made for files which are gone again, if empty."""
    from astedit.transaction.disk import remove_directory

    made = {each for file in undoing.files for each in file.directories}
    for directory in sorted(made, reverse=True):
        remove_directory(workspace.fd, directory)


def _as_expected(file: Restore, workspace: Workspace) -> bool:
    if file.expected is None:
        return not os.path.lexists(os.path.join(workspace.root, file.path))
    return content_with_hash(workspace, file.path, file.expected) is not None


def _changes(
    undoing: UndoPayload, workspace: Workspace, session: SessionState
) -> Iterator[FileChange]:
    from astedit.transaction.commit import FileChange
    from astedit.transaction.file_metadata import FileMetadata

    for file in undoing.files:
        made = file.expected is None
        before = None if made else content_with_hash(workspace, file.path, file.expected)
        after = None if file.restore is None else session.records.image(file.restore)
        if before is None and not made:
            raise StaleError(f"{one_line(file.path)} was edited since.", path=file.path)
        if file.restore is not None and (
            after is None or sha256(after).hexdigest() != file.restore
        ):
            raise PreconditionError(
                f"What {one_line(file.path)} held before is not stored any more.",
                path=file.path,
                code="no_images",
            )
        had = None if file.metadata is None else FileMetadata.of(file.metadata)
        yield FileChange(
            file.path, before, file.expected, after, file.restore, file.mode, had, had is not None
        )
