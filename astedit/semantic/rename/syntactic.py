"""`rename` in languages other than Python: by the syntax of the definition's own file.

A local name is renamed within the function around it. What other files could see is refused
(`public_name`) unless the caller says that this file is all there is.
"""

import re

from tree_sitter import Node

from astedit.engine.known_edits import plan_of_edits, view_of
from astedit.errors import PreconditionError, RequestError
from astedit.language import for_path, load
from astedit.model.plan import Plan
from astedit.semantic.imports.statement import placed
from astedit.semantic.library import NameRequest
from astedit.semantic.listed_uses import AlsoUses
from astedit.text.source import ByteRange, Change, line_end

_FUNCTION = re.compile(r"function|method|lambda|closure|constructor|func_literal")
_IDENTIFIER = re.compile(r"(^|_)(identifier|name|constant|word)(_pattern)?$")
_MEMBERS = frozenset({"property_identifier", "field_identifier", "private_property_identifier"})
_FOLLOWED = ("javascript", "typescript", "tsx")  # through their modules, private or not
_PRIVATE = re.compile(rb"\bprivate\b")


def plan(asked: NameRequest) -> Plan:
    """The plan within one file; `PreconditionError` (`public_name`, `collision`) if refused."""
    arguments, path, new = asked.arguments, asked.path, asked.arguments["new"]
    old = re.split(r"[.#:]", arguments["name"])[-1]
    raw, _ = asked.workspace.read(path, asked.request.max_file_size)
    row = for_path(path)
    if row is None:
        raise PreconditionError(f"{path} is of no known language.", path=path, code="unsupported")
    text = view_of(raw, path, asked.request.encoding).text
    root = load(row).parser().parse(text).root_node
    start, end = (int(part) for part in arguments["region"].split(":"))
    scope = _function_around(root, start, end)
    allowed = "allow_syntactic" in arguments
    line = text[start : line_end(text, start)]
    is_private = _PRIVATE.search(line) is not None or line.lstrip().startswith(b"#")
    if scope is None and not allowed and (row.name in _FOLLOWED or not is_private):
        raise PreconditionError(
            f"{old} in {path} may be used by other files, which are not looked at for "
            f"{row.label}; nothing was staged.",
            path=path,
            code="public_name",
            hint="--allow-syntactic renames it in this file alone.",
        )
    AlsoUses(arguments).check(())  # nothing is listed here
    edits = renamed_within(scope or root, old, new, text, (start, end))
    if edits is None:
        why = f"{new!r} is taken in {path}; nothing was staged."
        raise PreconditionError(why, path=path, code="collision")
    hint = f"syntactic: every {old!r} in the same scope of {path}, and no other file"
    try:
        return plan_of_edits(
            asked.request,
            asked.workspace,
            {path: edits},
            asked.run,
            expected={path: arguments["hash"]},
            hints=[hint],
            files_searched=1,
        )
    except PreconditionError as error:
        raise explained(error, path, new) from error


def renamed_within(
    scope: Node, old: str, new: str, text: bytes, definition: ByteRange
) -> list[Change] | None:
    """The changes of a name that is defined in these bytes; None if the new one is taken."""
    if _identifiers(scope, new.encode(), text):
        return None
    nodes = _identifiers(scope, old.encode(), text)
    own = next((n for n in nodes if definition[0] <= n.start_byte < definition[1]), None)
    is_member = own is not None and own.type in _MEMBERS
    return [
        # `{total}` names a property too, which keeps its name: `{total: sum}`
        (*node.byte_range, (f"{old}: " if is_short else "").encode() + new.encode())
        for node in nodes
        for is_short in [node.type.startswith("shorthand_property")]
        if (node.type in _MEMBERS) == is_member
    ]


def explained(error: PreconditionError, path: str, new: str) -> PreconditionError | RequestError:
    """The error about a keyword, where that is why the result would not parse."""
    row = for_path(path)
    assert row is not None
    if error.code != "breaks_syntax" or not load(row).language.id_for_node_kind(new, False):
        return error
    return RequestError(f"Invalid name: {new!r} is a keyword of {row.label}.", code="bad_name")


def _function_around(root: Node, start: int, end: int) -> Node | None:
    """The innermost function that holds the definition, the definition itself aside."""
    node = root.descendant_for_byte_range(start, max(start, end - 1))
    while node is not None:
        larger = node.start_byte < start or node.end_byte > end
        if larger and _FUNCTION.search(node.type) and node.child_by_field_name("body"):
            return node
        node = node.parent
    return None


def _identifiers(scope: Node, name: bytes, text: bytes) -> list[Node]:
    """The identifiers of this spelling, in order."""
    leaves = (node for node, _, _ in placed(scope, frozenset()))
    alike = (node for node in leaves if text[node.start_byte : node.end_byte] == name)
    return [node for node in alike if _IDENTIFIER.search(node.type)]
