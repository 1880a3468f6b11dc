"""Reads the expressions of a module's tree as the nodes of `expression.py`, and walks through it.

The walk knows what tests say of a name in the code behind them.
"""

from collections.abc import Callable, Sequence
from functools import reduce

from tree_sitter import Node

from astedit.python import expression as ex
from astedit.python.expression import Expression
from astedit.python.scopes import BUILTIN, NameScope, Scopes
from astedit.python.syntax import (
    SUBSCRIPTS,
    TUPLES,
    arguments,
    child_of,
    dotted,
    evaluated,
    inside,
    last_name,
    parsed,
    parts_of,
    plain,
    starred,
    subject_of,
    text_of,
)

_COPIES = ("list", "tuple", "set", "sorted", "iter", "reversed", "next")
_ALTERNATIVES = ("Optional", "Union", "Annotated", "Final", "ClassVar", "Awaitable")
_OPERATORS = {
    "+": "__add__",
    "-": "__sub__",
    "*": "__mul__",
    "/": "__truediv__",
    "//": "__floordiv__",
    "%": "__mod__",
    "&": "__and__",
    "|": "__or__",
    "^": "__xor__",
}
_LITERALS = {
    "string": "str",
    "concatenated_string": "str",
    "integer": "int",
    "float": "int",
    "dictionary": "dict",
    "dictionary_comprehension": "dict",
    "comparison_operator": "bool",
    "lambda": "function",
    "true": "type True",
    "false": "type False",
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
        self._scope: NameScope | None = None  # of the text that is read as an annotation

    def of(self, node: Node | None) -> Expression | None:
        """Where the value of an expression comes from."""
        node = plain(node) if node is not None else None
        if node is None:
            return None
        field = node.child_by_field_name
        match node.type:
            case "identifier":
                return self._name(node)
            case "none":
                return ex.OneOf(())
            case "attribute":
                return ex.MemberOf(self.of(field("object")), text_of(field("attribute")))
            case "dotted_name":
                first, *rest = parts_of(node)
                return reduce(ex.MemberOf, map(text_of, rest), self._name(first))
            case "call":
                return self._call(node)
            case "await":
                return self.of(parts_of(node)[0])
            case "named_expression":
                return self.of(field("value"))
            case "conditional_expression":
                body, _, other = parts_of(node)
                return ex.OneOf((self.of(body), self.of(other)))
            case "boolean_operator":
                return ex.OneOf((self.of(field("left")), self.of(field("right"))))
            case "subscript":
                parts = node.children_by_field_name("subscript")
                value = self.of(field("value"))
                return value if any(p.type == "slice" for p in parts) else ex.ElementOf(value)
            case "generic_type":
                return ex.ElementOf(self.of(parts_of(node)[0]))
            case "binary_operator" | "union_type":
                method = _OPERATORS.get(text_of(field("operator")) or "|")
                left = field("left") or parts_of(node)[0]
                return ex.CallResult(ex.MemberOf(self.of(left), method)) if method else None
            case "tuple" | "list" | "set" | "expression_list":
                return ex.ContainerOf(tuple(map(self._element, parts_of(node))))
            case "list_comprehension" | "set_comprehension" | "generator_expression":
                return ex.ContainerOf((self.of(field("body")),))
        literal = _LITERALS.get(node.type)
        return ex.BuiltinValue(literal) if literal is not None else None

    def _element(self, node: Node) -> Expression | None:
        inner, star = starred(node)
        return ex.ElementOf(self.of(inner)) if star else self.of(inner)

    def _name(self, node: Node) -> Expression:
        return self.named(text_of(node), self._scopes.of(node) or self._scope)

    def named(self, name: str, scope: NameScope | None) -> Expression:
        """Where the value of a name in a scope comes from; it may be dotted."""
        name, *rest = name.split(".")
        if rest:
            return reduce(ex.MemberOf, rest, self.named(name, scope))
        for tests in reversed(self.narrowed):
            if name in tests:
                return tests[name]
        names = self._scopes.bound(scope, name)
        if names == (BUILTIN,):
            return ex.BuiltinValue(f"type {name}")
        return ex.OneOf(tuple(map(ex.BoundName, names))) if names else ex.UnboundName(name)

    def tested(self, test: Node | None) -> dict[str, Expression]:
        """What holds of names where a test does: its `isinstance`, joined by `and`."""
        test = plain(test) if test is not None else None
        if test is None:
            return {}
        is_joined = text_of(test.child_by_field_name("operator")) == "and"
        if test.type == "boolean_operator" and is_joined:
            left, right = test.child_by_field_name("left"), test.child_by_field_name("right")
            return self.tested(left) | self.tested(right)
        if test.type != "call" or dotted(test) != "isinstance":
            return {}
        args = [argument.value for argument in arguments(test)]
        if len(args) != 2 or args[0].type != "identifier":
            return {}
        kinds = ex.OneOf(tuple(ex.InstanceOf(self.of(k)) for k in alternatives(args[1])))
        return {text_of(args[0]): ex.TestedValue(self._name(args[0]), kinds)}

    # -- calls -----------------------------------------------------------------------------

    def _call(self, node: Node) -> Expression | None:
        function = plain(child_of(node, "function"))
        name = text_of(function) if function.type == "identifier" else ""
        args = arguments(node)
        if name == "super" and self._classes:
            return ex.SuperOf(self._classes[-1])
        if name == "type" and len(args) == 1:
            return ex.TypeOf(self.of(args[0].value))
        if name in ("enumerate", "zip") and (columns := self.columns(node)):
            return ex.ContainerOf((ex.ContainerOf(tuple(columns)),))
        if name in ("max", "min") and args:
            # an element of the only argument, or one of several
            values = tuple(self.of(arg.value) for arg in args if arg.keyword is None)
            return ex.ElementOf(values[0]) if len(values) == 1 else ex.OneOf(values)
        if name in _COPIES and args:
            element = ex.ElementOf(self.of(args[0].value))
            return element if name == "next" else ex.ContainerOf((element,))
        last = last_name(function)
        if last == "partial" and args:
            return self.of(args[0].value)  # what calls it calls that
        if last == "cast" and len(args) == 2:
            return ex.OneOf((ex.InstanceOf(self.annotation(args[0].value)),))
        copied = _copied(node)
        return ex.CallResult(self.of(function)) if copied is None else self.of(copied)

    def columns(self, node: Node | None) -> list[Expression]:
        """What the targets of a loop over `enumerate` or `zip` are; [] of anything else."""
        node = plain(node) if node is not None else None
        if node is None or node.type != "call":
            return []
        args = arguments(node)
        if any(arg.star for arg in args):
            return []
        elements = [ex.ElementOf(self.of(arg.value)) for arg in args if arg.keyword is None]
        match dotted(node):
            case "zip":
                return [*elements]
            case "enumerate":
                return [ex.BuiltinValue("int"), *elements[:1]]
        return []

    # -- annotations -----------------------------------------------------------------------

    def annotation(self, node: Node) -> Expression | None:
        """What an annotation names. `InstanceOf` it is what has the annotation."""
        node = plain(node)
        if node.type in ("string", "concatenated_string"):
            return self._quoted(node)
        if node.type in ("binary_operator", "union_type"):
            return ex.OneOf(tuple(map(self.annotation, parts_of(node))))
        if self._classes and last_name(node) == "Self":
            return ex.BoundName(self._classes[-1])
        return self._generic(node) if node.type in SUBSCRIPTS else self.of(node)

    def _generic(self, node: Node) -> Expression:
        kind = last_name(subject_of(node))
        parts = tuple(self.annotation(p) for p in inside(node) if p.type != "ellipsis")
        if kind in _ALTERNATIVES:
            parts = parts[:1] if kind == "Annotated" else parts
            return ex.OneOf((*parts, ex.OneOf(())) if kind == "Optional" else parts)
        if kind in ("Type", "type"):
            return ex.ClassAnnotation(parts)
        if kind == "Callable":
            parts = parts[-1:]  # what it returns
        elif kind.endswith("Generator"):
            parts = parts[:1]  # what it yields
        origin = self.of(subject_of(node))
        return ex.GenericAnnotation(origin, tuple(ex.InstanceOf(part) for part in parts))

    def _quoted(self, node: Node) -> Expression | None:
        """What a text names that is an annotation: any type, in the scope of the text."""
        value = evaluated(node)
        root = parsed(value.strip().encode()) if isinstance(value, str) else None
        parts = parts_of(root) if root is not None and not root.has_error else []
        if len(parts) != 1 or parts[0].type != "expression_statement":
            return None
        outer, self._scope = self._scope, self._scopes.of(node) or self._scope
        types = [self.annotation(part) for part in parts_of(parts[0])]
        self._scope = outer
        return types[0] if len(types) == 1 else None


def alternatives(node: Node) -> list[Node]:
    """The classes of `isinstance` or `except`: those of a tuple, or the only one."""
    node = plain(node)
    return [starred(part)[0] for part in parts_of(node)] if node.type in TUPLES else [node]


def _copied(node: Node) -> Node | None:
    """What a call gives an equal of: a copy, or what comes back from a pickle."""
    args = arguments(node)
    first = args[0].value if args and args[0].keyword is None and not args[0].star else None
    if dotted(node) in ("copy.copy", "copy.deepcopy", "deepcopy"):
        return first
    if first is not None and first.type == "call" and dotted(node) == "pickle.loads":
        pickled = arguments(first)
        return pickled[0].value if dotted(first) == "pickle.dumps" and pickled else None
    return None


_LEAVING = ("return_statement", "raise_statement", "continue_statement")


class Narrowing:
    """Keeps `expressions.narrowed` on its way; `visit_KIND` visits a node of that kind."""

    def __init__(self, expressions: ExpressionReader) -> None:
        self.expressions = expressions
        self.functions: list[str] = []  # those around what is read, the innermost last
        self._subjects: list[Node | None] = []  # of the match statements around, if they are names
        self._methods: dict[str, Callable[[Node], None]] = {
            name.removeprefix("visit_"): getattr(self, name)
            for name in dir(self)
            if name.startswith("visit_")
        }

    def walk(self, node: Node | None) -> None:
        """Visits a node: its own method does that, or visits what is below it."""
        if node is None:
            return
        if (method := self._methods.get(node.type)) is not None:
            method(node)
        else:
            self.walk_all(node.named_children)

    def walk_all(self, nodes: Sequence[Node | None]) -> None:
        """Visits nodes in order."""
        for node in nodes:
            self.walk(node)

    def walk_fields(self, node: Node, *names: str) -> None:
        """Visits fields of a node, in this order."""
        for name in names:
            self.walk_all(node.children_by_field_name(name))

    # -- tests -------------------------------------------------------------------------------

    def _under(self, tests: dict[str, Expression], nodes: Sequence[Node | None]) -> None:
        """Visits nodes where the tests hold."""
        self.expressions.narrowed.append(tests)
        self.walk_all(nodes)
        self.expressions.narrowed.pop()

    def visit_if_statement(self, node: Node) -> None:
        test, body = node.child_by_field_name("condition"), node.child_by_field_name("consequence")
        self.walk(test)
        self._under(self.expressions.tested(test), [body])
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
        if self.functions:
            self.expressions.narrowed[-1].update(self.expressions.tested(test))

    def visit_conditional_expression(self, node: Node) -> None:
        body, test, other = parts_of(node)
        self._under(self.expressions.tested(test), [body])
        self.walk_all((test, other))

    def visit_boolean_operator(self, node: Node) -> None:
        left = node.child_by_field_name("left")
        self.walk(left)
        joined = text_of(node.child_by_field_name("operator")) == "and"
        tests = self.expressions.tested(left) if joined else {}
        self._under(tests, node.children_by_field_name("right"))

    def visit_match_statement(self, node: Node) -> None:
        subjects = [plain(item) for item in node.children_by_field_name("subject")]
        self.walk_all(subjects)
        is_name = len(subjects) == 1 and subjects[0].type == "identifier"
        self._subjects.append(subjects[0] if is_name else None)
        self.walk_fields(node, "body")
        self._subjects.pop()

    def visit_case_clause(self, node: Node) -> None:
        patterns = [plain(part) for part in parts_of(node) if part.type == "case_pattern"]
        pattern, subject = patterns[0] if len(patterns) == 1 else node, self._subjects[-1]
        names = [text_of(subject)]
        if pattern.type == "as_pattern":
            inner, name = parts_of(pattern)
            pattern, names = plain(inner), [*names, text_of(name)]
        tests: dict[str, Expression] = {}
        if pattern.type == "class_pattern":
            kind = self.expressions.of(parts_of(pattern)[0])
            value = ex.TestedValue(self.expressions.of(subject), ex.InstanceOf(kind))
            tests = dict.fromkeys(names, value)
        self._under(tests, parts_of(node))


def _leaves(node: Node, body: Node | None) -> bool:
    """Whether what follows a block, on lines of its own, is reached only without it."""
    last = parts_of(body)[-1:]
    if body is None or not last or last[0].type not in _LEAVING:
        return False
    colon = next(child for child in node.children if child.type == ":")
    return body.start_point.row > colon.start_point.row
