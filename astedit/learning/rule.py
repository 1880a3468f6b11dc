"""One rule as far as it is known: where it acts, what was said of places, its conditions.

It is a document of the rule language, which is spelled here as YAML with its test beside it.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from io import StringIO
from typing import Any

from tree_sitter import Node

from astedit.engine.files.places import Purpose
from astedit.engine.request import rule_request
from astedit.engine.run.plan import BufferScan
from astedit.language import Row
from astedit.learning.conditions import (
    Conjunction,
    PlaceCondition,
    applied,
    conditions,
    escaped,
    glob_of,
    hold,
    specialised,
)
from astedit.learning.edits import EditSite, ParsedTexts, case_name
from astedit.learning.generalise import Hypothesis
from astedit.learning.nodes import NAME_KINDS
from astedit.learning.places import MatchedPlace
from astedit.python.syntax import text_of
from astedit.rule.document import rule_document
from astedit.semantic import NAMES
from astedit.testing.baseline import span_of
from astedit.text import number

_WORD = re.compile(r"[A-Za-z][A-Za-z0-9]*")
_SURE = 0.9  # that a place is meant which is like the examples, after two noes
_MOST_EXCEPTIONS = 1  # files with noes that nothing explains, and one more for each yes
_LIKELY = 0.5  # from here on a place is taken as meant


# -- a hypothesis as a document ------------------------------------------------------------------


def documents(hypothesis: Hypothesis, row: Row, id: str) -> Iterator[dict[str, Any]]:
    """The rule of a hypothesis, spelled in every way in which its pattern may be read."""
    node, pattern = hypothesis.nodes[0], hypothesis.pattern
    constraints = {name: {"resolvesTo": text} for name, text in hypothesis.resolved.items()}
    for name, (head, tail) in hypothesis.ends.items():
        constraints[name] = {"regex": f"(?s)^{escaped(head)}.*{escaped(tail)}$"}
    rest = {"transform": hypothesis.transforms, "constraints": constraints,
            "fix": hypothesis.fix, "imports": hypothesis.imports}  # fmt: skip
    rest = {key: value for key, value in rest.items() if value or key == "fix"}
    start = {"id": id, "language": row.label}
    around = [level[0] for level in hypothesis.members[0].levels[hypothesis.level + 1 :]]
    if re.fullmatch(r"\$[A-Z]+", pattern):
        kinds = (
            NAME_KINDS if hypothesis.resolved else sorted({node.type for node in hypothesis.nodes})
        )
        rule: dict[str, Any] = {"pattern": pattern, "any": [{"kind": kind} for kind in kinds]}
    elif node.parent is not None and "import" in node.parent.type and not hypothesis.fix:
        rule, rest["fix"] = _import_item(node, node.parent), {"delete": "item"}
    elif not node.child_count:
        rule = {"kind": node.type, "regex": f"^{escaped(pattern)}$"}
    elif node.type == "decorator":
        holder = "def f(): pass" if row.name == "python" else "class A {}"
        context = {"context": f"{pattern}\n{holder}", "selector": node.type}
        rule = {"pattern": context}
    else:
        rule = {"pattern": pattern}
    yield {**start, "rule": rule, **rest}
    for outer in around if rule == {"pattern": pattern} else ():
        source, at = outer.text or b"", outer.start_byte
        head, tail = source[: node.start_byte - at].decode(), source[node.end_byte - at :].decode()
        context = {"context": head + pattern + tail, "selector": node.type}
        yield {**start, "rule": {"pattern": context}, **rest}


def _import_item(item: Node, line: Node) -> dict[str, Any]:
    """One name of an import: it goes, and another import comes."""
    module = line.child_by_field_name("module_name")
    inside: dict[str, Any] = {"kind": line.type}
    if module is not None:
        inside["has"] = {"field": "module_name", "regex": f"^{escaped(text_of(module))}$"}
    return {"kind": item.type, "regex": f"^{escaped(text_of(item))}$", "inside": inside}


def name_of(hypothesis: Hypothesis, taken: Iterable[str]) -> str:
    """An id for a rule: what goes, and what comes."""
    words = [_WORD.findall(text) for text in (hypothesis.pattern, hypothesis.fix)]
    gone = [word for word in words[0] if word not in words[1] and len(word) > 1]
    come = [word for word in words[1] if word not in words[0] and len(word) > 1]
    parts = (gone or words[0])[:2] + (["to", *come[:2]] if come else ["less"] if gone else [])
    return free_name("-".join(part.lower() for part in parts if part)[:60] or "learned", taken)


def free_name(name: str, taken: Iterable[str]) -> str:
    """A name, or the first one with a number behind it that is not taken."""
    numbered = (f"{name}-{at}" for at in range(2, 1_000_000))
    return name if name not in taken else next(one for one in numbered if one not in taken)


# -- what is known about a rule ------------------------------------------------------------------


@dataclass(slots=True)
class LearnedRule:
    """One rule that fits all of the example.

    `positives` are the places that it has to change, `forbidden` those that it must not,
    `unknown` all others that it matches without the conditions that were `chosen`. `heard` are
    the answers to any rule: after the first no, what is unlikely is not changed either. A file is
    among the `exceptions` where a no cannot be told apart from what is meant.
    """

    hypothesis: Hypothesis
    plain: dict[str, Any]
    row: Row
    positives: list[MatchedPlace]
    forbidden: list[MatchedPlace]
    chosen: Conjunction
    made: list[EditSite] = field(default_factory=list)
    unknown: list[MatchedPlace] = field(default_factory=list)
    heard: list[bool] = field(default_factory=list)
    exceptions: set[str] = field(default_factory=set)

    @property
    def id(self) -> str:
        """Its id."""
        return str(self.plain["id"])

    @property
    def document(self) -> dict[str, Any]:
        """The rule with its conditions."""
        ignores = {"ignores": sorted(map(glob_of, self.exceptions))} if self.exceptions else {}
        return applied(self.plain, self.chosen) | ignores

    def words(self) -> Iterator[str]:
        """What it matches."""
        count = len(self.hypothesis.members)
        yield f"Learned of {number(count, 'edit')}."
        for name, values in sorted(self.hypothesis.holes.items()):
            sigil = "$$$" if name in {*self.hypothesis.many, *self.hypothesis.blocks} else "$"
            seen = list(dict.fromkeys(" ".join(value.split())[:40] for value in values))
            where = "the one example" if count == 1 else "the examples"
            yield f"{sigil}{name} was {', '.join(seen[:4]) or 'nothing'} in {where}."
        yield from (f"Only where {condition.text}." for condition in self.chosen)
        yield from (f"Not in {path}." for path in sorted(self.exceptions))

    def acts(self, places: Iterable[MatchedPlace], read: Callable[[str], bytes]) -> set[str]:
        """The files of these places where it acts, whatever its conditions were meant to say."""
        scan, spans, paths = scan_of(self.document, self.row), dict[str, set[Any]](), set[str]()
        for place in places:
            if place.path not in spans:
                findings = scan.findings(case_name(self.row), read(place.path))
                spans[place.path] = {span_of(finding) for finding in findings}
            if (place.start, place.end) in spans[place.path]:
                paths.add(place.path)
        return paths

    def disputed(self) -> list[PlaceCondition]:
        """The conditions that could still be meant: some place would tell."""
        return conditions(self._sure(), [place for place in self.unknown if place.sure is None])

    def _sure(self) -> list[MatchedPlace]:
        return self.positives + [place for place in self.unknown if place.sure]

    def beliefs(self) -> list[tuple[MatchedPlace, float]]:
        """How likely each place that nobody spoke of is meant, from 0 to 1."""
        doubts = [(self._weight(condition), condition) for condition in self.disputed()]
        total = 1.0 + sum(weight for weight, _ in doubts)
        answers, rate = self._answers(), self._rate()
        result = []
        for place in self.unknown:
            if place.sure is None and place.path not in self.exceptions:
                belief = (1.0 + sum(weight for weight, one in doubts if one.holds(place))) / total
                if not hold(self.chosen, place):
                    belief /= 2
                doubted = belief < 1.0 or (len(answers) > 1 and rate < _LIKELY)
                if self.heard.count(False) > 1 and not doubted and True not in answers:
                    belief = _SURE
                result.append((place, belief * rate if doubted else belief))
        return result

    def _answers(self) -> list[bool]:
        """The answers to this rule; to other ones until it has an answer."""
        return [place.sure for place in self.unknown if place.sure is not None] or self.heard

    def _rate(self) -> float:
        """How often a place is meant: a no speaks against the rest, too."""
        answers = self._answers()
        return (1 + answers.count(True)) / (1 + len(answers))

    def _weight(self, condition: PlaceCondition) -> float:
        fact = min(condition.facts)
        dropped = len(fact) > 1 and fact[1] in self.hypothesis.dropped
        return 1.0 if dropped else 1 / (condition.cost + 1)

    def settle(self, read: Callable[[str], bytes]) -> bool:
        """Chooses the conditions anew, after an answer; False where none keeps what is sure.

        A yes that cannot be followed is none; a no is kept, if need be by an exception.
        """
        noes = [place for place in self.unknown if place.sure is False]
        doubtful = list[MatchedPlace]()
        if self._rate() <= _LIKELY:
            doubtful = [place for place, belief in self.beliefs() if belief < _LIKELY]
        for positives in (self._sure(), self.positives):
            self.chosen, alike = specialised(
                positives, [*self.forbidden, *noes], self.hypothesis, doubtful
            )
            acting = self.acts([place for place in noes if place.changes], read)
            self.exceptions = acting.union(place.path for place in alike)
            most = _MOST_EXCEPTIONS + len(positives) - len(self.positives)
            sides = (*positives, *self.forbidden)
            if len(self.exceptions) <= most and self.exceptions.isdisjoint(
                place.path for place in sides
            ):
                return True
        return False


def scan_of(
    document: Mapping[str, Any], row: Row, texts: ParsedTexts | None = None, mode: Purpose = "scan"
) -> BufferScan:
    """What a rule finds. Raises `RequestError` for one that does not compile."""
    parse = None if texts is None else texts.parse
    scan = BufferScan(rule_request([rule_document(dict(document))]), NAMES, mode, parse)
    for error in scan.refused(row):
        raise error
    return scan


# -- as text -------------------------------------------------------------------------------------


def yaml_of(document: Mapping[str, Any], comments: Iterable[str] = ()) -> str:
    """A document as YAML, behind what it does in words."""
    from ruamel.yaml import YAML

    writer, text = YAML(), StringIO()
    writer.width = 10_000
    writer.dump(_in_blocks(document), text)
    plain = ("".join(c if c.isprintable() else "?" for c in line) for line in comments)
    return "".join(f"# {line}\n" for line in plain) + text.getvalue()


def _in_blocks(value: Any) -> Any:
    """A value with its texts of several lines as blocks."""
    from ruamel.yaml.scalarstring import LiteralScalarString

    if isinstance(value, Mapping):
        return {key: _in_blocks(each) for key, each in value.items()}
    if isinstance(value, list):
        return [_in_blocks(each) for each in value]
    return LiteralScalarString(value) if isinstance(value, str) and "\n" in value else value
