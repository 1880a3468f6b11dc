"""A server over HTTP in a process of its own, and clients of it."""

import json
import socket
import subprocess
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from typing import Any

import httpx2
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from mcp_types import Implementation

from tests.support.agent import Agent, Workspace
from tests.support.patience import LAST

TOKEN = "a-token-of-twenty-nine-letters"


class Served:
    """A server in a process of its own: where it is, and its token."""

    def __init__(self, process: "subprocess.Popen[bytes]", url: str, origin: str) -> None:
        self.process, self.url, self.origin = process, url, origin
        self.port = int(url.rsplit(":", 1)[1].partition("/")[0])

    def raw(self, method: str, path: str, headers: list[tuple[str, str]], body: bytes) -> int:
        """The status of one request, whose every byte is given here."""
        with self._sent(method, path, headers, body) as connection:
            answer = b""
            while b"\r\n\r\n" not in answer and (piece := connection.recv(4096)):
                answer += piece
        lines = answer.decode().lower().split("\r\n")
        assert not any(line.startswith("access-control-") for line in lines)
        return int(lines[0].split()[1])

    def _sent(
        self, method: str, path: str, headers: list[tuple[str, str]], body: bytes
    ) -> socket.socket:
        head = "".join(f"{name}: {value}\r\n" for name, value in headers)
        length = f"content-length: {len(body)}\r\n" if body else ""
        connection = socket.create_connection(("127.0.0.1", self.port), timeout=LAST)
        connection.sendall(f"{method} {path} HTTP/1.1\r\n{head}{length}\r\n".encode() + body)
        return connection

    def older(self, message: dict[str, Any], session: str = "", drop: float | None = None) -> str:
        """The whole answer to one message of the older protocol, or dropped after seconds."""
        headers = [
            ("host", f"127.0.0.1:{self.port}"), ("authorization", f"Bearer {TOKEN}"),
            ("content-type", "application/json"), ("connection", "close"),
            ("accept", "application/json, text/event-stream"),
        ]  # fmt: skip
        if session:
            headers += [("mcp-session-id", session), ("mcp-protocol-version", "2025-06-18")]
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        with self._sent("POST", "/mcp", headers, body) as connection:
            if drop is not None:
                time.sleep(drop)
                return ""
            return b"".join(iter(lambda: connection.recv(65_536), b"")).decode()


@contextmanager
def serving(
    workspace: Workspace, *more: str, word: str | None = TOKEN, trace: tuple[str, ...] = ()
) -> Iterator[Served]:
    """A server for as long as the block runs; `trace` are options of strace."""
    environment = workspace.environment() | ({"ASTEDIT_MCP_TOKEN": word} if word else {})
    traced = ("strace", "-f", "-qq", *trace) if trace else ()
    command = [*traced, *workspace.command("--http", "127.0.0.1:0", *more)]
    with subprocess.Popen(command, stderr=subprocess.PIPE, env=environment) as process:
        assert process.stderr is not None
        told = {}
        while "token" not in told:
            line = process.stderr.readline().decode()
            assert line, "the server ended"
            key, _, value = line.strip().partition(": ")
            told[key] = value
        try:
            yield Served(process, told["url"], told["token"])
        finally:
            process.terminate()
            process.wait(LAST)


@asynccontextmanager
async def client(
    served: Served, mode: str = "auto", name: str = "tests", word: str = TOKEN
) -> AsyncIterator[Agent]:
    headers = {"Authorization": f"Bearer {word}"}
    async with httpx2.AsyncClient(headers=headers, timeout=LAST) as connection:
        transport: Any = streamable_http_client(served.url, http_client=connection)
        known = Implementation(name=name, version="1")
        async with Client(transport, mode=mode, client_info=known) as one:
            yield Agent(one)
