"""Imports as CommonJS modules write them: declarations of what `require` gives."""

from collections import Counter
from collections.abc import Iterator, Sequence

from tree_sitter import Node

from astedit.semantic.imports.javascript_import import Item, JavaScriptImport
from astedit.semantic.imports.javascript_layout import ImportStyle, among, header, style_of
from astedit.semantic.imports.lines import Placed, blocks, into_block, opening
from astedit.semantic.imports.statement import Statement, comma_changes, text_of
from astedit.text.source import end_of_line
from astedit.text.splice import Change

_DECLARATIONS = ("lexical_declaration", "variable_declaration")
Required = Statement[JavaScriptImport]


def require_statements(root: Node) -> list[Required]:
    """The statements of the top level that bind or run what `require` gives, in order."""
    statements = [Statement(node, list(_items(node))) for node in root.named_children]
    return [statement for statement in statements if statement.imports]


def added_requires(
    adding: Sequence[JavaScriptImport], root: Node, source: bytes
) -> Iterator[Change]:
    """The changes that bring these imports: into patterns of their modules, or as lines."""
    statements, style = require_statements(root), style_of(root, source)
    lines = []
    for new in sorted(adding, key=lambda new: (_order(new.module), new.item)):
        listed = next(filter(None, (_listed(s, new) for s in statements)), None)
        if listed is not None:
            yield among(_property(new), [(_property(old), node) for old, node in listed], source)
        else:
            lines.append((new, _line(new, _word(statements, source), style).encode()))
    if statements:
        yield from (_placed(new, line, statements, source) for new, line in lines)
    elif lines:
        eol = end_of_line(source)
        yield opening(header(root, source), source, b"".join(line + eol for _, line in lines))


def shortened(statement: Required, doomed: set[JavaScriptImport]) -> list[Change] | None:
    """The changes of a statement that loses these imports; None if nothing is left of it."""
    declarators = [n for n in statement.node.named_children if n.type == "variable_declarator"]
    inside = [_within(declarator, statement.imports) for declarator in declarators]
    gone = {
        at
        for at, items in enumerate(inside)
        if items and all(imported in doomed for imported, _ in items)
    }
    if len(gone) == len(declarators):
        return None
    changes = comma_changes(declarators, gone)
    for at, items in enumerate(inside):
        some = {place for place, (imported, _) in enumerate(items) if imported in doomed}
        if some and at not in gone:
            changes += comma_changes([node for _, node in items], some)
    return changes


def _within(declarator: Node, items: Sequence[Item]) -> list[Item]:
    low, high = declarator.start_byte, declarator.end_byte
    return [item for item in items if low <= item[1].start_byte < high]


def _items(statement: Node) -> Iterator[Item]:
    if statement.type == "expression_statement":
        module, member = _required(statement.named_children[0])
        if module and not member:
            yield JavaScriptImport(module, "", ""), statement
    for declarator in statement.named_children if statement.type in _DECLARATIONS else ():
        name, value = (declarator.child_by_field_name(field) for field in ("name", "value"))
        module, member = _required(value)
        if not module or name is None:
            continue
        if name.type == "identifier":
            yield JavaScriptImport(module, member or "default", text_of(name)), declarator
        elif name.type == "object_pattern" and not member:
            yield from _properties(name, module)


def _required(value: Node | None) -> tuple[str, str]:
    """The module that a value is required from, and the member of it that is taken, if any."""
    member = ""
    if value is not None and value.type == "member_expression":
        member = text_of(value.child_by_field_name("property"))
        value = value.child_by_field_name("object")
    if value is None or value.type != "call_expression":
        return "", ""
    arguments = value.child_by_field_name("arguments")
    inner = arguments.named_children if arguments is not None else []
    if text_of(value.child_by_field_name("function")) != "require" or len(inner) != 1:
        return "", ""
    return (text_of(inner[0])[1:-1], member) if inner[0].type == "string" else ("", "")


def _properties(pattern: Node, module: str) -> Iterator[Item]:
    """The members that a pattern takes; none if one of them is more than a name."""
    items = []
    for node in pattern.named_children:
        local = node.child_by_field_name("value")
        if node.type == "shorthand_property_identifier_pattern":
            items.append((JavaScriptImport(module, text_of(node), text_of(node)), node))
        elif node.type == "pair_pattern" and local is not None and local.type == "identifier":
            name = text_of(node.child_by_field_name("key"))
            items.append((JavaScriptImport(module, name, text_of(local)), node))
        elif node.type != "comment":
            return
    yield from items


def _listed(statement: Required, new: JavaScriptImport) -> list[Item] | None:
    """The members of the pattern that a new one goes to; None if it does not go to this."""
    alike = [
        item
        for item in statement.imports
        if item[0].module == new.module and item[1].type != "variable_declarator"
    ]
    return alike if alike and new.name not in ("default", "*", "") and alike[0][0].name else None


def _property(item: JavaScriptImport) -> str:
    """What a pattern has for it."""
    return item.name if item.name == item.local else f"{item.name}: {item.local}"


def _line(new: JavaScriptImport, word: str, style: ImportStyle) -> str:
    call = f"require({style.quote}{new.module}{style.quote}){style.end}"
    if not new.name:
        return call
    is_whole = new.name in ("default", "*")
    clause = new.local if is_whole else f"{{{style.pad}{_property(new)}{style.pad}}}"
    return f"{word} {clause} = {call}"


def _word(statements: Sequence[Required], source: bytes) -> str:
    """The keyword that most statements begin with; without any what the file knows."""
    kinds = Counter(s.node.children[0].type for s in statements if s.node.type in _DECLARATIONS)
    if kinds:
        return kinds.most_common(1)[0][0]
    return "var" if b"var " in source and b"const " not in source else "const"


def _placed(
    new: JavaScriptImport, line: bytes, statements: Sequence[Required], source: bytes
) -> Change:
    """In order among those of the last block whose modules are as near, else behind them."""
    modules = {s.node.start_byte: s.imports[0][0].module for s in statements}
    runs = blocks([s.node for s in statements], source)
    order = _order(new.module)
    alike = [[n for n in run if _order(modules[n.start_byte])[0] == order[0]] for run in runs]
    run = ([nodes for nodes in alike if nodes] or runs)[-1]
    return into_block(order, line, [Placed(_order(modules[n.start_byte]), n) for n in run], source)


def _order(module: str) -> tuple[bool, str]:
    return module.startswith("."), module.lower()
