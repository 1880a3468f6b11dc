"""What decorators say of a function's parameters: those of pytest, and those that pass more."""

from collections.abc import Sequence

import libcst as cst

from astedit.semantic.facts.expression import (
    ElementOf,
    Expression,
    FixtureNamed,
    OneOf,
    OverriddenParameter,
    PassedBy,
    RequestOf,
)
from astedit.semantic.facts.expression_reader import ExpressionReader
from astedit.semantic.facts.scopes import dotted


class PassedValues:
    """What one function is called with, as far as its decorators say it.

    `decorators` are what decorates it, the innermost first. `prefix` stands before its name.
    """

    def __init__(
        self, node: cst.FunctionDef, prefix: str, owner: str, expressions: ExpressionReader
    ) -> None:
        self._expressions, self._owner = expressions, owner
        self._name = node.name.value
        self._test = f"{prefix}{self._name}"
        self._is_fixture = is_fixture(node)
        self._is_test = self._is_fixture or node.name.value.startswith("test")
        decorators = [each.decorator for each in reversed(node.decorators)]
        self.decorators = tuple(expressions.of(decorator) for decorator in decorators)
        self._rows: dict[str, Expression | None] = {}
        for decorator in decorators:
            if isinstance(decorator, cst.Call):
                self._parametrize(decorator)

    def to(self, name: str, index: int) -> Expression | None:
        """What is passed for the parameter of this name and place; None if nothing tells."""
        if name in self._rows:
            return self._rows[name]
        if self._is_test:
            return FixtureNamed(name, self._test)
        if self._owner:
            return OverriddenParameter(self._owner, self._name, index)
        return PassedBy(self.decorators, index) if self.decorators else None

    def _parametrize(self, call: cst.Call) -> None:
        """Notes what `parametrize("a, b", rows)` passes, and the `params` of a fixture."""
        if self._is_fixture:
            params = _argument(call, "params")
            if params is not None:
                self._rows["request"] = RequestOf(ElementOf(self._expressions.of(params)))
        elif _parametrizes(call) and _argument(call, "indirect") is None:
            names = _names(_argument(call, "argnames", 0))
            rows = _argument(call, "argvalues", 1)
            for column, name in enumerate(names):
                self._rows[name] = self._column(rows, column if len(names) > 1 else None)

    def _column(self, rows: cst.BaseExpression | None, column: int | None) -> Expression | None:
        """What a parameter is in any of the rows. `column` is None where a row is its value."""
        if not isinstance(rows, cst.List | cst.Tuple):
            if rows is None or column is not None:
                return None
            return ElementOf(self._expressions.of(rows))
        values = []
        for row in rows.elements:
            cells = _cells(row.value, several=column is not None)
            if len(cells) <= (column or 0):
                return None
            values.append(self._expressions.of(cells[column or 0]))
        return OneOf(tuple(values))


def tested_names(node: cst.FunctionDef) -> list[cst.SimpleString]:
    """The strings in which decorators of a test name its parameters, fixtures aside."""
    strings: list[cst.SimpleString] = []
    for call in (each.decorator for each in node.decorators):
        if isinstance(call, cst.Call) and _parametrizes(call):
            names = _argument(call, "argnames", 0)
            if isinstance(names, cst.List | cst.Tuple):
                values = [name.value for name in names.elements]
                strings += [value for value in values if isinstance(value, cst.SimpleString)]
            elif isinstance(names, cst.SimpleString):
                strings.append(names)
    return strings


def _parametrizes(call: cst.Call) -> bool:
    return dotted(call.func).endswith(".parametrize")


def is_fixture(node: cst.FunctionDef) -> bool:
    """Whether pytest passes what this function makes."""
    return any(dotted(each.decorator).endswith("fixture") for each in node.decorators)


def called_with(annotation: cst.Annotation) -> Sequence[cst.BaseExpression]:
    """The annotations in `Callable[[A, B], …]` and `Callable[Concatenate[A, …], …]`."""
    parts = _parts(annotation.annotation, "Callable")
    if not parts:
        return ()
    if isinstance(parts[0], cst.List):
        return [element.value for element in parts[0].elements]
    return _parts(parts[0], "Concatenate")[:-1]


def _parts(node: cst.BaseExpression, name: str) -> list[cst.BaseExpression]:
    if not isinstance(node, cst.Subscript) or dotted(node.value).rpartition(".")[2] != name:
        return []
    return [part.slice.value for part in node.slice if isinstance(part.slice, cst.Index)]


def _argument(call: cst.Call, name: str, place: int | None = None) -> cst.BaseExpression | None:
    """The argument of this name, or at this place; None if it is not written out."""
    for index, argument in enumerate(call.args):
        if argument.star:
            return None
        keyword = argument.keyword
        if keyword.value == name if keyword is not None else index == place:
            return argument.value
    return None


def _names(node: cst.BaseExpression | None) -> list[str]:
    """The names in `"a, b"`, or in a list of such strings."""
    if isinstance(node, cst.List | cst.Tuple):
        return [name for element in node.elements for name in _names(element.value)]
    value = node.evaluated_value if isinstance(node, cst.SimpleString) else None
    return [name.strip() for name in value.split(",")] if isinstance(value, str) else []


def _cells(row: cst.BaseExpression, *, several: bool) -> list[cst.BaseExpression]:
    """The values of a row, which may be a `pytest.param(…)`; none if they are not written out."""
    if isinstance(row, cst.Call) and dotted(row.func).rpartition(".")[2] == "param":
        plain = [argument for argument in row.args if argument.keyword is None]
        return [] if any(arg.star for arg in plain) else [arg.value for arg in plain]
    if not several:
        return [row]
    return [e.value for e in row.elements] if isinstance(row, cst.List | cst.Tuple) else []
