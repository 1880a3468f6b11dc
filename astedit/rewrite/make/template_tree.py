"""The tree of an edit with its captures collapsed: it is the tree of the template. (F12)

Captures that are whole do not yet make it so. `{$$$A}` is a set, and without an item a
dictionary; two lines of JavaScript may become one statement. So the template is parsed
with a name in every hole, and what an edit made must have that structure.
"""

import math
import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Container, Iterator, Sequence
from functools import cached_property
from itertools import pairwise
from typing import NamedTuple

from tree_sitter import Node

from astedit.language.brackets import Brackets
from astedit.language.traits import traits
from astedit.pattern.compile import Pattern
from astedit.pattern.template import Template
from astedit.rewrite.make.template_leaves import Flat, parsed
from astedit.text.indent import Mark, Text
from astedit.text.source import ByteRange

# A token, a hole, or the number of a structure: a node may be deeper than Python recurses.
Branch = bytes | int
_Structure = tuple[Branch, ...]  # of a node: its kind, if that counts, and what is in it
_Hole = Callable[[int, int], bytes | None]  # what stands for the bytes of a node, if they are one

QUOTED = re.compile(rb"\A[A-Za-z]*(\"\"\"|'''|\"|')(.*)\1\Z", re.DOTALL)
_LEAF = b"a leaf"
_SEPARATORS = frozenset((b"", b",", b";"))
_GROUPING = (b"(", b")")  # in no expression of a kind that counts they mean nothing
_MANY = b"$"  # begins what stands for a hole
_ENDS = (",", ";")  # at the ends of a text they may be anyone's
_ARGUMENTS = ("keyword_argument", "value_argument")  # with a name, an assignment reads as one
_SILENT = re.compile(rb"[\s;]*")
_FLAT = frozenset({"comparison_operator", "concatenated_string"})  # operands of several in a row


class _OpenNode(NamedTuple):
    """A node that is being looked at: its children that are still to come, and what is left
    of the others."""

    node: Node | None
    nodes: Iterator[Node]
    branches: list[Branch]


