"""Decorators that may keep what they decorate: a route, a command, a registry."""

from collections.abc import Iterator

from tree_sitter import Node

from astedit.semantic.rename.possible import UsePlace

_PLAIN = frozenset(  # these keep nothing
    b"abstractmethod asynccontextmanager cache cached_property classmethod contextmanager "
    b"dataclass deprecated final lru_cache overload override property setter deleter getter "
    b"staticmethod total_ordering unique wraps".split()
)


def keeping_decorators(path: str, decorated: Node) -> Iterator[UsePlace]:
    """The places of decorators of a definition that may have it used elsewhere."""
    for each in decorated.named_children:
        name = (each.text or b"").strip(b"@").partition(b"(")[0].strip()
        if each.type == "decorator" and name.rpartition(b".")[2] not in _PLAIN:
            why = f"its decorator {name.decode('utf-8', 'replace')} may keep it"
            yield UsePlace(path, each.start_point.row + 1, why)
