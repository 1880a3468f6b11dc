"""What decorators say of a function's parameters: those of pytest, and those that pass more."""

from collections.abc import Sequence
from itertools import chain

from tree_sitter import Node

from astedit.python import expression as ex
from astedit.python.expression import Expression
from astedit.python.expressions import ExpressionReader
from astedit.python.facts import FunctionFacts
from astedit.python.syntax import (
    SUBSCRIPTS,
    argument,
    arguments,
    dotted,
    evaluated,
    inside,
    is_string,
    last_name,
    parts_of,
    plain,
    starred,
    subject_of,
    text_of,
)

_ROWS = ("list", "tuple")


def called_with(annotation: Node) -> Sequence[Node]:
    """The annotations in `Callable[[A, B], …]` and `Callable[Concatenate[A, …], …]`."""
    if not (parts := _inside(annotation, "Callable")):
        return ()
    if parts[0].type == "list":
        return parts_of(parts[0])
    return _inside(parts[0], "Concatenate")[:-1]


def _inside(node: Node, name: str) -> list[Node]:
    node = plain(node)
    is_it = node.type in SUBSCRIPTS and last_name(subject_of(node)) == name
    return inside(node) if is_it else []


class PassedValues:
    """What one function is called with, as far as its decorators say it.

    `decorators` are what decorates it, the innermost first. `prefix` stands before its name.
    """

    def __init__(
        self,
        node: Node,
        decorators: Sequence[Node],
        prefix: str,
        function: FunctionFacts,
        expressions: ExpressionReader,
    ) -> None:
        self._expressions, self._owner = expressions, function.owner
        self._name = text_of(node.child_by_field_name("name"))
        self._test = f"{prefix}{self._name}"
        self._is_fixture = function.fixture
        self._is_test = self._is_fixture or self._name.startswith("test")
        own = decorators[::-1]
        self.decorators = tuple(map(expressions.of, own))
        self._rows: dict[str, Expression | None] = {}
        for decorator in own:
            if decorator.type == "call":
                self._parametrize(decorator)

    def to(self, name: str, index: int) -> Expression | None:
        """What is passed for the parameter of this name and place; None if nothing tells."""
        if name in self._rows:
            return self._rows[name]
        if self._is_test:
            return ex.FixtureNamed(name, self._test)
        if self._owner:
            return ex.OverriddenParameter(self._owner, self._name, index)
        return ex.PassedBy(self.decorators, index) if self.decorators else None

    def _parametrize(self, call: Node) -> None:
        """Notes what `parametrize("a, b", rows)` passes, and the `params` of a fixture."""
        if self._is_fixture:
            if (params := argument(call, None, "params")) is not None:
                value = ex.ElementOf(self._expressions.of(params))
                self._rows["request"] = ex.HolderOf(("param",), value)
        elif _parametrizes(call) and argument(call, None, "indirect") is None:
            strings = (str(evaluated(string)) for string in tested_names([call]))
            names = [name.strip() for text in strings for name in text.split(",")]
            rows = argument(call, 1, "argvalues")
            for column, name in enumerate(names):
                self._rows[name] = self._column(rows, column if len(names) > 1 else None)

    def _column(self, rows: Node | None, column: int | None) -> Expression | None:
        """What a parameter is in any of the rows. `column` is None where a row is its value."""
        if rows is None or rows.type not in _ROWS:
            is_row = rows is not None and column is None
            return ex.ElementOf(self._expressions.of(rows)) if is_row else None
        values = []
        for row in parts_of(rows):
            cells = _cells(starred(row)[0], several=column is not None)
            if len(cells) <= (column or 0):
                return None
            values.append(self._expressions.of(cells[column or 0]))
        return ex.OneOf(tuple(values))


def tested_names(decorators: Sequence[Node]) -> list[Node]:
    """The strings in which decorators of a test name its parameters, fixtures aside."""
    calls = (call for call in decorators if call.type == "call" and _parametrizes(call))
    names = [node for call in calls if (node := argument(call, 0, "argnames")) is not None]
    lists = (parts_of(node) if node.type in _ROWS else [node] for node in names)
    return [*filter(is_string, map(plain, chain.from_iterable(lists)))]


def _parametrizes(call: Node) -> bool:
    return dotted(call).endswith(".parametrize")


def _cells(row: Node, *, several: bool) -> list[Node]:
    """The values of a row, which may be a `pytest.param(…)`; none if they are not written out."""
    if row.type == "call" and last_name(row) == "param":
        plain_ones = [argument for argument in arguments(row) if argument.keyword is None]
        return [] if any(cell.star for cell in plain_ones) else [cell.value for cell in plain_ones]
    if not several:
        return [row]
    return [starred(part)[0] for part in parts_of(row)] if row.type in _ROWS else []
