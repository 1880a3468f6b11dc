"""The keys of a rule object that hold no rule: each value to a compiled rule. (rules A6, R1)"""

from typing import Any as Raw

from astedit.errors import RequestError
from astedit.language.traits import traits
from astedit.model.request import STRICTNESS
from astedit.pattern.compile import compile_pattern
from astedit.rule.atomic import Kind, LineColumn, PatternRule, Range, Regex
from astedit.rule.failure import one_of
from astedit.rule.names import ResolvesTo
from astedit.rule.node import Rule
from astedit.rule.scope import Scope
from astedit.rule.selector import parse_selector
from astedit.text.alike import meant


def pattern(raw: Raw, scope: Scope, place: str) -> Rule:
    if isinstance(raw, str):
        raw = {"context": raw}
    raw = scope.keys(raw, place, ("context", "selector", "strictness"))
    if "context" not in raw:
        scope.fail("'context' is missing", place)
    parts = {key: scope.text(value, f"{place}.{key}") for key, value in raw.items()}
    strictness = parts.get("strictness", "smart")
    if strictness not in STRICTNESS:
        scope.fail(f"unknown strictness {strictness!r}", place, one_of(STRICTNESS, strictness))
    selector = parts.get("selector")
    context = parts["context"]
    try:
        pattern = compile_pattern(
            context, scope.row, scope.grammar, selector=selector, strictness=strictness
        )
    except RequestError as error:
        scope.fail(error.message, place, error.hint)
    return PatternRule(pattern, f"{scope.prefix}{place}")


def kind(raw: Raw, scope: Scope, place: str) -> Rule:
    language = scope.grammar.language
    unknown: list[str] = []

    def kind_of(name: str) -> Kind | None:
        found = language.id_for_node_kind(name, True)
        if found is None:
            unknown.append(name)
            return None
        words = (traits(scope.row.name).facts.keywords or {}).get(name, ())
        tokens = [(language.id_for_node_kind(word, False), word.encode()) for word in words]
        known = tuple((token, text) for token, text in tokens if token is not None)
        return Kind(found, known if len(known) == len(tokens) else ())

    try:
        return parse_selector(scope.text(raw, place), kind_of)
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
    raw = scope.keys(raw, place, ("start", "end"))
    places = []
    for key in ("start", "end"):
        if key not in raw:
            scope.fail(f"{key!r} is missing", place)
        places.append(_place(raw[key], scope, f"{place}.{key}"))
    start, end = places
    columns = (start.column, end.column)
    known = (columns[0] or 0, columns[1] or 0) if None not in columns else (0, 0)
    if (start.line, known[0]) > (end.line, known[1]):
        scope.fail("the start is behind the end", place)
    return Range(start, end)


def _place(raw: Raw, scope: Scope, place: str) -> LineColumn:
    raw = scope.keys(raw, place, ("line", "column"))
    for key in raw:
        if not isinstance(raw[key], int) or isinstance(raw[key], bool) or raw[key] < 0:
            scope.fail("a number from 0 is expected here", f"{place}.{key}")
    if "line" not in raw:
        scope.fail("'line' is missing", place)
    return LineColumn(raw["line"], raw.get("column"))


def resolves_to(raw: Raw, scope: Scope, place: str) -> Rule:
    if scope.row.name != "python":
        scope.fail("names are resolved in Python only", place)
    listed = raw if isinstance(raw, list) else [raw]
    wanted = [scope.text(one, place) for one in listed]
    if not wanted or not all(part.isidentifier() for one in wanted for part in one.split(".")):
        scope.fail("a qualified name is expected here", place, "Such as requests.get.")
    return ResolvesTo(wanted, scope.resolver(place))
