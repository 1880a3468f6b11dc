"""The second call in a resident server: `python -m benchmarks.resident ROOT PAT OUT [FILE]`.

Starts `astedit mcp`, previews the same edit twice, and prints the seconds of the second. With
FILE ten calls are made, before each of which somebody saves that file, and the median counts.
"""

import json
import statistics
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

PROTOCOL = "2025-06-18"
WHO = {"name": "benchmarks", "version": "0"}


class Server:
    """A running server, asked by lines of JSON."""

    def __init__(self, root: str) -> None:
        command = [sys.executable, "-m", "astedit", "mcp", "--root", root]
        pipe = subprocess.PIPE
        self._process = subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True)
        self._id = 0
        self.ask("initialize", protocolVersion=PROTOCOL, capabilities={}, clientInfo=WHO)
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


def main(root: str, pat: str, out: str, saved: str | None = None) -> None:
    """Prints the seconds."""
    server = Server(root)
    arguments = {"ops": [{"pat": pat, "out": out}], "lang": "python"}
    seconds = []
    for turn in range(2 if saved is None else 11):
        if saved is not None:
            _save(Path(root, saved), turn)
        started = time.perf_counter()
        server.ask("tools/call", name="ast_edit", arguments=arguments)
        seconds.append(time.perf_counter() - started)
    print(statistics.median(seconds[1:]))
    server.close()


def _save(file: Path, turn: int) -> None:
    """Saves a file as an editor does, with another last line each time."""
    text = file.read_text().split("# turn", 1)[0]
    file.write_text(f"{text}# turn {turn}\n" if turn < 10 else text)


if __name__ == "__main__":
    main(*sys.argv[1:])
