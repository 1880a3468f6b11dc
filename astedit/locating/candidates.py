"""The nodes that an identifier may mean, of whatever kind."""

from typing import NamedTuple

from astedit.locating.inventory.inventory import Look
from astedit.locating.result import Candidate


class MeantNodes(NamedTuple):
    """Nodes that an identifier may mean, and the look at the tree that showed them."""

    nodes: list[Candidate]
    look: Look
