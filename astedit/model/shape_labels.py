"""What the shapes of a plan are called, where patterns made it: in the user's own words.

`self.assertEqual($A, $B) → assert $A == $B` says more than what the edits have in common.
Where the edits of one pattern are of several shapes, each says in words what is special
about it: `… ($B is a dict or set)`. No two shapes of a plan have one label.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import NamedTuple

from astedit.model.edit import Edit, Shape
from astedit.model.request import EditRequest
from astedit.model.token_diff import TOKEN, Sketch, Tokens
from astedit.text import shortened

ARROW = " → "
MOST = 120  # characters of one side
_SKETCHES = 40  # of a shape whose captures are looked at
_STEPS = 2_000  # of one comparison of a pattern with an edit
_WORDS = 100  # of a pattern whose captures are told apart
_SIGNS = re.compile(r" \(((?:\d+ items?, )?with [^()]*)\)$")  # the spreads and keywords in holes
_HOLE = re.compile(r"(\${1,3}[A-Z_][A-Z0-9_]*|\$\$\$)")


class SketchedEdit(NamedTuple):
    """An edit with its path and its tokens."""

    path: str
    edit: Edit
    sketch: Sketch


class AlikeEdits(NamedTuple):
    """A shape with its edits, in path order."""

    shape: Shape
    edits: list[SketchedEdit]


def in_words(groups: Sequence[AlikeEdits], request: EditRequest) -> list[AlikeEdits]:
    """The same groups in the same order, under labels that are all different."""
    by_source: dict[tuple[int | None, str | None], list[int]] = {}
    for at, group in enumerate(groups):
        by_source.setdefault((group.shape.op, group.shape.rule_id), []).append(at)
    labels = [" ".join(group.shape.label.split()) for group in groups]
    for (op, rule_id), places in by_source.items():
        texts = _texts(request, op, rule_id)
        if texts is not None and all(groups[at].edits[0].edit.op is not None for at in places):
            for at, label in zip(
                places, _labels([groups[at] for at in places], *texts), strict=True
            ):
                labels[at] = label
    return [
        group._replace(shape=replace(group.shape, label=label))
        for group, label in zip(groups, _distinct(labels, groups), strict=True)
    ]


def _texts(request: EditRequest, op: int | None, rule_id: str | None) -> tuple[str, str] | None:
    """Pattern and template of an op, or of a rule that is as plain; None of others."""
    if rule_id is None:
        if op is None or op >= len(request.ops):
            return None
        return request.ops[op].pat, request.ops[op].out or ""
    rule = next((rule for rule in request.rules if rule.get("id") == rule_id), {})
    pattern, fix = (rule.get("rule") or {}).get("pattern"), rule.get("fix")
    return (pattern, fix) if isinstance(pattern, str) and isinstance(fix, str) else None


def _labels(groups: Sequence[AlikeEdits], pattern: str, template: str) -> Iterator[str]:
    label = ARROW.join((_side(pattern), _side(template) or "(nothing)"))
    words = [
        word
        for part in _HOLE.split(pattern)
        for word in ([part] if _HOLE.fullmatch(part) else TOKEN.findall(part))
    ]
    usual = _kinds(groups[0], words)
    for number, group in enumerate(groups):
        kinds = _kinds(group, words).items() if number else ()
        special = [f"{name} is {kind}" for name, kind in kinds if kind and kind != usual.get(name)]
        if signs := _SIGNS.search(group.shape.label):
            special = [signs[1]]
        if group.edits[0].edit.matches > 1:
            special.append("with matches inside")
        yield f"{label} ({', '.join(special)})" if special else label


def _side(text: str) -> str:
    return shortened(" ".join(text.split()), MOST)


def _kinds(group: AlikeEdits, words: Sequence[str]) -> dict[str, str]:
    """The kind of each capture, by its name with the `$`; '' where it is not always the same."""
    if len(words) > _WORDS:
        return {}
    sketches = {id(member.sketch): member.sketch for member in group.edits[:_SKETCHES]}
    kinds: dict[str, Counter[str]] = {}
    for sketch in sketches.values():
        for name, tokens in (_captures(words, sketch.before) or {}).items():
            kinds.setdefault(name, Counter())[capture_kind(tokens)] += 1
    return {name: next(iter(count)) if len(count) == 1 else "" for name, count in kinds.items()}


def _captures(words: Sequence[str], tokens: Tokens) -> dict[str, Tokens] | None:
    """What stands for each metavariable if the tokens are those of the pattern."""
    steps = _STEPS

    def match(word: int, token: int) -> dict[str, Tokens] | None:
        nonlocal steps
        steps -= 1
        if steps < 0:
            return None
        if word == len(words):
            return {} if token == len(tokens) else None
        if not _HOLE.fullmatch(words[word]):
            same = token < len(tokens) and tokens[token] == words[word]
            return match(word + 1, token + 1) if same else None
        for end in _ends(tokens, token, several=words[word].startswith("$$$")):
            rest = match(word + 1, end)
            if rest is not None:
                return {words[word]: tokens[token:end]} | rest
        return None

    return match(0, 0)


def _ends(tokens: Tokens, start: int, *, several: bool) -> Iterator[int]:
    """Where a capture may end that begins here: no bracket is open there."""
    if several:
        yield start
    depth = 0
    for at in range(start, len(tokens)):
        depth += (tokens[at] in _CLOSING) - (tokens[at] in _CLOSING.values())
        if depth < 0:
            return
        if depth == 0:
            yield at + 1


def _distinct(labels: Sequence[str], groups: Sequence[AlikeEdits]) -> Iterator[str]:
    """The labels; one that stood before says which edit is an example of it."""
    count, taken = Counter(labels), set[str]()
    for label, group in zip(labels, groups, strict=True):
        shown = label
        if label in taken and count[label] > 1:
            shown = f"{label} (such as {_side(group.shape.example.before)})"
        number = 2
        while shown in taken:
            shown, number = f"{label} ({number})", number + 1
        taken.add(shown)
        yield shown


_NAME = re.compile(r"[^\W\d]\w*")
_DOTTED = frozenset({".", "?", ":", "->"})
_CONSTANTS = frozenset({"None", "True", "False", "null", "nil", "true", "false", "undefined"})
_FUNCTIONS = frozenset({"lambda", "function", "fn", "func"})
_DISPLAYS = {"(": "brackets", "[": "a list", "{": "a dict or set"}
_CLOSING = {"(": ")", "[": "]", "{": "}"}
_LOOSE = frozenset(").,;:=")


def capture_kind(tokens: Tokens) -> str:
    """The kind in words: `a name`, `a call`, `several items`."""
    if not (tokens := _bare(tokens)):
        return "nothing"
    if tokens[0] in _FUNCTIONS:
        return "a function"
    if len(tokens) == 1:
        return _of_token(tokens[0])
    outer = [token for token, depth in _depths(tokens) if depth == 0]
    return "several items" if "," in outer else _of_several(tokens, outer)


def _of_token(token: str) -> str:
    if token in _CONSTANTS:
        return "a constant"
    if token[0] in "\"'":
        return "a string"
    if token[0].isdigit():
        return "a number"
    return "a name" if _NAME.fullmatch(token) else "a sign"


def _of_several(tokens: Tokens, outer: list[str]) -> str:
    """Of tokens without a comma outside brackets; `outer` are those outside."""
    if any(
        not (token in _DOTTED or _NAME.fullmatch(token) or token in "()[]{}") for token in outer
    ):
        return "a string" if _quoted(tokens) else "an expression"
    if tokens[0] in _DISPLAYS and len(outer) == 2:
        return _DISPLAYS[tokens[0]]
    names = pairwise(outer)
    if any(_NAME.fullmatch(one) and _NAME.fullmatch(other) for one, other in names):
        return "an expression"  # `a if b else c`, `not a`
    return {")": "a call", "]": "an item", "}": "a block"}.get(tokens[-1], "a dotted name")


def _quoted(tokens: Tokens) -> bool:
    """Whether it is one string with a prefix, or strings side by side."""
    return all(token[0] in "\"'" or token in ("f", "r", "b", "rb", "u") for token in tokens)


def _bare(tokens: Tokens) -> Tokens:
    """Without what a list around it leaves: its brackets, or one of them, and commas."""
    start, end = 0, len(tokens)
    while start < end and tokens[start] in _LOOSE:
        start += 1
    while start < end and tokens[end - 1] in ",;:=":
        end -= 1
    inner = tokens[start:end]
    whole = all(depth > 0 for _, depth in list(_depths(inner))[1:-1])
    if inner and inner[0] == "(" and inner[-1] == ")" and whole:
        return inner[1:-1]
    surplus = inner.count(")") - inner.count("(")
    return inner[: len(inner) - surplus] if surplus > 0 and inner[-1] == ")" else inner


def _depths(tokens: Tokens) -> Iterator[tuple[str, int]]:
    """Each token, and how many brackets are open around it."""
    depth = 0
    for token in tokens:
        depth -= token in _CLOSING.values()
        yield token, depth
        depth += token in _CLOSING
