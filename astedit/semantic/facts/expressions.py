"""Python expressions as the tuples of `facts.py`."""

from collections.abc import Iterable, Sequence
from typing import Any

import libcst as cst

from astedit.semantic.facts.module_facts import Expr
from astedit.semantic.facts.scopes import BUILTIN, Scopes, dotted

_COPIES = ("list", "tuple", "set", "sorted", "iter", "reversed", "next")
_PARTS = ("Optional", "Union", "Annotated", "Final", "ClassVar", "Awaitable")

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


class Expressions:
    """Makes the expressions of one module; `classes` are those around, the innermost last."""

    def __init__(self, scopes: Scopes, classes: Sequence[str]) -> None:
        self._names = scopes
        self._classes = classes
        self.narrowed: list[dict[str, Expr]] = []  # what tests around say of a name

    def of(self, node: cst.BaseExpression) -> Expr:
        """Where the value of an expression comes from."""
        if isinstance(node, cst.Name):
            return self._name(node)
        if isinstance(node, cst.Attribute):
            return ("a", self.of(node.value), node.attr.value)
        if isinstance(node, cst.Call):
            return self._call(node)
        if isinstance(node, cst.Await):
            return self.of(node.expression)
        if isinstance(node, cst.NamedExpr):
            return self.of(node.value)
        if isinstance(node, cst.IfExp):
            return ("u", (self.of(node.body), self.of(node.orelse)))
        if isinstance(node, cst.BooleanOperation):
            return ("u", (self.of(node.left), self.of(node.right)))
        if isinstance(node, cst.Subscript):
            part = any(isinstance(one.slice, cst.Slice) for one in node.slice)
            return self.of(node.value) if part else ("e", self.of(node.value))
        if isinstance(node, cst.BinaryOperation):
            method = _OPERATORS.get(type(node.operator))
            return ("c", ("a", self.of(node.left), method)) if method else None
        if isinstance(node, cst.Tuple | cst.List | cst.Set):
            return ("of", tuple(self._element(one) for one in node.elements))
        if isinstance(node, cst.ListComp | cst.SetComp | cst.GeneratorExp):
            return ("of", (self.of(node.elt),))
        return _literal(node)

    def _element(self, node: cst.BaseElement) -> Expr:
        value = self.of(node.value)
        return ("e", value) if isinstance(node, cst.StarredElement) else value

    def _name(self, node: cst.Name) -> Expr:
        if node.value == "None":
            return ("u", ())
        for tests in reversed(self.narrowed):
            if node.value in tests:
                return tests[node.value]
        names = self._names.bound(self._names.of(node), node.value)
        if names == (BUILTIN,):
            return ("k", f"type {node.value}")
        if not names:
            return ("star", node.value)
        return ("u", tuple(("n", name) for name in names if name != BUILTIN))

    def tested(self, test: cst.BaseExpression) -> dict[str, Expr]:
        """What holds of names where a test does: its `isinstance`, joined by `and`."""
        if isinstance(test, cst.BooleanOperation) and isinstance(test.operator, cst.And):
            return self.tested(test.left) | self.tested(test.right)
        if not (isinstance(test, cst.Call) and dotted(test.func) == "isinstance"):
            return {}
        name, kind = (arg.value for arg in (*test.args, *test.args)[:2])
        if len(test.args) != 2 or not isinstance(name, cst.Name):
            return {}
        kinds = [one.value for one in kind.elements] if isinstance(kind, cst.Tuple) else [kind]
        return {name.value: ("u", tuple(("i", self.of(one)) for one in kinds))}

    def _call(self, node: cst.Call) -> Expr:
        name = node.func.value if isinstance(node.func, cst.Name) else ""
        if name == "super" and self._classes:
            return ("s", self._classes[-1])
        if name == "type" and len(node.args) == 1:
            return ("type", self.of(node.args[0].value))
        if name in ("enumerate", "zip") and (columns := self.columns(node)):
            return ("of", (("of", tuple(columns)),))
        if name in ("max", "min") and node.args:
            values = tuple(self.of(arg.value) for arg in node.args if arg.keyword is None)
            return ("e", values[0]) if len(values) == 1 else ("u", values)
        if name in _COPIES and node.args:
            inner = self.of(node.args[0].value)
            return ("e", inner) if name == "next" else ("of", (("e", inner),))
        if dotted(node.func).rpartition(".")[2] == "partial" and node.args:
            return self.of(node.args[0].value)  # what calls it calls that
        if dotted(node.func).rpartition(".")[2] == "cast" and len(node.args) == 2:
            return ("i", self.annotation(node.args[0].value))
        copied = _copied(node)
        return ("c", self.of(node.func)) if copied is None else self.of(copied)

    def columns(self, node: cst.BaseExpression) -> list[Expr]:
        """What the targets of a loop over `enumerate` or `zip` are; [] of anything else."""
        if not isinstance(node, cst.Call) or any(arg.star for arg in node.args):
            return []
        every = [("e", self.of(arg.value)) for arg in node.args if arg.keyword is None]
        name = dotted(node.func)
        return every if name == "zip" else [("k", "int"), *every[:1]] if name == "enumerate" else []

    def annotation(self, node: cst.BaseExpression) -> Expr:
        """What an annotation names; `("i", …)` of it is what has the annotation."""
        if isinstance(node, cst.SimpleString | cst.ConcatenatedString):
            return self._quoted(node)
        if isinstance(node, cst.BinaryOperation):
            return ("u", (self.annotation(node.left), self.annotation(node.right)))
        if self._classes and dotted(node).rpartition(".")[2] == "Self":
            return ("n", self._classes[-1])
        if not isinstance(node, cst.Subscript):
            return self.of(node)
        kind = dotted(node.value).rpartition(".")[2]
        inside = [one.slice.value for one in node.slice if isinstance(one.slice, cst.Index)]
        parts = tuple(self.annotation(one) for one in inside)
        if kind in _PARTS:
            return ("u", parts[:1] if kind == "Annotated" else parts)
        if kind in ("Type", "type"):
            return ("type of", parts)
        if kind == "Callable":
            parts = parts[-1:]  # what it returns
        elif kind.endswith("Generator"):
            parts = parts[:1]  # what it yields
        return ("holder", self.of(node.value), tuple(("i", part) for part in parts))

    def _quoted(self, node: Any) -> Expr:
        value = node.evaluated_value
        if not isinstance(value, str) or not all(p.isidentifier() for p in value.split(".")):
            return None
        first, *rest = value.split(".")
        scope = self._names.of(node)
        names = self._names.bound(scope, first) if scope is not None else ()
        found: Expr = ("u", tuple(("n", name) for name in names if name != BUILTIN))
        for part in rest:
            found = ("a", found, part)
        return found


def _copied(node: cst.Call) -> cst.BaseExpression | None:
    """What a call gives an equal of: a copy, or what comes back from a pickle."""
    plain = len(node.args) > 0 and node.args[0].keyword is None and not node.args[0].star
    first = node.args[0].value if plain else None
    if dotted(node.func) in ("copy.copy", "copy.deepcopy", "deepcopy"):
        return first
    if isinstance(first, cst.Call) and dotted(node.func) == "pickle.loads":
        return first.args[0].value if dotted(first.func) == "pickle.dumps" and first.args else None
    return None


def _literal(node: cst.BaseExpression) -> Expr:
    kinds: Iterable[tuple[Any, str]] = (
        (cst.BaseString, "str"),
        (cst.BaseNumber, "int"),
        (cst.Dict, "dict"),
        (cst.DictComp, "dict"),
        (cst.Comparison, "bool"),
        (cst.Lambda, "function"),
    )
    return next((("k", name) for kind, name in kinds if isinstance(node, kind)), None)
