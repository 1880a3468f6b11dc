"""What a producer makes of a tree: edits of code, and whole files that come, go or move."""

import os
import stat
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from copy import copy
from dataclasses import dataclass, field
from hashlib import sha256

from astedit.engine.known_edits import plan_of_edits, stale, view_of
from astedit.engine.run_context import Run
from astedit.engine.whole_files import (
    check_place,
    check_policy,
    created,
    deleted,
    edited,
    moved,
    with_files,
)
from astedit.errors import PreconditionError, StaleError
from astedit.language import for_path
from astedit.model.edit import FilePlan
from astedit.model.plan import Plan
from astedit.model.request import EditRequest
from astedit.text import first_lines, first_names, number
from astedit.text.source import Change, NotDecodable
from astedit.workspace.root import Workspace

_LISTED = 20  # misfits that a message lists
_NAMED = 3  # files that a note names


@dataclass(slots=True)
class TreeChange:
    """Takes in the files of a change one by one; `plan` is the plan of all of them.

    Every method raises `PreconditionError` for a file that no plan may change so; under
    `listing` it becomes one of the `misfits`. `leaving` are the files that go with this
    change, `notes` what a plan says of it.
    """

    request: EditRequest
    workspace: Workspace
    leaving: frozenset[str] = frozenset()
    edits: dict[str, Sequence[Change]] = field(default_factory=dict)
    hashes: dict[str, str] = field(default_factory=dict)
    whole: list[FilePlan] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    misfits: list[str] = field(default_factory=list)

    @contextmanager
    def listing(self) -> Iterator[None]:
        """Keeps why a file does not fit, to name all such files at once."""
        try:
            yield
        except StaleError:  # it says nothing about the file that it names
            raise
        except PreconditionError as error:
            self.misfits.append(error.message.removesuffix("; nothing was staged."))

    def leave_out(self, paths: Collection[str], *kind: str) -> None:
        """Notes files that are no part of the change; `kind` is what one, and several, are."""
        if paths:
            names = first_names(sorted(paths), _NAMED)
            self.notes.append(f"left out: {number(len(paths), *kind)}, {names}")

    def read(self, path: str) -> tuple[bytes, int]:
        """A file's content and permissions, if it may be changed."""
        place = check_policy(path, self.request, self.workspace)
        limit = self.request.max_file_size
        try:
            raw, status = self.workspace.read(place, limit)
        except OSError as error:
            raise PreconditionError(f"{path}: {os.strerror(error.errno or 0)}") from error
        if len(raw) > limit:
            raise PreconditionError(f"{path} is larger than {limit:,} bytes")
        return raw, stat.S_IMODE(status.st_mode)

    def create(self, path: str, content: bytes, mode: int) -> None:
        """A file that is not there yet."""
        place = check_place(path, self.request, self.workspace, self.leaving)
        self.whole.append(created(place, content, mode))

    def delete(self, path: str, before: bytes, mode: int) -> None:
        """A file that goes."""
        self.whole.append(deleted(check_policy(path, self.request, self.workspace), before, mode))

    def move(
        self,
        source: str,
        path: str,
        before: bytes,
        changes: Sequence[Change],
        mode: int,
        new_mode: int | None = None,
    ) -> None:
        """A file that goes to another place, changed on the way."""
        old = check_policy(source, self.request, self.workspace)
        place = check_place(path, self.request, self.workspace, self.leaving)
        self.whole.append(moved(old, place, before, changes, mode, new_mode))

    def edit(
        self,
        path: str,
        before: bytes,
        mode: int,
        changes: Sequence[Change],
        new_mode: int | None = None,
    ) -> None:
        """An edit of code goes the way of all edits; of other text only the bytes are known.

        Where only the mode changes, one edit stands for that, which changes nothing.
        """
        place = check_policy(path, self.request, self.workspace)
        if new_mode is not None and not changes:
            changes = [(0, 0, b"")]
        try:
            code = for_path(place) is not None and view_of(before, place).text == before
        except NotDecodable:
            code = False
        if code and new_mode is None:
            self.edits[place] = changes
            self.hashes[place] = sha256(before).hexdigest()
        elif changes:
            self.whole.append(edited(place, before, changes, mode, new_mode))

    def plan(self, run: Run, name: str, files: int, hint: str) -> Plan:
        """The plan of what was taken in, of so many `files` that were looked at.

        Raises `PreconditionError` (`NAME_does_not_fit`) with every misfit, unless the request
        allows a part; `hint` says what to do about them.
        """
        if self.misfits and not self.request.allow_partial:
            count = number(len(self.misfits), "part")
            listed = "".join(f"\n  {line}" for line in first_lines(self.misfits, _LISTED))
            raise PreconditionError(
                f"{count} of the {name} {'does' if len(self.misfits) == 1 else 'do'} not fit; "
                f"nothing was staged.{listed}",
                code=f"{name.replace(' ', '_')}_does_not_fit",
                hint=hint,
            )
        left_out = (f"left out: {line.splitlines()[0]}" for line in self.misfits)
        try:
            code_plan = plan_of_edits(
                self.request,
                self.workspace,
                self.edits,
                run,
                expected=self.hashes,
                whole=not self.request.allow_partial,
                contained=False,
                hints=[*self.notes, *left_out],
                files_searched=files,
            )
        except PreconditionError as error:
            if error.code == "breaks_syntax":  # there is no rewrite to change
                error.hint = hint
            raise
        return with_files(code_plan, self.whole)


def unchanged(previewed: Plan, workspace: Workspace) -> Plan:
    """The previewed plan once more; `StaleError` unless its files are as they were."""
    leaving = {file.read_from for file in previewed.files}
    for file in previewed.files:
        try:
            raw, _ = workspace.read(file.read_from, previewed.request.max_file_size)
            now = sha256(raw).hexdigest()
        except FileNotFoundError:
            now = None
        except OSError as error:
            raise stale(file.read_from) from error
        if now != file.before_hash:
            raise stale(file.read_from)
        place = os.path.join(workspace.root, file.path)
        if file.operation == "move" and file.path not in leaving and os.path.lexists(place):
            raise stale(file.path)
    same = copy(previewed)
    files = number(len(previewed.files), "file")
    same.hints = [*previewed.hints, f"Nothing was run again; {files} compared."]
    return same
