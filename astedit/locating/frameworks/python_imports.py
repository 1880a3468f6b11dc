"""What a Python module imports: local names to the full names they stand for."""

from collections.abc import Iterator

from tree_sitter import Node

from astedit.locating.frameworks.web_facts import ImportedName

STAR = "*"
_NO_STATEMENTS = frozenset(
    {"expression_statement", "function_definition", "comment", "string", "return_statement",
     "assert_statement", "decorator", "raise_statement"}
)  # fmt: skip


def imported(root: Node) -> list[ImportedName]:
    """Each import of a module, in source order. A star is its own local name."""
    names: list[ImportedName] = []
    stack = [root]
    while stack:
        node = stack.pop()
        if node.type == "import_statement":
            names += _plain_imports(node)
        elif node.type == "import_from_statement":
            names += _from_imports(node)
        elif node.type not in _NO_STATEMENTS:
            stack.extend(reversed(node.named_children))
    return names


def _plain_imports(node: Node) -> Iterator[ImportedName]:
    for item in node.children_by_field_name("name"):
        alias = item.child_by_field_name("alias")
        if alias is not None:
            yield ImportedName(_text(alias), 0, _text(item.child_by_field_name("name")), "")
        else:
            head = _text(item).partition(".")[0]
            yield ImportedName(head, 0, head, "")


def _from_imports(node: Node) -> Iterator[ImportedName]:
    text = _text(node.child_by_field_name("module_name"))
    dots = len(text) - len(text.lstrip("."))
    module = text.lstrip(". ")
    if any(child.type == "wildcard_import" for child in node.named_children):
        yield ImportedName(STAR, dots, module, STAR)
        return
    for item in node.children_by_field_name("name"):
        alias = item.child_by_field_name("alias")
        name = _text(item.child_by_field_name("name") if alias is not None else item)
        yield ImportedName(_text(alias) if alias is not None else name, dots, module, name)


def _text(node: Node | None) -> str:
    return "" if node is None or node.text is None else node.text.decode("utf-8", "replace")
