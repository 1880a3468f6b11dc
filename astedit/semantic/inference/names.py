"""What the names of modules are bound to, through imports and star imports."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping

from astedit.semantic.facts.expression import Expression, Imported
from astedit.semantic.facts.module_facts import ClassFacts, FunctionFacts, ModuleFacts
from astedit.semantic.inference.module_paths import ModulePaths
from astedit.semantic.inference.values import (
    DOUBT,
    NOTHING,
    ModuleValue,
    OutsideValue,
    QualifiedName,
    Value,
    Values,
    only,
)


class NameInference(ABC):
    """Follows names through modules; what it would have to read is in `missing`."""

    def __init__(self, modules: ModulePaths, facts: Mapping[str, ModuleFacts]) -> None:
        self.modules = modules
        self.facts = facts
        self.missing: set[str] = set()
        self._exported: dict[QualifiedName, Values] = {}

    @abstractmethod
    def values(self, path: str, expression: Expression | None) -> Values:
        """Everything that `expression`, written in the module at `path`, may evidently be."""

    def union(self, path: str, expressions: Iterable[Expression | None]) -> Values:
        """Everything that one of these expressions may be."""
        return NOTHING.union(*(self.values(path, expression) for expression in expressions))

    def need(self, path: str) -> ModuleFacts | None:
        """A module's facts; None, and noted as missing, if it has not been read."""
        facts = self.facts.get(path)
        if facts is None:
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

    def bound(self, path: str, name: str) -> Values:
        """What a name that is bound in a module may be."""
        facts = self.need(path)
        if facts is None or name not in facts.bindings:
            return DOUBT
        return self.union(path, facts.bindings[name])

    def imported(self, path: str, source: Imported) -> Values:
        """What an import in the module at `path` brings."""
        name = source.name
        module = self.modules.find(path, source.level, source.module)
        if module is None:
            dotted = f"{source.module}.{name}" if name else source.module
            return DOUBT if source.level else only(OutsideValue(dotted))
        if name is None:
            return only(ModuleValue(module))
        own = self.modules.inside(module, name) if module == path else None
        return only(ModuleValue(own)) if own is not None else self.exported(module, name)

    def exported(self, module: str, name: str) -> Values:
        """What `name` is in a module: bound there, star-imported, or a submodule."""
        facts = None if module.endswith("/") else self.need(module)
        if facts is not None and name in facts.bindings:
            return self.bound(module, name)
        inside = self.modules.inside(module, name)
        if inside is not None:
            return only(ModuleValue(inside))
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
        return DOUBT if inner is None else only(ModuleValue(inner))

    def _brought(self, module: str, name: str) -> Values:
        key = QualifiedName(module, name)
        if key not in self._exported:
            self._exported[key] = NOTHING  # a cycle of star imports
            self._exported[key] = self.exported(module, name)
        return self._exported[key] - DOUBT


def stepped(values: Iterable[Value], step: Callable[[Value], Values]) -> Values:
    """Where a step leads from each of these values."""
    return NOTHING.union(*(step(value) for value in values))
