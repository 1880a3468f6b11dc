"""What a draft changed, as a plan: the way of `capture`, of files that are there already."""

import stat
from typing import Any

from astedit.draft.difference import Difference, difference
from astedit.draft.draft import Draft, find
from astedit.engine.run_context import Run
from astedit.limits import Deadline
from astedit.model.plan import Plan
from astedit.model.request import EditRequest, Operation
from astedit.producers.capture import CapturedFiles
from astedit.producers.tree_change import TreeChange, unchanged
from astedit.sandbox.sandbox import kept_files
from astedit.sandbox.supervisor import brought_out
from astedit.sandbox.tree_copy import state_in
from astedit.text import first_names, number
from astedit.workspace.root import Workspace

KIND = "draft"
_MOST = 100_000  # files of one plan
_ROOM = 1 << 30  # bytes of all of them
_RULES = 1 << 20  # of those that say what is ignored, where names are all that counts
_NAMED = 3
_HINT = "Stage the rest with --allow-partial, or settle conflicts with astedit draft pull {}."


def request_of_draft(name: str, *, no_ignore: bool = False, **options: Any) -> EditRequest:
    """The request that makes what is in a draft; files that git ignores are left out.

    The options are further ones of `EditRequest`.
    """
    operation = Operation(KIND, {"draft": name, "label": name})
    ignored = ["generated", "vendored", *(["vcs"] if no_ignore else [])]
    return EditRequest(ops=[], operation=operation, no_ignore=ignored, **options)


def plan(request: EditRequest, workspace: Workspace, run: Run) -> Plan:
    """What the draft holds now, or the previewed plan if its files are the same."""
    assert request.operation is not None
    if run.previewed is not None:
        return unchanged(run.previewed, workspace)
    draft = find(workspace, run.state_of(workspace), request.operation.arguments["draft"])
    now, change = difference(draft), TreeChange(request, workspace)
    captured = _captured(draft, now, change, run.deadline, _ROOM)
    captured.take()
    return change.plan(run, KIND, captured.count, _HINT.format(draft.name))


def planned_paths(draft: Draft, now: Difference, workspace: Workspace) -> set[str]:
    """The files that a plan would take, by their names alone."""
    change = TreeChange(request_of_draft(draft.name), workspace)
    captured = _captured(draft, now, change, Deadline(), _RULES)
    captured.most = len(now.changes)
    return set(captured.paths())


def _captured(
    draft: Draft, now: Difference, change: TreeChange, deadline: Deadline, room: int
) -> CapturedFiles:
    """What a draft holds as what a command has changed; with so many bytes of contents."""
    odd = [path for path, how in now.changes if _is_odd(draft, path, how)]
    change.leave_out(odd, "link or device", "links or devices")
    if now.behind:
        behind = f"{number(len(now.behind), 'file')} newer in the tree"
        names = first_names(now.behind, _NAMED)
        change.notes.append(f"{behind}: {names} (astedit draft pull {draft.name})")
    left_out = set(odd)
    changes = [row for row in now.changes if row[0] not in left_out]
    kept = kept_files(brought_out(draft.files, changes, room))
    return CapturedFiles(change, changes, kept, deadline, conflicts=now.conflicts, most=_MOST)


def _is_odd(draft: Draft, path: str, how: str) -> bool:
    """Whether a link or a device is there, before or after: it is told, and left out."""
    tops = (draft.root,) if how == "deleted" else (draft.files, draft.root)
    states = [state for top in tops if (state := state_in(top, path))]
    return not all(stat.S_ISREG(state.mode) or stat.S_ISDIR(state.mode) for state in states)
