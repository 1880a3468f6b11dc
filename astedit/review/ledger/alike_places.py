"""The places of a name by what became of them and why, for whoever shows a ledger."""

from typing import NamedTuple

from astedit.review.ledger.model import LedgerName, LedgerPlace, PlaceOutcome

OUTCOME_WORDS: dict[PlaceOutcome, str] = {
    "edited": "edited",
    "blocked": "blocked",
    "displaced": "given way to another edit",
    "outside": "outside of what the plan may edit",
    "near": "near miss",
    "comment": "in a comment",
    "string": "in a string",
    "skipped": "in a file that was skipped",
}
_TEXT = 160  # characters of a reason


class AlikePlaces(NamedTuple):
    """Places of one outcome with the same reason, and the same spelling that would match."""

    why: str
    spelling: str
    places: list[LedgerPlace]


def alike_places(name: LedgerName, outcome: PlaceOutcome) -> list[AlikePlaces]:
    """The places of a name with this outcome; the reason that most of them have first.

    What is in a comment or a string needs no reason.
    """
    plain = outcome in ("comment", "string")
    kinds: dict[tuple[str | None, str | None], list[LedgerPlace]] = {}
    for place in name.places:
        if place.outcome == outcome:
            why = None if plain else place.why
            kinds.setdefault((why, place.spelling), []).append(place)
    ranked = sorted(kinds.items(), key=lambda kind: -len(kind[1]))
    return [AlikePlaces(_short(why), spelling or "", own) for (why, spelling), own in ranked]


def _short(why: str | None) -> str:
    """A reason on one line."""
    reason = " ".join((why or "").split())
    return reason if len(reason) <= _TEXT else reason[: _TEXT - 1] + "…"
