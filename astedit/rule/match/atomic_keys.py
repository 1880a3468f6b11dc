"""The keys of a rule object that hold no rule: each value to a compiled rule. (rules A6, R1)"""

import re
from collections.abc import Callable
from typing import Any as Raw

from astedit.language.traits import traits
from astedit.model.request import STRICTNESS
from astedit.pattern.compile import ERROR_KIND, compile_pattern
from astedit.rule.match.atomic import Kind, LineColumn, NthChild, PatternRule, Range, Regex
from astedit.rule.match.node import Rule, parse_position
from astedit.rule.match.relational import END, NEIGHBOR, All, Any, Follows, Has, Inside, Not
from astedit.rule.scope import ResolvesTo, Scope
from astedit.text import meant


def pattern(raw: Raw, scope: Scope, place: str) -> Rule:
    if isinstance(raw, str):
        raw = {"context": raw}
    raw = scope.keys(raw, place, ("context", "selector", "strictness"), "context")
    parts = {key: scope.text(value, f"{place}.{key}") for key, value in raw.items()}
    strictness = scope.choice(parts.get("strictness", "smart"), place, "strictness", STRICTNESS)
    selector = parts.get("selector")
    context = parts["context"]
    row, grammar = scope.row, scope.grammar
    pattern = scope.at(
        place, compile_pattern, context, row, grammar, selector=selector, strictness=strictness
    )
    return PatternRule(pattern, f"{scope.prefix}{place}")


def kind(raw: Raw, scope: Scope, place: str) -> Rule:
    language = scope.grammar.language
    unknown: list[str] = []

    def kind_of(name: str) -> Kind | None:
        if (found := language.id_for_node_kind(name, True)) is None:
            unknown.append(name)
            return None
        words = (traits(scope.row.name).facts.keywords or {}).get(name, ())
        tokens = [(language.id_for_node_kind(word, False), word.encode()) for word in words]
        known = tuple((token, text) for token, text in tokens if token is not None)
        return Kind(found, known if len(known) == len(tokens) else ())

    try:
        return _Parser(scope.text(raw, place), kind_of).whole()
    except ValueError as error:
        scope.fail(f"{error}, in {scope.row.label}", place, _kinds(scope, unknown))


def _kinds(scope: Scope, unknown: list[str]) -> str | None:
    """The hint for a kind that the grammar does not have: which was meant, and where to look."""
    if not unknown:
        return None
    language = scope.grammar.language
    names = [
        name
        for kind in range(language.node_kind_count)
        if language.node_kind_is_named(kind) and (name := language.node_kind_for_id(kind))
    ]
    return f"{meant(names, unknown[0])}`astedit explain -p CODE` shows the kinds of code."


def regex(raw: Raw, scope: Scope, place: str) -> Rule:
    try:
        return Regex(scope.text(raw, place))
    except ValueError as error:
        scope.fail(str(error), place, "Look-around and back-references are not available.")


def range_(raw: Raw, scope: Scope, place: str) -> Rule:
    raw = scope.keys(raw, place, ("start", "end"), "start", "end")
    start, end = (_place(raw[key], scope, f"{place}.{key}") for key in ("start", "end"))
    columns = (start.column, end.column)
    known = (columns[0] or 0, columns[1] or 0) if None not in columns else (0, 0)
    if (start.line, known[0]) > (end.line, known[1]):
        scope.fail("the start is behind the end", place)
    return Range(start, end)


def _place(raw: Raw, scope: Scope, place: str) -> LineColumn:
    raw = scope.keys(raw, place, ("line", "column"), "line")
    for key in raw:
        if not isinstance(raw[key], int) or isinstance(raw[key], bool) or raw[key] < 0:
            scope.fail("a number from 0 is expected here", f"{place}.{key}")
    return LineColumn(raw["line"], raw.get("column"))


def resolves_to(raw: Raw, scope: Scope, place: str) -> Rule:
    if scope.row.name != "python":
        scope.fail("names are resolved in Python only", place)
    listed = raw if isinstance(raw, list) else [raw]
    wanted = [scope.text(one, place) for one in listed]
    if not wanted or not all(part.isidentifier() for one in wanted for part in one.split(".")):
        scope.fail("a qualified name is expected here", place, "Such as requests.get.")
    return ResolvesTo(wanted, scope.resolver(place))


