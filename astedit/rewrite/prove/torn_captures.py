"""A capture stays whole: after the edit it is one node still, with the structure it had.

What was captured as several nodes is a run of siblings still. So is the whole of an edit
within the node around it. What is not whole is torn: `a == b` in `a == b == c`.
"""

import re
from collections.abc import Iterable, Iterator, Sequence

from tree_sitter import Node

from astedit.language import Grammar
from astedit.language.barred import Barred
from astedit.language.brackets import Brackets, around
from astedit.rewrite.make.template_tree import is_tuple
from astedit.rewrite.prove.fault import Put
from astedit.text.indent import Mark
from astedit.text.splice import ByteRange

WHOLE = -1  # stands for the whole of an edit among the numbers of its marks
_FLAT = frozenset({"comparison_operator", "concatenated_string"})  # operands of several in a row
_ELSE = re.compile(
    r"_(statement|declaration|definition|block)$|^block$|^keyword_argument$|^with_clause$"
)
# In other places they look like something else: a value in brackets, an index, a tuple.
_PARTS = re.compile("parameters$|^pair|^return|^break|^next$|^statement_block$|^with_clause$")
_BLANK = b" \t\r\n\f\v"
_PARTING = (",", ";", "\n")
_SEPARATORS = (b";", b",")  # at the ends of an edit they may be anyone's


def torn(
    root: Node, start: int, put: Put, grammar: Grammar, brackets: Brackets | None
) -> Iterator[int]:
    """The numbers of the marks of an edit's text that are not whole where it stands in a tree."""
    text = put.text
    quoted = put.tree.quoted if put.tree is not None and text.marks else frozenset[str]()
    for number, mark in enumerate(text.marks):
        low, high = start + mark.start, start + mark.end
        if low == high or _is_plain(mark) or mark.name in quoted:
            continue
        if mark.is_made:
            if _tears_made(root, low, high, text.data[mark.start : mark.end], grammar):
                yield number
            continue
        if mark.tuples and not is_tuple(root, low, text.data[mark.start : mark.end], mark.tuples):
            yield number
            continue
        if _is_bare(mark, brackets):
            data, kinds = text.data[mark.start : mark.end], put.tree.tuples if put.tree else ()
            whole = _is_whole(root, low, high, mark) or is_tuple(root, low, data, kinds)
        else:
            is_list = brackets is not None and not mark.many and brackets.lists_in(mark.nodes)
            whole = _is_whole(root, low, high, mark, is_list) and _is_apart_still(
                root, low, high, mark, brackets
            )
        if (
            not whole
            or _needs(brackets, root, low, high)
            or _is_joined(brackets, root, low, high)
            or _begins_wrongly(brackets, root, low, mark)
        ):
            yield number
    end = start + len(text.data)
    if put.is_node and (
        not _is_one(root, start, text.data)
        or _needs(brackets, root, start, end)
        or _is_joined(brackets, root, start, end)
    ):
        yield WHOLE


def _is_bare(mark: Mark, brackets: Brackets | None) -> bool:
    """Is it a tuple that had no brackets, `return a, b`? In them it is another kind of node."""
    if brackets is None or mark.many or mark.composed:
        return False
    return mark.nodes[0].type in brackets.bare


def _tears_made(root: Node, low: int, high: int, data: bytes, grammar: Grammar) -> bool:
    """Is text that a transform made one thing by itself, and none where it stands?

    It may be anything: what is no node alone need not be one here.
    """
    if _spans(root, low, high) or not data.strip():
        return False
    alone = grammar.parser().parse(data).root_node
    cover = alone.descendant_for_byte_range(0, len(data))
    if alone.has_error or cover is None or cover.child_count == 0 or cover.parent is None:
        return False
    return (cover.start_byte, cover.end_byte) == (0, len(data))


def _needs(brackets: Brackets | None, root: Node, low: int, high: int) -> bool:
    """Is it an operand that has to stand in brackets, and does not?"""
    if brackets is None or not brackets.asks:
        return False
    node = root.descendant_for_byte_range(low, high)
    return (
        node is not None
        and (node.start_byte, node.end_byte) == (low, high)
        and brackets.are_needed(node)
    )


def _is_joined(brackets: Brackets | None, root: Node, low: int, high: int) -> bool:
    """Is a sign at one end read as another one with what stands beside it?"""
    if brackets is None or not brackets.joined or low == high:
        return False
    for at in (low, high):
        before = root.descendant_for_byte_range(at - 1, at) if at else None
        behind = root.descendant_for_byte_range(at, at + 1)
        if before is None or behind is None or before.child_count or behind.child_count:
            continue
        beside = before.end_byte == at == behind.start_byte
        if beside and brackets.are_joined(before.text or b"", behind.text or b""):
            return True
    return False


