"""One rule as far as it is known: where it acts, what was said of places, its conditions."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from tree_sitter import Node

from astedit.language import Row
from astedit.learning.conditions import (
    MatchedPlace,
    PlaceCondition,
    applied,
    conditions,
    facts_of,
    specialised,
)
from astedit.learning.difference import EditSite
from astedit.learning.hypothesis import Hypothesis
from astedit.learning.nodes import Meanings

_SURE = 0.9  # that a place is meant which is like the examples, after two noes
_LIKELY = 0.5  # from here on a place is taken as meant


@dataclass(slots=True)
class LearnedRule:
    """One rule that fits all of the example.

    `positives` are the places that it has to change, `forbidden` those that it must not,
    `unknown` all others that it matches without the conditions. `heard` are the answers to any
    rule: after the first no, what is unlikely is not changed either.
    """

    hypothesis: Hypothesis
    plain: dict[str, Any]
    row: Row
    positives: list[MatchedPlace]
    forbidden: list[MatchedPlace]
    unknown: list[MatchedPlace] = field(default_factory=list)
    chosen: list[PlaceCondition] = field(default_factory=list)
    fallen: list[str] = field(default_factory=list)
    made: list[EditSite] = field(default_factory=list)
    heard: list[bool] = field(default_factory=list)

    @property
    def id(self) -> str:
        """Its id."""
        return str(self.plain["id"])

    @property
    def document(self) -> dict[str, Any]:
        """The rule with its conditions."""
        return applied(self.plain, self.chosen)

    def matches(self) -> list[MatchedPlace]:
        """The places of the tree that it changes."""
        return [place for place in self.unknown if self.holds(place)]

    def holds(self, place: MatchedPlace) -> bool:
        """Whether its conditions hold at a place."""
        return all(condition.holds(place) for condition in self.chosen)

    def disputed(self) -> list[PlaceCondition]:
        """The conditions that could still be meant: some place would tell."""
        return conditions(self._sure(), [place for place in self.unknown if place.sure is None])

    def _sure(self) -> list[MatchedPlace]:
        return self.positives + [place for place in self.unknown if place.sure]

    def beliefs(self) -> list[tuple[MatchedPlace, float]]:
        """How likely each place that nobody spoke of is meant, from 0 to 1."""
        doubts = [(self._weight(condition), condition) for condition in self.disputed()]
        total = 1.0 + sum(weight for weight, _ in doubts)
        needed = specialised(self._sure(), self._noes(), self.hypothesis) or []
        answers = [place.sure for place in self.unknown if place.sure is not None] or self.heard
        # A no speaks against the rest, too, and against other rules until they have an answer.
        rate = (1 + answers.count(True)) / (1 + len(answers))
        found = []
        for place in self.unknown:
            if place.sure is None:
                holding = 1.0 + sum(weight for weight, one in doubts if one.holds(place))
                belief = holding / total
                if not all(one.holds(place) for one in needed):
                    belief /= 2
                doubted = belief < 1.0 or (len(answers) > 1 and rate < _LIKELY)
                if self.heard.count(False) > 1 and not doubted and True not in answers:
                    belief = _SURE
                found.append((place, belief * rate if doubted else belief))
        return found

    def _weight(self, condition: PlaceCondition) -> float:
        fact = min(condition.facts)
        dropped = len(fact) > 1 and fact[1] in self.hypothesis.dropped
        return 1.0 if dropped else 1 / (condition.cost + 1)

    def _noes(self) -> list[MatchedPlace]:
        return self.forbidden + [place for place in self.unknown if place.sure is False]

    def settle(self) -> bool:
        """Chooses the conditions anew, after an answer; False where none keeps what is sure."""
        beliefs = self.beliefs() if False in self.heard else []
        doubtful = [place for place, belief in beliefs if belief < _LIKELY]
        chosen = specialised(self._sure(), self._noes(), self.hypothesis, doubtful)
        if chosen is None:  # a yes that cannot be followed is none; a no is kept
            chosen = specialised(self.positives, self._noes(), self.hypothesis)
        self.chosen = self.chosen if chosen is None else chosen
        return chosen is not None


def place_of(finding: Mapping[str, Any], root: Node, path: str, meanings: Meanings) -> MatchedPlace:
    """A finding as a place with its facts."""
    offsets, start = finding["range"]["byteOffset"], finding["range"]["start"]
    facts = facts_of(finding, root, meanings, path)
    return MatchedPlace(path, offsets["start"], offsets["end"], start["line"] + 1, facts)
