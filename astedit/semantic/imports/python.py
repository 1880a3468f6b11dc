"""Imports as Python writes them: `import a.b as c`, `from a import b`."""

import re
from collections.abc import Iterator, Sequence

from tree_sitter import Node

from astedit.language import load, named
from astedit.semantic.imports.lines import without
from astedit.semantic.imports.local_names import LOCALS
from astedit.semantic.imports.python_import import (
    FUTURE,
    IMPORTS,
    STANDARD,
    PythonImport,
    import_statements,
)
from astedit.semantic.imports.python_layout import added
from astedit.semantic.imports.statement import (
    Statement,
    Uses,
    binds,
    comma_changes,
    placed,
    text_of,
    words,
)
from astedit.text.splice import Change

_MEMBERS = {("attribute", "attribute"), ("keyword_argument", "name")}
_TRIED = ("try_statement", "except_clause", "else_clause", "finally_clause", "block")
_DOTTED = re.compile(rb"[\w.]*")
# what runs although it is no code: doctests, and the types that a comment names
_RUN = re.compile(rb"^\s*(?:>>>|\.\.\.)(.*)|#\s*type:(.*)", re.MULTILINE)


class Python:
    """Imports as Python writes them."""

    def parse(self, text: str) -> PythonImport:
        return PythonImport.parse(text)

    def statements(self, root: Node) -> list[Statement[PythonImport]]:
        return import_statements(root)

    def uses(self, root: Node) -> Uses:
        code: set[str] = set()
        quoted: set[str] = set()
        for node, name, parent in placed(root, IMPORTS):
            if node.type == "identifier":
                if (parent, name) not in _MEMBERS:
                    code.add(text_of(node))
            elif node.type == "string_content" and not _is_docstring(node):
                quoted |= _quoted(node.text or b"")
            elif node.type in ("comment", "string_content"):
                for lines in _RUN.findall(node.text or b""):
                    quoted |= words(b" ".join(lines))
        return Uses(frozenset(code), frozenset(quoted))

    def refusal(self, root: Node, path: str) -> str | None:
        return None

    def satisfied(self, wanted: PythonImport, root: Node, present: set[PythonImport]) -> bool:
        return wanted in present or wanted in set(_tried(root))

    def clashes(self, wanted: PythonImport, root: Node, present: set[PythonImport]) -> bool:
        others = (old for old in present if old.bound == wanted.bound)
        if any(old.module or old.alias or wanted.module or wanted.alias for old in others):
            return True
        is_it = binds(self.parse, wanted)
        return LOCALS["python"].in_file(
            root, wanted.bound, lambda node: _is_of_the_file(node) or is_it(node)
        )

    def prunable(self, present: PythonImport, root: Node, path: str) -> bool:
        if present.section == FUTURE or present.repeated:
            return False
        return present.section == STANDARD or not path.endswith("__init__.py")

    def added(self, adding: Sequence[PythonImport], root: Node, source: bytes) -> list[Change]:
        return added(adding, root, source)

    def removed(self, doomed: set[PythonImport], root: Node, source: bytes) -> list[Change]:
        changes: list[Change] = []
        whole = []
        for statement in self.statements(root):
            gone = {at for at, (old, _) in enumerate(statement.imports) if old in doomed}
            if gone and len(gone) == len(statement.imports):
                whole.append(statement.node)
            elif gone:
                changes += comma_changes([node for _, node in statement.imports], gone)
        return changes + without(whole, source, b"#")


def syntax(language: str) -> Python:
    """How the language writes imports."""
    return Python()


def missing(names: Sequence[str], root: Node, uses: Uses) -> list[str]:
    """Nothing: in Python a name may come from anywhere."""
    return []


def _is_docstring(content: Node) -> bool:
    """Whether a string is a statement by itself, which nothing reads as code."""
    string = content.parent
    above = string.parent if string is not None else None
    return above is not None and above.type == "expression_statement"


def _quoted(text: bytes) -> frozenset[str]:
    """The words of a string that may be read as code: not those of prose, or of a pattern."""
    if _DOTTED.fullmatch(text):
        return words(text)
    row = named("python")
    assert row is not None
    refused = load(row).parser().parse(text).root_node.has_error
    return frozenset() if refused else words(text)


def _tried(node: Node) -> Iterator[PythonImport]:
    """What a module imports in `try` statements, whichever of their parts."""
    for child in node.named_children:
        if child.type in _TRIED:
            yield from _tried(child)
            for statement in import_statements(child):
                yield from (imported for imported, _ in statement.imports)


def _is_of_the_file(binding: Node) -> bool:
    """Is what binds a name an import statement of the top level?"""
    statement = binding.parent if binding.type == "aliased_import" else binding
    return (
        statement is not None
        and statement.type in IMPORTS
        and statement.parent is not None
        and statement.parent.type == "module"
    )
