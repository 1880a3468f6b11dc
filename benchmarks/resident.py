"""The second call in a resident server: `python -m benchmarks.resident ROOT PAT OUT`.

Starts `astedit mcp`, previews the same edit twice, and prints the seconds of the second.
"""

import json
import subprocess
import sys
import time
from typing import Any

_PROTOCOL = "2025-06-18"


class Server:
    """A running server, asked by lines of JSON."""

    def __init__(self, root: str) -> None:
        command = [sys.executable, "-m", "astedit", "mcp", "--root", root]
        pipe = subprocess.PIPE
        self._process = subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True)
        self._id = 0
        who = {"name": "benchmarks", "version": "0"}
        self.ask("initialize", protocolVersion=_PROTOCOL, capabilities={}, clientInfo=who)
        self._send({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def ask(self, method: str, **params: Any) -> Any:
        """One answer; exits with the server's words when it is an error."""
        self._id += 1
        self._send({"jsonrpc": "2.0", "id": self._id, "method": method, "params": params})
        assert self._process.stdout is not None
        for line in self._process.stdout:
            answer = json.loads(line)
            if answer.get("id") == self._id:
                if "error" in answer or answer["result"].get("isError"):
                    sys.exit(line[:500])
                return answer["result"]
        sys.exit("the server has ended")

    def _send(self, message: dict[str, Any]) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(message) + "\n")
        self._process.stdin.flush()

    def close(self) -> None:
        """Ends the server."""
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait(10)


def main(root: str, pat: str, out: str) -> None:
    """Prints the seconds of the second call."""
    server = Server(root)
    arguments = {"ops": [{"pat": pat, "out": out}], "lang": "python"}
    for _ in range(2):
        started = time.perf_counter()
        server.ask("tools/call", name="ast_edit", arguments=arguments)
        took = time.perf_counter() - started
    print(took)
    server.close()


if __name__ == "__main__":
    main(*sys.argv[1:])
