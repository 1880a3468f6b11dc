"""From an example to its rules: clusters of edits, the most general rule of each, what forbids it.

A rule is tried on the example itself: it has to make of every file what the example makes of it,
and nothing else. Where it does more it looks at more: first at what tells the places apart, then
at the code around them.
"""

import re
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import islice, pairwise
from typing import Any

from astedit.errors import AstEditError, PreconditionError
from astedit.language import Row
from astedit.learning.conditions import specialised
from astedit.learning.edits import (
    LEVELS,
    EditSite,
    ParsedTexts,
    case_name,
    change_of,
    differences,
    import_lines,
    imports_of,
    is_in_import,
    tokens,
)
from astedit.learning.examples import ExamplePair
from astedit.learning.generalise import Hypothesis, NoTemplateError, generalised
from astedit.learning.nodes import (
    MERGING,
    NAMED_ITEMS,
    OPENNESS,
    Openness,
    forget_trees,
    says_little,
)
from astedit.learning.places import MatchedPlace, place_of
from astedit.learning.rule import LearnedRule, documents, name_of, scan_of
from astedit.limits import Deadline
from astedit.text import number
from astedit.text.source import splice

MOST_RULES = 3
_MOST_CLUSTERS = 40  # of which rules are tried
_MOST_COMPARED = 1_000  # pairs of kinds of edit that are compared
_MOST_READ = 60_000_000  # bytes of the example that all tries together read: about 10 s
_ONE_TEXT = 1_000  # bytes that a text counts beside its own
_TOKEN = re.compile(rb"\w+|[^\w\s]")

Cluster = list[EditSite]


@dataclass(slots=True)
class Learned:
    """The rules of an example; `others` say what of it is in none, `fallen` why."""

    rules: list[LearnedRule] = field(default_factory=list)
    others: list[str] = field(default_factory=list)
    fallen: list[str] = field(default_factory=list)
    stopped: str = ""


