"""Matches as people and programs read them: lines, or ast-grep's JSON objects."""

from collections.abc import Iterator, Sequence
from typing import Any

from tree_sitter import Node

from astedit.edit import Lines
from astedit.pattern.match import Found


def text_lines(found: Sequence[Found], source: bytes) -> Iterator[tuple[tuple[int, bytes], ...]]:
    """For each match its lines: 1-based number and text; a line is given only once."""
    shown = -1  # the last row that was given
    for one in found:
        node = one.node
        first, last = max(node.start_point[0], shown + 1), node.end_point[0]
        if last < first:
            yield ()
            continue
        shown = last
        low = source.rfind(b"\n", 0, node.start_byte) + 1
        for _ in range(first - node.start_point[0]):
            low = source.find(b"\n", low) + 1
        high = source.find(b"\n", node.end_byte)
        block = source[low : high if high >= 0 else len(source)]
        yield tuple(
            (row, line.removesuffix(b"\r"))
            for row, line in enumerate(block.split(b"\n"), first + 1)
        )


def json_match(one: Found, source: bytes, lines: Lines, language: str) -> dict[str, Any]:
    """ast-grep's object for one match; `file` is filled in by the caller."""
    node = one.node
    start, end = node.start_byte, node.end_byte
    low = source.rfind(b"\n", 0, start) + 1
    high = source.find(b"\n", end)
    high = len(source) if high < 0 else high
    found = {
        "text": _text(source[start:end]),
        "range": json_range(start, end, lines, source),
        "file": "",
        "lines": _text(source[low:high]),
        "charCount": {
            "leading": len(_text(source[low:start])),
            "trailing": len(_text(source[end:high])),
        },
        "language": language,
    }
    variables = _variables(one, source, lines)
    return found | {"metaVariables": variables} if any(variables.values()) else found


def _variables(one: Found, source: bytes, lines: Lines) -> dict[str, dict[str, Any]]:
    """What was captured and made of it; ast-grep leaves the key out where nothing was."""
    return {
        "single": {name: json_capture(n, lines, source) for name, n in one.single.items()},
        "multi": {
            name: [json_capture(n, lines, source) for n in held]
            for name, held in _many(one).items()
        },
        "transformed": {name: _text(made) for name, made in (one.texts or {}).items()},
    }


def _many(one: Found) -> dict[str, list[Node]]:
    """With the nodes that relations found, as ast-grep lists them."""
    related = getattr(one, "related", ())
    return {"secondary": list(related), **one.multi} if related else one.multi


def json_capture(node: Node, lines: Lines, source: bytes) -> dict[str, Any]:
    """The text and the range of one node."""
    start, end = node.start_byte, node.end_byte
    return {"text": _text(source[start:end]), "range": json_range(start, end, lines, source)}


def json_range(start: int, end: int, lines: Lines, source: bytes) -> dict[str, Any]:
    """Bytes `start` to `end` as ast-grep's `range`."""
    return {
        "byteOffset": {"start": start, "end": end},
        "start": _point(start, lines, source),
        "end": _point(end, lines, source),
    }


def _point(offset: int, lines: Lines, source: bytes) -> dict[str, int]:
    """0-based line, column in characters."""
    return {"line": lines.row(offset), "column": len(_text(source[lines.start(offset) : offset]))}


def _text(data: bytes) -> str:
    return data.decode("utf-8", "replace")
