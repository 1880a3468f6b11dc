"""Values of utilities that name each other: each is computed from those that it needs.

Utilities are written by anybody: a chain of 60 that name the next one twice has 2^60 ways
through it, and ten in a circle have more. So each is looked at once; those of a circle
until nothing changes any more. Nothing here recurses: a chain may be long.
"""

from collections.abc import (
    Callable,
    Container,
    Iterable,
    Iterator,
    Mapping,
    MutableMapping,
)
from typing import TypeVar

from astedit.limits import check_deadline

Key = TypeVar("Key")
Value = TypeVar("Value")

_ROUNDS = 4  # through one circle; by then only what grows without end still changes
_LARGEST = 64  # members of a circle; each round through 1,000 that all meet took 0.3 s


def solve(
    start: Key,
    needs: Callable[[Key], Iterable[Key]],
    compute: Callable[[Key], Value],
    values: MutableMapping[Key, Value],
    least: Value,
    unsure: Value,
) -> None:
    """Fills `values` in for `start` and for all that it needs.

    `compute` reads them there, and only those that `needs` lists. A circle begins with
    `least` for each; if it does not come to rest, or is larger than anybody writes, each of
    it is `unsure`, which must be true of anything.
    """
    edges = _edges(start, needs, values)
    for circle in components(edges):
        values.update(dict.fromkeys(circle, least))
        for _ in range(_ROUNDS if len(circle) <= _LARGEST else 0):
            check_deadline()
            before = [values[key] for key in circle]
            for key in circle:
                values[key] = compute(key)
            alone = len(circle) == 1 and circle[0] not in edges[circle[0]]
            if alone or before == [values[key] for key in circle]:
                break
        else:
            values.update(dict.fromkeys(circle, unsure))


def _edges(
    start: Key, needs: Callable[[Key], Iterable[Key]], values: Container[Key]
) -> dict[Key, list[Key]]:
    """What each one needs, of those that are not known yet."""
    edges: dict[Key, list[Key]] = {}
    stack = [start]
    while stack:
        key = stack.pop()
        if key not in edges:
            edges[key] = [other for other in dict.fromkeys(needs(key)) if other not in values]
            stack += edges[key]
    return edges


def components(edges: Mapping[Key, Iterable[Key]]) -> Iterator[list[Key]]:
    """The circles of a graph, and what is in none; each behind all that it needs.

    Tarjan's algorithm: `low` is the earliest that can be reached from each.
    """
    order: dict[Key, int] = {}
    low: dict[Key, int] = {}
    waiting: dict[Key, None] = {}
    for start in edges:
        path = [(start, iter(edges[start]))] if start not in order else []
        while path:
            key, others = path[-1]
            if key not in order:
                order[key] = low[key] = len(order)
                waiting[key] = None
            for other in others:
                if other not in order:
                    path.append((other, iter(edges[other])))
                    break
                if other in waiting:
                    low[key] = min(low[key], order[other])
            else:
                path.pop()
                if path:
                    low[path[-1][0]] = min(low[path[-1][0]], low[key])
                if low[key] == order[key]:
                    yield list(_taken(waiting, key))


def _taken(waiting: dict[Key, None], last: Key) -> Iterator[Key]:
    """Takes what waits away, the latest first, up to and with `last`."""
    while waiting:
        key, _ = waiting.popitem()
        yield key
        if key == last:
            return
