"""What is asked of our command, given what was measured beside it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from benchmarks.measure import Measured

Results = Mapping[str, Measured]
OURS = "astedit"


@dataclass(frozen=True)
class Target:
    """A number, the limit it is held to, and on which side of it we want to be.

    `beside` names the commands that ours is compared with.
    """

    text: str
    beside: tuple[str, ...]
    value: Callable[[Results], float]
    limit: float
    more: bool = True

    def met(self, results: Results) -> bool:
        """Is the target reached?"""
        value = self.value(results)
        return value >= self.limit if self.more else value <= self.limit


def faster(peer: str, limit: float) -> Target:
    """At least so many times as fast as a peer."""

    def value(results: Results) -> float:
        return results[peer].seconds / results[OURS].seconds

    return Target(f">= {limit:g}x as fast", (peer,), value, limit)


def at_most(limit: float, *peers: str, extra: float = 0.0) -> Target:
    """At most so many times as long as the peers together, after `extra` seconds."""

    def value(results: Results) -> float:
        together = sum(results[peer].seconds for peer in peers)
        return (results[OURS].seconds - extra) / together

    more = f" plus {extra * 1000:g} ms" if extra else ""
    return Target(f"<= {limit:g}x{more}", peers, value, limit, more=False)


def within(limit: float) -> Target:
    """At most so many seconds."""
    return Target(f"<= {limit:g} s", (), lambda results: results[OURS].seconds, limit, False)


def memory(limit: float = 400.0) -> Target:
    """At most so many megabytes over all processes."""
    return Target(f"<= {limit:g} MB", (), lambda results: results[OURS].megabytes, limit, False)


def no_more_memory(peer: str, limit: float = 1.5) -> Target:
    """At most so many times the memory of a peer."""

    def value(results: Results) -> float:
        return results[OURS].megabytes / results[peer].megabytes

    return Target(f"<= {limit:g}x the memory", (peer,), value, limit, more=False)
