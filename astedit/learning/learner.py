"""From an example to its rules: clusters of edits, the most general rule of each, what forbids it.

A rule is tried on the example itself: it has to make of every file what the example makes of it,
and nothing else. Where it does more it looks at more: first at what tells the places apart, then
at the code around them.
"""

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from tree_sitter import Node

from astedit.errors import AstEditError, PreconditionError
from astedit.language import Row
from astedit.learning.conditions import (
    MatchedPlace,
    PlaceCondition,
    applied,
    conditions,
    facts_of,
    specialised,
)
from astedit.learning.difference import (
    LEVELS,
    EditSite,
    ExamplePair,
    change_of,
    differences,
    tokens,
    tree_of,
)
from astedit.learning.document import documents, name_of
from astedit.learning.generalise import Hypothesis, NoTemplateError, bare, generalised, seat
from astedit.limits import Deadline
from astedit.text.count_phrases import number
from astedit.text.splice import splice

MOST_RULES = 3
_MOST_CLUSTERS = 40  # of which rules are tried
_CAUTIOUS = 2  # cost of the conditions that stay once there are more noes than yeses

# The places of the tree that a rule without conditions matches.
LookUp = Callable[[dict[str, Any]], Sequence[MatchedPlace]]


@dataclass(slots=True)
class LearnedRule:
    """One rule that fits all of the example.

    `positives` are the places that it has to change, `forbidden` those that it must not,
    `unknown` all others that it matches without the conditions.
    """

    hypothesis: Hypothesis
    plain: dict[str, Any]
    row: Row
    positives: list[MatchedPlace]
    forbidden: list[MatchedPlace]
    unknown: list[MatchedPlace] = field(default_factory=list)
    chosen: list[PlaceCondition] = field(default_factory=list)
    fallen: list[str] = field(default_factory=list)

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
        open_places = [place for place in self.unknown if place.sure is None and self.holds(place)]
        return conditions(self._sure(), open_places)

    def _sure(self) -> list[MatchedPlace]:
        return self.positives + [place for place in self.unknown if place.sure]

    def settle(self) -> bool:
        """Chooses the conditions anew, after an answer; False where none keeps what is sure."""
        noes = [place for place in self.unknown if place.sure is False]
        sure = self._sure()
        chosen = specialised(sure, self.forbidden + noes, self._dropped())
        if chosen is None:
            return False
        self.chosen = chosen
        yeses = sum(place.sure is True for place in self.unknown)
        if len(noes) > yeses:  # it was meant more narrowly than the example says
            known = [one for one in self.disputed() if one.cost <= _CAUTIOUS]
            self.chosen = chosen + [one for one in known if one not in chosen]
        return True

    def _dropped(self) -> frozenset[str]:
        return dropped(self.hypothesis)


@dataclass(slots=True)
class Learned:
    """The rules of an example; `others` say what of it is in none, `fallen` why."""

    rules: list[LearnedRule] = field(default_factory=list)
    others: list[str] = field(default_factory=list)
    fallen: list[str] = field(default_factory=list)
    stopped: bool = False


