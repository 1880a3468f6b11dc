"""The JSON schema of a rule, for editors: made of the tables that rules are read by."""

from astedit.json_model import FLAG, TEXT, Schema
from astedit.language import rows
from astedit.rule.cascade_keys import SCOPES as REGIONS
from astedit.rule.compile import RELATION, RULE, RULE_KEYS, each, either, list_of, object_of
from astedit.rule.document import KEYS, SEVERITIES
from astedit.rule.fixes.case import CASE_CHANGE, CASES, QUOTES, SEPARATORS
from astedit.rule.fixes.fix import IMPORT_KEYS, POSITIONS
from astedit.rule.fixes.transform import OPERATIONS
from astedit.rule.label import STYLES


def rule_schema() -> Schema:
    """What one document of a rule file may hold (JSON Schema 2020-12)."""
    properties = {key: _KEY[key] for key in KEYS}
    keys = {key.name: key.schema for key in RULE_KEYS}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Rule",
        **object_of(properties, "id", "language", "rule"),
        "$defs": {
            "rule": object_of(keys) | {"minProperties": 1},
            "relation": {
                "type": "object",
                "properties": {
                    **keys,
                    "stopBy": either({"enum": ["neighbor", "end"]}, RULE),
                    "field": TEXT,
                },
            },
            "fix": _fix(),
            "rewriter": {"type": "object", "required": ["id", "rule", "fix"]},
        },
    }


def _fix() -> Schema:
    edit = {"target": either(TEXT, RULE), "position": {"enum": list(POSITIONS)}, "template": TEXT}
    return object_of(
        {
            "template": TEXT,
            "title": TEXT,
            "expandStart": RELATION,
            "expandEnd": RELATION,
            "delete": {"const": "item"},
            "edits": list_of(object_of(edit)),
            "interpolation": {"enum": ["sigils", "braces"]},
            "allowLoss": FLAG,
            "layout": {"enum": ["keep", "template"]},
            "comments": {"enum": ["attached"]},
        }
    )


def _transforms() -> Schema:
    special: Schema = {
        "startChar": {"type": "integer"},
        "endChar": {"type": "integer"},
        "toCase": {"enum": list(CASES)},
        "separatedBy": list_of({"enum": [CASE_CHANGE, *SEPARATORS]}),
        **dict.fromkeys(("rewriters", "with"), list_of(TEXT)),
        "mark": {"enum": list(QUOTES)},
        **dict.fromkeys(("allowEmpty", "sort", "dedupe"), FLAG),
    }
    operations = {
        name: object_of({key: special.get(key, TEXT) for key in keys}, "source")
        for name, keys in OPERATIONS.items()
    }
    return each(either(TEXT, object_of(operations) | {"minProperties": 1, "maxProperties": 1}))


_LANGUAGE: Schema = {"type": "string", "examples": [row.name for row in rows()]}
_FIX: Schema = {"$ref": "#/$defs/fix"}
_GLOB = either(TEXT, object_of({"glob": TEXT, "caseInsensitive": FLAG}, "glob"))
_IMPORTS = either(TEXT, list_of(TEXT))
_KEY: Schema = {
    **dict.fromkeys(("id", "message", "note", "url"), TEXT),
    **dict.fromkeys(("files", "ignores"), list_of(_GLOB)),
    **dict.fromkeys(("constraints", "utils"), each(RULE)),
    **dict.fromkeys(("allowLoss", "strictFix"), FLAG),
    "language": either(_LANGUAGE, list_of(_LANGUAGE)),
    "rule": RULE,
    "transform": _transforms(),
    "rewriters": list_of({"$ref": "#/$defs/rewriter"}),
    "fix": either(TEXT, _FIX, list_of(_FIX)),
    "edits": _fix()["properties"]["edits"],
    "severity": {"enum": list(SEVERITIES)},
    "labels": each(object_of({"style": {"enum": list(STYLES)}, "message": TEXT}, "style")),
    "metadata": {"type": "object"},
    "params": each({"type": ["object", "null"]}),
    "when": {"enum": ["always", "triggered"]},
    "then": list_of(
        object_of(
            {
                "use": either(TEXT, list_of(TEXT)),
                "in": {"enum": list(REGIONS)},
                "with": each(TEXT),
                "deleteEmpty": FLAG,
            },
            "use",
            "in",
        )
    ),
    "deleteEmpty": FLAG,
    "preconditions": list_of(RULE),
    "imports": object_of(dict.fromkeys(IMPORT_KEYS, _IMPORTS) | {"prune": FLAG}),
}
