"""The tools that agents are given: names, descriptions, argument schemas, and their checks.

One table serves the MCP server, `astedit tools` and the adapters. Arguments are camelCase,
each with a plain `type` (no anyOf, no null, no $ref: several clients build arguments from
these); optional ones are simply not required. The engine's options are read off
`EditRequest`, so that a schema cannot name one that does not exist.
"""
