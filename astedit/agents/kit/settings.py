"""Entries of ours in the settings texts of others: put in, found again, and taken out.

A text is edited through its tree, so every byte of others stays. A JSON entry comes first in
its container, which changes no line of others. Taking it out gives the bytes that were there:
an entry that was put into an empty object touches its bracket, and objects that came with it
do not.
"""

import json
import re
import tomllib
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import reduce
from itertools import pairwise
from typing import Any

from tree_sitter import Node

from astedit.agents.kit.rows import Entry
from astedit.errors import PreconditionError
from astedit.json_model import strictly
from astedit.language import root_of
from astedit.rewrite.make.delete import Removal, widen
from astedit.text.indent import unit_of
from astedit.text.source import end_of_line, splice

_UNIT = "  "
_WAY = "Mend the file, or leave that client out: the others are not touched either."
# What does not end ends with the text: nobody looks for its end again from each place.
_PASSED = re.compile(rb'"(?:[^"\\\n]++|\\.)*+"?|//[^\n]*|/\*.*?(?:\*/|\Z)', re.DOTALL)
_TRAILING = re.compile(rb'"(?:[^"\\\n]++|\\.)*+"?|,(?=\s*[}\]])')


def put(text: bytes | None, entry: Entry, value: Any) -> bytes:
    """The text with an entry that is not there; a new one for a file that is none.

    In a file that was empty a blank line comes first, by which `take` knows that it was there.
    Raises `PreconditionError` for a text that does not parse, and for one in which there is no
    place for the entry; both stay as they are.
    """
    if not entry.at:
        return str(value).encode()
    if not text:
        whole = {**entry.beside, **_nested(entry.at, value)}
        is_toml = entry.form == "toml"
        new = _block(entry, value) if is_toml else json.dumps(whole, indent=_UNIT) + "\n"
        return (new if text is None else f"\n{new}").encode()
    if entry.form == "toml":
        block = f"\n{_block(entry, value)}".encode()
        after = text + block.replace(b"\n", end_of_line(text))
    else:
        after = _with_item(text, entry, value)
    with suppress(PreconditionError):  # what does not parse, too
        if value in values(after, entry) and take(after, entry, value) == text:
            return after
    raise refused(entry.path, "there is no place for the entry")


def take(text: bytes, entry: Entry, value: Any) -> bytes | None:
    """The text without an entry, which must be there; None for a file that is as we write it."""
    if not entry.at:
        return None
    for empty in (None, b""):
        if text == put(empty, entry, value):
            return empty
    return (_without_block if entry.form == "toml" else _without_item)(text, entry, value)


def values(text: bytes, entry: Entry) -> list[Any]:
    """What stands where an entry would: nothing, one value, or the items of a list."""
    if not entry.at:
        return [text.decode("utf-8", "surrogateescape")]
    inner: Any = _toml(text, entry) if entry.form == "toml" else _Document(text, entry).whole
    for key in entry.at:
        if key == "+":
            return list(inner) if isinstance(inner, list) else []
        if not isinstance(inner, dict) or key not in inner:
            return []
        inner = inner[key]
    return [inner]


def _nested(at: Sequence[str], value: Any) -> Any:
    return reduce(lambda inner, key: [inner] if key == "+" else {key: inner}, reversed(at), value)


class _Document:
    """A JSON text, perhaps with comments and commas at ends: what it means, and its tree."""

    def __init__(self, text: bytes, entry: Entry) -> None:
        self._path = entry.path
        self.bare = _blank(text, _PASSED)  # without comments
        self._plain = _blank(self.bare, _TRAILING)
        self.whole = _parsed(strictly, self._plain, entry)
        if not isinstance(self.whole, dict):
            raise refused(entry.path, "it is not an object")
        top = root_of("json", self._plain).named_children
        self._root = next(node for node in top if node.type == "object")

    def chain(self, at: Sequence[str]) -> list[tuple[Any, Node]]:
        """The containers on the way to an entry, the outermost first, as far as they are there."""
        values, node = self.whole, self._root
        chain = [(values, node)]
        for key, inner in pairwise(at):
            if key not in values:
                break
            node, values = _member(values, node, key), values[key]
            if not isinstance(values, list if inner == "+" else dict):
                raise refused(self._path, f"`{key}` holds something else than entries")
            node = node.named_children[-1]
            chain.append((values, node))
        return chain


