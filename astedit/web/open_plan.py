"""The plan that the page is about: its edits in order, its review, and the way to the gate."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import asdict, dataclass, replace
from threading import Lock
from typing import Any, NamedTuple, Self
from urllib.parse import urlencode

from astedit.errors import PreconditionError, RequestError
from astedit.page.sections import group_key, whole_titles
from astedit.review.causes import Causes
from astedit.review.decisions import ChangedGroups, Review, ReviewChoice, ReviewProgress
from astedit.review.excerpt import CONTEXT, ExcerptLine, excerpt
from astedit.review.ledger.model import PlaceLedger
from astedit.review.order import OrderedEdit, ordered, part_of_groups, sentence
from astedit.review.selectors import ALL, Selection, part_of, refuse_nothing
from astedit.staging.approval import approve, decided, reserved
from astedit.staging.on_top import as_previewed
from astedit.staging.plan_contents import contents_of
from astedit.staging.proof import newest_proof
from astedit.staging.stored import stored
from astedit.staging.stored_review import (
    DecidedFiles,
    StoredDecisions,
    remember_decided,
    staged_ledger,
)
from astedit.workspace.codeowners import CodeOwners
from astedit.workspace.config import Config
from astedit.workspace.root import Workspace
from resolve import PendingActionStore, Session
from resolve.stack import refusal
from resolve.visible import one_line

Sessions = Callable[[], AbstractContextManager[Session]]
"""Opens the workspace's stack for one call, in whatever thread makes it."""

TYPED = 4  # characters of the fingerprint that a person types to approve


