"""The tools that agents are given: names, descriptions, argument schemas, and their checks.

One table serves the MCP server, `astedit tools` and the adapters. Arguments are camelCase,
each with a plain `type` (no anyOf, no null, no $ref: several clients build arguments from
these); optional ones are simply not required. The engine's options are read off
`EditRequest`, so that a schema cannot name one that does not exist.
"""

import dataclasses
import types
from collections.abc import Mapping
from functools import cache
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from astedit.errors import RequestError
from astedit.jsonform import camel
from astedit.model import EditRequest, Op
from resolve.tool import INPUT_SCHEMA as _RESOLVE

FORMATS = ("anthropic", "openai", "google")
Schema = dict[str, Any]


@dataclasses.dataclass(frozen=True, slots=True)
class Example:
    """A rewrite that the descriptions teach with; a test runs each of them."""

    pat: str
    out: str
    before: str
    after: str

    def __str__(self) -> str:
        return f"  {self.pat} => {self.out}   turns {self.before} into {self.after}"


EXAMPLES = (
    Example("print($$$ARGS)", "log.info($$$ARGS)", "print(a, b=1)", "log.info(a, b=1)"),
    Example("$X == None", "$X is None", "user.name == None", "user.name is None"),
    Example("swap($A, $B)", "swap($B, $A)", "swap(f(1), y)", "swap(y, f(1))"),
)

_EDIT = f"""\
Previews a structural rewrite over the workspace and stages it. NO FILE IS CHANGED: call \
`resolve` with the id it returns as `target` to apply or discard.
`pat` is code in the language of the files. It matches the syntax tree, so spacing and line \
breaks do not matter:
- $NAME matches one node (expression, name, statement); the same name twice must match the same code.
- $$$NAME matches any number of nodes (arguments, statements); $_ and $$$ match without a name.
- NAME is upper case. A hole stands for whole nodes, never for a part of a word or string.
- All else is literal: `f($A)` does not match `f(1, 2)` or `x.f(1)`; write `f($$$A)`, `$X.f($$$A)`.
`out` is the new code with the names of `pat`; "" deletes the match. Examples:
{chr(10).join(map(str, EXAMPLES))}
A pattern must parse by itself; if it does not, give `context` (code around it) and `selector` \
(the node kind meant). Several ops are tried at every place in their order. Matches that would \
lose comments or code are left out and listed as blocked."""

_GREP = """\
Finds code by its structure: the same `pat` as in ast_edit, and nothing is staged or changed. \
Example: `$X.get($$$A)`. Use it to look before you edit; a call that finds nothing says why."""

_LOCATE = """\
Says which definition a name means: a symbol (`Cart.total`), a route (`GET /users/{id}`) or an \
HTTP client. It answers one, many (candidates) or none; it is not a search."""

_PENDING = """\
Lists the staged actions of this workspace that wait for `resolve`, newest first. With `target` \
(an id) it shows that preview again; `paths` (globs) choose the files whose diff is shown."""

_RESOLVES = """\
Applies or discards a staged preview. Pass its id as `target`. Apply writes exactly what was \
previewed or nothing: if files have changed since, it fails as stale; preview again then."""

_ABOUT = {  # what a name alone does not say
    "ops": "The rewrites, each {pat, out}.",
    "paths": 'Files or directories relative to the root; default ["."].',
    "lang": "Only files of this language, such as python or tsx.",
    "selector": "The node kind that is meant within `context` or `pat`.",
    "context": "Code around the pattern, to parse it right.",
    "glob": "gitignore syntax, relative to the root; ! excludes.",
    "within": "Only inside this symbol.",
    "allow_loss": "Rewrite even where comments or code get lost.",
    "allow_partial": "Stage what was found before a limit.",
    "expect": "Stage only if the counts are exactly these.",
    "timeout": "Seconds for the whole call.",
    "limit": "At most so many matches.",
    "pat": "The pattern.",
    "out": 'The new code; "" deletes.',
}
_COUNT = {"type": "integer", "minimum": 0}
_APART: dict[str, Schema] = {  # of the call, not of the request that is stored
    "expect": {"type": "object", "properties": {"replacements": _COUNT, "files": _COUNT}},
    "timeout": {"type": "number", "exclusiveMinimum": 0},
}
_EDITED = """
    ops paths lang strictness selector context glob within body_only overlap fixpoint reindent
    allow_loss allow_error_pattern allow_protected allow_partial max_files max_replacements
    fail_on_parse_error encoding max_file_size no_ignore
"""
_REWRITTEN = "pat out lang selector context strictness allow_loss allow_error_pattern"
_SEARCHED = "paths lang strictness selector context glob within encoding max_file_size no_ignore"
_TEXT = {"type": "string"}


