"""JSON in and out for dataclasses: camelCase there, snake_case here.

pydantic is imported only where JSON is validated or a schema is asked for, since
importing it costs more than a whole selective search.
"""

import dataclasses
import json
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from types import NoneType, UnionType
from typing import Any, ClassVar, Literal, NamedTuple, Self, Union, get_args, get_origin

from astedit.errors import RequestError
from astedit.text import meant

Schema = dict[str, Any]  # a JSON schema, or a part of one


def camel(name: str) -> str:
    """The JSON spelling of a Python field name."""
    head, *rest = name.split("_")
    return head + "".join(word.title() for word in rest)


def snake(name: str) -> str:
    """The Python spelling of a JSON name."""
    return "".join(f"_{c.lower()}" if c.isupper() else c for c in name)


class Model:
    """JSON in and out for a dataclass, in camelCase, unknown keys refused.

    Equality and `repr` are here, once: letting `dataclass` write them for every model
    doubles what importing this module costs every command.
    """

    __pydantic_config__: ClassVar[Any] = {
        "alias_generator": camel,
        "populate_by_name": True,
        "extra": "forbid",
        "strict": True,
    }
    _schema: ClassVar[str | None] = None

    def __eq__(self, other: object) -> bool:
        names = [f.name for f in dataclasses.fields(self)]  # type: ignore[arg-type]
        return type(other) is type(self) and all(
            getattr(self, name) == getattr(other, name) for name in names
        )

    def __repr__(self) -> str:
        fields = dataclasses.fields(self)  # type: ignore[arg-type]
        body = ", ".join(f"{f.name}={getattr(self, f.name)!r}" for f in fields if f.repr)
        return f"{type(self).__name__}({body})"

    def to_json(self) -> dict[str, Any]:
        """A JSON-ready dict: camelCase keys, private fields left out, schema first.

        Only the document itself names its schema, not the models in it.
        """
        return ({"schema": self._schema} if self._schema else {}) | _body(self)

    def model_dump(self, **_: Any) -> dict[str, Any]:
        """The same as `to_json`, under pydantic's name."""
        return self.to_json()

    def model_dump_json(self, *, indent: int | None = None) -> str:
        """`to_json` as text."""
        return json.dumps(self.to_json(), ensure_ascii=False, indent=indent)

    @classmethod
    def model_validate(cls, value: object) -> Self:
        """Builds the model from camelCase or snake_case keys; pydantic's errors pass through.

        Validates as JSON, strictly: no number is read as a string, no unknown key is kept.
        """
        from pydantic import TypeAdapter

        if isinstance(value, Mapping):
            value = {key: item for key, item in value.items() if key != "schema"}
        return TypeAdapter(cls).validate_json(json.dumps(value))

    @classmethod
    def model_json_schema(cls) -> dict[str, Any]:
        """The JSON schema of this model."""
        from pydantic import TypeAdapter

        return TypeAdapter(cls).json_schema(by_alias=True)


def _body(model: Model) -> dict[str, Any]:
    fields = dataclasses.fields(model)  # type: ignore[arg-type]
    return {camel(f.name): _jsonable(getattr(model, f.name)) for f in fields if f.repr}


