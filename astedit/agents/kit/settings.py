"""Entries of ours in the settings texts of others: put in, found again, and taken out.

A text is edited through its tree, so every byte of others stays. A JSON entry comes first in
its container, which changes no line of others. Taking it out gives the bytes that were there:
an entry that was put into an empty object touches its bracket, and objects that came with it
do not.
"""

import json
import re
import tomllib
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from functools import reduce
from itertools import pairwise
from typing import Any

from tree_sitter import Node

from astedit.agents.kit.rows import Entry
from astedit.errors import PreconditionError
from astedit.json_model import strictly
from astedit.language import load, named
from astedit.text.splice import Change, splice

_SPACE = b" \t\r\n"
_UNIT = "  "
_WAY = "Mend the file, or leave that client out: the others are not touched either."
# What does not end ends with the text: nobody looks for its end again from each place.
_PASSED = re.compile(rb'"(?:[^"\\\n]++|\\.)*+"?|//[^\n]*|/\*.*?(?:\*/|\Z)', re.DOTALL)
_TRAILING = re.compile(rb'"(?:[^"\\\n]++|\\.)*+"?|,(?=\s*[}\]])')


def put(text: bytes | None, entry: Entry, value: Any) -> bytes:
    """The text with an entry that is not there; a new one for a file that is none.

    Raises `PreconditionError` for a text that does not parse, and for one in which there is no
    place for the entry; both stay as they are.
    """
    if not entry.at:
        return str(value).encode()
    if text is None:
        if entry.form == "toml":
            return _block(entry, value).encode()
        whole = {**entry.beside, **_nested(entry.at, value)}
        return (json.dumps(whole, indent=_UNIT) + "\n").encode()
    after = (_with_block if entry.form == "toml" else _with_item)(text, entry, value)
    with suppress(PreconditionError):
        if value in values(after, entry) and take(after, entry, value) == text:
            return after
    raise refused(entry.path, "there is no place for the entry")


def take(text: bytes, entry: Entry, value: Any) -> bytes | None:
    """The text without an entry, which must be there; None for a file that was only ours."""
    if not entry.at or text == put(None, entry, value):
        return None
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
        self.text, self._path = text, entry.path
        self.bare = _blank(text, _PASSED)  # without comments
        self._plain = _blank(self.bare, _TRAILING)
        self.whole = _parsed(strictly, self._plain, entry)
        if not isinstance(self.whole, dict):
            raise refused(entry.path, "it is not an object")
        self._root = next(node for node in _nodes("json", self._plain) if node.type == "object")

    def chain(self, at: Sequence[str]) -> list[Node]:
        """The containers on the way to an entry, the outermost first, as far as they are there."""
        nodes = [self._root]
        for key, inner in pairwise(at):
            pair = next(self.items(nodes[-1], key), None)
            below = pair and pair.child_by_field_name("value")
            if below is None:
                break
            if below.type != ("array" if inner == "+" else "object"):
                raise refused(self._path, f"`{key}` holds something else than entries")
            nodes.append(below)
        return nodes

    def items(self, node: Node, key: str) -> Iterator[Node]:
        """The items of a list, or the pair of a key."""
        for child in node.named_children:
            name = child.child_by_field_name("key")
            if key == "+" or (name is not None and self.value(name) == key):
                yield child

    def value(self, node: Node) -> Any:
        """The value of a node, of a pair that of its value."""
        inner = node.child_by_field_name("value") or node
        return json.loads(self._plain[inner.start_byte : inner.end_byte])


def _with_item(text: bytes, entry: Entry, value: Any) -> bytes:
    """JSON: the entry is the first in its container, with those above it that are missing."""
    document = _Document(text, entry)
    nodes = document.chain(entry.at)
    members, place = nodes[-1].named_children, nodes[-1].start_byte + 1
    if members:
        place = members[0].start_byte
    line = text[nodes[-1].start_byte + 1 : place].rpartition(b"\n")
    indent = line[2].decode() if line[1] and not line[2].strip() else None
    item = _written(text, entry.at[len(nodes) - 1 :], value, indent)
    if members:
        item += ", " if indent is None else f",\n{indent}"
    if b"\r\n" in text:
        item = item.replace("\n", "\r\n")
    return splice(text, [(place, place, item.encode())])