class TemplateTree:
    """The tree of one template in the place that its pattern has in its context."""

    def __init__(self, template: Template, pattern: Pattern) -> None:
        flat = Flat(template, pattern.row.stand_in)
        self.text = template.text.encode()
        known = traits(pattern.row.name)
        low, self._root = parsed(flat, pattern)
        self._span = low, low + len(flat.text)
        self._slots = {(low + start, low + end): slot for start, end, slot in flat.slots}
        self._numbers: dict[_Structure, int] = {}
        self._structures: list[_Structure] = []
        self._brackets = known.brackets or Brackets()
        self._literals = known.facts.literals
        self._code_in_literals = known.facts.code_in_literals
        apart = all(one[1] < two[0] for one, two in pairwise(sorted(self._slots)))
        self._is_compared = known.facts.plain_holes and apart and not self._root.has_error
        self.is_bare_tuple = self._is_bare(known.facts.tuples)
        self.tuples = known.facts.tuples
        self._types = known.facts.types
        self._single = {slot.name for slot in self._slots.values() if not slot.many}
        self._made: dict[frozenset[str], _Structure] = {}

    @cached_property
    def quoted(self) -> frozenset[str]:
        """The slots that are always text in a literal, a comment or a word, and never code."""
        if self._root.has_error:
            return frozenset()
        code = {slot.name for span, slot in self._slots.items() if not self._is_quoted(*span)}
        return frozenset(slot.name for slot in self._slots.values()) - code

    @cached_property
    def delimiters(self) -> dict[tuple[str, int], bytes]:
        """The quotes of the literal in whose code a slot stands, by name and number."""
        seen = Counter[str]()
        made: dict[tuple[str, int], bytes] = {}
        leaves = self._quoted_leaves()
        end, quote = next(leaves, (self._root.end_byte, b""))
        for (low, _), slot in sorted(self._slots.items(), key=lambda item: item[0]):
            while end <= low < self._root.end_byte:
                end, quote = next(leaves, (self._root.end_byte, b""))
            made[slot.name, seen[slot.name]] = quote
            seen[slot.name] += 1
        return made

    def _quoted_leaves(self) -> Iterator[tuple[int, bytes]]:
        """Where each leaf ends, and the quotes of the literal in whose code it stands."""
        stack = [(self._root, b"", b"")]
        while stack:
            node, literal, quote = stack.pop()
            if node.type == self._code_in_literals:
                quote = literal
            elif node.type in self._literals and (quoted := QUOTED.match(node.text or b"")):
                literal = quoted[1]
            stack += [(child, literal, quote) for child in reversed(node.children)]
            if not node.child_count:
                yield node.end_byte, quote

    def _is_quoted(self, low: int, high: int) -> bool:
        node = self._root.descendant_for_byte_range(low, high)
        if node is None or (node.start_byte, node.end_byte) == (low, high):
            outer = node and node.parent
            return outer is not None and outer.type in self._literals
        return node.is_extra or node.child_count == 0 or node.type in self._literals

    def differs(self, root: Node, start: int, text: Text) -> bool:
        """Is the text, which begins at byte `start` of a result, read as something else?"""
        cover = root.descendant_for_byte_range(start, start + len(text.data))
        if cover is not None and cover.type in self._types:
            return False
        if cover is not None and cover.type in _ARGUMENTS and self.kind == "assignment":
            return True
        if self.is_bare_tuple and not is_tuple(root, start, text.data, self.tuples):
            return True
        if not self._is_compared or any(map(_holds_brackets, text.marks)):
            return False
        marks = [self._span_of(mark, start, text.data) for mark in outermost(text)]
        names = {name for _, _, name in marks}
        empty = frozenset(slot.name for slot in self._slots.values() if slot.name not in names)
        if not empty.isdisjoint(self._single):
            return False  # it belongs to an alternative that was not taken
        if empty not in self._made:
            self._made[empty] = self._collapsed(self._root, self._span, self._slot_without(empty))
        spans = [(low, high) for low, high, _ in marks]
        holes = _hole_of(spans, [_MANY + name.encode() for _, _, name in marks])
        made = self._collapsed(root, (start, start + len(text.data)), holes)
        meant = self._made[empty]
        return made != meant and (meant[:1] == (b"(",) or made[1:] != (b"(", *meant, b")"))

    def _span_of(self, mark: Mark, start: int, data: bytes) -> tuple[int, int, str]:
        """Where a capture stands; of a tuple that got brackets, they are part of it."""
        low, high = mark.start, mark.end
        signs = data[low - 1 : low], data[high : high + 1]
        if mark.nodes and mark.nodes[0].type in self._brackets.bare and signs == _GROUPING:
            low, high = low - 1, high + 1
        return start + low, start + high, mark.name

    @cached_property
    def kind(self) -> str:
        """The kind of node that the template is; empty for anything else."""
        run = run_at(self._root, *self._span)
        return run.nodes[0].type if run.is_one and not run.nodes[0].has_error else ""

    def _is_bare(self, tuples: frozenset[str]) -> bool:
        """Is the template a tuple without brackets, `$A, $B`?"""
        cover = self._root.descendant_for_byte_range(*self._span)
        if cover is None or cover.type not in tuples:
            return False
        signs = {child.type for child in cover.children}
        return "," in signs and signs.isdisjoint(("(", "["))

    def _slot_without(self, empty: frozenset[str]) -> _Hole:
        spans = sorted(self._slots)
        names = [self._slots[span].name for span in spans]
        return _hole_of(spans, [b"" if name in empty else _MANY + name.encode() for name in names])

    def _collapsed(self, root: Node, span: ByteRange, hole: _Hole) -> _Structure:
        branches = tuple(self._branches(run_at(root, *span).nodes, hole))
        if len(branches) == 1 and isinstance(branches[0], int):
            structure = self._structures[branches[0]]
            return structure[1:] if structure[0] == b"" else structure
        return branches

    def _branches(self, nodes: Sequence[Node], hole: _Hole) -> list[Branch]:
        """What is left of nodes: nothing of separators and of what is extra."""
        open_nodes = [_OpenNode(None, iter(nodes), [])]
        while True:
            current = open_nodes[-1]
            if (node := next(current.nodes, None)) is None:
                open_nodes.pop()
                if current.node is None:
                    return current.branches
                self._append(open_nodes[-1].branches, self._branch(current.node, current.branches))
            elif node.is_extra:
                continue
            elif (taken := hole(node.start_byte, node.end_byte)) is not None:
                self._append(current.branches, taken or None)
            elif not node.child_count or node.type in self._literals:
                self._append(current.branches, _leaf(node))
            else:
                open_nodes.append(_OpenNode(node, iter(node.children), []))

    def _append(self, branches: list[Branch], branch: Branch | None) -> None:
        """Adds what is left of a node; the same hole twice in a row counts once.

        So does one at the end of a body, with the clauses behind that in it.
        """
        last = branches[-1] if branches else None
        if isinstance(branch, bytes) and branch.startswith(_MANY):  # a hole
            last = self._structures[last][-1] if isinstance(last, int) else last
            branch = None if branch == last else branch
        if branch is not None:
            branches.append(branch)

    def _branch(self, node: Node, inner: list[Branch]) -> Branch | None:
        """What is left of a node; one thing alone is that thing."""
        kind = self._kind(node)
        if kind == b"":
            inner = [branch for branch in inner if branch not in _GROUPING]
        if not inner or (len(inner) == 1 and kind == b""):
            return inner[0] if inner else None
        structure = (kind, *inner)
        if structure not in self._numbers:
            self._numbers[structure] = len(self._structures)
            self._structures.append(structure)
        return self._numbers[structure]

    def _kind(self, node: Node) -> bytes:
        kind = node.type
        is_value = self._brackets.may_hold(kind)
        return self._brackets.same.get(kind, kind).encode() if is_value else b""