class Learner:
    """One example: its files before and after, and the edits between them."""

    def __init__(self, pairs: Sequence[ExamplePair], seconds: float, deadline: Deadline) -> None:
        self.pairs = pairs
        self._deadline = deadline
        self._end = time.monotonic() + seconds
        found = differences(pairs)
        self.sites, self.others = found.sites, found.others
        self._roots: dict[int, Node] = {}

    def learned(self, most: int = MOST_RULES) -> Learned:
        """The rules. Raises `PreconditionError`: `nothing_learned`, `contradiction`."""
        result = Learned(others=list(self.others))
        groups = self._clusters()
        for at, members in enumerate(groups):
            if len(result.rules) >= most or at >= _MOST_CLUSTERS:
                left = number(len(groups) - at, "other kind")
                result.others.append(f"{left} of edit: one at a time")
                break
            if self._late():
                result.stopped = True
                break
            rule = self._rule(members, [rule.id for rule in result.rules], result.fallen)
            if rule is not None:
                result.rules.append(rule)
            else:
                node = members[0].node
                place = f"{self.pairs[members[0].pair].path}:{node.start_point[0] + 1}"
                result.others.append(f"no rule fits the edit at {place}")
        if not result.rules:
            raise self._nothing(result)
        return result

    def _late(self) -> bool:
        self._deadline.check()
        return time.monotonic() > self._end

    def _nothing(self, result: Learned) -> PreconditionError:
        contradiction = next((line for line in result.fallen if "also stays" in line), None)
        if contradiction is not None:
            return PreconditionError(
                f"The examples contradict each other: {contradiction}.",
                code="contradiction",
                hint="Take one of the two out of the example, or give one that shows why.",
            )
        why = "; ".join(result.others[:3]) or "its two sides are the same"
        return PreconditionError(
            f"Nothing was learned of the example: {why}.",
            code="nothing_learned",
            hint="Give one kind of edit at one place; rename, move and signature do others.",
        )

    # -- clusters ----------------------------------------------------------------------------

    def _clusters(self) -> list[list[EditSite]]:
        """Alike edits together, those of most places first."""
        alike: dict[object, list[EditSite]] = {}
        for site in self.sites:
            row = self.pairs[site.pair].row.name
            alike.setdefault((row, site.node.type, change_of(site)), []).append(site)
        groups: list[list[EditSite]] = []
        for members in sorted(alike.values(), key=len, reverse=True):
            few = len(alike) <= _MOST_CLUSTERS and not self._late()
            near = groups if few else []
            host = next((group for group in near if self._mergeable(group, members)), None)
            if host is not None:
                host += members
            else:
                groups.append(list(members))
        return sorted(groups, key=len, reverse=True)

    def _mergeable(self, group: Sequence[EditSite], members: Sequence[EditSite]) -> bool:
        """Whether two kinds of edit are one: a pattern with a word in it makes both."""
        rows = {self.pairs[site.pair].row.name for site in (group[0], members[0])}
        if len(rows) > 1:
            return False
        both = [group[0], group[-1], members[0]]
        return any(
            hypothesis.anchored and _spells_what_goes(hypothesis)
            for hypothesis in self._hypotheses(both)
        )

    def _hypotheses(self, members: Sequence[EditSite]) -> Iterator[Hypothesis]:
        """From the least code around an edit to the most, the more general first."""
        most = min(min(len(site.levels) for site in members), LEVELS)
        for level in range(most):
            name = seat(members, level)
            if any(bare(site, level) for site in members) and level + 1 < most and not name:
                continue
            for wide, names in ((True, True), (False, True), (False, False)):
                try:
                    hypothesis = generalised(members, level, wide=wide, names=names)
                    hypothesis.seat = name
                    yield hypothesis
                except NoTemplateError:
                    continue

    # -- rules -------------------------------------------------------------------------------

    def _rule(
        self, members: Sequence[EditSite], taken: Sequence[str], fallen: list[str]
    ) -> LearnedRule | None:
        row = self.pairs[members[0].pair].row
        ordered = sorted(members, key=lambda site: site.node.end_byte - site.node.start_byte)
        seen = set()
        for hypothesis in self._hypotheses(ordered):
            if self._late():
                return None
            if (hypothesis.pattern, hypothesis.fix) in seen:
                continue
            seen.add((hypothesis.pattern, hypothesis.fix))
            name = name_of(hypothesis, taken)
            for document in documents(hypothesis, row, name):
                rule = self._tried(hypothesis, document, row, fallen)
                if rule is not None:
                    rule.fallen = fallen
                    return rule
        return None

    def _tried(
        self, hypothesis: Hypothesis, document: dict[str, Any], row: Row, fallen: list[str]
    ) -> LearnedRule | None:
        """The rule, if it makes of the example what it should; why not goes to `fallen`."""
        said = f"`{hypothesis.pattern}` to `{hypothesis.fix}`"
        try:
            positives, forbidden = self._fires(hypothesis, document, row)
            if not self._covers(hypothesis, positives):
                fallen.append(f"{said}: it does not find its own example")
                return None
            chosen = specialised(positives, forbidden, dropped(hypothesis))
            if chosen is None:
                fallen.append(f"{said}: {forbidden[0].where} also stays as it is")
                return None
            rule = LearnedRule(hypothesis, document, row, positives, forbidden, chosen=chosen)
            wrong = self._wrong(rule)
        except AstEditError as error:
            fallen.append(f"{said}: {error}")
            return None
        if wrong is not None:
            fallen.append(f"{said}: it makes something else of {wrong}")
            return None
        return rule

    def _covers(self, hypothesis: Hypothesis, positives: Sequence[MatchedPlace]) -> bool:
        hit = {(place.path, site_at) for place in positives for site_at in (place.shape,)}
        return len(hit) >= len({(site.pair, site.node.start_byte) for site in hypothesis.members})

    def _fires(
        self, hypothesis: Hypothesis, document: dict[str, Any], row: Row
    ) -> tuple[list[MatchedPlace], list[MatchedPlace]]:
        """Where a rule without conditions matches in the example: at its edits, and elsewhere."""
        from astedit.rule.document import rule_document
        from astedit.testing.subject import Subject

        subject = Subject(rule_document(document), (), row)
        spans = self._spans(hypothesis)
        every = self._spans_of(self.sites)
        positives, forbidden = list[MatchedPlace](), list[MatchedPlace]()
        for at, pair in enumerate(self.pairs):
            if pair.row != row:
                continue
            findings = subject.findings(pair.before)
            for finding in findings:
                place = place_of(finding, self.root(at), pair.path)
                mine = [span for span in spans.get(at, ()) if _touch(span, place)]
                if mine:
                    place.shape, place.sure = f"{at}:{mine[0][0]}", True
                    positives.append(place)
                elif not any(_touch(span, place) for span in (*every.get(at, ()), *pair.ignored)):
                    place.sure = False
                    forbidden.append(place)
        return positives, forbidden

    def _spans(self, hypothesis: Hypothesis) -> dict[int, list[tuple[int, int]]]:
        return self._spans_of(hypothesis.members)

    def _spans_of(self, sites: Iterable[EditSite]) -> dict[int, list[tuple[int, int]]]:
        spans: dict[int, list[tuple[int, int]]] = {}
        for site in sites:
            spans.setdefault(site.pair, []).append((site.node.start_byte, site.node.end_byte))
        return spans

    def root(self, at: int) -> Node:
        """The tree of a file of the example, as it was before."""
        if at not in self._roots:
            self._roots[at] = tree_of(self.pairs[at].row, self.pairs[at].before)
        return self._roots[at]

    def _wrong(self, rule: LearnedRule) -> str | None:
        """The file of which the rule makes something else than the example, if there is one."""
        from astedit.rule.document import rule_document
        from astedit.testing.subject import Subject

        subject = Subject(rule_document(rule.document), (), rule.row)
        for at in sorted({site.pair for site in rule.hypothesis.members}):
            pair = self.pairs[at]
            changes = [_change(site, pair) for site in rule.hypothesis.members if site.pair == at]
            expected = splice(pair.before, sorted(set(changes)))
            made = subject.rewritten(pair.before)
            if made != expected and subject.tokens(made) != subject.tokens(expected):
                return f"{pair.path}:{rule.positives[0].line}"
        return None


