"""Rule objects, as YAML gives them, to compiled rules. (rules A6, C2, R1)"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any as Raw
from typing import NoReturn

from astedit.errors import RequestError
from astedit.language import Grammar, Row
from astedit.language.traits import traits
from astedit.model.request import STRICTNESS
from astedit.pattern.compile import compile_pattern
from astedit.rule.atomic import Kind, NthChild, PatternRule, Place, Range, Regex
from astedit.rule.composite import All, Any, Not
from astedit.rule.constraint import Constrained, Quantified
from astedit.rule.failure import captured, meant, one_of, wrong
from astedit.rule.names import Names, ResolvesTo
from astedit.rule.node import Rule, all_captures
from astedit.rule.position import Position, parse_position
from astedit.rule.relational import END, NEIGHBOR, Follows, Has, Inside, Precedes, Relation
from astedit.rule.selector import parse_selector
from astedit.rule.utility import RESERVED, Call, Globals, Named, Parameter, cycle

# A pattern such as f($A, $B) in { } ends at its comma.
_QUOTES = "A text with a comma or a brace needs quotes. "


@dataclass(slots=True)
class Scope:
    """What a rule object is compiled in: its language, and the names it may use."""

    row: Row
    grammar: Grammar
    rule: str | None = None
    path: str | None = None
    globals: Globals = field(default_factory=Globals)
    names: Names | None = None
    local_names: frozenset[str] = frozenset()
    locals: dict[str, Rule] = field(default_factory=dict)
    parameters: tuple[str, ...] = ()
    rewriters: frozenset[str] = frozenset()
    prefix: str = ""
    warnings: list[str] = field(default_factory=list)
    hints: list[str] = field(default_factory=list)  # for a rule that finds nothing

    def fail(
        self, problem: str, place: str, hint: str | None = None, key: str | None = None
    ) -> NoReturn:
        raise wrong(problem, self.prefix + place, self.rule, hint, self.path, key=key)

    def keys(self, raw: Raw, place: str, valid: Iterable[str]) -> dict[str, Raw]:
        """`raw` as an object with no other keys, and no null values (G1)."""
        if not isinstance(raw, dict):
            self.fail("an object is expected here", place)
        valid = tuple(valid)
        for key, value in raw.items():
            if key not in valid:
                hint = one_of(valid, key) if value is not None else _QUOTES + one_of(valid, key)
                self.fail(f"unknown key {key!r}", place, hint, key)
            if value is None:
                self.fail("the value is missing (null)", f"{place}.{key}", "Give it one.")
        return raw

    def resolver(self, place: str) -> Names:
        """Who says what names resolve to; fails where nobody was given."""
        if self.names is None:
            self.fail("nobody resolves names here", place)
        return self.names

    def text(self, raw: Raw, place: str) -> str:
        if not isinstance(raw, str):
            self.fail("a string is expected here", place)
        return raw


def compile_rule(raw: Raw, scope: Scope, place: str) -> Rule:
    """Compiles a rule object; its keys are tried in a fixed order and must all match."""
    mapping = scope.keys(raw, place, tuple(_KEYS))
    rules = [
        build(mapping[key], scope, f"{place}.{key}")
        for key, build in _KEYS.items()
        if key in mapping
    ]
    if not rules:
        scope.fail("the rule is empty", place, one_of(_KEYS))
    return rules[0] if len(rules) == 1 else All(rules)


def compile_utilities(raw: Raw, scope: Scope, place: str) -> None:
    """Compiles `utils:` into the scope, where rules find them by name."""
    mapping = scope.keys(raw, place, raw if isinstance(raw, dict) else ())
    for name in mapping:
        if not name or RESERVED & set(name):
            scope.fail(f"the id {name!r} may hold none of ( ) , =", place)
    scope.local_names |= frozenset(mapping)
    for name, rule in mapping.items():
        scope.locals[name] = compile_rule(rule, scope, f"{place}.{name}")
    if (guilty := cycle(scope.locals, scope.locals)) is not None:
        hint = "A utility may name itself only inside a relation (inside, has, …)."
        scope.fail("the utility depends on itself", f"{place}.{guilty}", hint)


def compile_constrained(mapping: Mapping[str, Raw], scope: Scope) -> Constrained:
    """Compiles `rule`, `constraints` and `utils` of a document."""
    if "utils" in mapping:
        compile_utilities(mapping["utils"], scope, "utils")
    rule = compile_rule(mapping.get("rule"), scope, "rule")
    raw = mapping.get("constraints", {})
    raw = scope.keys(raw, "constraints", raw if isinstance(raw, dict) else ())
    constraints = {
        name: _constraint(one, scope, f"constraints.{name}") for name, one in raw.items()
    }
    constrained = Constrained(rule, constraints)
    known = {*constrained.captures(), *all_captures(scope.locals.values())}
    for name in constraints:
        if name not in known:
            hint = captured(name, known)
            scope.fail(f"the rule captures no ${name}", f"constraints.{name}", hint)
    return constrained


def _constraint(raw: Raw, scope: Scope, place: str) -> Rule:
    """A rule, or how the items of a many-capture count: `{each|any|text: rule}` (K2)."""
    if not isinstance(raw, dict) or len(raw) != 1:
        return compile_rule(raw, scope, place)
    ((mode, inner),) = raw.items()
    if mode not in ("each", "any", "text") or not isinstance(inner, dict):
        return compile_rule(raw, scope, place)
    place = f"{place}.{mode}"
    if mode == "text":
        scope.keys(inner, place, ("regex",))
    return Quantified(mode, compile_rule(inner, scope, place))


# one key of a rule object each ------------------------------------------------------------


def _pattern(raw: Raw, scope: Scope, place: str) -> Rule:
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


def _kind(raw: Raw, scope: Scope, place: str) -> Rule:
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
    """Which kind was meant, and how to find out."""
    if not unknown:
        return None
    language = scope.grammar.language
    names = [
        name
        for kind in range(language.node_kind_count)
        if language.node_kind_is_named(kind) and (name := language.node_kind_for_id(kind))
    ]
    return f"{meant(names, unknown[0])}`astedit explain -p CODE` shows the kinds of code."


def _regex(raw: Raw, scope: Scope, place: str) -> Rule:
    try:
        return Regex(scope.text(raw, place))
    except ValueError as error:
        scope.fail(str(error), place, "Look-around and back-references are not available.")


def _nth_child(raw: Raw, scope: Scope, place: str) -> Rule:
    if not isinstance(raw, dict):
        return NthChild(_position(raw, scope, place), None, False)
    scope.keys(raw, place, ("position", "ofRule", "reverse"))
    if "position" not in raw:
        scope.fail("'position' is missing", place)
    reverse = raw.get("reverse", False)
    if not isinstance(reverse, bool):
        scope.fail("true or false is expected here", f"{place}.reverse")
    of = compile_rule(raw["ofRule"], scope, f"{place}.ofRule") if "ofRule" in raw else None
    return NthChild(_position(raw["position"], scope, f"{place}.position"), of, reverse)


def _position(raw: Raw, scope: Scope, place: str) -> Position:
    if isinstance(raw, int) and not isinstance(raw, bool) and raw >= 0:
        return Position(0, raw)
    try:
        return parse_position(scope.text(raw, place))
    except ValueError as error:
        scope.fail(str(error), place)


def _range(raw: Raw, scope: Scope, place: str) -> Rule:
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


def _place(raw: Raw, scope: Scope, place: str) -> Place:
    raw = scope.keys(raw, place, ("line", "column"))
    for key in raw:
        if not isinstance(raw[key], int) or isinstance(raw[key], bool) or raw[key] < 0:
            scope.fail("a number from 0 is expected here", f"{place}.{key}")
    if "line" not in raw:
        scope.fail("'line' is missing", place)
    return Place(raw["line"], raw.get("column"))


def _resolves_to(raw: Raw, scope: Scope, place: str) -> Rule:
    if scope.row.name != "python":
        scope.fail("names are resolved in Python only", place)
    listed = raw if isinstance(raw, list) else [raw]
    wanted = [scope.text(one, place) for one in listed]
    if not wanted or not all(part.isidentifier() for one in wanted for part in one.split(".")):
        scope.fail("a qualified name is expected here", place, "Such as requests.get.")
    return ResolvesTo(wanted, scope.resolver(place))


def _list(raw: Raw, scope: Scope, place: str) -> list[Rule]:
    if not isinstance(raw, list):
        scope.fail("a list of rules is expected here", place)
    return [compile_rule(one, scope, f"{place}[{at}]") for at, one in enumerate(raw)]


def _matches(raw: Raw, scope: Scope, place: str) -> Rule:
    if isinstance(raw, str):
        return _named(raw, scope, place)
    calls = scope.keys(raw, place, raw if isinstance(raw, dict) else ())
    if not calls:
        scope.fail("the call names no utility", place)
    rules = [_call(name, args, scope, f"{place}.{name}") for name, args in calls.items()]
    return rules[0] if len(rules) == 1 else All(rules)


def _named(name: str, scope: Scope, place: str) -> Rule:
    if name in scope.parameters:
        return Parameter(name)
    if name in scope.local_names:
        return Named(name, scope.locals)
    if name not in scope.globals.arguments:
        known = sorted({*scope.local_names, *scope.globals.arguments})
        hint = one_of(known, name) if known else _NO_UTILITY
        scope.fail(f"the utility {name!r} is not defined", place, hint)
    if scope.globals.arguments[name]:
        scope.fail(f"the utility {name!r} needs arguments", place)
    return Named(name, scope.globals.rules)


def _call(name: str, raw: Raw, scope: Scope, place: str) -> Rule:
    if name in scope.parameters:
        scope.fail(f"the parameter {name!r} takes no arguments", place)
    if name not in scope.local_names and name not in scope.globals.arguments:
        known = sorted({*scope.local_names, *scope.globals.arguments})
        hint = one_of(known, name) if known else _NO_UTILITY
        scope.fail(f"the utility {name!r} is not defined", place, hint)
    wanted = () if name in scope.local_names else scope.globals.arguments[name]
    if not wanted:
        scope.fail(f"the utility {name!r} takes no arguments", place)
    given = scope.keys(raw, place, raw if isinstance(raw, dict) else ())
    for argument in given:
        if argument not in wanted:
            scope.fail(f"{name!r} has no argument {argument!r}", place, one_of(wanted, argument))
    for argument in wanted:
        if argument not in given:
            scope.fail(f"{name!r} misses its argument {argument!r}", place)
    arguments = {key: compile_rule(one, scope, f"{place}.{key}") for key, one in given.items()}
    return Call(name, scope.globals.rules, arguments)


def _relation(make: type[Relation], with_field: bool) -> Callable[[Raw, Scope, str], Rule]:
    def build(raw: Raw, scope: Scope, place: str) -> Rule:
        raw = scope.keys(_known(raw, scope, place), place, _RELATION_KEYS)
        rule = {key: value for key, value in raw.items() if key in _KEYS}
        stop = compile_stop(raw.get("stopBy", NEIGHBOR), scope, f"{place}.stopBy")
        if stop == NEIGHBOR and "stopBy" not in raw:
            scope.hints.append(f"{place} {_NEAREST[make]}; `stopBy: end` looks further.")
        name = raw.get("field")
        if name is not None:
            if not with_field:
                scope.fail("'field' goes with inside and has only", place)
            known = scope.grammar.language.field_id_for_name(scope.text(name, f"{place}.field"))
            if known is None:
                hint = one_of(_fields(scope.grammar.language), name)
                scope.fail(f"{scope.row.label} has no field {name!r}", f"{place}.field", hint)
        return make(compile_rule(rule, scope, place), stop, name)

    return build


def _fields(language: Raw) -> list[str]:
    names = (language.field_name_for_id(id) for id in range(1, language.field_count + 1))
    return [name for name in names if name]


def _known(raw: Raw, scope: Scope, place: str) -> Raw:
    """A relation without its unknown keys: ast-grep overlooks them, and rules rely on it."""
    if not isinstance(raw, dict):
        return raw
    for key in raw:
        if key not in _RELATION_KEYS:
            hint = one_of(_RELATION_KEYS, key)
            scope.warnings.append(f"{scope.prefix}{place}: unknown key {key!r} ignored. {hint}")
    return {key: value for key, value in raw.items() if key in _RELATION_KEYS}


def compile_stop(raw: Raw, scope: Scope, place: str) -> str | Rule:
    """`stopBy`: a word, or the rule whose node is the last one tried."""
    if isinstance(raw, str):
        if raw not in (NEIGHBOR, END):
            scope.fail(f"unknown stop {raw!r}", place, "neighbor, end, or a rule.")
        return raw
    return compile_rule(raw, scope, place)


# The order is part of the language: captures flow from one key to the next (C2).
_KEYS: dict[str, Callable[[Raw, Scope, str], Rule]] = {
    "pattern": _pattern,
    "kind": _kind,
    "regex": _regex,
    "nthChild": _nth_child,
    "range": _range,
    "resolvesTo": _resolves_to,
    "all": lambda raw, scope, place: All(_list(raw, scope, place)),
    "any": lambda raw, scope, place: Any(_list(raw, scope, place)),
    "not": lambda raw, scope, place: Not(compile_rule(raw, scope, place)),
    "matches": _matches,
    "inside": _relation(Inside, True),
    "has": _relation(Has, True),
    "precedes": _relation(Precedes, False),
    "follows": _relation(Follows, False),
}
_NO_UTILITY = "None is: write it below `utils`, or in a file of a directory in utilDirs."
_BESIDE = "looks at the very next sibling only, commas and comments included"
_NEAREST = {
    Inside: "looks at the parent only",
    Has: "looks at direct children only",
    Precedes: _BESIDE,
    Follows: _BESIDE,
}
RULE_KEYS = tuple(_KEYS)
_RELATION_KEYS = (*_KEYS, "stopBy", "field")
