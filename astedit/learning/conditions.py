"""What tells places apart: the facts about a place, and conditions that a rule may put on them.

A condition holds at every place that the rule has to change. It is a key of the rule language,
so what a rule excludes can be read in it.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from tree_sitter import Node

from astedit.learning.difference import BLOCKS, imports_of, name_bound, text_of
from astedit.learning.hypothesis import Hypothesis
from astedit.learning.nodes import Meanings, role

_ABOVE = 3  # ancestors whose kinds are told apart one by one
_MOST_TEXTS = 6  # texts that a capture may be one of
_FILES = 3  # places with one word in their paths before that word may matter
_FUNCTIONS = ("function_definition", "function_declaration", "method_declaration", "lambda")
_PLAIN = BLOCKS | {"expression_statement", "argument_list", "arguments"}  # say little
_CONSTANTS = ("True", "False", "None", "true", "false", "null", "nil")
_LONGEST = 60  # characters of a text in a condition

Fact = tuple[str, ...]


@dataclass(slots=True)
class MatchedPlace:
    """A match of a rule without conditions: `facts` are what is known about it.

    `sure` is True where the rule must change it, False where it must not, None where nobody has
    said anything.
    """

    path: str
    start: int
    end: int
    line: int
    facts: frozenset[Fact]
    sure: bool | None = None
    before: str = ""
    after: str = ""
    shape: str = ""

    @property
    def where(self) -> str:
        """`path:line`, for people."""
        return f"{self.path}:{self.line}"


@dataclass(frozen=True, slots=True)
class PlaceCondition:
    """Some facts of which a place has one (`wanted`), or has none.

    `cost` orders conditions: the cheaper says more about why than about where.
    """

    facts: frozenset[Fact]
    wanted: bool
    cost: int
    text: str = field(compare=False)

    def holds(self, place: MatchedPlace) -> bool:
        """Whether a place fulfils it."""
        return self.wanted is not self.facts.isdisjoint(place.facts)


def facts_of(
    finding: Mapping[str, Any], root: Node, meanings: Meanings, path: str
) -> frozenset[Fact]:
    """The facts about a match, as ast-grep's JSON has it, in its tree."""
    offsets = finding["range"]["byteOffset"]
    node = _node(root, offsets["start"], offsets["end"])
    return frozenset(
        fact
        for source in (
            _captures(finding, root, meanings),
            _around(node, meanings),
            _items(node),
            _imports(root),
            _parameters(node),
            (("file", word) for word in re.findall("[A-Za-z]{3,}|__[a-z]+__", path)),
        )
        for fact in source
    )


def _node(root: Node, start: int, end: int) -> Node:
    node = root.named_descendant_for_byte_range(start, end) or root
    while node.parent and (node.parent.start_byte, node.parent.end_byte) == (start, end):
        if not node.parent.parent:
            break
        node = node.parent
    return node


def _captures(finding: Mapping[str, Any], root: Node, meanings: Meanings) -> Iterator[Fact]:
    variables = finding.get("metaVariables", {})
    for name, capture in variables.get("single", {}).items():
        offsets = capture["range"]["byteOffset"]
        node = root.named_descendant_for_byte_range(offsets["start"], offsets["end"])
        if node is not None:
            yield "kind", name, node.type
            if meaning := meanings.of(node):
                yield "means", name, meaning
        text = capture["text"]
        if len(text) <= _LONGEST and text.isprintable():
            yield "text", name, text
    for name, captures in variables.get("multi", {}).items():
        if name != "secondary":
            yield "count", name, "some" if captures else "no"
            for capture in captures:
                text = capture["text"]
                if text != "," and len(text) <= _LONGEST and text.isprintable():
                    yield "among", name, text


def _around(node: Node, meanings: Meanings) -> Iterator[Fact]:
    field_name, level, above = role(node), 0, node.parent
    inner = node
    while (
        len(inner.named_children) == 1
        and inner.type != "call"
        and (inner.named_children[0].end_byte == inner.end_byte)
    ):
        inner = inner.named_children[0]
    if meaning := meanings.of_call(inner):
        yield "call", meaning
    if field_name is not None:
        yield "field", field_name
    if above is not None and field_name in ("attribute", "property"):
        text = text_of(above.children[0]).decode("utf-8", "replace")
        if len(text) <= _LONGEST and text.isprintable():
            yield "of", text
    while above is not None and above.parent is not None:
        if level < _ABOVE and above.type not in _PLAIN:
            yield f"above {level + 1}", above.type
        if above.type not in _PLAIN and level:
            yield "within", above.type
        level, above = level + 1, above.parent


def _items(node: Node) -> Iterator[Fact]:
    for holder in (node, *node.children):
        listed = holder.child_by_field_name("arguments")
        for item in listed.named_children if listed is not None else ():
            name = item.child_by_field_name("name")
            if name is not None:
                yield "argument", item.type, text_of(name).decode("utf-8", "replace")
            else:
                yield "item", item.type
        if listed is not None:
            return


