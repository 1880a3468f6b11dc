"""How an apply ended, and why it did not, as the gate has it."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from astedit.errors import AstEditError, StaleError
from astedit.limits import Cancelled, Progress
from astedit.model.edit import FilePlan
from astedit.model.plan import Plan
from astedit.text import first_lines
from astedit.workspace.root import Workspace
from resolve import AbortError, AbortSignal, ToolError
from resolve.handlers import Recovered
from resolve.visible import one_line

if TYPE_CHECKING:
    from astedit.transaction.commit import FileChange
    from astedit.transaction.recovery import Ended


def recovered(ended: Ended, more: str = "") -> Recovered:
    """The end of an interrupted transaction, as the gate records it; `more` is said behind."""
    return Recovered(ended.outcome, f"{ended.text()}{more}", ended.files())


@contextmanager
def translated(signal: AbortSignal | None = None) -> Iterator[None]:
    """Our errors as the gate's, so that they pass through it unchanged.

    Who aborts by the signal says why, and what that leaves.
    """
    try:
        yield
    except Cancelled as error:
        why = signal.reason if signal is not None else None
        raise AbortError(why or error.message) from error
    except AstEditError as error:
        raise ToolError(str(error), code=error.code, hint=error.hint) from error


class Count:
    """One rising count of an apply: the files looked at again, then those to be written."""

    def __init__(self, files: int, tell: Progress) -> None:
        self.files = files
        self._tell = tell
        self._looked = self._written = 0

    def looked(self, done: int, total: int) -> None:
        """Told by the engine, between files."""
        self._looked = total
        self._tell(done, total + self.files)

    def written(self) -> None:
        """One more file lies beside its old one."""
        self._written += 1
        self._tell(self._looked + self._written, self._looked + self.files)


def prepared(
    changes: Iterator[FileChange], count: Count, signal: AbortSignal
) -> Iterator[FileChange]:
    """The changes, each counted when its file is written beside the old one.

    Raises `AbortError` before the next one when the signal is set: nothing is committed yet.
    """
    for change in changes:
        signal.throw_if_aborted()
        yield change
        count.written()


_HINT = "Preview the change again (astedit review ID --refresh), or discard this one."
_DIFFERS = "Capture it again; with --replay never an apply compares the files alone."
LISTED = 20  # stale files that a message names


def moved_meanwhile(file: FilePlan) -> StaleError:
    """A file changed between its being read twice."""
    return StaleError(
        f"{one_line(file.path)} changed while it was looked at; nothing was written.",
        path=file.path,
        hint="Resolve again.",
    )


def differing(preview: Plan, plan: Plan, workspace: Workspace) -> StaleError:
    """The error that names every file of which two plans differ."""
    lines = list(_differences(preview, plan, workspace))
    changed = any(line.endswith((": changed", ": vanished")) for line in lines)
    python = plan.interpreter
    if python and preview.interpreter not in (None, python) and not changed:
        return stale_because(lines, f"Python was {preview.interpreter} and is {python} now")
    if preview.command is not None and not changed:
        return stale_because(lines, "The command gave another result this time", _DIFFERS)
    return stale_because(lines)


def stale_because(lines: list[str], what: str | None = None, hint: str = _HINT) -> StaleError:
    """The error that lists why, a line for each file; none is for what no file is of.

    `what` is the reason where it is no file, `hint` what to do.
    """
    listed = "".join(f"\n  {line}" for line in first_lines(lines, LISTED))
    known = "The tree has changed" if lines else "astedit, a grammar or a setting has changed"
    return StaleError(
        f"{what or known + ' since the preview'}; nothing was written.{listed}", hint=hint
    )


def _differences(preview: Plan, plan: Plan, workspace: Workspace) -> Iterator[str]:
    """Each file that is not as previewed, and why."""
    old = {file.path: file for file in preview.files}
    new = {file.path: file for file in plan.files}
    for path in sorted(old.keys() | new.keys()):
        if reason := _reason(old.get(path), new.get(path), workspace):
            yield f"{one_line(path)}: {reason}"


def _reason(old: FilePlan | None, new: FilePlan | None, workspace: Workspace) -> str | None:
    if old is None:
        return "newly matching"
    if new is None and old.operation == "create":
        return "no longer created"
    if new is None:
        place = os.path.join(workspace.root, old.path)
        if os.path.islink(place):
            return f"a link to {one_line(os.readlink(place))} now"
        return "no longer matching" if os.path.lexists(place) else "vanished"
    if old.before_hash != new.before_hash:
        return "changed"
    return None if old.after_hash == new.after_hash else "rewritten differently"
