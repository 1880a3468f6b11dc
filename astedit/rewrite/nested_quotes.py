"""Other quotes for a string that is put into the code within a string. (F12)

Python before 3.12 does not read `f"{q["k"]}"`: the string ends at the second quote. What
was captured as `q["k"]` is written `q['k']` there, if that says the same.
"""

import re
from collections.abc import Iterator, Sequence

from tree_sitter import Node

from astedit.language import Grammar
from astedit.language.facts import Facts
from astedit.rewrite.overlap import Site
from astedit.rewrite.piece import in_order, with_byte
from astedit.text.indent import Text
from astedit.text.splice import splice

_QUOTED = re.compile(rb"\A[A-Za-z]*(\"\"\"|'''|\"|')(.*)\1\Z", re.DOTALL)
_OTHER = {b'"': b"'", b"'": b'"'}


def with_other_quotes(sites: Sequence[Site], source: bytes, grammar: Grammar, facts: Facts) -> None:
    """Changes quotes in the texts of edits whose templates put code into a string."""
    asked = [site for site in sites if _may_nest(site, facts)]
    if not asked:
        return
    result = splice(source, [site.change for site in sites])
    root = grammar.parser().parse(result).root_node
    ids = {id(site) for site in asked}
    shift = 0
    for site in sites:
        if id(site) in ids:
            _change(site, root, site.start + shift, facts)
        shift += len(site.text.data) - (site.end - site.start)


def _may_nest(site: Site, facts: Facts) -> bool:
    """Does the template hold a string, and a capture the quotes of it?"""
    if facts.code_in_literals is None or not site.text.marks:
        return False
    written = b"".join(part for part in site.rewrite.template.parts if isinstance(part, bytes))
    return any(
        quote in written and quote in site.text.data[mark.start : mark.end]
        for quote in _OTHER
        for mark in site.text.marks
    )


def _change(site: Site, root: Node, start: int, facts: Facts) -> None:
    for mark in site.text.marks:
        if not mark.name or mark.start == mark.end:
            continue
        low, high = start + mark.start, start + mark.end
        outer = _delimiter(root, low, high, facts)
        for node in _literals(root, low, high, facts) if outer else ():
            for at, quote in _other(node, outer):
                _put(site, at - start, quote)


def _put(site: Site, at: int, quote: bytes) -> None:
    text = site.text
    site.text = Text(text.data[:at] + quote + text.data[at + 1 :], text.frozen, text.marks)
    site.pieces = in_order(with_byte(site.pieces, site.start, at, quote))


def _delimiter(root: Node, low: int, high: int, facts: Facts) -> bytes:
    """The quotes of the literal in whose code the bytes stand; nothing if in none."""
    node = root.descendant_for_byte_range(low, high)
    while node is not None and (node.type != facts.code_in_literals or node.start_byte >= low):
        node = node.parent
    literal = node and node.parent
    quoted = _QUOTED.match(literal.text or b"") if literal is not None else None
    return quoted[1] if quoted else b""


def _literals(root: Node, low: int, high: int, facts: Facts) -> Iterator[Node]:
    """The literals within the bytes, those within the code of others included."""
    cover = root.descendant_for_byte_range(low, high)
    stack = [] if cover is None else [cover]
    while stack:
        node = stack.pop()
        if node.end_byte <= low or high <= node.start_byte:
            continue
        if node.type in facts.literals and low <= node.start_byte and node.end_byte <= high:
            yield node
        stack.extend(node.children)


def _other(literal: Node, outer: bytes) -> Iterator[tuple[int, bytes]]:
    """Where a literal gets which quote; nowhere if it may stay or would say something else."""
    quoted = _QUOTED.match(literal.text or b"")
    if quoted is None or outer not in quoted[0]:
        return
    other = _OTHER[quoted[1][:1]]
    if outer in quoted[2] or other in quoted[2] or b"\\" in quoted[2] or outer[:1] == other:
        return
    for at in (*range(*quoted.span(1)), *range(quoted.end(2), quoted.end(0))):
        yield literal.start_byte + at, other
