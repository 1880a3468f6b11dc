"""The tools, the schemas of their arguments, read off the engine's own models, and the check.

The arguments of a call are checked against the very schema that the model was shown.
"""

import dataclasses
import types
from collections.abc import Mapping
from functools import cache
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from astedit.agents.tools import words
from astedit.errors import RequestError
from astedit.json_model import FLAG, FORMS, TEXT, Schema, SchemaCheck, camel, snake
from astedit.model.request import APART, EditOptions, EditRequest, Op, SearchOptions
from astedit.operations import Descriptor, Input, kinds, operation
from astedit.review.selectors import UNDECIDED
from resolve.tool import INPUT_SCHEMA as _RESOLVE

_REWRITTEN = """
    pat out lang selector context strictness allow_loss allow_error_pattern layout where where_kind
    imports
"""
# What only a person may ask for, on the command line; and what a reply has no room for.
_A_PERSON_S = ("allow_protected", "near")
_SOME = TEXT | {"minLength": 1}
_TEXTS = {"type": "array", "items": TEXT, "minItems": 1}
_SHAPES: dict[str, Schema] = {  # of fields that are plain objects
    "imports": {
        "type": "object",
        "properties": {"add": _TEXTS, "remove": _TEXTS, "prune": FLAG},
        "additionalProperties": False,
    }
}
_CHECK = SchemaCheck("invalid_arguments", "is no argument", "The argument object")
_EITHER = {
    "ast_edit": ("ops", "rules", "patch", "like"),
    "ast_grep": ("pat", "rule"),
}  # one of them at least


@dataclasses.dataclass(frozen=True, slots=True)
class ToolSpec:
    """One tool, as it is declared to a model."""

    name: str
    title: str
    description: str
    schema: Schema


@cache
def toolset() -> tuple[ToolSpec, ...]:
    """ast_edit, ast_grep, locate, rename, refactor, pending, resolve and undo, in this order."""
    sought = {"identifier": TEXT}
    sought["hintKind"] = {"type": "string", "enum": ["symbol", "route", "client"]}
    shown = {"target": TEXT, "paths": _TEXTS}
    return (
        ToolSpec("ast_edit", "Preview an edit", words.EDIT, _edit_schema()),
        ToolSpec("ast_grep", "Find code", words.GREP, _grep_schema()),
        ToolSpec("locate", "Find a definition", words.LOCATE, _object(sought, ["identifier"])),
        ToolSpec("rename", "Preview a rename", words.RENAME, _rename_schema()),
        ToolSpec("refactor", "Preview a refactoring", words.REFACTOR, _refactor_schema()),
        ToolSpec("pending", "List previews", words.PENDING, _object(shown, [])),
        ToolSpec("resolve", "Apply or discard", words.RESOLVES, _resolve_schema()),
        ToolSpec("undo", "Preview an undo", words.UNDO, _object({"target": TEXT}, ["target"])),
    )


@cache
def optional_tools() -> tuple[ToolSpec, ...]:
    """prove and capture, which are there only where a person has allowed commands."""
    proof = _object({"target": _SOME, "command": _TEXTS}, ["target", "command"])
    replay = {"type": "string", "enum": ["command", "never"]}
    capture = _object({"command": _TEXTS, "label": _SOME, "replay": replay}, ["command"])
    return (
        ToolSpec("prove", "Run the tests with a preview", words.PROVE, proof),
        ToolSpec("capture", "Preview a command", words.CAPTURE, capture),
    )


def spec(name: str) -> ToolSpec:
    """The tool of that name; `RequestError` if there is none."""
    for tool in (*toolset(), *optional_tools()):
        if tool.name == name:
            return tool
    known = ", ".join(tool.name for tool in toolset())
    raise RequestError(f"There is no tool {name!r}.", hint=f"Known: {known}.", code="unknown_tool")


