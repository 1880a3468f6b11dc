"""What an expression evidently is: followed through assignments, calls and imports."""

from collections.abc import Iterable, Mapping

from astedit.semantic.facts.expression import (
    BoundName,
    BuiltinValue,
    CallResult,
    ChangedCopy,
    ClassAnnotation,
    ContainerOf,
    DefinedClass,
    DefinedFunction,
    ElementOf,
    EnteredBy,
    Expression,
    FixtureNamed,
    GenericAnnotation,
    Imported,
    InstanceOf,
    MemberOf,
    OneOf,
    OverriddenParameter,
    PassedBy,
    RaisedInfo,
    RequestOf,
    SuperOf,
    TypeOf,
    UnboundName,
)
from astedit.semantic.facts.module_facts import ModuleFacts
from astedit.semantic.inference.fixtures import fixture_for
from astedit.semantic.inference.members import MemberInference
from astedit.semantic.inference.module_paths import ModulePaths
from astedit.semantic.inference.names import stepped
from astedit.semantic.inference.values import (
    COPYING_FUNCTIONS,
    DOUBT,
    NOTHING,
    ClassValue,
    ContainerValue,
    FunctionValue,
    NamedClass,
    OutsideValue,
    QualifiedName,
    RaisedValue,
    RequestValue,
    Values,
    class_of,
    element_of,
    instance_of,
    only,
)

_DEPTH = 60  # steps from one expression to another before it is given up


class Inference(MemberInference):
    """Follows expressions through modules; what it would have to read is in `missing`."""

    def __init__(self, modules: ModulePaths, facts: Mapping[str, ModuleFacts]) -> None:
        super().__init__(modules, facts)
        self._known: dict[tuple[str, Expression], Values] = {}
        self._depth = 0

    def values(self, path: str, expression: Expression | None) -> Values:
        """Everything that `expression`, written in the module at `path`, may evidently be."""
        if expression is None or self._depth > _DEPTH:
            return DOUBT
        key = (path, expression)
        if key in self._known:
            return self._known[key]
        self._known[key] = NOTHING  # what is defined by itself adds nothing
        self._depth += 1
        try:
            values = self._followed(path, expression)
        finally:
            self._depth -= 1
        self._known[key] = values
        return values

    def _followed(self, path: str, expression: Expression) -> Values:
        match expression:
            case MemberOf(value, name):
                return stepped(self.values(path, value), lambda owner: self.member(owner, name))
            case CallResult(callee):
                return stepped(self.values(path, callee), self.called)
            case InstanceOf(annotation):
                return stepped(self.values(path, annotation), instance_of)
            case TypeOf(value):
                return stepped(self.values(path, value), class_of)
            case ElementOf(container):
                return stepped(self.values(path, container), element_of)
            case EnteredBy(manager):
                return stepped(self.values(path, manager), self.entered)
            case OneOf(choices):
                return self.union(path, choices)
            case ContainerOf(elements):
                return only(ContainerValue(self.union(path, elements)))
            case ClassAnnotation(parts):
                return frozenset(NamedClass(value) for value in self.union(path, parts))
            case GenericAnnotation(origin, parts):
                return self._generic(path, origin, parts)
            case ChangedCopy(callee, value):
                return self._copied(path, callee, value)
        return self._named(path, expression)

    def _named(self, path: str, expression: Expression) -> Values:
        """What names lead to: of this module, of others, of pytest's fixtures."""
        match expression:
            case BoundName(name):
                return self.bound(path, name)
            case UnboundName(name):
                return self.starred(path, name)
            case Imported():
                return self.imported(path, expression)
            case DefinedClass(name):
                return only(ClassValue(QualifiedName(path, name)))
            case DefinedFunction(name):
                place = QualifiedName(path, name)
                return only(FunctionValue(place)) | self.decorated(place)
            case BuiltinValue(name):
                return only(OutsideValue(f"builtins.{name}"))
            case SuperOf(owner):
                return self._above(QualifiedName(path, owner))
            case FixtureNamed(name, test):
                fixture = fixture_for(self, QualifiedName(path, test), name)
                return self.returned(fixture) if fixture is not None else DOUBT
            case RequestOf(params):
                return only(RequestValue(self.values(path, params)))
            case RaisedInfo(exception):
                return only(RaisedValue(self.values(path, exception)))
            case PassedBy(decorators, index):
                return self.passed(path, decorators, index)
            case OverriddenParameter(owner, method, index):
                return self.overridden(QualifiedName(path, owner), method, index)
        return DOUBT

    def _above(self, place: QualifiedName) -> Values:
        """What `super()` gives in a class."""
        bases = self.bases(place)
        return stepped(bases, instance_of) if bases else only(OutsideValue("builtins.object"))

    def _generic(
        self, path: str, origin: Expression | None, parts: Iterable[Expression | None]
    ) -> Values:
        """`Box[int]` is the class `Box` of the workspace; any other holds its last part."""
        classes = [v for v in self.values(path, origin) if isinstance(v, ClassValue)]
        elements = self.union(path, parts)
        return frozenset(classes) or only(ContainerValue(elements))

    def _copied(self, path: str, callee: Expression | None, value: Expression | None) -> Values:
        """The class of a value that is copied, if what is called makes changed copies."""
        callees = self.values(path, callee)
        dotted = {each.dotted for each in callees if isinstance(each, OutsideValue)}
        if dotted.isdisjoint(COPYING_FUNCTIONS):
            return callees
        return stepped(self.values(path, value), class_of)
