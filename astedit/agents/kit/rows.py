"""The clients of the kit, read from their files."""

import json
import os
import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from typing import Any, Literal

from astedit.version import __version__

HookMode = Literal["offer", "stage", "require"]
MODES: tuple[HookMode, ...] = ("offer", "stage", "require")
CLIENTS = ("claude", "codex", "cursor", "gemini", "copilot", "opencode")
HERE = os.path.dirname(__file__)
# How clients call the tools of our server.
_OWN = re.compile(
    r"(?:mcp__(?:plugin_astedit_)?astedit__|mcp_astedit_|astedit(?:__|[-_./])|MCP:|astedit:)?"
    r"(ast_edit|ast_grep|locate|rename|refactor|pending|resolve|undo|prove|capture)"
)


# One tool of a client: what it `does`, which fields of its input change nothing (`also`), and by
# our words what its input calls the parts of what it does.
ClientTool = Mapping[str, Any]


def unknown_fields(tool: ClientTool, values: Mapping[str, Any]) -> list[str]:
    """The fields of a tool's input that nobody here knows, also of each of its edits."""
    parts = values.get(tool.get("edits", ""))
    inputs = [values, *(parts if isinstance(parts, list) else ())]
    names = {name for part in inputs if isinstance(part, dict) for name in part}
    ours = {name for word, name in tool.items() if word not in ("does", "also")}
    return sorted(map(str, names - ours.union(tool.get("also", ()))))


@dataclass(frozen=True, slots=True)
class Entry:
    """What stands in one settings file of a client, or a whole file of ours.

    `at` is where in a JSON or TOML text a value stands, "+" at its end an item of a list; a
    whole file has none. `forms` are what stands there, a value or the file's text, by mode.
    `beside` is what a new file needs too, `other` where the entry may stand instead: in which
    form, and in which file.
    """

    path: str
    form: str
    at: Sequence[str]
    forms: Mapping[str, Any]
    beside: Mapping[str, Any]
    other: Sequence[tuple[str, str]]


@dataclass(frozen=True, slots=True)
class Client:
    """One client: its settings for either scope, its tools, and how it is answered."""

    name: str
    row: Mapping[str, Any]

    @property
    def tools(self) -> Mapping[str, ClientTool]:
        """Its tools that edit, and its shells."""
        tools: Mapping[str, ClientTool] = self.row["tools"]
        return tools

    def passes(self, tool: str) -> bool:
        """Whether a tool of this name changes no file, or is one of ours."""
        return tool in self.row["reading"]["names"].split() or _OWN.fullmatch(tool) is not None

    def answer(self, verb: Literal["deny", "note"], text: str) -> str:
        """What its hook prints to deny a call, or to say something of it; "" if it has no way."""
        return str(self.row["hook"][verb]).replace('"{text}"', json.dumps(text))

    def entries(self, scope: str, home: str) -> Iterator[Entry]:
        """What stands in its files of a scope: "project" or "user"."""
        for file in self.row["files"]:
            if scope in file:
                path = self._place(file[scope], home)
                above = os.path.dirname(path)
                yield Entry(
                    path,
                    file.get("form", "text"),
                    file.get("at", ()),
                    {mode: self._written(file, mode) for mode in MODES},
                    file.get("beside", {}),
                    [(form, os.path.join(above, name)) for form, name in file.get("other", ())],
                )

    def _written(self, file: Mapping[str, Any], mode: HookMode) -> Any:
        """What stands there in this mode; a file of ours may end in the hash of its content."""
        if "text" in file:
            with open(os.path.join(HERE, file["text"]), encoding="utf-8") as source:
                text = source.read()
        else:
            text = file.get(mode, file["value"])
        tools = self.row["hook"]["matched" if mode == "require" else "edits"]
        for name, value in (("mode", mode), ("tools", tools), ("version", __version__)):
            text = text.replace(f"{{{name}}}", value)
        if "mark" in file:
            mark = f"astedit agents {sha256(text.encode()).hexdigest()[:16]}"
            return text + str(file["mark"]).replace("{mark}", mark) + "\n"
        return json.loads(text) if "at" in file else text

    def _place(self, path: str, home: str) -> str:
        variable, usual = self.row["home"]
        config = os.environ.get("XDG_CONFIG_HOME", "")
        config = config if os.path.isabs(config) else "~/.config"  # as its specification says
        own = os.environ.get(variable)
        path = path.replace("{home}", os.path.abspath(own) if own else usual)
        path = path.replace("{config}", config)
        return os.path.join(home, path[2:]) if path.startswith("~/") else path


@cache
def client(name: str) -> Client:
    """The client of this name, one of `CLIENTS`."""
    with open(os.path.join(HERE, "clients", f"{name}.toml"), "rb") as file:
        return Client(name, tomllib.load(file))


def caller(name: str, call: Mapping[str, Any]) -> Client:
    """Whose call this is: some clients run Claude's hooks with calls of their own form."""
    # Any release of Claude may add the sign of Copilot, which has no such mode.
    names = ("cursor",) if "permission_mode" in call else ("cursor", "copilot")
    others = (client(other) for other in names if name == "claude")
    return next((other for other in others if other.row["hook"]["sign"] in call), client(name))
