"""Which pending plans touch the same code, told before the second apply fails.

Two plans of one file cannot both be applied as previewed: the second is stale then. How
close they are says what to do: edits of the same *bytes* contradict one another, those of
one *definition* want a look, those of one *file* only need a new preview.
"""

from __future__ import annotations

import os
import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from hashlib import sha256
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from astedit.errors import AstEditError
from astedit.language import for_path
from astedit.limits import MAX_FILE_SIZE
from astedit.model.plan import PlanOverlap
from astedit.staging import stored
from astedit.staging.on_top import chain, pending_chain, stands
from astedit.staging.stored import HANDLER, TouchedFile, TouchedFiles
from astedit.text import first_names
from astedit.workspace.config import load
from astedit.workspace.root import STATE_FILE, Workspace, content_with_hash, state_dir
from resolve import PendingAction
from resolve.actions import State, stamp
from resolve.handlers import Context

if TYPE_CHECKING:
    from astedit.locating.result import LocateResult
    from resolve import PendingActionStore

How = Literal["bytes", "definition", "file"]
_ORDER: dict[How, int] = {"bytes": 0, "definition": 1, "file": 2}
OPEN: tuple[State, ...] = ("pending", "applying")
NAMED = 5  # actions that a message names
MOST = 10_000  # pairs that are looked for among all that is pending
WORDS: dict[How, str] = {
    "bytes": "the same code",
    "definition": "the same definition",
    "file": "the same file",
}


def sentence(overlaps: Sequence[PlanOverlap]) -> str:
    """`Overlaps a1… (the same code) and 2 more: whichever is applied first makes …`."""
    names = [f"{each.action_id} ({WORDS[each.how]})" for each in overlaps]
    return (
        f"Overlaps {first_names(names, NAMED)}: whichever is applied first makes the others stale."
    )


class Edge(NamedTuple):
    """Two pending actions that touch the same code."""

    first: PendingAction
    second: PendingAction
    how: How


def touched(action: PendingAction, records: PendingActionStore) -> TouchedFiles:
    """What a stored action would write; nothing for another tool's, or a damaged one."""
    payload = records.payload(action.id)
    if action.kind == stored.UNDO:
        return stored.touched_by_undo(payload)
    return stored.touched(payload) if action.kind == stored.HANDLER else {}


def overlaps(
    own: TouchedFiles, own_id: str | None, records: PendingActionStore, workspace: Workspace
) -> list[PlanOverlap]:
    """The other pending actions of the workspace that touch the same code, newest first.

    What stands on the other (see `chain`) is no overlap: the two go together.
    """
    found = []
    this = None if own_id is None else records.get(own_id)
    for action in records.select(OPEN):
        apart = this is None or not _go_together(this, action, records)
        if action.id != own_id and apart:
            how = closeness(own, touched(action, records), workspace)
            if how is not None:
                found.append(_overlap(action, how))
    return found


def _go_together(action: PendingAction, other: PendingAction, records: PendingActionStore) -> bool:
    return stands(action, other.id, records) or stands(other, action.id, records)


def of_edges(drawn: Iterable[Edge]) -> dict[str, list[PlanOverlap]]:
    """The overlaps of each action among these edges, by its id."""
    close = defaultdict(list)
    for edge in drawn:
        close[edge.first.id].append(_overlap(edge.second, edge.how))
        close[edge.second.id].append(_overlap(edge.first, edge.how))
    return close


def _overlap(other: PendingAction, how: How) -> PlanOverlap:
    return PlanOverlap(other.id, other.session, stamp(other.created_at), how)


def edges(
    actions: Sequence[PendingAction], records: PendingActionStore, workspace: Workspace
) -> list[Edge]:
    """Every two of these actions that touch the same code, in their order; at most `MOST`."""
    known = [touched(action, records) for action in actions]
    at_path: dict[str, list[int]] = {}
    drawn = []
    for second, files in enumerate(known):
        for first in sorted({place for path in files for place in at_path.get(path, ())}):
            together = _go_together(actions[first], actions[second], records)
            how = None if together else closeness(known[first], files, workspace)
            if how is not None:
                drawn.append(Edge(actions[first], actions[second], how))
            if len(drawn) == MOST:
                return drawn
        for path in files:
            at_path.setdefault(path, []).append(second)
    return drawn


def closeness(own: TouchedFiles, other: TouchedFiles, workspace: Workspace) -> How | None:
    """How close two plans come, in whatever file they come closest; None: no file is in both."""
    found = (_in_file(path, own[path], other[path], workspace) for path in own.keys() & other)
    return min(found, key=_ORDER.__getitem__, default=None)


def _in_file(path: str, own: TouchedFile, other: TouchedFile, workspace: Workspace) -> How:
    if own.spans is None or other.spans is None:
        return "bytes"
    if own.before != other.before:  # offsets into different contents say nothing of one another
        return "file"
    if cross(own.spans, other.spans):
        return "bytes"
    spans = _definitions(path, own.before, workspace)
    homes = {_innermost(span, spans) for span in own.spans}
    shared = homes & {_innermost(span, spans) for span in other.spans} - {None}
    return "definition" if shared else "file"


