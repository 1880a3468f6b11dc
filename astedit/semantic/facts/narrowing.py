"""What tests say of a name in the code that is reached only if they hold."""

import libcst as cst

from astedit.semantic.facts.expression import Expression, InstanceOf
from astedit.semantic.facts.expression_reader import ExpressionReader


class Narrowing(cst.CSTVisitor):
    """Keeps `expressions.narrowed` while a module is visited."""

    def __init__(self, expressions: ExpressionReader) -> None:
        super().__init__()
        self.expressions = expressions
        self._subjects: list[str] = []  # of the match statements around, "" for no name

    def in_function(self) -> bool:
        """Whether what stands here is within a function."""
        raise NotImplementedError

    def visit_If_body(self, node: cst.If) -> None:
        self.expressions.narrowed.append(self.expressions.tested(node.test))

    def leave_If_body(self, node: cst.If) -> None:
        self.expressions.narrowed.pop()
        test = node.test
        ends = isinstance(node.body, cst.IndentedBlock) and _leaves(node.body)
        if ends and isinstance(test, cst.UnaryOperation) and isinstance(test.operator, cst.Not):
            self._holds(test.expression)

    def visit_Assert(self, node: cst.Assert) -> None:
        self._holds(node.test)

    def _holds(self, test: cst.BaseExpression) -> None:
        """The test holds from here to the end of the function, where the narrowing ends."""
        if self.in_function():
            self.expressions.narrowed[-1].update(self.expressions.tested(test))

    def visit_IfExp_body(self, node: cst.IfExp) -> None:
        self.expressions.narrowed.append(self.expressions.tested(node.test))

    def leave_IfExp_body(self, node: cst.IfExp) -> None:
        self.expressions.narrowed.pop()

    def visit_MatchCase(self, node: cst.MatchCase) -> None:
        pattern: cst.MatchPattern | None = node.pattern
        names = [self._subjects[-1]]
        if isinstance(pattern, cst.MatchAs):
            names += [pattern.name.value] if pattern.name is not None else []
            pattern = pattern.pattern
        tests: dict[str, Expression] = {}
        if isinstance(pattern, cst.MatchClass):
            tests = dict.fromkeys(names, InstanceOf(self.expressions.of(pattern.cls)))
        self.expressions.narrowed.append(tests)

    def leave_MatchCase(self, original_node: cst.MatchCase) -> None:
        self.expressions.narrowed.pop()

    def visit_Match(self, node: cst.Match) -> None:
        self._subjects.append(node.subject.value if isinstance(node.subject, cst.Name) else "")

    def leave_Match(self, original_node: cst.Match) -> None:
        self._subjects.pop()

    def visit_BooleanOperation_right(self, node: cst.BooleanOperation) -> None:
        joined = isinstance(node.operator, cst.And)
        self.expressions.narrowed.append(self.expressions.tested(node.left) if joined else {})

    def leave_BooleanOperation_right(self, node: cst.BooleanOperation) -> None:
        self.expressions.narrowed.pop()


def _leaves(body: cst.IndentedBlock) -> bool:
    """Whether what follows a block is reached only without it."""
    last = body.body[-1] if body.body else None
    statement = last.body[-1] if isinstance(last, cst.SimpleStatementLine) else None
    return isinstance(statement, cst.Return | cst.Raise | cst.Continue)
