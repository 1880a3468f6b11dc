"""The ledger of a plan as text: how many places there are, and what became of each kind."""

from collections.abc import Iterator

from astedit.cli.output.report import SHOWN
from astedit.review.ledger.model import (
    OUTCOME_WORDS,
    OUTCOMES,
    AlikePlaces,
    LedgerName,
    PlaceLedger,
    alike_places,
)
from astedit.text.count_phrases import first_names, number
from resolve.visible import one_line

_PLACES = 3  # of one kind that are named


def lines(ledger: PlaceLedger) -> Iterator[str]:
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
        kinds = alike_places(name, outcome)
        if kinds:
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
