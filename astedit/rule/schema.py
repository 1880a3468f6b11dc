"""The JSON schema of a rule, for editors: made of the tables that rules are read by."""

from typing import Any

from astedit.language import rows
from astedit.model.request import STRICTNESS
from astedit.rule.case import CASE_CHANGE, CASES, SEPARATORS
from astedit.rule.compile import RULE_KEYS
from astedit.rule.document import KEYS, SEVERITIES
from astedit.rule.fix import POSITIONS
from astedit.rule.label import STYLES
from astedit.rule.quote import QUOTES
from astedit.rule.transform import OPERATIONS

Schema = dict[str, Any]
_TEXT: Schema = {"type": "string"}
_FLAG: Schema = {"type": "boolean"}
_RULE: Schema = {"$ref": "#/$defs/rule"}
_RELATION: Schema = {"$ref": "#/$defs/relation"}
_POSITION: Schema = {"type": ["integer", "string"]}
_PLACE: Schema = {
    "type": "object",
    "properties": {"line": {"type": "integer"}, "column": {"type": "integer"}},
    "required": ["line"],
    "additionalProperties": False,
}


def rule_schema() -> Schema:
    """What one document of a rule file may hold (JSON Schema 2020-12)."""
    properties = {key: _KEY.get(key, {}) for key in KEYS}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Rule",
        **_object(properties, "id", "language", "rule"),
        "$defs": {
            "rule": _object({key: _rule_key(key) for key in RULE_KEYS}) | {"minProperties": 1},
            "relation": {
                "type": "object",
                "properties": {
                    **{key: _rule_key(key) for key in RULE_KEYS},
                    "stopBy": _either({"enum": ["neighbor", "end"]}, _RULE),
                    "field": _TEXT,
                },
            },
            "fix": _fix(),
            "rewriter": {"type": "object", "required": ["id", "rule", "fix"]},
        },
    }


def _object(properties: Schema, *required: str) -> Schema:
    found: Schema = {"type": "object", "properties": properties, "additionalProperties": False}
    return found | ({"required": list(required)} if required else {})


def _either(*schemas: Schema) -> Schema:
    return {"anyOf": list(schemas)}


def _list(item: Schema) -> Schema:
    return {"type": "array", "items": item}


def _each(value: Schema) -> Schema:
    return {"type": "object", "additionalProperties": value}


def _rule_key(key: str) -> Schema:
    pattern = {"context": _TEXT, "selector": _TEXT, "strictness": {"enum": list(STRICTNESS)}}
    nth = {"position": _POSITION, "ofRule": _RULE, "reverse": _FLAG}
    known: Schema = {
        "pattern": _either(_TEXT, _object(pattern, "context")),
        "nthChild": _either(_POSITION, _object(nth, "position")),
        "range": _object({"start": _PLACE, "end": _PLACE}, "start", "end"),
        "all": _list(_RULE),
        "any": _list(_RULE),
        "not": _RULE,
        "matches": _either(_TEXT, _each(_each(_RULE))),
        **dict.fromkeys(("inside", "has", "precedes", "follows"), _RELATION),
    }
    return known.get(key, _TEXT)  # type: ignore[no-any-return]


def _fix() -> Schema:
    edit = {
        "target": _either(_TEXT, _RULE),
        "position": {"enum": list(POSITIONS)},
        "template": _TEXT,
    }
    return _object(
        {
            "template": _TEXT,
            "title": _TEXT,
            "expandStart": _RELATION,
            "expandEnd": _RELATION,
            "delete": {"const": "item"},
            "edits": _list(_object(edit)),
            "interpolation": {"enum": ["sigils", "braces"]},
            "allowLoss": _FLAG,
        }
    )


def _transforms() -> Schema:
    special: Schema = {
        "startChar": {"type": "integer"},
        "endChar": {"type": "integer"},
        "toCase": {"enum": list(CASES)},
        "separatedBy": _list({"enum": [CASE_CHANGE, *SEPARATORS]}),
        **dict.fromkeys(("rewriters", "with"), _list(_TEXT)),
        "mark": {"enum": list(QUOTES)},
        **dict.fromkeys(("allowEmpty", "sort", "dedupe"), _FLAG),
    }
    operations = {
        name: _object({key: special.get(key, _TEXT) for key in keys}, "source")
        for name, keys in OPERATIONS.items()
    }
    return _each(_either(_TEXT, _object(operations) | {"minProperties": 1, "maxProperties": 1}))


_LANGUAGE: Schema = {"type": "string", "examples": [row.name for row in rows()]}
_FIX: Schema = {"$ref": "#/$defs/fix"}
_GLOB = _either(_TEXT, _object({"glob": _TEXT, "caseInsensitive": _FLAG}, "glob"))
_KEY: Schema = {
    **dict.fromkeys(("id", "message", "note", "url"), _TEXT),
    **dict.fromkeys(("files", "ignores"), _list(_GLOB)),
    **dict.fromkeys(("constraints", "utils"), _each(_RULE)),
    **dict.fromkeys(("allowLoss", "strictFix"), _FLAG),
    "language": _either(_LANGUAGE, _list(_LANGUAGE)),
    "rule": _RULE,
    "transform": _transforms(),
    "rewriters": _list({"$ref": "#/$defs/rewriter"}),
    "fix": _either(_TEXT, _FIX, _list(_FIX)),
    "edits": _fix()["properties"]["edits"],
    "severity": {"enum": list(SEVERITIES)},
    "labels": _each(_object({"style": {"enum": list(STYLES)}, "message": _TEXT}, "style")),
    "metadata": {"type": "object"},
}
