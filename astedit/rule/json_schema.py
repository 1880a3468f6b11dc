"""Pieces that the JSON schema of a rule is put together from."""

from astedit.json_model import Schema

TEXT: Schema = {"type": "string"}
FLAG: Schema = {"type": "boolean"}
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
