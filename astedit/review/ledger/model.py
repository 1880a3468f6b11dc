"""The ledger as data: `astedit/ledger/1`."""

from collections import Counter
from dataclasses import dataclass, field
from typing import ClassVar, Literal, NamedTuple, get_args

from astedit.json_model import Model
from astedit.text import shortened

PlaceOutcome = Literal[
    "edited", "blocked", "displaced", "outside", "near", "comment", "string", "skipped"
]

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
OUTCOMES: tuple[PlaceOutcome, ...] = get_args(PlaceOutcome)


@dataclass(slots=True, eq=False, repr=False)
class LedgerPlace(Model):
    """One place of a name, and what became of it.

    `why` is the reason where nothing is edited there: of what is blocked, of a file that is
    not looked at, or what a near miss lacks. `spelling` is what would match it; both are
    None where nobody looked. Lines and columns count from 1, columns are characters.
    """

    path: str
    line: int
    column: int
    outcome: PlaceOutcome
    why: str | None = None
    spelling: str | None = None


@dataclass(slots=True, eq=False, repr=False)
class LedgerName(Model):
    """One name of one op: where it stands in all files, in the order of paths and places."""

    op: int
    pattern: str
    name: str
    counts: dict[str, int] = field(default_factory=dict)
    places: list[LedgerPlace] = field(default_factory=list)

    def count(self) -> None:
        """Adds the places up by what became of them."""
        found = Counter(place.outcome for place in self.places)
        self.counts = {outcome: found[outcome] for outcome in OUTCOMES if found[outcome]}


@dataclass(slots=True, eq=False, repr=False)
class PlaceLedger(Model):
    """Every place where the rarest name of each op stands.

    `files` is how many files were read. `nameless` are the ops that spell no name.
    """

    _schema: ClassVar[str | None] = "astedit/ledger/1"

    fingerprint: str
    files: int = 0
    names: list[LedgerName] = field(default_factory=list)
    nameless: list[str] = field(default_factory=list)


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
    return [
        AlikePlaces(shortened(" ".join((why or "").split()), _TEXT), spelling or "", own)
        for (why, spelling), own in ranked
    ]
