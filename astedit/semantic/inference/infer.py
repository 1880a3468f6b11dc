"""What an expression evidently is: followed through assignments, calls, members and fixtures."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping

from astedit.python import expression as ex
from astedit.python.expression import Expression, Imported, InstanceOf
from astedit.python.facts import FunctionFacts, ModuleFacts
from astedit.python.module_paths import ModulePaths, folders_above
from astedit.semantic.inference import values as val
from astedit.semantic.inference.names import ClassInference, member_of, stepped
from astedit.semantic.inference.values import DOUBT, NOTHING, QualifiedName, Value, Values

ENUMERATED = re.compile(r"^enum\.|Choices$")  # a base of a class whose names are its instances
_NUMBERED = val.OutsideValue("enum.auto()")
_DEPTH = 60  # steps from one expression to another before it is given up


class Inference(ClassInference):
    """Follows expressions through modules; what it would have to read is in `missing`."""

    def __init__(self, modules: ModulePaths, facts: Mapping[str, ModuleFacts]) -> None:
        super().__init__(modules, facts)
        self._memo: dict[tuple[str, Expression], Values] = {}
        self._steps: dict[type[Expression], Callable[[Value], Values]] = {
            ex.CallResult: self.called,
            ex.InstanceOf: val.instance_of,
            ex.TypeOf: val.class_of,
            ex.ElementOf: val.element_of,
            ex.EnteredBy: self.entered,
        }
        self._puts: dict[str, list[tuple[QualifiedName, str, Expression | None]]] = {}

    def values(self, path: str, expression: Expression | None) -> Values:
        """Everything that `expression`, written in the module at `path`, may evidently be."""
        if expression is None or self._depth > _DEPTH:
            return DOUBT
        key = (path, expression)
        if key in self._memo:
            return self._memo[key]
        self._memo[key] = NOTHING  # what is defined by itself adds nothing
        self._depth += 1
        try:
            values = self._followed(path, expression)
        finally:
            self._depth -= 1
        self._memo[key] = values
        return values

    def _followed(self, path: str, expression: Expression) -> Values:
        match expression:
            case ex.MemberOf(value, name):
                alone = isinstance(value, ex.SuperOf)
                owners = self.values(path, value)
                return stepped(owners, lambda owner: self.member(owner, name, alone=alone))
            case ex.Derived(value):
                return stepped(self.values(path, value), self._steps[type(expression)])
            case ex.TestedValue(value, kind):
                return self._tested(self.values(path, value), self.values(path, kind))
            case ex.OneOf(choices):
                return self.union(path, choices)
            case ex.ContainerOf(elements) | ex.AddedTo(elements):
                return val.only(val.ContainerValue(self.union(path, elements)))
            case ex.ClassAnnotation(parts):
                return frozenset(val.NamedClass(value) for value in self.union(path, parts))
            case ex.GenericAnnotation(origin, parts):
                return self._generic(path, origin, parts)
            case ex.ChangedCopy(callee, value):
                return self._copied(path, callee, value)
        return self._of_names(path, expression)

    def _of_names(self, path: str, expression: Expression) -> Values:
        """What names lead to: of this module, of others, of pytest's fixtures."""
        match expression:
            case ex.BoundName(name):
                return self.bound(path, name)
            case ex.UnboundName(name):
                return self.starred(path, name)
            case Imported():
                return self.imported(path, expression)
            case ex.DefinedClass(name):
                return val.only(val.ClassValue(QualifiedName(path, name)))
            case ex.DefinedFunction(name):
                return val.only(val.FunctionValue(QualifiedName(path, name)))
            case ex.BuiltinValue(name):
                return val.only(val.OutsideValue(f"builtins.{name}"))
            case ex.SuperOf(owner):
                return self._above(QualifiedName(path, owner))
            case ex.FixtureNamed(name, test):
                fixture = fixture_for(self, QualifiedName(path, test), name)
                return self.returned(fixture) if fixture is not None else DOUBT
            case ex.HolderOf(names, value):
                return val.only(val.HolderValue(names, self.values(path, value)))
            case ex.PassedBy(decorators, index):
                return self.passed(path, decorators, index)
            case ex.OverriddenParameter(owner, method, index):
                return self.overridden(QualifiedName(path, owner), method, index)
        return DOUBT

    def _above(self, place: QualifiedName) -> Values:
        """What `super()` gives in a class: its bases, and those beside it in a class below."""
        outside = val.only(val.OutsideValue("builtins.object"))
        above, heirs = set(self.lineage(place)[0]), self.below(place)
        beside = {base for heir in heirs for base in self.lineage(heir)[0]} - above - {*heirs}
        bases = stepped(self.bases(place), val.instance_of) or outside
        return bases | frozenset(map(val.InstanceValue, beside))

    def _generic(
        self, path: str, origin: Expression | None, parts: Iterable[Expression | None]
    ) -> Values:
        """`Box[int]` is the class `Box` of the workspace; any other holds its last part."""
        classes = [v for v in self.values(path, origin) if isinstance(v, val.ClassValue)]
        return frozenset(classes) or val.only(val.ContainerValue(self.union(path, parts)))

    def _tested(self, known: Values, kinds: Values) -> Values:
        """What is known of a value that is of these kinds: where it is of classes below, those."""
        outside = {k.dotted.removesuffix("()") for k in kinds if isinstance(k, val.OutsideValue)}
        outside = {dotted.removeprefix("builtins.type ") for dotted in outside}
        own = {kind.definition for kind in kinds if isinstance(kind, val.InstanceValue)}
        below = {
            value
            for value in known
            if isinstance(value, val.InstanceValue)
            and (
                own & {*self.lineage(value.definition)[0]}
                or outside & self.outside_bases(value.definition)
            )
        }
        return frozenset(below) if below == known else kinds | below

    def _copied(self, path: str, callee: Expression | None, value: Expression | None) -> Values:
        """The class of a value that is copied, if what is called makes changed copies."""
        callees = self.values(path, callee)
        dotted = {item.dotted for item in callees if isinstance(item, val.OutsideValue)}
        if dotted.isdisjoint(val.COPYING_FUNCTIONS):
            return callees
        return stepped(self.values(path, value), val.class_of)

    # -- steps from one value to another: to its members, and to what a call of it gives ------

    def member(self, value: Value, name: str, *, alone: bool = False) -> Values:
        """What a member of a value is; of a class `alone`, whatever those below it have."""
        match value:
            case val.ModuleValue(path):
                return self.exported(path, name)
            case val.OutsideValue(dotted):
                return (
                    NOTHING
                    if val.lacks(dotted, name)
                    else val.only(val.OutsideValue(f"{dotted}.{name}"))
                )
            case val.ContainerValue() if name in val.CONTAINER_METHODS:
                return val.only(val.ContainerMethod(val.CONTAINER_METHODS[name](value)))
            case val.HolderValue(names, values) if name in names:
                return values
            case val.ClassValue(definition):
                return self._class_member(definition, name, alone=alone)
            case val.InstanceValue(definition):
                return self._instance_member(definition, name, alone=alone)
            case val.FunctionValue(definition) if kinds := self.decorated(definition):
                return stepped(kinds, lambda kind: self.member(kind, name))
        return DOUBT

    def _class_member(self, place: QualifiedName, name: str, *, alone: bool = False) -> Values:
        """What a class or one below it has for a member, and what code elsewhere puts there."""
        definer, _ = self.definer(place, name)
        if name == "__class__" and definer is None:
            return val.only(val.ClassValue(place))
        below = [] if alone else self.definers_below(place, name)
        definers = below if definer is None else [definer, *below]
        members = [member_of(owner, name) for owner in definers]
        own = [(path, value) for path, full in members for value in self.bindings(path, full)]
        values = self.joined([*own, *(() if alone else self._put(place, name))])
        if any(map(ENUMERATED.search, self.outside_bases(place) if values else ())):
            held = {v for v in values if not isinstance(v, val.ClassValue | val.FunctionValue)}
            if held:
                values = (values - held) | (held - {_NUMBERED}) | {val.InstanceValue(place)}
        return DOUBT if not values and definer is None else values

    def _put(self, place: QualifiedName, name: str) -> list[tuple[str, Expression | None]]:
        """What code puts into a member of objects of a class, of one above it or below it."""
        if name not in self._puts:
            self._puts[name] = []
            memo, self._memo = self._memo, {}  # nothing of what is being followed is known yet
            self._puts[name] = [
                (owner.definition, path, put.value)
                for path, facts in [*self.facts.items()]
                for put in facts.puts.get(name, ())
                for owner in self.values(path, put.owner)
                if isinstance(owner, val.ClassValue | val.InstanceValue)
            ]
            self._memo = memo
        related = {*self.lineage(place)[0], *self.below(place)} if self._puts[name] else ()
        return [(path, value) for owner, path, value in self._puts[name] if owner in related]

    def on_the_way(
        self, path: str, value: Expression | None, depth: int = 9
    ) -> Iterator[tuple[QualifiedName, str]]:
        """The classes, and the members of them that tell what a value is without an annotation."""
        inner: Iterable[Expression | None] = ()
        match value if depth else None:
            case ex.BoundName(name):
                inner = self.bindings(path, name)
            case ex.OneOf(parts) | ex.ContainerOf(parts):
                inner = parts
            case ex.Derived(part):
                inner = [part]
            case ex.MemberOf(part, name):
                inner = [part]
                values = self.values(path, part)
                owners = [v for v in values if isinstance(v, val.ClassValue | val.InstanceValue)]
                places = (owner.definition for owner in owners)
                yield from ((place, name) for place in places if not self._is_declared(place, name))
        for part in inner:
            yield from self.on_the_way(path, part, depth - 1)

    def _is_declared(self, place: QualifiedName, name: str) -> bool:
        definer, _ = self.definer(place, name)
        member = member_of(definer or place, name)
        function = self.function_facts(member)
        if function is not None and function.returns is not None:
            return True
        return any(isinstance(value, InstanceOf) for value in self.bindings(*member))

    def _instance_member(self, place: QualifiedName, name: str, *, alone: bool = False) -> Values:
        return stepped(self._class_member(place, name, alone=alone), self._read)

    def _read(self, member: Value) -> Values:
        """A member read from an instance: a property is what it returns."""
        if isinstance(member, val.FunctionValue):
            function = self.function_facts(member.definition)
            if function is not None and function.kind == "property":
                return self.called(member)
        return val.only(member)

    # -- calls -----------------------------------------------------------------------------

    def called(self, value: Value) -> Values:
        """What a call of a value gives."""
        match value:
            case val.ClassValue(definition):
                return val.only(val.InstanceValue(definition))
            case val.InstanceValue(definition):
                return stepped(self._instance_member(definition, "__call__"), self.called)
            case val.FunctionValue(definition):
                return self.returned(definition)
            case val.ContainerValue(elements):  # of a `Callable`: nothing else is called
                return elements
            case val.ContainerMethod(gives):
                return gives
            case val.OutsideValue():
                return val.outside_result(value)
        return DOUBT

    def returned(self, place: QualifiedName) -> Values:
        """What a function returns: by its annotation, or else by its statements."""
        if (function := self.function_facts(place)) is None:
            return DOUBT
        if function.returns is not None:
            return stepped(self.values(place.path, function.returns), val.instance_of)
        values = self.union(place.path, function.results)
        if not function.owner or val.UNKNOWN not in values:
            return values
        return (values - DOUBT) | self._promised(place, function)

    def _promised(self, place: QualifiedName, function: FunctionFacts) -> Values:
        """What the annotation of the nearest method that this one overrides says it returns."""
        method = place.name.rpartition(".")[2]
        for ancestor in self.lineage(QualifiedName(place.path, function.owner))[0][1:]:
            above = self.function_facts(member_of(ancestor, method))
            if above is not None and above.returns is not None:
                return self.values(ancestor.path, InstanceOf(above.returns))
        return DOUBT

    def entered(self, value: Value) -> Values:
        """What `with` binds of a context manager."""
        if isinstance(value, val.ContainerValue):  # a context manager made of a generator
            return val.element_of(value)
        if not isinstance(value, val.InstanceValue):
            return DOUBT
        if self.definer(value.definition, "__enter__")[0] is None:
            return val.only(value)  # then a base class has such a method, by custom
        return stepped(self._instance_member(value.definition, "__enter__"), self.called)

    # -- decorators ------------------------------------------------------------------------

    def decorated(self, place: QualifiedName) -> Values:
        """The instances that decorators make of a function; those of a method are descriptors."""
        function = self.function_facts(place)
        if function is None or function.owner:
            return NOTHING
        results = self.union(place.path, map(ex.CallResult, function.decorators))
        return frozenset(value for value in results if isinstance(value, val.InstanceValue))

    def is_decorated(self, place: QualifiedName) -> bool:
        """Whether a function may have become something else, with members of its own."""
        function = self.function_facts(place)
        kinds = ("function", "method")
        return function is not None and function.kind in kinds and bool(function.decorators)

    def passed(self, path: str, decorators: tuple[Expression | None, ...], index: int) -> Values:
        """By the annotation of the innermost decorator that says what it calls with."""
        for decorator in decorators:
            for value in self.values(path, decorator):
                if not isinstance(value, val.FunctionValue):
                    continue
                function = self.function_facts(value.definition)
                if function is not None and function.takes[index : index + 1]:
                    return self.values(value.definition.path, ex.InstanceOf(function.takes[index]))
        return DOUBT

    def overridden(self, owner: QualifiedName, method: str, index: int) -> Values:
        """What the nearest ancestor's method of this name says of its parameter."""
        for ancestor in self.lineage(owner)[0][1:]:
            place = member_of(ancestor, method)
            function = self.function_facts(place)
            if function is not None and index < len(function.parameters):
                return self.bound(place.path, f"{place.name}.{function.parameters[index]}")
        return DOUBT


