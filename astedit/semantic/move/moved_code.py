"""The code that moves: whole lines with the comments above them, and where they come to stand."""

from collections.abc import Collection, Sequence
from itertools import takewhile
from typing import NamedTuple

from tree_sitter import Node

from astedit.language.brackets import parents
from astedit.python.evaluation import is_within
from astedit.python.syntax import (
    IMPORTS,
    docstring_of,
    every_node,
    imports_of,
    parts_of,
    text_of,
    words,
)
from astedit.semantic.module_code import ModuleCode, line_at, refused
from astedit.semantic.move.import_cycles import reached
from astedit.semantic.remove import shares_line, statement_span
from astedit.text.indent import Text, leading, literal_lines, shift
from astedit.text.source import ByteRange, Change, end_of_line, line_start, splice

DEFINITIONS = ("function_definition", "class_definition", "decorated_definition")
_SIMPLE = (*DEFINITIONS, "assignment", "augmented_assignment", "type_alias_statement")


class MovedLines(NamedTuple):
    """Bytes `start` to `end` of a module are the whole lines of a statement that moves.

    `gap` is where the blank lines before them begin. `definition` says that PEP 8 wants two
    of them.
    """

    node: Node
    gap: int
    start: int
    end: int
    definition: bool


class MovedPiece(NamedTuple):
    """Whole lines on their way, and how many blank lines stood before them.

    `follows` says that nothing else stood between them and the piece before.
    """

    follows: bool
    blanks: int
    definition: bool
    code: bytes


def moved_lines(module: ModuleCode, names: Sequence[str]) -> list[MovedLines]:
    """The lines of these definitions, in their order.

    Raises `PreconditionError` for a name that anything else binds as well, and for a statement
    that shares its lines or binds other names, too.
    """
    moving = []
    for node, bound in module.statements:
        if bound.isdisjoint(names):
            continue
        if (parts_of(node)[0] if node.type == "expression_statement" else node).type not in _SIMPLE:
            raise _cannot(module, node, "is bound within a statement", bound & {*names})
        if bound - {*names}:
            raise _cannot(module, node, f"is bound together with {min(bound - {*names})}", bound)
        moving.append(node)
    for name in names:
        bindings = module.scopes.module.bindings.get(name, ())
        others = [b.node for b in bindings if b.scope is not module.scopes.module]
        if not all(any(is_within(other, node) for node in moving) for other in others):
            why = f"has a function that says `global {name}`: it would bind another name"
            raise refused(module.path, why, "global_name")
        if len(others) == len(bindings):
            raise refused(module.path, f"has no {name} at its top level", "not_found")
    return [lines_with_gap(module, node) for node in moving]


def _cannot(module: ModuleCode, node: Node, why: str, names: set[str]) -> Exception:
    why = f"{', '.join(sorted(names))} {why}, which cannot move as a whole"
    return refused(module.path, why, "not_movable", at=line_at(node))


def lines_with_gap(module: ModuleCode, node: Node) -> MovedLines:
    """The whole lines of a statement, with its comments and the blank lines before."""
    code = module.code
    if shares_line(node, code):
        names = next(names for other, names in module.statements if other == node)
        raise _cannot(module, node, "shares its line with other code", names)
    start, end = statement_span(node, code)
    gap = start
    while gap and not (before := code[line_start(code, gap - 1) : gap]).strip():
        gap -= len(before)
    return MovedLines(node, gap, start, end, node.type in DEFINITIONS)


def pieces(code: bytes, moving: Sequence[MovedLines], inside: Sequence[Change]) -> list[MovedPiece]:
    """The lines with the changes that are made within them."""
    result = []
    last = -1
    for _, gap, start, end, definition in moving:
        own = [(low - start, high - start, new) for low, high, new in inside if start <= low < end]
        blanks = code.count(b"\n", gap, start)
        result.append(MovedPiece(last == gap, blanks, definition, splice(code[start:end], own)))
        last = end
    return result


def insertion(
    dest: ModuleCode, pieces: Sequence[MovedPiece], names: Collection[str], needed: Collection[str]
) -> Change:
    """The change that brings the pieces, each with the blank lines that stood before it.

    They come to the end, or before the first statement that needs them while the module is
    imported, or before a closing `if __name__ == …`. Raises `PreconditionError` where what
    they need on import themselves stands further down.
    """
    body, code = [node for node, _ in dest.statements], dest.code
    eol = end_of_line(code or pieces[0].code)
    index = _index(dest, names)
    for node, late in dest.statements[index:]:
        if (missing := late & ({*needed} - {*names})) and node.type not in IMPORTS:
            why = f"{min(missing)} would be needed before it is there"
            raise refused(dest.path, why, "order", at=line_at(node))
    following = lines_with_gap(dest, body[index]) if index < len(body) else None
    last = len(code.rstrip())  # the line behind it is the end
    end = code.find(b"\n", last) + 1 or len(code)
    at = end if following is None else following.gap
    text = b"" if not at or code[:at].endswith(b"\n") else eol
    blanks = _blank_lines(body[index - 1] if index else None)
    for piece in pieces:
        least = 0 if piece.follows else max(blanks, 2 if piece.definition else 0)
        text += eol * (max(piece.blanks, least) if at or text else 0)
        lines = piece.code.replace(b"\r\n", b"\n").replace(b"\n", eol)
        text += lines if lines.endswith(eol) else lines + eol
        blanks = 2 if piece.definition else 0
    if following is not None:
        have = code.count(b"\n", following.gap, following.start)
        text += eol * max(0, max(blanks, 2 if following.definition else 0) - have)
    return at, at, text


