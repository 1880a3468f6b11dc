"""Reads libcst's expressions as the nodes of `expression.py`."""

from collections.abc import Sequence

import libcst as cst

from astedit.semantic.facts.expression import (
    BoundName,
    BuiltinValue,
    CallResult,
    ClassAnnotation,
    ContainerOf,
    ElementOf,
    Expression,
    GenericAnnotation,
    InstanceOf,
    MemberOf,
    OneOf,
    SuperOf,
    TypeOf,
    UnboundName,
)
from astedit.semantic.facts.scopes import BUILTIN, Scopes, dotted

_COPIES = ("list", "tuple", "set", "sorted", "iter", "reversed", "next")
_ALTERNATIVES = ("Optional", "Union", "Annotated", "Final", "ClassVar", "Awaitable")

_OPERATORS: dict[type, str] = {
    cst.Add: "__add__",
    cst.Subtract: "__sub__",
    cst.Multiply: "__mul__",
    cst.Divide: "__truediv__",
    cst.FloorDivide: "__floordiv__",
    cst.Modulo: "__mod__",
    cst.BitAnd: "__and__",
    cst.BitOr: "__or__",
    cst.BitXor: "__xor__",
}
_LITERALS: dict[type, str] = {
    cst.BaseString: "str",
    cst.BaseNumber: "int",
    cst.Dict: "dict",
    cst.DictComp: "dict",
    cst.Comparison: "bool",
    cst.Lambda: "function",
}


