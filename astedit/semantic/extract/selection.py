"""What `FILE:LINE[:COL]-LINE[:COL]` selects, and the name that an expression in it gets."""

import ast
import re
from dataclasses import dataclass

from tree_sitter import Node

from astedit.errors import PreconditionError, RequestError
from astedit.language.brackets import largest, nearest, parents
from astedit.python.evaluation import not_at_once, not_constant, reordered
from astedit.python.syntax import docstring_of, expression_kinds, field_of, parts_of, text_of, words
from astedit.semantic.imports.python import import_statements
from astedit.semantic.module_code import ModuleCode, refused, top_of
from astedit.semantic.remove import statement_span
from astedit.text import shortened
from astedit.text.indent import leading
from astedit.text.source import Change, end_of_line, line_end, line_start

_RANGE = re.compile(r"(.+?):(\d+)(?::(\d+))?-(\d+)(?::(\d+))?")
_FORM = "Like shop/cart.py:12-14 or shop/cart.py:12:5-12:20; the end column is not part of it."


def parts_of_range(written: str) -> tuple[str, str]:
    """The path and the rest of `FILE:LINE[:COL]-LINE[:COL]`; raises `RequestError`."""
    if (match := _RANGE.fullmatch(written)) is None:
        raise RequestError(f"{written!r} is not a range.", hint=_FORM, code="bad_range")
    return match[1], written[len(match[1]) + 1 :]


def would_change(path: str, node: Node, why: str) -> PreconditionError:
    """The refusal of a change after which the program would do something else."""
    return refused(path, why, "would_change", at=node)


def collision(path: str, node: Node, name: str) -> PreconditionError:
    """The refusal of a name that means something already."""
    why = f"{name} means something there already"
    return refused(path, why, "collision", "Choose another name.", at=node)


@dataclass(frozen=True)
class SelectedCode:
    """Bytes `start` to `end` of a module, without the white space around them."""

    module: ModuleCode
    start: int
    end: int

    @classmethod
    def of(cls, module: ModuleCode, written: str) -> "SelectedCode":
        """What `LINE[:COL]-LINE[:COL]` selects; raises `RequestError` for no place of it."""
        match = _RANGE.fullmatch(f"-:{written}")
        assert match is not None
        first, column, last, end_column = (
            int(text) if text else None for text in match.groups()[1:]
        )
        assert first is not None and last is not None
        start = _offset(module, first, column or 1)
        end = _offset(module, last, end_column or None)
        text = module.code[start:end]
        inner = text.strip()
        if end <= start or not inner:
            raise RequestError(f"{written} selects nothing.", hint=_FORM, code="bad_range")
        start += len(text) - len(text.lstrip())
        return cls(module, start, start + len(inner))

    @property
    def expression(self) -> Node:
        """The one expression that is selected; raises `RequestError`."""
        span = self.start, self.end
        node = self.module.root.named_descendant_for_byte_range(*span)
        # a block may consist of one expression
        node = largest(node) if node is not None and node.byte_range == span else None
        while node is not None and node.type not in expression_kinds():
            inner = parts_of(node)[:1]
            node = inner[0] if inner and inner[0].byte_range == node.byte_range else None
        if node is None or self._is_mere_name(node):
            text = self.module.code[self.start : self.end].decode("utf-8", "replace")
            shown = shortened(text, 40)
            message = f"{shown!r} is not one whole expression."
            raise RequestError(message, hint=_FORM, code="bad_range")
        return node

    def _is_mere_name(self, node: Node) -> bool:
        """Whether a name is none that is read there, nor assigned: a parameter, an attribute."""
        is_read = node.type != "identifier" or node in self.module.scopes.reads
        return not is_read and "assigned" not in not_at_once(node)

    @property
    def statements(self) -> list[Node]:
        """The statements that are selected, side by side in one block; none for an expression."""
        node = self.module.root.descendant_for_byte_range(self.start, max(self.start, self.end - 1))
        while node is not None and node.type not in ("block", "module"):
            node = node.parent
        if node is None:
            return []
        every = [c for c in node.named_children if self.start <= c.start_byte < self.end]
        while every and every[0].type == "comment":
            del every[0]
        rest = self.module.code[self.end : every[-1].end_byte if every else self.end].strip()
        inside = every if not rest or (rest.startswith(b"#") and b"\n" not in rest) else []
        first = self.module.code[self.start : every[0].start_byte].strip() if every else b""
        whole = bool(inside) and (not first or first.startswith(b"#"))
        return every if whole else []


