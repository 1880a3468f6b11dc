"""From an example to its rules: clusters of edits, the most general rule of each, what forbids it.

A rule is tried on the example itself: it has to make of every file what the example makes of it,
and nothing else. Where it does more it looks at more: first at what tells the places apart, then
at the code around them.
"""

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from astedit.errors import AstEditError, PreconditionError
from astedit.language import Row
from astedit.learning.conditions import specialised
from astedit.learning.difference import (
    LEVELS,
    EditSite,
    ExamplePair,
    change_of,
    differences,
    tokens,
)
from astedit.learning.document import documents, name_of
from astedit.learning.generalise import generalised
from astedit.learning.hypothesis import MERGING, OPENNESS, Hypothesis, NoTemplateError, Openness
from astedit.learning.learned_rule import LearnedRule
from astedit.learning.nodes import NAMED_ITEMS, says_little
from astedit.learning.trial import ExampleTrees
from astedit.limits import Deadline
from astedit.text.count_phrases import number

MOST_RULES = 3
_MOST_CLUSTERS = 40  # of which rules are tried


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
        self._trees = ExampleTrees(pairs, self.sites)
        self.meanings = self._trees.meanings

    def learned(self, most: int = MOST_RULES) -> Learned:
        """The rules. Raises `PreconditionError`: `nothing_learned`, `contradiction`."""
        result = Learned(others=list(self.others))
        groups = self._clusters()
        tried = 0
        while groups:
            members = groups.pop(0)
            if len(result.rules) >= most or tried >= _MOST_CLUSTERS:
                more = number(len(groups) + 1, "other kind")
                result.others.append(f"{more} of edit: one at a time")
                break
            if self._late():
                result.stopped = True
                break
            tried += 1
            rule, rest = self._rule(members, [rule.id for rule in result.rules], result.fallen)
            if rule is not None:
                result.rules.append(rule)
                sites = {id(site) for site in rule.made}
                left = ([site for site in group if id(site) not in sites] for group in groups)
                groups = [group for group in left if group]
                groups = sorted([*groups, rest] if rest else groups, key=len, reverse=True)
            elif len(members) > 1:
                halves = self._parted(members)
                groups = sorted([*groups, *halves], key=len, reverse=True)
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
            for hypothesis in self._hypotheses(both, MERGING)
        )

    def _hypotheses(
        self, members: Sequence[EditSite], ways: Sequence[Openness] = OPENNESS
    ) -> Iterator[Hypothesis]:
        """From the least code around an edit to the most, the more general first."""
        most = min(min(len(site.levels) for site in members), LEVELS)
        # What says little by itself comes last: a value, or a named argument without its call.
        levels = sorted(range(most), key=lambda level: _rank(members, level))
        for level in levels:
            for openness in ways:
                if openness.names and not self.meanings.known(members[0].node):
                    continue
                try:
                    hypothesis = generalised(members, level, openness, self.meanings.of)
                except NoTemplateError:
                    continue
                yield hypothesis

    # -- rules -------------------------------------------------------------------------------

    def _parted(self, members: Sequence[EditSite]) -> Iterator[list[EditSite]]:
        """Edits that no rule makes together: those that are quite alike, else one by one."""
        alike: dict[object, list[EditSite]] = {}
        for site in members:
            alike.setdefault((site.node.type, change_of(site)), []).append(site)
        if len(alike) > 1:
            return iter(alike.values())
        return ([site] for site in members)

    def _rule(
        self, members: Sequence[EditSite], taken: Sequence[str], fallen: list[str]
    ) -> tuple[LearnedRule | None, list[EditSite]]:
        """The rule that makes most of these edits, and the edits that are left."""
        row = self.pairs[members[0].pair].row
        ordered = sorted(members, key=lambda site: site.node.end_byte - site.node.start_byte)
        seen = set()
        best: tuple[LearnedRule | None, list[EditSite]] = (None, list(members))
        for hypothesis in self._hypotheses(ordered):
            if self._late():
                break
            if (hypothesis.pattern, hypothesis.fix) in seen:
                continue
            seen.add((hypothesis.pattern, hypothesis.fix))
            name = name_of(hypothesis, taken)
            for document in documents(hypothesis, row, name):
                rule, rest = self._tried(hypothesis, document, row, fallen)
                if rule is not None and len(rest) < len(best[1]):
                    rule.fallen = fallen
                    best = rule, rest
                if 2 * len(best[1]) <= len(members) and best[0] is not None:
                    return best
        return best

    def _tried(
        self, hypothesis: Hypothesis, document: dict[str, Any], row: Row, fallen: list[str]
    ) -> tuple[LearnedRule | None, list[EditSite]]:
        """The rule, if it makes of the example what it should; why not goes to `fallen`."""
        said = f"`{hypothesis.pattern}` to `{hypothesis.fix}`"
        try:
            trial = self._trees.tried(document, row)
        except AstEditError as error:
            fallen.append(f"{said}: {error}")
            return None, list(hypothesis.members)
        done = {id(site) for site in trial.made}
        rest = [site for site in hypothesis.members if id(site) not in done]
        if len(rest) == len(hypothesis.members):
            fallen.append(f"{said}: it does not make its own example")
            return None, rest
        chosen = specialised(trial.positives, trial.forbidden, hypothesis)
        if chosen is None:
            fallen.append(f"{said}: {trial.forbidden[0].where} also stays as it is")
            return None, rest
        rule = LearnedRule(
            hypothesis, document, row, trial.positives, trial.forbidden, chosen=chosen
        )
        rule.made = trial.made
        return rule, rest


def _spells_what_goes(hypothesis: Hypothesis) -> bool:
    """Whether a token that goes in every edit, or a function's name, stands in the pattern."""
    gone = [set(change_of(site)[0]) for site in hypothesis.members]
    words = {token for token in set.intersection(*gone) if token.isalnum()}
    node = hypothesis.members[0].levels[hypothesis.level][0]
    words |= {token for token in list(tokens([node]))[:3] if token.isalnum() and len(token) > 1}
    return any(word.decode("utf-8", "replace") in hypothesis.pattern for word in words)


def _rank(members: Sequence[EditSite], level: int) -> int:
    nodes = [site.levels[level][0] for site in members]
    return 2 * any(map(says_little, nodes)) + (nodes[0].type in NAMED_ITEMS)
