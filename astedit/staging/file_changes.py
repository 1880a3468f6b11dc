"""The contents of a plan's files before and after, as the transaction takes them."""

from collections.abc import Iterator
from dataclasses import replace
from hashlib import sha256

from astedit.model.edit import FilePlan
from astedit.model.plan import Plan
from astedit.staging import stale
from astedit.text.splice import splice
from astedit.transaction import temporary
from astedit.transaction.commit import FileChange
from astedit.transaction.disk import directories_above
from astedit.workspace.root import Workspace


def written_paths(plan: Plan) -> list[str]:
    """Every path that an apply writes, in the order of `changes_of`."""
    return list(dict.fromkeys(path for file in plan.files for path in reversed(file.paths)))


def new_directories(plan: Plan) -> list[str]:
    """The directories of files that come to a place, outer ones first."""
    coming = (file.path for file in plan.files if file.operation in ("create", "move"))
    return directories_above(coming)


def changes_of(plan: Plan, workspace: Workspace) -> Iterator[FileChange]:
    """The contents of each file before and after, read and compared one at a time.

    Where one file leaves a place and another comes to it, that is one change of the place.
    Raises `StaleError` for a file that is not as the plan says.
    """
    held: dict[str, FileChange] = {}
    twice = _coming_where_one_leaves(plan)
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


def _coming_where_one_leaves(plan: Plan) -> set[str]:
    coming = {file.path for file in plan.files if file.operation in ("create", "move")}
    leaving = {file.read_from for file in plan.files if file.operation in ("delete", "move")}
    return coming & leaving


def _each(plan: Plan, workspace: Workspace) -> Iterator[FileChange]:
    for file in plan.files:
        before = b"" if file.operation == "create" else _read(file, plan, workspace)
        after = splice(before, file.changes)
        new = None if file.operation == "delete" else sha256(after).hexdigest()
        if file.after_hash not in (None, new):
            raise stale.moved(file)
        file.after_hash = new
        yield from _changes(file, before, after, workspace)


def _read(file: FilePlan, plan: Plan, workspace: Workspace) -> bytes:
    try:
        before, _ = workspace.read(file.read_from, plan.request.max_file_size)
    except OSError as error:
        raise stale.moved(file) from error
    if sha256(before).hexdigest() != file.before_hash:
        raise stale.moved(file)
    return before


def _changes(
    file: FilePlan, before: bytes, after: bytes, workspace: Workspace
) -> Iterator[FileChange]:
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
