"""The files in `agents/` and `server.json`: `python -m tests.support.agent_files` writes them.

What a project gets, from the kit itself; and the manifests of plugins, from `pyproject.toml`.
"""

import json
import tomllib
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from astedit.agents.kit.install import Kit
from astedit.agents.kit.rows import CLIENTS
from astedit.version import __version__
from tests.support import REPOSITORY

FOLDER = REPOSITORY / "agents"
_SCHEMAS = "https://agent-plugins.org/schemas/1.0.0"
_REGISTRY = "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json"


def project_files(root: str) -> dict[str, bytes]:
    """What `install --project` of all clients writes into an empty project."""
    return _made(Kit("project", root))


def _made(kit: Kit) -> dict[str, bytes]:
    assert kit.install(CLIENTS, None) == []
    return {path: after or b"" for path, (_, after) in kit.changes.items()}


def plugin_files(root: str) -> dict[str, bytes]:
    """The same as a plugin, whose parts lie at its root, and as an extension of Gemini CLI."""
    about = _about()
    entry = {"command": "astedit", "args": ["mcp"]}
    project = project_files(root)
    hooks = json.loads(project[".claude/settings.json"])
    owner = {"name": "The astedit authors"}
    market = {"name": "astedit", "source": "./", "description": about["description"]}
    rest = {
        "plugin.json": {"$schema": f"{_SCHEMAS}/plugin.schema.json", **about},
        "mcp.json": {
            "$schema": f"{_SCHEMAS}/mcp.schema.json",
            "mcpServers": {"astedit": {"type": "stdio", **entry}},
        },
        ".claude-plugin/plugin.json": about,
        ".claude-plugin/marketplace.json": {"name": "astedit", "owner": owner, "plugins": [market]},
        "hooks/hooks.json": hooks,
    }
    files = {path: _json(document) for path, document in rest.items()}
    files["skills/astedit/SKILL.md"] = project[".claude/skills/astedit/SKILL.md"]
    extension = f"{root}/.gemini/extensions/"
    for path, content in _made(Kit("user", root)).items():
        if path.startswith(extension):
            files[f"gemini/{path.removeprefix(extension)}"] = content
    return files


def registry_file() -> bytes:
    """`server.json` for the registry of MCP servers."""
    about = _about()
    package = {
        "registryType": "pypi",
        "identifier": "astedit",
        "version": __version__,
        "runtimeHint": "uvx",
        "runtimeArguments": [{"type": "named", "name": "--from", "value": "astedit[mcp]"}],
        "packageArguments": [{"type": "positional", "value": "mcp"}],
        "transport": {"type": "stdio"},
    }
    head = {"$schema": _REGISTRY, "name": "io.github.astedit/astedit", "title": "astedit"}
    rest = {"description": about["description"], "version": __version__, "packages": [package]}
    return _json(head | rest)


def _about() -> dict[str, Any]:
    project = tomllib.loads((REPOSITORY / "pyproject.toml").read_text())["project"]
    return {
        "name": "astedit",
        "version": __version__,
        "description": "Preview structural changes of code as a diff, then resolve them.",
        "license": project["license"],
        "keywords": project["keywords"],
    }


def _json(document: Any) -> bytes:
    return (json.dumps(document, indent=2) + "\n").encode()


def wanted(root: str) -> dict[Path, bytes]:
    """Every file, by where it lies in the repository."""
    files = project_files(root) | plugin_files(root)
    return {FOLDER / path: content for path, content in files.items()} | {
        REPOSITORY / "server.json": registry_file()
    }


if __name__ == "__main__":
    with TemporaryDirectory() as empty:
        for place, content in wanted(empty).items():
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(content)
