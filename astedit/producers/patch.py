"""A patch as a plan: what `git apply` would make of the tree, and nothing by halves.

The patch itself is stored, as an operation, and applied again when the plan is. Context is
compared exactly; a hunk that stands elsewhere by now is taken where it fits, if that is one
place, and the plan says so.
"""

import stat
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from astedit.engine.request import request_of
from astedit.engine.run_context import Run
from astedit.engine.whole_files import FILE_MODE
from astedit.errors import PreconditionError, RequestError
from astedit.model.plan import Plan
from astedit.model.request import EditRequest, Operation
from astedit.producers.git_binary import content_of
from astedit.producers.hunk_place import fitted
from astedit.producers.patch_text import FilePatch, read_patch
from astedit.producers.tree_change import TreeChange
from astedit.text.splice import Change, splice
from astedit.transaction.disk import directories_above
from astedit.workspace.root import Workspace

KIND = "patch"
_OPTIONS = (
    "allow_partial",
    "allow_protected",
    "max_files",
    "max_replacements",
    "max_file_size",
    "after",
)
_HINT = "Make the patch again for the files as they are, or stage the rest: --allow-partial"


def request_of_patch(text: bytes, **options: Any) -> EditRequest:
    """The request that makes what a patch says; `RequestError` for what is no patch.

    The options are those of `_OPTIONS`, as `EditRequest` has them. A file that is generated
    or other people's code is changed too: the patch names it.
    """
    if other := next((name for name in options if name not in _OPTIONS), None):
        raise RequestError(
            f"`{other}` does not go with a patch.", hint=f"These do: {', '.join(_OPTIONS)}."
        )
    read_patch(text)
    operation = Operation(KIND, {"patch": text.decode("utf-8", "surrogateescape")})
    request = request_of({**options, "ops": [], "no_ignore": ["generated", "vendored"]})
    request.operation = operation
    return request


def plan(request: EditRequest, workspace: Workspace, run: Run) -> Plan:
    """What the patch makes of this tree.

    Raises `PreconditionError` (`patch_does_not_fit`) with every hunk that does not fit and
    what stands there, unless the request allows a part.
    """
    assert request.operation is not None
    text = request.operation.arguments["patch"].encode("utf-8", "surrogateescape")
    files = read_patch(text)
    _refuse_twice(files)
    making = _Patching(TreeChange(request, workspace, frozenset(_leaving(files))))
    for file in files:
        run.deadline.check()
        with making.change.listing():
            making.take(file)
    return making.change.plan(run, "patch", len(files), _HINT)


def _leaving(files: Iterable[FilePatch]) -> Iterable[str]:
    for file in files:
        if file.old is not None and file.new != file.old and not file.copied:
            yield file.old


def _refuse_twice(files: Sequence[FilePatch]) -> None:
    """A place is left once, and come to once: what is more contradicts itself."""
    for names in (
        [file.old for file in files if not file.copied],
        [file.new for file in files],
    ):
        counts = Counter(name for name in names if name is not None)
        if twice := next((name for name, count in counts.items() if count > 1), None):
            raise RequestError(
                f"The patch changes {twice} twice.",
                code="bad_patch",
                hint="Give a patch that has each file once.",
            )
    stay = {file.new for file in files if file.new is not None}
    if both := stay.intersection(directories_above(stay)):
        raise RequestError(
            f"The patch makes {min(both)} a file and a directory.",
            code="bad_patch",
            hint="Give a patch that deletes the file first.",
        )


@dataclass(slots=True)
class _Patching:
    """Takes the files of a patch into a change."""

    change: TreeChange

    def take(self, file: FilePatch) -> None:
        """Takes in one file; raises `PreconditionError` if it does not fit as a whole."""
        _refuse_modes(file)
        if file.old is None and file.new is None:
            raise RequestError("The patch has a file without a name.", code="bad_patch")
        if file.old is None:
            assert file.new is not None
            changes = self._changes(file, file.new, b"")
            if changes is not None:
                mode = 0o755 if (file.new_mode or 0) & stat.S_IXUSR else FILE_MODE
                self.change.create(file.new, splice(b"", changes), mode)
            return
        before, mode = self.change.read(file.old)
        changes = self._changes(file, file.old, before)
        if changes is not None:
            self._take(file, file.old, before, mode, changes)

    def _take(
        self, file: FilePatch, old: str, before: bytes, mode: int, changes: Sequence[Change]
    ) -> None:
        if file.new is None:
            if splice(before, changes):
                raise PreconditionError(f"{old}: more than what is to go stands in it")
            self.change.delete(old, before, mode)
        elif file.new == old:
            self.change.edit(old, before, mode, changes, _new_mode(file, mode))
        elif file.copied:
            self.change.create(file.new, splice(before, changes), mode)
        else:
            self.change.move(old, file.new, before, changes, mode, _new_mode(file, mode))

    def _changes(self, file: FilePatch, path: str, before: bytes) -> list[Change] | None:
        """What becomes of a file's content; None if a hunk does not fit, which is noted."""
        if file.binary is not None:
            header, lines = file.binary
            return [(0, len(before), content_of(header, lines, before))]
        result = fitted(path, before, file.hunks)
        self.change.notes += result.notes
        self.change.misfits += result.misfits
        return None if result.misfits else result.changes


def _refuse_modes(file: FilePatch) -> None:
    """Refuses links and submodules."""
    for mode in (file.old_mode, file.new_mode):
        if mode is not None and not stat.S_ISREG(mode):
            kind = "a link" if stat.S_ISLNK(mode) else "a submodule"
            raise PreconditionError(f"{file.name} is {kind}: only plain files are changed")


def _new_mode(file: FilePatch, mode: int) -> int | None:
    """The permissions that the patch gives a file; None if it leaves them."""
    if file.new_mode is None or file.new_mode == file.old_mode:
        return None
    wanted = stat.S_IMODE(file.new_mode)
    readers = (mode & 0o444) >> 2  # whoever may read the file may execute it, as git has it
    return mode | readers if wanted & stat.S_IXUSR else mode & ~0o111
