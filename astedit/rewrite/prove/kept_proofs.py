"""A proof is kept by shape: edits of a shape that was proved are made without a proof of theirs.

Whether captures stay whole, and whether an edit binds with what is beside it, follows from
what is written between the captures, from the kinds of node at the edges of each capture, and
from the kinds around the place. Edits that agree in all of that have one shape. An edit of
which something else may decide has none, and is always proved.
"""

import re
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import NamedTuple

from tree_sitter import Node

from astedit.language import Grammar
from astedit.language.brackets import Brackets
from astedit.language.traits import Traits
from astedit.rewrite.prove.compiled import written_twice
from astedit.rewrite.prove.fault import Put
from astedit.rewrite.prove.owners import SIGNS, heads
from astedit.rewrite.prove.verify import words_of
from astedit.text.indent import Text
from astedit.text.source import Change

_AGAIN = 64  # of so many edits with a shape that was proved, one is proved all the same
_DEEPEST = 24  # nodes at an edge, or around a place
_WIDEST = 12  # nodes of one capture
_FAR = 400  # bytes of white space beside an edit
_OPENING = "([{"
_OPENERS, _CLOSERS = (b"(", b"["), (b")", b"]")
_BEFORE_ITEMS, _BEHIND_ITEMS = (b"(", b"[", b","), (b")", b"]", b",")
_MEMBER = re.compile("attribute|subscript|member")
_BINDS = re.compile("pattern|delete|target|update")
_ASSIGNS = re.compile(rb"(?<![=!<>:])=(?![=>])")
_BLOCK = re.compile("block|body|^program$|^module$")
_STRING = re.compile(rb"\"[^\"\\]*\"|'[^'\\]*'")
_BEFORE_STRING, _BEHIND_STRING = re.compile(rb"\s+[\"']"), re.compile(rb"[\"']\s+\Z")
_BESIDE = re.compile(rb"[\w\"'`$@#\\]")
# What these mean is decided far from where they stand, in a capture too,
_FREE = re.compile(rb"\b(?:await|yield|async)\b|:=")
_SCOPE = re.compile(rb"\b(?:lambda|def|class|for|async|function)\b|=>|->|\{")  # around which
_UNASKED = re.compile(rb"\b(?:super|delete)\b|<!--|-->")  # if there is no compiler to ask
# and what these mean where they are written.
_WRITTEN = re.compile(rb"\b(?:return|break|continue|import|export|default|case|global|nonlocal)\b")
# A line that begins with none of the first, or with one of the others, may go on with the last.
_WORD = re.compile(rb"\w+")
_BEGINS = re.compile(rb"[\w\"'$@]")
_GOES_ON = re.compile(rb"(?:in|instanceof|of|as|is|satisfies|and|or|not|else|catch|finally)\b")
_RIGHT = frozenset[int]()  # as it is


class ProofShape(NamedTuple):
    """What is written, what the captures are, what is around the place, and beside it."""

    written: tuple[bytes, ...]
    captures: tuple[Hashable, ...]
    place: tuple[Hashable, ...]
    before: Hashable
    behind: Hashable


class _Form(NamedTuple):
    """What is written around captures: for each, whether brackets or commas are at both sides,
    whether it is anywhere in brackets that are written, and whether something is assigned to it.
    May it be in another function?"""

    enclosed: tuple[bool, ...]
    inside: tuple[bool, ...]
    targets: tuple[bool, ...]
    is_scope: bool


