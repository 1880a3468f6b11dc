"""What goes with a deleted match: its statement, its separator, its line. (rule F14)"""

import re
from bisect import bisect_right
from codecs import BOM_UTF8
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise, takewhile
from typing import NamedTuple

from tree_sitter import Node

from astedit.language.facts import Facts
from astedit.pattern.listed import walk
from astedit.text.indent import leading_white
from astedit.text.source import ByteRange, Change, line_start, united

_SILENT = re.compile(rb"[\s;]*")
_BEFORE = {  # what goes with the only thing that it is about, by the kind of node of both
    **dict.fromkeys(("block_sequence_item", "list_item"), re.compile(rb"[-*+]?\s*")),
    **dict.fromkeys(("await", "await_expression"), re.compile(rb"(await\s+)?")),
    "export_statement": re.compile(rb"(export\s+)?"),
    "ambient_declaration": re.compile(rb"(declare\s+)?"),
    "call": re.compile(rb"((private|protected|public|module_function)(_class_method)?\s+)?"),
}
_DIRECTIVE = re.compile(rb"//(?:go:(?!build|generate)\w|export )")
_VALUE = re.compile(
    r"expression$|literal$|_operator$|_call$|^(attribute|await|call|command|element_reference"
    r"|identifier|float|integer|number|string|subscript)$"
)
_BEFORE_ITEM = (*"([{<,;|\n", "return", "global", "nonlocal")  # signs that a list may go on behind
_BEHIND_ITEM = (*")]}>,;|\n", "\r\n")
_ALWAYS_ONE = re.compile("index|redirected|^(if|for|while|do)_")  # kinds that cannot do without
_CONDITIONS = re.compile("(if|guard|while)_")
_ROWS, _ASSIGNING = ("expression_list", "left_assignment_list", "pattern_list"), ("=", ":=", "in")
_REST = re.compile(rb"([ \t]*)(\r?\n|\Z)?")
_BLANK_LINE = re.compile(rb"[ \t]*\r?\n")
_SEPARATORS = frozenset({",", ";"})
_NO_BLOCKS = Facts()


@dataclass(slots=True)
class Removal:
    """One deleted match: the node that goes, and its bytes."""

    node: Node
    start: int
    end: int


class Cut(NamedTuple):
    """Bytes `start` to `end` are replaced by `kept`: the comments among them."""

    start: int
    end: int
    kept: bytes


def removal(node: Node, start: int, end: int, source: bytes, facts: Facts) -> Removal:
    """Widens a deletion to its statement, if that then holds nothing but punctuation."""
    whole: Node | None = node
    while (
        whole is not None
        and whole.parent is not None
        and (whole is node or whole.type not in facts.blocks)
        and _BEFORE.get(whole.type, _SILENT).fullmatch(source, whole.start_byte, start)
        and _SILENT.fullmatch(source, end, whole.end_byte)
    ):
        node = whole
        start, end = min(start, node.start_byte), max(end, node.end_byte)
        whole = node.parent
    if bodies := _heredocs(node):
        end = bodies[-1].end_byte
    parts = [part for part in node.children if not part.is_extra]
    if parts[1:] and parts[-1].type == ";" and parts[-2].end_point[0] < parts[-1].end_point[0]:
        end = parts[-2].end_byte  # it is there for the next line
    return Removal(node, start, start + len(source[start:end].rstrip()))


def _heredocs(node: Node) -> list[Node] | None:
    """The bodies behind a node of the heredocs of Ruby that it begins; None if others have some."""
    if b"<<" not in (node.text or b""):
        return []
    kinds = [one.type for one in walk(node)]
    bodies: list[Node] = []
    behind = node.next_sibling
    while behind is not None and behind.type == "heredoc_body":
        bodies.append(behind)
        behind = behind.next_sibling
    count = kinds.count("heredoc_beginning") - kinds.count("heredoc_body")
    return (bodies if count == len(bodies) else None) if count > 0 else []