def fixture_for(inference: ClassInference, test: QualifiedName, name: str) -> QualifiedName | None:
    """The fixture that fills the parameter `name` of the function `test`; None if unknown.

    A fixture that asks for another of its own name means the next one outwards.
    """
    function = inference.function_facts(test)
    owner = function.owner if function is not None else ""
    for place in _candidates(inference, QualifiedName(test.path, owner), name):
        if place != test:
            facts = inference.function_facts(place)
            return place if facts is not None and facts.fixture else None
    return None


def _candidates(
    inference: ClassInference, owner: QualifiedName, name: str
) -> Iterator[QualifiedName]:
    """What is called `name` in the class, the module and the conftests around."""
    definer = inference.definer(owner, name)[0] if owner.name else None
    if definer is not None:
        yield member_of(definer, name)
    for path in (owner.path, *_conftests(inference, owner.path)):
        facts = inference.need(path)
        if facts is not None and name in facts.functions:
            yield QualifiedName(path, name)
        elif facts is not None and name in facts.bindings:
            values = inference.bound(path, name)  # imported
            yield from sorted(v.definition for v in values if isinstance(v, val.FunctionValue))


def _conftests(inference: ClassInference, path: str) -> Iterator[str]:
    for folder in folders_above(path):
        conftest = inference.modules.at(folder, ["conftest"])
        if conftest is not None and conftest != path:
            yield conftest
