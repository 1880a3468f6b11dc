"""What a Python module imports: local names to the full names they stand for."""

import posixpath

from tree_sitter import Node

from astedit.locating.inventory.source_roots import Roots

STAR = "*"


def imported(root: Node) -> list[tuple[str, int, str, str]]:
    """Each import as (local name, dots, module, name); plain data, in source order.

    `import a.b as c` is ("c", 0, "a.b", ""), `import a.b` ("a", 0, "a", ""), and
    `from ..m import n` ("n", 2, "m", "n"). A star is its own local name.
    """
    found: list[tuple[str, int, str, str]] = []
    stack = [root]
    while stack:
        node = stack.pop()
        if node.type == "import_statement":
            found += _plain_imports(node)
        elif node.type == "import_from_statement":
            found += _from_imports(node)
        elif node.type not in _NO_STATEMENTS:
            stack.extend(reversed(node.named_children))
    return found


_NO_STATEMENTS = frozenset(
    {"expression_statement", "function_definition", "comment", "string", "return_statement",
     "assert_statement", "decorator", "raise_statement"}
)  # fmt: skip


def _plain_imports(node: Node) -> list[tuple[str, int, str, str]]:
    found = []
    for item in node.children_by_field_name("name"):
        alias = item.child_by_field_name("alias")
        inner = item.child_by_field_name("name") if alias is not None else item
        module = _text(inner)
        local = _text(alias) if alias is not None else module.partition(".")[0]
        found.append((local, 0, module if alias is not None else local, ""))
    return found


def _from_imports(node: Node) -> list[tuple[str, int, str, str]]:
    where = node.child_by_field_name("module_name")
    text = _text(where)
    dots = len(text) - len(text.lstrip("."))
    module = text.lstrip(". ")
    if any(child.type == "wildcard_import" for child in node.named_children):
        return [(STAR, dots, module, STAR)]
    found = []
    for item in node.children_by_field_name("name"):
        alias = item.child_by_field_name("alias")
        name = _text(item.child_by_field_name("name") if alias is not None else item)
        found.append((_text(alias) if alias is not None else name, dots, module, name))
    return found


def _text(node: Node | None) -> str:
    return "" if node is None or node.text is None else node.text.decode("utf-8", "replace")


class Modules:
    """Python modules of a tree by their full names."""

    def __init__(self, roots: Roots, files: list[str]) -> None:
        self._roots = roots
        self._paths: dict[str, list[str]] = {}
        self._below: dict[str, list[str]] = {}  # by their names from the workspace down
        for path in files:
            if path.endswith((".py", ".pyi")):
                name = ".".join(roots.module(path, "python"))
                self._paths.setdefault(name, []).append(path)
                self._below.setdefault(_dotted(path), []).append(path)

    def paths(self, module: str) -> list[str]:
        """The files of a module: several roots may have one of this name.

        Programs are also started in the workspace itself, whatever its roots are.
        """
        return self._paths.get(module) or self._below.get(module, [])

    def absolute(self, path: str, dots: int, module: str) -> str:
        """The full name of a module that the file at `path` imports."""
        if not dots:
            return module
        here = list(self._roots.module(path, "python"))
        package = posixpath.basename(path).startswith("__init__.")
        kept = here[: len(here) - dots + package] if dots - package > 0 else here
        return ".".join([*kept, module]) if module else ".".join(kept)


def _dotted(path: str) -> str:
    return path[: path.rindex(".")].removesuffix("/__init__").replace("/", ".")
