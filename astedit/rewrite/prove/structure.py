"""The structure of what edits put into a text: captures are whole, templates are what they say.

After the edit a capture is one node still, with the structure it had; what was captured as
several nodes is several nodes in a row. So is all of an edit within the node around it. What is
not whole is torn: `a == b` in `a == b == c`. With its captures collapsed an edit is the tree of
its template, and nothing in it stands where its language bars it.
"""

import re
from bisect import bisect_right
from collections.abc import Container, Iterator, Sequence

from tree_sitter import Node

from astedit.language import Grammar
from astedit.language.brackets import Brackets, innermost, largest, nearest, node_behind, parents
from astedit.language.facts import WORD
from astedit.language.traits import Traits
from astedit.pattern.listed import walk
from astedit.rewrite.make.delete import is_needed
from astedit.rewrite.make.render import has_idle_comma, last_leaf
from astedit.rewrite.make.template_tree import NodeRun, is_tuple, run_at, smallest
from astedit.rewrite.prove.fault import Fault, Misreading, Put, changed, cut, misreading, shown
from astedit.rewrite.prove.owners import not_first, of_other_owner
from astedit.text.indent import Mark, unedited

_WHOLE = -1  # stands for the whole of an edit among the numbers of its marks
_ELSE = re.compile(
    r"_(statement|declaration|definition|block)$|^block$|^keyword_argument$|^with_clause$"
)
# In other places they look like something else: a value in brackets, an index, a tuple.
_SPLICED = ("dotted_name", "with_clause")  # which mean the same within others of their kind
_PARTS = re.compile(
    "parameters$|^pair|^return|^break|^next$|^statement_block$|^with_clause$"
    "|^keyword_|^default_parameter$|^value_argument$|^jsx_text$|^jsx_expression$"
)
_BEFORE_ITEM, _BEHIND_ITEM = ("(", "[", "{", ",", ";", "=", "=>"), (")", "]", "}", ",", ";")
_CLOSED = ("call_expression", "field_expression", "index_expression", "macro_invocation")
_PARTING = (",", ";", "\n")
_FAR = 1 << 62  # behind all bytes
_DEEPEST = 700  # levels of new text: asking what stands around each takes their cube


def misread(
    before: Node,
    root: Node,
    places: Sequence[int],
    puts: Sequence[Put],
    result: bytes,
    grammar: Grammar,
    traits: Traits,
) -> Fault | None:
    """The fault of a result in which captures, or edits, are not what they were meant to be.

    `before` is the root of the text as it was.
    """
    blamed: dict[int, Fault] = {}
    shift = 0
    for place, put in zip(places, puts, strict=True):
        fault = _Structure(before, root, put.start + shift, put, grammar, traits).fault(result)
        if fault is not None:
            blamed[place] = fault
        shift += len(put.text.data) - (put.end - put.start)
    first = next(iter(blamed.values()), None)
    return None if first is None else first._replace(blamed=blamed)


