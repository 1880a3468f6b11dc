"""What a Python module defines, and what its names hold: a walk that fills in its facts."""

import re
from collections.abc import Sequence

from tree_sitter import Node

from astedit.python import expression as ex
from astedit.python.expression import Expression
from astedit.python.expressions import ExpressionReader, Narrowing, alternatives
from astedit.python.facts import ClassFacts, FunctionFacts, MemberPut, ModuleFacts
from astedit.python.passed_values import PassedValues, called_with
from astedit.python.scopes import Scopes
from astedit.python.syntax import (
    SEQUENCES,
    PythonParameter,
    arguments,
    child_of,
    dotted,
    inside,
    last_name,
    parameters,
    parts_of,
    plain,
    starred,
    text_of,
)

_FIELDED = re.compile(
    r"(^|\.)(dataclass|dataclass_transform|attrs|define|frozen|mutable|s|attributes)$"
)
_FIELDED_BASES = ("NamedTuple", "TypedDict", "BaseModel")
_DESCRIPTORS = ("property", "cached_property", "getter", "setter", "deleter")
_ADDING = ("add", "append", "appendleft", "extend", "insert", "update")
_RAISES = ("raises", "assertRaises", "assertRaisesRegex")


class DefinitionReader(Narrowing):
    """Walks through one module; call `bind` when that is done."""

    def __init__(self, scopes: Scopes) -> None:
        self._classes: list[str] = []
        super().__init__(ExpressionReader(scopes, self._classes))
        self.facts = ModuleFacts()
        self.scopes = scopes
        self.prefix = ""
        self._values: dict[int, Expression | None] = {}
        self.decorators: list[Node] = []  # of the definition that comes next
        self._additions: list[tuple[str, Expression]] = []  # to containers, by their names
        self._annotated = 0  # how many annotations are around what is visited

    # -- what those that follow note ---------------------------------------------------------

    def listed(self, name: str, value: Node) -> None:
        """Called with everything that is assigned to a name."""

    def parameter(self, parameter: PythonParameter) -> None:
        """Visits a parameter."""
        self.annotation(parameter.annotation)
        self.walk(parameter.default)

    def annotation(self, node: Node | None) -> None:
        """Visits an annotation."""
        self._annotated += 1
        self.walk(node)
        self._annotated -= 1

    # -- definitions -------------------------------------------------------------------------

    def visit_decorated_definition(self, node: Node) -> None:
        parts = parts_of(node)
        self.decorators = [plain(parts_of(part)[0]) for part in parts if part.type == "decorator"]
        self.walk_fields(node, "definition")

    def visit_class_definition(self, node: Node) -> None:
        name = self.prefix + text_of(node.child_by_field_name("name"))
        decorators, self.decorators = self.decorators, []
        facts = self.facts.classes.setdefault(name, ClassFacts())
        bases = [base for base in arguments(node) if base.keyword is None]
        facts.bases += [self.expressions.of(base.value) for base in bases if not base.star]
        fielded = any(_FIELDED.search(dotted(decorator)) for decorator in decorators)
        fielded |= any(dotted(base.value).endswith(_FIELDED_BASES) for base in bases)
        facts.fielded |= fielded
        outer, self.prefix = self.prefix, f"{name}."
        self._classes.append(name)
        self.walk_all(decorators)
        self.walk_fields(node, "name", "type_parameters", "superclasses", "body")
        self.prefix = outer
        self._classes.pop()

    def visit_function_definition(self, node: Node) -> None:
        name = self.prefix + text_of(node.child_by_field_name("name"))
        owner = self.owner()
        decorators, self.decorators = self.decorators, []
        returns = node.child_by_field_name("return_type")
        every = parameters(node.child_by_field_name("parameters"))
        params = [item for item in every if not item.star]
        function = self.facts.functions[name] = FunctionFacts(
            _kind(node, owner, decorators),
            owner,
            [text_of(param.name) for param in params],
            any(dotted(decorator).endswith("fixture") for decorator in decorators),  # of pytest
            None if returns is None else self.expressions.annotation(returns),
            takes=self._takes(params),
            unnamed=sum(param.kind == "positional-only" for param in params),
        )
        passed = PassedValues(node, decorators, self.prefix, function, self.expressions)
        self._parameters(passed, params, function)
        outer, self.prefix = self.prefix, f"{name}."
        self.functions.append(name)
        self.expressions.narrowed.append({})
        self.walk_all(decorators)
        self.walk_fields(node, "name", "type_parameters")
        for parameter in every:
            self.parameter(parameter)
        self.annotation(returns)
        self.walk_fields(node, "body")
        self.prefix = outer
        self.functions.pop()
        self.expressions.narrowed.pop()

    def visit_lambda(self, node: Node) -> None:
        for parameter in parameters(node.child_by_field_name("parameters")):
            self.parameter(parameter)
        self.walk_fields(node, "body")

    def owner(self) -> str:
        """The class whose body this is directly; "" anywhere else."""
        return self._classes[-1] if self._classes and f"{self._classes[-1]}." == self.prefix else ""

    # -- parameters and results ------------------------------------------------------------

    def _parameters(
        self, passed: "PassedValues", params: Sequence[PythonParameter], function: FunctionFacts
    ) -> None:
        """Notes what each parameter is, and which of them pytest fills."""
        function.decorators = passed.decorators
        for index, (name, annotation, *_) in enumerate(params):
            value = passed.to(text_of(name), index)
            if isinstance(value, ex.FixtureNamed) and (index or not function.owner):
                function.passed.append(text_of(name))
            if annotation is not None:
                value = ex.InstanceOf(self.expressions.annotation(annotation))
            elif index == 0 and function.owner and function.kind in ("method", "property"):
                value = ex.InstanceOf(ex.BoundName(function.owner))
            elif index == 0 and function.owner and function.kind == "class":
                value = ex.BoundName(function.owner)
            self._values[name.id] = value

    def _takes(self, params: Sequence[PythonParameter]) -> list[Expression | None]:
        """What the first parameter, by its annotation a callable, is called with."""
        kind = params[0].annotation if params else None
        called = called_with(kind) if kind is not None else ()
        return [self.expressions.annotation(item) for item in called]

    def visit_return_statement(self, node: Node) -> None:
        value = next(iter(parts_of(node)), None)
        if self.functions and value is not None:
            function = self.facts.functions[self.functions[-1]]
            if function.returns is None:
                function.results.append(self.expressions.of(value))
        self.walk(value)

    def visit_yield(self, node: Node) -> None:
        value = next(iter(parts_of(node)), None)
        is_from = any(child.type == "from" for child in node.children)
        if self.functions and value is not None and not is_from:
            function = self.facts.functions[self.functions[-1]]
            expression = self.expressions.of(value)
            if function.fixture:
                function.returns = None
                function.results.append(expression)
            elif function.returns is None:
                function.results.append(ex.ContainerOf((expression,)))
        self.walk(value)

    # -- values ----------------------------------------------------------------------------

    def visit_assignment(self, node: Node) -> None:
        value, kind = node.child_by_field_name("right"), node.child_by_field_name("type")
        targets = [plain(child_of(node, "left"))]
        if kind is not None:
            self._target(targets[0], ex.InstanceOf(self.expressions.annotation(kind)))
        else:
            while value is not None and value.type == "assignment":  # of `a = b = value`
                targets.append(plain(child_of(value, "left")))
                value = value.child_by_field_name("right")
            assert value is not None
            expression = self.expressions.of(value)
            for target in targets:
                self._target(target, expression, plain(value))
        if targets[0].type == "identifier" and value is not None:
            self.listed(text_of(targets[0]), value)
        self.walk_all(targets)
        self.annotation(kind)
        self.assigned_value(node, targets, value)

    def assigned_value(self, node: Node, targets: Sequence[Node], value: Node | None) -> None:
        """Visits what is assigned, which is a type for a `TypeAlias`."""
        kind = node.child_by_field_name("type")
        alias = kind is not None and dotted(kind).endswith("TypeAlias")
        self._annotated += alias
        self.walk(value)
        self._annotated -= alias

    def visit_augmented_assignment(self, node: Node) -> None:
        left, value = node.child_by_field_name("left"), node.child_by_field_name("right")
        if left is not None and left.type == "identifier" and value is not None:
            self.listed(text_of(left), value)
        self._added(left, ex.ElementOf(self.expressions.of(value)))
        self.walk_fields(node, "left", "right")

    def grown(self, call: Node) -> None:
        """Notes what a call adds to a container."""
        function, args = plain(child_of(call, "function")), arguments(call)
        method = text_of(function.child_by_field_name("attribute"))
        if method in _ADDING and args:
            value = self.expressions.of(args[-1].value)
            value = ex.ElementOf(value) if method in ("extend", "update") else value
            self._added(function.child_by_field_name("object"), value)

    def _added(self, container: Node | None, element: Expression | None) -> None:
        """Notes what code adds to a container that a name or an attribute holds."""
        value = ex.AddedTo((element,))
        if container is not None and container.type == "identifier":
            names = self.scopes.bound(self.scopes.of(container), text_of(container))
            self._additions += [(name, value) for name in names]
        elif container is not None and container.type == "attribute":
            self._put(container, value)

    def _put(self, target: Node, value: Expression | None) -> None:
        owner = self.expressions.of(target.child_by_field_name("object"))
        name = text_of(target.child_by_field_name("attribute"))
        self.facts.puts.setdefault(name, []).append(MemberPut(owner, value))

    def visit_named_expression(self, node: Node) -> None:
        self._target(
            node.child_by_field_name("name"), self.expressions.of(node.child_by_field_name("value"))
        )
        self.walk_fields(node, "name", "value")

    def visit_for_statement(self, node: Node) -> None:
        lefts, iterated = node.children_by_field_name("left"), node.child_by_field_name("right")
        target = plain(lefts[0])
        columns = self.expressions.columns(iterated)
        parts = parts_of(target) if target.type in SEQUENCES else ()
        if columns and len(columns) == len(parts):
            for part, column in zip(parts, columns, strict=True):
                self._target(starred(part)[0], column)
        else:
            self._target(target, ex.ElementOf(self.expressions.of(iterated)))
        self.walk_fields(node, "left", "right", "body", "alternative")

    visit_for_in_clause = visit_for_statement

    def visit_as_pattern(self, node: Node) -> None:
        value, *targets = parts_of(node)
        above = node.parent
        for target in targets:
            if above is not None and above.type == "with_item":
                self._target(plain(target), self._entered(value))
            elif above is not None and above.type.startswith("except"):
                kinds = [self.expressions.of(alternative) for alternative in alternatives(value)]
                self._target(plain(target), ex.OneOf(tuple(map(ex.InstanceOf, kinds))))
        self.walk_all(parts_of(node))

    def _entered(self, item: Node) -> Expression:
        """What `with` binds; of `pytest.raises(E)` what was raised is known."""
        item = plain(item)
        args = arguments(item) if item.type == "call" and last_name(item) in _RAISES else []
        if args:
            value = ex.InstanceOf(self.expressions.of(args[0].value))
            return ex.HolderOf(("value", "exception"), value)
        return ex.EnteredBy(self.expressions.of(item))

    def _target(
        self, target: Node | None, value: Expression | None, node: Node | None = None
    ) -> None:
        """Notes what a target holds; an attribute of `self` is a member of the class.

        `node` is what is assigned, if its elements go to those of the target.
        """
        if target is None:
            return
        if target.type == "identifier":
            self._values[target.id] = value
        elif target.type == "attribute":
            if owner := self._self(target.child_by_field_name("object")):
                name = f"{owner}.{text_of(target.child_by_field_name('attribute'))}"
                self.facts.bindings.setdefault(name, []).append(value)
            else:
                self._put(target, value)
        elif target.type == "subscript":
            added = value if inside(target) else ex.ElementOf(value)  # `items[:] = …`
            self._added(target.child_by_field_name("value"), added)
        elif target.type in SEQUENCES:
            targets = parts_of(target)
            items = parts_of(node) if node is not None and node.type in SEQUENCES else ()
            alike = len(items) == len(targets)
            for index, element in enumerate(targets):
                part = (
                    self.expressions.of(starred(items[index])[0]) if alike else ex.ElementOf(value)
                )
                self._target(starred(element)[0], part)

    def _self(self, node: Node | None) -> str:
        """The class whose instance (or which) this name is by convention; "" if it is none."""
        if node is None or node.type != "identifier" or not self.functions:
            return ""
        function = self.facts.functions[self.functions[-1]]
        first = function.parameters[:1]
        return function.owner if function.kind != "static" and first == [text_of(node)] else ""

    # -- bindings --------------------------------------------------------------------------

    def bind(self) -> None:
        """Notes what every name of every scope is bound to."""
        for scope in self.scopes.all:
            if scope.kind == "annotation":
                continue
            for name, bindings in scope.bindings.items():
                for node, kind, source, _ in bindings:
                    if kind == "deleted":
                        continue
                    values = self.facts.bindings.setdefault(scope.prefix + name, [])
                    if kind == "class":
                        values.append(ex.DefinedClass(scope.prefix + name))
                    elif kind == "function":
                        values.append(ex.DefinedFunction(scope.prefix + name))
                    else:
                        values.append(source if kind == "import" else self._values.get(node.id))
        for name, value in self._additions:
            if name in self.facts.bindings:
                self.facts.bindings[name].append(value)


def _kind(node: Node, owner: str, decorators: Sequence[Node]) -> str:
    names = [last_name(decorator) for decorator in decorators]
    if any(name in _DESCRIPTORS or name.endswith("property") for name in names):
        return "property"
    if "staticmethod" in names:
        return "static"
    own = text_of(node.child_by_field_name("name"))
    if "classmethod" in names or own in ("__new__", "__init_subclass__"):
        return "class"
    return "method" if owner else "function"
