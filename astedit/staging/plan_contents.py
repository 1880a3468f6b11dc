"""What the files of a plan hold with a part of its edits."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from hashlib import sha256
from typing import TYPE_CHECKING

from astedit.model.edit import FilePlan
from astedit.model.plan import Plan
from astedit.review.units import settled
from astedit.staging.outcome import moved_meanwhile, stale_because
from astedit.text.source import made_ranges, splice
from astedit.workspace.root import Workspace, content_with_hash

if TYPE_CHECKING:
    from astedit.sandbox.sandbox import FileState
    from astedit.transaction.commit import FileChange


def redraw(plan: Plan, workspace: Workspace) -> list[str]:
    """Fills in `hunks` of every file, and returns the files that have changed since.

    Of those only the edits themselves are shown: of the lines around them nothing is known.
    """
    from astedit.engine.whole_files import diff_of

    changed, read = [], contents_of(plan, workspace)
    for file in plan.files:
        if (source := read(file)) is None:
            changed.append(file.path)
            file.hunks = "".join(_pieces(file)).encode("utf-8", "surrogateescape")
        else:
            file.hunks = diff_of(file, source)
    return changed


def contents_of(plan: Plan, workspace: Workspace) -> Callable[[FilePlan], bytes | None]:
    """Reads the bytes that a file's plan was made of; None of a file that has changed since."""
    return partial(_before, workspace=workspace, limit=plan.request.max_file_size)


def _before(file: FilePlan, workspace: Workspace, limit: int) -> bytes | None:
    """What the file held before, from the file as it is or as it became."""
    if file.operation != "modify" and (known := present_content(file, workspace)) is not None:
        return known
    if file.operation == "delete":  # its edit has all that it held, if that was UTF-8
        text = file.edits[0].before.encode("utf-8", "surrogateescape")
        return text if sha256(text).hexdigest() == file.before_hash else None
    try:
        content, _ = workspace.read(file.path, limit)
    except OSError:
        return None
    digest = sha256(content).hexdigest()
    if digest == file.after_hash:
        olds = (edit.before.encode("utf-8", "surrogateescape") for edit in file.edits)
        made = made_ranges(file.changes)  # exact for UTF-8, and the hash is compared
        content = splice(content, [(*at, old) for at, old in zip(made, olds, strict=True)])
        digest = sha256(content).hexdigest()
    return content if digest == file.before_hash else None


def present_content(file: FilePlan, workspace: Workspace) -> bytes | None:
    """What the file holds if that is what its plan was made of; nothing, if it is to come."""
    if file.operation == "create":
        return b""
    return content_with_hash(workspace, file.read_from, file.before_hash)


def _pieces(file: FilePlan) -> Iterator[str]:
    """The edits of a file of whose other lines nothing is known."""
    yield f"--- a/{file.path}\n+++ b/{file.path}\n"
    for edit in file.edits:
        yield f"@@ line {edit.shown_line} when previewed @@\n"
        yield from (f"-{line}\n" for line in edit.whole_before.splitlines())
        yield from (f"+{line}\n" for line in edit.whole_after.splitlines())


def written_paths(plan: Plan) -> list[str]:
    """Every path that an apply writes, in the order of `changes_of`."""
    return list(dict.fromkeys(path for file in plan.files for path in reversed(file.paths)))


def new_directories(plan: Plan) -> list[str]:
    """The directories of files that come to a place, outer ones first."""
    from astedit.transaction.disk import directories_above

    coming = (file.path for file in plan.files if file.operation in ("create", "move"))
    return directories_above(coming)


def changes_of(plan: Plan, workspace: Workspace) -> Iterator[FileChange]:
    """The contents of each file before and after, read and compared one at a time.

    Where one file leaves a place and another comes to it, that is one change of the place.
    Raises `StaleError` for a file that is not as the plan says.
    """
    held: dict[str, FileChange] = {}
    coming = {file.path for file in plan.files if file.operation in ("create", "move")}
    twice = coming & {file.read_from for file in plan.files if file.operation in ("delete", "move")}
    for change in _each(plan, workspace):
        if change.path not in twice:
            yield change
        elif (other := held.pop(change.path, None)) is None:
            held[change.path] = change
        else:
            gone, new = (change, other) if change.after_hash is None else (other, change)
            if gone.before_hash != new.after_hash:
                mode = new.mode if new.metadata is None else new.metadata.mode
                yield replace(new, before=gone.before, before_hash=gone.before_hash, mode=mode)