def _member(values: Any, node: Node, key: Any) -> Node:
    """The pair of a key in an object's node, the item of a value in that of a list."""
    return node.named_children[list(values).index(key)]


def _with_item(text: bytes, entry: Entry, value: Any) -> bytes:
    """JSON: the entry is the first in its container, with those above it that are missing.

    It stands below what begins a line there, else on the same line, away from all brackets.
    """
    chain = _Document(text, entry).chain(entry.at)
    start, members = chain[-1][1].start_byte + 1, chain[-1][1].named_children
    place = members[0].start_byte if members else start
    _, line, indent = text[start:place].rpartition(b"\n")
    unit = unit_of(text).decode() or _UNIT
    lines = json.dumps(_nested(entry.at[len(chain) - 1 :], value), indent=unit).split("\n")[1:-1]
    if line and not indent.strip():
        between = "\n" + indent.decode()
        item = between.join(line.removeprefix(unit) for line in lines)
    else:
        between = " "
        item = between.join(map(str.strip, lines))
    if members:
        item += f",{between}"
    return splice(text, [(place, place, item.encode().replace(b"\n", end_of_line(text)))])


def _without_item(text: bytes, entry: Entry, value: Any) -> bytes:
    """JSON: without the entry, and the containers that came with it and hold nothing else."""
    document = _Document(text, entry)
    *above, (values, container) = document.chain(entry.at)
    item = _member(values, container, value if entry.at[-1] == "+" else entry.at[-1])
    while above and len(container.named_children) == 1 and text[item.start_byte - 1] not in b"{[":
        inner = slice(container.start_byte, container.end_byte)
        if text[inner] != document.bare[inner]:  # there is a comment in it
            break
        item, (_, container) = container.parent or container, above.pop()
    start, end = item.byte_range
    if len(container.named_children) == 1:
        return splice(text, [(start, end, b"")])
    return splice(text, [(*cut,) for cut in widen([Removal(item, start, end)], text)])


def _block(entry: Entry, value: Any) -> str:
    """TOML: the entry is a block of its own, at the end of the text."""
    name = ".".join(key for key in entry.at if key != "+")
    head = f"[[{name}]]" if entry.at[-1] == "+" else f"[{name}]"
    # As JSON has them, but for `=`, and for keys that need no quotes.
    items = ((key, json.dumps(inner, separators=(", ", " = "))) for key, inner in value.items())
    lines = "".join(f'"{key}" = {text}\n' for key, text in items)
    return f"{head}\n" + re.sub(r'"(\w+)" = ', r"\1 = ", lines)


def _without_block(text: bytes, entry: Entry, value: Any) -> bytes:
    """TOML: without the block, but for comments; the line break before it came with it."""
    for node in root_of("toml", text).named_children:
        pairs = [child for child in node.named_children if child.type == "pair"]
        block = text[node.start_byte : pairs[-1].end_byte].rstrip() if pairs else b""
        if pairs and _toml(block, entry) == _nested(entry.at, value):
            end = text.find(b"\n", pairs[-1].end_byte) + 1 or len(text)
            before = text[: node.start_byte]
            comments = b"".join(re.findall(rb"#[^\n]*\n?", text[len(before) : end]))
            if not comments:
                before = before.removesuffix(b"\n").removesuffix(b"\r")
            return before + comments + text[end:]
    raise refused(entry.path, f"`{'.'.join(entry.at)}` stands there in a form that is not ours")


def _blank(text: bytes, pattern: re.Pattern[bytes]) -> bytes:
    """The text with what the pattern finds made blank, unless it begins a string."""
    return pattern.sub(
        lambda found: found[0] if found[0][:1] == b'"' else re.sub(rb"[^\n]", b" ", found[0]), text
    )


def _toml(text: bytes, entry: Entry) -> Any:
    return _parsed(tomllib.loads, text, entry)


def _parsed(parse: Callable[[str], Any], text: bytes, entry: Entry) -> Any:
    try:
        return parse(text.decode("utf-8-sig"))
    except (ValueError, RecursionError) as error:
        raise refused(entry.path, f"it does not parse: {error}") from error


def refused(path: str, why: str) -> PreconditionError:
    """What is raised for a file that cannot be edited, and stays as it is."""
    return PreconditionError(f"{path}: {why}.", path=path, code="settings", hint=_WAY)