def cross(own: Iterable[tuple[int, int]], other: Iterable[tuple[int, int]]) -> bool:
    """Whether a span of one shares bytes with one of the other. An insertion is in both
    spans that it touches, since nobody knows which of two texts comes first."""
    first, second = sorted(own), sorted(other)
    at = 0
    for start, end in first:
        while at < len(second) and second[at][1] < start:
            at += 1
        for begin, stop in second[at:]:
            if begin > end:
                break
            low, high = max(start, begin), min(end, stop)
            if low < high or (low == high and (start == end or begin == stop)):
                return True
    return False


def _definitions(path: str, before: str | None, workspace: Workspace) -> list[tuple[int, int]]:
    """The bytes of each definition, if the file is still that content, small and readable."""
    row, content = for_path(path), content_with_hash(workspace, path, before)
    if row is None or content is None or len(content) > MAX_FILE_SIZE:
        return []
    return _spans(row.name, content)


@lru_cache(maxsize=4)
def _spans(language: str, content: bytes) -> list[tuple[int, int]]:
    """Those of one content: a hundred plans of one file ask for them one after the other."""
    from astedit.locating.inventory.read_file import scopes  # only where files are shared

    return [each.span for each in scopes(content, language, ())]


def _innermost(
    span: tuple[int, int], definitions: Sequence[tuple[int, int]]
) -> tuple[int, int] | None:
    around = [each for each in definitions if each[0] <= span[0] and span[1] <= each[1]]
    return min(around, key=lambda each: each[1] - each[0], default=None)


class Present:
    """The contents of the files as they are now, each read once."""

    def __init__(self, workspace: Workspace, records: PendingActionStore) -> None:
        self._workspace = workspace
        self._records = records
        self._digests: dict[str, str | None] = {}

    def contradicts(self, action: PendingAction) -> bool:
        """Whether a file is not as the action's plan was made of it, or what that stands on
        was dropped. What else may match is not asked."""
        below = pending_chain(action, self._records)
        if any(base.state not in OPEN for base in below):
            return True
        later: set[str] = set()  # files that are to be as they will be then
        for each in reversed([action, *below]):
            files = touched(each, self._records)
            if any(self._digest(path) != files[path].before for path in files.keys() - later):
                return True
            later |= files.keys()
        return False

    def _digest(self, path: str) -> str | None:
        if path not in self._digests:
            try:
                content, _ = self._workspace.read(path, 1 << 40)
                self._digests[path] = sha256(content).hexdigest()
            except OSError:
                self._digests[path] = None
        return self._digests[path]


def stale_now(
    written: Iterable[Mapping[str, Any]],
    context: Context,
    details: dict[str, Any],
    *,
    whole: bool = True,
) -> str:
    """Names the pending actions that a resolution has just made stale, also in `details`.

    `written` are rows with `path` and `after`, the hash of the new content. What stands on
    the action is stale too unless the `whole` of it was applied.
    """
    after = {str(row["path"]): row["after"] for row in written}
    records = context.session.records
    others = [action for action in records.select(OPEN) if action.id != context.action_id]
    touching = ((action.id, touched(action, records)) for action in others)
    edited = [
        action_id
        for action_id, files in touching
        if any(files[path].before != after[path] for path in files.keys() & after)
    ]
    dropped = {*edited} if whole else {*edited, context.action_id}
    standing = [
        each.id
        for each in others
        if not dropped.isdisjoint(base.id for base in chain(each, records))
    ]
    if not (edited or standing):
        return ""
    details["madeStale"] = list(dict.fromkeys(edited + standing))
    return "".join(
        f"\nStale now, since they {why}: {first_names(ids, NAMED)}."
        for ids, why in ((edited, "edit the same files"), (standing, "were previewed on top"))
        if ids
    )


_LOOKED = 20  # the newest pending actions that are looked into


def mention(
    result: LocateResult, identifier: str, workspace: Workspace, directory: str | None = None
) -> None:
    """Adds to an answer of none which pending action would write the name, if one would.

    `directory` is that of the workspace's state, if the caller knows it. Without a state
    file nothing is opened.
    """
    from astedit.locating.identifier import parse

    if not result.success or result.status != "none":
        return

    parsed = parse(identifier)
    text = parsed.name[-1] if parsed.name else parsed.path
    place = directory or state_dir(workspace, load(workspace).state_dir)
    database = os.path.join(place, STATE_FILE)
    if not text or not os.path.exists(database):
        return
    word = re.compile(rf"(?<!\w){re.escape(text)}(?!\w)")
    from resolve import StoreError

    try:
        waiting = _writing(database, word)
    except StoreError:
        return  # what cannot be read is told by the commands that need it; the answer stands
    if waiting is not None:
        result.message = f"{result.message} The pending action {waiting} would write that name."


def _writing(database: str, word: re.Pattern[str]) -> str | None:
    """The newest pending action whose edits bring the word."""
    from resolve import SqliteStore

    with SqliteStore(database) as store:
        for action in store.list(("pending",))[:_LOOKED]:
            payload = store.records.payload(action.id) if action.handler == HANDLER else None
            if payload is not None and _brings(payload, word):
                return action.id
    return None


def _brings(payload: object, word: re.Pattern[str]) -> bool:
    try:
        plan = stored.unpacked(payload)
    except AstEditError:
        return False  # damaged: whoever resolves it is told
    edits = (edit for file in plan.files for edit in file.edits)
    return any(
        word.search(edit.whole_after) and not word.search(edit.whole_before) for edit in edits
    )
