"""What a Python module defines, and what its names hold: a visitor that fills in its facts."""

import re
from collections.abc import Sequence

import libcst as cst
from libcst.metadata import (
    Assignment,
    ClassScope,
    ComprehensionScope,
    FunctionScope,
    GlobalScope,
    ImportAssignment,
)

from astedit.semantic.facts.decorators import PassedValues, called_with, is_fixture
from astedit.semantic.facts.expression import (
    BoundName,
    ContainerOf,
    DefinedClass,
    DefinedFunction,
    ElementOf,
    EnteredBy,
    Expression,
    FixtureNamed,
    InstanceOf,
    OneOf,
    RaisedInfo,
)
from astedit.semantic.facts.expression_reader import ExpressionReader
from astedit.semantic.facts.module_facts import ClassFacts, FunctionFacts, ModuleFacts
from astedit.semantic.facts.narrowing import Narrowing
from astedit.semantic.facts.scopes import Scopes, dotted, imported

_FIELDED = re.compile(
    r"(^|\.)(dataclass|dataclass_transform|attrs|define|frozen|mutable|s|attributes)$"
)
_FIELDED_BASES = ("NamedTuple", "TypedDict", "BaseModel")
_DESCRIPTORS = ("property", "cached_property", "getter", "setter", "deleter")
_RAISES = ("raises", "assertRaises", "assertRaisesRegex")