def _spells_what_goes(hypothesis: Hypothesis) -> bool:
    """Whether a token that goes in every edit, or a function's name, stands in the pattern."""
    gone = [set(change_of(site)[0]) for site in hypothesis.members]
    words = {token for token in set.intersection(*gone) if token.isalnum()}
    node = hypothesis.members[0].levels[hypothesis.level][0]
    words |= {token for token in list(tokens([node]))[:3] if token.isalnum() and len(token) > 1}
    return any(word.decode("utf-8", "replace") in hypothesis.pattern for word in words)


def dropped(hypothesis: Hypothesis) -> frozenset[str]:
    """The captures that a rule throws away: only what was thrown away in the examples."""
    texts = [hypothesis.fix, *map(str, hypothesis.transforms.values())]
    return frozenset(
        name for name in hypothesis.holes if not any(f"${name}" in text for text in texts)
    )


def _touch(span: tuple[int, int], place: MatchedPlace) -> bool:
    """Whether one holds the other."""
    start, end = span
    return (place.start <= start and end <= place.end) or (
        start <= place.start and place.end <= end
    )


def _change(site: EditSite, pair: ExamplePair) -> tuple[int, int, bytes]:
    node, after = site.levels[0]
    new = pair.after[after[0].start_byte : after[-1].end_byte] if after else b""
    return node.start_byte, node.end_byte, new


def place_of(finding: dict[str, Any], root: Node, path: str) -> MatchedPlace:
    """A finding as a place with its facts."""
    offsets, start = finding["range"]["byteOffset"], finding["range"]["start"]
    return MatchedPlace(
        path, offsets["start"], offsets["end"], start["line"] + 1, facts_of(finding, root)
    )
