"""What is small and flat enough to be parsed, and matched in, outside a worker.

Imports no grammar.
"""

import os
import stat
from collections.abc import Sequence
from itertools import accumulate, count
from operator import sub
from typing import TYPE_CHECKING

from astedit.errors import AstEditError
from astedit.limits import ALONE_SIZE, INLINE_DEPTH, INLINE_SIZE

if TYPE_CHECKING:
    from tree_sitter import Node

    from astedit.workspace.root import Workspace

DEFER = "defer"  # stands for the outcome of a file that only a worker may parse
_KEEP = bytes(b for b in range(256) if b not in b"()[]{}")
_TURN = bytes.maketrans(b"([{)]}", b"\x02\x02\x02\x00\x00\x00")


def is_shallow(text: bytes) -> bool:
    """Whether a text is small and flat enough to be parsed outside a worker.

    No step of this takes Python time for each byte.
    """
    if len(text) >= INLINE_SIZE:
        return False
    brackets = text.translate(_TURN, _KEEP)
    if brackets.count(b"\x02") < INLINE_DEPTH:
        return True
    depth: int = max(map(sub, accumulate(brackets), count(1)))
    return depth < INLINE_DEPTH


def is_deep(root: "Node", levels: int) -> bool:
    """Whether a tree has so many levels. Searching for ancestors takes the square of them.

    Brackets do not show it (`f()()()`). A subtree with fewer nodes than levels is not looked
    into, so that most trees cost one comparison.
    """
    stack = [(root, levels)]
    while stack:
        node, left = stack.pop()
        if left <= 1:
            return True
        if node.descendant_count >= left:
            below = left - 1
            stack += [(child, below) for child in node.children if child.descendant_count >= below]
    return False


def is_one_small_file(workspace: "Workspace", paths: Sequence[str]) -> bool:
    """Whether so little is asked for that starting a worker would be most of the work.

    The file may be anybody's: it is parsed for `INLINE_SECONDS` at most, and matched in up to
    so many levels, else in a worker. 80 KiB of the worst code take 240 MiB here all the same.
    """
    if len(paths) != 1:
        return False
    try:
        status = os.lstat(workspace.check(paths[0]), dir_fd=workspace.fd)
    except (OSError, AstEditError):  # whoever runs the request says what is wrong
        return False
    return stat.S_ISREG(status.st_mode) and status.st_size < ALONE_SIZE
