"""What a name in Python code resolves to, however it was imported: for `resolvesTo`."""

from functools import lru_cache

from tree_sitter import Node

from astedit.python.scopes import Scopes
from astedit.python.syntax import parsed

_MARK = b"\xef\xbb\xbf"


def resolved(source: bytes, start: int, end: int) -> frozenset[str]:
    """The qualified names of the name or attribute that spans these bytes (UTF-8).

    Imported ones (`requests.get`), built-in ones (`builtins.print`), and those the module
    defines itself (`Client.get`). Empty for anything else, and for a file that cannot be read.
    """
    mark = len(_MARK) if source.startswith(_MARK) else 0
    scopes = _read(source[mark:])
    if scopes is None:
        return frozenset()
    node = scopes.root.named_descendant_for_byte_range(start - mark, end - mark)
    if node is None or (node.start_byte, node.end_byte) != (start - mark, end - mark):
        return frozenset()
    return scopes.qualified(node) if _is_name(node) else frozenset()


def _is_name(node: Node) -> bool:
    return node.type in ("identifier", "attribute")


@lru_cache(maxsize=2)
def _read(code: bytes) -> Scopes | None:
    root = parsed(code)
    try:
        return None if root.has_error else Scopes(root)
    except RecursionError:
        return None
