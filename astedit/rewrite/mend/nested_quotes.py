"""Other quotes for a string that is put into the code within a string. (F12)

Python before 3.12 does not read `f"{q["k"]}"`: the string ends at the second quote. What
was captured as `q["k"]` is written `q['k']` there, if that says the same.
"""

from collections import Counter
from collections.abc import Iterator, Sequence

from tree_sitter import Node

from astedit.language import Grammar
from astedit.language.facts import Facts
from astedit.rewrite.make.overlap import Site
from astedit.rewrite.make.piece import in_order, with_byte
from astedit.rewrite.make.template_tree import QUOTED, TemplateTree, outermost
from astedit.text.indent import Text

_OTHER = {b'"': b"'", b"'": b'"'}


def with_other_quotes(sites: Sequence[Site], grammar: Grammar, facts: Facts) -> None:
    """Changes quotes in the texts of edits whose templates put code into a string."""
    if facts.code_in_literals is None:
        return
    for site in sites:
        tree = site.tree if site.text.marks else None
        if tree is not None and any(tree.delimiters.values()):
            _change(site, tree, grammar, facts)


def _change(site: Site, tree: TemplateTree, grammar: Grammar, facts: Facts) -> None:
    seen = Counter[str]()
    for mark in outermost(site.text):
        outer = tree.delimiters.get((mark.name, seen[mark.name]), b"")
        seen[mark.name] += 1
        data = site.text.data[mark.start : mark.end]
        if not outer or outer not in data:
            continue
        root = grammar.parser().parse(data).root_node
        for literal in _literals(root, facts):
            for at, quote in _other(literal, outer):
                _put(site, mark.start + at, quote)


def _put(site: Site, at: int, quote: bytes) -> None:
    text = site.text
    site.text = Text(text.data[:at] + quote + text.data[at + 1 :], text.frozen, text.marks)
    site.pieces = in_order(with_byte(site.pieces, site.start, at, quote))


def _literals(root: Node, facts: Facts) -> Iterator[Node]:
    """The literals of a tree, those within the code of others included."""
    stack = [root]
    while stack:
        node = stack.pop()
        if node.type in facts.literals:
            yield node
        stack.extend(node.children)


def _other(literal: Node, outer: bytes) -> Iterator[tuple[int, bytes]]:
    """Where a literal gets which quote; nowhere if it may stay or would say something else."""
    quoted = QUOTED.match(literal.text or b"")
    if quoted is None or outer not in quoted[0]:
        return
    other = _OTHER[quoted[1][:1]]
    if outer in quoted[2] or other in quoted[2] or b"\\" in quoted[2] or outer[:1] == other:
        return
    for at in (*range(*quoted.span(1)), *range(quoted.end(2), quoted.end(0))):
        yield literal.start_byte + at, other
