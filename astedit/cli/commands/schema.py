"""`astedit schema`: what our JSON documents look like, for programs that read them."""

from dataclasses import fields
from typing import Any

import click

from astedit.cli import options
from astedit.cli.output import streams
from astedit.json_model import FLAG, OBJECT, TEXT, Model, Schema, object_of
from astedit.model.edit import Edit, FilePlan
from astedit.model.plan import Plan
from astedit.model.request import APART, IMPORTS_SCHEMA, EditRequest
from astedit.workspace.config import KEYS, POLICIES

_DRAFT = "https://json-schema.org/draft/2020-12/schema"
_LINE = TEXT | {"minLength": 1}
_LINES = {"type": "array", "items": _LINE}
_SEVERITY = {"anyOf": [_LINE, OBJECT]}  # of all rules, or by their ids
_PACK = object_of({"use": _LINE, "name": _LINE, "severity": _SEVERITY, "params": OBJECT}, "use")
_PACKS = {"type": "array", "items": {"anyOf": [_LINE, _PACK]}}
_KINDS: dict[str, Schema] = {
    "policy": {"enum": list(POLICIES)},
    "list": _LINES,
    "paths": _LINES,
    "packs": _PACKS,
    "directory": _LINE,
    "flag": FLAG,
    "text": _LINE,
    "count": {"type": "integer", "minimum": 1},
}


def config_schema() -> Schema:
    """`astedit.toml`, and `[tool.astedit]` of `pyproject.toml`."""
    known = {key: _KINDS[kind] for key, (kind, repository) in KEYS.items() if repository}
    schema = object_of(known) | {"additionalProperties": False}
    return {"$schema": _DRAFT, "title": "astedit.toml", **schema}


def project_schema() -> Schema:
    """`sgconfig.yml`; ast-grep overlooks keys it does not know, and so do we."""
    injection = {"hostLanguage": _LINE, "rule": OBJECT, "injected": {"anyOf": [_LINE, _LINES]}}
    tests = object_of({"testDir": _LINE, "snapshotDir": _LINE}, "testDir")
    known: dict[str, Schema] = {
        "ruleDirs": _LINES,
        "utilDirs": _LINES,
        "testConfigs": {"type": "array", "items": tests},
        "languageGlobs": OBJECT | {"additionalProperties": _LINES},
        "languageInjections": {"type": "array", "items": object_of(injection, *injection)},
        "packs": _PACKS,
        "customLanguages": OBJECT | {"description": "Not loaded."},
    }
    either = [{"required": ["ruleDirs"]}, {"required": ["packs"]}]
    return {"$schema": _DRAFT, "title": "sgconfig.yml", **object_of(known), "anyOf": either}


_RESULT = {
    "title": "ToolResult",
    **object_of(
        {
            "text": TEXT,
            "content": {"type": "array", "items": OBJECT},
            "details": {"type": ["object", "null"]},
            "isError": FLAG,
        },
        *("text", "content", "details", "isError"),
    ),
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
    schema["$defs"]["Op"]["properties"]["imports"]["anyOf"] = [IMPORTS_SCHEMA, {"type": "null"}]
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