def _offset(module: ModuleCode, line: int, column: int | None) -> int:
    """Where a column of a line begins, counted from 1; its end for none."""
    lines = module.code.split(b"\n")
    if not 1 <= line <= len(lines):
        raise RequestError(f"{module.path} has no line {line}.", hint=_FORM, code="bad_range")
    text = lines[line - 1].decode("utf-8", "replace")
    if column is not None and not 1 <= column <= len(text) + 1:
        message = f"Line {line} of {module.path} has no column {column}."
        raise RequestError(message, hint=_FORM, code="bad_range")
    before = sum(map(len, lines[: line - 1])) + line - 1
    return before + len(lines[line - 1] if column is None else text[: column - 1].encode())


def statement_of(node: Node) -> Node:
    """The statement around a node, with its decorators."""
    blocks = ("block", "module")
    return next((part for above, part in parents(node) if above.type in blocks), node)


def check_new_name(selection: SelectedCode, name: str, within: Node) -> None:
    """Raises where a name that is to be bound means something within a node already."""
    for word in words(within):
        if text_of(word) == name and selection.module.scopes.of(word) is not None:
            raise collision(selection.module.path, word, name)
    if within.type == "module" and name in selection.module.bound:
        line = selection.module.line_of(name)
        place = within.descendant_for_point_range((line - 1, 0), (line - 1, 0))
        raise collision(selection.module.path, place or within, name)


def name_at(module: ModuleCode, line: int, column: int) -> str | None:
    """The qualified name that the module defines and that stands at a place; None for any other."""
    at = _offset(module, line, column)
    node = module.root.descendant_for_byte_range(at, at)
    if node is None or node.type != "identifier" or (holder := module.scopes.holder(node)) is None:
        return None
    if any(item.kind == "import" for item in holder.bindings[text_of(node)]):
        return None
    return holder.prefix + text_of(node)


def named_value(selection: SelectedCode, name: str) -> list[Change]:
    """The changes that bind a variable to the selected expression, before its statement."""
    node, module = selection.expression, selection.module
    path = module.path
    statement = statement_of(node)
    scope = module.scopes.around(statement)
    why = not_at_once(node) or reordered(node, module.scopes)
    if node.type == "generator_expression" and field_of(node) == "arguments":
        why = "it is the brackets of a call, too"
    if scope.kind == "class":
        why = "it would become a member of the class"
    if docstring_of(statement.parent) == node:
        why = "it is the text that documents what it stands in"
    if why:
        raise would_change(path, node, why)
    function = nearest(statement, ("function_definition",)) if scope.kind == "function" else None
    check_new_name(selection, name, function or module.root)
    value, word = _on_its_own(node), name.encode()
    if parts_of(statement) == [node] and statement.type == "expression_statement":
        return [(*node.byte_range, word + b" = " + value)]
    code = module.code
    start = line_start(code, statement.start_byte)
    eol = end_of_line(code)
    if code[start : statement.start_byte].strip():
        if not statement.type.endswith(("_statement", "assignment")) or b"\n" in value:
            raise would_change(path, node, "its statement shares the line with others")
        line = (statement.start_byte, statement.start_byte, word + b" = " + value + b"; ")
    else:
        line = (start, start, leading(code, statement.start_byte) + word + b" = " + value + eol)
    return [line, (*node.byte_range, word)]


def named_constant(selection: SelectedCode, name: str) -> list[Change]:
    """The changes that bind a name of the module to the selected value."""
    node, module = selection.expression, selection.module
    if why := not_constant(node):
        raise would_change(module.path, node, why)
    check_new_name(selection, name, module.root)
    code, eol = module.code, end_of_line(module.code)
    line = name.encode() + b" = " + _on_its_own(node) + eol
    top = top_of(node)
    above = [item.node for item in import_statements(module.root)]
    above = [item for item in above if item.end_byte <= top.start_byte]
    if above:
        at = line_end(code, above[-1].end_byte)
        line = eol + line + (eol if code[at : line_end(code, at)].strip() else b"")
    else:
        at = statement_span(top, code)[0]
        line += eol * (1 + top.type.endswith("_definition"))
    return [(at, at, line), (*node.byte_range, name.encode())]


def _on_its_own(node: Node) -> bytes:
    """The text of an expression as the value of an assignment."""
    text = node.text or b""
    try:
        whole = len(ast.parse(b"_ = " + text).body) == 1
    except SyntaxError:
        whole = False
    return text if whole else b"(" + text + b")"
