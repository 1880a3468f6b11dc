"""A walk through a module that knows what tests say of a name in the code behind them."""

from collections.abc import Callable, Sequence

from tree_sitter import Node

from astedit.python.expression import Expression, InstanceOf
from astedit.python.expressions import ExpressionReader
from astedit.python.syntax import parts_of, plain, text_of

_LEAVING = ("return_statement", "raise_statement", "continue_statement")


class Narrowing:
    """Keeps `expressions.narrowed` on its way; `visit_KIND` visits a node of that kind."""

    def __init__(self, expressions: ExpressionReader) -> None:
        self.expressions = expressions
        self._subjects: list[str] = []  # of the match statements around, "" for no name
        self._methods: dict[str, Callable[[Node], None]] = {
            name.removeprefix("visit_"): getattr(self, name)
            for name in dir(self)
            if name.startswith("visit_")
        }

    def walk(self, node: Node | None) -> None:
        """Visits a node: its own method does that, or visits what is below it."""
        if node is None:
            return
        method = self._methods.get(node.type)
        if method is not None:
            method(node)
        else:
            self.walk_all(node.named_children)

    def walk_all(self, nodes: Sequence[Node]) -> None:
        """Visits nodes in order."""
        for node in nodes:
            self.walk(node)

    def walk_fields(self, node: Node, *names: str) -> None:
        """Visits fields of a node, in this order."""
        for name in names:
            self.walk_all(node.children_by_field_name(name))

    def in_function(self) -> bool:
        """Whether what stands here is within a function."""
        raise NotImplementedError

    # -- tests -------------------------------------------------------------------------------

    def visit_if_statement(self, node: Node) -> None:
        test, body = node.child_by_field_name("condition"), node.child_by_field_name("consequence")
        self.walk(test)
        self.expressions.narrowed.append(self.expressions.tested(test))
        self.walk(body)
        self.expressions.narrowed.pop()
        inner = plain(test) if test is not None else None
        if _leaves(node, body) and inner is not None and inner.type == "not_operator":
            self._holds(inner.child_by_field_name("argument"))
        self.walk_fields(node, "alternative")

    visit_elif_clause = visit_if_statement

    def visit_assert_statement(self, node: Node) -> None:
        self._holds(parts_of(node)[0])
        self.walk_all(parts_of(node))

    def _holds(self, test: Node | None) -> None:
        """The test holds from here to the end of the function, where the narrowing ends."""
        if self.in_function():
            self.expressions.narrowed[-1].update(self.expressions.tested(test))

    def visit_conditional_expression(self, node: Node) -> None:
        body, test, other = parts_of(node)
        self.expressions.narrowed.append(self.expressions.tested(test))
        self.walk(body)
        self.expressions.narrowed.pop()
        self.walk_all((test, other))

    def visit_boolean_operator(self, node: Node) -> None:
        left = node.child_by_field_name("left")
        self.walk(left)
        joined = text_of(node.child_by_field_name("operator")) == "and"
        self.expressions.narrowed.append(self.expressions.tested(left) if joined else {})
        self.walk_fields(node, "right")
        self.expressions.narrowed.pop()

    def visit_match_statement(self, node: Node) -> None:
        subjects = [plain(item) for item in node.children_by_field_name("subject")]
        self.walk_all(subjects)
        is_name = len(subjects) == 1 and subjects[0].type == "identifier"
        self._subjects.append(text_of(subjects[0]) if is_name else "")
        self.walk_fields(node, "body")
        self._subjects.pop()

    def visit_case_clause(self, node: Node) -> None:
        patterns = [plain(part) for part in parts_of(node) if part.type == "case_pattern"]
        pattern, names = patterns[0] if len(patterns) == 1 else node, [self._subjects[-1]]
        if pattern.type == "as_pattern":
            inner, name = parts_of(pattern)
            pattern, names = plain(inner), [*names, text_of(name)]
        tests: dict[str, Expression] = {}
        if pattern.type == "class_pattern":
            kind = self.expressions.of(parts_of(pattern)[0])
            tests = dict.fromkeys(names, InstanceOf(kind))
        self.expressions.narrowed.append(tests)
        self.walk_all(parts_of(node))
        self.expressions.narrowed.pop()


def _leaves(node: Node, body: Node | None) -> bool:
    """Whether what follows a block, on lines of its own, is reached only without it."""
    last = parts_of(body)[-1:] if body is not None else []
    if body is None or not last or last[0].type not in _LEAVING:
        return False
    colon = next(child for child in node.children if child.type == ":")
    return body.start_point.row > colon.start_point.row