class _Structure:
    """One edit in a result, where it begins at byte `start`."""

    def __init__(
        self, before: Node, root: Node, start: int, put: Put, grammar: Grammar, traits: Traits
    ) -> None:
        self._before = before
        self._root = root
        self._start = start
        self._end = start + len(put.text.data)
        self._put = put
        self._grammar = grammar
        self._facts = traits.facts
        self._brackets = traits.brackets or Brackets()
        self._barred = traits.barred

    def fault(self, result: bytes) -> Fault | None:
        """The first thing that is wrong with the edit."""
        put = self._put
        if put.gone is not None and is_needed(put.gone):
            what = f"what is left without {shown(put.gone.text or b'')} says something else"
            return Fault("changes_structure", what)
        missed = next(filter(self._brackets.are_missed, put.nodes), None)
        if missed is not None and not self._stays(missed):
            outer = largest(missed).parent
            where = shown((outer and outer.text) or b"")
            what = f"{shown(missed.text or b'')} is no operand of its own in {where}"
            return Fault("changes_structure", what)
        data = put.text.data.strip()
        if put.node is not None and data and _parts_call(self._brackets, put.node, data):
            what = f"the lambda behind {shown(data)} would belong to another call"
            return Fault("changes_structure", what, (_WHOLE,))
        if torn := tuple(self._torn()):
            return self._of_torn(torn, result)
        if put.tree is not None and put.tree.differs(self._root, self._start, put.text):
            # the captures are whole, and yet the template says something else
            both = Misreading(None, cut(put.text.data), cut(put.tree.text))
            return changed("it is another kind of code than the template", both, ())
        if (barred := self._barred_node()) is not None:
            return barred
        owned = of_other_owner(self._root, self._start, put, self._barred)
        return owned or not_first(self._root, self._start, put)

    def _stays(self, node: Node) -> bool:
        """Do all changes come behind it and the sign that was there, as in `a.b` to `a.c`?"""
        put, end = self._put, node.end_byte
        if put.tree is None or put.node is None or put.node.type != put.tree.kind:
            return False
        return all(at > end for at, _, _ in put.smallest)

    def _torn(self) -> Iterator[int]:
        """The numbers of the marks that are not whole."""
        text, tree = self._put.text, self._put.tree
        quoted = tree.quoted if tree is not None and text.marks else frozenset[str]()
        for number, mark in enumerate(text.marks):
            low, high = self._start + mark.start, self._start + mark.end
            is_name = _is_single(mark) and mark.nodes[0].type == "identifier"
            if low == high or is_name or mark.name in quoted:  # which is whole anywhere
                continue
            if not self._is_right(mark, low, high):
                yield number
        if not self._is_one_thing() or (
            self._put.is_node and not self._is_apart(self._start, self._end, self._put.node)
        ):
            yield _WHOLE

    def _is_right(self, mark: Mark, low: int, high: int) -> bool:
        """Is a capture, or an edit in it, what it was, in as many brackets as it needs?"""
        data, tree = self._put.text.data[mark.start : mark.end], self._put.tree
        if mark.is_made:
            return self._is_made(low, high, data)
        if mark.tuples and not is_tuple(self._root, low, data, mark.tuples):
            return False
        low, high = self._facts.widened(self._root, low, data)
        run = run_at(self._root, low, high)
        if mark.many and tree is not None and has_idle_comma(mark.nodes):
            return _is_whole(run, mark, high) and not _ends_tuple(run, high, tree.tuples)
        outer = run.nodes[0].parent if len(run.nodes) > 1 and not run.is_torn else None
        if outer and _is_single(mark) and outer.type == mark.nodes[0].type in _SPLICED:
            return True
        if len(run.nodes) > 1 and _is_single(mark) and _is_read_by_macro(run, mark.nodes[0].type):
            return True
        if _is_single(mark) and mark.nodes[0].type in self._brackets.bare:
            kinds = tree.tuples if tree is not None else ()
            whole = _is_whole(run, mark, high) or is_tuple(self._root, low, data, kinds)
        else:
            is_list = self._brackets.lists_in(run.nodes if mark.many else mark.nodes)
            whole = _is_whole(run, mark, high, is_list) and not self._is_other_operand(run, mark)
        if not whole or not self._is_apart(low, high, mark.nodes[0] if mark.nodes else None):
            return False
        if _clause(mark):  # an `else` stays with its statement, in all that this is in
            new = (outer.type for outer, _ in parents(run.nodes[-1]))
            if any(outer.type not in new for outer, _ in parents(mark.nodes[-1])):
                return False
        is_list = mark.many and not mark.composed and len(mark.nodes) > 1
        return not is_list or mark.nodes[0].is_extra or not self._brackets.are_needed(run.nodes[0])

    def _is_made(self, low: int, high: int, data: bytes) -> bool:
        """Is text that a transform made one thing where it stands, if it is by itself?

        It may be anything: what is no node alone need not be one here.
        """
        if not data.strip() or not run_at(self._root, low, high).is_torn:
            return True
        alone = self._grammar.parser().parse(data).root_node
        run = run_at(alone, 0, len(data))
        return alone.has_error or not (
            run.is_one and run.nodes[0].child_count and run.nodes[0].parent
        )

    def _is_one_thing(self) -> bool:
        """Is all of the edit one node, or some in a row, if what was there is so?"""
        put = self._put
        data = put.text.data.strip()
        if not data:
            return True
        low = self._start + put.text.data.find(data)
        if not run_at(self._root, *self._facts.widened(self._root, low, data)).is_torn:
            return True
        was_torn = put.start == put.end or run_at(self._before, put.start, put.end).is_torn
        return not put.is_node and was_torn

    def _is_apart(self, low: int, high: int, old: Node | None) -> bool:
        """Is it no operand that lacks brackets, and no sign at its ends read with another one?"""
        brackets = self._brackets
        if brackets.asks:
            node = self._root.named_descendant_for_byte_range(low, high)
            if node is not None and node.start_byte == low and brackets.are_needed(node, old):
                # with a comment in it that stands behind: JavaScript's `function () {} // why`
                end = last_leaf(node)
                if node.end_byte == high or (end.is_extra and end.start_byte >= high):
                    return False
        return not (brackets.joined and low < high and any(map(self._is_joined, (low, high))))

    def _is_joined(self, at: int) -> bool:
        """Is the sign before a place read as another one with what stands behind it?"""
        before = self._root.descendant_for_byte_range(at - 1, at) if at else None
        behind = self._root.descendant_for_byte_range(at, at + 1)
        if before is None or behind is None or before.child_count or behind.child_count:
            return False
        beside = before.end_byte == at == behind.start_byte
        return beside and self._brackets.are_joined(before.text or b"", behind.text or b"")

    def _is_other_operand(self, run: NodeRun, mark: Mark) -> bool:
        """Is what must not be an operand one? In `x[*a.b]` the grammar has `.b` of `*a`."""
        if not _is_single(mark) or not run.is_one:
            return _is_single(mark) and mark.nodes[0].type in self._brackets.apart
        old, new = innermost(mark.nodes[0]), innermost(run.nodes[0])
        if mark.nodes[0].type in self._brackets.apart:  # a `return` may be the word alone
            return not new.type.startswith(old.type)
        is_other = old.type != new.type and {old.type, new.type} <= self._brackets.kinds
        return is_other and old.start_point[0] < old.end_point[0]  # lines that decide, as Haskell's

    def _barred_node(self) -> Fault | None:
        """The fault of a node of new text, or a capture in it, that may not stand where it does."""
        if not self._put.is_node or self._start == self._end or not self._barred.asks:
            return None
        kept = [(self._start + a, self._start + b) for a, b in unedited(self._put.text.marks)]
        top = smallest(self._root, self._start, self._end)
        stack = [(top, nearest(top, self._barred.functions), 0)]
        while stack:
            node, function, level = stack.pop()
            if level > _DEEPEST:
                return Fault("breaks_syntax", f"it is nested deeper than {_DEEPEST} levels")
            if node.end_byte <= self._start or self._end <= node.start_byte:
                continue
            if self._barred.is_barred(node, function) or self._brackets.are_lacking(node):
                what = node.type.replace("_", " ")
                where = node.parent.type.replace("_", " ") if node.parent is not None else "file"
                what = f"a {what} may not stand in this {where}: {shown(node.text or b'')}"
                return Fault("breaks_syntax", what)
            if (first := self._barred.before(node)) is not None:
                old = self._put.node  # which may be in SCSS where it is to stay
                if first.start_byte >= self._start or old is None or old.type != node.type:
                    late, early = shown(node.text or b""), shown(first.text or b"")
                    what = f"it has to be the first: {late} would stand behind {early}"
                    return Fault("changes_structure", what)
            if node.type in self._barred.functions:
                function = node
            at = bisect_right(kept, (node.start_byte, _FAR)) - 1
            if at < 0 or node.end_byte > kept[at][1]:  # else it is as it was within
                stack.extend((child, function, level + 1) for child in node.children)
            elif node.child_count == 1:
                stack.append((node.children[0], function, level + 1))
        return None

    def _of_torn(self, numbers: tuple[int, ...], result: bytes) -> Fault:
        """Shows the first torn piece in what it is read as a part of."""
        number, text = numbers[0], self._put.text
        mark = Mark(0, len(text.data), "", ()) if number == _WHOLE else text.marks[number]
        low, high = self._start + mark.start, self._start + mark.end
        what = f"${mark.name}" if mark.name else shown(text.data[mark.start : mark.end])
        both = misreading(self._root, low, high, result, mark.name)
        return changed(f"{what}{_clause(mark)} does not stay whole", both, numbers)


