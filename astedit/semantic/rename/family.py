"""The classes whose member a rename means, and what else may have to answer to it."""

from collections.abc import Iterable

from astedit.semantic.inference.infer import Evidence
from astedit.semantic.inference.values import Place

_PLAIN_BASES = frozenset(
    "object type object Exception ABC Generic Protocol NamedTuple TypedDict Enum".split()  # noqa: SIM905
)


def related(evidence: Evidence, owners: Iterable[Place], member: str) -> set[Place]:
    """The given classes, and those above and below them that define the member as well."""
    definers = {
        (path, name)
        for path, facts in list(evidence.facts.items())
        for name in facts.classes
        if f"{name}.{member}" in facts.bindings
    }
    above = {one: set(evidence.lineage(one)[0]) & definers for one in definers}
    family = set(owners)
    while True:
        more = {one for one in definers if above[one] & family}
        more |= {base for one in family & definers for base in above[one]}
        if more <= family:
            return family
        family |= more


def outside(evidence: Evidence, family: Iterable[Place]) -> set[str]:
    """Base classes of a family that nothing in the workspace defines, the plain ones aside."""
    found = {base for one in family for base in evidence.outside_bases(one)}
    return {base for base in found if base.rpartition(".")[2] not in _PLAIN_BASES}


def answers(evidence: Evidence, place: Place, family: Iterable[Place]) -> bool:
    """Whether a class fits a protocol of the family, or is one that the family fits."""
    protocols = [one for one in family if _is_protocol(evidence, one)]
    if _is_protocol(evidence, place):
        return any(_members(evidence, place) <= _members(evidence, one) for one in family)
    return any(_members(evidence, one) <= _members(evidence, place) for one in protocols)


def _is_protocol(evidence: Evidence, place: Place) -> bool:
    return any(base.rpartition(".")[2] == "Protocol" for base in evidence.outside_bases(place))


def _members(evidence: Evidence, place: Place) -> set[str]:
    found = set()
    for path, owner in evidence.lineage(place)[0]:
        facts = evidence.need(path)
        names = facts.bindings if facts is not None else ()
        rest = (name.removeprefix(f"{owner}.") for name in names if name.startswith(f"{owner}."))
        found |= {name for name in rest if "." not in name}
    return found
