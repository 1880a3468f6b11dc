"""A rule tried on its example: where it acts as the example does, and where it must not act."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

from tree_sitter import Node

from astedit.language import Row
from astedit.learning.conditions import MatchedPlace
from astedit.learning.difference import EditSite, ExamplePair, tree_of
from astedit.learning.learned_rule import place_of
from astedit.learning.nodes import Meanings
from astedit.semantic import NAMES
from astedit.text.splice import splice


@dataclass(slots=True)
class Trial:
    """Where a rule without conditions matches in the example.

    `positives` are the places that it makes as they were made, `forbidden` those that it must
    not change so, `made` the edits of the positives.
    """

    positives: list[MatchedPlace] = field(default_factory=list)
    forbidden: list[MatchedPlace] = field(default_factory=list)
    made: list[EditSite] = field(default_factory=list)


class ExampleTrees:
    """The files of an example with their trees and their edits."""

    def __init__(self, pairs: Sequence[ExamplePair], sites: Sequence[EditSite]) -> None:
        self.pairs = pairs
        self.meanings = Meanings()
        self._sites: dict[int, list[EditSite]] = {}
        for site in sites:
            self._sites.setdefault(site.pair, []).append(site)
        self._roots: dict[int, Node] = {}

    def tried(self, document: Mapping[str, Any], row: Row) -> Trial:
        """Tries a rule on all files. Raises `RequestError` for one that does not compile."""
        from astedit.engine.request import rule_request
        from astedit.engine.run.plan import BufferScan
        from astedit.rule.document import rule_document

        scan = BufferScan(rule_request([rule_document(dict(document))]), NAMES)
        for error in scan.refused(row):
            raise error
        trial = Trial()
        for at, pair in enumerate(self.pairs):
            if pair.row == row:
                for finding in scan.findings(f"case.{row.suffixes[0]}", pair.before):
                    place = place_of(finding, self._root(at), pair.path, self.meanings)
                    self._sort(finding, place, at, trial)
        return trial

    def _sort(self, finding: Mapping[str, Any], place: MatchedPlace, at: int, trial: Trial) -> None:
        pair = self.pairs[at]
        touched = [site for site in self._sites.get(at, ()) if _touch(site.node, place)]
        if not touched and any(_within(span, place) for span in pair.ignored):
            return
        if touched and "blocked" in finding:
            return
        place.sure = bool(touched) and _makes(finding, pair, touched, place)
        (trial.positives if place.sure else trial.forbidden).append(place)
        if place.sure:
            trial.made += touched

    def _root(self, at: int) -> Node:
        if at not in self._roots:
            self._roots[at] = tree_of(self.pairs[at].row, self.pairs[at].before)
        return self._roots[at]


def _touch(node: Node, place: MatchedPlace) -> bool:
    """Whether one holds the other."""
    return _within((node.start_byte, node.end_byte), place)


def _within(span: tuple[int, int], place: MatchedPlace) -> bool:
    start, end = span
    return (place.start <= start and end <= place.end) or (
        start <= place.start and place.end <= end
    )


def _makes(
    finding: Mapping[str, Any], pair: ExamplePair, sites: Sequence[EditSite], place: MatchedPlace
) -> bool:
    """Whether a match becomes what the example makes of it, whatever the layout."""
    offsets = finding.get("replacementOffsets")
    if offsets is None:
        return False
    new = str(finding["replacement"]).encode()
    if not new and len(sites) == 1 and not sites[0].levels[0][1]:
        return True  # both take it away; with what beside it is a matter of layout
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
    return _words(texts[0]) == _words(texts[1])


_WORD = re.compile(rb"\w+|[^\w\s]")


def _words(text: bytes) -> list[bytes]:
    """The words and signs of a text, without comments and commas before a bracket."""
    found = _WORD.findall(re.sub(rb"(?m)#.*$", b"", text))
    after = [*found[1:], b""]
    return [one for one, two in zip(found, after, strict=False)
            if not (one == b"," and two in (b")", b"]", b"}"))]  # fmt: skip


def _change(site: EditSite, pair: ExamplePair) -> tuple[int, int, bytes]:
    node, after = site.levels[0]
    new = pair.after[after[0].start_byte : after[-1].end_byte] if after else b""
    return node.start_byte, node.end_byte, new