def _jsonable(value: Any) -> Any:
    if isinstance(value, Model):
        return _body(value)
    if isinstance(value, dict):
        return {key: _jsonable(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_jsonable(item) for item in value]
    return value


def strictly(text: str | bytes) -> Any:
    """A JSON text's value; ValueError for a key that is there twice, and for NaN and the like."""
    return json.loads(text, object_pairs_hook=_unique, parse_constant=_refused)


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a key is there twice")
    return found


def _refused(constant: str) -> None:
    raise ValueError(f"{constant} is not a JSON number")


TEXT: Schema = {"type": "string"}
TEXTS: Schema = {"type": "array", "items": TEXT}
FLAG: Schema = {"type": "boolean"}
ANYTHING: Schema = {}
OBJECT: Schema = {"type": "object"}
KINDS: dict[str, tuple[Any, str]] = {  # what a value is, and in words
    "string": (str, "a text"),
    "integer": (int, "a whole number"),
    "number": (int | float, "a number"),
    "boolean": (bool, "true or false"),
    "array": (list | tuple, "a list"),
    "object": (Mapping, "an object"),
    "bytes": (bytes, "bytes"),
    "path": (os.PathLike, "a path"),
    "none": (NoneType, "None"),
}
_DATA = (str, bytes, int, float, list, dict)  # which is of no class of ours
FORMS: dict[Any, str] = {  # of an annotation
    str: "string", Literal: "string", int: "integer", float: "number", bool: "boolean",
    dict: "object", Mapping: "object", bytes: "bytes", os.PathLike: "path", NoneType: "none",
    **dict.fromkeys((Iterable, Sequence, list, tuple), "array"),
}  # fmt: skip


def object_of(properties: Mapping[str, Schema], *required: str) -> Schema:
    """The schema of an object that has these keys and no others."""
    return {"type": "object", "properties": properties, "required": list(required)}


class SchemaCheck(NamedTuple):
    """How JSON is checked, and in which words: the code of an error, and two names."""

    code: str = "bad_request"
    unknown: str = "is not known here"
    whole: str = "The document"

    def value(self, value: Any, schema: Schema, where: str = "") -> Any:
        """The value, which is as the schema says; a null in an object counts as not given.

        Raises `RequestError` that names the place, and what it should be.
        """
        if schema == ANYTHING:
            return value
        kind = schema["type"]
        if not _is(value, kind):
            raise self._wrong(
                where, f"is not {KINDS[kind][1]}", f"Give {KINDS[kind][1]}{_like(value, schema)}."
            )
        if "enum" in schema and value not in schema["enum"]:
            choices = f"{meant(schema['enum'], value)}One of: {', '.join(schema['enum'])}."
            raise self._wrong(where, f"has no choice {value!r}", choices)
        if value == "" and schema.get("minLength"):
            raise self._wrong(where, "is empty", "Give a text.")
        if kind == "string" and len(value) > schema.get("maxLength", len(value)):
            most = f"Give at most {schema['maxLength']:,} characters."
            raise self._wrong(where, "is too long", most)
        if value == [] and schema.get("minItems"):
            raise self._wrong(where, "is an empty list", "Name at least one, or leave it out.")
        low = schema.get("minimum", schema.get("exclusiveMinimum"))
        if low is not None and not (value >= low if "minimum" in schema else value > low):
            least = f"{low} or more" if "minimum" in schema else f"more than {low}"
            raise self._wrong(where, "is too small", f"Give {least}.")
        if "maximum" in schema and value > schema["maximum"]:
            raise self._wrong(where, "is too large", f"Give {schema['maximum']:,} or less.")
        if kind == "array":
            items = schema["items"]
            return [self.value(item, items, f"{where}[{at}]") for at, item in enumerate(value)]
        has_fields = kind == "object" and "properties" in schema
        return self._object(value, schema, where) if has_fields else value

    def _object(self, value: Mapping[str, Any], schema: Schema, where: str) -> dict[str, Any]:
        properties, head = schema["properties"], f"{where}." if where else ""
        for key in value:  # before what is missing: most often it is that, misspelt
            if key not in properties:
                known = f"{meant(properties, key)}Known: {', '.join(properties) or 'none'}."
                raise self._wrong(f"{head}{key}", self.unknown, known)
        for key in schema.get("required", ()):
            if value.get(key) is None:
                required = f"Required: {', '.join(schema['required'])}."
                raise self._wrong(head + key, "is missing", required)
        given = {key: item for key, item in value.items() if item is not None}
        return {key: self.value(item, properties[key], head + key) for key, item in given.items()}

    def _wrong(self, where: str, what: str, hint: str) -> RequestError:
        name = f"`{where}`" if where else self.whole
        return RequestError(f"{name} {what}.", hint=hint, code=self.code)


def checked(
    value: Any, schema: Schema, bad: Callable[[str, str], RequestError], where: str = ""
) -> Any:
    """The value, which is as the schema says; else raises what `bad` makes of why and a hint."""
    try:
        return SchemaCheck().value(value, schema, where)
    except RequestError as error:
        raise bad(error.message.rstrip("."), error.hint or "") from error


def fitting(value: Any, hint: Any, where: str) -> Any:
    """The value of a program, which is as an annotation says, with an iterable as a list.

    A text is in a list, too, where it may stand for one. Raises `RequestError` as a
    `SchemaCheck` does; what is of a class of ours may be anything but plain data.
    """
    kinds = get_args(hint) if get_origin(hint) in (Union, UnionType) else (hint,)
    forms = {FORMS.get(get_origin(kind) or kind, ""): get_args(kind) for kind in kinds}
    if "" in forms:
        if forms.keys() <= {"", "none"} and isinstance(value, _DATA) and hint not in (Any, object):
            kind = str(getattr(kinds[0], "__name__", kinds[0])).partition(" ")[0]
            raise RequestError(f"`{where}` is not a {kind}.", hint=f"Give the {kind} itself.")
        return value
    is_one = isinstance(value, str | bytes | Mapping)
    if "array" in forms and isinstance(value, Iterable) and not is_one:
        items, (kind, *others) = list(value), forms["array"]
        if others and len(items) != 1 + len(others):
            raise RequestError(f"`{where}` has {len(items)} items, not {1 + len(others)}.")
        return [fitting(item, kind, f"{where}[{at}]") for at, item in enumerate(items)]
    form = next((form for form in forms if _is(value, form)), None)
    if form is None:
        words = " or ".join(KINDS[form][1] for form in forms)
        raise RequestError(f"`{where}` is not {words}.", hint=f"Give {words}.")
    if form == "object":
        of_key, of_item = forms[form]
        pairs = ((fitting(key, of_key, where), item) for key, item in value.items())
        return {key: fitting(item, of_item, f"{where}.{key}") for key, item in pairs}
    if form == "string" and forms[form] and value not in forms[form]:
        raise RequestError(f"Unknown {where} {value!r}.", hint=f"One of: {', '.join(forms[form])}.")
    return [value] if form == "string" and "array" in forms else value


def read_document(
    text: str | bytes, name: str, schema: Schema, bad: Callable[[str, str], RequestError]
) -> dict[str, Any]:
    """A JSON object of this name and schema; `bad` as for `checked`."""
    try:
        document = strictly(text)
    except (ValueError, RecursionError) as error:
        raise bad(f"not JSON: {error}", "") from error
    if isinstance(document, dict) and document.get("schema") != name:
        raise bad(f"its schema is {document.get('schema')!r}, not {name!r}", "")
    fields: dict[str, Any] = checked(document, schema, bad)
    return fields


def _like(value: Any, schema: Schema) -> str:
    """What a list or an object looks like; models write these as a text, or one for many."""
    if isinstance(value, str) and schema["type"] in ("array", "object") and value[:1] in "[{":
        return " itself, not its JSON as a text"
    if schema["type"] == "array" and schema["items"] == TEXT:
        return ', such as ["a", "b"]'
    inner = schema.get("items", schema)
    if not (required := inner.get("required")):
        return ""
    one = "{" + ", ".join(f'"{key}": …' for key in required) + "}"
    return f", such as {one}" if inner is schema else f", such as [{one}]"


def _is(value: Any, kind: str) -> bool:
    return isinstance(value, KINDS[kind][0]) and (kind == "boolean" or not isinstance(value, bool))