def _is_single(mark: Mark) -> bool:
    return not (mark.many or mark.composed)


def _is_read_by_macro(run: NodeRun, kind: str) -> bool:
    """Are tokens of a macro of Rust all between two of its commas, or what no sign takes apart?"""
    before, behind = run.nodes[0].prev_sibling, run.nodes[-1].next_sibling
    if run.is_torn or before is None or behind is None or before.parent is None:
        return False
    is_all = before.type in _BEFORE_ITEM and behind.type in _BEHIND_ITEM
    is_closed = kind in _CLOSED and not before.is_named and before.type not in (".", "::")
    return before.parent.type == "token_tree" and (is_all or is_closed)


def _ends_tuple(run: NodeRun, high: int, kinds: Container[str]) -> bool:
    """Does the comma that follows the only node make a tuple of it?"""
    node = run.nodes[0]
    listing = node if node.type in kinds else node.parent
    if listing is None or listing.type not in kinds:
        return False
    behind = [one for one in listing.children if one.start_byte >= high and one.is_named]
    signs = [one for one in listing.children if one.type == ","]
    return len(signs) == 1 and all(one.is_extra for one in behind)


def _is_whole(run: NodeRun, mark: Mark, high: int, is_list: bool = False) -> bool:
    if run.is_torn or not run.nodes:
        return not run.is_torn and all(node.is_extra for node in mark.nodes)
    if _is_single(mark) and not is_list:
        # the comma of `a,` makes a tuple of it; JavaScript's `b() // why` ends in a comment
        is_all = run.nodes[0].end_byte >= high or last_leaf(mark.nodes[0]).is_extra
        return run.is_one and is_all and _is_alike(mark.nodes[0], run.nodes[0])
    new, old = _items(run.nodes), _items(mark.nodes)
    alike = old if len(new) == len(old) else old[:1]
    is_other = any(map(_is_other_part, alike, new))
    is_full = is_list or len(new) >= len(old)
    return mark.composed or not mark.many or (is_full and not is_other)


