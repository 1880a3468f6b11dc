"""What belongs to a function or a loop around it still belongs to that: `yield`, `this`, `break`.

What a template puts around a capture must not take these over, and what it takes away must not
leave them to others: `for (…) { break; }` is no `forEach`.
"""

import re
from collections.abc import Iterator
from itertools import pairwise

from tree_sitter import Node

from astedit.language.brackets import largest, nearest
from astedit.language.facts import LABELLED, Barred
from astedit.pattern.listed import walk
from astedit.rewrite.make.template_tree import smallest
from astedit.rewrite.prove.fault import Fault, Put, shown
from astedit.text.source import ByteRange, holds

# How such things are written in any language: a text without one of these has none.
SIGNS = re.compile(rb"\b(?:arguments|await|break|continue|return|super|target|this|yield|_)\b|\?")
_END = re.compile(rb";[ \t\r]*$", re.MULTILINE)


def of_other_owner(root: Node, start: int, put: Put, barred: Barred) -> Fault | None:
    """The fault of an edit that moves what belongs to others; it begins at byte `start`."""
    if not (barred.bound or barred.jumps) or not put.is_node or not SIGNS.search(put.text.data):
        return None
    end = start + len(put.text.data)
    for mark in put.text.marks:
        if not mark.name or not mark.nodes or not SIGNS.search(put.text.data, mark.start, mark.end):
            continue
        first, last = mark.nodes[0].start_byte, mark.nodes[-1].end_byte
        places: dict[bytes | str, set[tuple[bool, bool, bool]]] = {}
        for old in (node for part in mark.nodes for node in _owned(part, first, last, barred)):
            was = _place(old, (first, last), (put.start, put.end), barred)
            places.setdefault(_kind(old, barred), set()).add(was)
        low, high = start + mark.start, start + mark.end
        # Edits within the capture may take away some of them, and write others.
        for new in _owned(largest(smallest(root, low, high)), low, high, barred):
            now = _place(new, (low, high), (start, end), barred)
            were = places.get(_kind(new, barred))
            if were is None or (now[0] and now in were):
                continue  # it was captured with what it belongs to
            is_moved = now not in were
            if new.type in barred.bound:
                is_other = barred.is_unbound(new, nearest(new, barred.functions))
                is_moved = is_other and (barred.is_checked or is_moved)
            if is_moved:
                what = f"the {new.type.partition('_')[0]} in ${mark.name} would belong to another"
                is_loop = new.type.endswith("_statement")
                kind = "function or loop" if is_loop else "function"
                return Fault("changes_structure", f"{what} {kind}: {shown(new.text or b'')}")
    return None


# What is around a body whose first string says something of all of it.
_SAID_OF = re.compile("function|class|method|^arrow|^module$|^program$")


def not_first(root: Node, start: int, put: Put) -> Fault | None:
    """The fault of an edit, which begins at byte `start`, in which a docstring or a directive such
    as "use strict" is no longer the first of its body, and says nothing any more.
    """
    for mark in put.text.marks:
        if not mark.name or not mark.nodes:
            continue
        old = mark.nodes[0]
        if old.type == "block" and old.named_child_count:
            old = old.named_children[0]
        if not _leads(old):
            continue
        at, kind = start + mark.start, old.type
        new: Node | None = smallest(root, at, at + 1)
        while new is not None and new.type != kind and new.start_byte == at:
            new = new.parent
        if new is not None and new.type == kind and not _leads(new):
            what = f"the first of the body in ${mark.name} would not be the first any more"
            return Fault("changes_structure", f"{what}: {shown(old.text or b'')}")
    return None


def _leads(node: Node) -> bool:
    """Is it a docstring, a directive or a `//!` of what it stands in?"""
    body = node.parent
    if node.is_extra and (node.text or b"").startswith((b"//!", b"/*!")):
        return node.prev_named_sibling is None or node.prev_named_sibling.is_extra
    is_value = node.type == "expression_statement" and node.named_child_count == 1
    if body is None or not is_value or node.named_children[0].type != "string":
        return False
    first = next((child for child in body.named_children if not child.is_extra), None)
    return first == node and _SAID_OF.search((body.parent or body).type) is not None


def _owner(node: Node, barred: Barred) -> Node | None:
    """What a node belongs to: a jump to a label, to the statement with that label."""
    name = _name(node, barred)
    kinds = barred.jumps.get(name, barred.functions)
    owner = nearest(node, kinds)
    if owner is not None and name == "wildcard" and owner == node.parent:
        owner = nearest(owner, kinds)  # Scala's `f(_)` is a function, and its `_` is none
    while owner is not None and name in LABELLED and owner.type not in barred.functions:
        if owner.named_children[0].text == node.named_children[0].text:
            break
        owner = nearest(owner, kinds)
    return owner


def _name(node: Node, barred: Barred) -> str:
    """The kind of a node; JavaScript's `arguments` is a name to the grammar."""
    is_own = node.type == "identifier" and node.text == b"arguments"
    label = f"{node.type}:label" if node.named_child_count else ""
    return "identifier:arguments" if is_own else label if label in barred.jumps else node.type


def _kind(node: Node, barred: Barred) -> bytes | str:
    """What is the same for nodes that belong to the same; of jumps with a label, all the text."""
    name = _name(node, barred)
    return node.text or b"" if name in LABELLED else name


def _place(
    node: Node, capture: ByteRange, edit: ByteRange, barred: Barred
) -> tuple[bool, bool, bool]:
    """Is its owner a part of a capture, or of an edit, and is it a function?"""
    if (owner := _owner(node, barred)) is None:
        return False, False, False
    part = owner.child_with_descendant(node) if node.type == "wildcard" else None  # `_ + 1`
    is_captured = holds([capture], *(part or owner).byte_range)
    return is_captured, holds([edit], *owner.byte_range), owner.type in barred.functions


def _owned(root: Node, low: int, high: int, barred: Barred) -> Iterator[Node]:
    """The nodes between two places that belong to something around them, in order."""
    for node in walk(root):
        is_owned = _name(node, barred) in barred.jumps or node.type in barred.bound
        if is_owned and node.is_named and low <= node.start_byte < high:
            yield node


def heads(source: bytes) -> Iterator[ByteRange]:
    """From each constructor of JavaScript to the end of its `super()`: there is no `this` yet."""
    starts = [found.start() for found in re.finditer(rb"\bconstructor\b", source)]
    for low, high in pairwise([*starts, len(source)]):
        if (at := source.rfind(b"super(", low, high)) >= 0:
            ended = _END.search(source, at, high)
            yield low, ended.end() if ended else high
