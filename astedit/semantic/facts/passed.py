"""What a function's parameters are by its decorators: pytest's, and those that pass more."""

from collections.abc import Sequence
from typing import Any

import libcst as cst

from astedit.semantic.facts.expressions import Expressions
from astedit.semantic.facts.module_facts import Expr
from astedit.semantic.facts.scopes import dotted


class Passed:
    """The evidence that the decorators of one function give of what it is called with.

    `decorators` are those, the innermost first; `prefix` stands before the function's name.
    """

    def __init__(
        self, node: cst.FunctionDef, prefix: str, owner: str, expressions: Expressions
    ) -> None:
        self._expressions, self._owner = expressions, owner
        self._name = node.name.value
        self._test = f"{prefix}{self._name}"
        self._fixture = is_fixture(node)
        self._tested = self._fixture or node.name.value.startswith("test")
        every = [one.decorator for one in reversed(node.decorators)]
        self.decorators = tuple(expressions.of(one) for one in every)
        self._rows: dict[str, Expr] = {}
        for one in every:
            if isinstance(one, cst.Call):
                self._parametrized(one)

    def to(self, name: str, index: int) -> Expr:
        """What is passed for the parameter of this name and place; None if nothing tells."""
        if name in self._rows:
            return self._rows[name]
        if self._tested:
            return ("fixture", name, self._test)
        if self._owner:
            return ("inherited", self._owner, self._name, index)
        return ("passed", self.decorators, index) if self.decorators else None

    def _parametrized(self, call: cst.Call) -> None:
        """`parametrize("a, b", rows)`, and the `params` of a fixture."""
        if self._fixture:
            params = _argument(call, "params")
            if params is not None:
                self._rows["request"] = ("request", ("e", self._expressions.of(params)))
        elif _parametrizes(call) and _argument(call, "indirect") is None:
            names = _names(_argument(call, "argnames", 0))
            rows = _argument(call, "argvalues", 1)
            for at, name in enumerate(names):
                self._rows[name] = self._column(rows, at if len(names) > 1 else None)

    def _column(self, rows: Any, at: int | None) -> Expr:
        """What one parameter is in any of the rows; of one parameter alone a row is its value."""
        if not isinstance(rows, cst.List | cst.Tuple):
            return ("e", self._expressions.of(rows)) if rows is not None and at is None else None
        found = []
        for element in rows.elements:
            cells = _cells(element.value, at is not None)
            if len(cells) <= (at or 0):
                return None
            found.append(self._expressions.of(cells[at or 0]))
        return ("u", tuple(found))


def tested_names(node: cst.FunctionDef) -> list[cst.SimpleString]:
    """The strings in which decorators of a test name its parameters, fixtures aside."""
    found = []
    for call in (one.decorator for one in node.decorators):
        if isinstance(call, cst.Call) and _parametrizes(call):
            names: Any = _argument(call, "argnames", 0)
            several = isinstance(names, cst.List | cst.Tuple)
            every: list[Any] = [one.value for one in names.elements] if several else [names]
            found += [one for one in every if isinstance(one, cst.SimpleString)]
    return found


def _parametrizes(call: cst.Call) -> bool:
    return dotted(call.func).endswith(".parametrize")


def is_fixture(node: cst.FunctionDef) -> bool:
    """Whether pytest passes what this function makes."""
    return any(dotted(one.decorator).endswith("fixture") for one in node.decorators)


def called_with(annotation: cst.Annotation) -> Sequence[cst.BaseExpression]:
    """The annotations in `Callable[[A, B], …]` and `Callable[Concatenate[A, …], …]`."""
    parts = _parts(annotation.annotation, "Callable")
    if not parts:
        return ()
    if isinstance(parts[0], cst.List):
        return [one.value for one in parts[0].elements]
    return _parts(parts[0], "Concatenate")[:-1]


def _parts(node: cst.BaseExpression, name: str) -> list[cst.BaseExpression]:
    if not isinstance(node, cst.Subscript) or dotted(node.value).rpartition(".")[2] != name:
        return []
    return [one.slice.value for one in node.slice if isinstance(one.slice, cst.Index)]


def _argument(call: cst.Call, name: str, place: int | None = None) -> cst.BaseExpression | None:
    for at, one in enumerate(call.args):
        if one.star:
            return None
        if one.keyword.value == name if one.keyword is not None else at == place:
            return one.value
    return None


def _names(node: cst.BaseExpression | None) -> list[str]:
    if isinstance(node, cst.List | cst.Tuple):
        every = [_names(one.value) for one in node.elements]
        return [name for names in every for name in names]
    value = node.evaluated_value if isinstance(node, cst.SimpleString) else None
    return [one.strip() for one in value.split(",")] if isinstance(value, str) else []


def _cells(row: cst.BaseExpression, several: bool) -> list[cst.BaseExpression]:
    """The values of a row, which may be a `pytest.param(…)`; none if they are not written out."""
    if isinstance(row, cst.Call) and dotted(row.func).rpartition(".")[2] == "param":
        plain = [one for one in row.args if one.keyword is None]
        return [] if any(one.star for one in plain) else [one.value for one in plain]
    if not several:
        return [row]
    return [one.value for one in row.elements] if isinstance(row, cst.List | cst.Tuple) else []
