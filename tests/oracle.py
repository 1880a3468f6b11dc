"""ast-grep's matches of a pattern and ours, in one form: the spec's second opinion."""

from typing import Any

import ast_grep_py

from astedit.errors import RequestError
from astedit.language import load, named
from astedit.pattern.compile import compile_pattern
from astedit.pattern.find import Finder, captured

# A match: start, end, and by name what each capture spans (None for no node), in bytes.
Seen = tuple[int, int, dict[str, tuple[int, int] | None]]
UNKNOWN = frozenset({"toml", "sql"})  # to ast-grep


def ours(source: bytes, lang: str, pat: str, **options: Any) -> list[Seen] | None:
    """Our matches in pre-order; None when the pattern is refused."""
    row = named(lang)
    assert row is not None
    grammar = load(row)
    try:
        finder = Finder(compile_pattern(pat, row, grammar, **options))
    except RequestError:
        return None
    root = grammar.parser().parse(source).root_node
    captures = finder.pattern.captures
    return [
        (
            found.node.start_byte,
            found.node.end_byte,
            {name: captured(found, name, hole.many) for name, hole in captures.items()},
        )
        for found in finder.find(root, source)
    ]


def theirs(source: bytes, lang: str, pat: str, names: list[str], **options: Any) -> Any:
    """ast-grep's matches; None when it refuses the pattern."""
    text = source.decode()
    root = ast_grep_py.SgRoot(text, lang).root()
    wanted = {"context": options.pop("context", None) or pat, **options}
    try:
        found = root.find_all({"rule": {"pattern": wanted}})
    except RuntimeError:
        return None
    return [(*_span(node, text), _captures(node, names, text)) for node in found]


def _captures(node: Any, names: list[str], text: str) -> dict[str, tuple[int, int] | None]:
    held: dict[str, tuple[int, int] | None] = {}
    for name in names:
        single = node.get_match(name)
        many = node.get_multiple_matches(name)
        if single is not None:
            held[name] = _span(single, text)
        elif many:
            held[name] = (_span(many[0], text)[0], _span(many[-1], text)[1])
        else:
            held[name] = None
    return held


def _span(node: Any, text: str) -> tuple[int, int]:
    """ast-grep-py counts characters."""
    span = node.range()
    start, end = span.start.index, span.end.index
    first = len(text[:start].encode())
    return first, first + len(text[start:end].encode())