@dataclasses.dataclass(frozen=True, slots=True)
class ToolSpec:
    """One tool: `mutating` may write files; everything else only reads or stages."""

    name: str
    title: str
    description: str
    schema: Schema
    mutating: bool = False


@cache
def toolset() -> tuple[ToolSpec, ...]:
    """ast_edit, ast_grep, locate, pending, resolve, in this order."""
    return (
        ToolSpec("ast_edit", "Preview an edit", _EDIT, _edit_schema()),
        ToolSpec("ast_grep", "Find code", _GREP, _grep_schema()),
        ToolSpec("locate", "Find a definition", _LOCATE, _locate_schema()),
        ToolSpec("pending", "List previews", _PENDING, _pending_schema()),
        ToolSpec("resolve", "Apply or discard", _RESOLVES, _resolve_schema(), mutating=True),
    )


def spec(name: str) -> ToolSpec:
    """The tool of that name; `RequestError` if there is none."""
    for tool in toolset():
        if tool.name == name:
            return tool
    known = ", ".join(tool.name for tool in toolset())
    raise RequestError(f"There is no tool {name!r}.", hint=f"Known: {known}.", code="unknown_tool")


def in_format(tools: tuple[ToolSpec, ...], form: str) -> list[Schema]:
    """What stands under `tools` in a request to that provider."""
    if form == "openai":
        return [{"type": "function", "function": _named(tool, "parameters")} for tool in tools]
    if form == "google":
        return [{"functionDeclarations": [_google(tool) for tool in tools]}]
    return [_named(tool, "input_schema") for tool in tools]


def arguments(name: str, given: object) -> dict[str, Any]:
    """The arguments of a call as keywords for the Python function of that tool.

    Checked against the very schema that the model was shown. Raises `RequestError` that
    names the argument and what it should be.
    """
    checked = _checked(given, spec(name).schema, "")
    return {_python_name(key): value for key, value in checked.items()}


def _python_name(key: str) -> str:
    return "".join(f"_{c.lower()}" if c.isupper() else c for c in key)


def _checked(value: Any, schema: Schema, where: str) -> Any:
    kind = schema["type"]
    if not _is(value, kind):
        raise _wrong(where, f"is not {_A[kind]}", f"Give {_A[kind]}.")
    if "enum" in schema and value not in schema["enum"]:
        raise _wrong(where, f"has no choice {value!r}", f"One of: {', '.join(schema['enum'])}.")
    if value == "" and schema.get("minLength"):
        raise _wrong(where, "is empty", "Give a text.")
    low = schema.get("minimum", schema.get("exclusiveMinimum"))
    if low is not None and (value < low or ("minimum" not in schema and value <= low)):
        raise _wrong(where, "is too small", f"Give more than {low}.")
    if kind == "array":
        return [_checked(one, schema["items"], f"{where}[{i}]") for i, one in enumerate(value)]
    return _fields(value, schema, where) if kind == "object" and "properties" in schema else value


def _fields(value: Mapping[str, Any], schema: Schema, where: str) -> dict[str, Any]:
    properties, head = schema["properties"], f"{where}." if where else ""
    for key in schema.get("required", ()):
        if key not in value:
            raise _wrong(head + key, "is missing", f"Required: {', '.join(schema['required'])}.")
    for key in value:
        if key not in properties:
            known = ", ".join(properties) or "none"
            raise _wrong(f"{head}{key}", "is no argument", f"Known: {known}.")
    # a null is how some clients spell "not given"
    given = {key: item for key, item in value.items() if item is not None}
    return {key: _checked(item, properties[key], head + key) for key, item in given.items()}


