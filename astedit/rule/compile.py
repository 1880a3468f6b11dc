"""Rule objects, as YAML gives them, to compiled rules: one row a key. (rules A6, C2, R1)"""

from collections.abc import Callable, Mapping
from typing import Any as Raw
from typing import NamedTuple

from astedit.json_model import FLAG, TEXT, Schema
from astedit.limits import check_deadline
from astedit.model.request import STRICTNESS
from astedit.rule.failure import captured, one_of
from astedit.rule.match import atomic_keys
from astedit.rule.match.atomic import NthChild
from astedit.rule.match.constraint import Constrained, Quantified
from astedit.rule.match.node import Position, Rule, all_captures, parse_position
from astedit.rule.match.relational import (
    END,
    NEIGHBOR,
    All,
    Any,
    Follows,
    Has,
    Inside,
    Not,
    Precedes,
    Relation,
)
from astedit.rule.match.utility import RESERVED, Named, Parameter, UtilityCall, cycle
from astedit.rule.scope import Scope

RULE: Schema = {"$ref": "#/$defs/rule"}
RELATION: Schema = {"$ref": "#/$defs/relation"}
POSITION: Schema = {"type": ["integer", "string"]}


def object_of(properties: Schema, *required: str) -> Schema:
    """An object with these keys and no others."""
    schema: Schema = {"type": "object", "properties": properties, "additionalProperties": False}
    return schema | ({"required": list(required)} if required else {})


def either(*schemas: Schema) -> Schema:
    """A value that one of these accepts."""
    return {"anyOf": list(schemas)}


def list_of(item: Schema) -> Schema:
    """A list of such items."""
    return {"type": "array", "items": item}


def each(value: Schema) -> Schema:
    """An object with keys of the user's own, and such values."""
    return {"type": "object", "additionalProperties": value}


PLACE = object_of({"line": {"type": "integer"}, "column": {"type": "integer"}}, "line")


Compile = Callable[[Raw, Scope, str], Rule]


class RuleKey(NamedTuple):
    """One key of a rule object: its name, what compiles its value, and what it may hold."""

    name: str
    compile: Compile
    schema: Schema


def compile_rule(raw: Raw, scope: Scope, place: str) -> Rule:
    """Compiles a rule object; its keys are tried in a fixed order and must all match."""
    check_deadline()
    mapping = scope.keys(raw, place, _NAMES)
    rules = [
        key.compile(mapping[key.name], scope, f"{place}.{key.name}")
        for key in RULE_KEYS
        if key.name in mapping
    ]
    if not rules:
        scope.fail("the rule is empty", place, one_of(_NAMES))
    return rules[0] if len(rules) == 1 else All(rules)


def _compile_utilities(raw: Raw, scope: Scope) -> None:
    """Compiles `utils:` into the scope, where rules find them by name."""
    mapping = scope.mapping(raw, "utils")
    for name in mapping:
        if not name or RESERVED & set(name):
            scope.fail(f"the id {name!r} may hold none of ( ) , =", "utils")
    scope.local_names |= frozenset(mapping)
    for name, rule in mapping.items():
        scope.locals[name] = compile_rule(rule, scope, f"utils.{name}")
    if (guilty := cycle(scope.locals, scope.locals)) is not None:
        hint = "A utility may name itself only inside a relation (inside, has, …)."
        scope.fail("the utility depends on itself", f"utils.{guilty}", hint)


