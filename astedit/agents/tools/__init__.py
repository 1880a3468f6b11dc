"""The tools that agents are given: names, descriptions, argument schemas, and their checks.

One table serves the MCP server, `astedit tools` and the adapters. Arguments are camelCase,
each with a plain `type` (no anyOf, no null, no $ref: several clients build arguments from
these); optional ones are simply not required. The engine's options are read off
`EditRequest`, so that a schema cannot name one that does not exist.
"""

from astedit.agents.tools.specs import (
    FORMATS,
    ToolSpec,
    arguments,
    in_format,
    optional_tools,
    spec,
    toolset,
)
from astedit.agents.tools.words import EXAMPLES, RewriteExample

__all__ = [
    "EXAMPLES",
    "FORMATS",
    "RewriteExample",
    "ToolSpec",
    "arguments",
    "in_format",
    "optional_tools",
    "spec",
    "toolset",
]