def is_needed(node: Node) -> bool:
    """Would what is around a deleted node be something else without it, though it parses?

    So `except A:` catches all without `A`, and `for f() {}` never ends without `f()`. What may
    go is an item of a list, the value of a `return`, and what is no value.
    """
    outer, kind = node.parent, node.type
    if outer is None:
        return False
    if kind == "for_clause" or _heredocs(node) is None:
        return True
    if kind == "const_spec":  # of Go, whose values are counted
        return b"iota" in (outer.text or b"")
    if kind == "argument_list":  # of Ruby's `puts a`
        return outer.type != "return" and not (node.text or b"").startswith((b"(", b"["))
    if not _VALUE.search(kind):
        return False
    before, behind = _beside(node)
    kinds = [one.type for one in (before, behind) if one is not None]
    if "," in kinds and _CONDITIONS.match(outer.type):
        return False  # one of several, as Swift's `if a, b` has
    if before is not None and not before.is_named and before.type not in _BEFORE_ITEM:
        return True
    if behind is not None and not behind.is_named and behind.type not in _BEHIND_ITEM:
        return True
    if any("operator" in kind for kind in kinds) or _ALWAYS_ONE.search(outer.type):
        return True
    first = outer.child(0)
    if first is not None and first.type == "[" and ";" in kinds:
        return True  # of Rust's `[a; 3]`
    if outer.type.startswith("tuple") and outer.named_child_count == 2:
        return True
    around = {one.type for one in (outer.prev_sibling, outer.next_sibling) if one is not None}
    if outer.type == "jsx_expression":
        return "=" in around
    return outer.type in _ROWS and not around.isdisjoint((*_ASSIGNING, "return"))


def _beside(node: Node) -> tuple[Node | None, Node | None]:
    """What is before and behind a node, comments aside; the others are not looked at."""
    before, behind = node.prev_sibling, node.next_sibling
    while before is not None and before.is_extra:
        before = before.prev_sibling
    while behind is not None and behind.is_extra:
        behind = behind.next_sibling
    return before, behind


def emptied(nodes: Sequence[Node], facts: Facts) -> set[int]:
    """Those nodes, by id, that all gone leave a block without a statement it needs."""
    gone = {node.id for node in nodes}
    blocks = {parent.id: parent for node in nodes if (parent := node.parent)}
    return {each for block in blocks.values() for each in facts.sole_statements(block, gone)}


def widen(removals: Sequence[Removal], source: bytes) -> list[Cut]:
    """What each deletion does to the file, in the order given; the same for those that meet.

    One adjoining separator goes with an item of a list, and a line that is then blank.
    """
    owned = _spans(removals, source)
    merged = list(_merged((span for spans in owned for span in spans), source))
    starts = [low for low, _ in merged]
    tidy = [_tidy(low, high, source) for low, high in merged]
    ranges = [
        (bisect_right(starts, spans[0][0]) - 1, bisect_right(starts, spans[-1][0]) - 1)
        for spans in owned
    ]
    cuts: dict[int, Cut] = {}
    for first, last in united(ranges):
        cuts.update(dict.fromkeys(range(first, last + 1), _cut(tidy[first : last + 1], source)))
    return [cuts[first] for first, _ in ranges]


def cuts(nodes: Iterable[Node], source: bytes, facts: Facts = _NO_BLOCKS) -> list[Change]:
    """The changes that delete nodes, each with its separator or its line."""
    removals = [removal(node, *node.byte_range, source, facts) for node in nodes]
    return sorted({(*cut,) for cut in widen(removals, source)})


def _spans(removals: Sequence[Removal], source: bytes) -> list[list[ByteRange]]:
    """For each removal its item and the separator that goes with it."""
    siblings = _Siblings({r.node.id for r in removals})
    order = sorted(range(len(removals)), key=lambda i: removals[i].start)
    found = {i: _with_separator(removals[i], siblings, source) for i in order}
    return [[*siblings.attributes(r.node), *found[i]] for i, r in enumerate(removals)]