def is_tuple(root: Node, start: int, data: bytes, kinds: Container[str]) -> bool:
    """Is text, which begins at byte `start`, all the items of a tuple? Others are beside it
    in a list."""
    low = start + len(data) - len(data.lstrip())
    high = start + len(data.rstrip())
    cover = root.descendant_for_byte_range(low, high)
    if cover is None or cover.type not in kinds:
        return False
    for child in cover.children:
        is_outside = child.end_byte <= low or high <= child.start_byte
        if child.type == "," if is_outside else child.start_byte < low or high < child.end_byte:
            return False
    return True


def _holds_brackets(mark: Mark) -> bool:
    """Did a hole take the brackets of a list as well? What is added to it is put into them."""
    return mark.many and bool(mark.nodes) and mark.nodes[0].type in ("(", "[", "{")


def outermost(text: Text) -> list[Mark]:
    """The captures of a text that are in no other one; not those that are nothing but comments."""
    made: list[Mark] = []
    end = 0
    for mark in sorted(text.marks, key=lambda mark: (mark.start, -mark.end)):
        comments = bool(mark.nodes) and all(node.is_extra for node in mark.nodes)
        if mark.name and mark.start < mark.end and end <= mark.start and not comments:
            made.append(mark)
            end = mark.end
    return made


def _hole_of(spans: Sequence[ByteRange], stands: Sequence[bytes]) -> _Hole:
    """What stands for nodes within these spans, which are in order and do not overlap."""

    def hole(low: int, high: int) -> bytes | None:
        last = bisect_right(spans, (low, math.inf))
        for number in range(max(0, last - 2), last):
            if high <= spans[number][1]:
                return stands[number]
        return None

    return hole


