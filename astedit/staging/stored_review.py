"""Reviews of staged plans: the decisions are kept in the store, beside the action."""

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any, get_args

from astedit.errors import PreconditionError
from astedit.model.plan import Plan
from astedit.review.decisions import Attention, Decision, Review, ReviewChoice
from astedit.staging.remembered_contexts import PREFIX, DecidedFiles
from astedit.staging.stored_plan import stored
from resolve import PendingAction, ToolError
from resolve.records import Annotate, Annotation
from resolve.state import SessionState
from resolve.store import PendingActionStore


def open_review(session: SessionState, action: PendingAction) -> Review:
    """Opens the review of a staged or resolved action, as who acts in the session.

    Raises `PreconditionError` as `stored` does. What is resolved can be read, and no more
    decided about (`already_resolved`).
    """
    return review_of(stored(session, action), session, action.id)


def review_of(plan: Plan, session: SessionState, action_id: str) -> Review:
    """The same for a plan that was read from the store already."""
    files = DecidedFiles(plan, action_id)
    return Review(plan, StoredDecisions(session.records, action_id, files), session.who)


class StoredDecisions:
    """The decisions about the plan of one action: an annotation of the action for each edit."""

    def __init__(
        self, records: PendingActionStore, action_id: str, files: DecidedFiles | None = None
    ) -> None:
        self._records = records
        self._action_id = action_id
        self._files = files

    def since(self, revision: int) -> tuple[int, dict[str, Decision]]:
        """The present revision, and what was decided after that one, by edit id."""
        rows = self._records.annotations(self._action_id, revision)
        decided = [row for row in rows if not row.key.startswith(PREFIX)]
        return max([revision, *(row.revision for row in rows)]), dict(map(_read, decided))

    def keep(self, decisions: Mapping[str, Decision], seen: int) -> None:
        """Keeps all of them or none; `PreconditionError` if one was decided after `seen`."""
        try:
            self._records.commit(annotate(self._action_id, decisions, seen))
        except ToolError as error:
            if error.code == "changed_meanwhile":
                raise _decided_meanwhile() from error
            raise PreconditionError(str(error), code=error.code, hint=error.hint) from error
        if self._files is not None:
            self._files.note(decisions)

    def keep_contexts(self) -> None:
        """As of `DecidedFiles`; nothing where the plan is not known."""
        if self._files is not None:
            self._files.remember(self._records)


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


def _decided_meanwhile() -> PreconditionError:
    return PreconditionError(
        "Somebody else decided about some of these edits meanwhile; nothing was changed.",
        code="changed_meanwhile",
        hint="Look at what they decided, then decide again.",
    )