def _edit_schema() -> Schema:
    options = [name for name in EditRequest.options(EditOptions) if name not in _A_PERSON_S]
    properties = _properties(EditRequest, ["ops", "paths", *options])
    apart = {name: _about(name, APART[name]) for name in ("expect", "timeout")}
    apart |= {"replace": _about("replace", TEXT), "title": TEXT}
    ops = {"ops": properties.pop("ops"), "rules": _about("rules", _SOME)}
    ops["patch"] = _about("patch", TEXT)
    ops["like"] = _about("like", _SOME)
    asked: Schema = {"questions": {"type": "integer"}, "token": TEXT}
    apart |= asked | {"answers": {"type": "object"}}
    return _object(ops | properties | apart, [])


def _grep_schema() -> Schema:
    options = [name for name in EditRequest.options(SearchOptions) if name not in _A_PERSON_S]
    properties = _unexplained(EditRequest, ["paths", *options])
    limit = {"limit": _about("limit", {"type": "integer", "minimum": 1})}
    sought = {"pat": TEXT, "rule": _about("rule", _SOME)}
    sought |= _unexplained(Op, ["where", "where_kind"])
    return _object(sought | properties | limit | {"timeout": APART["timeout"]}, [])


def _rename_schema() -> Schema:
    """The parameters of `rename`, by their own names; `refactor` explains what both take."""
    inputs = operation("rename").inputs
    properties = {camel(field.name): _input(field) for field in inputs} | {"title": TEXT}
    properties |= {"also": _TEXTS, "alsoAll": FLAG}
    return _object(properties, [camel(field.name) for field in inputs if field.is_required])


def _refactor_schema() -> Schema:
    """The parameters of all operations that agents are offered, by their names for agents."""
    inputs = [field for kind in offered().values() for field in kind.inputs if field.face.tool]
    properties: Schema = {"kind": {"type": "string", "enum": list(offered())}}
    properties |= {camel(field.face.tool or ""): _input(field) for field in inputs}
    properties |= {"identifiers": _TEXTS, "title": TEXT}
    return _object(properties, ["kind", "identifiers"])


def _input(parameter: Input) -> Schema:
    """A parameter of an operation; the tool's description speaks of what has a position."""
    schema = _TEXTS if parameter.is_list else _plain(parameter.kind)
    if not parameter.is_option:
        return schema
    form = f"{parameter.face.metavar}: " if parameter.face.metavar else ""
    return schema | {"description": form + parameter.face.text}


def _resolve_schema() -> Schema:
    part = "By edit id, glob, FILE:LINE, shape:N, rule:ID or op:N; refresh previews again."
    extra = {
        "type": "object",
        "description": part,
        "properties": {"only": _TEXTS, "exclude": _TEXTS, "refresh": FLAG}
        | {"reviewed": FLAG, "undecided": {"type": "string", "enum": list(UNDECIDED)}}
        | {"keepRest": FLAG},
    }
    wait = {"type": "number", "minimum": 0, "description": "Seconds to wait for approval."}
    properties = {**_RESOLVE["properties"], "extra": extra, "wait": wait}
    return {**_RESOLVE, "properties": properties, "required": ["action", "reason", "target"]}


def _object(properties: Schema, required: list[str]) -> Schema:
    head = {"type": "object", "properties": properties}
    return head | {"required": required, "additionalProperties": False}


def _properties(model: type, names: list[str]) -> Schema:
    return {
        key: _about(name, schema)
        for name, (key, schema) in zip(names, _unexplained(model, names).items(), strict=True)
    }


def _unexplained(model: type, names: list[str]) -> Schema:
    """Fields that another tool, or the call as a whole, explains: models read all tools."""
    hints = get_type_hints(model)
    return {camel(name): _SHAPES.get(name) or _plain(hints[name]) for name in names}


def _about(name: str, schema: Schema) -> Schema:
    return schema | ({"description": words.ABOUT[name]} if name in words.ABOUT else {})