def _is_other_part(old: Node, new: Node) -> bool:
    kinds = innermost(old).type, innermost(new).type
    return _PARTS.search(kinds[0]) is not None and not _PARTS.search(kinds[1])


def _is_alike(old: Node, new: Node) -> bool:
    """Is the new node the old one? In another place its kind may have another name."""
    old, new = innermost(old), innermost(new)
    is_quoted = new.type == "string_content" != old.type  # as `'b'` is in the `"'b'"` of Bash
    if _is_other_part(old, new) or (is_quoted and not WORD.fullmatch(old.text or b"")):
        return False
    if old.kind_id == new.kind_id:
        return str(old) == str(new) or _kinds(old) == _kinds(new)
    return not _ELSE.search(new.type) or _ELSE.search(old.type) is not None


def _kinds(node: Node) -> list[str]:
    """The nodes in it without comments: of `b() // why` they may be in the statement."""
    return [inner.type for inner in walk(node) if not inner.is_extra]


def _items(nodes: Sequence[Node]) -> Sequence[Node]:
    """The nodes that count, or those in what is nothing but what it holds, as Ruby's branches."""
    while len(nodes) == 1:
        inner = nodes[0].children
        if not inner:
            return nodes  # the token that `pass` is
        if not all(part.is_named or part.type in _PARTING for part in inner):
            break
        nodes = inner
    return [node for node in nodes if node.is_named and not node.is_extra]


def _clause(mark: Mark) -> str:
    """What else than a body a capture at the end of a statement holds."""
    kinds = (node.type for node in mark.nodes if mark.many and node.type.endswith("_clause"))
    return next((f", with the {kind.replace('_', ' ')} in it," for kind in kinds), "")


def _parts_call(brackets: Brackets, node: Node, text: bytes) -> bool:
    """Would text in the place of a node give the lambda behind it to another call?"""
    texts = node.text or b"", text
    calls = {data.endswith(b")") and not data.startswith(b"(") for data in texts}
    behind = node_behind(node) if brackets.trailing and len(calls) > 1 else None
    if behind is None or behind.type not in brackets.trailing:
        return False
    return behind.children[0].type == "lambda_literal"
