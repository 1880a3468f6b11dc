"""What the edits of a plan stand in, kept beside its action while the tree is as it was.

It is kept with the first decision about a file, so that a refresh can tell whether a decision
still holds. What nobody has kept in time is undecided after a refresh.
"""

import time
from collections.abc import Iterable
from hashlib import sha256

from astedit.errors import AstEditError
from astedit.limits import MAX_FILE_SIZE
from astedit.model.edit import FilePlan
from astedit.model.plan import Plan
from astedit.review.contexts import FileContexts, contexts_of
from astedit.staging.origin import reopened
from astedit.workspace.root import Workspace
from resolve import ToolError
from resolve.records import Annotate
from resolve.store import PendingActionStore

PREFIX = "file:"  # of the key that a file's contexts are kept under; edits have hex ids
_WHOEVER = 1 << 62  # was first has kept the same
_MOMENT = 0.02  # seconds, for which the next key may have to wait
_AT_ONCE = 200  # files that are kept in one transaction


def known_contexts(records: PendingActionStore, action_id: str) -> dict[str, FileContexts]:
    """What is kept beside an action, by path."""
    return {
        row.key.removeprefix(PREFIX): FileContexts.of_json(row.body)
        for row in records.annotations(action_id)
        if row.key.startswith(PREFIX)
    }


def remember(
    plan: Plan,
    files: Iterable[FilePlan],
    records: PendingActionStore,
    action_id: str,
    seconds: float | None = None,
) -> None:
    """Keeps the contexts of these files, as many as there is time for.

    A file that has changed since the plan was made has none. That it cannot be kept never
    fails what it is kept for.
    """
    end = None if seconds is None else time.monotonic() + seconds
    rows: dict[str, dict[str, object]] = {}
    try:
        with reopened(plan.root, plan.origin) as workspace:
            for file in files:
                contexts = present_contexts(file, workspace)
                if contexts is not None:
                    rows[PREFIX + file.path] = contexts.to_json()
                if end is not None and time.monotonic() > end:
                    break
                if len(rows) == _AT_ONCE:
                    records.commit(Annotate(action_id, rows, _WHOEVER))
                    rows = {}
        if rows:
            records.commit(Annotate(action_id, rows, _WHOEVER))
    except (AstEditError, ToolError):
        return


class DecidedFiles:
    """The files of a plan in which something was decided since their contexts were kept."""

    def __init__(self, plan: Plan, action_id: str) -> None:
        self._plan = plan
        self._action_id = action_id
        self._decided: set[str] = set()  # edits since then
        self._asked: set[str] = set()  # files whose contexts were to be kept once

    def note(self, edit_ids: Iterable[str]) -> None:
        """Something was decided about these edits."""
        self._decided.update(edit_ids)

    def remember(self, records: PendingActionStore) -> None:
        """Keeps the contexts of these files for a moment; `remember_decided` keeps the rest."""
        if not self._decided:
            return
        fresh = (file for file in self._plan.files if file.path not in self._asked)
        files = [file for file in fresh if any(edit.id in self._decided for edit in file.edits)]
        self._asked.update(file.path for file in files)
        self._decided.clear()
        remember(self._plan, files, records, self._action_id, _MOMENT)


def remember_decided(plan: Plan, records: PendingActionStore, action_id: str) -> None:
    """Keeps the contexts of all files in which something was decided and none are kept yet."""
    keys = {row.key for row in records.annotations(action_id)}
    files = [
        file
        for file in plan.files
        if PREFIX + file.path not in keys and any(edit.id in keys for edit in file.edits)
    ]
    if files:
        remember(plan, files, records, action_id)


def present_contexts(file: FilePlan, workspace: Workspace) -> FileContexts | None:
    """The contexts of a file that is as its plan was made of it."""
    try:
        content, _ = workspace.read(file.path, MAX_FILE_SIZE)
    except OSError:
        return None
    if sha256(content).hexdigest() != file.before_hash:
        return None
    return contexts_of(file, content)
