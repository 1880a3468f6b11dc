"""An agent's end of the server: the official client of the protocol."""

import asyncio
import os
import sys
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager, closing
from pathlib import Path
from typing import Any

import pytest
from mcp import Client, StdioServerParameters

from astedit.agents.calls import Calls
from astedit.agents.reply import Form
from astedit.mcp.server import make
from astedit.staging.open_workspace import OpenWorkspace
from tests.support import REPOSITORY

ERAS = ("auto", "legacy")  # 2026-07-28, and the handshake of the versions before
# Where the era makes no difference to us: the older one only among the slow tests.
MOSTLY = ("auto", pytest.param("legacy", marks=pytest.mark.slow))
RENAME = {"ops": [{"pat": "f($$$A)", "out": "g($$$A)"}]}


class Workspace:
    """A directory of files, its state, and servers of it."""

    def __init__(self, place: Path) -> None:
        self.root, self.state = place / "project", place / "state"
        self.root.mkdir()
        self.write("astedit.toml", "")

    def write(self, path: str, text: str) -> "Workspace":
        place = self.root / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text)
        return self

    def read(self, path: str) -> str:
        return (self.root / path).read_text()

    def files(self) -> dict[str, bytes]:
        found = (path for path in self.root.rglob("*") if path.is_file())
        return {str(path.relative_to(self.root)): path.read_bytes() for path in found}

    def command(self, *more: str) -> list[str]:
        """The server's command line."""
        place = ["--root", str(self.root), "--state-dir", str(self.state)]
        return [sys.executable, "-m", "astedit", "mcp", *place, *more]

    def environment(self) -> dict[str, str]:
        kept = {k: v for k, v in os.environ.items() if not k.startswith("ASTEDIT_")}
        return kept | {"PYTHONPATH": str(REPOSITORY)}

    @asynccontextmanager
    async def agent(
        self,
        *more: str,
        trace: tuple[str, ...] = (),
        mode: str = "auto",
        real: bool = False,
        **options: Any,
    ) -> AsyncIterator["Agent"]:
        """A connection to a process of its own, over pipes; `trace` are options of strace.

        With `real` it is started as a user's client does, and not forked from one that has done
        the imports (`forked_workers.py`).
        """
        before = ("strace", "-f", "-qq", *trace) if trace else ("env",) if real else ()
        words = [*before, *self.command(*more)]
        server = StdioServerParameters(command=words[0], args=words[1:], env=self.environment())
        async with Client(server, mode=mode, **options) as client:
            yield Agent(client)

    @asynccontextmanager
    async def near(self, form: Form = "text", **options: Any) -> AsyncIterator["Agent"]:
        """A connection to a server in this process, which starts in a tenth of the time.

        For what the server answers; what its process does needs `agent`.
        """
        with closing(Calls(OpenWorkspace(str(self.root), str(self.state)))) as calls:
            async with Client(make(calls, form), **options) as client:
                yield Agent(client)


class Agent:
    """One connection; answers as text and data."""

    def __init__(self, client: Client) -> None:
        self.client = client

    async def call(self, tool: str, **arguments: Any) -> "Said":
        return Said(await self.client.call_tool(tool, arguments))

    async def preview(self, **more: Any) -> str:
        """Stages the rename; the id."""
        return str((await self.call("ast_edit", **(RENAME | more))).action_id)

    async def resolve(self, action: str = "apply", **more: Any) -> "Said":
        return await self.call("resolve", action=action, reason="tested", **more)

    async def pending(self) -> list[str]:
        lines = (await self.call("pending")).lines
        return [line.split()[0] for line in lines[1:]]


class Said:
    """What a tool replied: its one text, and what a program reads beside it."""

    def __init__(self, result: Any) -> None:
        self.text: str = result.content[0].text
        self.lines = self.text.splitlines()
        self.structure: dict[str, Any] | None = result.structured_content
        self.is_error: bool = result.is_error
        meta = result.meta or {}
        self.action_id: str | None = meta.get("astedit/actionId")
        self.fingerprint: str | None = meta.get("astedit/fingerprint")
        self.counts: dict[str, int] = meta.get("astedit/counts", {})
        self.code: str | None = meta.get("astedit/code")


def run(story: Callable[[], Coroutine[Any, Any, None]]) -> None:
    """Runs an asynchronous test."""
    asyncio.run(story())