def _imports(root: Node) -> Iterator[Fact]:
    for line in root.children:
        if "import" in line.type or line.type in ("use_declaration", "using_directive"):
            text = text_of(line).decode("utf-8", "replace")
            head = text.split(" import ")[0] if text.startswith("from ") else text.split("{")[0]
            head = head.rstrip(";\n ")[:_LONGEST]
            yield "import", line.type, head, root.type
            for name in map(name_bound, imports_of([line])):
                yield "binds", name, line.type, root.type


def _parameters(node: Node) -> Iterator[Fact]:
    """The parameters of the function that a place is in."""
    above = node.parent
    while above is not None and above.type not in _FUNCTIONS:
        above = above.parent
    if above is None or (listed := above.child_by_field_name("parameters")) is None:
        return
    for parameter in listed.named_children:
        names = parameter.named_children if parameter.child_count else [parameter]
        yield from (("parameter", text_of(name).decode(), above.type) for name in names[:1])


def conditions(
    positives: Sequence[MatchedPlace], others: Iterable[MatchedPlace]
) -> list[PlaceCondition]:
    """The conditions that hold at all positives, and at one of the others do not."""
    having = [place.facts for place in positives]
    everywhere = frozenset.intersection(*having)
    anywhere = frozenset.union(*having)
    foreign = frozenset(fact for place in others for fact in place.facts) - anywhere
    # What the function of the one place is given tells that place from others by chance.
    vague = ("text", "file", "parameter") if len(having) == 1 else ("text", "file")
    wanted = [one for one in _wanted(everywhere, having) if min(one.facts)[0] not in vague[2:]]
    found = wanted + [
        PlaceCondition(frozenset([fact]), False, cost + 1, f"not {text}")
        for fact in sorted(foreign)
        if (cost := _COSTS.get(fact[0])) is not None
        and (text := _words(fact))
        and fact[0] not in vague
    ]
    return sorted(found, key=lambda one: (one.cost, one.text))


_OF_HOLES = ("kind", "text", "means", "count")  # facts about one capture
_COSTS = {
    "means": 1, "call": 1, "of": 2, "argument": 2, "kind": 2, "import": 3, "item": 3, "above 1": 3,
    "binds": 3, "parameter": 3, "file": 4, "field": 4, "count": 4, "text": 5, "among": 5,
    "within": 5, "above 2": 6, "above 3": 8,
}  # fmt: skip


def _wanted(
    everywhere: frozenset[Fact], having: Sequence[frozenset[Fact]]
) -> Iterator[PlaceCondition]:
    for fact in sorted(everywhere):
        if fact[0] == "file" and len(having) < _FILES:
            continue
        if fact[0] not in (*_OF_HOLES, "among"):
            yield PlaceCondition(frozenset([fact]), True, _COSTS[fact[0]], _words(fact))
    groups: dict[tuple[str, ...], set[Fact]] = {}
    for facts in having:
        for fact in facts:
            if fact[0] in _OF_HOLES:
                groups.setdefault(fact[:2], set()).add(fact)
            elif fact[0] in ("above 1", "field", "of", "call"):
                groups.setdefault(fact[:1], set()).add(fact)
    for group, some in sorted(groups.items()):
        sure = all(not some.isdisjoint(facts) for facts in having)
        if sure and len(some) <= _MOST_TEXTS and (len(some) > 1 or group[0] in _OF_HOLES):
            words = " or ".join(_words(fact) for fact in sorted(some))
            yield PlaceCondition(frozenset(some), True, _COSTS[group[0]] + len(some) - 1, words)


def _words(fact: Fact) -> str:
    """What a fact says, in words."""
    match fact:
        case ("kind", name, kind):
            return f"${name} is a {kind}"
        case ("text", name, text):
            return f"${name} is `{text}`"
        case ("among", name, text):
            return f"`{text}` is among $$${name}"
        case ("count", name, count):
            return f"$$${name} has {count} items"
        case ("binds", name, *_):
            return f"the file imports `{name}`"
        case ("parameter", name, _):
            return f"`{name}` is a parameter of the function"
        case ("file", name):
            return f"`{name}` is in the path of the file"
        case ("field", name):
            return f"it is the {name} of what holds it"
        case ("means", name, meaning):
            return f"${name} means {meaning}"
        case ("call", meaning):
            return f"it is about a call of {meaning}"
        case ("of", text):
            return f"it is of `{text}`"
        case ("within", kind):
            return f"it is inside a {kind}"
        case ("argument", _, name):
            return f"it has the argument `{name}`"
        case ("item", kind):
            return f"an argument is a {kind}"
        case ("import", _, head, _):
            return f"the file has `{head}`"
    return f"{fact[1]} is what is {fact[0].replace('above 1', 'right above')} it"


