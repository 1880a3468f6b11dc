"""What the files of a plan hold with a part of its edits."""

from collections.abc import Iterable, Mapping
from hashlib import sha256

from astedit.errors import PreconditionError
from astedit.model.edit import FilePlan
from astedit.model.plan import Plan
from astedit.review.ties import settled
from astedit.staging import stale
from astedit.text.splice import splice
from astedit.workspace.root import Workspace


class PlanContents:
    """The files of a plan as they are, read once, and as any part of it makes them.

    Raises `StaleError` for a file that is not as it was previewed.
    """

    def __init__(self, plan: Plan, workspace: Workspace) -> None:
        self._files = {file.path: file for file in plan.files}
        self._before = {file.path: _read(file, plan, workspace) for file in plan.files}

    def with_edits(self, ids: Mapping[str, Iterable[str]]) -> dict[str, bytes]:
        """The contents of the files with these edits, and with the imports that they need."""
        return {path: self._edited(path, chosen) for path, chosen in ids.items()}

    def _edited(self, path: str, chosen: Iterable[str]) -> bytes:
        file = self._files[path]
        made = settled(file, chosen)
        edits = [(edit.start, edit.end, edit.new) for edit in file.edits if edit.id in made]
        return splice(self._before[path], edits)


def _read(file: FilePlan, plan: Plan, workspace: Workspace) -> bytes:
    if file.operation != "modify":
        raise PreconditionError(
            f"{file.title}: what creates, deletes or moves files is not proven or landed yet.",
            path=file.path,
            code="file_operation",
            hint="Apply it in a copy of the tree, and run the tests there.",
        )
    try:
        content, _ = workspace.read(file.path, plan.request.max_file_size)
    except OSError as error:
        raise stale.moved(file) from error
    if sha256(content).hexdigest() != file.before_hash:
        raise stale.because([f"{file.path}: changed"])
    return content
