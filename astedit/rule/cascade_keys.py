"""The keys by which rules cause rules, each checked by itself. (CA1-CA8)"""

import re
from collections.abc import Callable, Mapping
from typing import Any

from astedit.rule.failure import one_of

SCOPES = ("parent", "ancestors", "definition", "class", "file", "dir", "tree", "project")
WHEN = ("always", "triggered")
_PARAM_KEYS = ("default", "enum", "regex", "description")
_THEN_KEYS = ("use", "in", "with", "deleteEmpty")
_TYPES: dict[str, tuple[type, str]] = {
    "params": (dict, "an object of parameters is expected here"),
    "then": (list, "a list of {use, in, with} is expected here"),
    "deleteEmpty": (bool, "true or false is expected here"),
    "preconditions": (list, "a list of rule objects is expected here"),
}
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\Z")
_CAPTURE = re.compile(r"\$+([A-Z][A-Z0-9_]*)\Z")

Fail = Callable[..., Exception]


def check_keys(content: Mapping[str, Any], fail: Fail) -> None:
    """Raises what `fail` makes of a key that is wrong by itself."""
    for key, (kind, problem) in _TYPES.items():
        if key in content and not isinstance(content[key], kind):
            raise fail(problem, key)
    when = content.get("when", "always")
    if when not in WHEN:
        raise fail(f"unknown word {when!r}", "when", one_of(WHEN, when))
    for name, declared in content.get("params", {}).items():
        _check_param(name, declared, fail)
    for at, entry in enumerate(content.get("then", ())):
        _check_then(entry, f"then[{at}]", fail)
    for at, rule in enumerate(content.get("preconditions", ())):
        if not isinstance(rule, dict):
            raise fail("a rule object is expected here", f"preconditions[{at}]")


def _check_param(name: object, declared: Any, fail: Fail) -> None:
    place = f"params.{name}"
    if not isinstance(name, str) or not _NAME.match(name):
        raise fail(f"{name!r} is not a name for a parameter", "params", "Letters, digits and _.")
    if declared is not None and not isinstance(declared, dict):
        raise fail("an object is expected here", place, "Such as {default: 'true'}, or {}.")
    for key, value in (declared or {}).items():
        if key not in _PARAM_KEYS:
            raise fail(f"unknown key {key!r}", place, one_of(_PARAM_KEYS, key))
        texts = value if key == "enum" and isinstance(value, list) and value else [value]
        if not all(isinstance(text, str) for text in texts):
            raise fail("a string is expected here", f"{place}.{key}", "Put it in quotes.")
        if key == "regex":
            from astedit.rule.regex import compile_regex

            try:
                compile_regex(value)
            except ValueError as error:
                raise fail(str(error), f"{place}.regex") from error


def _check_then(entry: Any, place: str, fail: Fail) -> None:
    if not isinstance(entry, dict):
        raise fail("an object {use, in, with} is expected here", place)
    for key in entry:
        if key not in _THEN_KEYS:
            raise fail(f"unknown key {key!r}", place, one_of(_THEN_KEYS, key))
    uses = entry.get("use")
    names = uses if isinstance(uses, list) and uses else [uses]
    if not all(isinstance(name, str) and name for name in names):
        raise fail("the id of a rule, a group, or a list of these is expected", f"{place}.use")
    if entry.get("in") not in SCOPES:
        problem = f"unknown region {entry['in']!r}" if "in" in entry else "'in' is missing"
        raise fail(problem, f"{place}.in" if "in" in entry else place, one_of(SCOPES))
    if not isinstance(entry.get("deleteEmpty", False), bool):
        raise fail("true or false is expected here", f"{place}.deleteEmpty")
    bound = entry.get("with", {})
    if not isinstance(bound, dict):
        raise fail("an object {NAME: $CAPTURE} is expected here", f"{place}.with")
    for name, value in bound.items():
        if not isinstance(value, str) or not _CAPTURE.match(value):
            hint = "Bind it to a capture of this rule, such as $NAME."
            raise fail(f"{value!r} is not a capture", f"{place}.with.{name}", hint)
