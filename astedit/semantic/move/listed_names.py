"""`__all__`: names that leave the list of one module and come into that of another."""

from collections.abc import Sequence

from tree_sitter import Node

from astedit.python.syntax import parts_of, plain
from astedit.semantic.imports.lines import line_start
from astedit.semantic.module_code import ModuleCode, refused
from astedit.semantic.remove import item_cuts
from astedit.semantic.rename.definition_nodes import definition_nodes
from astedit.text.indent import leading_white
from astedit.text.source import end_of_line
from astedit.text.splice import Change

_WIDTH = 79  # columns of a line, of PEP 8
_LISTS = ("list", "tuple", "set")


def unlisted(module: ModuleCode, places: Sequence[int]) -> list[Change]:
    """The changes that take names out of lists; a place is a byte within the string of one."""
    strings = []
    for place in places:
        node = module.root.descendant_for_byte_range(place, place)
        while node is not None and node.type != "string":
            node = node.parent
        above = node.parent if node is not None else None
        if node is None or above is None or above.type not in _LISTS:
            line = module.code.count(b"\n", 0, place) + 1
            why = "takes a name into __all__ otherwise than in a list"
            raise refused(f"{module.path}:{line}:", why, "dynamic_all")
        strings.append(node)
    return item_cuts(strings, module.code)


def listed(module: ModuleCode, names: Sequence[str]) -> list[Change] | None:
    """The changes that take names into `__all__`; None if it is no plain list.

    They come in order where the list is in order, else to its end.
    """
    every = [
        node for node in definition_nodes(module.root, "__all__") if node.parent == module.root
    ]
    value = parts_of(every[0])[0].child_by_field_name("right") if every else None
    node = plain(value) if value is not None else None
    if node is None or node.type not in _LISTS:
        return None
    return [_inserted(module.code, node, name) for name in names]


def _inserted(code: bytes, node: Node, name: str) -> Change:
    strings = [child for child in node.named_children if child.type == "string"]
    if not strings:
        at = node.end_byte - 1
        return at, at, f'"{name}",'.encode() if node.type == "tuple" else f'"{name}"'.encode()
    texts = [_value(string) for string in strings]
    quote = (strings[0].text or b'"')[:1]
    new = quote + name.encode() + quote
    last = strings[-1]
    low = line_start(code, last.start_byte)
    alone = not code[low : last.start_byte].strip()
    gap = end_of_line(code) + code[low : last.start_byte] if alone else b" "
    behind = [each for each, text in zip(strings, texts, strict=True) if text > name]
    if behind and texts == sorted(texts):
        return behind[0].start_byte, behind[0].start_byte, new + b"," + gap
    end = last.end_byte
    if node.type == "tuple" and len(strings) == 1 and code[end : node.end_byte] == b",)":
        return end + 1, end + 1, b" " + new  # the comma was there for a tuple of one
    if not alone and code.find(b"\n", node.start_byte, low) >= 0:
        longest = max(len(line) for line in _lines(code, node))
        if len(_lines(code, last)[0]) + len(gap + new) + 1 > max(longest, _WIDTH):
            gap = end_of_line(code) + leading_white(code, low)
    return end, end, b"," + gap + new


def _lines(code: bytes, node: Node) -> list[bytes]:
    """The lines that a node stands on."""
    low = line_start(code, node.start_byte)
    return code[low : (code.find(b"\n", node.end_byte) + 1 or len(code))].splitlines()


def _value(node: Node) -> str:
    return (node.text or b"").decode("utf-8", "replace").strip("'\"")
