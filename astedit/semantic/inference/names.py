"""What the names of modules are bound to, and what classes derive from and have."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence

from astedit.python.expression import (
    AddedTo,
    BoundName,
    ElementOf,
    Expression,
    Imported,
    InstanceOf,
    OneOf,
)
from astedit.python.facts import ClassFacts, FunctionFacts, ModuleFacts
from astedit.python.module_paths import ModulePaths
from astedit.semantic.inference import values as val
from astedit.semantic.inference.values import DOUBT, NOTHING, QualifiedName, Value, Values


class ClassInference(ABC):
    """Follows names through modules, and classes to those above and below them.

    What it would have to read is in `missing`.
    """

    _heirs: dict[QualifiedName, list[QualifiedName]] | None = None

    def __init__(self, modules: ModulePaths, facts: Mapping[str, ModuleFacts]) -> None:
        self.modules = modules
        self.facts = facts
        self.missing: set[str] = set()
        self._exported: dict[QualifiedName, Values] = {}
        self._depth = 0  # of what is being followed
        self._lineages: dict[QualifiedName, tuple[list[QualifiedName], bool]] = {}
        self._outside: dict[QualifiedName, frozenset[str]] = {}
        self._definers: dict[QualifiedName, list[QualifiedName]] = {}

    @abstractmethod
    def values(self, path: str, expression: Expression | None) -> Values:
        """Everything that `expression`, written in the module at `path`, may evidently be."""

    def union(self, path: str, expressions: Iterable[Expression | None]) -> Values:
        """Everything that one of these expressions may be."""
        return NOTHING.union(*(self.values(path, expression) for expression in expressions))

    def need(self, path: str) -> ModuleFacts | None:
        """A module's facts; None, and noted as missing, if it has not been read."""
        if (facts := self.facts.get(path)) is None:
            self.missing.add(path)
        return facts

    def class_facts(self, definition: QualifiedName) -> ClassFacts | None:
        """What is known of a class; None of anything else."""
        facts = self.need(definition.path)
        return facts.classes.get(definition.name) if facts is not None else None

    def function_facts(self, definition: QualifiedName) -> FunctionFacts | None:
        """What is known of a function; None of anything else."""
        facts = self.need(definition.path)
        return facts.functions.get(definition.name) if facts is not None else None

    def binds(self, definition: QualifiedName) -> bool:
        """Whether a module binds that name."""
        facts = self.need(definition.path)
        return facts is not None and definition.name in facts.bindings

    def members_of(self, place: QualifiedName) -> set[str]:
        """The names of the members that a class itself binds."""
        facts, prefix = self.need(place.path), f"{place.name}."
        names = facts.bindings if facts is not None else ()
        rest = (name.removeprefix(prefix) for name in names if name.startswith(prefix))
        return {name for name in rest if "." not in name}

    def bound(self, path: str, name: str) -> Values:
        """What a name that is bound in a module may be."""
        return self.joined([(path, value) for value in self.bindings(path, name)])

    def bindings(self, path: str, name: str) -> Sequence[Expression | None]:
        """What a module binds a name to; something unknown if it does not."""
        facts = self.need(path)
        return facts.bindings.get(name, (None,)) if facts is not None else (None,)

    def may_be_none(self, path: str, value: Expression | None, seen: Sequence[str] = ()) -> bool:
        """Whether what is bound or annotated says of a value that it may be None."""
        match value:
            case OneOf(parts):
                return not parts or any(self.may_be_none(path, part, seen) for part in parts)
            case InstanceOf(annotation):
                return self.may_be_none(path, annotation, seen)
            case BoundName(name) if name not in seen:
                values = self.bindings(path, name)
                return any(self.may_be_none(path, item, (*seen, name)) for item in values)
        return False

    def joined(self, bindings: Sequence[tuple[str, Expression | None]]) -> Values:
        """What one name is that has these bindings, each with the path of its module.

        A declaration says what is not evident of the others. What is added to a container
        counts if something else is in it: one that is filled elsewhere says nothing.
        """
        values = [(value, self.values(path, value)) for path, value in bindings]
        every = NOTHING.union(*(part for value, part in values if not isinstance(value, AddedTo)))
        if any(isinstance(value, val.ContainerValue) and value.elements for value in every):
            every = every.union(*(part for _, part in values))
        declared = NOTHING.union(*(part for value, part in values if isinstance(value, InstanceOf)))
        if not declared or any(map(val.is_doubtful, declared)):
            return every
        return frozenset(value for value in every if not val.is_doubtful(value))

    def imported(self, path: str, source: Imported) -> Values:
        """What an import in the module at `path` brings."""
        name = source.name
        module = self.modules.find(path, source.level, source.module)
        if module is None:
            dotted = f"{source.module}.{name}" if name else source.module
            return DOUBT if source.level else val.only(val.OutsideValue(dotted))
        if name is None:
            return val.only(val.ModuleValue(module))
        own = self.modules.inside(module, name) if module == path else None
        return val.only(val.ModuleValue(own)) if own is not None else self.exported(module, name)

    def exported(self, module: str, name: str) -> Values:
        """What `name` is in a module: bound there, star-imported, or a submodule."""
        facts = None if module.endswith("/") else self.need(module)
        if facts is not None and name in facts.bindings:
            return self.bound(module, name)
        if (inside := self.modules.inside(module, name)) is not None:
            return val.only(val.ModuleValue(inside))
        return self.starred(module, name) if facts is not None else DOUBT

    def starred(self, path: str, name: str) -> Values:
        """What a star import of a module brings under this name, the first one that has it.

        In a package it may be a module of it: to import that one binds its name there.
        """
        facts = self.need(path)
        for star in facts.stars if facts is not None else ():
            module = self.modules.find(path, star.level, star.module)
            if module is not None and module != path and (values := self._brought(module, name)):
                return values
        inner = self.modules.inside(path, name)
        return DOUBT if inner is None else val.only(val.ModuleValue(inner))

    def _brought(self, module: str, name: str) -> Values:
        key = QualifiedName(module, name)
        if key not in self._exported:
            self._exported[key] = NOTHING  # a cycle of star imports
            self._exported[key] = self.exported(module, name)
        return self._exported[key] - DOUBT

    # -- classes ---------------------------------------------------------------------------

    def lineage(self, place: QualifiedName) -> tuple[list[QualifiedName], bool]:
        """A class and its ancestors, nearest first; and whether all of them are known."""
        if place in self._lineages:
            return self._lineages[place]
        order: list[QualifiedName] = []
        complete = True
        waiting = [place]
        while waiting:
            nearest = waiting.pop(0)
            if nearest in order:
                continue
            order.append(nearest)
            above = self.bases(nearest)
            complete &= val.UNKNOWN not in above
            waiting += sorted(base.definition for base in above if isinstance(base, val.ClassValue))
        if not self._depth:  # else something on the way may not be known yet
            self._lineages[place] = order, complete
        return order, complete

    def bases(self, place: QualifiedName) -> Values:
        """What a class directly derives from. Of `Generic[T]` that is `Generic`."""
        if (facts := self.class_facts(place)) is None:
            return DOUBT
        plain = (base.value if isinstance(base, ElementOf) else base for base in facts.bases)
        return self.union(place.path, plain)

    def below(self, place: QualifiedName) -> list[QualifiedName]:
        """The classes that derive from this class, of those that have been read."""
        if self._heirs is None:
            self._heirs = {}
            for heir in self.classes():
                for ancestor in self.lineage(heir)[0][1:]:
                    self._heirs.setdefault(ancestor, []).append(heir)
        return self._heirs.get(place, [])

    def definers_below(self, place: QualifiedName, member: str) -> list[QualifiedName]:
        """The classes below a class that bind a member for themselves."""
        key = member_of(place, member)
        if key not in self._definers:
            heirs = self.below(place)
            self._definers[key] = [heir for heir in heirs if self.binds(member_of(heir, member))]
        return self._definers[key]

    def classes(self) -> list[QualifiedName]:
        """Every class that has been read."""
        modules = list(self.facts.items())
        return [QualifiedName(path, name) for path, facts in modules for name in facts.classes]

    def outside_bases(self, place: QualifiedName) -> frozenset[str]:
        """The ancestors of a class that the workspace does not define."""
        if place not in self._outside:
            above = [base for ancestor in self.lineage(place)[0] for base in self.bases(ancestor)]
            dotted = (base.dotted for base in above if isinstance(base, val.OutsideValue))
            names = frozenset(name.removeprefix("builtins.type ") for name in dotted)
            self._outside[place] = names  # a common method asks a hundred thousand times
        return self._outside[place]

    def definer(self, place: QualifiedName, member: str) -> tuple[QualifiedName | None, bool]:
        """The class that gives `place` this member; and whether the answer is certain."""
        order, complete = self.lineage(place)
        for ancestor in order:
            if self.binds(member_of(ancestor, member)):
                return ancestor, True
        return None, complete


def stepped(values: Iterable[Value], step: Callable[[Value], Values]) -> Values:
    """Where a step leads from each of these values."""
    return NOTHING.union(*(step(value) for value in values))


def member_of(place: QualifiedName, member: str) -> QualifiedName:
    """The name of a class's member."""
    return QualifiedName(place.path, f"{place.name}.{member}")
