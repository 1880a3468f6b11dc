"""What tells places apart: the facts about a place, and conditions that a rule may put on them.

A condition holds at every place that the rule has to change. It is a key of the rule language,
so what a rule excludes can be read in it.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from astedit.learning.generalise import Hypothesis
from astedit.learning.places import Fact, MatchedPlace

_FILES = 3  # places with one word in their paths before that word may matter
_MOST = 20  # conditions of one rule
_CONSTANTS = ("True", "False", "None", "true", "false", "null", "nil")

# The kinds of facts: what a condition on one costs (the cheaper says more about why than about
# where), and what it says.
_KINDS = {
    "means": (1, "${1} means {2}"),
    "call": (1, "it is about a call of {1}"),
    "named": (1, "${1} is the {2} around it"),
    "kind": (2, "${1} is a {2}"),
    "argument": (2, "it has the argument `{2}`"),
    "import": (3, "the file has `{2}`"),
    "binds": (3, "the file imports `{1}`"),
    "item": (3, "an argument is a {1}"),
    "above": (3, "{1} is what is right above it"),
    "parameter": (5, "`{1}` is a parameter of the function"),
    "file": (4, "`{1}` is in the path of the file"),
    "text": (5, "${1} is `{2}`"),
    "among": (5, "`{2}` is among $$${1}"),
    "field": (4, "it is the {1} of what holds it"),
    "within": (5, "it is inside a {1}"),
}
_OF_HOLES = ("kind", "text", "means", "among")  # facts about one capture
_EITHER = ("kind", "text", "means", "above", "field", "call")
_WHERE = ("text", "file")  # no reason why a place is not meant


@dataclass(frozen=True, slots=True)
class PlaceCondition:
    """Some facts of which a place has one (`wanted`), or has none.

    One that `recalls` only lists what the examples were.
    """

    facts: frozenset[Fact]
    wanted: bool
    cost: int
    recalls: bool = field(default=False, compare=False)

    def holds(self, place: MatchedPlace) -> bool:
        """Whether a place fulfils it."""
        return self.wanted is not self.facts.isdisjoint(place.facts)

    @property
    def text(self) -> str:
        """What it says, in words."""
        words = [_KINDS[fact[0]][1].format(*fact) for fact in sorted(self.facts)]
        return ("" if self.wanted else "not ") + " or ".join(words)


Conjunction = list[PlaceCondition]


def hold(conditions: Iterable[PlaceCondition], place: MatchedPlace) -> bool:
    """Whether all of these hold at a place."""
    return all(condition.holds(place) for condition in conditions)


# -- conditions ----------------------------------------------------------------------------------


def conditions(
    positives: Sequence[MatchedPlace], others: Iterable[MatchedPlace]
) -> list[PlaceCondition]:
    """The conditions that hold at all positives, and at one of the others do not."""
    anywhere = frozenset[Fact]().union(*(place.facts for place in positives))
    foreign = frozenset(fact for place in others for fact in place.facts) - anywhere
    result = list(_wanted(positives))
    if len(positives) == 1:  # what the function of the one place is given is chance
        result = [one for one in result if min(one.facts)[0] != "parameter"]
    result += [
        PlaceCondition(frozenset([fact]), False, _KINDS[fact[0]][0] + 1)
        for fact in sorted(foreign)
        if fact[0] not in _WHERE
    ]
    return sorted(result, key=lambda one: (one.cost, one.text))


def _wanted(places: Sequence[MatchedPlace]) -> Iterator[PlaceCondition]:
    having = [place.facts for place in places]
    for fact in sorted(frozenset.intersection(*having)):
        if fact[0] not in _EITHER and (fact[0] != "file" or len(having) >= _FILES):
            recalls = fact[0] == "among"
            yield PlaceCondition(frozenset([fact]), True, _KINDS[fact[0]][0], recalls)
    groups: dict[tuple[str, ...], set[Fact]] = {}
    for fact in frozenset[Fact]().union(*having):
        if fact[0] in _EITHER:
            groups.setdefault(fact[: 2 if fact[0] in _OF_HOLES else 1], set()).add(fact)
    for group, some in sorted(groups.items()):
        if all(not some.isdisjoint(facts) for facts in having):
            recalls = group[0] == "text" and 2 * len(some) > len(having)
            cost = _KINDS[group[0]][0] + len(some) - 1
            yield PlaceCondition(frozenset(some), True, cost, recalls)


def _is_due(condition: PlaceCondition, hypothesis: Hypothesis) -> bool:
    """Whether a condition belongs to the rule, whatever it has to exclude.

    What is thrown away is of the kinds and means what is known, and a literal is one of the
    texts; so are the names of functions and attributes. A name that the fix needs is there.
    """
    match min(condition.facts):
        case ("kind" | "means" | "named", name, *_):
            return name in hypothesis.dropped
        case ("text", name, text):
            literal = text[:1] in "\"'0123456789" or text in _CONSTANTS
            return name in hypothesis.fixed or (literal and name in hypothesis.dropped)
        case ("binds" | "parameter", name, *_):
            return name in hypothesis.needs
    return False


def specialised(
    positives: Sequence[MatchedPlace],
    forbidden: Sequence[MatchedPlace],
    hypothesis: Hypothesis,
    doubtful: Sequence[MatchedPlace] = (),
) -> tuple[Conjunction, list[MatchedPlace]]:
    """The fewest conditions that keep all positives, and exclude all that is forbidden.

    Beside them what of that cannot be told apart. Of the `doubtful` places as many are excluded
    as can be.
    """
    due = [replace(one, recalls=False) for one in _wanted(positives) if _is_due(one, hypothesis)]
    chosen, alike = list(due), list[MatchedPlace]()
    for unwanted in (forbidden, doubtful):
        left = [place for place in unwanted if hold(chosen, place)]
        known = conditions(positives, left) if left else []
        for recalls in (False, True):
            some = [one for one in known if one.recalls <= recalls]
            while left and some and len(chosen) < _MOST:
                having = Counter(fact for place in left for fact in place.facts)
                best = min(some, key=lambda one: (_remaining(one, left, having), one.cost))
                rest = [place for place in left if best.holds(place)]
                if len(rest) == len(left):
                    break
                chosen.append(best)
                left = rest
        alike += left if unwanted is forbidden else ()
    for one in [one for one in chosen if one not in due]:  # what others exclude as well
        others = [other for other in chosen if other is not one]
        if not any(
            hold(others, place) and not one.holds(place) for place in (*forbidden, *doubtful)
        ):
            chosen = others
    return chosen, alike


def _remaining(
    condition: PlaceCondition, places: Sequence[MatchedPlace], having: Counter[Fact]
) -> int:
    """At how many places a condition holds; `having` says how many have a fact."""
    if condition.wanted:
        return sum(map(condition.holds, places))
    (fact,) = condition.facts
    return len(places) - having[fact]


# -- conditions as a rule ------------------------------------------------------------------------


def applied(rule: dict[str, Any], chosen: Iterable[PlaceCondition]) -> dict[str, Any]:
    """A rule document with these conditions in it."""
    document = {**rule, "rule": dict(rule["rule"])}
    constraints = {name: [rule] for name, rule in document.get("constraints", {}).items()}
    parts: list[dict[str, Any]] = []
    for condition in chosen:
        facts = sorted(condition.facts)
        if facts[0][0] == "file":
            word = glob_of(facts[0][1])
            document["files"] = (
                [f"**{word}"] if word[0] == "/" else [f"**/*{word}*", f"**/*{word}*/**"]
            )
            continue
        is_of_hole = facts[0][0] in _OF_HOLES
        some = [_of_hole(facts)] if is_of_hole else [_of_place(fact) for fact in facts]
        part = some[0] if len(some) == 1 else {"any": some}
        where = constraints.setdefault(facts[0][1], []) if is_of_hole else parts
        where.append(part if condition.wanted else {"not": part})
    if parts:
        document["rule"] = {"all": [document["rule"], *parts]}
    if constraints:
        document["constraints"] = {
            name: some[0] if len(some) == 1 else {"all": some} for name, some in constraints.items()
        }
    return document


def escaped(text: str) -> str:
    """Text as an expression."""
    return re.escape(text).replace("\\ ", " ")


def glob_of(path: str) -> str:
    """The glob of one path, whatever signs of globs are in its name, as in `[id].tsx`."""
    return re.sub(r"[*?\[{}\\]", r"[\g<0>]", path)


def _of_hole(facts: Sequence[Fact]) -> dict[str, Any]:
    match facts[0][0]:
        case "means":
            return {"resolvesTo": [fact[2] for fact in facts]}
        case "kind":
            kinds = [{"kind": fact[2]} for fact in facts]
            return kinds[0] if len(kinds) == 1 else {"any": kinds}
    return {"regex": f"^(?:{'|'.join(escaped(fact[2]) for fact in facts)})$"}


def _of_place(fact: Fact) -> dict[str, Any]:
    match fact:
        case ("call", meaning):
            return _of_call({"has": {"field": "function", "resolvesTo": meaning}})
        case ("field", name):
            return {"inside": {"field": name, "any": [{"regex": "(?s)."}]}}
        case ("within", kind):
            return {"inside": {"kind": kind, "stopBy": "end"}}
        case ("argument", kind, name):
            item = {"kind": kind, "regex": f"^{name}\\b"}
            return _of_call({"has": {"field": "arguments", "has": item}})
        case ("item", kind):
            return {"has": {"field": "arguments", "has": {"kind": kind}}}
        case ("parameter", name, kinds):
            listed = {"field": "parameters", "regex": rf"\b{escaped(name)}\b"}
            return _nearest(kinds, {"has": listed})
        case ("named", name, "class", kinds):
            return _nearest(kinds, {"has": {"field": "name", "pattern": f"${name}"}})
        case ("named", name, _, kinds):
            pattern = {"pattern": f"${name}"}
            first = {"nthChild": 1, "any": [pattern, {"has": pattern}]}
            return _nearest(kinds, {"has": {"field": "parameters", "has": first}})
        case ("binds", name, kind, root):
            return _line({"kind": kind, "regex": rf"(?s)\bimport\b.*\W{escaped(name)}(\W|$)"}, root)
        case ("import", kind, head, root):
            return _line({"kind": kind, "regex": f"(?s)^{escaped(head)}\\b"}, root)
    return {"inside": {"kind": fact[1]}}


def _of_call(called: dict[str, Any]) -> dict[str, Any]:
    """What is said of a call, or of one around."""
    return {"any": [called, {"inside": {"kind": "call", "stopBy": {"kind": "call"}, **called}}]}


def _nearest(kinds: str, part: dict[str, Any]) -> dict[str, Any]:
    """What the nearest node around of some kinds has."""
    some = {"any": [{"kind": kind} for kind in kinds.split()]}
    return {"inside": {**some, "stopBy": some, **part}}


def _line(line: dict[str, Any], root: str) -> dict[str, Any]:
    return {"inside": {"kind": root, "stopBy": "end", "has": {**line, "stopBy": "end"}}}
