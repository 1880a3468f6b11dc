"""The MCP server: the tools of `toolset` over stdio, for agents."""
