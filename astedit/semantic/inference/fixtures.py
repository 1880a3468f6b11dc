"""Which fixture pytest passes for a parameter: that of its name, the nearest one first."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from astedit.semantic.inference.infer import Evidence
    from astedit.semantic.inference.values import Place


def named(evidence: "Evidence", path: str, test: str, name: str) -> "Place | None":
    """The fixture that fills the parameter `name` of the function `test`; None if unknown.

    A fixture that asks for one of its own name means the next one outwards.
    """
    facts = evidence.need(path)
    function = facts.functions.get(test) if facts is not None else None
    owner = function.owner if function is not None else ""
    for place in _candidates(evidence, path, owner, name):
        if place != (path, test):
            return place if _is_fixture(evidence, place) else None
    return None


def _is_fixture(evidence: "Evidence", place: "Place") -> bool:
    facts = evidence.need(place[0])
    return facts is not None and place[1] in facts.functions and facts.functions[place[1]].fixture


def _candidates(evidence: "Evidence", path: str, owner: str, name: str) -> Iterator["Place"]:
    """What is called `name` in the class, the module and the conftests around."""
    definer = evidence.definer((path, owner), name)[0] if owner else None
    if definer is not None:
        yield definer[0], f"{definer[1]}.{name}"
    for where in (path, *_conftests(evidence, path)):
        facts = evidence.need(where)
        if facts is not None and name in facts.functions:
            yield where, name
        elif facts is not None and name in facts.bindings:
            for thing in sorted(evidence.bound(where, name), key=str):
                if thing[0] == "function":  # imported
                    yield str(thing[1]), str(thing[2])


def _conftests(evidence: "Evidence", path: str) -> Iterator[str]:
    folders = path.split("/")[:-1]
    for depth in range(len(folders), -1, -1):
        found = evidence.modules.at("/".join(folders[:depth]), ["conftest"])
        if found is not None and found != path:
            yield found
