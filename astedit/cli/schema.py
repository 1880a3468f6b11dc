"""`astedit schema`: what our JSON documents look like, for programs that read them."""

from typing import Any

import click

from astedit.cli import streams
from astedit.model import EditRequest, Plan

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


@click.command(epilog="Example: astedit schema ops")
@click.argument("document", type=click.Choice(("ops", "plan", "result")))
def command(document: str) -> int:
    """Print the JSON schema of a document.

    ops: what `edit --ops` reads. plan: what `edit --json` prints. result: what
    `resolve --json` prints.
    """
    streams.document(_schema(document))
    return 0


def _schema(document: str) -> dict[str, Any]:
    if document == "result":
        return _RESULT
    return (EditRequest if document == "ops" else Plan).model_json_schema()
