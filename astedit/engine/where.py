"""What the captures of an op's pattern must be: its `where` and `where_kind`. (rules K1, K4)

Imported only by requests that have them.
"""

from collections.abc import Iterator, Mapping

from astedit.errors import RequestError
from astedit.model.request import Op
from astedit.pattern.compile import Pattern
from astedit.rule import atomic_keys
from astedit.rule.atomic import PatternRule, Regex
from astedit.rule.composite import All
from astedit.rule.constraint import Constrained
from astedit.rule.document import Document
from astedit.rule.failure import RuleError, captured
from astedit.rule.find import RuleFinder
from astedit.rule.node import Rule
from astedit.rule.scope import Scope


class WhereFinder(RuleFinder):
    """Finds an op's `pattern` where its captures are what the op asks for."""

    def __init__(self, op: Op, pattern: Pattern) -> None:
        """Raises `RequestError` for a condition that is wrong."""
        document = Document(op.label, (pattern.row,), "hint", {}, None)
        conditions = {name: All(rules) for name, rules in _conditions(op, pattern).items()}
        rule = Constrained(PatternRule(pattern), conditions)
        super().__init__(document, rule, pattern.grammar, None, pattern.captures)
        self.pattern = pattern


def _conditions(op: Op, pattern: Pattern) -> Mapping[str, list[Rule]]:
    """What each capture must be, by its name."""
    conditions: dict[str, list[Rule]] = {}
    for name, expression in _named(op.where, pattern, "where"):
        conditions.setdefault(name, []).append(_regex(name, expression))
    for name, kind in _named(op.where_kind, pattern, "where_kind"):
        conditions.setdefault(name, []).append(_kind(name, kind, pattern))
    return conditions


def _named(
    texts: Mapping[str, str] | None, pattern: Pattern, key: str
) -> Iterator[tuple[str, str]]:
    """The conditions, with the names as the pattern has them: `$A` is `A`."""
    for spelled, text in (texts or {}).items():
        name = spelled.lstrip("$")
        if name not in pattern.captures:
            raise RequestError(
                f"{key} is about ${name}, and the pattern {pattern.text!r} captures no ${name}.",
                hint=captured(name, pattern.captures),
                code="undefined_metavariable",
            )
        yield name, text


def _regex(name: str, expression: str) -> Rule:
    try:
        return Regex(expression)
    except ValueError as error:
        hint = "It is searched in the text of the capture; (?=…) and \\1 are not available."
        raise RequestError(f"where, ${name}: {error}.", hint=hint, code="bad_regex") from error


def _kind(name: str, kind: str, pattern: Pattern) -> Rule:
    try:
        return atomic_keys.kind(kind, Scope(pattern.row, pattern.grammar), f"${name}")
    except RuleError as error:
        problem = error.message.removeprefix("A rule, ")
        raise RequestError(
            f"where_kind, {problem}.", hint=error.hint, code="unknown_kind"
        ) from error