def _begins_wrongly(brackets: Brackets | None, root: Node, low: int, mark: Mark) -> bool:
    """Is the first of several nodes one that needs brackets there? `{a, b}, c` is a block."""
    if not mark.many or mark.composed or len(mark.nodes) < 2 or mark.nodes[0].is_extra:
        return False
    return _needs(brackets, root, low, low + len(mark.nodes[0].text or b""))


def _is_apart_still(root: Node, low: int, high: int, mark: Mark, brackets: Brackets | None) -> bool:
    """Is what must not be an operand none? In `x[*a.b]` the grammar has `.b` of `*a`."""
    if brackets is None or mark.many or mark.composed or mark.nodes[0].type not in brackets.apart:
        return True
    node = root.descendant_for_byte_range(low, high)
    return node is not None and node.type.startswith(mark.nodes[0].type)


def _is_plain(mark: Mark) -> bool:
    """A name is whole wherever the parser accepts it."""
    return not (mark.composed or mark.many) and mark.nodes[0].type == "identifier"


def _is_whole(root: Node, low: int, high: int, mark: Mark, is_list: bool = False) -> bool:
    low, high = _without_comments(root, low, high, mark)
    cover = root.descendant_for_byte_range(low, high)
    if cover is None:
        return False
    may_be_run = mark.many or mark.composed or is_list
    if mark.many and not mark.composed and _has_fewer(cover, low, high, mark.nodes):
        return False
    if cover.start_byte == low and cover.end_byte == high:
        return may_be_run or _is_alike(mark.nodes[0], cover)
    return may_be_run and _is_run(cover, low, high)


def _without_comments(root: Node, low: int, high: int, mark: Mark) -> ByteRange:
    """Where the first node of several begins and the last one ends.

    Comments before and behind need not be beside them: those before the first statement of a
    block, or behind the last, may stand around the block.
    """
    for node in mark.nodes[:-1]:
        comment = root.descendant_for_byte_range(low, low + 1)
        behind = comment.next_sibling if node.is_extra and comment is not None else None
        if comment is None or behind is None or not comment.is_extra:
            break
        low = behind.start_byte
    for node in reversed(mark.nodes[1:]):
        comment = root.descendant_for_byte_range(high - 1, high)
        before = comment.prev_sibling if node.is_extra and comment is not None else None
        if comment is None or before is None or not comment.is_extra or before.end_byte <= low:
            break
        while before.named_children and (
            before.children[-1].type in _PARTING or before.children[-1].end_byte < before.end_byte
        ):
            before = before.named_children[-1]  # what ends the last statement may be anyone's
        high = before.end_byte
    return low, high


def _has_fewer(cover: Node, low: int, high: int, nodes: Sequence[Node]) -> bool:
    """Are there fewer nodes in a run than were captured? Two lines may have become one."""
    if len(nodes) == 1 and _holds_items(nodes[0]):
        nodes = nodes[0].children  # what Ruby has around the statements of a branch
    if len(nodes) < 2:
        return False
    while cover.child_count == 1:
        cover = cover.children[0]
    inside = [c for c in cover.children if low <= c.start_byte and c.end_byte <= high]
    whole = (cover.start_byte, cover.end_byte) == (low, high)
    return _count([cover] if whole and not _holds_items(cover) else inside) < _count(nodes)


def _holds_items(node: Node) -> bool:
    """Is a node nothing but what it holds, and what parts that?"""
    parts = node.children
    return bool(parts) and all(part.is_named or part.type in _PARTING for part in parts)


def _count(nodes: Iterable[Node]) -> int:
    return sum(node.is_named and not node.is_extra for node in nodes)


def _is_alike(old: Node, new: Node) -> bool:
    """Is the new node the old one? In another place its kind may have another name."""
    old = old.descendant_for_byte_range(old.start_byte, old.end_byte) or old
    if _PARTS.search(old.type) and not _PARTS.search(new.type):
        return False
    if old.kind_id == new.kind_id:
        return old.descendant_count == new.descendant_count
    return not _ELSE.search(new.type) or _ELSE.search(old.type) is not None


def _is_run(cover: Node, low: int, high: int) -> bool:
    """Do children of a node begin and end at these places? Operands in a row are no run."""
    first, last = _child_at(cover, low), _child_at(cover, high - 1)
    if first is None or last is None or cover.type in _FLAT:
        return False
    return first.start_byte == low and (last.end_byte == high or _end(last) == high)


