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
    import_statements,
    is_of_types,
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
_ALONE = ("", "*", "default")  # what has a statement of its own, in order
_ITEMS = ("import_specifier", "shorthand_property_identifier_pattern", "pair_pattern")
Required = Statement[JavaScriptImport]


def added(
    adding: Sequence[JavaScriptImport], root: Node, source: bytes, style: ImportStyle
) -> list[Change]:
    """The changes that bring these imports: into statements of their modules, or as lines."""
    statements = require_statements(root) if style.word else import_statements(root)
    changes, lines = list[Change](), list[tuple[str, bytes]]()
    for group in _groups(adding, style):
        left, module = list(group), group[0].module
        for statement in statements:
            modules = (item.module for item, _ in statement.imports)
            if module in (module_of(statement.node), *modules):
                fitting = [new for new in left if _fits(new, statement)]
                changes += _joined(fitting, statement, style, source)
                left = [new for new in left if new not in fitting]
        if left:
            lines.append((module, style.line(left)))
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


def _groups(
    adding: Sequence[JavaScriptImport], style: ImportStyle
) -> Iterator[list[JavaScriptImport]]:
    """Imports that one statement may hold, in the order in which they come."""
    groups: dict[tuple[object, ...], list[JavaScriptImport]] = {}
    for new in sorted(adding, key=lambda new: (style.item(new).lower(), style.item(new))):
        # TypeScript has no `import type a, { b }`
        is_alone = new.name in _ALONE and (new.name != "default" or new.is_type or style.word)
        kind, own = (_ALONE.index(new.name), new.bound) if is_alone else (len(_ALONE), "")
        key = (_section(new.module), new.module, new.is_type, kind, own)
        groups.setdefault(key, []).append(new)
    yield from (groups[key] for key in sorted(groups))


def _in_braces(statement: Required, module: str) -> list[Item]:
    """The names in the braces of a statement that are of a module."""
    return [
        (i, node) for i, node in statement.imports if i.module == module and node.type in _ITEMS
    ]


def _fits(new: JavaScriptImport, statement: Required) -> bool:
    parts, is_type = parts_of(statement.node), is_of_types(statement.node)
    has_default, has_space = "identifier" in parts, "namespace_import" in parts
    if new.name in ("*", "", "=") or new.is_type != is_type:
        return False
    if new.name == "default":
        return bool(parts) and not has_default and not is_type
    has_braces = "named_imports" in parts or bool(_in_braces(statement, new.module))
    return has_braces or (has_default and not has_space and not is_type)


def _joined(
    fitting: Sequence[JavaScriptImport], statement: Required, style: ImportStyle, source: bytes
) -> Iterator[Change]:
    """The changes of a statement that takes more imports in."""
    parts = parts_of(statement.node)
    for new in (new for new in fitting if new.name == "default"):
        at = next(iter(parts.values())).start_byte
        yield at, at, f"{new.bound}, ".encode()
    listed = [new for new in fitting if new.name != "default"]
    present = _in_braces(statement, listed[0].module) if listed else []
    if present:
        # in order if the names are sorted, else behind them; on a line of its own as they are
        items = [Placed((style.item(old).lower(),), node) for old, node in present]
        for text in map(style.item, listed):
            yield into_list((text.lower(),), text.encode(), items, source)
    elif listed and "named_imports" in parts:
        yield *parts["named_imports"].byte_range, style.braces(listed).encode()
    elif listed:
        at = parts["identifier"].end_byte
        yield at, at, f", {style.braces(listed)}".encode()


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


def require_statements(root: Node) -> list[Required]:
    """The statements of the top level that bind or run what `require` gives, in order."""
    statements = [Statement(node, list(_items(node))) for node in root.named_children]
    return [statement for statement in statements if statement.imports]


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


def word_of(root: Node, source: bytes) -> str:
    """The keyword that most statements with `require` begin with; else what the file knows."""
    nodes = (statement.node for statement in require_statements(root))
    kinds = Counter(node.children[0].type for node in nodes if node.type in _DECLARATIONS)
    if kinds:
        return kinds.most_common(1)[0][0]
    return "var" if b"var " in source and b"const " not in source else "const"
