"""An expression gets a name: a variable before its statement, or a constant of the module."""

import ast

from tree_sitter import Node

from astedit.python.evaluation import field_of, not_at_once, not_constant, reordered
from astedit.python.scopes import NameScope
from astedit.python.syntax import parts_of
from astedit.semantic.extract.selection import (
    SelectedCode,
    check_new_name,
    statement_of,
    top_of,
    would_change,
)
from astedit.semantic.imports.lines import line_end, line_start
from astedit.semantic.imports.python_import import import_statements
from astedit.text.indent import leading
from astedit.text.source import end_of_line
from astedit.text.splice import Change


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
    if statement.type == "expression_statement" and _is_docstring(node, statement):
        why = "it is the text that documents what it stands in"
    if why:
        raise would_change(path, node, why)
    check_new_name(selection, name, _body_of(statement, scope, module.root))
    value, word = _on_its_own(node), name.encode()
    if parts_of(statement) == [node] and statement.type == "expression_statement":
        return [(node.start_byte, node.end_byte, word + b" = " + value)]
    code = module.code
    start = line_start(code, statement.start_byte)
    eol = end_of_line(code)
    if code[start : statement.start_byte].strip():
        if not statement.type.endswith(("_statement", "assignment")) or b"\n" in value:
            raise would_change(path, node, "its statement shares the line with others")
        line = (statement.start_byte, statement.start_byte, word + b" = " + value + b"; ")
    else:
        indent = leading(code, statement.start_byte)
        line = (start, start, indent + word + b" = " + value + eol)
    return [line, (node.start_byte, node.end_byte, word)]


def named_constant(selection: SelectedCode, name: str) -> list[Change]:
    """The changes that bind a name of the module to the selected value."""
    node, module = selection.expression, selection.module
    why = not_constant(node)
    if why:
        raise would_change(module.path, node, why)
    check_new_name(selection, name, module.root)
    code, eol = module.code, end_of_line(module.code)
    line = name.encode() + b" = " + _on_its_own(node) + eol
    top = top_of(node)
    above = [item.node for item in import_statements(module.root)]
    above = [item for item in above if item.end_byte <= top.start_byte]
    if above:
        at = line_end(code, above[-1].end_byte)
        follows = code[at : line_end(code, at)].strip()
        line = eol + line + (eol if follows else b"")
    else:
        at = line_start(code, _first_line(top))
        line += eol * (1 + top.type.endswith("_definition"))
    return [(at, at, line), (node.start_byte, node.end_byte, name.encode())]


def _first_line(top: Node) -> int:
    """Where a statement begins, the comments directly above it included."""
    before = top.prev_sibling
    while (
        before is not None
        and before.type == "comment"
        and before.end_point.row + 1 == top.start_point.row
    ):
        top, before = before, before.prev_sibling
    return top.start_byte


def _on_its_own(node: Node) -> bytes:
    """The text of an expression as the value of an assignment."""
    text = node.text or b""
    try:
        whole = len(ast.parse(b"_ = " + text).body) == 1
    except SyntaxError:
        whole = False
    return text if whole else b"(" + text + b")"


def _is_docstring(node: Node, statement: Node) -> bool:
    is_text = node.type in ("string", "concatenated_string")
    before = statement.prev_named_sibling
    return is_text and (before is None or before.type == "comment")


def _body_of(statement: Node, scope: NameScope, root: Node) -> Node:
    """The function that a statement runs in, or the module."""
    node = statement
    while scope.kind == "function" and node.parent is not None:
        node = node.parent
        if node.type == "function_definition":
            return node
    return root
