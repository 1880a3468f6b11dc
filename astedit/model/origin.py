"""Where a plan was made, and what the configuration of that moment left to a person."""

from collections.abc import Sequence
from typing import Any, NamedTuple, Self


class PlanOrigin(NamedTuple):
    """The directory that a path led to, and the policy there, when a plan was made.

    `device` tells directories apart only as long as `boot` is the same: it may be numbered
    anew when the machine starts.
    """

    inode: int
    device: int
    boot: str
    policy: str
    human_paths: tuple[str, ...]

    @classmethod
    def restored(cls, row: Sequence[Any] | None) -> Self | None:
        """Reads a stored one; what an earlier version staged has none."""
        return None if row is None else cls._make([*row[:-1], tuple(row[-1])])
