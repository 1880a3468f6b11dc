"""Where a name stands in code that an answer leaves as it is."""

import re
from collections.abc import Iterator, Mapping, Sequence

from tree_sitter import Node

from astedit.discover.discover import discover
from astedit.engine.inline_limits import is_shallow
from astedit.errors import LimitError
from astedit.language import for_path, load
from astedit.language.table import Row
from astedit.limits import INLINE_SECONDS, Deadline, parsing_within
from astedit.text.splice import Change
from astedit.workspace.root import Workspace

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
    row = for_path(path)
    if row is None:
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
            left += [f"{file}:{line}: {text}" for line, text in _left_in(raw, row, name, ranges)]
    return left


def _left_in(
    raw: bytes, row: Row, name: str, ranges: Sequence[tuple[int, int]]
) -> Iterator[tuple[int, str]]:
    if not is_shallow(raw):
        return
    try:
        with parsing_within(INLINE_SECONDS):
            root = load(row).parser().parse(raw).root_node
    except LimitError:
        return
    lines = raw.split(b"\n")
    for node in _identifiers(root, name.encode()):
        if not any(start <= node.start_byte < max(end, start + 1) for start, end in ranges):
            number = node.start_point.row
            yield number + 1, lines[number].strip().decode("utf-8", "replace")[:100]


def _identifiers(root: Node, name: bytes) -> Iterator[Node]:
    stack = [root]
    while stack:
        node = stack.pop()
        if node.child_count:
            stack += reversed(node.children)
        elif node.text == name and "identifier" in node.type:
            yield node
