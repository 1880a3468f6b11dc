"""The tools as each model provider wants them declared."""

from astedit.agents.tools.specs import ToolSpec
from astedit.json_model import Schema

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
