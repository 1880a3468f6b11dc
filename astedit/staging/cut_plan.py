"""A plan cut to some of its edits: a plan of its own, with its own fingerprint."""

from collections.abc import Set
from dataclasses import replace
from hashlib import sha256

from astedit.engine.fingerprint import fingerprint_of
from astedit.model.edit import FilePlan
from astedit.model.plan import Plan
from astedit.staging.selection import parted
from astedit.staging.stale import moved
from astedit.text.diff import hunks
from astedit.text.splice import splice
from astedit.workspace.root import Workspace


def cut(plan: Plan, kept: Set[str], workspace: Workspace, *, want_hunks: bool) -> Plan:
    """The plan of the same request for these edits alone, which its request then names.

    What every edit is, was verified in the whole; an edit that the plan does not have is left
    out. Raises `StaleError` for a file that changed meanwhile.
    """
    part, _ = parted(plan, kept)
    part.request = replace(plan.request, kept=sorted(kept))
    for file in part.files:
        if file.after_hash is None and file.operation == "modify":
            _complete(file, workspace, part.request.max_file_size, want_hunks)
    part.fingerprint = fingerprint_of(part)
    return part


def _complete(file: FilePlan, workspace: Workspace, limit: int, want_hunks: bool) -> None:
    """Fills in what the file becomes by a part of its edits."""
    try:
        before, _ = workspace.read(file.path, limit)
    except OSError:
        before = b""
    if sha256(before).hexdigest() != file.before_hash:
        raise moved(file)
    file.after_hash = sha256(splice(before, file.changes)).hexdigest()
    file.hunks = hunks(file.path, before, file.changes) if want_hunks else b""
