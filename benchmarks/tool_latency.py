"""How long a small tool call takes: `python -m benchmarks.tool_latency ROOT stdio|http`.

Starts `astedit mcp`, searches a tree of few files a hundred times, prints the median seconds.
"""

import http.client
import json
import os
import statistics
import subprocess
import sys
import time
from typing import Any

from benchmarks.resident import PROTOCOL, WHO, Server

_TOKEN = "a-token-of-the-benchmarks"
_ARGUMENTS = {"pat": "old_name($$$A)", "lang": "python"}


class HttpServer:
    """A running server over HTTP, asked by one connection."""

    def __init__(self, root: str) -> None:
        command = [sys.executable, "-m", "astedit", "mcp", "--root", root, "--http", "127.0.0.1:0"]
        environment = os.environ | {"ASTEDIT_MCP_TOKEN": _TOKEN}
        self._process = subprocess.Popen(
            command, stderr=subprocess.PIPE, text=True, env=environment
        )
        assert self._process.stderr is not None
        said = next(line for line in self._process.stderr if "http://" in line)
        place = said.split("http://", 1)[1].partition("/")[0]
        self._connection = http.client.HTTPConnection(place)
        self._session: dict[str, str] = {}
        self.ask("initialize", protocolVersion=PROTOCOL, capabilities={}, clientInfo=WHO)

    def ask(self, method: str, **params: Any) -> None:
        """Waits for the answer; exits with the server's words when it is an error."""
        headers = {
            "authorization": f"Bearer {_TOKEN}",
            "content-type": "application/json",
            "accept": "application/json, text/event-stream",
            **self._session,
        }
        body = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
        self._connection.request("POST", "/mcp", json.dumps(body), headers)
        answer = self._connection.getresponse()
        text = answer.read().decode()
        if answer.status != 200 or '"error"' in text or '"isError":true' in text:
            sys.exit(text[:500])
        if (session := answer.getheader("mcp-session-id")) is not None:
            self._session = {"mcp-session-id": session, "mcp-protocol-version": PROTOCOL}

    def close(self) -> None:
        """Ends the server."""
        self._connection.close()
        self._process.terminate()
        self._process.wait(10)


def main(root: str, way: str) -> None:
    """Prints the seconds."""
    server = Server(root) if way == "stdio" else HttpServer(root)
    seconds = []
    for _ in range(100):
        started = time.perf_counter()
        server.ask("tools/call", name="ast_grep", arguments=_ARGUMENTS)
        seconds.append(time.perf_counter() - started)
    print(statistics.median(seconds))
    server.close()


if __name__ == "__main__":
    main(*sys.argv[1:])
