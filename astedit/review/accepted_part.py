"""Which edits an apply of a review makes: what was accepted, and what to do about the rest."""

from collections.abc import Collection, Set
from typing import Literal, get_args

from astedit.errors import PreconditionError
from astedit.review.decisions import Review
from astedit.review.selectors import settled_in
from astedit.text.count_phrases import first_names
from resolve.visible import one_line

Undecided = Literal["accept", "reject", "keep"]
UNDECIDED: tuple[str, ...] = get_args(Undecided)
_NAMED = 5  # undecided edits


def accepted_part(review: Review, edits: Set[str], undecided: Undecided | None) -> set[str]:
    """Those of these edits that were accepted, with the edits of imports that they need.

    `undecided` says what becomes of the others that nobody has decided about; only `accept`
    makes them. Raises `PreconditionError` where there are such and it says nothing, and where
    nothing is accepted.
    """
    open_edits = [edit_id for edit_id in review.chosen(None) if edit_id in edits]
    if open_edits and undecided is None:
        places = [review.edits[edit_id] for edit_id in open_edits]
        names = [f"{one_line(path)}:{edit.shown_line}" for path, edit in places]
        raise PreconditionError(
            f"{len(open_edits):,} of {len(edits):,} edits are undecided: "
            f"{first_names(names, _NAMED)}.",
            code="undecided",
            hint="Decide about them (astedit review), or say what becomes of them: "
            "--undecided accept|reject|keep.",
        )
    chosen = {edit_id for edit_id in review.chosen("accept") if edit_id in edits}
    part = settled_in(review.plan, chosen.union(open_edits if undecided == "accept" else ()))
    refuse_nothing(part)
    return part


def refuse_nothing(accepted: Collection[str]) -> None:
    """Raises `PreconditionError` where no edit is accepted, which never means all."""
    if not accepted:
        raise PreconditionError(
            "Nothing is accepted: there is nothing to apply.",
            code="nothing_accepted",
            hint="Accept edits (astedit review), or discard the plan.",
        )
