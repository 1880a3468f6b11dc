"""`astedit schema`: what our JSON documents look like, for programs that read them."""

from dataclasses import fields
from typing import Any

import click

from astedit.cli import options
from astedit.cli.output import streams
from astedit.cli.request import APART
from astedit.json_model import Model
from astedit.model.edit import Edit, FilePlan
from astedit.model.plan import Plan
from astedit.model.request import IMPORTS_SCHEMA, EditRequest
from astedit.workspace.config import KEYS, POLICIES

_DRAFT = "https://json-schema.org/draft/2020-12/schema"
_LINE = {"type": "string", "minLength": 1}
_TEXTS = {"type": "array", "items": _LINE}
_PACKS: dict[str, Any] = {
    "type": "array",
    "items": {
        "anyOf": [
            _LINE,
            {
                "type": "object",
                "properties": {
                    "use": _LINE,
                    "severity": {"type": "object"},
                    "params": {"type": "object"},
                },
                "required": ["use"],
            },
        ]
    },
}
_KINDS: dict[str, dict[str, Any]] = {
    "policy": {"enum": list(POLICIES)},
    "list": _TEXTS,
    "paths": _TEXTS,
    "packs": _PACKS,
    "directory": _LINE,
    "flag": {"type": "boolean"},
    "text": _LINE,
    "count": {"type": "integer", "minimum": 1},
}


def config_schema() -> dict[str, Any]:
    """`astedit.toml`, and `[tool.astedit]` of `pyproject.toml`."""
    known = {key: _KINDS[kind] for key, (kind, repository) in KEYS.items() if repository}
    return _object("astedit.toml", known, additional=False)


def project_schema() -> dict[str, Any]:
    """`sgconfig.yml`; ast-grep overlooks keys it does not know, and so do we."""
    tests = _object(None, {"testDir": _LINE, "snapshotDir": _LINE}, required=["testDir"])
    injection = _object(
        None,
        {"hostLanguage": _LINE, "rule": {"type": "object"}, "injected": {"anyOf": [_LINE, _TEXTS]}},
        required=["hostLanguage", "rule", "injected"],
    )
    known = {
        "ruleDirs": _TEXTS,
        "utilDirs": _TEXTS,
        "testConfigs": {"type": "array", "items": tests},
        "languageGlobs": {"type": "object", "additionalProperties": _TEXTS},
        "languageInjections": {"type": "array", "items": injection},
        "packs": _PACKS,
        "customLanguages": {"type": "object", "description": "Not loaded."},
    }
    return _object("sgconfig.yml", known, required=["ruleDirs"])


def _object(
    title: str | None,
    properties: dict[str, Any],
    *,
    required: list[str] | None = None,
    additional: bool = True,
) -> dict[str, Any]:
    head = {} if title is None else {"$schema": _DRAFT, "title": title}
    made = {**head, "type": "object", "properties": properties, "additionalProperties": additional}
    return made if required is None else {**made, "required": required}


_TEXT = {"type": "string"}
_RESULT = {
    "title": "ToolResult",
    "type": "object",
    "properties": {
        "text": _TEXT,
        "content": {"type": "array", "items": {"type": "object"}},
        "details": {"type": ["object", "null"]},
        "isError": {"type": "boolean"},
    },
    "required": ["text", "content", "details", "isError"],
    "additionalProperties": False,
}


_INNER = (Edit, FilePlan, Plan)  # models that hold what their JSON does not


@options.command("schema ops")
@options.pager
@options.any_root
@click.argument(
    "document", type=click.Choice(("ops", "plan", "rule", "project", "config", "result", "ledger"))
)
def command(document: str) -> int:
    """Print the JSON schema of a document.

    ops: what `edit --ops` reads. plan: what `edit --json` prints. rule: what a rule file
    holds. project: sgconfig.yml. config: astedit.toml. result: what `resolve --json`
    prints. ledger: what `show --ledger --json` prints.
    """
    streams.document(_schema(document))
    return 0


def _schema(document: str) -> dict[str, Any]:
    if document == "result":
        return _RESULT
    if document == "rule":
        from astedit.rule.schema import rule_schema

        return rule_schema()
    if document in ("project", "config"):
        return project_schema() if document == "project" else config_schema()
    if document == "ledger":
        from astedit.review.ledger.model import PlaceLedger

        return _named(PlaceLedger)
    model = EditRequest if document == "ops" else Plan
    schema = model.model_json_schema()
    for part in (schema, *schema["$defs"].values()):
        _without_inner(part)
    if document == "ops":
        schema["properties"] |= APART
    imports = schema["$defs"]["Op"]["properties"]["imports"]
    imports["anyOf"] = [IMPORTS_SCHEMA, {"type": "null"}]
    return _named(model, schema)


def _named(model: type[Model], schema: dict[str, Any] | None = None) -> dict[str, Any]:
    """The schema of a document, which says in its first field what it is."""
    schema = schema or model.model_json_schema()
    schema["properties"] = {"schema": {"const": model._schema}} | schema["properties"]
    return schema


def _without_inner(part: dict[str, Any]) -> None:
    """Takes out what a model holds beside its JSON: exact bytes, and places within a match."""
    inner = [
        one.name
        for model in _INNER
        if part.get("title") == model.__name__
        for one in fields(model)
        if not one.repr
    ]
    for name in inner:
        part["properties"].pop(name, None)