class OpenPlan:
    """One pending plan while its page is served. Every method may block; one at a time works.

    `parts` says by edit what the folded ones of a large group have in common, `bound` with
    how many others it is decided, `titles` what is above one that stands for a whole file.
    `files` are the edits of each file that is shown, by its name as the page shows it.
    `part` are the edits that are shown, None for all. `needs_approval` says why only a person
    may have it applied, None if an agent may; `proof` what was last run with it, None if
    nothing was.
    """

    def __init__(
        self, sessions: Sessions, action_id: str, settings: Config, selection: Selection = ALL
    ) -> None:
        """Opens the plan, or a part of it.

        Raises `PreconditionError` for an action that is not pending, or holds no plan, and
        `RequestError` as `part_of`.
        """
        self._sessions = sessions
        self._settings = settings
        self.lock = Lock()
        with sessions() as session:
            action = session.store.find(action_id)
            if action.state != "pending":
                raise refusal(action.id, action)
            self.id, self.title = action.id, action.title
            self.plan = stored(session, action)
            proof = newest_proof(action.id, session.records, self.plan.fingerprint)
            self.proof = None if proof is None else proof.sentence()
            self.needs_approval = reserved(decided(action, session), settings)
            who = session.who
        if not self.plan.files:
            raise PreconditionError(f"{self.id} has no edits.", code="no_plan")
        decided_files = DecidedFiles(self.plan, self.id)
        self.review = Review(self.plan, StoredDecisions(self._records, self.id, decided_files), who)
        self.part = None if selection == ALL else part_of(self.plan, selection)
        with Workspace(self.plan.root) as workspace:
            groups = ordered(self.plan, CodeOwners.read(workspace).of, self.review.shapes)
        if self.part is not None:
            groups = part_of_groups(groups, self.part)
        self.groups = {group_key(group): group for group in groups}
        self.causes = Causes(self.plan)
        self.titles = whole_titles(self.plan.files)
        self.parts = {
            each.edit.id: part.label
            for group in groups
            for part in group.folded
            for each in part.edits
        }
        self.bound = {
            edit_id: len(set(tie.edits)) - 1
            for tie in self.review.ties
            if tie.comes == "binding"
            for edit_id in tie.edits
        }
        self._ids = {
            key: [each.edit.id for each in group.edits] for key, group in self.groups.items()
        }
        self._edits = {each.edit.id: each for group in groups for each in group.edits}
        files: dict[str, list[str]] = {one_line(file.path): [] for file in self.plan.files}
        for each in self._edits.values():
            files[one_line(each.path)].append(each.edit.id)
        self.files = {name: ids for name, ids in files.items() if ids}
        in_group = {edit_id: key for key, ids in self._ids.items() for edit_id in ids}
        self._changes = ChangedGroups(self.review, in_group)
        self._counts: dict[str, ReviewProgress] = {}

    @contextmanager
    def _records(self) -> Iterator[PendingActionStore]:
        with self._sessions() as session:
            yield session.records

    @property
    def pending(self) -> bool:
        """Whether the plan still waits for a decision."""
        with self._sessions() as session:
            action = session.records.get(self.id)
            return action is not None and action.state in ("pending", "applying")

    def end(self) -> None:
        """Keeps what every decided edit stands in, so that a refresh can carry its decision."""
        with self._sessions() as session:
            action = session.records.get(self.id)
            if action is not None and action.state == "pending":
                remember_decided(self.plan, session.records, self.id)

    def ids(self, key: str) -> list[str]:
        """The edits of a group. Raises `RequestError` if there is none."""
        if key not in self._ids:
            raise RequestError("The plan has no such group of edits.", code="unknown_edit")
        return self._ids[key]

    def progress(self, key: str | None = None) -> ReviewProgress:
        """The counts of a group, or of all that is shown; only what changed is counted."""
        for changed in self._changes.since_last():
            self._counts.pop(changed, None)
        if key is not None:
            return self._counted(key)
        return ReviewProgress(*map(sum, zip(*map(self._counted, self._ids), strict=True)))

    def _counted(self, key: str) -> ReviewProgress:
        if key not in self._counts:
            self._counts[key] = self.review.progress(self.ids(key))
        return self._counts[key]

    def ledger(self) -> PlaceLedger:
        """What became of each place of the rarest names, in the files as they are now."""
        with self._sessions() as session, Workspace(self.plan.root) as workspace:
            return staged_ledger(self.plan, workspace, session.records, self._settings)

    def sampled(self, key: str) -> str:
        """What the sample of a large group says of the rest, as far as it was read."""
        sample = [self.review.own(each.edit.id) for each in self.groups[key].sample]
        read = [decision for decision in sample if decision.attention == "read"]
        return sentence(len(read), sum(decision.choice == "reject" for decision in read))

    def viewed(self, path: str) -> bool:
        """Whether somebody has read every edit of a file."""
        return all(self.review.own(each).attention == "read" for each in self.files[path])

    def edit(self, edit_id: str) -> OrderedEdit:
        """One edit. Raises `RequestError` if the page shows none of this id."""
        if edit_id not in self._edits:
            raise RequestError("The page shows no such edit.", code="unknown_edit")
        return self._edits[edit_id]

    def excerpts(
        self, edits: Iterable[OrderedEdit], context: int = CONTEXT
    ) -> dict[str, list[ExcerptLine]]:
        """The lines of these edits and `context` around each, from the files as they are now."""
        files = {file.path: file for file in self.plan.files}
        read: dict[str, bytes | None] = {}
        lines = {}
        with (
            self._sessions() as session,
            Workspace(self.plan.root) as workspace,
            as_previewed(self.plan, workspace, session.records),
        ):
            contents = contents_of(self.plan, workspace)
            for path, edit, *_ in edits:
                if path not in read:
                    read[path] = contents(files[path])
                lines[edit.id] = excerpt(edit, read[path], context)
        return lines

    def decide(self, ids: list[str], choice: ReviewChoice | None) -> None:
        """Decides about edits that a person has read."""
        self.review.decide(ids, choice, () if choice is None else ids)

    def view(self, path: str, viewed: bool) -> None:
        """Notes that a person has read a file's edits, or takes that back."""
        if path not in self.files:
            raise RequestError("The page shows no such file.", code="unknown_edit")
        self.review.mark(self.files[path], "read" if viewed else None)

    def decide_group(self, key: str, choice: ReviewChoice | None) -> None:
        """Decides about all of a group; what was not read counts as sampled, if any was."""
        ids = self.ids(key)
        self.review.decide(ids, choice)
        read = {each for each in ids if self.review.own(each).attention == "read"}
        if choice is not None and read:
            self.review.mark([each for each in ids if each not in read], "sampled")

    def apply(self, reason: str, revision: int, typed: str) -> str:
        """Applies what is accepted, through the gate; returns what was done.

        Of a part that is shown only what is in it, and all else is staged again. `revision` is
        what the person has seen of the decisions, `typed` the beginning of the fingerprint,
        where a person has to approve. Raises `PreconditionError` if either does not fit, and if
        nothing is accepted.
        """
        if self.review.changed_since(revision):
            raise PreconditionError(
                "Somebody else decided meanwhile: look at what is accepted now.",
                code="changed_meanwhile",
            )
        accepted = self.review.chosen("accept")
        chosen = [each for each in accepted if self.part is None or each in self.part]
        refuse_nothing(chosen, self.plan)
        extra: dict[str, Any] = {}
        if len(chosen) < len(self.review.edits):
            extra = {"only": chosen} | ({} if self.part is None else {"keepRest": True})
        mark = self.plan.fingerprint
        with self._sessions() as session:
            action = session.store.find(self.id)
            if self.needs_approval is not None:
                if len(typed) < TYPED or not mark.startswith(typed.lower()):
                    raise PreconditionError(
                        "Not approved: that is not how the fingerprint begins.",
                        code="approval_missing",
                    )
                approve(action, mark, session, "approved on the review page")
            return session.resolve("apply", reason, extra or None, self.id).text

    def discard(self, reason: str) -> str:
        """Discards the plan; returns what was done."""
        with self._sessions() as session:
            return session.resolve("discard", reason, None, self.id).text