def _child_at(node: Node, at: int) -> Node | None:
    """The first child that ends behind a byte.

    tree-sitter's own `first_child_for_byte` ends the process where there is none.
    """
    cursor = node.walk()
    return None if cursor.goto_first_child_for_byte(at) is None else cursor.node


def _end(node: Node) -> int:
    """Where a node ends without its own semicolon, a comment without its carriage return."""
    if node.is_extra and (node.text or b"").endswith(b"\r"):
        return node.end_byte - 1
    if node.child_count > 1 and (last := node.children[-1]).type == ";":
        return last.prev_sibling.end_byte if last.prev_sibling else last.start_byte
    return node.end_byte


def _is_one(root: Node, start: int, data: bytes) -> bool:
    """Is the text of an edit one node or a run of siblings? What it ends in may be anyone's."""
    low, high = start, start + len(data)
    if low == high or _spans(root, low, high):
        return True
    while body := data[low - start : high - start]:
        low += len(body) - len(body.lstrip(_BLANK))
        high -= len(body) - len(body.rstrip(_BLANK))
        if low >= high or _spans(root, low, high):
            return True
        head = root.descendant_for_byte_range(low, low + 1)
        tail = root.descendant_for_byte_range(high - 1, high)
        if data[high - start - 1 : high - start] in _SEPARATORS:
            high -= 1
        elif data[low - start : low - start + 1] in _SEPARATORS:
            low += 1
        elif head is not None and head.is_extra and head.start_byte == low:
            low = head.end_byte
        elif tail is not None and tail.is_extra:
            high = tail.start_byte
        else:
            return False
    return True


def _spans(root: Node, low: int, high: int) -> bool:
    cover = root.descendant_for_byte_range(low, high)
    if cover is None:
        return False
    if (cover.start_byte, cover.end_byte) == (low, high) or _is_run(cover, low, high):
        return True
    return cover.start_byte == low and _is_comment(root, high, cover.end_byte)


def _is_comment(root: Node, low: int, high: int) -> bool:
    """Is all between two places the comment that ends a line? It ends a block with it."""
    last = root.descendant_for_byte_range(high - 1, high)
    if last is None or not last.is_extra or last.start_byte < low:
        return False
    between = (root.text or b"")[low - root.start_byte : last.start_byte - root.start_byte]
    return last.end_byte == high and not between.strip(b" \t")


def bound_names(put: Put, barred: Barred) -> frozenset[str]:
    """The captures of an edit that hold something which belongs to a function around them.

    Where it is that of the match itself, only a language asks that checks it everywhere.
    """
    if not barred.bound or not put.is_node:
        return frozenset()
    words = tuple(kind.partition("_")[0].encode() for kind in barred.bound)
    text = put.text.data
    if not any(word in text for word in words):
        return frozenset()
    return frozenset(mark.name for mark in put.text.marks if _is_bound(mark, put, barred))


def _is_bound(mark: Mark, put: Put, barred: Barred) -> bool:
    if not mark.name or not mark.nodes:
        return False
    low, high = mark.nodes[0].start_byte, mark.nodes[-1].end_byte
    for node in mark.nodes:
        for inner in _bound_in(node, low, high, barred):
            owner = around(inner, barred.functions)
            inside = owner is not None and put.start <= owner.start_byte < put.end
            if barred.is_checked or not (inside and owner and owner.end_byte <= put.end):
                return True
    return False


def _bound_in(root: Node, low: int, high: int, barred: Barred) -> Iterator[Node]:
    """What belongs to functions that are not between two places themselves."""
    stack = [root]
    while stack:
        node = stack.pop()
        if node.end_byte <= low or high <= node.start_byte:
            continue
        if node.type in barred.bound:
            yield node
        is_function = node.type in barred.functions
        if not (is_function and low <= node.start_byte and node.end_byte <= high):
            stack.extend(reversed(node.children))


def misowned(root: Node, start: int, put: Put, barred: Barred) -> tuple[str, Node] | None:
    """A capture, and what in it comes to belong to a function that is not its own."""
    end = start + len(put.text.data)
    for mark in put.text.marks:
        if mark.name not in put.bound:
            continue
        low, high = start + mark.start, start + mark.end
        for node in _bound_in(root, low, high, barred):
            function = around(node, barred.functions)
            is_new = function is not None and start <= function.start_byte < end
            if (is_new or barred.is_checked) and barred.is_unbound(node):
                return mark.name, node
    return None