class Learner:
    """One example: its files before and after, and the edits between them.

    The search ends when it has read so much of the example, which is the same each time; the
    `seconds` of the processor are there for a machine that is too slow for that.
    """

    def __init__(self, pairs: Sequence[ExamplePair], seconds: float, deadline: Deadline) -> None:
        forget_trees()
        self.pairs = pairs
        self._deadline, self._end = deadline, time.process_time() + seconds
        self._left = _MOST_READ
        self._texts = ParsedTexts()
        self.sites, self._others = differences(pairs, self._texts)
        self._sites_of: dict[int, Cluster] = {}
        for site in self.sites:
            self._sites_of.setdefault(site.pair, []).append(site)
        self._fallen: list[str] = []
        self._useless: set[str] = set()

    def learned(self, most: int = MOST_RULES) -> Learned:
        """The rules. Raises `PreconditionError`: `nothing_learned`, `contradiction`."""
        result = Learned(others=list(self._others), fallen=self._fallen)
        groups, tried = self._clusters(), 0
        while groups and len(result.rules) < most and tried < _MOST_CLUSTERS and not result.stopped:
            members = groups.pop(0)
            tried += 1
            rule = self._rule(members, [rule.id for rule in result.rules])
            result.stopped = self._late()
            if rule is not None:
                if self._is_half(rule):
                    half = f"`{rule.hypothesis.pattern}` comes with another edit each time"
                    result.others.append(f"{half}: move, or do both by hand")
                else:
                    result.rules.append(rule)
                made = {id(site) for site in rule.made}
                groups = [[site for site in group if id(site) not in made]
                          for group in (*groups, members)]  # fmt: skip
            elif len(members) > 1:
                groups += [[site] for site in members]
            else:
                place = f"{self.pairs[members[0].pair].path}:{members[0].node.start_point[0] + 1}"
                result.others.append(f"no rule fits the edit at {place}")
            groups = sorted(filter(None, groups), key=len, reverse=True)
        if groups:
            result.others.append(f"{number(len(groups), 'other kind')} of edit: one at a time")
        if not result.rules:
            raise _nothing(result)
        return result

    def _is_half(self, rule: LearnedRule) -> bool:
        """Whether what a rule does moves code, or always goes together with a statement."""
        own, moving = {id(site) for site in rule.made}, list[bool]()
        removes = all(map(_removes, rule.made))
        files = {site.pair: list[EditSite]() for site in rule.made}
        for site in rule.made:
            beside = [other for other in self._sites_of[site.pair] if id(other) not in own]
            files[site.pair] = [other for other in beside if _removes(other) is not removes]
            moving.append(any(_moves(*sorted((site, other), key=_removes)) for other in beside))
        return 2 * sum(moving) > len(moving) or (len(files) > 1 and all(files.values()))

    def _late(self) -> str:
        """Why the search has to end; "" while it goes on."""
        if self._is_slow():
            return "it was too slow here, and may find more elsewhere or with --timeout"
        return "" if self._left > 0 else "it tried as many rules as it may; give fewer edits"

    def _is_slow(self) -> bool:
        """Whether the seconds are over; raises where the whole command has no time left."""
        self._deadline.check()
        return time.process_time() > self._end

    def _spend(self, sizes: Iterable[int]) -> None:
        self._left -= sum(_ONE_TEXT + size for size in sizes)

    # -- clusters ----------------------------------------------------------------------------

    def _clusters(self) -> list[Cluster]:
        """Alike edits together, those of most places first."""
        kinds: dict[object, Cluster] = {}
        for site in self.sites:
            row = self.pairs[site.pair].row.name
            kinds.setdefault((row, site.node.type, change_of(site)), []).append(site)
        groups, most = list[tuple[set[bytes], Cluster]](), _MOST_COMPARED
        for members in sorted(kinds.values(), key=len, reverse=True):
            words = _words(members[0])
            most = most if 2 * self._left > _MOST_READ else 0
            near = list(islice((group for head, group in groups if words & head), most))
            most -= len(near)
            host = next((group for group in near if self._is_one_kind(group, members)), None)
            if host is not None:
                host += members
            else:
                groups.append((words, list(members)))
        return sorted((group for _, group in groups), key=len, reverse=True)

    def _is_one_kind(self, group: Cluster, members: Cluster) -> bool:
        """Whether two kinds of edit are one: a pattern with a word in it makes both."""
        both = [group[0], group[-1], members[0]]
        return len({self.pairs[site.pair].row.name for site in both}) == 1 and any(
            _spells_what_goes(hypothesis) for hypothesis in self._hypotheses(both, MERGING)
        )

    def _hypotheses(self, members: Cluster, ways: Sequence[Openness]) -> Iterator[Hypothesis]:
        """From the least code around an edit to the most, the more general first."""
        most = min(LEVELS, *(len(site.levels) for site in members))

        def rank(level: int) -> int:
            """What says little comes last: a value, or a named argument without its call."""
            nodes = [site.levels[level][0] for site in members]
            return 2 * any(map(says_little, nodes)) + (nodes[0].type in NAMED_ITEMS)

        for level in sorted(range(most), key=rank):
            for openness in ways:
                self._spend(site.node.end_byte - site.node.start_byte for site in members)
                with suppress(NoTemplateError):
                    yield generalised(members, level, openness)

    # -- rules -------------------------------------------------------------------------------

    def _rule(self, members: Cluster, taken: Sequence[str]) -> LearnedRule | None:
        """The rule that makes most of these edits, with the least to tell apart."""
        row = self.pairs[members[0].pair].row
        ordered = sorted(members, key=lambda site: site.node.end_byte - site.node.start_byte)
        best: tuple[tuple[int, int], LearnedRule | None] = (0, 0), None
        for hypothesis in self._hypotheses(ordered, OPENNESS):
            if self._late():
                break
            for document in documents(hypothesis, row, name_of(hypothesis, taken)):
                key = repr(document | {"id": row.name})
                rule = None if key in self._useless else self._tried(hypothesis, document, row)
                if rule is None:
                    self._useless.add(key)
                    continue
                made = {id(site) for site in rule.made}
                worth = sum(id(site) in made for site in members)
                recalled = sum(condition.recalls for condition in rule.chosen)
                best = max(best, ((worth, -recalled), rule), key=lambda pair: pair[0])
                if 2 * worth >= len(members) and not recalled:
                    return rule
        return best[1]

    def _tried(
        self, hypothesis: Hypothesis, document: dict[str, Any], row: Row
    ) -> LearnedRule | None:
        """The rule, if it makes of the example what it should."""
        name = f"`{hypothesis.pattern}` to `{hypothesis.fix}`"
        try:
            scan = scan_of(document, row, self._texts)
        except AstEditError as error:
            self._fallen.append(f"{name}: {error}")
            return None
        self._spend(len(pair.before) for pair in self.pairs)
        positives: list[tuple[MatchedPlace, Cluster]] = []
        forbidden: list[MatchedPlace] = []
        for at, pair in enumerate(self.pairs):
            if pair.row == row:
                for finding in scan.findings(case_name(row), pair.before):
                    if self._is_slow():
                        return None
                    self._sort(finding, at, positives, forbidden)
        if not positives:
            self._fallen.append(f"{name}: it does not make its own example")
            return None
        places = [place for place, _ in positives]
        chosen, alike = specialised(places, forbidden, hypothesis)
        if alike:
            self._fallen.append(f"{name}: {alike[0].where} also stays as it is")
            return None
        made = [site for _, sites in positives for site in sites]
        rule = LearnedRule(hypothesis, document, row, places, forbidden, chosen, made)
        texts = {pair.path: pair.before for pair in self.pairs}
        if chosen and rule.acts(forbidden, texts.__getitem__):
            self._fallen.append(f"{name}: its conditions do not say what they should")
            return None
        if any(self._loses(rule, at) for at in {site.pair for site in made}):
            self._fallen.append(f"{name}: it takes away what its own example keeps")
            return None
        return rule

    def _loses(self, rule: LearnedRule, at: int) -> bool:
        """Whether a rule takes from a file of the example what is on both sides of it.

        Of imports none may go; of words none where no other edit has a part in the file.
        """
        pair, own = self.pairs[at], {id(site) for site in rule.made}
        scan = scan_of(rule.document, rule.row, mode="edit")
        made = splice(pair.before, scan.edits(case_name(rule.row), pair.before))
        texts = (pair.before, pair.after, made)
        lines = [[*import_lines(self._texts.root(rule.row, text))] for text in texts]
        words: list[list[Any]] = [[*imports_of(some)] for some in lines]
        if not self._others and own.issuperset(map(id, self._sites_of[at])):
            words = [[one for one in _code(text) if re.match(rb"\w", one)] for text in texts]
        before, after, left = map(Counter, words)
        return bool((before & after) - left)

    def _sort(
        self,
        finding: Mapping[str, Any],
        at: int,
        positives: list[tuple[MatchedPlace, Cluster]],
        forbidden: list[MatchedPlace],
    ) -> None:
        """Whether a match of the example is made as it was made there, or must not be one."""
        pair = self.pairs[at]
        place = place_of(finding, self._texts.root(pair.row, pair.before), pair.path)
        touched = [
            site
            for site in self._sites_of.get(at, ())
            if _touch(place, site.node.start_byte, site.node.end_byte)
        ]
        if touched and "blocked" in finding:
            return
        if touched and _makes(finding, pair, touched, place):
            place.sure = True
            positives.append((place, touched))
        elif touched or not any(_touch(place, start, end) for _, start, end in pair.ignored):
            place.sure = False
            forbidden.append(place)


