"""`Review`: what was decided about each edit of one plan, by whom and when.

Every surface opens one (`staging/stored_review.py`), shows what it says, and calls `decide`,
`comment` and `mark`; no surface keeps decisions of its own.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import cached_property
from typing import Generic, Literal, NamedTuple, Protocol, TypeVar

from astedit.errors import RequestError
from astedit.model.edit import Edit
from astedit.model.plan import Plan
from astedit.model.shape_labels import AlikeEdits
from astedit.model.shapes import alike_edits
from astedit.review.units import Causation, Tie, ties_of

ReviewChoice = Literal["accept", "reject"]
Attention = Literal["read", "sampled"]
LONGEST_COMMENT = 10_000  # characters


@dataclass(frozen=True, slots=True)
class Decision:
    """What was decided about one edit, by whom and when; each part may be missing.

    `attention` says that a person read the edit, or only others that are alike (`sampled`).
    """

    choice: ReviewChoice | None = None
    comment: str = ""
    attention: Attention | None = None
    who: str = ""
    when: str = ""

    @property
    def content(self) -> tuple[ReviewChoice | None, str, Attention | None]:
        """What was decided, whoever did."""
        return self.choice, self.comment, self.attention


NOTHING = Decision()


class DecisionStore(Protocol):
    """Where the decisions about one plan are kept, beside its action."""

    def since(self, revision: int) -> tuple[int, dict[str, Decision]]:
        """The present revision, and what was decided after that one, by edit id."""

    def keep(self, decisions: Mapping[str, Decision], seen: int) -> None:
        """Keeps all of them or none; durable when it returns.

        Raises `PreconditionError` with the code `changed_meanwhile` if one of these edits was
        decided after revision `seen`.
        """

    def keep_contexts(self) -> None:
        """Keeps what the edits stand in that were decided about, as far as a moment allows.

        It never fails, and a refresh carries a decision only with it. It takes longer than a
        decision, so that whoever waits for a key calls it once that is answered.
        """


class PlacedEdit(NamedTuple):
    """An edit, and the file that it is in."""

    path: str
    edit: Edit


GroupMark = Literal["accept", "reject", "mixed"] | None
MARKS: dict[GroupMark, str] = {"accept": "[x]", "reject": "[-]", "mixed": "[~]", None: "[ ]"}


class ReviewProgress(NamedTuple):
    """How many edits there are, and what was decided about them."""

    edits: int
    accepted: int
    rejected: int
    read: int
    sampled: int
    comments: int

    @property
    def decided(self) -> int:
        """How many are accepted or rejected."""
        return self.accepted + self.rejected

    @property
    def undecided(self) -> int:
        """How many are neither."""
        return self.edits - self.decided

    @property
    def mark(self) -> GroupMark:
        """What a group shows as one: the same for all of it, a mixture, or nothing yet."""
        if not self.decided:
            return None
        if self.edits in (self.accepted, self.rejected):
            return "accept" if self.accepted else "reject"
        return "mixed"

    def __str__(self) -> str:
        return f"{self.decided:,} of {self.edits:,} decided, {self.rejected:,} rejected"


_Step = dict[str, tuple[Decision, Decision]]
"""By edit what one `decide` made of it, and what it was before."""


class Review:
    """The decisions about one plan, as this process last saw them.

    What `decide`, `comment` and `mark` return from is kept for good. They raise
    `PreconditionError` (`changed_meanwhile`), with nothing kept, where somebody else has
    decided about one of these edits meanwhile; the review shows that decision by then.
    `refresh` brings what others did without being asked. One thread at a time uses it.
    """

    def __init__(
        self,
        plan: Plan,
        store: DecisionStore,
        who: str,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        self.plan = plan
        self.who = who
        self.revision = 0
        self.edits: dict[str, PlacedEdit] = {
            edit.id: PlacedEdit(file.path, edit) for file in plan.files for edit in file.edits
        }
        self.ties: list[Tie] = [tie for file in plan.files for tie in ties_of(file)]
        self._causes = Causation(plan)
        self._ties = {tie.imports: tie for tie in self.ties}
        self._decisions: dict[str, Decision] = {}
        self._progress: ReviewProgress | None = None  # of all, since the last decision
        self._past: list[_Step] = []
        self._future: list[_Step] = []
        self._store = store
        self._now = now
        self.refresh()

    @property
    def fingerprint(self) -> str:
        """The fingerprint of the plan: the decisions hold for exactly these bytes."""
        return self.plan.fingerprint

    # -- which edits -------------------------------------------------------------------------

    @cached_property
    def shapes(self) -> list[AlikeEdits]:
        """The shapes with their edits; `shape:N` is the N-th of them, from 1, for ever."""
        return alike_edits(self.plan.files, self.plan.request)

    def tied(self, edit_ids: Iterable[str]) -> list[str]:
        """These edits with all that are decided together with them, in the plan's order.

        Edits of imports are left out: they follow the edits that they are for.
        """
        chosen = set(self._known(edit_ids)) - self._ties.keys()
        binding = [set(tie.edits) for tie in self.ties if tie.comes == "binding"]
        while more := [group for group in binding if group & chosen and not group <= chosen]:
            chosen.update(*more)
        return [edit_id for edit_id in self.edits if edit_id in chosen]

    # -- what was decided --------------------------------------------------------------------

    def decision(self, edit_id: str) -> Decision:
        """What was decided about an edit; an edit of imports has the choice that follows."""
        (edit_id,) = self._known([edit_id])
        decision = self._decisions.get(edit_id, NOTHING)
        tie = self._ties.get(edit_id)
        return replace(decision, choice=self._following(tie)) if tie else decision

    def own(self, edit_id: str) -> Decision:
        """What was decided about this edit itself."""
        return self._decisions.get(edit_id, NOTHING)

    def tie(self, edit_id: str) -> Tie | None:
        """What an edit of imports follows; None for an edit with a choice of its own."""
        return self._ties.get(edit_id)

    def chosen(self, choice: ReviewChoice | None) -> list[str]:
        """The edits with this choice (None: the undecided ones), in the plan's order."""
        return [edit_id for edit_id in self.edits if self.decision(edit_id).choice == choice]

    def progress(self, edit_ids: Iterable[str] | None = None) -> ReviewProgress:
        """The counts of these edits, or of all."""
        if edit_ids is not None:
            return self._counted(self._known(edit_ids))
        if self._progress is None:
            self._progress = self._counted(list(self.edits))
        return self._progress

    def _counted(self, edit_ids: list[str]) -> ReviewProgress:
        """Counts in one loop: it runs at every key for thousands of edits."""
        choices: list[ReviewChoice | None] = []
        decided: list[Decision] = []
        for edit_id in edit_ids:
            decision, tie = self._decisions.get(edit_id), self._ties.get(edit_id)
            if tie is not None:
                choices.append(self._following(tie))
            elif decision is not None:
                choices.append(decision.choice)
            if decision is not None:
                decided.append(decision)
        attention = [each.attention for each in decided]
        return ReviewProgress(
            len(edit_ids),
            choices.count("accept"),
            choices.count("reject"),
            attention.count("read"),
            attention.count("sampled"),
            sum(each.comment != "" for each in decided),
        )

    def refresh(self) -> list[str]:
        """Takes in what was decided since, by whomever; returns the edits concerned."""
        self.revision, later = self._store.since(self.revision)
        if later:
            self._decisions |= later
            self._progress = None
        return list(later)

    def changed_since(self, revision: int) -> list[str]:
        """The edits about which something was decided after a revision."""
        return list(self._store.since(revision)[1])

    def seen_until(self, revision: int) -> None:
        """Goes on as somebody who has seen nothing later: what was decided since is refused."""
        self.revision = min(self.revision, revision)

    # -- deciding ----------------------------------------------------------------------------

    def decide(
        self, edit_ids: Iterable[str], choice: ReviewChoice | None, read: Iterable[str] = ()
    ) -> list[str]:
        """Accepts or rejects these edits and what is tied to them, or takes that back (None).

        `read` are noted as read together with that. Returns the edits that have another choice
        now. Raises `RequestError` for edits of imports alone: they follow others.
        """
        edit_ids = list(edit_ids)
        tied = self.tied(edit_ids)
        if edit_ids and not tied:
            count = len({each for edit_id in edit_ids for each in self._ties[edit_id].edits})
            raise RequestError(
                f"An edit of imports follows the {count} edits that it is for: decide those.",
                code="follows",
            )
        if choice == "reject":
            tied = [*tied, *self.consequences(tied)]
        changed = [edit_id for edit_id in tied if self.own(edit_id).choice != choice]
        decisions = self._with_attention(read, "read")
        for edit_id in changed:
            decisions[edit_id] = replace(decisions.get(edit_id) or self.own(edit_id), choice=choice)
        step = {edit_id: (decisions[edit_id], self.own(edit_id)) for edit_id in changed}
        self.keep(decisions)
        if step:
            self._past.append(step)
            self._future.clear()
        return changed

    def lacks_cause(self, edit_id: str) -> bool:
        """Whether all that causes an edit is rejected; never of a seed."""
        causes = self.edits[edit_id].edit.because
        return bool(causes) and all(self.own(cause).choice == "reject" for cause in causes)

    def consequences(self, edit_ids: Iterable[str]) -> list[str]:
        """The edits that nothing causes any more where these are rejected (CB7)."""
        lost = self._causes.lost({*edit_ids}, lambda each: self.own(each).choice == "reject")
        return [edit_id for edit_id in self.edits if edit_id in lost] if lost else []

    def undo(self) -> list[str]:
        """Takes back the last `decide` of this review; returns the edits, [] if there is none.

        An edit that has another choice by now, somebody else's, keeps it.
        """
        return self._retrace(self._past, self._future)

    def redo(self) -> list[str]:
        """Makes again what the last `undo` took back, unless something was decided since."""
        return self._retrace(self._future, self._past)

    def _retrace(self, source: "list[_Step]", target: "list[_Step]") -> list[str]:
        while source:
            step = source[-1]
            own = {edit_id: self.own(edit_id) for edit_id in step}
            back = {
                edit_id: replace(own[edit_id], choice=old.choice, attention=old.attention)
                for edit_id, (new, old) in step.items()
                if own[edit_id].choice == new.choice
            }
            self.keep(back)
            source.pop()
            if back:
                target.append({edit_id: (old, own[edit_id]) for edit_id, old in back.items()})
                return list(back)
        return []

    def comment(self, edit_id: str, text: str) -> None:
        """Says something about one edit; an empty text takes it back."""
        if len(text) > LONGEST_COMMENT:
            raise RequestError(f"The comment is over {LONGEST_COMMENT:,} characters long.")
        self._known([edit_id])
        self.keep({edit_id: replace(self.own(edit_id), comment=text)})

    def mark(self, edit_ids: Iterable[str], attention: Attention | None) -> None:
        """Notes that these were read, or sampled; what was read stays read beside a sample."""
        self.keep(self._with_attention(edit_ids, attention))

    def _with_attention(
        self, edit_ids: Iterable[str], attention: Attention | None
    ) -> dict[str, Decision]:
        """The decisions that noting it changes."""
        old = {edit_id: self.own(edit_id) for edit_id in self._known(edit_ids)}
        keeping = {attention, "read"} if attention == "sampled" else {attention}
        changed = {key: each for key, each in old.items() if each.attention not in keeping}
        return {key: replace(each, attention=attention) for key, each in changed.items()}

    def keep(self, decisions: Mapping[str, Decision], *, signed: bool = False) -> None:
        """Keeps decisions as they are; without `signed` they are of who reviews, and of now."""
        if not decisions:
            return
        if not signed:
            decisions = {edit_id: self.signed(each) for edit_id, each in decisions.items()}
        try:
            self._store.keep(decisions, self.revision)
        finally:
            self.refresh()

    def keep_contexts(self) -> None:
        """As of `DecisionStore`; after one decision or several."""
        self._store.keep_contexts()

    def signed(self, decision: Decision) -> Decision:
        """The same decision, made by who reviews, now."""
        when = self._now().isoformat(timespec="milliseconds").replace("+00:00", "Z")
        return replace(decision, who=self.who, when=when)

    # -- within ------------------------------------------------------------------------------

    def _known(self, edit_ids: Iterable[str]) -> list[str]:
        ids = list(edit_ids)
        unknown = next((edit_id for edit_id in ids if edit_id not in self.edits), None)
        if unknown is not None:
            raise RequestError(f"The plan has no edit {unknown!r}.", code="unknown_edit")
        return ids

    def _following(self, tie: Tie) -> ReviewChoice | None:
        """The choice of an edit of imports: made, left away, or not known yet."""
        choices = [self.own(edit_id).choice for edit_id in tie.edits]
        decisive: ReviewChoice = "accept" if tie.comes == "with any" else "reject"
        if decisive in choices:
            return decisive
        return None if None in choices else choices[0]


Group = TypeVar("Group")


class ChangedGroups(Generic[Group]):
    """What was decided since somebody last asked, by the group of each edit."""

    def __init__(self, review: Review, groups: Mapping[str, Group]) -> None:
        self._review = review
        self._groups = groups
        self._revision = review.revision
        self._imports = [tie.imports for tie in review.ties]

    def since_last(self) -> set[Group]:
        """These groups; those with edits of imports each time, since they follow others."""
        if self._revision == self._review.revision:
            return set()
        changed = [*self._review.changed_since(self._revision), *self._imports]
        self._revision = self._review.revision
        return {self._groups[edit_id] for edit_id in changed if edit_id in self._groups}