EACH = 60  # edits of a page: the first of a shape and a sample of 59


@dataclass(frozen=True, slots=True)
class PageView:
    """A page of a group, of a file, or of all edits in which a text is found.

    `split` puts before and after side by side; `open` leaves out what is decided.
    """

    group: str = ""
    file: str = ""
    page: int = 1
    split: bool = False
    open: bool = False
    q: str = ""

    @classmethod
    def of(cls, query: Mapping[str, str]) -> Self:
        """Reads the address; what means nothing is left aside."""
        page = query.get("page", "")
        return cls(
            query.get("group", "")[:40],
            query.get("file", "")[:4096],
            int(page) if page.isascii() and page.isdigit() and len(page) < 7 else 1,
            query.get("split") == "1",
            query.get("open") == "1",
            query.get("q", "")[:200],
        )

    def address(self, **changes: Any) -> str:
        """The address of this view, or of one that differs in something."""
        fields = asdict(replace(self, **changes))
        words = {name: int(v) if isinstance(v, bool) else v for name, v in fields.items() if v}
        return "./?" + urlencode(words)


class ShownPart(NamedTuple):
    """What a view shows: the group, if it is one, its edits that fit, and which part of them."""

    key: str
    edits: Sequence[OrderedEdit]
    page: int
    pages: int
    total: int


def part_shown(view: PageView, plan: OpenPlan) -> ShownPart:
    """The edits of a page; without a group that exists, of the first one."""
    key = view.group if view.group in plan.groups else next(iter(plan.groups))
    if view.q:
        every = [each for group in plan.groups.values() for each in group.edits]
        every = [each for each in every if each.spells(view.q)]
        key = ""
    elif view.file:
        edits = [plan.edit(edit_id) for edit_id in plan.files.get(view.file, ())]
        every = sorted(edits, key=lambda each: each.edit.start)
        key = ""
    else:
        every = list(plan.groups[key].edits)
    if view.open:
        review = plan.review
        every = [each for each in every if review.decision(each.edit.id).choice is None]
    pages = max(1, -(-len(every) // EACH))
    page = min(max(view.page, 1), pages)
    return ShownPart(key, every[(page - 1) * EACH : page * EACH], page, pages, len(every))
