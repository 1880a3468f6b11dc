"""The classes of a workspace: what they derive from, and which of them has a member."""

from astedit.semantic.facts.expression import ElementOf
from astedit.semantic.inference.names import NameInference
from astedit.semantic.inference.values import (
    DOUBT,
    UNKNOWN,
    ClassValue,
    OutsideValue,
    QualifiedName,
    Values,
)


class ClassInference(NameInference):
    """Follows classes to their ancestors, and to those that derive from them."""

    _heirs: dict[QualifiedName, list[QualifiedName]] | None = None

    def lineage(self, place: QualifiedName) -> tuple[list[QualifiedName], bool]:
        """A class and its ancestors, nearest first; and whether all of them are known."""
        order: list[QualifiedName] = []
        complete = True
        waiting = [place]
        while waiting:
            nearest = waiting.pop(0)
            if nearest in order:
                continue
            order.append(nearest)
            above = self.bases(nearest)
            complete &= UNKNOWN not in above
            waiting += sorted(base.definition for base in above if isinstance(base, ClassValue))
        return order, complete

    def bases(self, place: QualifiedName) -> Values:
        """What a class directly derives from. Of `Generic[T]` that is `Generic`."""
        facts = self.class_facts(place)
        if facts is None:
            return DOUBT
        plain = (base.container if isinstance(base, ElementOf) else base for base in facts.bases)
        return self.union(place.path, plain)

    def below(self, place: QualifiedName) -> list[QualifiedName]:
        """The classes that derive from this class, of those that have been read."""
        if self._heirs is None:
            self._heirs = {}
            for heir in self.classes():
                for ancestor in self.lineage(heir)[0][1:]:
                    self._heirs.setdefault(ancestor, []).append(heir)
        return self._heirs.get(place, [])

    def classes(self) -> list[QualifiedName]:
        """Every class that has been read."""
        modules = list(self.facts.items())
        return [QualifiedName(path, name) for path, facts in modules for name in facts.classes]

    def outside_bases(self, place: QualifiedName) -> set[str]:
        """The ancestors of a class that the workspace does not define."""
        above = [base for ancestor in self.lineage(place)[0] for base in self.bases(ancestor)]
        dotted = (base.dotted for base in above if isinstance(base, OutsideValue))
        return {name.removeprefix("builtins.type ") for name in dotted}

    def definer(self, place: QualifiedName, member: str) -> tuple[QualifiedName | None, bool]:
        """The class that gives `place` this member; and whether the answer is certain."""
        order, complete = self.lineage(place)
        for ancestor in order:
            if self.binds(member_of(ancestor, member)):
                return ancestor, True
        return None, complete


def member_of(place: QualifiedName, member: str) -> QualifiedName:
    """The name of a class's member."""
    return QualifiedName(place.path, f"{place.name}.{member}")