_A = {
    "string": "a text",
    "integer": "a whole number",
    "number": "a number",
    "boolean": "true or false",
    "array": "a list",
    "object": "an object",
}
_KINDS: dict[str, type | types.UnionType] = {
    "string": str, "integer": int, "number": int | float, "boolean": bool, "array": list,
    "object": dict,
}  # fmt: skip


def _is(value: Any, kind: str) -> bool:
    return isinstance(value, _KINDS[kind]) and (kind == "boolean" or not isinstance(value, bool))


def _wrong(where: str, what: str, hint: str) -> RequestError:
    name = f"`{where}`" if where else "The argument object"
    return RequestError(f"{name} {what}.", hint=hint, code="invalid_arguments")


def _edit_schema() -> Schema:
    properties = _properties(EditRequest, _EDITED.split())
    apart = {name: _about(name, schema) for name, schema in _APART.items()}
    return _object(properties | apart, ["ops"])


def _grep_schema() -> Schema:
    properties = _properties(EditRequest, _SEARCHED.split())
    limit = {"limit": _about("limit", {"type": "integer", "minimum": 1})}
    timeout = {"timeout": _about("timeout", _APART["timeout"])}
    return _object({"pat": _about("pat", _TEXT)} | properties | limit | timeout, ["pat"])


def _locate_schema() -> Schema:
    hint = {"type": "string", "enum": ["symbol", "route", "client"]}
    return _object({"identifier": _TEXT, "hintKind": hint}, ["identifier"])


def _pending_schema() -> Schema:
    return _object({"target": _TEXT, "paths": {"type": "array", "items": _TEXT}}, [])


def _resolve_schema() -> Schema:
    texts = {"type": "array", "items": _TEXT}
    part = "Edit ids or path globs of ast_edit: only these, all but these; refresh previews again."
    extra = {
        "type": "object",
        "description": part,
        "properties": {"only": texts, "exclude": texts, "refresh": {"type": "boolean"}},
    }
    return {**_RESOLVE, "properties": {**_RESOLVE["properties"], "extra": extra}}


def _object(properties: Schema, required: list[str]) -> Schema:
    head = {"type": "object", "properties": properties}
    return head | {"required": required, "additionalProperties": False}


def _properties(model: type, names: list[str]) -> Schema:
    hints = get_type_hints(model)
    return {camel(name): _about(name, _plain(hints[name])) for name in names}


def _about(name: str, schema: Schema) -> Schema:
    return schema | ({"description": _ABOUT[name]} if name in _ABOUT else {})


def _plain(hint: Any) -> Schema:
    """The schema of a field's type, with `None` left out: not given means the default."""
    origin, inner = get_origin(hint), get_args(hint)
    if origin in (Union, types.UnionType):
        (hint,) = (one for one in inner if one is not type(None))
        return _plain(hint)
    if origin is Literal:
        return {"type": "string", "enum": list(inner)}
    if origin is list:
        return {"type": "array", "items": _plain(inner[0])}
    if hint is Op:
        return _object(_properties(Op, _REWRITTEN.split()), ["pat", "out"])
    return {"type": _NAMES.get(hint, "object")}


_NAMES = {str: "string", int: "integer", bool: "boolean", float: "number"}


def _named(tool: ToolSpec, key: str) -> Schema:
    return {"name": tool.name, "description": tool.description, key: tool.schema}


def _google(tool: ToolSpec) -> Schema:
    """Its subset of JSON schema: no additionalProperties, and no object without properties."""
    declared = _named(tool, "parameters") | {"parameters": _subset(tool.schema)}
    return {key: value for key, value in declared.items() if value}


def _subset(schema: Schema) -> Schema:
    kept = {
        k: v for k, v in schema.items() if k not in ("additionalProperties", "exclusiveMinimum")
    }
    if "items" in kept:
        kept["items"] = _subset(kept["items"])
    if kept["type"] == "object":
        inner = {key: _subset(one) for key, one in kept.get("properties", {}).items()}
        kept["properties"] = {key: one for key, one in inner.items() if one}
        return kept if kept["properties"] else {}
    return kept
