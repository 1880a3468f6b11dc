"""Entries of ours in the settings texts of others: put in, found again, and taken out.

A text is edited through its tree, so every byte of others stays. What is put in is made so that
taking it out gives the bytes that were there: where it stands tells what came with it. An entry
that was put into an empty object touches its bracket; objects that came with it do not.
"""

import json
import re
import tomllib
from collections.abc import Iterator, Sequence
from contextlib import suppress
from functools import reduce
from typing import Any

from tree_sitter import Node

from astedit.agents.kit.rows import Entry
from astedit.errors import PreconditionError
from astedit.language import load, named
from astedit.text.splice import Change, splice

_SPACE = b" \t\r\n"
_UNIT = "  "
_PASSED = re.compile(rb'"(?:[^"\\\n]|\\.)*"|//[^\n]*|/\*.*?\*/', re.DOTALL)
_TRAILING = re.compile(rb'"(?:[^"\\\n]|\\.)*"|,(?=\s*[}\]])')


def put(text: bytes | None, entry: Entry, form: str) -> bytes:
    """The text with an entry that is not there; a new one for a file that is none.

    Raises `PreconditionError` for a text that does not parse, and for one in which there is no
    place for the entry; both stay as they are.
    """
    if entry.form == "toml":
        return _put_table(text, entry, json.loads(form))
    value = json.loads(form)
    if text is None:
        whole = _nested(entry.at, value) | _beside(entry)
        return (json.dumps(whole, indent=_UNIT) + "\n").encode()
    document = _Document(text)
    node, left = document.root, list(entry.at)
    while (below := document.below(node, left[0])) is not None and len(left) > 1:
        node, left = below, left[1:]
        if node.type != ("array" if left[0] == "+" else "object"):
            raise _refused(f"`{entry.at[-len(left) - 1]}` holds something else than entries")
    after = splice(text, document.insertion(node, left, value))
    wanted = _with(document.value, entry.at, value)
    if _Document(after).value != wanted:
        raise _refused("there is no place for the entry")
    return after


def take(text: bytes, entry: Entry, form: str) -> bytes | None:
    """The text without an entry, which must be there; None for a file that was only ours."""
    if entry.form == "toml":
        return _take_table(text, entry, json.loads(form))
    document = _Document(text)
    chain = [document.root]
    for key in entry.at[:-1]:
        below = document.below(chain[-1], key)
        assert below is not None
        chain.append(below)
    item = next(node for node in document.items(chain[-1], entry.at[-1])
                if document.value_of(node) == json.loads(form))  # fmt: skip
    while chain:
        container = chain.pop()
        members = container.named_children
        touching = text[item.start_byte - 1 : item.start_byte] in (b"{", b"[")
        if len(members) > 1 or touching:
            after = splice(text, document.removal(members, item, container.end_byte))
            made = not chain and item.start_byte == members[0].start_byte and not touching
            return None if made and _Document(after).value == _beside(entry) else after
        item = container if container.parent is None else _member(container)
    return None


def values(text: bytes, entry: Entry) -> list[Any]:
    """What stands where an entry would: nothing, one value, or the items of a list."""
    inner: Any = _toml(text) if entry.form == "toml" else _Document(text).value
    for key in entry.at:
        if key == "+":
            return list(inner) if isinstance(inner, list) else []
        if not isinstance(inner, dict) or key not in inner:
            return []
        inner = inner[key]
    return [inner]


def _beside(entry: Entry) -> dict[str, Any]:
    """What a new file needs beside the entry; it stands behind it, as no person writes it."""
    return {entry.beside[0]: json.loads(entry.beside[1])} if entry.beside else {}


def _nested(at: Sequence[str], value: Any) -> Any:
    return reduce(lambda inner, key: [inner] if key == "+" else {key: inner}, reversed(at), value)


def _with(whole: Any, at: tuple[str, ...], value: Any) -> Any:
    if not at:
        return value
    if at[0] == "+":
        return [*whole, value]
    below = whole.get(at[0], [] if at[1:2] == ("+",) else {})
    return whole | {at[0]: _with(below, at[1:], value)}


def _member(node: Node) -> Node:
    """The pair that holds a value, or the value itself in a list."""
    assert node.parent is not None
    return node.parent if node.parent.type == "pair" else node


def _blank(text: bytes, pattern: re.Pattern[bytes]) -> bytes:
    """The text with what the pattern finds made blank, unless it begins a string."""
    return pattern.sub(
        lambda found: found[0] if found[0][:1] == b'"' else re.sub(rb"[^\n]", b" ", found[0]), text
    )


