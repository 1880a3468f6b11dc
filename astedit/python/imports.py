"""The import statements of a Python module: what they bind, and from where."""

from collections.abc import Iterator

from tree_sitter import Node

from astedit.python.expression import Imported
from astedit.python.syntax import dotted, text_of

STAR = "*"
IMPORTS = frozenset(("import_statement", "import_from_statement", "future_import_statement"))


def imports_of(node: Node) -> Iterator[tuple[str, Imported]]:
    """What an import statement binds: each name, `a.b` of `import a.b`, `*`, with its source."""
    level, module = module_of(node)
    if any(child.type == "wildcard_import" for child in node.named_children):
        yield STAR, Imported(level, module, STAR)
    for item in node.children_by_field_name("name"):
        name, alias = alias_of(item)
        written, bound = dotted(name), text_of(alias) if alias is not None else ""
        if node.type == "import_statement":
            yield bound or written, Imported(0, written, None)
        else:
            yield bound or written, Imported(level, module, written)


def alias_of(item: Node) -> tuple[Node, Node | None]:
    """The name of what an import lists, and its alias."""
    name = item.child_by_field_name("name") if item.type == "aliased_import" else item
    assert name is not None
    return name, item.child_by_field_name("alias")


def module_of(node: Node) -> tuple[int, str]:
    """The module that a `from` import names: its leading dots, and the rest."""
    if node.type == "future_import_statement":
        return 0, "__future__"
    written = "".join(text_of(node.child_by_field_name("module_name")).split())
    module = written.lstrip(".")
    return len(written) - len(module), module