def _each(plan: Plan, workspace: Workspace) -> Iterator[FileChange]:
    for file in plan.files:
        if (before := present_content(file, workspace)) is None:
            raise moved_meanwhile(file)
        after = splice(before, file.changes)
        new = None if file.operation == "delete" else sha256(after).hexdigest()
        if file.after_hash not in (None, new):
            raise moved_meanwhile(file)
        file.after_hash = new
        yield from _changes(file, before, after, workspace)


def _changes(
    file: FilePlan, before: bytes, after: bytes, workspace: Workspace
) -> Iterator[FileChange]:
    from astedit.transaction import temporary
    from astedit.transaction.commit import FileChange

    old, new = file.before_hash, file.after_hash
    match file.operation:
        case "modify":
            yield FileChange(file.path, before, old, after, new, file.new_mode)
        case "create":
            yield FileChange(file.path, None, None, after, new, file.mode)
        case "delete":
            yield FileChange(file.path, before, old, None, None)
        case "move":
            assert old is not None
            had = temporary.check(workspace.fd, file.read_from, expected_sha256=old)
            wanted = had if file.new_mode is None else replace(had, mode=file.new_mode)
            yield FileChange(file.path, None, None, after, new, metadata=wanted)
            yield FileChange(file.read_from, before, old, None, None)


class PlanContents:
    """The files of a plan as they are, read once, and as any part of it makes them.

    What the workspace lays over its files, as for a plan on top of another one, is in every
    part. Raises `StaleError` for a file that is not as it was previewed.
    """

    def __init__(self, plan: Plan, workspace: Workspace) -> None:
        from astedit.sandbox.sandbox import FileState  # an apply needs none

        self._files = {file.path: file for file in plan.files}
        self._overlay = {path: FileState(text) for path, text in workspace.overlay.items()}
        self._before = {file.path: _read(file, plan, workspace) for file in plan.files}

    def with_edits(self, ids: Mapping[str, Iterable[str]]) -> dict[str, FileState]:
        """What paths hold with these edits, and with the imports that they need."""
        states: dict[str, FileState] = {}
        for name, chosen in ids.items():
            for path, state in self._edited(self._files[name], chosen):
                if state.content is not None or path not in states:  # one goes, another comes
                    states[path] = state
        return self._overlay | states

    def content(self, path: str) -> bytes:
        """What the file of the plan with this path holds before; nothing if it is to come."""
        return self._before[path] or b""

    def unchanged(self, paths: Iterable[str]) -> dict[str, FileState]:
        """What the files of these paths, and where they come from, hold without the plan."""
        return self.with_edits(dict.fromkeys(paths, ()))

    def _edited(self, file: FilePlan, chosen: Iterable[str]) -> Iterator[tuple[str, FileState]]:
        from astedit.sandbox.sandbox import FileState

        made, before = settled(file, chosen), self._before[file.path]
        if not made:
            yield from ((path, FileState(None)) for path in file.paths if path != file.read_from)
            yield file.read_from, FileState(before)
            return
        edits = [(edit.start, edit.end, edit.new) for edit in file.edits if edit.id in made]
        mode = file.new_mode if file.operation == "modify" else file.new_mode or file.mode
        after = FileState(splice(before or b"", edits), mode)
        yield from ((path, FileState(None)) for path in file.paths if path != file.path)
        yield file.path, FileState(None) if file.operation == "delete" else after


def _read(file: FilePlan, plan: Plan, workspace: Workspace) -> bytes | None:
    """What the file holds; None for one that is to be created, and is not there yet."""
    if file.operation == "create":
        return None
    try:
        content, _ = workspace.read(file.read_from, plan.request.max_file_size)
    except OSError as error:
        raise moved_meanwhile(file) from error
    if sha256(content).hexdigest() != file.before_hash:
        raise stale_because([f"{file.path}: changed"])
    return content
