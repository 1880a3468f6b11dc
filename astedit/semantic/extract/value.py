"""An expression gets a name: a variable before its statement, or a constant of the module."""

import ast
from collections.abc import Iterator

from tree_sitter import Node

from astedit.python.scopes import NameScope, Scopes
from astedit.python.syntax import COMPREHENSIONS, parts_of, text_of
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

EFFECTS = ("call", "await", "yield", "named_expression")
_LITERALS = (
    *("integer", "float", "string", "concatenated_string", "true", "false", "none", "ellipsis"),
    *("unary_operator", "binary_operator", "not_operator", "tuple", "parenthesized_expression"),
    *("expression_list", "string_start", "string_content", "string_end", "escape_sequence"),
)
_LATER = {
    "lambda": "it would run now, and not when the lambda is called",
    "while_statement": "it would run once, and not each time around",
    "elif_clause": "it would run before the conditions above are known",
    "case_clause": "it would run before the case is known",
    "except_clause": "it would run whether or not there is an exception",
    "except_group_clause": "it would run whether or not there is an exception",
}
_TARGETS = ("assignment", "augmented_assignment", "for_statement", "for_in_clause")
_HIDDEN = "it would run although what stands before it may say that it does not"


def named_value(selection: SelectedCode, name: str) -> list[Change]:
    """The changes that bind a variable to the selected expression, before its statement."""
    node, module = selection.expression, selection.module
    path = module.path
    statement = statement_of(node)
    scope = module.scopes.around(statement)
    why = not_at_once(node) or _reordered(node, module.scopes)
    if node.type == "generator_expression" and _field(node) == "arguments":
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


def not_constant(node: Node) -> str:
    """Why a value cannot be made once for all; "" if it can."""
    stack = [node]
    while stack:
        inner = stack.pop()
        if inner.type not in _LITERALS:
            return f"{text_of(inner)[:40]} is not the same value each time, or can be changed"
        stack += inner.named_children
    above = node.parent
    while above is not None and above.type not in ("block", "module"):
        if above.type in ("type", "case_pattern", "concatenated_string", "generic_type"):
            return "what stands there has to be written out"
        if above.type == "expression_statement" and parts_of(above) == [node]:
            return "it is a statement of its own"
        above = above.parent
    return ""


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


# -- order ---------------------------------------------------------------------------------------


def not_at_once(node: Node) -> str:
    """Why an expression is not evaluated exactly once with its statement; "" if it is."""
    while (above := node.parent) is not None and above.type not in ("block", "module"):
        parts, field = parts_of(above), _field(node)
        place = parts.index(node) if node in parts else 0
        if field in ("type", "return_type") or above.type in ("type", "case_pattern"):
            return "an annotation or a pattern has to be written out"
        if above.type in _LATER and not (above.type == "while_statement" and field == "body"):
            return _LATER[above.type]
        if above.type == "conditional_expression" and place != 1:
            return _HIDDEN
        if above.type == "boolean_operator" and field == "right":
            return _HIDDEN
        if above.type in ("comparison_operator", "assert_statement") and place > _most(above):
            return _HIDDEN
        if above.type == "for_in_clause" and not (field == "right" and _is_first(above)):
            return "it would run once, and not for each element"
        if above.type in COMPREHENSIONS and node.type != "for_in_clause":
            return "it would run once, and not for each element"
        if above.type == "generator_expression":
            return "it would run now, and not when the elements are asked for"
        if above.type == "with_item" and above.prev_named_sibling is not None:
            return "it would run before what stands before it is entered"
        is_target = field == "left" and above.type in _TARGETS
        if is_target or above.type in ("delete_statement", "as_pattern_target"):
            return "it is what something is assigned to"
        if above.type == "concatenated_string":
            return "it is a part of a text"
        node = above
    return ""


def _most(node: Node) -> int:
    """Up to which part of a comparison or an assertion everything is evaluated."""
    return 1 if node.type == "comparison_operator" else 0


def _is_first(clause: Node) -> bool:
    before = clause.prev_named_sibling
    return before is None or before.type != "for_in_clause"


def _field(node: Node) -> str:
    above = node.parent
    for at, child in enumerate(above.children if above is not None else ()):
        if child == node and above is not None:
            return above.field_name_for_child(at) or ""
    return ""


def before_it(node: Node) -> Iterator[Node]:
    """What is evaluated before an expression in its statement, what it is passed to left out."""
    while (above := node.parent) is not None and above.type not in ("block", "module"):
        field = _field(node)
        if above.type == "assignment" and field == "left":
            yield from above.children_by_field_name("right")
        is_target = above.type == "assignment" and field == "right"
        is_asked = above.type == "conditional_expression"
        for part in parts_of(above) if not (is_target or is_asked) else ():
            if part.end_byte > node.start_byte:
                break
            if not (above.type == "call" and _field(part) == "function" and _is_chain(part)):
                yield part
        node = above


def _is_chain(node: Node) -> bool:
    while node.type == "attribute":
        inner = node.child_by_field_name("object")
        if inner is None:
            break
        node = inner
    return node.type == "identifier"


def has_effects(node: Node) -> bool:
    """Whether to evaluate it may do something: it calls, waits, or binds."""
    stack = [node]
    while stack:
        inner = stack.pop()
        if inner.type in EFFECTS:
            return True
        if inner.type != "lambda":
            stack += inner.named_children
    return False


def reads_state(node: Node) -> bool:
    """Whether its value may be another after something was done: it has attributes or items."""
    stack = [node]
    while stack:
        inner = stack.pop()
        if inner.type in ("attribute", "subscript"):
            return True
        stack += inner.named_children
    return False


def is_stable(node: Node, scopes: Scopes) -> bool:
    """Whether its value is the same whatever is done: literals, and names nobody else binds."""
    if has_effects(node) or reads_state(node):
        return False
    stack = [node]
    while stack:
        inner = stack.pop()
        scope = scopes.of(inner) if inner.type == "identifier" else None
        holder = scope.holder(text_of(inner)) if scope is not None else None
        if holder is not None and len(holder.bindings[text_of(inner)]) > 1:
            return False
        stack += inner.named_children
    return True


def _reordered(node: Node, scopes: Scopes) -> str:
    earlier = list(before_it(node))
    busy = [part for part in earlier if has_effects(part)]
    if busy and not is_stable(node, scopes):
        return f"it would run before {_short(busy[0])}, which runs before it now"
    if has_effects(node):
        read = [part for part in earlier if reads_state(part)]
        if read:
            return f"it would run before {_short(read[0])} is read"
    return ""


def _short(node: Node) -> str:
    text = " ".join(text_of(node).split())
    return text if len(text) <= 40 else f"{text[:39]}…"