def _leaf(node: Node) -> Branch | None:
    text = (node.text or b"").strip()
    is_name = node.is_named or text == b"class"  # of Kotlin's `A::class`, which may be either
    return None if text in _SEPARATORS else _LEAF if is_name else text


class NodeRun(NamedTuple):
    """The largest nodes that some bytes hold; comments and separators do not count.

    `is_torn` says that they are no one thing: a token goes beyond the bytes, or the nodes are
    parts of several others. `a == b` is so in `a == b == c`, where it is a part of a row.
    """

    nodes: Sequence[Node]
    is_torn: bool

    @property
    def is_one(self) -> bool:
        return len(self.nodes) == 1 and not self.is_torn


def run_at(root: Node, low: int, high: int) -> NodeRun:
    """What is between two places of a text; a `;` or a comment behind it may be anyone's.

    It is torn where a part is text of a literal, as `.d` is in Scala's `s"$c.d"`.
    """
    if (cover := root.descendant_for_byte_range(low, high)) is None:
        return NodeRun((), True)
    if cover.start_byte == low and cover.end_byte == high:
        return NodeRun((cover,), False)
    end, last = high, low
    nodes: list[Node] = []
    parents: set[int] = set()
    is_torn = False
    stack = [(cover, cover)]
    while stack:
        node, parent = stack.pop()
        if node.start_byte >= high or node.end_byte <= low:
            continue
        if end == high < node.end_byte and low <= node.start_byte:
            end = behind(root, bytes(root.start_byte) + (root.text or b""), high)
        is_within = node.end_byte <= end or node.is_extra or _code_end(node, end) <= end
        if low <= node.start_byte and is_within:
            last = node.end_byte
            if not node.is_extra and node.type not in _ENDS:
                nodes.append(node)
                parents.add(parent.id)
        elif node.child_count:
            stack += [(child, node) for child in reversed(node.children)]
        else:
            is_torn = True
    if nodes and last < high:
        at = cover.start_byte
        is_torn |= bool((cover.text or b"")[last - at : high - at].strip())
    row = nodes[0].parent if len(nodes) > 1 else None  # they may be some of its operands
    is_part = row is not None and row.type in _FLAT and len(nodes) < row.child_count
    is_apart = len(parents) > 1 and not _is_body(nodes)
    return NodeRun(nodes, is_torn or is_apart or is_part)


def _is_body(nodes: Sequence[Node]) -> bool:
    """Are they statements of a body, and the clauses behind that?"""
    body, outer = nodes[0].parent, nodes[-1].parent
    is_its = body is not None and body.parent == outer and nodes[-1].type.endswith("_clause")
    return is_its and all(node.is_named and node.parent in (body, outer) for node in nodes)


def _code_end(node: Node, most: int) -> int:
    """Where a node ends, without the comments at its end if it ends behind `most`."""
    inner: Node | None = node
    while inner is not None and inner.end_byte > most:
        node = inner
        inner = next((one for one in reversed(node.children) if not one.is_extra), None)
    return (inner or node).end_byte


def behind(root: Node, text: bytes, at: int, bullets: bool = False) -> int:
    """Behind the white space and `;` that follow, or the comment that ends the line.

    An empty statement is nobody's, and a comment may end the block that new text begins. With
    `bullets` that may be any comment: the grammar gives it to what nests deepest before it.
    """
    while (silent := _SILENT.match(text, at)) is not None:
        end = silent.end()
        comment = root.descendant_for_byte_range(end, end + 1)
        begins = comment is not None and comment.is_extra and comment.start_byte == end
        if comment is None or not begins or not (bullets or b"\n" not in text[at:end]):
            return end
        at = comment.end_byte
        if not bullets:
            break
    return at


def smallest(root: Node, start: int, end: int) -> Node:
    """The smallest node that contains bytes `start` to `end`; the root, at the edges."""
    node = root.descendant_for_byte_range(start, max(start, end - 1) if end > start else end)
    while node is not None and not (node.start_byte <= start and end <= node.end_byte):
        node = node.parent
    return node or root