def _written(text: bytes, at: Sequence[str], value: Any, indent: str | None) -> str:
    """An item as text, over several lines below `indent`, or on one."""
    head = "" if at[0] == "+" else f"{json.dumps(at[0])}: "
    if indent is not None:
        unit = re.search(rb"\n([ \t]{1,8})\S", text)
        inner = json.dumps(_nested(at[1:], value), indent=unit[1].decode() if unit else _UNIT)
        return head + inner.replace("\n", "\n" + indent)
    item = json.dumps(value)
    for name in reversed(at[1:]):
        item = f"[ {item} ]" if name == "+" else f"{{ {json.dumps(name)}: {item} }}"
    return head + item


def _without_item(text: bytes, entry: Entry, value: Any) -> bytes | None:
    """JSON: without the entry, and the containers that came with it and hold nothing else."""
    document = _Document(text, entry)
    *above, container = document.chain(entry.at)
    items = document.items(container, entry.at[-1])
    item = next((item for item in items if document.value(item) == value), None)
    if item is None:
        raise refused(entry.path, "the entry is not there")
    while len(container.named_children) == 1 and text[item.start_byte - 1] not in b"{[":
        if not above:
            return None
        pair = container.parent
        item = container if pair is None or pair.type != "pair" else pair
        container = above.pop()
    return splice(text, _removal(document, container, item))


def _removal(document: _Document, container: Node, item: Node) -> list[Change]:
    """Takes an item out, with its comma and the space that came with it."""
    members = container.named_children
    number = [member.start_byte for member in members].index(item.start_byte)
    start, end = item.start_byte, item.end_byte
    if number:
        start = len(document.text[:start].rstrip(_SPACE))
    behind = document.bare[end : container.end_byte - 1].lstrip(_SPACE)
    if behind.startswith(b","):
        end = container.end_byte - len(behind)
        rest = document.text[end:]
        return [(start, end if number else end + len(rest) - len(rest.lstrip(_SPACE)), b"")]
    if not number:
        return [(start, end, b"")]
    at = document.bare.index(b",", members[number - 1].end_byte)
    return [(at, end, b"")] if at + 1 >= start else [(at, at + 1, b""), (start, end, b"")]


def _with_block(text: bytes, entry: Entry, value: Any) -> bytes:
    """TOML: the entry is a block of its own at the end."""
    _toml(text, entry)
    block = "\n" + _block(entry, value)
    return text + (block.replace("\n", "\r\n") if b"\r\n" in text else block).encode()


def _block(entry: Entry, value: Any) -> str:
    name = ".".join(key for key in entry.at if key != "+")
    head = f"[[{name}]]" if entry.at[-1] == "+" else f"[{name}]"
    return "\n".join([head, *(f"{key} = {_inline(inner)}" for key, inner in value.items()), ""])


def _inline(value: Any) -> str:
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key} = {_inline(inner)}" for key, inner in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(_inline, value)) + "]"
    return json.dumps(value)


def _without_block(text: bytes, entry: Entry, value: Any) -> bytes | None:
    """TOML: without the block; the line break before it came with it."""
    for node in _nodes("toml", text):
        pairs = [child for child in node.named_children if child.type == "pair"]
        block = text[node.start_byte : pairs[-1].end_byte].rstrip() if pairs else b""
        if pairs and _toml(block, entry) == _nested(entry.at, value):
            start = len(text[: node.start_byte].removesuffix(b"\n").removesuffix(b"\r"))
            end = text.find(b"\n", pairs[-1].end_byte) + 1 or len(text)
            after = text[:start] + text[end:]
            return after if after or start < node.start_byte else None
    raise refused(entry.path, f"`{'.'.join(entry.at)}` stands there in a form that is not ours")


def _nodes(language: str, text: bytes) -> list[Node]:
    row = named(language)
    assert row is not None
    return load(row).parser().parse(text).root_node.named_children


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
    except UnicodeDecodeError as error:
        raise refused(entry.path, "it is not UTF-8") from error
    except (ValueError, RecursionError) as error:
        raise refused(entry.path, f"it does not parse: {error}") from error


def refused(path: str, why: str) -> PreconditionError:
    """What is raised for a file that cannot be edited, and stays as it is."""
    return PreconditionError(f"{path}: {why}.", path=path, code="settings", hint=_WAY)
