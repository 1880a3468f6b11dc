"""The structure of what edits put into a text: captures are whole, templates are what they say.

Where it is not, a fault shows both readings: what the code is read as, and, with brackets,
what was meant.
"""

from bisect import bisect_right
from collections.abc import Sequence

from tree_sitter import Node

from astedit.language import Grammar
from astedit.language.barred import Barred
from astedit.language.brackets import Brackets
from astedit.rewrite.bound_captures import misowned
from astedit.rewrite.checked_edit import Put
from astedit.rewrite.fault import Fault, Misreading, shown
from astedit.rewrite.torn_captures import WHOLE, torn
from astedit.text.indent import Mark, Text, unedited
from astedit.text.splice import ByteRange

_FAR = 1 << 62  # behind all bytes
_DEEPEST = 700  # levels of new text: asking what stands around each takes their cube
_LONGEST = 1000  # characters of a misreading


def misread(
    root: Node,
    places: Sequence[int],
    puts: Sequence[Put],
    result: bytes,
    grammar: Grammar,
    brackets: Brackets | None,
    barred: Barred | None,
) -> Fault | None:
    """The fault of a result in which captures, or edits, are not what they were meant to be."""
    blamed: dict[int, Fault] = {}
    shift = 0
    for place, put in zip(places, puts, strict=True):
        start = put.start + shift
        numbers = tuple(torn(root, start, put, grammar, brackets))
        if numbers:
            blamed[place] = _of_torn(root, start, put.text, numbers, result)
        elif put.tree is not None and put.tree.differs(root, start, put.text):
            blamed[place] = _of_template(put)
        elif (
            barred is not None
            and (fault := _of_barred(root, start, put, barred, brackets)) is not None
        ):
            blamed[place] = fault
        shift += len(put.text.data) - (put.end - put.start)
    if not blamed:
        return None
    first = next(iter(blamed.values()))
    return Fault(first.reason, first.detail, first.torn, blamed, first.misreading)


def _of_barred(
    root: Node, start: int, put: Put, barred: Barred, brackets: Brackets | None
) -> Fault | None:
    """The fault of an edit with something that may not stand where it does."""
    fault = _barred(root, start, put, barred, brackets)
    if fault is not None:
        return fault
    moved = misowned(root, start, put, barred) if put.bound else None
    return None if moved is None else _of_function(*moved)


def _barred(
    root: Node, start: int, put: Put, barred: Barred, brackets: Brackets | None
) -> Fault | None:
    """The fault of a node of new text, or a capture in it, that may not stand where it does."""
    if not put.is_node or not put.text.data or not barred.asks:
        return None
    kept = [(start + low, start + high) for low, high in unedited(put.text.marks)]
    end = start + len(put.text.data)
    stack = [(smallest(root, start, end), 0)]
    while stack:
        node, level = stack.pop()
        if level > _DEEPEST:
            return Fault("breaks_syntax", f"it is nested deeper than {_DEEPEST} levels")
        if node.end_byte <= start or end <= node.start_byte:
            continue
        if barred.is_barred(node) or (brackets is not None and brackets.are_lacking(node)):
            return _of_place(node)
        if not _is_in(kept, node.start_byte, node.end_byte):  # else it is as it was within
            stack.extend((child, level + 1) for child in node.children)
        elif node.child_count == 1:
            stack.append((node.children[0], level + 1))
    return None


def _is_in(spans: Sequence[ByteRange], low: int, high: int) -> bool:
    at = bisect_right(spans, (low, _FAR)) - 1
    return at >= 0 and high <= spans[at][1]


def _of_place(node: Node) -> Fault:
    what = node.type.replace("_", " ")
    around = node.parent.type.replace("_", " ") if node.parent is not None else "file"
    return Fault(
        "breaks_syntax", f"a {what} may not stand in this {around}: {shown(node.text or b'')}"
    )


def _of_function(name: str, node: Node) -> Fault:
    what = node.type.partition("_")[0]
    detail = f"the {what} in ${name} would belong to another function: {shown(node.text or b'')}"
    return Fault("changes_structure", detail)


def _of_torn(root: Node, start: int, text: Text, numbers: tuple[int, ...], result: bytes) -> Fault:
    """Shows the first torn piece in what it is read as a part of."""
    number = numbers[0]
    low, high = (0, len(text.data)) if number == WHOLE else text.marks[number][:2]
    name = "" if number == WHOLE else text.marks[number].name
    what = f"${name}" if name else shown(text.data[low:high])
    misreading = _misreading(root, start + low, start + high, result, name)
    clause = "" if number == WHOLE else _clause(text.marks[number])
    return _changed(f"{what}{clause} does not stay whole", misreading, numbers)


def _clause(mark: Mark) -> str:
    """What else than a body a capture at the end of a statement holds."""
    kinds = (node.type for node in mark.nodes if mark.many and node.type.endswith("_clause"))
    return next((f", with the {kind.replace('_', ' ')} in it," for kind in kinds), "")


def _of_template(put: Put) -> Fault:
    """The captures are whole, and yet the template says something else."""
    assert put.tree is not None
    misreading = Misreading(None, _cut(put.text.data), _cut(put.tree.text))
    return _changed("it is another kind of code than the template", misreading, ())


def bound(root: Node, low: int, high: int, result: bytes) -> Fault:
    """The fault of new text, between two places of a result, that goes with what is beside it."""
    misreading = _misreading(root, low, high, result, "")
    return _changed("it binds with what stands beside it", misreading, ())


def _changed(what: str, misreading: Misreading, numbers: tuple[int, ...]) -> Fault:
    read, meant = (shown(text.encode()) for text in (misreading.read, misreading.meant))
    detail = f"{what}: reads as {read}, meant is {meant}"
    return Fault("changes_structure", detail, numbers, misreading=misreading)


def _misreading(root: Node, low: int, high: int, result: bytes, name: str) -> Misreading:
    """What a piece of a result is read in, and the same with brackets around the piece."""
    node = _around(root, low, high)
    start, end = (node.start_byte, node.end_byte) if node else _lines(result, low, high)
    inner = result[low:high].strip()
    low += len(result[low:high]) - len(result[low:high].lstrip())
    high = low + len(inner)
    meant = b"%b(%b)%b" % (result[start:low], inner, result[high:end])
    return Misreading(name or None, _cut(result[start:end]), _cut(meant))


def _cut(text: bytes) -> str:
    read = text.decode("utf-8", "replace")
    return read if len(read) <= _LONGEST else read[: _LONGEST - 1] + "…"


def _lines(result: bytes, low: int, high: int) -> tuple[int, int]:
    end = result.find(b"\n", high)
    return result.rfind(b"\n", 0, low) + 1, len(result) if end < 0 else end


def _around(root: Node, low: int, high: int) -> Node | None:
    """The smallest node that holds a piece of text and something beside it; not all the file."""
    node: Node | None = smallest(root, low, high)
    while node is not None and low <= node.start_byte and node.end_byte <= high:
        node = node.parent
    return None if node is None or node.parent is None else node


def smallest(root: Node, start: int, end: int) -> Node:
    """The smallest node that contains bytes `start` to `end`; the root, at the edges."""
    node = root.descendant_for_byte_range(start, max(start, end - 1) if end > start else end)
    while node is not None and not (node.start_byte <= start and end <= node.end_byte):
        node = node.parent
    return node or root
