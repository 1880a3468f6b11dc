"""The diff of a stored plan, drawn again from the files as they are or as they became."""

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from hashlib import sha256

from astedit.engine.whole_files import diff_of
from astedit.model.edit import Edit, FilePlan
from astedit.model.plan import Plan
from astedit.text.splice import splice
from astedit.workspace.file_bytes import content_with_hash
from astedit.workspace.root import Workspace


def redraw(plan: Plan, workspace: Workspace) -> list[str]:
    """Fills in `hunks` of every file, and returns the files that have changed since.

    Of those only the edits themselves are shown: of the lines around them nothing is known.
    """
    changed, read = [], contents_of(plan, workspace)
    for file in plan.files:
        source = read(file)
        if source is None:
            changed.append(file.path)
            file.hunks = _without_context(file)
        else:
            file.hunks = diff_of(file, source)
    return changed


def contents_of(plan: Plan, workspace: Workspace) -> Callable[[FilePlan], bytes | None]:
    """Reads the bytes that a file's plan was made of; None of a file that has changed since."""
    return partial(_before, workspace=workspace, limit=plan.request.max_file_size)


def _before(file: FilePlan, workspace: Workspace, limit: int) -> bytes | None:
    """The same, from the file as it is or as it became."""
    if file.operation == "create":
        return b""
    if file.operation in ("delete", "move"):
        known = content_with_hash(workspace, file.read_from, file.before_hash)
        if known is not None:
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
        content = splice(content, _inverse(file.edits))
        digest = sha256(content).hexdigest()
    return content if digest == file.before_hash else None


def _inverse(edits: Sequence[Edit]) -> list[tuple[int, int, bytes]]:
    """What turns the result back; exact for UTF-8, and the caller compares the hash."""
    shift, back = 0, []
    for edit in edits:
        start = edit.start + shift
        back.append((start, start + len(edit.new), edit.before.encode("utf-8", "surrogateescape")))
        shift += len(edit.new) - (edit.end - edit.start)
    return back


def _without_context(file: FilePlan) -> bytes:
    return "".join(_pieces(file)).encode("utf-8", "surrogateescape")


def _pieces(file: FilePlan) -> Iterator[str]:
    yield f"--- a/{file.path}\n+++ b/{file.path}\n"
    for edit in file.edits:
        yield f"@@ line {edit.shown_line} when previewed @@\n"
        yield from (f"-{line}\n" for line in edit.whole_before.splitlines())
        yield from (f"+{line}\n" for line in edit.whole_after.splitlines())