@dataclass(slots=True)
class KeptProofs:
    """The shapes of one op that were proved in one run, and which captures need brackets.

    `spared` counts the edits that had no proof of their own. An edit that is wrong though its
    shape was proved is a mistake of this module: it is `disproved`, and spares nothing more.
    """

    spared: int = 0
    disproved: bool = False
    _unchecked: int = 0
    forms: dict[tuple[bytes, ...], _Form | None] = field(default_factory=dict)
    # None where wrong
    _proved: dict[ProofShape, frozenset[int] | None] = field(default_factory=dict)

    def spares(self, shape: ProofShape, is_in_proof: bool) -> bool:
        """Was a shape proved, or is it about to be, and need this edit not be proved again?"""
        return not self.disproved and (is_in_proof or self._proved.get(shape) is not None)

    def sample(self, places: Sequence[int]) -> Sequence[int]:
        """Of edits in one file that are spared, those to prove all the same: one in `_AGAIN`.

        To parse a file costs more than to prove one edit more: of few edits it is all at times.
        """
        self.spared += len(places)
        if len(places) >= _AGAIN:
            return places[_AGAIN - 1 :: _AGAIN]
        self._unchecked += len(places)
        if self._unchecked < _AGAIN * len(places):
            return ()
        self._unchecked = 0
        return places

    def brackets(self, shape: ProofShape | None) -> frozenset[int]:
        """The numbers of what brackets go around in edits with a shape that was proved."""
        return (self._proved.get(shape) if shape is not None else None) or frozenset()

    def is_wrong(self, shape: ProofShape | None) -> bool:
        """Are edits with this shape wrong as they are?"""
        return shape is not None and self._proved.get(shape, _RIGHT) != _RIGHT

    def keep(self, shape: ProofShape | None, brackets: frozenset[int] | None) -> None:
        """Takes that an edit with this shape is right, with brackets around these; or wrong."""
        if shape is not None:
            self.disproved |= self._proved.get(shape, brackets) != brackets
            self._proved[shape] = brackets


