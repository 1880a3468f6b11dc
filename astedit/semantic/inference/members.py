"""What members, calls and `with` statements give."""

from astedit.semantic.facts.expression import CallResult, Expression, InstanceOf
from astedit.semantic.inference.classes import ClassInference, member_of
from astedit.semantic.inference.names import stepped
from astedit.semantic.inference.values import (
    CONTAINER_METHODS,
    DOUBT,
    NOTHING,
    ClassValue,
    ContainerMethod,
    ContainerValue,
    FunctionValue,
    InstanceValue,
    ModuleValue,
    OutsideValue,
    QualifiedName,
    RaisedValue,
    RequestValue,
    Value,
    Values,
    element_of,
    instance_of,
    lacks,
    method_result,
    only,
    outside_result,
)


class MemberInference(ClassInference):
    """Steps from one value to another: to its members, and to what a call of it gives."""

    def member(self, value: Value, name: str) -> Values:
        """What a member of a value is."""
        match value:
            case ModuleValue(path):
                return self.exported(path, name)
            case OutsideValue(dotted):
                return NOTHING if lacks(dotted, name) else only(OutsideValue(f"{dotted}.{name}"))
            case ContainerValue() if name in CONTAINER_METHODS:
                return only(ContainerMethod(CONTAINER_METHODS[name], value))
            case RequestValue(params) if name == "param":
                return params
            case RaisedValue(exceptions) if name in ("value", "exception"):
                return stepped(exceptions, instance_of)
            case ClassValue(definition):
                return self._class_member(definition, name)
            case InstanceValue(definition):
                return self._instance_member(definition, name)
        return DOUBT

    def _class_member(self, place: QualifiedName, name: str) -> Values:
        """What a class has for a member; where it has None or nothing, what a class below has."""
        definer, _ = self.definer(place, name)
        if name == "__class__" and definer is None:
            return only(ClassValue(place))
        values = self.bound(definer.path, f"{definer.name}.{name}") if definer else NOTHING
        if not values:
            below = [member_of(heir, name) for heir in self.below(place) if heir != definer]
            values = NOTHING.union(*(self.bound(*heir) for heir in below if self.binds(heir)))
        return DOUBT if not values and definer is None else values

    def _instance_member(self, place: QualifiedName, name: str) -> Values:
        return stepped(self._class_member(place, name), self._read)

    def _read(self, member: Value) -> Values:
        """A member read from an instance: a property is what it returns."""
        if isinstance(member, FunctionValue):
            facts = self.facts.get(member.definition.path)
            function = facts.functions.get(member.definition.name) if facts is not None else None
            if function is not None and function.kind == "property":
                return self.called(member)
        return only(member)

    # -- calls -----------------------------------------------------------------------------

    def called(self, value: Value) -> Values:
        """What a call of a value gives."""
        match value:
            case ClassValue(definition):
                return only(InstanceValue(definition))
            case InstanceValue(definition):
                return stepped(self._instance_member(definition, "__call__"), self.called)
            case FunctionValue(definition):
                return self.returned(definition)
            case ContainerValue(elements):  # of a `Callable`: nothing else is called
                return elements
            case ContainerMethod():
                return method_result(value)
            case OutsideValue():
                return outside_result(value)
        return DOUBT

    def returned(self, place: QualifiedName) -> Values:
        """What a function returns: by its annotation, or else by its statements."""
        function = self.function_facts(place)
        if function is None:
            return DOUBT
        if function.returns is not None:
            return stepped(self.values(place.path, function.returns), instance_of)
        return self.union(place.path, function.results)

    def entered(self, value: Value) -> Values:
        """What `with` binds of a context manager."""
        if isinstance(value, ContainerValue):  # a context manager made of a generator
            return element_of(value)
        if not isinstance(value, InstanceValue):
            return DOUBT
        if self.definer(value.definition, "__enter__")[0] is None:
            return only(value)  # then a base class has such a method, by custom
        return stepped(self._instance_member(value.definition, "__enter__"), self.called)

    # -- decorators ------------------------------------------------------------------------

    def decorated(self, place: QualifiedName) -> Values:
        """The instances that decorators make of a function; a member's are descriptors."""
        function = self.function_facts(place)
        if function is None or function.owner:
            return NOTHING
        made = self.union(place.path, (CallResult(each) for each in function.decorators))
        return frozenset(value for value in made if isinstance(value, InstanceValue))

    def is_decorated(self, place: QualifiedName) -> bool:
        """Whether a function may have become something else, with members of its own."""
        function = self.function_facts(place)
        if function is None or function.kind not in ("function", "method"):
            return False
        return bool(function.decorators)

    def passed(self, path: str, decorators: tuple[Expression | None, ...], index: int) -> Values:
        """By the annotation of the innermost decorator that says what it calls with."""
        for decorator in decorators:
            for value in self.values(path, decorator):
                if not isinstance(value, FunctionValue):
                    continue
                function = self.function_facts(value.definition)
                if function is not None and function.takes[index : index + 1]:
                    return self.values(value.definition.path, InstanceOf(function.takes[index]))
        return DOUBT

    def overridden(self, owner: QualifiedName, method: str, index: int) -> Values:
        """What the nearest ancestor's method of this name says of its parameter."""
        for ancestor in self.lineage(owner)[0][1:]:
            place = member_of(ancestor, method)
            function = self.function_facts(place)
            if function is not None and index < len(function.parameters):
                return self.bound(place.path, f"{place.name}.{function.parameters[index]}")
        return DOUBT
