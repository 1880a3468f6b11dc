"""Pattern text to a tree of goals that a matcher can walk.

The pattern is parsed by the language's own grammar; a node whose whole text is a
metavariable becomes a hole, every other leaf must be found as it stands.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from typing import TypedDict

from tree_sitter import Node

from astedit.errors import RequestError
from astedit.language import Grammar, Row
from astedit.language.traits import traits
from astedit.limits import MAX_PATTERN_DEPTH, MAX_PATTERN_NODES, MAX_PATTERN_SIZE, check_deadline
from astedit.model.request import STRICTNESS
from astedit.pattern.template import Metavariable, PatternText

_LITERAL = re.compile("string|char|content|fragment|text|symbol|heredoc|regex|literal")
ERROR_KIND = 65535  # tree-sitter's own symbol for ERROR, the same in every grammar
SEPARATORS = frozenset({b",", b";"})
CLOSERS = frozenset({")", "]", "}", ">", '"', "'", "`", "%>", "?>", "end"})


class Tag:
    """What a goal asks of a node; plain numbers, since they are compared for every node."""

    TERMINAL = 0
    INTERNAL = 1
    HOLE = 2
    MANY = 3


@dataclass(slots=True)
class Goal:
    """One node of a compiled pattern.

    `choices` says that somewhere below a many-hole has nodes to its right to look for,
    so that matching this goal may succeed in more than one way. `trivial` is an unnamed
    token (punctuation, an operator, a keyword), `separator` a `,` or `;`, `spelled` a
    keyword or a sign like `==` that every match spells: an invented one is none (N-2).
    `place` is a leaf's number among those of `pattern`, -1 for what is no leaf, and `start`
    to `end` its bytes in the pattern's source.
    """

    tag: int
    kind: int = 0
    kind_name: str = ""
    text: bytes = b""
    named: bool = True
    hole: Metavariable | None = None
    children: list["Goal"] = field(default_factory=list)
    choices: bool = False
    trivial: bool = False
    separator: bool = False
    spelled: bool = False
    place: int = -1
    start: int = 0
    end: int = 0
    pattern: "Pattern | None" = field(default=None, repr=False, compare=False)

    def __post_init__(self) -> None:
        self.trivial = self.tag == Tag.TERMINAL and not self.named
        self.separator = self.trivial and self.text in SEPARATORS


@dataclass
class Pattern:
    """A compiled pattern: its goal tree, and what a match is bound to contain.

    `root_kind` is set by a selector: the match's node must be of that kind. `literals`
    are byte strings that every match contains. `flaws` are the nodes the grammar could
    not make sense of: `ERROR`, or the closing bracket or quote it had to invent. `start`
    to `end` are the bytes of `source` that its root goal was made of.
    """

    text: str
    row: Row
    grammar: Grammar
    strictness: str
    goal: Goal
    root_kind: int | None
    root_kind_name: str | None
    literals: tuple[bytes, ...]
    captures: dict[str, Metavariable]
    flaws: tuple[str, ...]
    repeats: bool
    source: bytes
    start: int
    end: int

    @cached_property
    def leaves(self) -> "tuple[Goal, ...]":
        """The goals that stand for text: tokens and holes, in the order of the text."""
        return tuple(goal for goal in goals_of(self.goal) if not goal.children)

    def placed(self, text: bytes) -> Node:
        """The tree of what is around the pattern, with another text in its place."""
        whole = self.source[: self.start] + text + self.source[self.end :]
        return self.grammar.parser().parse(whole, requested=True).root_node


class PatternError(RequestError):
    """A pattern that cannot be compiled for one language.

    Of one that compiles in no language of a request, `op` is its number there.
    """

    code = "bad_pattern"
    op: int | None = None
    row: Row | None = None


class PatternOptions(TypedDict, total=False):
    """What says, beside its text, how a pattern is read: the keywords of `compile_pattern`."""

    selector: str | None
    context: str | None
    strictness: str


def compile_pattern(
    text: str,
    row: Row,
    grammar: Grammar,
    *,
    selector: str | None = None,
    context: str | None = None,
    strictness: str = "smart",
) -> Pattern:
    """Compiles `text` for one language, or raises `PatternError` with a way on.

    With `context`, that text is parsed instead and `selector` picks the node that
    matters (P1, P4); `text` is then only what messages call the pattern.
    """
    _check(text, context, strictness)
    check_deadline()
    written = PatternText.of(context if context is not None else text, row, grammar)
    source, root = written.source, written.root
    if root.child_count == 0:
        raise PatternError(f"The pattern {text!r} is empty in {row.label}.", code="empty_pattern")
    if root.descendant_count > MAX_PATTERN_NODES:
        raise PatternError(
            f"The pattern has more than {MAX_PATTERN_NODES:,} nodes in {row.label}.",
            code="pattern_too_large",
        )
    node = _select(root, selector, grammar, text, row) if selector else _effective(root, text, row)
    flaws: list[str] = []
    if not selector and root.has_error and (node.text or b"").strip() != source.strip():
        flaws.append("ERROR")  # a part of the text went into no node: C# reads `return $A` so
    goal = _goal(node, written, flaws, 0)
    if goal.tag == Tag.MANY:
        raise PatternError(
            f"A standalone multi metavariable {text.strip()!r} matches no single node.",
            hint="Use $VAR, or wrap it: f($$$ARGS).",
            code="standalone_multi",
        )
    holes = [one.hole for one in goals_of(goal) if one.hole is not None and one.hole.name]
    _mark(goal)
    if traits(row.name).facts.keywords is not None and strictness in ("smart", "cst") and not flaws:
        _mark_spelled(goal)
    pattern = Pattern(
        text=text,
        row=row,
        grammar=grammar,
        strictness=strictness,
        goal=goal,
        root_kind=node.kind_id if selector else None,
        root_kind_name=node.type if selector else None,
        literals=_literals(goal, strictness),
        captures={hole.name: hole for hole in holes if hole.name},
        flaws=tuple(flaws),
        repeats=len({(hole.name, hole.many) for hole in holes}) < len(holes),
        source=source,
        start=node.start_byte,
        end=node.end_byte,
    )
    for place, leaf in enumerate(pattern.leaves):
        leaf.place, leaf.pattern = place, pattern
    return pattern


def goals_of(goal: Goal) -> Iterator[Goal]:
    """A goal and all below it, in the order of the text."""
    yield goal
    for child in goal.children:
        yield from goals_of(child)


def _check(text: str, context: str | None, strictness: str) -> None:
    if not text.strip() and not (context or "").strip():
        raise PatternError("The pattern is empty.", code="empty_pattern")
    if len((context or text).encode("utf-8", "surrogatepass")) > MAX_PATTERN_SIZE:
        raise PatternError(
            f"The pattern is longer than {MAX_PATTERN_SIZE} bytes.", code="pattern_too_large"
        )
    if strictness not in STRICTNESS:
        raise RequestError(
            f"Unknown strictness {strictness!r}.", hint=f"One of: {', '.join(STRICTNESS)}."
        )


def _select(root: Node, selector: str, grammar: Grammar, text: str, row: Row) -> Node:
    if grammar.language.id_for_node_kind(selector, True) is None:
        raise PatternError(
            f"{row.label} has no node kind {selector!r}.",
            hint="`astedit explain -p … FILE:LINE` shows the kinds of a file.",
            code="invalid_kind",
        )
    for node in grammar.nodes(root, [selector]):
        if node.type == selector:
            return node
    raise PatternError(
        f"The selector {selector!r} matches no node in the context of {text!r}.",
        hint=f"The context parses as: {root}",
        code="selector_not_found",
    )


def _single(node: Node) -> bool:
    """One child; or two, of which the second is an artefact of the grammar (P2)."""
    count = node.child_count
    if count != 2:
        return count == 1
    second = node.child(1)
    return second.is_missing or not second.type


def _effective(root: Node, text: str, row: Row) -> Node:
    if not _single(root):
        raise PatternError(
            f"The pattern {text!r} holds several top-level nodes in {row.label}.",
            hint="Match one node; give the others in a context with a selector.",
            code="multiple_nodes",
        )
    node = root
    while _single(node):
        node = node.child(0)
    return node


def _goal(node: Node, written: PatternText, flaws: list[str], depth: int) -> Goal:
    """Compiles a node, noting what the grammar could not make sense of outside holes."""
    goal = _compiled(node, written, flaws, depth)
    goal.start, goal.end = node.start_byte, node.end_byte
    return goal


def _compiled(node: Node, written: PatternText, flaws: list[str], depth: int) -> Goal:
    if depth > MAX_PATTERN_DEPTH:
        raise PatternError(
            f"The pattern is nested deeper than {MAX_PATTERN_DEPTH} levels.", code="too_deep"
        )
    text, hole = written.read(node)
    if hole is not None:
        return Goal(Tag.MANY if hole.many else Tag.HOLE, hole=hole, text=text)
    if node.is_error:
        flaws.append("ERROR")
    if node.child_count == 0:
        return Goal(Tag.TERMINAL, node.kind_id, node.type, text, node.is_named)
    children = []
    for child in node.children:
        if not child.is_missing:
            children.append(_goal(child, written, flaws, depth + 1))
        elif child.type in CLOSERS:
            flaws.append(f"MISSING {child.type}")
    for left, right in pairwise([c for c in children if not c.trivial]):
        if left.tag == right.tag == Tag.MANY:
            raise PatternError(
                "The pattern is ambiguous: two many-holes in a row.",
                hint="Keep one $$$, or put something between them that tells where one ends.",
                code="ambiguous",
            )
    if all(child.tag == Tag.TERMINAL for child in children) and has_own_text(node):
        return Goal(Tag.TERMINAL, node.kind_id, node.type, text, node.is_named)
    return Goal(Tag.INTERNAL, node.kind_id, node.type, text, node.is_named, None, children)


def has_own_text(node: Node) -> bool:
    """Whether a literal says more than its nodes: in `a\\nb` only the escape is one. (M-9)"""
    if not node.child_count or not _LITERAL.search(node.type):
        return False
    begin, own = node.start_byte, node.text or b""
    ends = [begin, *(child.end_byte for child in node.children)]
    pairs = zip(ends, [*(child.start_byte for child in node.children), node.end_byte], strict=True)
    return any(own[end - begin : start - begin].strip() for end, start in pairs)


def _mark(goal: Goal) -> bool:
    """Sets `choices` bottom-up: a many-hole with something significant after it."""
    below = [_mark(child) for child in goal.children]
    own = any(
        c.tag == Tag.MANY and any(not later.trivial for later in goal.children[i + 1 :])
        for i, c in enumerate(goal.children)
    )
    goal.choices = own or any(below)
    return goal.choices


def _mark_spelled(goal: Goal) -> None:
    """Sets `spelled`. Tokens between a many-hole and what follows it are not compared (M-2)."""
    for child in goal.children:
        if child.tag == Tag.MANY:
            break
        child.spelled = child.trivial and is_spelled(child.kind_name, child.text)
    for child in goal.children:
        _mark_spelled(child)


def is_spelled(kind_name: str, text: bytes) -> bool:
    """Is this token one that is called as it is spelled, wherever it stands?

    C may have blanks behind the `#` of a directive, Python between `is` and `not`.
    """
    plain = len(kind_name) > 1 and not kind_name.startswith("#") and " " not in kind_name
    return plain and kind_name.encode() == text


def _literals(goal: Goal, strictness: str) -> tuple[bytes, ...]:
    """Texts that the bytes of every match contain, longest first.

    Only named leaves count: an unnamed token is compared by kind alone, and error
    recovery may have invented it. Under `signature` texts are not compared at all.
    """
    if strictness == "signature":
        return ()
    leaves = (one for one in goals_of(goal) if one.tag == Tag.TERMINAL and one.named)
    found = {leaf.text for leaf in leaves if leaf.text.strip()}
    return tuple(sorted(found, key=lambda text: (-len(text), text)))
