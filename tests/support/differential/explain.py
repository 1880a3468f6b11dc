"""Why the two programs differ on one pattern and one file: a deviation's id, or nothing.

No pattern is exempt by name. The reference matcher decides: without deviations it must
give ast-grep's answer, and with those it names, ours. Where the two programs do not even
see the same tree, that is said instead.
"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations, pairwise

from ast_grep_py import SgNode, SgRoot
from tree_sitter import Node

from astedit.language import load, named
from astedit.pattern.compile import Pattern, is_spelled
from astedit.pattern.find import joined, sure_anchors
from astedit.pattern.required_text import is_name, is_whole
from astedit.pattern.template import PatternText, stand_in
from tests.support.differential.oracle import (
    Hit,
    Query,
    Refused,
    Subject,
    compiled,
    hit,
    ours,
    theirs,
)
from tests.support.differential.reference import DEVIATIONS, N1, Reference

SAME = "same"
M5 = "M-5"  # two many-holes in a row are refused
RECOVERED_PATTERN = "recovered pattern"  # it does not parse, and is recovered to another tree
RECOVERED_SOURCE = "recovered source"  # so does a file that does not parse


class Unexplained(AssertionError):
    """A difference that no deviation accounts for; the message is a complete report."""


def explain(query: Query, subject: Subject) -> str:
    """`SAME`, or the deviations that the difference consists of; else raises `Unexplained`."""
    pattern, refusal = _ours_or_refusal(query)
    try:
        their_hits = theirs(query, list(pattern.captures) if pattern else [], subject)
    except Refused as error:
        if pattern is None:
            return SAME
        if _parsed_differently(query):
            return RECOVERED_PATTERN
        raise Unexplained(f"{query}\nonly ast-grep refuses: {error}") from error
    if pattern is None:
        if "ambiguous" in refusal and _has_neighbours(query):
            return M5
        if _parsed_differently(query):
            return RECOVERED_PATTERN
        raise Unexplained(f"{query}\nonly we refuse: {refusal}")
    our_hits = ours(pattern, subject)
    if our_hits == their_hits:
        return SAME
    return _explained(query, pattern, subject, our_hits, their_hits)


def _ours_or_refusal(query: Query) -> tuple[Pattern | None, str]:
    try:
        return compiled(query), ""
    except Refused as error:
        return None, str(error)


def _explained(
    query: Query, pattern: Pattern, subject: Subject, our_hits: list[Hit], their_hits: list[Hit]
) -> str:
    if reference_hits(pattern, subject, frozenset()) != their_hits:
        if _parsed_differently(query):
            return RECOVERED_PATTERN
        if _seen_differently(subject, our_hits + their_hits):
            return RECOVERED_SOURCE
        raise Unexplained(
            _report("ast-grep does what we thought it does not", query, our_hits, their_hits)
        )
    for size in range(1, len(DEVIATIONS) + 1):
        for deviations in combinations(DEVIATIONS, size):
            if reference_hits(pattern, subject, frozenset(deviations)) == our_hits:
                return " ".join(deviations)
    raise Unexplained(_report("no deviation explains our answer", query, our_hits, their_hits))


def _report(problem: str, query: Query, our_hits: list[Hit], their_hits: list[Hit]) -> str:
    only_ours = [one for one in our_hits if one not in their_hits][:3]
    only_theirs = [one for one in their_hits if one not in our_hits][:3]
    return f"{problem}\n{query}\nonly ours: {only_ours}\nonly theirs: {only_theirs}"


def reference_hits(pattern: Pattern, subject: Subject, deviations: frozenset[str]) -> list[Hit]:
    """The reference's matches in pre-order."""
    reference = Reference(pattern, deviations)
    hits = []
    for node in preorder(subject.tree.root_node):
        env = reference.match(node)
        if env is not None and (N1 not in deviations or names_stand(pattern, node, subject)):
            hits.append(hit(node, env.single, env.multi))
    return hits


def names_stand(pattern: Pattern, node: Node, subject: Subject) -> bool:
    """What N-1 asks of a match."""
    names = joined(sure_anchors(pattern))
    return all(name.stands(subject.source, node.start_byte, node.end_byte) for name in names)


def preorder(root: Node) -> Iterator[Node]:
    """All nodes below a root, and the root."""
    stack = [root]
    while stack:
        node = stack.pop()
        yield node
        stack.extend(reversed(node.children))


# M-5 ------------------------------------------------------------------------------------


def _has_neighbours(query: Query) -> bool:
    """Do two many-holes of the pattern have nothing but tokens between them?"""
    row = named(query.language)
    assert row is not None
    source, _ = stand_in(query.context or query.text, row.stand_in)
    sign = (row.stand_in * 3).encode()
    for node in preorder(load(row).parser().parse(source).root_node):
        holes = [child for child in node.children if child.child_count or child.is_named]
        many = [(child.text or b"").startswith(sign) for child in holes]
        if any(one and two for one, two in pairwise(many)):
            return True
    return False


# trees that differ ----------------------------------------------------------------------


def _parsed_differently(query: Query) -> bool:
    """Is the pattern's text no code, and does ast-grep make another tree of it than we do?"""
    row = named(query.language)
    assert row is not None
    text, grammar = query.context or query.text, load(row)
    source, _ = stand_in(text, row.stand_in)
    has_error = grammar.parser().parse(source).root_node.has_error
    root = PatternText.of(text, row, grammar).root
    return has_error and not same_tree(root, SgRoot(source.decode(), query.language).root())


def _seen_differently(subject: Subject, hits: list[Hit]) -> bool:
    """Is the file no code, and does ast-grep see another tree where one of these hits is?"""
    ours_here, theirs_here = subject.tree.root_node.children, subject.root.children()
    if not subject.tree.root_node.has_error or len(ours_here) != len(theirs_here):
        return subject.tree.root_node.has_error
    return any(
        not same_tree(one, two)
        for one, two in zip(ours_here, theirs_here, strict=True)
        if any(one.start_byte <= hit.span[0] < one.end_byte for hit in hits)
    )


def same_tree(one: Node, two: SgNode) -> bool:
    """Same kinds, same shape."""
    stack = [(one, two)]
    while stack:
        mine, other = stack.pop()
        others = other.children()
        if mine.type != other.kind() or mine.child_count != len(others):
            return False
        stack.extend(zip(mine.children, others, strict=True))
    return True


# what N-1 and N-2 rest on ---------------------------------------------------------------


def unspoken(subject: Subject, keywords: Mapping[str, Sequence[str]]) -> set[str]:
    """The kinds without a keyword of theirs, and tokens that are called as no text of theirs."""
    source, found = subject.source, set()
    for node in preorder(subject.tree.root_node):
        plain = (one for one in node.children if not one.is_named)
        tokens = {one.type for one in plain if one.text == one.type.encode()}
        if node.is_named and node.type in keywords and tokens.isdisjoint(keywords[node.type]):
            found.add(node.type)
        if not node.is_named and is_spelled(node.type, node.type.encode()):
            whole = is_whole(source, node.start_byte, node.end_byte) or not node.type.isalpha()
            if node.text != node.type.encode() or not whole:
                found.add(node.type)
    return found


def behind_dots(subject: Subject) -> set[str]:
    """The kinds of nodes with children that begin with a name right behind a single dot."""
    source, found = subject.source, set()
    for node in preorder(subject.tree.root_node):
        before = source[max(node.start_byte - 2, 0) : node.start_byte]
        if node.child_count and before.endswith(b".") and before != b"..":
            first = node
            while first.child_count:
                first = first.children[0]
            if is_name(first.type):
                found.add(node.type)
    return found
