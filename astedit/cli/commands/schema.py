"""`astedit schema`: what our JSON documents look like, for programs that read them."""

from dataclasses import fields
from typing import Any

import click

from astedit.cli import options
from astedit.cli.help_page import HelpPage
from astedit.cli.output import streams
from astedit.json_model import Model
from astedit.model.edit import Edit, FilePlan
from astedit.model.plan import Plan
from astedit.model.request import IMPORTS_SCHEMA, EditRequest

_TEXT = {"type": "string"}
_COUNT = {"type": "integer", "minimum": 0}
_CALL = {  # what `--ops` reads beside the request itself
    "expect": {"type": "object", "properties": {"replacements": _COUNT, "files": _COUNT}},
    "timeout": {"type": "number", "exclusiveMinimum": 0},
    "jobs": {"type": "integer", "minimum": 1},
}
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


@click.command(cls=HelpPage, epilog="Example: astedit schema ops")
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
        from astedit.cli.config_schema import config_schema, project_schema

        return project_schema() if document == "project" else config_schema()
    if document == "ledger":
        from astedit.review.ledger.model import PlaceLedger

        return _named(PlaceLedger)
    model = EditRequest if document == "ops" else Plan
    schema = model.model_json_schema()
    for part in (schema, *schema["$defs"].values()):
        _without_inner(part)
    if document == "ops":
        schema["properties"] |= _CALL
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
