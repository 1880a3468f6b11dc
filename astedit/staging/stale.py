"""What to say of a tree that is not as it was previewed: which files, and how."""

import os
from collections.abc import Iterator

from astedit.errors import StaleError
from astedit.language.interpreter import VERSION
from astedit.model.edit import FilePlan
from astedit.model.plan import Plan
from astedit.text.count_phrases import first_lines
from astedit.workspace.root import Workspace
from resolve.visible import one_line

_HINT = "Preview the change again, or discard this one."
_DIFFERS = "Capture it again; with --replay never an apply compares the files alone."
LISTED = 20  # stale files that a message names


def moved(file: FilePlan) -> StaleError:
    """A file changed between its being read twice."""
    return StaleError(
        f"{one_line(file.path)} changed while it was looked at; nothing was written.",
        path=file.path,
        hint="Resolve again.",
    )


def compared(preview: Plan, plan: Plan, workspace: Workspace) -> StaleError:
    """The error that names every file of which two plans differ."""
    lines = list(_differences(preview, plan, workspace))
    changed = any(line.endswith((": changed", ": vanished")) for line in lines)
    if preview.interpreter not in (None, VERSION) and not changed:
        return because(lines, f"Python was {preview.interpreter} and is {VERSION} now")
    if preview.command is not None and not changed:
        return because(lines, "The command gave another result this time", _DIFFERS)
    return because(lines)


def because(lines: list[str], what: str | None = None, hint: str = _HINT) -> StaleError:
    """The error that lists why, a line for each file; none is for another astedit or grammar.

    `what` is the reason where it is no file, `hint` what to do.
    """
    listed = "".join(f"\n  {line}" for line in first_lines(lines, LISTED))
    known = "The tree has changed" if lines else "astedit or a grammar has changed"
    return StaleError(
        f"{what or known + ' since the preview'}; nothing was written.{listed}",
        hint=hint,
    )


def _differences(preview: Plan, plan: Plan, workspace: Workspace) -> Iterator[str]:
    """Each file that is not as previewed, and why."""
    old = {file.path: file for file in preview.files}
    new = {file.path: file for file in plan.files}
    for path in sorted(old.keys() | new.keys()):
        reason = _reason(old.get(path), new.get(path), workspace)
        if reason:
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
