"""What the files of a plan hold with a part of its edits."""

from collections.abc import Iterable, Iterator, Mapping
from hashlib import sha256

from astedit.model.edit import FilePlan
from astedit.model.plan import Plan
from astedit.review.ties import settled
from astedit.sandbox.sandbox import FileState
from astedit.staging import stale
from astedit.text.splice import splice
from astedit.workspace.root import Workspace

_NONE = FileState(None)


class PlanContents:
    """The files of a plan as they are, read once, and as any part of it makes them.

    What the workspace lays over its files, as for a plan on top of another one, is in every
    part. Raises `StaleError` for a file that is not as it was previewed.
    """

    def __init__(self, plan: Plan, workspace: Workspace) -> None:
        self._files = {file.path: file for file in plan.files}
        self._laid_over = {path: FileState(text) for path, text in workspace.overlay.items()}
        self._before = {file.path: _read(file, plan, workspace) for file in plan.files}

    def with_edits(self, ids: Mapping[str, Iterable[str]]) -> dict[str, FileState]:
        """What paths hold with these edits, and with the imports that they need."""
        states: dict[str, FileState] = {}
        for name, chosen in ids.items():
            for path, state in self._edited(self._files[name], chosen):
                if state.content is not None or path not in states:  # one goes, another comes
                    states[path] = state
        return self._laid_over | states

    def content(self, path: str) -> bytes:
        """What the file of the plan with this path holds before; nothing if it is to come."""
        return self._before[path] or b""

    def unchanged(self, paths: Iterable[str]) -> dict[str, FileState]:
        """What the files of these paths, and where they come from, hold without the plan."""
        return self.with_edits(dict.fromkeys(paths, ()))

    def _edited(self, file: FilePlan, chosen: Iterable[str]) -> Iterator[tuple[str, FileState]]:
        made, before = settled(file, chosen), self._before[file.path]
        if not made:
            yield from ((path, _NONE) for path in file.paths if path != file.read_from)
            yield file.read_from, FileState(before)
            return
        edits = [(edit.start, edit.end, edit.new) for edit in file.edits if edit.id in made]
        mode = file.new_mode if file.operation == "modify" else file.new_mode or file.mode
        after = FileState(splice(before or b"", edits), mode)
        yield from ((path, _NONE) for path in file.paths if path != file.path)
        yield file.path, _NONE if file.operation == "delete" else after


def _read(file: FilePlan, plan: Plan, workspace: Workspace) -> bytes | None:
    """What the file holds; None for one that is to be created, and is not there yet."""
    if file.operation == "create":
        return None
    try:
        content, _ = workspace.read(file.read_from, plan.request.max_file_size)
    except OSError as error:
        raise stale.moved(file) from error
    if sha256(content).hexdigest() != file.before_hash:
        raise stale.because([f"{file.path}: changed"])
    return content