def _blank_lines(before: Node | None) -> int:
    """The blank lines that PEP 8 wants behind a statement."""
    if before is not None and before.type in DEFINITIONS:
        return 2
    inner = parts_of(before)[:1]
    return 0 if before is None or (inner and inner[0].type == "assignment") else 1


def _index(dest: ModuleCode, names: Collection[str]) -> int:
    """Before which statement the code comes; the number of all of them for the end."""
    body = [node for node, _ in dest.statements]
    for index, node in enumerate(body):
        if not names_on_import(dest, node).isdisjoint(names):
            return index
    test = body[-1].child_by_field_name("condition") if body else None
    is_main = test is not None and "__name__" in map(text_of, words(test))
    return len(body) - is_main


def names_on_import(module: ModuleCode, node: Node) -> set[str]:
    """The names that a statement needs when its module is imported.

    Where it calls anything, those that functions of the module need are among them.
    """
    lazy = has_lazy_annotations(module)
    names = {text_of(word) for word in module.read_in(node) if not _is_late(word, node, lazy)}
    calls = (inner for inner in every_node(node) if inner.type in ("call", "decorator"))
    if any(not _is_late(call, node, lazy) for call in calls):
        definitions = [top for top, _ in module.statements if top.type in DEFINITIONS]
        inner = ((top, top.child_by_field_name("definition") or top) for top in definitions)
        functions = {text_of(node.child_by_field_name("name")): top for top, node in inner}

        def read(name: str) -> set[str]:
            return {*map(text_of, module.read_in(functions[name]))} if name in functions else set()

        names = reached(names, read)
    return names


def _is_late(node: Node, statement: Node, lazy: bool) -> bool:
    """Whether a part of a statement is evaluated later, as the body of a function."""
    for above, part in takewhile(lambda pair: pair[1] != statement, parents(node)):
        is_body = above.type == "function_definition" and above.child_by_field_name("body") == part
        if is_body or (lazy and part.type == "type"):
            return True
    return False


def has_lazy_annotations(module: ModuleCode) -> bool:
    """Whether a module never evaluates its annotations by itself."""
    futures = [n for n, _ in module.statements if n.type == "future_import_statement"]
    return any(name == "annotations" for node in futures for name, _ in imports_of(node))


def has_annotations(module: ModuleCode) -> bool:
    """Whether anything in a module is annotated."""
    fields = ("return_type", "type")
    return any(
        node.child_by_field_name(name) is not None
        for node in every_node(module.root)
        for name in fields
        if node.type not in ("generic_type", "type_alias_statement")
    )


_STRINGS = frozenset({"string"})


def reindented(
    code: bytes,
    span: ByteRange,
    nodes: Sequence[Node],
    indents: tuple[bytes, bytes],
    loose: Collection[int] = (),
) -> bytes:
    """Whole lines with the second indent instead of the first.

    Lines that begin within a string of the nodes stay as they are, but for those `loose`.
    """
    low, high = span
    frozen = [at for node in nodes for at in literal_lines(node, code, _STRINGS)]
    lines = [at - low + 1 for at in frozen if at not in loose]
    return shift(Text(b"\n" + code[low:high], lines), *indents).data[1:]


def outside_text(node: Node, code: bytes) -> bytes:
    """The lines of a definition as they stand at the top level; strings stay as they are."""
    low, high = statement_span(node, code)
    indent = leading(code, node.start_byte)
    shifted = set(_docstring_lines(node, code, indent))
    text = reindented(code, (low, high), [node], (indent, b""), shifted)
    return text if text.endswith(b"\n") else text + end_of_line(code)


def _docstring_lines(node: Node, code: bytes, indent: bytes) -> list[int]:
    """The lines of a docstring that move with the code: what reads it looks at none of that."""
    body = (node.child_by_field_name("definition") or node).child_by_field_name("body")
    string = docstring_of(body)
    lines = literal_lines(string, code, _STRINGS) if string is not None else []
    texts = [code[at : code.find(b"\n", at)] for at in lines]
    return lines if all(t.startswith(indent) or not t.strip() for t in texts) else []