def _plain(hint: Any) -> Schema:
    """The schema of a field's type, with `None` left out: not given means the default.

    So it is with an empty list: of paths it could mean all of them or none.
    """
    origin, inner = get_origin(hint), get_args(hint)
    if origin in (Union, types.UnionType):
        (hint,) = (one for one in inner if one is not type(None))
        return _plain(hint)
    if origin is Literal:
        return {"type": "string", "enum": list(inner)}
    if origin is list:
        return {"type": "array", "items": _plain(inner[0]), "minItems": 1}
    if hint is Op:
        explained = _properties(Op, ["where", "where_kind", "imports"])
        return _object(_unexplained(Op, _REWRITTEN.split()) | explained, ["pat", "out"])
    return {"type": FORMS.get(hint, "object")}


FORMATS = ("anthropic", "openai", "google", "mcp")


def in_format(tools: tuple[ToolSpec, ...], form: str) -> list[Schema]:
    """What stands under `tools` in a request to that provider."""
    if form == "openai":
        return [{"type": "function", "function": _named(tool, "parameters")} for tool in tools]
    if form == "mcp":
        return [_named(tool, "inputSchema") for tool in tools]
    if form == "google":
        return [{"functionDeclarations": [_google(tool) for tool in tools]}]
    return [_named(tool, "input_schema") for tool in tools]


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


@cache
def offered() -> dict[str, Descriptor]:
    """The operations of which an agent may give all that they need."""
    return {
        kind: row
        for kind, row in ((kind, operation(kind)) for kind in kinds())
        if all(field.face.tool is not None or not field.is_required for field in row.inputs)
    }


def keywords(values: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments of a call as keywords of the operation's function.

    Raises `RequestError` (`invalid_arguments`) for what the operation does not take, what it
    needs, and for several identifiers where it takes one.
    """
    kind = values["kind"]
    inputs = {field.face.tool: field for field in offered()[kind].inputs if field.face.tool}
    keywords = {}
    for name, value in values.items():
        if name == "kind":
            continue
        if name == "title":
            keywords[name] = value
            continue
        if name not in inputs:
            raise _wrong(name, f"is no argument of {kind}", f"It takes: {_listed(inputs)}.")
        if isinstance(value, list) and not inputs[name].is_list:
            if len(value) > 1:
                raise _wrong(name, f"has more than one item, and {kind} takes one", "Call again.")
            (value,) = value
        keywords[inputs[name].name] = value
    for name, parameter in inputs.items():
        if parameter.is_required and parameter.name not in keywords:
            raise _wrong(name, "is missing", f"{kind} takes: {_listed(inputs)}.")
    return keywords


def _listed(names: Mapping[str, Input]) -> str:
    return ", ".join(map(camel, names))


def _wrong(name: str, what: str, hint: str) -> RequestError:
    return RequestError(f"`{camel(name)}` {what}.", hint=hint, code="invalid_arguments")


def arguments(name: str, values: object) -> dict[str, Any]:
    """The arguments of a call as keywords for the Python function of that tool.

    Checked against the very schema that the model was shown. Raises `RequestError` that
    names the argument and what it should be.
    """
    if not isinstance(values, Mapping):
        hint = "Give one object of JSON, well formed."
        raise RequestError(f"{_CHECK.whole} is not an object.", hint=hint, code=_CHECK.code)
    checked = _CHECK.value(values, spec(name).schema)
    either = _EITHER.get(name, ())
    if either and not checked.keys() & set(either):
        *most, last = (f"`{key}`" for key in either)
        raise _wrong(either[0], "is missing", f"Give {', '.join(most)} or {last}.")
    if name == "ast_grep" and checked.keys() >= set(either):
        raise _wrong("rule", "stands in the place of `pat`", "Give one of them.")
    if name == "pending" and "paths" in checked and "target" not in checked:
        raise _wrong("paths", "is about one preview", "Give its id as `target`.")
    return {snake(key): value for key, value in checked.items()}
