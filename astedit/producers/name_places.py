"""Where the name of a symbol is written: by its identifier, and in code that an answer leaves."""

import re
from collections.abc import Iterator, Mapping, Sequence

from tree_sitter import Node

from astedit.discover.discover import discover
from astedit.errors import PreconditionError
from astedit.language import for_path
from astedit.limits import Deadline
from astedit.locating.answer import find_in, the_one
from astedit.locating.inventory.inventory import Inventory
from astedit.pattern.listed import walk
from astedit.producers.lsp_edit import Positions
from astedit.producers.token_changes import inline_root
from astedit.semantic.listed_uses import code_at
from astedit.text.source import Change
from astedit.workspace.config import Config
from astedit.workspace.root import Workspace

_TOWARDS_THE_NAME = ("definition", "name", "declarator", "left")  # fields of definitions


def named_place(workspace: Workspace, identifier: str, config: Config | None) -> tuple[str, str]:
    """The file of a symbol, and `LINE:COL` of its name there, from 1.

    Raises `NotLocated` unless the identifier names one symbol.
    """
    node = the_one(find_in(Inventory(workspace, config=config), identifier, "symbol"))
    raw, _ = workspace.read(node.path, 1 << 30)
    name = node.id.partition("::")[2].partition("@")[0].rpartition(".")[2] or node.name
    start, end = node.span
    start = _own_name(node.path, raw, start, end) or start
    word = re.search(rb"(?<!\w)" + re.escape(name.encode()) + rb"(?!\w)", raw[start:end])
    if word is None:
        raise PreconditionError(f"{node.id} does not say its name.", code="not_renamable")
    line, column = Positions(node.path, raw, "utf-32").position(start + word.start())
    return node.path, f"{line + 1}:{column + 1}"


def _own_name(path: str, raw: bytes, start: int, end: int) -> int | None:
    """Where the name of the definition at a range begins: behind its decorators and types."""
    if (root := inline_root(path, raw)) is None:
        return None
    node = root.descendant_for_byte_range(start, end)
    if node is not None and node.start_byte < start:  # its decorators stand beside it
        node = next((child for child in node.children if start < child.end_byte == end), None)
    inner = node
    while inner is not None:
        node = inner
        inner = next(filter(None, map(node.child_by_field_name, _TOWARDS_THE_NAME)), None)
    return None if node is None else node.start_byte


_LARGEST = 1 << 20  # bytes of a file that is looked at


def names_left(
    workspace: Workspace,
    path: str,
    name: str,
    changes: Mapping[str, Sequence[Change]],
    deadline: Deadline,
) -> list[str]:
    """Identifiers of that name in files of the language of `path` that no change covers.

    Each as `path:line: text`, in the order of paths.
    """
    if (row := for_path(path)) is None:
        return []
    files = discover(workspace, ["."], suffixes=row.suffixes, deadline=deadline).files
    word = re.compile(rb"(?<![\w$])" + re.escape(name.encode()) + rb"(?![\w$])")
    left = []
    for file in files:
        deadline.check()
        try:
            raw, _ = workspace.read(file, _LARGEST)
        except OSError:
            continue
        if word.search(raw) and len(raw) <= _LARGEST:
            ranges = [(start, end) for start, end, _ in changes.get(file, ())]
            places = [node.start_byte for node in _identifiers(file, raw, name.encode())]
            left += [
                code_at(file, raw, at, 100)
                for at in places
                if not any(start <= at < max(end, start + 1) for start, end in ranges)
            ]
    return left


def _identifiers(path: str, raw: bytes, name: bytes) -> Iterator[Node]:
    root = inline_root(path, raw)
    leaves = (node for node in walk(root) if not node.child_count) if root is not None else ()
    return (node for node in leaves if "identifier" in node.type and node.text == name)