class _Document:
    """A JSON text, perhaps with comments and commas at ends, its value and its tree."""

    def __init__(self, text: bytes) -> None:
        self.text = text
        self.bare = _blank(text, _PASSED)  # without comments
        plain = _blank(self.bare, _TRAILING)
        try:
            self.value = json.loads(_decoded(plain), object_pairs_hook=_once)
        except (ValueError, RecursionError) as error:
            raise _refused(f"it does not parse: {error}") from error
        if not isinstance(self.value, dict):
            raise _refused("it is no object")
        row = named("json")
        assert row is not None
        tree = load(row).parser().parse(plain).root_node
        self.root = next(node for node in tree.named_children if node.type == "object")

    def below(self, node: Node, key: str) -> Node | None:
        """The value under a key of an object."""
        pair = next(self.items(node, key), None) if node.type == "object" else None
        return None if pair is None else pair.child_by_field_name("value")

    def items(self, node: Node, key: str) -> Iterator[Node]:
        """The items of a list, or the pair of a key."""
        for child in node.named_children:
            name = child.child_by_field_name("key")
            if key == "+" or (name is not None and self.value_of(name) == key):
                yield child

    def value_of(self, node: Node) -> Any:
        """The value of a node, of a pair that of its value."""
        inner = node.child_by_field_name("value") or node
        plain = _blank(self.bare[inner.start_byte : inner.end_byte], _TRAILING)
        return json.loads(plain)

    def insertion(self, node: Node, at: list[str], value: Any) -> list[Change]:
        """Puts a value as the last into a container, with the containers above it."""
        members = node.named_children
        start = node.start_byte + 1
        if not members:
            return [(start, start, self._written(at, value, None).encode())]
        first, last = members[0], members[-1]
        line = self.text[start : first.start_byte].rpartition(b"\n")
        indent = line[2].decode() if line[1] and not line[2].strip() else None
        between = self.bare[last.end_byte : node.end_byte - 1]
        comma = between.find(b",")
        end = last.end_byte + comma + 1 if comma >= 0 else last.end_byte
        place = self._behind_comments(end, node.end_byte - 1)
        break_line = indent is not None or (b"//" in self.text[end:place])
        separator = ("\n" + (indent or "")) if break_line else " "
        item = separator + self._written(at, value, indent) + ("," if comma >= 0 else "")
        if b"\r\n" in self.text:
            item = item.replace("\n", "\r\n")
        if comma >= 0 or place == end:
            return [(place, place, ("" if comma >= 0 else ",").encode() + item.encode())]
        return [(end, end, b","), (place, place, item.encode())]

    def _behind_comments(self, end: int, limit: int) -> int:
        """The end of comments that stand on the same line."""
        line = self.text[end:limit].partition(b"\n")[0]
        blank = self.bare[end : end + len(line)]
        if blank.strip() or not line.strip():
            return end
        return end + len(line.rstrip())

    def removal(self, members: Sequence[Node], item: Node, limit: int) -> list[Change]:
        """Takes an item out, with what was put in beside it."""
        end = item.end_byte
        start = len(self.text[: item.start_byte].rstrip(_SPACE))
        behind = self.bare[end : limit - 1]
        comma = len(behind) - len(behind.lstrip(_SPACE))
        if behind[comma : comma + 1] == b",":
            return [(start, end + comma + 1, b"")]
        number = [member.start_byte for member in members].index(item.start_byte)
        if not number:
            return [(start, end, b"")]
        at = self.bare.index(b",", members[number - 1].end_byte)
        return [(at, end, b"")] if at + 1 >= start else [(at, at + 1, b""), (start, end, b"")]

    def _written(self, at: list[str], value: Any, indent: str | None) -> str:
        """An item as text, over several lines below `indent`, or on one."""
        key, inner = at[0], _nested(at[1:], value)
        head = "" if key == "+" else f"{json.dumps(key)}: "
        if indent is not None:
            found = re.search(rb"\n([ \t]{1,8})\S", self.text)
            unit = found[1].decode() if found else _UNIT
            return head + json.dumps(inner, indent=unit).replace("\n", "\n" + indent)
        text = json.dumps(value)
        for name in reversed(at[1:]):
            text = f"[ {text} ]" if name == "+" else f"{{ {json.dumps(name)}: {text} }}"
        return head + text


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    table = dict(pairs)
    if len(table) < len(pairs):
        raise ValueError("a key stands there twice")
    return table


def _put_table(text: bytes | None, entry: Entry, value: Any) -> bytes:
    """TOML: a block of its own at the end."""
    block = _block(entry, value)
    if text is None:
        return block.encode()
    before = _toml(text)
    crlf = b"\r\n" in text
    after = text + (("\n" + block).replace("\n", "\r\n") if crlf else "\n" + block).encode()
    try:
        same = _toml(after) == _with(before, entry.at, value)
    except PreconditionError:
        same = False
    if not same:
        raise _refused(f"`{entry.at[0]}` is written so that no table can be added to it")
    return after


def _block(entry: Entry, value: Any) -> str:
    name = ".".join(key for key in entry.at if key != "+")
    head = f"[[{name}]]" if entry.at[-1] == "+" else f"[{name}]"
    return "".join(
        [f"{head}\n", *(f"{key} = {_toml_value(each)}\n" for key, each in value.items())]
    )


def _toml_value(value: Any) -> str:
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key} = {_toml_value(each)}" for key, each in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(_toml_value, value)) + "]"
    return json.dumps(value)


def _take_table(text: bytes, entry: Entry, value: Any) -> bytes | None:
    """The text without the block; the line break before it came with it."""
    name = ".".join(key for key in entry.at if key != "+")
    row = named("toml")
    assert row is not None
    before = _toml(text)
    for node in load(row).parser().parse(text).root_node.named_children:
        pairs = [child for child in node.named_children if child.type == "pair"]
        if node.type not in ("table", "table_array_element") or not pairs:
            continue
        head = (node.named_children[0].text or b"").decode()
        if re.sub(r"[\s\"']", "", head) != name:
            continue
        end = text.find(b"\n", pairs[-1].end_byte) + 1 or len(text)
        start = len(text[: node.start_byte].removesuffix(b"\n").removesuffix(b"\r"))
        after = splice(text, [(start, end, b"")])
        with suppress(PreconditionError):  # without one of others' it may not parse
            if _with(_toml(after), entry.at, value) == before:
                return after if after or start < node.start_byte else None
    raise _refused(f"`{name}` stands there in a form that is not ours")


def _toml(text: bytes) -> dict[str, Any]:
    try:
        return tomllib.loads(_decoded(text))
    except (ValueError, RecursionError) as error:
        raise _refused(f"it does not parse: {error}") from error


def _decoded(text: bytes) -> str:
    try:
        return text.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise _refused("it is not UTF-8") from error


def _refused(why: str) -> PreconditionError:
    return PreconditionError(why, code="settings")
