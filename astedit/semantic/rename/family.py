"""The classes whose member a rename means, and what else may have to answer to it."""

from collections.abc import Iterable

from astedit.semantic.inference.classes import ClassInference, member_of
from astedit.semantic.inference.values import QualifiedName

_PLAIN_BASES = frozenset(
    "object type object Exception ABC Generic Protocol NamedTuple TypedDict Enum".split()  # noqa: SIM905
)


def related(
    inference: ClassInference, owners: Iterable[QualifiedName], member: str
) -> set[QualifiedName]:
    """These classes, and those above and below them that define the member as well."""
    definers = {place for place in inference.classes() if inference.binds(member_of(place, member))}
    above = {place: set(inference.lineage(place)[0]) & definers for place in definers}
    family = set(owners)
    while True:
        more = {place for place in definers if above[place] & family}
        more |= {base for place in family & definers for base in above[place]}
        if more <= family:
            return family
        family |= more


def outside(inference: ClassInference, family: Iterable[QualifiedName]) -> set[str]:
    """Base classes of a family that nothing in the workspace defines, the plain ones aside."""
    bases = {base for place in family for base in inference.outside_bases(place)}
    return {base for base in bases if base.rpartition(".")[2] not in _PLAIN_BASES}


def answers(
    inference: ClassInference, place: QualifiedName, family: Iterable[QualifiedName]
) -> bool:
    """Whether a class fits a protocol of the family, or is a protocol that the family fits."""
    members = _members(inference, place)
    if _is_protocol(inference, place):
        return any(members <= _members(inference, relative) for relative in family)
    protocols = [relative for relative in family if _is_protocol(inference, relative)]
    return any(_members(inference, protocol) <= members for protocol in protocols)


def _is_protocol(inference: ClassInference, place: QualifiedName) -> bool:
    bases = inference.outside_bases(place)
    return any(base.rpartition(".")[2] == "Protocol" for base in bases)


def _members(inference: ClassInference, place: QualifiedName) -> set[str]:
    """The names of a class's members, inherited ones included."""
    members = set()
    for path, owner in inference.lineage(place)[0]:
        facts = inference.need(path)
        names = facts.bindings if facts is not None else ()
        rest = (name.removeprefix(f"{owner}.") for name in names if name.startswith(f"{owner}."))
        members |= {name for name in rest if "." not in name}
    return members
