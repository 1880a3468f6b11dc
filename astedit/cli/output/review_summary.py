"""How far a review is, as text: in all, and shape by shape."""

from collections.abc import Iterator, Set

from astedit.cli.output.report import SHOWN
from astedit.review.decisions import MARKS, Review, ReviewProgress
from astedit.review.ledger.model import (
    OUTCOME_WORDS,
    OUTCOMES,
    AlikePlaces,
    LedgerName,
    PlaceLedger,
    alike_places,
)
from astedit.text import first_names, number
from resolve.visible import one_line


def lines(review: Review, edits: Set[str], proof: str | None = None) -> Iterator[str]:
    """The totals of these edits, then each shape by its number, with what was decided about it.

    `proof` says what passed.
    """
    progress = review.progress(edits)
    yield f"{progress}, {progress.undecided:,} undecided{_attention(progress)}"
    if proof is not None:
        yield f"proof: {one_line(proof)}"
    width = len(f"shape:{len(review.shapes)}")
    for index, group in enumerate(review.shapes, 1):
        own = review.progress(each.edit.id for each in group.edits if each.edit.id in edits)
        if not own.edits:
            continue
        label = one_line(group.shape.label)
        counts = f"{own.decided:,} of {own.edits:,}"
        yield f"  {MARKS[own.mark]} {f'shape:{index}':<{width}}  {counts:>13}  {label}"
    for edit_id, (path, edit) in review.edits.items():
        decision = review.own(edit_id)
        if decision.comment and edit_id in edits:
            what = one_line(f"{decision.choice or 'undecided'}, {decision.who}: {decision.comment}")
            yield f"  {one_line(path)}:{edit.shown_line}: {what}"


def _attention(progress: ReviewProgress) -> str:
    parts = [(progress.read, "read"), (progress.sampled, "sampled")]
    texts = [f"{count:,} {what}" for count, what in parts if count]
    texts += [number(progress.comments, "comment")] if progress.comments else []
    return f"; {', '.join(texts)}" if texts else ""


_PLACES = 3  # of one kind that are named


def ledger_lines(ledger: PlaceLedger) -> Iterator[str]:
    """A block for each name; places of one kind and reason are together, the most first."""
    for name in ledger.names:
        yield from _of_name(name)
    for pattern in ledger.nameless:
        yield f"{one_line(pattern)} spells no name: there is nothing to count."


def _of_name(name: LedgerName) -> Iterator[str]:
    files = number(len({place.path for place in name.places}), "file")
    places = number(len(name.places), "place")
    yield f"{one_line(name.pattern)}: `{name.name}` stands at {places} in {files}"
    for outcome in OUTCOMES:
        if kinds := alike_places(name, outcome):
            yield f"{name.counts[outcome]:>7,}  {OUTCOME_WORDS[outcome]}"
        for kind in kinds[:SHOWN] if outcome != "edited" else ():
            yield from _kind(kind)
        if len(kinds) > SHOWN:
            yield f"         … and {number(len(kinds) - SHOWN, 'more reason')}; --json has all"


def _kind(kind: AlikePlaces) -> Iterator[str]:
    places = [f"{one_line(place.path)}:{place.line}:{place.column}" for place in kind.places]
    reason = f"{one_line(kind.why)}  " if kind.why else ""
    yield f"         {len(places):,}  {reason}({first_names(places, _PLACES)})"
    if kind.spelling:
        yield f"            {one_line(kind.spelling)}"
