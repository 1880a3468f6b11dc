"""A review in its order, as every surface on a terminal walks through it.

It decides by the model of all surfaces (`review/decisions.py`) and keeps nothing of its own but
which edits were shown since the last decision: with that one they are noted as read.
"""

from collections.abc import Callable, Iterable, Sequence, Set
from functools import cached_property

from astedit.review.decisions import Review, ReviewChoice
from astedit.review.excerpt import CONTEXT, ExcerptLine, excerpt
from astedit.review.order import OrderedEdit, ReviewGroup, ordered, part_of_group
from astedit.review.sample import sentence
from astedit.review.subgroups import Owners
from astedit.text.count_phrases import number

ReadContent = Callable[[str], bytes | None]  # of a path; None where nothing is known of it


class GuidedReview:
    """What a surface shows and does; each decision is kept for good when its call returns.

    `part` are the ids of the edits that are looked at. Raises what `Review` raises, with
    nothing decided then.
    """

    def __init__(
        self, review: Review, owners: Owners, contents: ReadContent, part: Set[str]
    ) -> None:
        self.review = review
        self.part = part
        self._owners = owners
        self._contents = contents
        self._seen: dict[str, None] = {}

    @cached_property
    def groups(self) -> list[ReviewGroup]:
        """The edits in their order; the first who asks waits a second for ten thousand."""
        groups = ordered(self.review.plan, self._owners)
        parts = (part_of_group(group, self.part) for group in groups)
        return [group for group in parts if group.edits]

    def lines(self, edit: OrderedEdit, context: int = CONTEXT) -> list[ExcerptLine]:
        """The lines that an edit changes, and some around them."""
        return excerpt(edit.edit, self._contents(edit.path), context)

    def see(self, edit: OrderedEdit) -> None:
        """Remembers that an edit was shown."""
        self._seen[edit.edit.id] = None

    def tie(self, edit: OrderedEdit) -> str:
        """What the edit is decided together with, in words; '' for one on its own."""
        if self.review.tie(edit.edit.id):
            return "This follows the edits that it is for."
        others = len(self.review.tied([edit.edit.id])) - 1
        return f"Decided together with {number(others, 'other edit')}." if others else ""

    def choice(self, edit: OrderedEdit) -> ReviewChoice | None:
        """What was decided about an edit."""
        return self.review.decision(edit.edit.id).choice

    def undecided(self, edits: Iterable[OrderedEdit]) -> list[OrderedEdit]:
        """Those of these edits that nobody has decided about."""
        return [edit for edit in edits if self.choice(edit) is None]

    def decide(self, edits: Sequence[OrderedEdit], choice: ReviewChoice | None) -> None:
        """Decides about these edits, and notes what was shown so far as read."""
        own = [edit.edit.id for edit in edits if self.review.tie(edit.edit.id) is None]
        self.review.decide(own or [edit.edit.id for edit in edits], choice, self._seen)
        self._seen = {}

    def decide_alike(self, group: ReviewGroup, edit: OrderedEdit, choice: ReviewChoice) -> None:
        """Decides about what is undecided and like an edit: of its shape, and odd as it is."""
        alike = [other for other in group.edits if (other.shape, other.why) == edit[2:]]
        self._decide_rest(group, self.undecided(alike), choice)

    def decide_rest(self, group: ReviewGroup, choice: ReviewChoice) -> None:
        """Decides about all of a group that is undecided, or else about all of it.

        What nobody read is noted as sampled.
        """
        self._decide_rest(group, self.undecided(group.edits) or list(group.edits), choice)

    def _decide_rest(
        self, group: ReviewGroup, rest: Sequence[OrderedEdit], choice: ReviewChoice
    ) -> None:
        self.decide(rest, choice)
        if self._read(group.edits):
            self.review.mark([edit.edit.id for edit in rest], "sampled")

    def decide_file(self, path: str, choice: ReviewChoice) -> None:
        """Decides about all of a file that is undecided."""
        placed = [edit for group in self.groups for edit in group.edits if edit.path == path]
        self.decide(self.undecided(placed), choice)

    def note_read(self) -> None:
        """Notes what was shown since the last decision as read."""
        seen, self._seen = list(self._seen), {}
        self.review.mark(seen, "read")

    def confidence(self, group: ReviewGroup) -> str:
        """What the sample says of the group; '' where none of it was read."""
        read = self._read(group.sample)
        wrong = sum(self.choice(edit) == "reject" for edit in read)
        return sentence(len(read), wrong)

    def _read(self, edits: Iterable[OrderedEdit]) -> list[OrderedEdit]:
        return [
            edit
            for edit in edits
            if edit.edit.id in self._seen or self.review.own(edit.edit.id).attention == "read"
        ]