class ExpressionReader:
    """Reads the expressions of one module.

    `classes` are the classes around what is read, the innermost last. `narrowed` says what
    tests around it tell of names, the innermost last.
    """

    def __init__(self, scopes: Scopes, classes: Sequence[str]) -> None:
        self._scopes = scopes
        self._classes = classes
        self.narrowed: list[dict[str, Expression]] = []

    def of(self, node: cst.BaseExpression) -> Expression | None:
        """Where the value of an expression comes from."""
        match node:
            case cst.Name():
                return self._name(node)
            case cst.Attribute():
                return MemberOf(self.of(node.value), node.attr.value)
            case cst.Call():
                return self._call(node)
            case cst.Await():
                return self.of(node.expression)
            case cst.NamedExpr():
                return self.of(node.value)
            case cst.IfExp():
                return OneOf((self.of(node.body), self.of(node.orelse)))
            case cst.BooleanOperation():
                return OneOf((self.of(node.left), self.of(node.right)))
            case cst.Subscript():
                is_part = any(isinstance(index.slice, cst.Slice) for index in node.slice)
                return self.of(node.value) if is_part else ElementOf(self.of(node.value))
            case cst.BinaryOperation():
                method = _OPERATORS.get(type(node.operator))
                return CallResult(MemberOf(self.of(node.left), method)) if method else None
            case cst.Tuple() | cst.List() | cst.Set():
                return ContainerOf(tuple(self._element(element) for element in node.elements))
            case cst.ListComp() | cst.SetComp() | cst.GeneratorExp():
                return ContainerOf((self.of(node.elt),))
        return _literal(node)

    def _element(self, node: cst.BaseElement) -> Expression | None:
        value = self.of(node.value)
        return ElementOf(value) if isinstance(node, cst.StarredElement) else value

    def _name(self, node: cst.Name) -> Expression:
        if node.value == "None":
            return OneOf(())
        for tests in reversed(self.narrowed):
            if node.value in tests:
                return tests[node.value]
        names = self._scopes.bound(self._scopes.of(node), node.value)
        if names == (BUILTIN,):
            return BuiltinValue(f"type {node.value}")
        return _bound(names) if names else UnboundName(node.value)

    def tested(self, test: cst.BaseExpression) -> dict[str, Expression]:
        """What holds of names where a test does: its `isinstance`, joined by `and`."""
        if isinstance(test, cst.BooleanOperation) and isinstance(test.operator, cst.And):
            return self.tested(test.left) | self.tested(test.right)
        if not (isinstance(test, cst.Call) and dotted(test.func) == "isinstance"):
            return {}
        if len(test.args) != 2:
            return {}
        name, kind = (arg.value for arg in test.args)
        if not isinstance(name, cst.Name):
            return {}
        kinds = [e.value for e in kind.elements] if isinstance(kind, cst.Tuple) else [kind]
        return {name.value: OneOf(tuple(InstanceOf(self.of(each)) for each in kinds))}

    # -- calls -----------------------------------------------------------------------------

    def _call(self, node: cst.Call) -> Expression | None:
        name = node.func.value if isinstance(node.func, cst.Name) else ""
        if name == "super" and self._classes:
            return SuperOf(self._classes[-1])
        if name == "type" and len(node.args) == 1:
            return TypeOf(self.of(node.args[0].value))
        if name in ("enumerate", "zip") and (columns := self.columns(node)):
            return ContainerOf((ContainerOf(tuple(columns)),))
        if name in ("max", "min") and node.args:
            return self._extreme(node)
        if name in _COPIES and node.args:
            element = ElementOf(self.of(node.args[0].value))
            return element if name == "next" else ContainerOf((element,))
        last = dotted(node.func).rpartition(".")[2]
        if last == "partial" and node.args:
            return self.of(node.args[0].value)  # what calls it calls that
        if last == "cast" and len(node.args) == 2:
            return InstanceOf(self.annotation(node.args[0].value))
        copied = _copied(node)
        return CallResult(self.of(node.func)) if copied is None else self.of(copied)

    def _extreme(self, node: cst.Call) -> Expression:
        """What `max` or `min` gives: an element of the only argument, or one of several."""
        values = tuple(self.of(arg.value) for arg in node.args if arg.keyword is None)
        return ElementOf(values[0]) if len(values) == 1 else OneOf(values)

    def columns(self, node: cst.BaseExpression) -> list[Expression]:
        """What the targets of a loop over `enumerate` or `zip` are; [] of anything else."""
        if not isinstance(node, cst.Call) or any(arg.star for arg in node.args):
            return []
        elements = [ElementOf(self.of(arg.value)) for arg in node.args if arg.keyword is None]
        match dotted(node.func):
            case "zip":
                return [*elements]
            case "enumerate":
                return [BuiltinValue("int"), *elements[:1]]
        return []

    # -- annotations -----------------------------------------------------------------------

    def annotation(self, node: cst.BaseExpression) -> Expression | None:
        """What an annotation names. `InstanceOf` it is what has the annotation."""
        if isinstance(node, cst.SimpleString | cst.ConcatenatedString):
            return self._quoted(node)
        if isinstance(node, cst.BinaryOperation):
            return OneOf((self.annotation(node.left), self.annotation(node.right)))
        if self._classes and dotted(node).rpartition(".")[2] == "Self":
            return BoundName(self._classes[-1])
        return self._generic(node) if isinstance(node, cst.Subscript) else self.of(node)

    def _generic(self, node: cst.Subscript) -> Expression:
        kind = dotted(node.value).rpartition(".")[2]
        inside = [part.slice.value for part in node.slice if isinstance(part.slice, cst.Index)]
        parts = tuple(self.annotation(part) for part in inside)
        if kind in _ALTERNATIVES:
            return OneOf(parts[:1] if kind == "Annotated" else parts)
        if kind in ("Type", "type"):
            return ClassAnnotation(parts)
        if kind == "Callable":
            parts = parts[-1:]  # what it returns
        elif kind.endswith("Generator"):
            parts = parts[:1]  # what it yields
        return GenericAnnotation(self.of(node.value), tuple(InstanceOf(part) for part in parts))

    def _quoted(self, node: cst.SimpleString | cst.ConcatenatedString) -> Expression | None:
        value = node.evaluated_value
        if not isinstance(value, str) or not all(p.isidentifier() for p in value.split(".")):
            return None
        first, *rest = value.split(".")
        scope = self._scopes.of(node)
        expression = _bound(self._scopes.bound(scope, first) if scope is not None else ())
        for name in rest:
            expression = MemberOf(expression, name)
        return expression


def _bound(names: Sequence[str]) -> Expression:
    return OneOf(tuple(BoundName(name) for name in names if name != BUILTIN))


def _copied(node: cst.Call) -> cst.BaseExpression | None:
    """What a call gives an equal of: a copy, or what comes back from a pickle."""
    is_plain = len(node.args) > 0 and node.args[0].keyword is None and not node.args[0].star
    first = node.args[0].value if is_plain else None
    if dotted(node.func) in ("copy.copy", "copy.deepcopy", "deepcopy"):
        return first
    if isinstance(first, cst.Call) and dotted(node.func) == "pickle.loads":
        return first.args[0].value if dotted(first.func) == "pickle.dumps" and first.args else None
    return None


def _literal(node: cst.BaseExpression) -> Expression | None:
    names = (name for kind, name in _LITERALS.items() if isinstance(node, kind))
    name = next(names, None)
    return BuiltinValue(name) if name is not None else None
