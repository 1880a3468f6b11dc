"""The statements that define a name, and what a name is that none defines."""

import builtins
import re
import sys
from collections.abc import Iterator

from tree_sitter import Node

from astedit.engine.known_edits import view_of
from astedit.errors import AstEditError, PreconditionError
from astedit.language import for_path
from astedit.python.syntax import text_of
from astedit.text.source import NotDecodable
from astedit.workspace.root import Workspace

DEFINITIONS = ("function_definition", "class_definition")


def definition_nodes(root: Node, name: str) -> list[Node]:
    """The statements that define `name`, qualified within the module, decorators included.

    Several are one name with its overloads, a property with its setter, or the same name in
    the branches of an `if` or a `try`. An assignment counts if that name is its one target.
    """
    return list(_within(root, "", name))


def _within(scope: Node, prefix: str, name: str) -> Iterator[Node]:
    for node in scope.named_children:
        inner = node.child_by_field_name("definition") or node
        if inner.type in DEFINITIONS:
            own = prefix + text_of(inner.child_by_field_name("name"))
            body = inner.child_by_field_name("body")
            if own == name:
                yield node
            elif name.startswith(f"{own}.") and body is not None:
                yield from _within(body, f"{own}.", name)
        elif node.type == "expression_statement":
            if prefix + _assigned(node) == name:
                yield node
        else:
            yield from _within(node, prefix, name)


def _assigned(statement: Node) -> str:
    """The only name that a statement assigns to; "" if that is not all it does."""
    value = statement.named_children[0] if statement.named_child_count == 1 else None
    if value is None or value.type != "assignment":
        return ""
    left, right = value.child_by_field_name("left"), value.child_by_field_name("right")
    chained = right is not None and right.type == "assignment"
    return text_of(left) if left is not None and left.type == "identifier" and not chained else ""


SPECIAL = re.compile(r"__\w+__")  # names that Python itself looks for
_LARGEST = 2_097_152  # bytes
_CODE = "not_found"


def special(name: str) -> PreconditionError:
    """The refusal of a name that Python itself looks for."""
    return PreconditionError(
        f"{name} is Python's own name: what calls it would not find it.", code="special_name"
    )


def explained(workspace: Workspace, identifier: str) -> PreconditionError | None:
    """The error that says what `identifier`, which no definition has, is instead; or None."""
    identifier = identifier.removeprefix("sym:")
    path, _, name = identifier.partition("::")
    last = re.split(r"[.:#]", identifier)[-1]
    if SPECIAL.fullmatch(last):
        return special(last)
    if name:
        return _imported(workspace, path, name)
    if for_path(path) is not None and _text(workspace, path) is not None:
        return _no_symbol(f"{path} is a file", "Name a symbol in it: `FILE::NAME`.")
    head, _, rest = identifier.partition(".")
    if identifier.removeprefix("builtins.") in vars(builtins):
        return _no_symbol(f"{last!r} is built into Python", "Only this workspace's own names are.")
    for place in (identifier.replace(".", "/"), f"src/{identifier.replace('.', '/')}"):
        if any(_text(workspace, place + end) is not None for end in (".py", "/__init__.py")):
            return _no_symbol(f"{identifier} is a module", "Name a symbol in it.")
    if rest and head in sys.stdlib_module_names:
        return _no_symbol(f"{head} is a module of Python's library", "It is not in the workspace.")
    return None


def _no_symbol(what: str, hint: str) -> PreconditionError:
    return PreconditionError(f"{what}, not a symbol.", code=_CODE, hint=hint)


def _imported(workspace: Workspace, path: str, name: str) -> PreconditionError | None:
    """The error for a name that its module only imports; None if it defines the name."""
    row = for_path(path)
    code = _text(workspace, path) if row is not None and row.name == "python" else None
    if code is None:
        return None
    from astedit.python.expression import Imported
    from astedit.python.reader import Unreadable, read

    try:
        bound = read(code, name, None).bindings.get(name, [])
    except Unreadable:
        return None
    source = next((value for value in bound if isinstance(value, Imported)), None)
    if source is None:
        return None
    dotted = "." * source.level + source.module + (f".{source.name}" if source.name else "")
    return PreconditionError(
        f"{path} only imports {name!r}: it is {dotted}, and a rename begins at the definition.",
        path=path,
        code=_CODE,
        hint="Name the definition, if it is in this workspace.",
    )


def _text(workspace: Workspace, path: str) -> bytes | None:
    try:
        raw, _ = workspace.read(path, _LARGEST)
        return view_of(raw, path).text.removeprefix(b"\xef\xbb\xbf")
    except (OSError, ValueError, AstEditError, NotDecodable):
        return None
