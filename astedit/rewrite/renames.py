"""Edits that put names in the place of names, and so change no tree.

To a parser two names are the same token, unless one is a keyword somewhere. A result in
which nothing else differs need not be parsed to know how; that would take a third of the
time that the source took.
"""

import re
from collections.abc import Sequence
from functools import lru_cache

from tree_sitter import Node

from astedit.language import Grammar
from astedit.language.facts import Facts
from astedit.text.splice import Change

_PARTS = re.compile(rb"(\w+)")
_NAME = re.compile(rb"[A-Za-z_]\w*")
_QUOTES = (b'"', b"'")  # behind a name they may make it the prefix of a string


def only_names(
    grammar: Grammar, facts: Facts, root: Node, source: bytes, changes: Sequence[Change]
) -> bool:
    """Whether the text differs in nothing but names, each in the place of one identifier.

    False where the source does not parse: what error recovery makes of it depends on
    lengths; and for languages of which not all `Facts.words` are known.
    """
    if facts.words is None or root.has_error:
        return False
    words = _words(grammar) | facts.words
    return all(_renames(words, root, source, change) for change in changes)


def _renames(words: frozenset[str], root: Node, source: bytes, change: Change) -> bool:
    start, end, new = change
    old_parts, new_parts = _PARTS.split(source[start:end]), _PARTS.split(new)
    if len(old_parts) != len(new_parts):
        return False
    at = start
    for place, (old, other) in enumerate(zip(old_parts, new_parts, strict=True)):
        if old != other and not (
            place % 2
            and _is_free(old, words)
            and _is_free(other, words)
            and _is_identifier(root, source, at, at + len(old))
        ):
            return False
        at += len(old)
    return True


def _is_free(word: bytes, words: frozenset[str]) -> bool:
    return _NAME.fullmatch(word) is not None and word.decode() not in words


def _is_identifier(root: Node, source: bytes, start: int, end: int) -> bool:
    """Whether these bytes are one, with nothing at its sides that a name could grow into."""
    node = root.descendant_for_byte_range(start, end)
    if node is None or (node.type, node.start_byte, node.end_byte) != ("identifier", start, end):
        return False
    before, behind = source[start - 1 : start] if start else b"", source[end : end + 1]
    return _is_sign(before) and _is_sign(behind) and behind not in _QUOTES


def _is_sign(byte: bytes) -> bool:
    return byte.isascii() and not _NAME.fullmatch(byte) and not byte.isdigit()


@lru_cache(maxsize=64)
def _words(grammar: Grammar) -> frozenset[str]:
    """The words that mean something to the grammar, wherever: `match` as well as `if`."""
    language = grammar.language
    kinds = range(language.node_kind_count)
    names = (
        language.node_kind_for_id(kind) for kind in kinds if not language.node_kind_is_named(kind)
    )
    return frozenset(name for name in names if name is not None and name.isidentifier())