_NAME = re.compile(r"[A-Za-z_-][A-Za-z0-9_-]*")
_COMBINATOR = re.compile(r"\s*([>+~])\s*|\s+(?![\s),]|$)")
_POSITION = re.compile(r"[0-9nN+\- ]*")
_SPACE = re.compile(r"\s*")
_PSEUDO = ("has", "not", "is", "nth-child", "nth-last-child")
_MAX_DEPTH = 40

KindOf = Callable[[str], Kind | None]


class _Parser:
    """Compiles a selector; raises ValueError with what is wrong and at which character."""

    def __init__(self, text: str, kind_of: KindOf) -> None:
        self._text = text.rstrip()
        self._kind_of = kind_of
        self._at = 0
        self._depth = 0

    def whole(self) -> Rule:
        self._skip()
        rule = self._list()
        if self._at < len(self._text):
            raise self._unexpected()
        return rule

    def _list(self) -> Rule:
        rules = [self._complex()]
        while self._take(","):
            if self._at == len(self._text) or self._peek() == ")":
                break
            rules.append(self._complex())
        return rules[0] if len(rules) == 1 else Any(rules)

    def _complex(self) -> Rule:
        rule = self._compound()
        while found := _COMBINATOR.match(self._text, self._at):
            self._at = found.end()
            rule = All([self._compound(), _related(found[1], rule)])
        return rule

    def _compound(self) -> Rule:
        rules: list[Rule] = []
        if name := _NAME.match(self._text, self._at):
            rules.append(self._kind(name[0]))
            self._at = name.end()
        while self._peek() in (":", "."):
            if self._peek() == ".":
                raise self._error("fields and classes ('.') are reserved")
            rules.append(self._pseudo())
        if not rules:
            raise self._unexpected()
        return rules[0] if len(rules) == 1 else All(rules)

    def _kind(self, name: str) -> Rule:
        kind = Kind(ERROR_KIND) if name == "ERROR" else self._kind_of(name)
        if kind is None:
            raise self._error(f"there is no node kind {name!r}")
        return kind

    def _pseudo(self) -> Rule:
        name = _NAME.match(self._text, self._at + 1)
        if name is None or name[0] not in _PSEUDO:
            raise self._error(f"unknown pseudo-class; one of :{', :'.join(_PSEUDO)}")
        self._at = name.end()
        if not self._take("("):
            raise self._error("'(' expected")
        self._depth += 1
        if self._depth > _MAX_DEPTH:
            raise self._error(f"nested deeper than {_MAX_DEPTH} levels")
        rule = self._argument(name[0])
        self._depth -= 1
        self._skip()
        if self._peek() != ")":
            raise self._error("')' expected")
        self._at += 1
        return rule

    def _argument(self, name: str) -> Rule:
        if name == "is":
            return self._list()
        if name == "not":
            return Not(self._complex())
        if name == "has":
            direct = self._take(">")  # which stands before it
            return Has(self._complex(), NEIGHBOR if direct else END)
        return self._nth(reverse=name == "nth-last-child")

    def _nth(self, reverse: bool) -> Rule:
        found = _POSITION.match(self._text, self._at)
        assert found is not None
        try:
            position = parse_position(found[0])
        except ValueError as error:
            raise self._error(str(error)) from error
        self._at = found.end()
        of = []
        if name := _NAME.match(self._text, self._at):
            if name[0] != "of":
                raise self._unexpected()
            self._at = name.end()
            self._skip()
            of = [self._complex()]
        return NthChild(position, of, reverse)

    def _peek(self) -> str:
        return self._text[self._at : self._at + 1]

    def _skip(self) -> None:
        found = _SPACE.match(self._text, self._at)
        assert found is not None
        self._at = found.end()

    def _take(self, token: str) -> bool:
        """Takes a token with the space around it."""
        found = re.compile(rf"\s*{re.escape(token)}\s*").match(self._text, self._at)
        self._at = found.end() if found else self._at
        return found is not None

    def _unexpected(self) -> ValueError:
        what = repr(self._peek()) if self._peek() else "the end"
        return self._error(f"a selector expected, not {what}")

    def _error(self, problem: str) -> ValueError:
        return ValueError(f"{problem} (character {self._at + 1} of {self._text!r})")


def _related(combinator: str | None, left: Rule) -> Rule:
    """The rule that the node on the right must match."""
    if combinator == ">":
        return Inside(left)
    if combinator is None:
        return Inside(left, END)
    return Follows(left, NEIGHBOR if combinator == "+" else END)