def applied(rule: dict[str, Any], chosen: Iterable[PlaceCondition]) -> dict[str, Any]:
    """A rule document with these conditions in it."""
    document = {**rule, "rule": dict(rule["rule"])}
    constraints = {name: dict(each) for name, each in document.get("constraints", {}).items()}
    parts: list[dict[str, Any]] = []
    for condition in chosen:
        facts = sorted(condition.facts)
        if facts[0][0] == "file":
            document["files"] = [f"**/*{facts[0][1]}*", f"**/*{facts[0][1]}*/**"]
        elif facts[0][0] in (*_OF_HOLES, "among"):
            rule_of_hole = _of_hole(facts)
            wanted = rule_of_hole if condition.wanted else {"not": rule_of_hole}
            known = constraints.get(facts[0][1])
            constraints[facts[0][1]] = wanted if known is None else {"all": [known, wanted]}
        else:
            each = [_of_place(fact) for fact in facts]
            part = each[0] if len(each) == 1 else {"any": each}
            parts.append(part if condition.wanted else {"not": part})
    if parts:
        document["rule"] = {"all": [document["rule"], *parts]}
    if constraints:
        document["constraints"] = constraints
    return document


def _escaped(text: str) -> str:
    return re.escape(text).replace("\\ ", " ")


def _of_hole(facts: Sequence[Fact]) -> dict[str, Any]:
    if facts[0][0] in ("text", "among"):
        texts = "|".join(_escaped(fact[2]) for fact in facts)
        return {"regex": f"^(?:{texts})$"}
    if facts[0][0] == "count":
        something = {"regex": "(?s)."}
        return {"any": something} if facts[0][2] == "some" else {"not": something}
    if facts[0][0] == "means":
        return {"resolvesTo": [fact[2] for fact in facts]}
    kinds = [{"kind": fact[2]} for fact in facts]
    return kinds[0] if len(kinds) == 1 else {"any": kinds}


def _of_place(fact: Fact) -> dict[str, Any]:
    match fact:
        case ("field", name):
            return {"inside": {"field": name, "any": [{"regex": "(?s)."}]}}
        case ("call", meaning):
            called = {"has": {"field": "function", "resolvesTo": meaning}}
            around = {"inside": {"kind": "call", "stopBy": {"kind": "call"}, **called}}
            return {"any": [called, around]}
        case ("of", text):
            return {"inside": {"has": {"nthChild": 1, "regex": f"^{_escaped(text)}$"}}}
        case ("within", kind):
            return {"inside": {"kind": kind, "stopBy": "end"}}
        case ("argument", kind, name):
            return {"has": {"field": "arguments", "has": {"kind": kind, "regex": f"^{name}\\b"}}}
        case ("item", kind):
            return {"has": {"field": "arguments", "has": {"kind": kind}}}
        case ("binds", name, kind, root):
            line = {"kind": kind, "regex": rf"\b{name}\b", "stopBy": "end"}
            return {"inside": {"kind": root, "stopBy": "end", "has": line}}
        case ("parameter", name, kind):
            listed = {"field": "parameters", "regex": rf"\b{_escaped(name)}\b"}
            return {"inside": {"kind": kind, "stopBy": {"kind": kind}, "has": listed}}
        case ("import", kind, head, root):
            spelled = "(?s)^" + _escaped(head) + r"\b"
            line = {"kind": kind, "regex": spelled, "stopBy": "end"}
            return {"inside": {"kind": root, "stopBy": "end", "has": line}}
    inside: dict[str, Any] = {"kind": fact[1]}
    for _ in range(int(fact[0][-1]) - 1):
        inside = {"inside": inside, "regex": "(?s)."}
    return {"inside": inside}


def _is_due(fact: Fact, hypothesis: Hypothesis) -> bool:
    """Whether a condition about this fact belongs to the rule, whatever it has to exclude.

    What is thrown away is of the kinds, and a literal one of the texts, that are known; so are
    the names of functions and attributes. A name that the fix needs is there.
    """
    match fact:
        case ("kind", name, _):
            return name in hypothesis.dropped
        case ("text", name, text):
            is_dropped = name in hypothesis.dropped and _is_literal(text)
            return is_dropped or name in hypothesis.fixed
        case ("binds" | "parameter", name, *_):
            return name in hypothesis.needs
    return False


def _is_literal(text: str) -> bool:
    return text[:1] in "\"'0123456789" or text in _CONSTANTS


def specialised(
    positives: Sequence[MatchedPlace],
    forbidden: Sequence[MatchedPlace],
    hypothesis: Hypothesis,
    doubtful: Sequence[MatchedPlace] = (),
) -> list[PlaceCondition] | None:
    """The fewest conditions that keep all positives and exclude all forbidden places.

    None where these cannot be told apart. Of the `doubtful` places as many are excluded as can
    be told apart.
    """
    having = [place.facts for place in positives]
    chosen = [
        condition
        for condition in _wanted(frozenset.intersection(*having), having)
        if _is_due(min(condition.facts), hypothesis)
    ]
    for unwanted, must in ((forbidden, True), (doubtful, False)):
        left = [place for place in unwanted if all(one.holds(place) for one in chosen)]
        known = conditions(positives, left) if left else []
        while left:
            best = max(
                known,
                key=lambda one: (sum(not one.holds(place) for place in left), -one.cost),
                default=None,
            )
            if best is None or all(best.holds(place) for place in left):
                if must:
                    return None
                break
            chosen.append(best)
            left = [place for place in left if best.holds(place)]
    return chosen
