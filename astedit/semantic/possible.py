"""Uses that a rename may have to change and does not: how they are listed and counted."""

from collections.abc import Iterable, Sequence

_LEFT = "not changed: "


def listed(name: str, places: Sequence[tuple[str, int, str]]) -> list[str]:
    """The hints about every such use of `name`, each a path, a line and why; how many first."""
    if not places:
        return []
    head = f"{counted(len(places))} of {name!r} not changed; look at each before you apply:"
    each = (f"{path}:{line}: {name} may be this one ({why})" for path, line, why in places)
    return [head, *(_LEFT + one for one in each)]


def count(hints: Iterable[str]) -> int:
    """How many uses the hints of a plan list."""
    return sum(hint.startswith(_LEFT) for hint in hints)


def counted(number: int) -> str:
    """`1 possible use`, `7 possible uses`."""
    return f"{number} possible use{'' if number == 1 else 's'}"
