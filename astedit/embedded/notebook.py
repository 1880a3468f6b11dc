"""Cells of Jupyter notebooks, read from the JSON text so that all else stays as it is.

The strings of a cell's `source` are joined to one text. Lines that only IPython
understands are made comments for the parser, and edits that touch them are refused.
"""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from astedit.embedded.part import ByteRun, Part
from astedit.language import Row, named

_TOKEN = re.compile(rb'"(?:[^"\\]|\\.)*"|[^\s\[\]{},:"]+|[\[\]{}]', re.DOTALL)
_KINDS = {b'"': "string", b"{": "object", b"[": "array"}
_PLAIN = re.compile(rb"[^\"\\]+")
_MAGIC = re.compile(rb"^[ \t]*(?:[%!?][^\n]*|[^\n#'\"]*\?)$", re.MULTILINE)
_DEPTH = 50


@dataclass(slots=True)
class _Value:
    """A JSON value: its kind, where it is, and what is in it (spans only)."""

    kind: str
    start: int
    end: int
    items: list["_Value"] = field(default_factory=list)
    keys: dict[str, "_Value"] = field(default_factory=dict)


def notebook_parts(raw: bytes) -> Iterator[Part]:
    """Every code cell in the notebook's language; none if it is not a notebook."""
    try:
        json.loads(raw.decode(), parse_constant=int)  # which is no number: NaN
        value = _spans(raw)
    except (ValueError, RecursionError):  # no JSON, or nested more deeply than a notebook is
        return
    row = _language(raw, value)
    cells = value.keys.get("cells")
    if row is None or cells is None:
        return
    for cell in cells.items:
        kind, source = cell.keys.get("cell_type"), cell.keys.get("source")
        if kind is not None and source is not None and raw[kind.start : kind.end] == b'"code"':
            part = _part(row, raw, source)
            if part is not None:
                yield part


def _language(raw: bytes, notebook: _Value) -> Row | None:
    """The language that the metadata names; Python where they name none."""
    metadata = notebook.keys.get("metadata")
    content: Any = {}
    if metadata is not None:
        content = json.loads(raw[metadata.start : metadata.end])
    for key, name in (("language_info", "name"), ("kernelspec", "language")):
        inner = content.get(key)
        if isinstance(inner, dict) and isinstance(inner.get(name), str):
            return named(inner[name])
    return named("python")


def _part(row: Row, raw: bytes, source: _Value) -> Part | None:
    strings = [source] if source.kind == "string" else source.items
    if not strings or any(string.kind != "string" for string in strings):
        return None
    runs: list[ByteRun] = []
    texts: list[bytes] = []
    length = 0
    for string in strings:
        try:
            pieces = list(_runs(raw, string))
        except UnicodeEncodeError:  # half of a surrogate pair
            return None
        for at, end, text in pieces:
            runs.append(ByteRun(length, len(text), at, end - at))
            texts.append(text)
            length += len(text)
    text = b"".join(texts)
    if not text.strip() or text.lstrip().startswith(b"%%"):
        return None
    masked: list[int] = []
    if row.name == "python":
        text = _MAGIC.sub(lambda matched: _masked(matched, masked), text)
    between = _between(raw, source)
    ascii_only = raw.isascii() and b"\\u" in raw

    def write(new: bytes, at: int) -> bytes:
        lines = [new] if between is None else re.findall(rb"[^\n]*\n|[^\n]+", new)
        shown = [json.dumps(line.decode(), ensure_ascii=ascii_only)[1:-1] for line in lines]
        return (b'"' + (between or b"") + b'"').join(line.encode() for line in shown)

    return Part(row, raw, runs, text, write, masked)


def _masked(match: re.Match[bytes], masked: list[int]) -> bytes:
    line = match[0]
    at = len(line) - len(line.lstrip())
    masked.append(match.start() + at)
    return line[:at] + b"#" + line[at + 1 :]


def _between(raw: bytes, source: _Value) -> bytes | None:
    """What parts two lines of a cell; None where it is one string."""
    if source.kind == "string":
        return None
    first = source.items[0]
    if len(source.items) > 1:
        return raw[first.end : source.items[1].start]
    return b"," + raw[source.start + 1 : first.start]


def _runs(raw: bytes, string: _Value) -> Iterator[tuple[int, int, bytes]]:
    """The pieces between the quotes: plain text, or one escape (a surrogate pair is one)."""
    at, end = string.start + 1, string.end - 1
    while at < end:
        if (plain := _PLAIN.match(raw, at, end)) is not None:
            yield at, plain.end(), plain[0]
            at = plain.end()
            continue
        size = 6 if raw[at + 1 : at + 2] == b"u" else 2
        if re.fullmatch(rb"\\u[dD][89abAB]..\\u[dD][c-fC-F]..", raw[at : at + 12], re.DOTALL):
            size = 12
        yield at, at + size, json.loads(b'"' + raw[at : at + size] + b'"').encode()
        at += size


def _spans(raw: bytes) -> _Value:
    """Where everything is in a JSON text, which is known to be right."""
    around, key = [_Value("array", 0, len(raw))], None
    for token in _TOKEN.finditer(raw):
        first, outer = token[0][:1], around[-1]
        if first in (b"}", b"]"):
            around.pop().end = token.end()
        elif outer.kind == "object" and key is None:
            key = json.loads(token[0])
        else:
            value = _Value(_KINDS.get(first, "scalar"), *token.span())
            if key is None:
                outer.items.append(value)
            else:
                outer.keys[key], key = value, None
            if first in (b"{", b"["):
                around.append(value)
        if len(around) > _DEPTH:
            raise ValueError("too deep")
    return around[0].items[0]
