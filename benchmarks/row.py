"""What a row is: commands that do the same work, and what is asked of ours."""

from collections.abc import Callable
from dataclasses import dataclass, field

from benchmarks.commands import Place
from benchmarks.measure import Command
from benchmarks.targets import Target


@dataclass(frozen=True)
class Row:
    """Commands that do the same work, and what is asked of ours; `slow` ones run once."""

    commands: dict[str, Command]
    targets: list[Target]
    slow: frozenset[str] = field(default_factory=frozenset)


Make = Callable[[Place], Row]
