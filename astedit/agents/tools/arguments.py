"""The arguments of a call, checked against the very schema that the model was shown."""

from collections.abc import Mapping, Sequence
from types import UnionType
from typing import Any

from astedit.agents.tools.specs import spec
from astedit.errors import RequestError
from astedit.json_model import Schema
from astedit.text.count_phrases import meant

_EITHER = {
    "ast_edit": ("ops", "rules", "patch", "like"),
    "ast_grep": ("pat", "rule"),
}  # one of them at least


def arguments(name: str, values: object) -> dict[str, Any]:
    """The arguments of a call as keywords for the Python function of that tool.

    Checked against the very schema that the model was shown. Raises `RequestError` that
    names the argument and what it should be.
    """
    schema = spec(name).schema
    if not isinstance(values, Mapping):
        raise _wrong("", "is not an object", "Give one object of JSON, well formed.")
    checked = _checked(values, schema, "")
    either = _EITHER.get(name, ())
    if either and not checked.keys() & set(either):
        raise _wrong(either[0], "is missing", f"Give {_or(either)}.")
    if name == "ast_grep" and checked.keys() >= set(either):
        raise _wrong("rule", "stands in the place of `pat`", "Give one of them.")
    return {_python_name(key): value for key, value in checked.items()}


def _or(names: Sequence[str]) -> str:
    """`a`, `b` or `c`."""
    *most, last = (f"`{name}`" for name in names)
    return f"{', '.join(most)} or {last}"


def _python_name(key: str) -> str:
    return "".join(f"_{c.lower()}" if c.isupper() else c for c in key)


def _checked(value: Any, schema: Schema, where: str) -> Any:
    kind = schema["type"]
    if not _is(value, kind):
        raise _wrong(where, f"is not {_A[kind]}", f"Give {_A[kind]}{_example(value, schema)}.")
    if "enum" in schema and value not in schema["enum"]:
        choices = f"{meant(schema['enum'], value)}One of: {', '.join(schema['enum'])}."
        raise _wrong(where, f"has no choice {value!r}", choices)
    if value == "" and schema.get("minLength"):
        raise _wrong(where, "is empty", "Give a text.")
    if value == [] and schema.get("minItems"):
        raise _wrong(where, "is an empty list", "Name at least one, or leave it out.")
    low = schema.get("minimum", schema.get("exclusiveMinimum"))
    if low is not None and (value < low or ("minimum" not in schema and value <= low)):
        least = f"{low} or more" if "minimum" in schema else f"more than {low}"
        raise _wrong(where, "is too small", f"Give {least}.")
    if kind == "array":
        return [_checked(one, schema["items"], f"{where}[{i}]") for i, one in enumerate(value)]
    return _fields(value, schema, where) if kind == "object" and "properties" in schema else value


def _example(value: Any, schema: Schema) -> str:
    """What a list or an object looks like; models write these as a text, or one for many."""
    if isinstance(value, str) and schema["type"] in ("array", "object") and value[:1] in "[{":
        return " itself, not its JSON as a text"
    if schema["type"] == "array" and schema["items"]["type"] == "string":
        return ', such as ["a", "b"]'
    inner = schema.get("items", schema)
    required = inner.get("required") if inner["type"] == "object" else None
    if not required:
        return ""
    one = "{" + ", ".join(f'"{key}": …' for key in required) + "}"
    return f", such as {one}" if inner is schema else f", such as [{one}]"


def _fields(value: Mapping[str, Any], schema: Schema, where: str) -> dict[str, Any]:
    properties, head = schema["properties"], f"{where}." if where else ""
    for key in value:  # before what is missing: most often it is that, misspelt
        if key not in properties:
            known = f"{meant(properties, key)}Known: {', '.join(properties) or 'none'}."
            raise _wrong(f"{head}{key}", "is no argument", known)
    for key in schema.get("required", ()):
        if value.get(key) is None:
            raise _wrong(head + key, "is missing", f"Required: {', '.join(schema['required'])}.")
    # a null is how some clients spell "not given"
    values = {key: item for key, item in value.items() if item is not None}
    return {key: _checked(item, properties[key], head + key) for key, item in values.items()}


_A = {
    "string": "a text",
    "integer": "a whole number",
    "number": "a number",
    "boolean": "true or false",
    "array": "a list",
    "object": "an object",
}
_KINDS: dict[str, type | UnionType] = {
    "string": str, "integer": int, "number": int | float, "boolean": bool, "array": list,
    "object": dict,
}  # fmt: skip


def _is(value: Any, kind: str) -> bool:
    return isinstance(value, _KINDS[kind]) and (kind == "boolean" or not isinstance(value, bool))


def _wrong(where: str, what: str, hint: str) -> RequestError:
    name = f"`{where}`" if where else "The argument object"
    return RequestError(f"{name} {what}.", hint=hint, code="invalid_arguments")
