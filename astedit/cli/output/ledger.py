"""The ledger of a plan as text: how many places there are, and what became of each kind."""

from collections.abc import Iterator

from astedit.cli.output.report import SHOWN
from astedit.review.ledger.model import OUTCOMES, LedgerName, LedgerPlace, PlaceLedger
from astedit.text.count_phrases import first_names, number
from resolve.visible import one_line

_PLACES = 3  # of one kind that are named
_TEXT = 160  # characters of a reason
_WORDS = {
    "edited": "edited",
    "blocked": "blocked",
    "displaced": "given way to another edit",
    "outside": "outside of what the plan may edit",
    "near": "near miss",
    "comment": "in a comment",
    "string": "in a string",
    "skipped": "in a file that was skipped",
}


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
        kinds: dict[tuple[str | None, str | None], list[LedgerPlace]] = {}
        for place in name.places:
            if place.outcome == outcome:
                kinds.setdefault((place.why, place.spelling), []).append(place)
        if kinds:
            yield f"{name.counts[outcome]:>7,}  {_WORDS[outcome]}"
        ranked = sorted(kinds.items(), key=lambda kind: -len(kind[1]))
        for (why, spelling), alike in ranked[:SHOWN] if outcome != "edited" else ():
            yield from _kind(why, spelling, alike)
        if len(ranked) > SHOWN:
            yield f"         … and {number(len(ranked) - SHOWN, 'more reason')}; --json has all"


def _kind(why: str | None, spelling: str | None, alike: list[LedgerPlace]) -> Iterator[str]:
    where = first_names([f"{one_line(p.path)}:{p.line}:{p.column}" for p in alike], _PLACES)
    reason = one_line(" ".join((why or "").split()))
    reason = reason if len(reason) <= _TEXT else reason[: _TEXT - 1] + "…"
    yield f"         {len(alike):,}  {f'{reason}  ' if reason else ''}({where})"
    if spelling:
        yield f"            {one_line(spelling)}"
