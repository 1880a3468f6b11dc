"""A patch as a plan: what `git apply` would make of the tree, and nothing by halves.

The patch itself is stored, as an operation, and applied again when the plan is. Context is
compared exactly; a hunk that stands elsewhere by now is taken where it fits, if that is one
place, and the plan says so.
"""

import os
import stat
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from astedit.engine.known_edits import plan_of_edits, view_of
from astedit.engine.request import request_of
from astedit.engine.run_context import Run
from astedit.engine.whole_files import (
    FILE_MODE,
    check_place,
    check_policy,
    created,
    deleted,
    edited,
    moved,
    with_files,
)
from astedit.errors import AstEditError, PreconditionError, RequestError
from astedit.language import for_path
from astedit.model.edit import FilePlan
from astedit.model.plan import Plan
from astedit.model.request import EditRequest, Operation
from astedit.producers.git_binary import content_of
from astedit.producers.hunk_place import fitted
from astedit.producers.patch_text import FilePatch, read_patch
from astedit.text.count_phrases import first_lines, number
from astedit.text.source import NotDecodable
from astedit.text.splice import Change, splice
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
_LISTED = 20  # hunks that a message lists


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
    making = _Making(request, workspace, frozenset(_leaving(files)))
    for file in files:
        run.deadline.check()
        making.take(file)
    if making.misfits and not request.allow_partial:
        raise _does_not_fit(making.misfits)
    made = plan_of_edits(
        request,
        workspace,
        making.edits,
        run,
        expected=making.hashes,
        whole=not request.allow_partial,
        contained=False,
        hints=[*making.notes, *(f"left out: {line}" for line in making.misfits)],
        files_searched=len(files),
    )
    return with_files(made, making.whole)


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


@dataclass(slots=True)
class _Making:
    """What the files of a patch come to: edits of code, whole files, and what does not fit."""

    request: EditRequest
    workspace: Workspace
    leaving: frozenset[str]
    edits: dict[str, Sequence[Change]] = field(default_factory=dict)
    hashes: dict[str, str] = field(default_factory=dict)
    whole: list[FilePlan] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    misfits: list[str] = field(default_factory=list)

    def take(self, file: FilePatch) -> None:
        """Takes in one file of the patch, or says why it does not fit."""
        try:
            self._take(file)
        except PreconditionError as error:
            self.misfits.append(error.message.removesuffix("; nothing was staged."))

    def _take(self, file: FilePatch) -> None:
        _refuse_modes(file)
        if file.old is None and file.new is None:
            raise RequestError("The patch has a file without a name.", code="bad_patch")
        if file.old is None:
            assert file.new is not None
            path = check_place(file.new, self.request, self.workspace, self.leaving)
            changes = self._changes(file, path, b"")
            if changes is not None:
                mode = 0o755 if (file.new_mode or 0) & stat.S_IXUSR else FILE_MODE
                self.whole.append(created(path, splice(b"", changes), mode))
            return
        source = check_policy(file.old, self.request, self.workspace)
        before, mode = self._read(source)
        changes = self._changes(file, source, before)
        if changes is None:
            return
        if file.new is None:
            if splice(before, changes):
                raise PreconditionError(f"{source}: more than what is to go stands in it")
            self.whole.append(deleted(source, before, mode))
        elif file.new == file.old:
            self._edit(source, before, mode, changes, _new_mode(file, mode))
        else:
            path = check_place(file.new, self.request, self.workspace, self.leaving)
            if file.copied:
                self.whole.append(created(path, splice(before, changes), mode))
            else:
                new = _new_mode(file, mode)
                self.whole.append(moved(source, path, before, changes, mode, new))

    def _read(self, path: str) -> tuple[bytes, int]:
        limit = self.request.max_file_size
        try:
            raw, status = self.workspace.read(path, limit)
        except OSError as error:
            raise PreconditionError(f"{path}: {os.strerror(error.errno or 0)}") from error
        if len(raw) > limit:
            raise PreconditionError(f"{path} is larger than {limit:,} bytes")
        return raw, stat.S_IMODE(status.st_mode)

    def _changes(self, file: FilePatch, path: str, before: bytes) -> list[Change] | None:
        """What becomes of a file's content; None if a hunk does not fit, which is noted."""
        if file.binary is not None:
            header, lines = file.binary
            return [(0, len(before), content_of(header, lines, before))]
        result = fitted(path, before, file.hunks)
        self.notes += result.notes
        self.misfits += result.misfits
        return None if result.misfits else result.changes

    def _edit(
        self,
        path: str,
        before: bytes,
        mode: int,
        changes: Sequence[Change],
        new_mode: int | None,
    ) -> None:
        """An edit of code goes the way of all edits; of other text only the bytes are known."""
        if new_mode is not None and not changes:
            raise PreconditionError(f"{path}: only its mode would change, which no plan does")
        try:
            code = for_path(path) is not None and view_of(before, path).text == before
        except NotDecodable:
            code = False
        if code and new_mode is None:
            self.edits[path] = changes
        elif changes:
            self.whole.append(edited(path, before, changes, mode, new_mode))


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


def _does_not_fit(misfits: Sequence[str]) -> AstEditError:
    count = number(len(misfits), "part")
    listed = "".join(f"\n  {line}" for line in first_lines(misfits, _LISTED))
    return PreconditionError(
        f"{count} of the patch {'does' if len(misfits) == 1 else 'do'} not fit; "
        f"nothing was staged.{listed}",
        code="patch_does_not_fit",
        hint="Make the patch again for the files as they are, or stage the rest: --allow-partial",
    )
