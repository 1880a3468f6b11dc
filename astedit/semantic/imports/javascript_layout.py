"""Where an import of JavaScript or TypeScript comes, and how it is written there."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from tree_sitter import Node

from astedit.python.syntax import text_of
from astedit.semantic.imports.javascript_import import (
    ImportStyle,
    Item,
    JavaScriptImport,
    Parts,
    import_statements,
    module_of,
    parts_of,
    source_of,
)
from astedit.semantic.imports.lines import (
    Placed,
    after,
    blocks,
    header,
    into_block,
    into_list,
    opening,
)
from astedit.semantic.imports.statement import Statement
from astedit.text.source import Change, end_of_line, line_start

_BUILT_IN, _PACKAGE, _LOCAL = range(3)


def added(
    adding: Sequence[JavaScriptImport], root: Node, source: bytes, like: ImportStyle | None = None
) -> list[Change]:
    """The changes that bring these imports: into statements of their modules, or as lines."""
    statements, style = import_statements(root), like or style_of(root, source)
    changes, lines = list[Change](), list[tuple[str, bytes]]()
    for group in _groups(adding):
        left = list(group)
        for statement in statements:
            if module_of(statement.node) == group[0].module:
                parts = parts_of(statement)
                fitting = [new for new in left if _fits(new, parts)]
                changes += _joined(fitting, parts, style, source)
                left = [new for new in left if new not in fitting]
        lines += [(own[0].module, style.line(own)) for own in _apart(left)]
    return [*changes, *_stated(lines, statements, root, source)]


def _stated(
    lines: Sequence[tuple[str, bytes]],
    statements: Sequence[Statement[JavaScriptImport]],
    root: Node,
    source: bytes,
) -> Iterator[Change]:
    """New statements, each with its module: in order within its section, else at the border.

    Without any statement they come behind what the file begins with.
    """
    eol = end_of_line(source)
    modules = {s.node: s.imports[0][0].module if s.imports else "" for s in statements}
    nodes = list(modules)
    if lines and not nodes:
        yield opening(header(root, source), source, b"".join(line + eol for _, line in lines))
    for module, line in lines if nodes else ():
        alike = [node for node in nodes if _section(modules[node]) == _section(module)]
        before = [node for node in nodes if _section(modules[node]) < _section(module)]
        gap = eol if len(blocks(nodes, source)) > 1 else b""
        if alike:
            block = blocks(alike, source)[-1]
            ordered = [Placed((modules[node].lower(),), node) for node in block]
            yield into_block((module.lower(),), line, ordered, source)
        elif before:
            yield after(before[-1], source, gap + line + eol)
        else:
            at = line_start(source, nodes[0].start_byte)
            yield at, at, line + eol + gap


def _groups(adding: Sequence[JavaScriptImport]) -> Iterator[list[JavaScriptImport]]:
    """Imports that one statement may hold, in the order in which they come."""
    groups: dict[tuple[int, str, bool], list[JavaScriptImport]] = {}
    for new in sorted(adding, key=lambda new: (new.item.lower(), new.item)):
        groups.setdefault((_section(new.module), new.module, new.is_type), []).append(new)
    yield from (groups[key] for key in sorted(groups))


def _apart(group: Sequence[JavaScriptImport]) -> list[list[JavaScriptImport]]:
    """Those of a module that each need a statement of their own."""
    spaces = [[new] for new in group if new.name == "*"]
    effects = [[new] for new in group if not new.name]
    others = [new for new in group if new.name not in ("*", "")]
    if len(others) > 1 and others[0].is_type:  # TypeScript has no `import type a, { b }`
        defaults = [[new] for new in others if new.name == "default"]
        listed = [new for new in others if new.name != "default"]
        return effects + spaces + defaults + ([listed] if listed else [])
    return effects + spaces + ([others] if others else [])


def _fits(new: JavaScriptImport, parts: Parts) -> bool:
    if new.name in ("*", "", "=") or new.is_type != parts.is_type:
        return False
    if new.name == "default":
        named = parts.braces is not None or parts.namespace is not None
        return parts.default is None and named and not parts.is_type
    if parts.braces is not None:
        return True
    return parts.default is not None and parts.namespace is None and not parts.is_type


def _joined(
    fitting: Sequence[JavaScriptImport], parts: Parts, style: ImportStyle, source: bytes
) -> Iterator[Change]:
    """The changes of a statement that takes more imports in."""
    for new in (new for new in fitting if new.name == "default"):
        first = parts.namespace[1] if parts.namespace is not None else parts.braces
        assert first is not None
        yield first.start_byte, first.start_byte, f"{new.local}, ".encode()
    listed = [new for new in fitting if new.name != "default"]
    if not listed:
        return
    if parts.listed:
        for new in listed:
            yield among(new.item, [(old.item, node) for old, node in parts.listed], source)
    elif parts.braces is not None:
        yield *parts.braces.byte_range, style.braces(listed).encode()
    elif parts.default is not None:
        at = parts.default[1].end_byte
        yield at, at, f", {style.braces(listed)}".encode()


def among(item: str, listed: Sequence[tuple[str, Node]], source: bytes) -> Change:
    """In order if the names are sorted, else behind them; on a line of its own as they are."""
    items = [Placed((text.lower(),), node) for text, node in listed]
    return into_list((item.lower(),), item.encode(), items, source)


def _section(module: str) -> int:
    if module.startswith("."):
        return _LOCAL
    return _BUILT_IN if module.startswith("node:") else _PACKAGE


def style_of(root: Node, source: bytes) -> ImportStyle:
    """As the imports of a file are written, or without any the rest of it."""
    nodes = [statement.node for statement in import_statements(root)]
    quotes = "".join(text_of(source_of(node))[:1] for node in nodes)
    if not quotes:
        quotes = "'" * source.count(b"'") + '"' * source.count(b'"')
    ends = [text_of(node).endswith(";") for node in nodes]
    if not ends:
        ends = [b";\n" in source or b";\r" in source or not source.strip()]
    braces = re.findall(rb"^import\b[^\"';]*?\{(.)", source, re.MULTILINE | re.DOTALL)
    return ImportStyle(
        "'" if quotes.count("'") > quotes.count('"') else '"',
        ";" if sum(ends) * 2 >= len(ends) else "",
        " " if not braces or any(mark.isspace() for mark in braces) else "",
    )


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
    for new in sorted(adding, key=lambda new: (_section(new.module), new.module, new.item)):
        listed = next(filter(None, (_listing(s, new) for s in statements)), None)
        if listed is not None:
            yield among(_property(new), [(_property(old), node) for old, node in listed], source)
        else:
            lines.append((new.module, _line(new, _word(statements, source), style).encode()))
    yield from _stated(lines, statements, root, source)


def declarators_of(statement: Node) -> list[Node]:
    """The variables that a statement declares, each with its value."""
    return [node for node in statement.named_children if node.type == "variable_declarator"]


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


def _listing(statement: Required, new: JavaScriptImport) -> list[Item] | None:
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
