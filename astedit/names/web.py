"""Routes and clients by identifier. (spec: locate.md sections 5 and 6)"""

from collections.abc import Sequence

from astedit.names.envelope import Candidate
from astedit.names.identifier import Identifier
from astedit.names.tree import Found, Tree


def candidates(
    tree: Tree, parsed: Identifier, kinds: Sequence[str]
) -> tuple[list[Candidate], Found]:
    """The routes and clients that an identifier may mean."""
    return [], Found()


def near_misses(tree: Tree, parsed: Identifier) -> str | None:
    """Registered routes that differ a little from the one asked for."""
    return None
