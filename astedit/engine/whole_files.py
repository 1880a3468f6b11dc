"""Files that a plan creates, deletes or moves, and text of no known language that it edits.

Such a file has an edit that stands for it: all of its content comes, or goes. A file that is
moved has one that changes nothing, before those of its content.
"""

import os
from collections.abc import Iterable, Sequence
from hashlib import sha256

from astedit.engine.files.edits import first_error
from astedit.engine.fingerprint import fingerprint_of, path_key
from astedit.engine.languages import grammars_of, use_of
from astedit.errors import PreconditionError
from astedit.language import for_path, load
from astedit.limits import INLINE_SECONDS, PARSE_ERRORS_SHOWN, parsing_within
from astedit.model.edit import Edit, FileOperation, FilePlan, edit_id
from astedit.model.plan import ParseError, Plan
from astedit.model.request import EditRequest
from astedit.text.diff import file_diff
from astedit.text.source import Change, Lines, splice
from astedit.workspace.path_policy import bars_edits, classify
from astedit.workspace.root import Workspace, in_repository

FILE_MODE = 0o644


def created(path: str, content: bytes, mode: int = FILE_MODE) -> FilePlan:
    """The plan of a file that does not exist yet."""
    return _planned("create", None, path, b"", [(0, 0, content)], mode)


def deleted(path: str, content: bytes, mode: int) -> FilePlan:
    """The plan of a file that goes; `content` is what it holds."""
    return _planned("delete", None, path, content, [(0, len(content), b"")], mode)


def moved(
    source: str,
    path: str,
    content: bytes,
    changes: Sequence[Change],
    mode: int,
    new_mode: int | None = None,
) -> FilePlan:
    """The plan of a file that goes from `source` to `path`, changed on the way."""
    return _planned("move", source, path, content, [(0, 0, b""), *changes], mode, new_mode)


def edited(
    path: str, content: bytes, changes: Sequence[Change], mode: int, new_mode: int | None = None
) -> FilePlan:
    """The plan of a file whose language nobody knows: nothing but its bytes is looked at."""
    return _planned("modify", None, path, content, changes, mode, new_mode)


def diff_of(file: FilePlan, before: bytes) -> bytes:
    """A file's diff, of the content that its edits were made of."""
    return file_diff(
        file.operation, file.source, file.path, before, file.changes, file.mode, file.new_mode
    )


def _planned(
    operation: FileOperation,
    source: str | None,
    path: str,
    before: bytes,
    changes: Sequence[Change],
    mode: int,
    new_mode: int | None = None,
) -> FilePlan:
    lines = Lines(before)
    edits = [_edit(operation, path, before, change, lines) for change in changes]
    after = splice(before, changes)
    file = FilePlan(
        path=path,
        operation=operation,
        before_hash=None if operation == "create" else sha256(before).hexdigest(),
        after_hash=None if operation == "delete" else sha256(after).hexdigest(),
        mode=mode,
        replacements=len(edits),
        edits=edits,
        source=source,
        new_mode=new_mode,
    )
    file.hunks = diff_of(file, before)
    return file


def _edit(operation: FileOperation, path: str, before: bytes, change: Change, lines: Lines) -> Edit:
    start, end, new = change
    old = before[start:end]
    mark = edit_id(path, None if operation == "modify" else operation, start, end, old, new)
    place = lines.place(start)
    return Edit(mark, None, None, start, end, *place, _shown(old), _shown(new), new=new)


def _shown(content: bytes) -> str:
    """The content as people see it; what is not a text only by its length."""
    if b"\0" in content:
        return f"({len(content):,} bytes that are no text)"
    return content.decode("utf-8", "replace")


def with_files(plan: Plan, files: Iterable[FilePlan]) -> Plan:
    """The plan with these files as well: counted, in order, and part of its fingerprint.

    Where code comes that does not parse, the plan says so as it does of files that are there.
    """
    more = list(files)
    plan.files = sorted([*plan.files, *more], key=lambda file: path_key(file.path))
    plan.files_touched = len(plan.files)
    plan.total_replacements += sum(file.replacements for file in more)
    for file in more:
        if file.operation == "create":
            _parse(plan, file)
    known = {use.name for use in plan.languages}
    for name in sorted(grammars_of(plan.request, plan.files) - known):
        plan.languages.append(use_of(name))
    plan.fingerprint = fingerprint_of(plan)
    return plan


def _parse(plan: Plan, file: FilePlan) -> None:
    if (row := for_path(file.path)) is None:
        return
    with parsing_within(INLINE_SECONDS):
        root = load(row).parser().parse(file.edits[0].new).root_node
    if root.has_error:
        errors = plan.parse_errors
        errors.total += 1
        if len(errors.shown) < PARSE_ERRORS_SHOWN:
            errors.shown.append(ParseError(file.path, *first_error(root)))


def check_place(
    path: str, request: EditRequest, workspace: Workspace, leaving: frozenset[str]
) -> str:
    """The path of a file that is to come, as the root has it.

    Raises `OutsideRootError` for a path that leaves the root, and `PreconditionError` for one
    that is protected, is taken (also in other letter case), or leads through a link or a
    file. `leaving` are the files that go with the same plan.
    """
    place = check_policy(path, request, workspace)
    *directories, name = place.split("/")
    above = workspace.root
    for directory in directories:
        above = os.path.join(above, directory)
        if os.path.islink(above) or (os.path.lexists(above) and not os.path.isdir(above)):
            what = "a link" if os.path.islink(above) else "a file"
            raise _refused(place, f"is not created: {directory} is {what}", "not_a_directory")
    taken = os.listdir(above) if os.path.isdir(above) else []
    within, folded = "/".join(directories), name.casefold()
    for other in taken:
        if other.casefold() == folded and os.path.join(within, other) not in leaving:
            what = "exists already" if other == name else f"is like {other}, but for its case"
            raise _refused(place, f"is not created: it {what}", "exists")
    return place


def check_policy(path: str, request: EditRequest, workspace: Workspace) -> str:
    """The path of a file that may come, go or change; raises as `check_place` does."""
    place = workspace.check(path)
    inside = in_repository(workspace.root, os.path.dirname(place), {})
    if bars_edits("never" if inside else classify(place), request):
        raise _refused(place, "is protected", "protected")
    return place


def _refused(path: str, why: str, code: str) -> PreconditionError:
    return PreconditionError(f"{path} {why}; nothing was staged.", path=path, code=code)