class _Siblings:
    """What stands beside a node in its list, removed nodes and comments aside."""

    def __init__(self, gone: set[int]) -> None:
        self._gone = gone  # removed nodes, and separators that go with one of them
        self._alone: set[int] = set()  # nodes before which there is no separator left
        self._lists: dict[int, tuple[list[Node], dict[int, int]]] = {}

    def separator(self, node: Node, step: int) -> Node | None:
        """The separator next to a node in one direction, if one is left; it is then taken."""
        for sibling in self._beside(node, step):
            if sibling.id in self._alone:
                break
            if sibling.is_extra or (step < 0 and sibling.id in self._gone):
                continue
            if sibling.type not in _SEPARATORS:
                break
            self._gone.add(sibling.id)
            return sibling
        if step < 0:
            self._alone.add(node.id)
        return None

    def attributes(self, node: Node) -> list[ByteRange]:
        """Those of Rust, and directives of Go: before an item, they would be of the next one."""
        before = takewhile(
            lambda one: one.type == "attribute_item" or one.is_extra, self._beside(node, -1)
        )
        kept = [one for one in before if not one.is_extra or _DIRECTIVE.match(one.text or b"")]
        return [one.byte_range for one in kept][::-1]

    def _beside(self, node: Node, step: int) -> Iterator[Node]:
        parent = node.parent
        if parent is None:
            return
        if parent.id not in self._lists:
            nodes = parent.children
            self._lists[parent.id] = nodes, {each.id: i for i, each in enumerate(nodes)}
        nodes, places = self._lists[parent.id]
        at = places[node.id] + step
        while 0 <= at < len(nodes):
            yield nodes[at]
            at += step


def _with_separator(r: Removal, siblings: _Siblings, source: bytes) -> list[ByteRange]:
    """The item and the separator behind it; before it, for the last items of a list."""
    item = r.start, r.end
    if (after := siblings.separator(r.node, 1)) is not None:
        return _joined(item, (after.start_byte, after.end_byte), source)
    if (before := siblings.separator(r.node, -1)) is not None:
        return _joined((before.start_byte, before.end_byte), item, source)
    return [item]


def _joined(left: ByteRange, right: ByteRange, source: bytes) -> list[ByteRange]:
    """One span, if there is only white space between the two."""
    if not source[left[1] : right[0]].strip():
        return [(left[0], right[1])]
    return [left, right]


def _merged(spans: Iterable[ByteRange], source: bytes) -> Iterator[ByteRange]:
    """Spans that overlap, or have nothing but blanks between them, as one; sorted."""
    wide = ((low, high + len(leading_white(source, high))) for low, high in spans)
    for low, high in united(wide):
        yield low, low + len(source[low:high].rstrip(b" \t"))


def _tidy(low: int, high: int, source: bytes) -> ByteRange:
    """The whole line, if nothing else is on it; else the blanks that are now too many."""
    line = source.rfind(b"\n", 0, low) + 1 or (len(BOM_UTF8) if source[:3] == BOM_UTF8 else 0)
    first = line + len(source[line:low].rstrip(b" \t"))
    rest = _REST.match(source, high)
    assert rest is not None
    if rest[2] is not None:
        low, high = (line, rest.end()) if first == line else (first, rest.end(1))
        return low, _tidy_end(low, high, source)
    if first == line or source[first - 1 : first] in b"([{" or (first < low and rest[1]):
        return low, rest.end(1)
    return (first, high) if source[high : high + 1] in b")]}>;," else (low, high)


def _tidy_end(low: int, high: int, source: bytes) -> int:
    """Behind as many of the blank lines that follow whole lines as there are before these."""
    while low and (blank := _BLANK_LINE.match(source, high)):
        low = line_start(source, low - 1)
        if not _BLANK_LINE.match(source, low):
            break
        high = blank.end()
    return high


def _cut(parts: Sequence[ByteRange], source: bytes) -> Cut:
    kept = b"".join(source[left[1] : right[0]] for left, right in pairwise(parts))
    return Cut(parts[0][0], parts[-1][1], kept)