def _nothing(result: Learned) -> PreconditionError:
    contradiction = next((line for line in result.fallen if "also stays" in line), None)
    if contradiction is not None:
        return PreconditionError(
            f"The examples contradict each other: {contradiction}.",
            code="contradiction",
            hint="Take one of the two out of the example, or give one that shows why.",
        )
    why = result.stopped or "; ".join(result.others[:3]) or "its two sides are the same"
    return PreconditionError(
        f"Nothing was learned of the example: {why}.",
        code="nothing_learned",
        hint="Give one kind of edit at one place; rename, move and signature do others.",
    )


def _removes(site: EditSite) -> bool:
    """Whether a statement goes, and nothing comes."""
    node, after = site.levels[0]
    return not after and node.type != "decorator" and not is_in_import(node)


def _moves(new: EditSite, old: EditSite) -> bool:
    """Whether most words of what comes in one place are of the statement that goes in another."""
    gone, come = set(change_of(old)[0]), set(filter(bytes.isalnum, change_of(new)[1]))
    return _removes(old) and 2 * len(gone & come) > len(come)


def _spells_what_goes(hypothesis: Hypothesis) -> bool:
    """Whether a token that goes in every edit, or a function's name, stands in the pattern."""
    words = set.intersection(*map(_words, hypothesis.members))
    names = {name for name in hypothesis.resolved if f"${name}" not in hypothesis.fix}
    texts = [word.decode("utf-8", "replace") for word in words if len(word) > 1]
    return bool(names) or any(text in hypothesis.pattern for text in texts)


def _words(site: EditSite) -> set[bytes]:
    """The words that go in an edit, and those that begin what is around it."""
    first = [token for node, _ in site.levels for token in list(tokens([node]))[:3]]
    return set(filter(bytes.isalnum, (*change_of(site)[0], *first)))


def _touch(place: MatchedPlace, start: int, end: int) -> bool:
    """Whether one holds the other."""
    return (place.start <= start and end <= place.end) or (
        start <= place.start and place.end <= end
    )


def _makes(
    finding: Mapping[str, Any], pair: ExamplePair, sites: Cluster, place: MatchedPlace
) -> bool:
    """Whether a match becomes what the example makes of it, whatever the layout."""
    if (offsets := finding.get("replacementOffsets")) is None:
        return False
    new = str(finding["replacement"]).encode()
    if not new and len(sites) == 1 and not sites[0].levels[0][1]:
        # Both take it away, with what beside it is layout; one import for another is no removal.
        return not (is_in_import(sites[0].node) and sites[0].imports[1] - sites[0].imports[0])
    changes = [(offsets["start"], offsets["end"], new)]
    wanted = sorted({_change(site, pair) for site in sites})
    if any(one[1] > two[0] for one, two in pairwise(wanted)):
        return False
    start = min(place.start, *(change[0] for change in (*changes, *wanted)))
    end = max(place.end, *(change[1] for change in (*changes, *wanted)))
    texts = [
        splice(pair.before[start:end], [(a - start, b - start, text) for a, b, text in some])
        for some in (changes, wanted)
    ]
    return _code(texts[0]) == _code(texts[1])


def _code(text: bytes) -> list[bytes]:
    """The words and signs of a text, without comments and commas before a bracket."""
    words = [*_TOKEN.findall(re.sub(rb"(?m)#.*$", b"", text)), b""]
    return [one for one, two in pairwise(words) if one != b"," or two not in (b")", b"]", b"}")]


def _change(site: EditSite, pair: ExamplePair) -> tuple[int, int, bytes]:
    node, after = site.levels[0]
    new = pair.after[after[0].start_byte : after[-1].end_byte] if after else b""
    return *node.byte_range, new