class DefinitionReader(Narrowing):
    """Visits one module; call `bind` when that is done."""

    def __init__(self, scopes: Scopes) -> None:
        self._classes: list[str] = []
        super().__init__(ExpressionReader(scopes, self._classes))
        self.facts = ModuleFacts()
        self.scopes = scopes
        self.prefix: list[str] = []
        self._values: dict[cst.CSTNode, Expression | None] = {}
        self._functions: list[tuple[str, cst.FunctionDef]] = []

    def listed(self, name: str, value: cst.BaseExpression) -> None:
        """Called with everything that is assigned to a name."""

    def visit_ClassDef(self, node: cst.ClassDef) -> None:
        name = "".join(self.prefix) + node.name.value
        facts = self.facts.classes.setdefault(name, ClassFacts())
        facts.bases += [self.expressions.of(base.value) for base in node.bases if not base.star]
        facts.fielded |= _is_fielded(node)
        self.prefix.append(f"{node.name.value}.")
        self._classes.append(name)

    def leave_ClassDef(self, original_node: cst.ClassDef) -> None:
        self.prefix.pop()
        self._classes.pop()

    def visit_FunctionDef(self, node: cst.FunctionDef) -> None:
        name = "".join(self.prefix) + node.name.value
        owner = self.owner()
        returns = node.returns
        params = [*node.params.posonly_params, *node.params.params, *node.params.kwonly_params]
        self.facts.functions[name] = FunctionFacts(
            _kind(node, owner),
            owner,
            [param.name.value for param in params],
            is_fixture(node),
            None if returns is None else self.expressions.annotation(returns.annotation),
            takes=self._takes(params),
        )
        self._parameters(node, params, self.facts.functions[name])
        self.prefix.append(f"{node.name.value}.")
        self._functions.append((name, node))
        self.expressions.narrowed.append({})

    def leave_FunctionDef(self, original_node: cst.FunctionDef) -> None:
        self.prefix.pop()
        self._functions.pop()
        self.expressions.narrowed.pop()

    def in_function(self) -> bool:
        """Whether what stands here is within a function."""
        return bool(self._functions)

    def owner(self) -> str:
        """The class whose body this is directly; "" anywhere else."""
        prefix = "".join(self.prefix)
        return self._classes[-1] if self._classes and f"{self._classes[-1]}." == prefix else ""

    # -- parameters and results ------------------------------------------------------------

    def _parameters(
        self, node: cst.FunctionDef, params: Sequence[cst.Param], function: FunctionFacts
    ) -> None:
        """Notes what each parameter is, and which of them pytest fills."""
        passed = PassedValues(node, "".join(self.prefix), function.owner, self.expressions)
        function.decorators = passed.decorators
        for index, param in enumerate(params):
            value = passed.to(param.name.value, index)
            if isinstance(value, FixtureNamed) and (index or not function.owner):
                function.passed.append(param.name.value)
            if param.annotation is not None:
                value = InstanceOf(self.expressions.annotation(param.annotation.annotation))
            elif index == 0 and function.owner and function.kind in ("method", "property"):
                value = InstanceOf(BoundName(function.owner))
            elif index == 0 and function.owner and function.kind == "class":
                value = BoundName(function.owner)
            self._values[param] = value

    def _takes(self, params: Sequence[cst.Param]) -> list[Expression | None]:
        """What the first parameter, by its annotation a callable, is called with."""
        if not params or params[0].annotation is None:
            return []
        return [self.expressions.annotation(each) for each in called_with(params[0].annotation)]

    def visit_Return(self, node: cst.Return) -> None:
        if self._functions and node.value is not None:
            function = self.facts.functions[self._functions[-1][0]]
            if function.returns is None:
                function.results.append(self.expressions.of(node.value))

    def visit_Yield(self, node: cst.Yield) -> None:
        if self._functions and isinstance(node.value, cst.BaseExpression):
            name, definition = self._functions[-1]
            function = self.facts.functions[name]
            value = self.expressions.of(node.value)
            if is_fixture(definition):
                function.returns = None
                function.results.append(value)
            elif function.returns is None:
                function.results.append(ContainerOf((value,)))

    # -- values ----------------------------------------------------------------------------

    def visit_Assign(self, node: cst.Assign) -> None:
        value = self.expressions.of(node.value)
        for target in node.targets:
            self._target(target.target, value, node.value)
        first = node.targets[0].target
        if isinstance(first, cst.Name):
            self.listed(first.value, node.value)

    def visit_AugAssign(self, node: cst.AugAssign) -> None:
        if isinstance(node.target, cst.Name):
            self.listed(node.target.value, node.value)

    def visit_AnnAssign(self, node: cst.AnnAssign) -> None:
        annotation = self.expressions.annotation(node.annotation.annotation)
        self._target(node.target, InstanceOf(annotation))
        if isinstance(node.target, cst.Name) and node.value is not None:
            self.listed(node.target.value, node.value)

    def visit_NamedExpr(self, node: cst.NamedExpr) -> None:
        self._target(node.target, self.expressions.of(node.value))

    def visit_For(self, node: cst.For) -> None:
        self._loop(node.target, node.iter)

    def visit_CompFor(self, node: cst.CompFor) -> None:
        self._loop(node.target, node.iter)

    def _loop(self, target: cst.BaseAssignTargetExpression, iterated: cst.BaseExpression) -> None:
        columns = self.expressions.columns(iterated)
        parts = target.elements if isinstance(target, cst.Tuple | cst.List) else ()
        if columns and len(columns) == len(parts):
            for part, column in zip(parts, columns, strict=True):
                self._target(part.value, column)
        else:
            self._target(target, ElementOf(self.expressions.of(iterated)))

    def visit_WithItem(self, node: cst.WithItem) -> None:
        if node.asname is not None:
            self._target(node.asname.name, self._entered(node.item))

    def _entered(self, item: cst.BaseExpression) -> Expression:
        """What `with` binds; of `pytest.raises(E)` what was raised is known."""
        match item:
            case cst.Call(args=[first, *_]) if dotted(item).rpartition(".")[2] in _RAISES:
                return RaisedInfo(self.expressions.of(first.value))
        return EnteredBy(self.expressions.of(item))

    def visit_ExceptHandler(self, node: cst.ExceptHandler) -> None:
        if node.name is not None and node.type is not None:
            kinds = node.type
            types = [e.value for e in kinds.elements] if isinstance(kinds, cst.Tuple) else [kinds]
            caught = OneOf(tuple(InstanceOf(self.expressions.of(each)) for each in types))
            self._target(node.name.name, caught)

    def _target(
        self,
        target: cst.BaseExpression,
        value: Expression | None,
        node: cst.BaseExpression | None = None,
    ) -> None:
        """Notes what a target holds; an attribute of `self` is a member of the class.

        `node` is what is assigned, if its elements go to those of the target.
        """
        if isinstance(target, cst.Name):
            self._values[target] = value
        elif isinstance(target, cst.Attribute) and (owner := self._self(target.value)):
            self.facts.bindings.setdefault(f"{owner}.{target.attr.value}", []).append(value)
        elif isinstance(target, cst.Tuple | cst.List):
            items = node.elements if isinstance(node, cst.Tuple | cst.List) else ()
            alike = len(items) == len(target.elements)
            for index, element in enumerate(target.elements):
                part = self.expressions.of(items[index].value) if alike else ElementOf(value)
                self._target(element.value, part)

    def _self(self, node: cst.BaseExpression) -> str:
        """The class whose instance (or which) this name is by convention; "" if it is none."""
        if not isinstance(node, cst.Name) or not self._functions:
            return ""
        function = self.facts.functions[self._functions[-1][0]]
        first = function.parameters[:1]
        return function.owner if function.kind != "static" and first == [node.value] else ""

    # -- bindings --------------------------------------------------------------------------

    def bind(self) -> None:
        """Notes what every name of every scope is bound to."""
        for scope in self.scopes.all:
            if not isinstance(scope, GlobalScope | FunctionScope | ClassScope | ComprehensionScope):
                continue
            prefix = self.scopes.prefix(scope)
            for assignment in scope.assignments:
                if isinstance(assignment, Assignment) and assignment.scope is scope:
                    values = self.facts.bindings.setdefault(prefix + assignment.name, [])
                    values.append(self._bound(assignment, prefix))

    def _bound(self, assignment: Assignment, prefix: str) -> Expression | None:
        if isinstance(assignment, ImportAssignment):
            return imported(assignment)
        match assignment.node:
            case cst.ClassDef(name=name):
                return DefinedClass(prefix + name.value)
            case cst.FunctionDef(name=name):
                return DefinedFunction(prefix + name.value)
        return self._values.get(assignment.node)


def _is_fielded(node: cst.ClassDef) -> bool:
    """Whether its annotations are parameters of its constructor."""
    decorated = any(_FIELDED.search(dotted(each.decorator)) for each in node.decorators)
    return decorated or any(dotted(base.value).endswith(_FIELDED_BASES) for base in node.bases)


def _kind(node: cst.FunctionDef, owner: str) -> str:
    decorators = [dotted(each.decorator).rpartition(".")[2] for each in node.decorators]
    if any(name in _DESCRIPTORS or name.endswith("property") for name in decorators):
        return "property"
    if "staticmethod" in decorators:
        return "static"
    if "classmethod" in decorators or node.name.value in ("__new__", "__init_subclass__"):
        return "class"
    return "method" if owner else "function"
