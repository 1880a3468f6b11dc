"""A rule, its transforms and its rewriters, compiled together. (rules T2, T6, T7)"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from astedit.errors import RequestError
from astedit.pattern.template import Metavariable, parse_template
from astedit.rule.compile import compile_constrained
from astedit.rule.constraint import Constrained
from astedit.rule.document import KEYS
from astedit.rule.node import Captures, all_captures, together
from astedit.rule.rewriter import Rewriter, Rewriting
from astedit.rule.scope import Scope
from astedit.rule.transform import Transforms, compile_transforms

# ast-grep overlooks what a rewriter has of a document, such as its language.
_REWRITER_KEYS = tuple(key for key in KEYS if key != "rewriters")


Body = tuple[Constrained, Transforms | None, Captures]


def compile_body(content: Mapping[str, Any], scope: Scope) -> Body:
    """Compiles a document, and says what it captures, the names of its transforms included.

    Rewriters know what the rule captures, and they know each other.
    """
    raw = content.get("rewriters", [])
    if not isinstance(raw, list):
        scope.fail("a list of rewriters is expected here", "rewriters")
    names = [_id(one, scope, f"rewriters[{at}]") for at, one in enumerate(raw)]
    if len(set(names)) < len(names):
        scope.fail("two rewriters have the same id", "rewriters")
    scope.rewriters = frozenset(names)
    table: dict[str, Rewriter] = {}
    rule, transforms, captures = _compile(content, scope, table)
    for at, (name, one) in enumerate(zip(names, raw, strict=True)):
        inner = replace(scope, locals=dict(scope.locals), prefix=f"rewriters[{at}].")
        table[name] = _rewriter(one, inner, captures, table)
    return rule, transforms, captures


def _compile(content: Mapping[str, Any], scope: Scope, table: Mapping[str, Rewriter]) -> Body:

    def rewriting(names: Sequence[str], join: bytes | None, empty: bool) -> Rewriting:
        return Rewriting(names, join, table, empty)

    rule = compile_constrained(content, scope)
    captures = together(rule.captures(), all_captures(scope.locals.values()))
    if "transform" not in content:
        return rule, None, captures
    transforms = compile_transforms(content["transform"], scope, captures, rewriting)
    made = {one.name: Metavariable(one.name) for one in transforms.transforms}
    return rule, transforms, {**captures, **made}


def _id(raw: Any, scope: Scope, place: str) -> str:
    mapping = scope.keys(raw, place, _REWRITER_KEYS)
    for key in ("id", "rule", "fix"):
        if key not in mapping:
            scope.fail(f"{key!r} is missing", place)
    return scope.text(mapping["id"], f"{place}.id")


def _rewriter(
    raw: Mapping[str, Any], scope: Scope, outer: Captures, table: Mapping[str, Rewriter]
) -> Rewriter:
    fix = raw["fix"]
    if isinstance(fix, dict):
        fix = scope.keys(fix, "fix", ("template", "title")).get("template")
    text = scope.text(fix, "fix")
    rule, transforms, captures = _compile(raw, scope, table)
    try:
        template = parse_template(text, {**outer, **captures})
    except RequestError as error:
        scope.fail(error.message, "fix", error.hint)
    return Rewriter(rule, transforms, template)
