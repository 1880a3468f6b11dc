"""Which place to ask about, and what an answer means."""

from collections.abc import Sequence
from dataclasses import dataclass

from astedit.learning.conditions import MatchedPlace
from astedit.learning.learner import LearnedRule

MOST = 20  # questions that may be asked
USUAL = 5
ANSWERS = {
    "yes": "yes",
    "y": "yes",
    "no": "no",
    "n": "no",
    "yes-shape": "yes-shape",
    "no-shape": "no-shape",
    "skip": "skip",
    "stop": "stop",
}


@dataclass(frozen=True, slots=True)
class PlaceQuestion:
    """Whether a rule is meant for one place of the tree."""

    rule: str
    place: MatchedPlace


def next_question(
    rules: Sequence[LearnedRule], skipped: Sequence[MatchedPlace] = ()
) -> PlaceQuestion | None:
    """The place whose answer divides what could still be meant most evenly; None if none does."""
    best: tuple[float, PlaceQuestion] | None = None
    for rule in rules:
        doubts = rule.disputed()
        weights = [1 / (condition.cost + 1) for condition in doubts]
        total = sum(weights)
        for place in rule.unknown:
            if place.sure is not None or not rule.holds(place) or place in skipped:
                continue
            against = sum(
                weight
                for condition, weight in zip(doubts, weights, strict=True)
                if not condition.holds(place)
            )
            if against:
                uneven = abs(2 * against - total) / total
                if best is None or uneven < best[0]:
                    best = uneven, PlaceQuestion(rule.id, place)
    return None if best is None else best[1]


def answer(rules: Sequence[LearnedRule], question: PlaceQuestion, reply: str) -> None:
    """Notes an answer at its place, or at all places of that shape."""
    if not reply.startswith(("yes", "no")):
        return
    rule = next(rule for rule in rules if rule.id == question.rule)
    shape = question.place.shape
    whole = reply.endswith("-shape")
    for place in rule.unknown:
        if place is question.place or (whole and place.shape == shape and place.sure is None):
            place.sure = reply.startswith("yes")