def compile_constrained(mapping: Mapping[str, Raw], scope: Scope) -> Constrained:
    """Compiles `rule`, `constraints` and `utils` of a document."""
    if "utils" in mapping:
        _compile_utilities(mapping["utils"], scope)
    rule = compile_rule(mapping.get("rule"), scope, "rule")
    constraints = {
        name: _constraint(raw, scope, f"constraints.{name}")
        for name, raw in scope.mapping(mapping.get("constraints", {}), "constraints").items()
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


def _nth_child(raw: Raw, scope: Scope, place: str) -> Rule:
    if not isinstance(raw, dict):
        return NthChild(_position(raw, scope, place), (), False)
    raw = _known(raw, scope, place, tuple(_NTH_CHILD))
    raw = scope.keys(raw, place, _NTH_CHILD, "position")
    reverse = scope.flag(raw.get("reverse", False), f"{place}.reverse")
    of = [compile_rule(raw["ofRule"], scope, f"{place}.ofRule")] if "ofRule" in raw else []
    return NthChild(_position(raw["position"], scope, f"{place}.position"), of, reverse)


def _position(raw: Raw, scope: Scope, place: str) -> Position:
    if isinstance(raw, int) and not isinstance(raw, bool) and raw >= 0:
        return Position(0, raw)
    return scope.at(place, parse_position, scope.text(raw, place))


def _list(raw: Raw, scope: Scope, place: str) -> list[Rule]:
    rules = enumerate(scope.items(raw, place, "rules"))
    return [compile_rule(one, scope, f"{place}[{at}]") for at, one in rules]


def _matches(raw: Raw, scope: Scope, place: str) -> Rule:
    if isinstance(raw, str):
        return _named(raw, scope, place)
    calls = scope.mapping(raw, place)
    if not calls:
        scope.fail("the call names no utility", place)
    rules = [_call(name, args, scope, f"{place}.{name}") for name, args in calls.items()]
    return rules[0] if len(rules) == 1 else All(rules)


def _named(name: str, scope: Scope, place: str) -> Rule:
    if name in scope.parameters:
        return Parameter(name)
    if name in scope.local_names:
        return Named(name, scope.locals, scope.globals.known)
    if _arguments(name, scope, place):
        scope.fail(f"the utility {name!r} needs arguments", place)
    return Named(name, scope.globals.rules, scope.globals.known)


def _arguments(name: str, scope: Scope, place: str) -> tuple[str, ...]:
    """What a global utility takes."""
    if name not in scope.globals.arguments:
        known = sorted({*scope.local_names, *scope.globals.arguments})
        hint = one_of(known, name) if known else _NO_UTILITY
        scope.fail(f"the utility {name!r} is not defined", place, hint)
    return scope.globals.arguments[name]


def _call(name: str, raw: Raw, scope: Scope, place: str) -> Rule:
    if name in scope.parameters:
        scope.fail(f"the parameter {name!r} takes no arguments", place)
    wanted = () if name in scope.local_names else _arguments(name, scope, place)
    if not wanted:
        scope.fail(f"the utility {name!r} takes no arguments", place)
    given = scope.mapping(raw, place)
    for argument in given:
        if argument not in wanted:
            scope.fail(f"{name!r} has no argument {argument!r}", place, one_of(wanted, argument))
    for argument in wanted:
        if argument not in given:
            scope.fail(f"{name!r} misses its argument {argument!r}", place)
    arguments = {key: compile_rule(one, scope, f"{place}.{key}") for key, one in given.items()}
    return UtilityCall(name, scope.globals.rules, scope.globals.known, arguments)


def _relation(make: type[Relation], with_field: bool) -> Compile:
    def build(raw: Raw, scope: Scope, place: str) -> Rule:
        raw = scope.keys(_known(raw, scope, place, _RELATION_KEYS), place, _RELATION_KEYS)
        rule = {key: value for key, value in raw.items() if key in _NAMES}
        stop = compile_stop(raw.get("stopBy", NEIGHBOR), scope, f"{place}.stopBy")
        if stop == NEIGHBOR and "stopBy" not in raw:
            scope.hints.append(f"{place} {_NEAREST[make]}; `stopBy: end` looks further.")
        if (name := raw.get("field")) is not None:
            if not with_field:
                scope.fail("'field' goes with inside and has only", place)
            language = scope.grammar.language
            if language.field_id_for_name(scope.text(name, f"{place}.field")) is None:
                every = map(language.field_name_for_id, range(1, language.field_count + 1))
                hint = one_of(list(filter(None, every)), name)
                scope.fail(f"{scope.row.label} has no field {name!r}", f"{place}.field", hint)
        return make(compile_rule(rule, scope, place), stop, name)

    return build


def _known(raw: Raw, scope: Scope, place: str, keys: tuple[str, ...]) -> Raw:
    """An object without its unknown keys: ast-grep overlooks them, and rules rely on it."""
    if not isinstance(raw, dict):
        return raw
    for key in raw:
        if key not in keys:
            hint = one_of(keys, key)
            scope.warnings.append(f"{scope.prefix}{place}: unknown key {key!r} ignored. {hint}")
    return {key: value for key, value in raw.items() if key in keys}


def compile_stop(raw: Raw, scope: Scope, place: str) -> str | Rule:
    """`stopBy`: a word, or the rule whose node is the last one tried."""
    if isinstance(raw, str):
        if raw not in (NEIGHBOR, END):
            scope.fail(f"unknown stop {raw!r}", place, "neighbor, end, or a rule.")
        return raw
    return compile_rule(raw, scope, place)


_PATTERN = {"context": TEXT, "selector": TEXT, "strictness": {"enum": list(STRICTNESS)}}
_NTH_CHILD = {"position": POSITION, "ofRule": RULE, "reverse": FLAG}
_RANGE = {"start": PLACE, "end": PLACE}
# The order is part of the language: captures flow from one key to the next (C2).
RULE_KEYS = (
    RuleKey("pattern", atomic_keys.pattern, either(TEXT, object_of(_PATTERN, "context"))),
    RuleKey("kind", atomic_keys.kind, TEXT),
    RuleKey("regex", atomic_keys.regex, TEXT),
    RuleKey("nthChild", _nth_child, either(POSITION, object_of(_NTH_CHILD, "position"))),
    RuleKey("range", atomic_keys.range_, object_of(_RANGE, "start", "end")),
    RuleKey("resolvesTo", atomic_keys.resolves_to, either(TEXT, list_of(TEXT))),
    RuleKey("all", lambda *written: All(_list(*written)), list_of(RULE)),
    RuleKey("any", lambda *written: Any(_list(*written)), list_of(RULE)),
    RuleKey("not", lambda *written: Not(compile_rule(*written)), RULE),
    RuleKey("matches", _matches, either(TEXT, each(each(RULE)))),
    RuleKey("inside", _relation(Inside, True), RELATION),
    RuleKey("has", _relation(Has, True), RELATION),
    RuleKey("precedes", _relation(Precedes, False), RELATION),
    RuleKey("follows", _relation(Follows, False), RELATION),
)
_NAMES = tuple(key.name for key in RULE_KEYS)
_NO_UTILITY = "None is: write it below `utils`, or in a file of a directory in utilDirs."
_BESIDE = "looks at the very next sibling only, commas and comments included"
_NEAREST = {
    Inside: "looks at the parent only",
    Has: "looks at direct children only",
    Precedes: _BESIDE,
    Follows: _BESIDE,
}
_RELATION_KEYS = (*_NAMES, "stopBy", "field")