class ProofShapes:
    """Says of the edits of one text what their shapes are."""

    def __init__(self, source: bytes, root: Node, grammar: Grammar, traits: Traits) -> None:
        self._source = source
        self._root = root
        self._traits = traits
        self._words = words_of(grammar) | (traits.facts.words or frozenset())
        self._brackets = traits.brackets or Brackets()
        self._ends_lines = bool(traits.facts.statements)
        self._unlike = re.compile(b"|".join(map(re.escape, (b"\n", *traits.facts.comments))))
        self._owners = frozenset[str]().union(*traits.barred.jumps.values())
        self._heads = list(heads(source)) if b"super(" in source else []
        self._targets: dict[int, bool] = {}  # by node: to ask for a parent takes a walk to it

    def of(self, puts: Sequence[Put], proofs: Sequence[KeptProofs]) -> list[ProofShape | None]:
        """The shapes of edits in order; None for what is always proved."""
        compiler = self._traits.compiler
        is_distant = compiler is not None and compiler.distant in self._source
        if is_distant or not self._traits.facts.proved_by_shape or self._root.has_error:
            return [None] * len(puts)
        shapes = list(map(self._shape, puts, proofs))
        for number in range(1, len(puts)):
            one, two = shapes[number - 1], shapes[number]
            ends_line = one is not None and two is not None and one.behind == two.before == "\n"
            if not (ends_line or self._source[puts[number - 1].end : puts[number].start].strip()):
                shapes[number - 1] = shapes[number] = None  # each is beside what the other writes
        return shapes

    def asks(self, put: Put) -> bool:
        """May the compiler refuse an edit with a shape that was proved?"""
        compiler, node, tree = self._traits.compiler, put.node, put.tree
        if compiler is None or node is None or tree is None or _FREE.search(put.text.data):
            return True
        return not {node.type, tree.kind} <= compiler.plain

    def _shape(self, put: Put, proofs: KeptProofs) -> ProofShape | None:
        text = put.text
        if put.tree is None or any(self._brackets.may_mislead(at.text or b"") for at in put.unused):
            return None
        between, at = [], 0
        for mark in text.marks:
            if mark.start < at or mark.composed or not mark.nodes:
                return None
            between.append(text.data[at : mark.start])
            at = mark.end
        written = (*between, text.data[at:])
        if written not in proofs.forms:
            proofs.forms[written] = self._form(written)
        form = proofs.forms[written]
        if form is None or self._is_free(put, form) or self._may_jump(put, form):
            return None
        if not all(map(self._is_plain, put.smallest)):
            return None
        captures = tuple(self._captures(text, form, put.tree.quoted))
        return None if None in captures else self._placed(put, written, captures)

    def _may_jump(self, put: Put, form: _Form) -> bool:
        """Does an edit hold a `break` or the like, and make or take away what it belongs to?"""
        if not self._owners or not SIGNS.search(put.text.data):
            return False
        return form.is_scope or (put.node is not None and put.node.type in self._owners)

    def _is_free(self, put: Put, form: _Form) -> bool:
        """Does something mean what only code far around it can say?"""
        text = put.text
        if form.is_scope and _FREE.search(text.data):
            return True
        compiler = self._traits.compiler
        if compiler is None:
            heads = self._heads if b"this" in text.data else ()
            is_in_head = any(low < put.end and put.start < high for low, high in heads)
            return is_in_head or _UNASKED.search(text.data) is not None
        has_star = b"*" in text.data and compiler.spread.search(text.data)
        return bool(has_star or (b"=" in text.data and written_twice(compiler, text)))

    def _form(self, between: Sequence[bytes]) -> _Form | None:
        """None where the template writes lines, comments, or what code far around it decides."""
        signs, compiler = (b"\n", *self._traits.facts.comments), self._traits.compiler
        if any(sign in text for text in between for sign in signs):
            return None
        if any(_FREE.search(text) or (compiler and compiler.wide.search(text)) for text in between):
            return None
        enclosed, inside, targets = [], [], []
        depth, bare = 0, [_STRING.sub(b"", text) for text in between]
        last = max((at for at, text in enumerate(bare) if _ASSIGNS.search(text)), default=0)
        for at, (before, behind) in enumerate(pairwise(between)):
            if _BEHIND_STRING.search(before) or _BEFORE_STRING.match(behind):
                return None  # the prefix of the other string decides
            depth += sum(map(bare[at].count, _OPENERS)) - sum(map(bare[at].count, _CLOSERS))
            inside.append(depth > 0)
            targets.append(at < last and depth <= 0)
            left, right = before.rstrip()[-1:], behind.lstrip()[:1]
            enclosed.append(depth > 0 and left in _BEFORE_ITEMS and right in _BEHIND_ITEMS)
        is_scope = any(map(_SCOPE.search, between))
        return _Form(tuple(enclosed), tuple(inside), tuple(targets), is_scope)

    def _is_plain(self, change: Change) -> bool:
        """Is no line break, comment, or word that means something by its place exchanged?"""
        start, end, new = change
        if self._unlike.search(self._source, start, end):
            return False
        return b"\n" not in new and not _WRITTEN.search(new)

    def _captures(
        self, text: Text, form: _Form, quoted: frozenset[str]
    ) -> Iterator[Hashable | None]:
        for number, mark in enumerate(text.marks):
            data = text.data[mark.start : mark.end]
            # a word or a quote there may become a part of it
            beside = text.data[mark.start - 1 : mark.start], text.data[mark.end : mark.end + 1]
            if mark.name in quoted:
                yield "" if _WORD.fullmatch(data) else None
            elif mark.nodes[-1].is_extra or (b"\n" in data and not form.inside[number]):
                yield None  # a line or a comment may end where it did not
            elif any(map(_BESIDE.match, beside)) or (
                form.targets[number]  # what is in a list decides whether it may be one
                and any(one.child_count and not _MEMBER.search(one.type) for one in mark.nodes)
            ):
                yield None
            elif mark.many:
                yield self._items(mark.nodes, form.enclosed[number])
            else:
                yield self._capture(mark.nodes[0], data, form.enclosed[number])

    def _capture(self, node: Node, text: bytes, is_enclosed: bool) -> Hashable | None:
        """What a captured node is: all that may bind with something beside it."""
        misleads = b"<" in text or b">" in text or self._brackets.may_mislead(text)
        if is_enclosed and not misleads:
            kind = node.type
            if not node.child_count:
                return self._leaf(node)
            return kind, _second(node) if not self._brackets.may_hold(kind) else ""
        return self._edges(node)

    def _items(self, nodes: Sequence[Node], is_enclosed: bool) -> Hashable | None:
        """What several nodes are. In a list those do no harm that may stand in brackets."""
        if len(nodes) > _WIDEST or any(node.is_extra for node in nodes):
            return None
        texts = [node.text or b"" for node in nodes]
        if is_enclosed and not any(b"<" in text or b">" in text for text in texts):
            kinds = (node.type for node in nodes if node.type != ",")
            others = ("" if k == "identifier" or self._brackets.may_hold(k) else k for k in kinds)
            # `(a)`, `(a,)` and `(a, b)` are three things; `(k=1, l=2)` and `(a, k=1)` are two
            return min(len(nodes), 3), texts[-1] == b",", *dict.fromkeys(others)
        edges = tuple(map(self._edges, nodes))
        return None if None in edges else edges

    def _edges(self, node: Node) -> Hashable | None:
        """The nodes that begin where a node does, and those that end where it does."""
        edges: list[Hashable] = []
        for at in (0, -1):
            inner: Node | None = node
            for _ in range(_DEEPEST):
                if inner is None:
                    break
                size = inner.child_count
                kind = inner.type
                if not size:
                    edges.append(self._leaf(inner))
                    break
                first = inner.child(0)
                edges += (kind, _second(inner))
                if first is None or first.type in _OPENING or kind in self._traits.facts.literals:
                    break
                if at and not first.is_named:
                    edges.append(first.type)
                inner = inner.child(size - 1) if at else first
            else:
                return None
            edges.append(None)
        return tuple(edges)

    def _leaf(self, leaf: Node) -> Hashable:
        """The kind of a token. A name is as good as another one, if the grammar knows neither;
        a number is what is written, since a dot may follow it."""
        kind = leaf.type
        if kind.endswith("identifier"):
            name = (leaf.text or b"").decode("utf-8", "replace")
            return name if name in self._words else kind
        return leaf.text if "number" in kind or kind in ("integer", "float") else kind

    def _placed(
        self, put: Put, written: tuple[bytes, ...], captures: tuple[Hashable, ...]
    ) -> ProofShape | None:
        """The shape, with what is around an edit as far as the next brackets or the next block."""
        node = put.node
        if node is None:
            return None
        steps: list[Hashable] = []
        begins = ends = True
        inner, outer = node, node.parent
        while outer is not None and outer.parent is not None and not _BLOCK.search(outer.type):
            first = outer.child(0) if outer.child_count else None
            steps.append(outer.type)
            if outer.type == self._traits.facts.code_in_literals or len(steps) > 4 * _DEEPEST:
                return None  # of a literal the quotes decide, too
            if first is not None and first.type in _OPENING:
                begins = ends = False
                break
            is_first = inner.start_byte == outer.start_byte
            is_last = inner.end_byte == outer.end_byte
            begins, ends = begins and is_first, ends and is_last
            steps += (_second(outer), is_first, is_last)
            inner, outer = outer, outer.parent
        if outer is None or self._is_target(outer):
            return None
        steps.append(outer.type)
        before = self._before(put, begins)
        behind = self._behind(put, ends)
        if before is None or behind is None:
            return None
        place = (node.type, put.start == node.start_byte, put.end == node.end_byte, *steps)
        return ProofShape(written, captures, place, before, behind)

    def _is_target(self, node: Node) -> bool:
        """Is something assigned to what is in brackets, or does it stand in code of a string?"""
        way, answer = list[int](), False
        while not answer and (parent := node.parent) is not None and not _BLOCK.search(node.type):
            if node.id in self._targets:
                answer = self._targets[node.id]
                break
            way.append(node.id)
            is_first, kind = node.start_byte == parent.start_byte, parent.type
            is_bound = _BINDS.search(kind) or (is_first and "assign" in kind)
            answer = bool(is_bound) or kind == self._traits.facts.code_in_literals
            node = parent
        self._targets.update(dict.fromkeys(way, answer))
        return answer

    def _before(self, put: Put, begins: bool) -> Hashable | None:
        """The token before an edit, and whether anything is between; None if it may matter how
        the line before it ends."""
        at = put.start
        gap = self._source[max(0, at - _FAR) : at]
        if not (text := gap.rstrip()):
            return "\n" if at <= _FAR else None
        has_break = b"\n" in gap[len(text) :]
        if has_break and begins:
            data = put.text.data
            if self._ends_lines or (_BEGINS.match(data) and not _GOES_ON.match(data)):
                return "\n"
            return None
        return self._token(at - len(gap) + len(text) - 1, has_break, len(text) < len(gap))

    def _behind(self, put: Put, ends: bool) -> Hashable | None:
        gap = self._source[put.end : put.end + _FAR]
        if not (text := gap.lstrip()):
            return "\n" if put.end + _FAR >= len(self._source) else None
        size = len(gap) - len(text)
        has_break = b"\n" in gap[:size]
        if ends and (has_break or text.startswith(self._traits.facts.comments)):
            if self._ends_lines:
                return "\n"
            if has_break and _BEGINS.match(text) and not _GOES_ON.match(text):
                return "\n"
        return self._token(put.end + size, has_break, size > 0)

    def _token(self, at: int, has_break: bool, is_apart: bool) -> Hashable | None:
        leaf = self._root.descendant_for_byte_range(at, at + 1)
        if leaf is None or leaf.is_extra or leaf.child_count:
            return None
        return self._leaf(leaf), has_break, is_apart


def _second(node: Node) -> str:
    """The kind of a node's second child: of most that have one, the operator."""
    second = node.child(1) if node.child_count > 1 else None
    return "" if second is None else second.type
