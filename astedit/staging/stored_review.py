"""Reviews of staged plans: the decisions are kept in the store, beside the action."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, get_args

from astedit.errors import AstEditError, PreconditionError
from astedit.model.edit import FilePlan
from astedit.model.plan import Plan
from astedit.review.decisions import Attention, Decision, Review, ReviewChoice
from astedit.staging.approval import approved
from astedit.staging.on_top import as_previewed
from astedit.staging.preview import reopened
from astedit.staging.stored import stored
from astedit.text import first_lines
from astedit.workspace.config import Config
from astedit.workspace.root import Workspace, content_with_hash
from resolve import PendingAction, PendingActionStore, ToolError
from resolve.handlers import Context
from resolve.records import Annotate, Annotation, AuditRow
from resolve.state import SessionState
from resolve.visible import one_line

if TYPE_CHECKING:
    from astedit.review.carry import Carry, FileContexts, Uncarried
    from astedit.review.ledger.model import PlaceLedger

PREFIX = "file:"  # of the key that a file's contexts are kept under; edits have hex ids
_WHOEVER = 1 << 62  # was first has kept the same
_MOMENT = 0.02  # seconds, for which the next key may have to wait
_AT_ONCE = 200  # files that are kept in one transaction


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
    from astedit.review.carry import contexts_of

    content = content_with_hash(workspace, file.path, file.before_hash)
    return None if content is None else contexts_of(file, content)


_SHOWN = 20  # edits that are new, changed or gone


@dataclass(frozen=True, slots=True)
class Refreshed:
    """How a new plan compares with the older one, and what its files' edits stand in."""

    carry: Carry
    contexts: dict[str, FileContexts | None]


def compared(older: Plan, new: Plan, context: Context, workspace: Workspace) -> Refreshed:
    """Compares the plans by what is kept beside the action that is refreshed."""
    from astedit.review.carry import FileContexts, carry

    known = {
        row.key.removeprefix(PREFIX): FileContexts.of_json(row.body)
        for row in context.session.records.annotations(context.action_id)
        if row.key.startswith(PREFIX)
    }
    now = {file.path: present_contexts(file, workspace) for file in new.files if file.path in known}
    matched = carry(older, new, lambda file: known.get(file.path), lambda file: now.get(file.path))
    return Refreshed(matched, now)


def take_over(
    refreshed: Refreshed,
    older: Plan,
    new: Plan,
    action: PendingAction,
    context: Context,
    settings: Config,
) -> str:
    """Gives the new action the decisions that hold, and says what needs a new one.

    An approval holds where nothing is new or changed and the policy `agent` rules; under
    `human` a person approves again.
    """
    records, matched = context.session.records, refreshed.carry
    decisions = decisions_about(context.action_id, records)
    taken = {now: decisions[then] for now, then in matched.carried.items() if then in decisions}
    if taken:
        context.add(annotate(action.id, taken, 0))
    rows = {
        PREFIX + path: contexts.to_json()
        for path, contexts in refreshed.contexts.items()
        if contexts is not None
    }
    if rows:
        context.add(Annotate(action.id, rows, 0))
    had = approved(context.action_id, older.fingerprint, context.session)
    policies = {settings.policy, (older.origin or settings).policy}
    unknown = any(each.why == "unknown" for each in matched.others)
    if had and policies == {"agent"} and not matched.fresh and not unknown:
        who, reason = context.session.who, f"as {context.action_id}: nothing is new or changed"
        context.add(AuditRow.of(action, who, reason, "approved", code=new.fingerprint))
    if not (decisions or had):
        return ""
    lines = [_line(each) for each in matched.others if each.why != "unknown"]
    return "\n".join(["", f"{matched}.", *first_lines(lines, _SHOWN, indent="  ")])


def _line(each: Uncarried) -> str:
    before, after = (
        one_line(" ".join(text.split()))[:80] or "(nothing)"
        for text in (each.edit.whole_before, each.edit.whole_after)
    )
    return f"  {each.why}: {one_line(each.path)}:{each.edit.shown_line}: {before} -> {after}"


def staged_ledger(
    plan: Plan, workspace: Workspace, records: PendingActionStore, settings: Config
) -> PlaceLedger:
    """What became of each place; of a plan on top of another one, with that one in place."""
    from astedit.review.ledger.ledger import ledger  # what few reviews ask for

    with as_previewed(plan, workspace, records):
        return ledger(plan, workspace, settings)


def open_review(session: SessionState, action: PendingAction) -> Review:
    """Opens the review of a staged or resolved action, as who acts in the session.

    Raises `PreconditionError` as `stored` does. What is resolved can be read, and no more
    decided about (`already_resolved`).
    """
    return review_of(stored(session, action), session, action.id)


def review_of(plan: Plan, session: SessionState, action_id: str) -> Review:
    """Opens the review of a plan that was read from the store already."""
    files = DecidedFiles(plan, action_id)
    decisions = StoredDecisions(lambda: nullcontext(session.records), action_id, files)
    return Review(plan, decisions, session.who)


OpenedRecords = Callable[[], AbstractContextManager[PendingActionStore]]
"""Opens the store for one call."""


class StoredDecisions:
    """The decisions about the plan of one action: an annotation of the action for each edit."""

    def __init__(self, opened: OpenedRecords, action_id: str, files: DecidedFiles) -> None:
        self._opened = opened
        self._action_id = action_id
        self._files = files

    def since(self, revision: int) -> tuple[int, dict[str, Decision]]:
        """The present revision, and what was decided after that one, by edit id."""
        with self._opened() as records:
            rows = records.annotations(self._action_id, revision)
        return max([revision, *(row.revision for row in rows)]), _decided(rows)

    def keep(self, decisions: Mapping[str, Decision], seen: int) -> None:
        """Keeps all of them or none; `PreconditionError` if one was decided after `seen`."""
        try:
            with self._opened() as records:
                records.commit(annotate(self._action_id, decisions, seen))
        except ToolError as error:
            if error.code == "changed_meanwhile":
                raise PreconditionError(
                    "Somebody else decided about some of these edits meanwhile; "
                    "nothing was changed.",
                    code="changed_meanwhile",
                    hint="Look at what they decided, then decide again.",
                ) from error
            raise PreconditionError(str(error), code=error.code, hint=error.hint) from error
        self._files.note(decisions)

    def keep_contexts(self) -> None:
        """As of `DecidedFiles`."""
        with self._opened() as records:
            self._files.remember(records)


def decisions_about(action_id: str, records: PendingActionStore) -> dict[str, Decision]:
    """What was decided about the edits of an action, by edit id."""
    return _decided(records.annotations(action_id))


def _decided(rows: Iterable[Annotation]) -> dict[str, Decision]:
    return dict(_read(row) for row in rows if ":" not in row.key)


def annotate(action_id: str, decisions: Mapping[str, Decision], seen: int) -> Annotate:
    """The change that keeps decisions beside an action."""
    return Annotate(action_id, {key: asdict(each) for key, each in decisions.items()}, seen)


def _read(row: Annotation) -> tuple[str, Decision]:
    """A decision as it was kept; what this version does not know counts as undecided."""
    body: dict[str, Any] = row.body
    texts = [body.get(key) if isinstance(body.get(key), str) else "" for key in _TEXTS]
    comment, who, when = (str(text) for text in texts)
    choice = body.get("choice") if body.get("choice") in get_args(ReviewChoice) else None
    attention = body.get("attention") if body.get("attention") in get_args(Attention) else None
    return row.key, Decision(choice, comment, attention, who, when)


_TEXTS = ("comment", "who", "when")
