"""What a Python module defines, and what its names hold: a visitor that fills in `Facts`."""

import re
from collections.abc import Sequence
from typing import Any

import libcst as cst
from libcst.metadata import (
    Assignment,
    ClassScope,
    ComprehensionScope,
    FunctionScope,
    GlobalScope,
    ImportAssignment,
)

from astedit.semantic.facts.expressions import Expressions
from astedit.semantic.facts.module_facts import Class, Expr, Facts, Function
from astedit.semantic.facts.narrowing import Narrowing
from astedit.semantic.facts.passed import Passed, called_with, is_fixture
from astedit.semantic.facts.scopes import Scopes, dotted, imported

_FIELDED = re.compile(
    r"(^|\.)(dataclass|dataclass_transform|attrs|define|frozen|mutable|s|attributes)$"
)
_FIELDED_BASES = ("NamedTuple", "TypedDict", "BaseModel")
_DESCRIPTORS = ("property", "cached_property", "getter", "setter", "deleter")


class Definitions(Narrowing):
    """Visits one module; call `bind` when that is done."""

    def __init__(self, scopes: Scopes) -> None:
        self._classes: list[str] = []
        super().__init__(Expressions(scopes, self._classes))
        self.facts = Facts()
        self.scopes = scopes
        self.prefix: list[str] = []
        self._values: dict[cst.CSTNode, Expr] = {}
        self._functions: list[tuple[str, cst.FunctionDef]] = []

    def listed(self, name: str, value: cst.BaseExpression) -> None:
        """Called with everything that is assigned to a name."""

    def visit_ClassDef(self, node: cst.ClassDef) -> None:
        name = "".join(self.prefix) + node.name.value
        bases = [self.expressions.of(arg.value) for arg in node.bases if not arg.star]
        decorators = [dotted(one.decorator) for one in node.decorators]
        fielded = any(_FIELDED.search(text) for text in decorators)
        fielded |= any(dotted(arg.value).endswith(_FIELDED_BASES) for arg in node.bases)
        self.facts.classes.setdefault(name, Class()).bases += bases
        self.facts.classes[name].fielded |= fielded
        self.prefix.append(f"{node.name.value}.")
        self._classes.append(name)

    def leave_ClassDef(self, original_node: cst.ClassDef) -> None:
        self.prefix.pop()
        self._classes.pop()

    def visit_FunctionDef(self, node: cst.FunctionDef) -> None:
        name = "".join(self.prefix) + node.name.value
        owner = self.owner()
        returns = (
            None if node.returns is None else self.expressions.annotation(node.returns.annotation)
        )
        every = [*node.params.posonly_params, *node.params.params, *node.params.kwonly_params]
        parameters = [one.name.value for one in every]
        kind = _kind(node, owner)
        self.facts.functions[name] = Function(
            kind, owner, parameters, is_fixture(node), returns, takes=self._takes(every)
        )
        self._parameters(node, every, kind, owner)
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

    def _parameters(
        self, node: cst.FunctionDef, every: Sequence[cst.Param], kind: str, owner: str
    ) -> None:
        passed = Passed(node, "".join(self.prefix), owner, self.expressions)
        function = self.facts.functions["".join(self.prefix) + node.name.value]
        function.decorators = passed.decorators
        for index, one in enumerate(every):
            value: Expr = passed.to(one.name.value, index)
            if value is not None and value[0] == "fixture" and (index or not owner):
                function.passed.append(one.name.value)
            if one.annotation is not None:
                value = ("i", self.expressions.annotation(one.annotation.annotation))
            elif index == 0 and owner and kind in ("method", "property"):
                value = ("i", ("n", owner))
            elif index == 0 and owner and kind == "class":
                value = ("n", owner)
            self._values[one] = value

    def _takes(self, every: Sequence[cst.Param]) -> list[Expr]:
        """What the first parameter, by its annotation a callable, is called with."""
        if not every or every[0].annotation is None:
            return []
        return [self.expressions.annotation(one) for one in called_with(every[0].annotation)]

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
            if function.returns is None or is_fixture(definition):
                function.returns = None
                function.results.append(value if is_fixture(definition) else ("of", (value,)))

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
        self._target(
            node.target, ("i", self.expressions.annotation(node.annotation.annotation)), None
        )
        if isinstance(node.target, cst.Name) and node.value is not None:
            self.listed(node.target.value, node.value)

    def visit_NamedExpr(self, node: cst.NamedExpr) -> None:
        self._target(node.target, self.expressions.of(node.value), None)

    def visit_For(self, node: cst.For) -> None:
        self._loop(node.target, node.iter)

    def visit_CompFor(self, node: cst.CompFor) -> None:
        self._loop(node.target, node.iter)

    def _loop(self, target: cst.BaseAssignTargetExpression, every: cst.BaseExpression) -> None:
        columns = self.expressions.columns(every)
        parts = target.elements if isinstance(target, cst.Tuple | cst.List) else ()
        if columns and len(columns) == len(parts):
            for one, value in zip(parts, columns, strict=True):
                self._target(one.value, value, None)
        else:
            self._target(target, ("e", self.expressions.of(every)), None)

    def visit_WithItem(self, node: cst.WithItem) -> None:
        if node.asname is not None:
            self._target(node.asname.name, self._entered(node.item), None)

    def _entered(self, item: cst.BaseExpression) -> Expr:
        """What `with` binds; of `pytest.raises(E)` what was raised is known."""
        if isinstance(item, cst.Call) and item.args:
            last = dotted(item.func).rpartition(".")[2]
            if last in ("raises", "assertRaises", "assertRaisesRegex"):
                return ("raised", self.expressions.of(item.args[0].value))
        return ("w", self.expressions.of(item))

    def visit_ExceptHandler(self, node: cst.ExceptHandler) -> None:
        if node.name is not None and node.type is not None:
            kinds = node.type
            every = [e.value for e in kinds.elements] if isinstance(kinds, cst.Tuple) else [kinds]
            self._target(
                node.name.name, ("u", tuple(("i", self.expressions.of(e)) for e in every)), None
            )

    def _target(self, target: cst.BaseExpression, value: Expr, node: Any) -> None:
        """Notes what a target holds; one of `self` is a member of the class."""
        if isinstance(target, cst.Name):
            self._values[target] = value
        elif isinstance(target, cst.Attribute) and (owner := self._self(target.value)):
            self.facts.bindings.setdefault(f"{owner}.{target.attr.value}", []).append(value)
        elif isinstance(target, cst.Tuple | cst.List):
            items = node.elements if isinstance(node, cst.Tuple | cst.List) else ()
            alike = len(items) == len(target.elements)
            for index, one in enumerate(target.elements):
                part = self.expressions.of(items[index].value) if alike else ("e", value)
                self._target(one.value, part, None)

    def _self(self, node: cst.BaseExpression) -> str:
        """The class whose instance (or which) this name is by convention; "" if it is none."""
        if not isinstance(node, cst.Name) or not self._functions:
            return ""
        name, _ = self._functions[-1]
        function = self.facts.functions[name]
        first = function.parameters[:1]
        return function.owner if function.kind != "static" and first == [node.value] else ""

    def bind(self) -> None:
        """Notes what every name of every scope is bound to."""
        for scope in self.scopes.all:
            if not isinstance(scope, GlobalScope | FunctionScope | ClassScope | ComprehensionScope):
                continue
            prefix = self.scopes.prefix(scope)
            for one in scope.assignments:
                if isinstance(one, Assignment) and one.scope is scope:
                    bound = self.facts.bindings.setdefault(prefix + one.name, [])
                    bound.append(self._bound(one, prefix))

    def _bound(self, one: Assignment, prefix: str) -> Expr:
        if isinstance(one, ImportAssignment):
            return imported(one)
        node: Any = one.node
        if isinstance(node, cst.ClassDef):
            return ("class", prefix + node.name.value)
        if isinstance(node, cst.FunctionDef):
            return ("func", prefix + node.name.value)
        return self._values.get(node)


def _kind(node: cst.FunctionDef, owner: str) -> str:
    decorators = [dotted(one.decorator).rpartition(".")[2] for one in node.decorators]
    if any(one in _DESCRIPTORS or one.endswith("property") for one in decorators):
        return "property"
    if "staticmethod" in decorators:
        return "static"
    if "classmethod" in decorators or node.name.value in ("__new__", "__init_subclass__"):
        return "class"
    return "method" if owner else "function"
