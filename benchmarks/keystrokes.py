"""How long diagnostics take after a keystroke: `python -m benchmarks.keystrokes [COMMAND…]`.

Starts a language server (`astedit lsp`), opens a file of 2,000 lines in a project of rules, types a
hundred characters into it, and prints the median and the longest milliseconds until what was
found in that very text comes back. Then it opens 200 such files and prints the server's memory.
"""

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

_RULE = """\
id: {name}
language: python
severity: warning
message: {name}
rule: {{pattern: {name}($$$A)}}
fix: other($$$A)
"""
_NAMES = ("print", "eval", "exec", "open", "len", "str", "isinstance", "sorted", "set", "zip")
_BLOCK = """\
def f{n}(first, second=None):
    '''What it does.'''
    total = {{}}
    for key, value in first.items():
        if key in total and value is not None:
            total[key] = (value, second, [one for one in value if one])
        else:
            total.setdefault(key, []).append(value.strip() or "{n}")
    return total

"""


class Client:
    """A server on its standard streams."""

    def __init__(self, command: list[str], root: Path) -> None:
        self._server = subprocess.Popen(
            command, cwd=root, stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )
        uri = root.as_uri()
        folders = [{"uri": uri, "name": "bench"}]
        params = {"capabilities": {}, "workspaceFolders": folders, "rootUri": uri}
        self.send("initialize", params, 1)
        while self.read().get("id") != 1:
            pass
        self.send("initialized", {})

    @property
    def busy(self) -> float:
        """Seconds of processor time so far."""
        fields = Path(f"/proc/{self._server.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    @property
    def memory(self) -> int:
        """Resident MiB."""
        status = Path(f"/proc/{self._server.pid}/status").read_text()
        return int(status.partition("VmRSS:")[2].split()[0]) >> 10

    def send(self, method: str, params: Any, id: int | None = None) -> None:
        """Sends a request or a notification."""
        self._write({"method": method, "params": params} | ({} if id is None else {"id": id}))

    def answer(self, id: Any) -> None:
        """Answers a request of the server with nothing."""
        self._write({"id": id, "result": None})

    def _write(self, message: dict[str, Any]) -> None:
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        assert self._server.stdin is not None
        self._server.stdin.write(b"Content-Length: %d\r\n\r\n%b" % (len(body), body))
        self._server.stdin.flush()

    def read(self) -> dict[str, Any]:
        """The next message."""
        assert self._server.stdout is not None
        length = 0
        while line := self._server.stdout.readline().strip():
            name, _, value = line.partition(b":")
            length = int(value) if name.lower() == b"content-length" else length
        message: dict[str, Any] = json.loads(self._server.stdout.read(length))
        return message

    def open(self, uri: str, text: str) -> int:
        """Opens a document; how many diagnostics come back."""
        item = {"uri": uri, "languageId": "python", "version": 1, "text": text}
        self.send("textDocument/didOpen", {"textDocument": item})
        return self.diagnostics(uri, 1)

    def diagnostics(self, uri: str, version: int) -> int:
        """Waits for those of one version."""
        while True:
            told = self.read()
            params = told.get("params") or {}
            if told.get("method") == "textDocument/publishDiagnostics" and params["uri"] == uri:
                if params.get("version", version) == version:
                    return len(params["diagnostics"])
            elif "id" in told and "method" in told:  # it asks: nothing is known here
                self.answer(told["id"])

    def close(self) -> None:
        """Ends the server."""
        self._server.kill()
        self._server.wait()


def main(command: list[str]) -> None:
    """Prints the figures."""
    root = Path(tempfile.mkdtemp())
    (root / "rules").mkdir()
    (root / "sgconfig.yml").write_text("ruleDirs: [rules]\n")
    for name in _NAMES:
        (root / f"rules/{name}.yml").write_text(_RULE.format(name=name))
    text = "".join(_BLOCK.format(n=n) for n in range(198)) + "print(1)\n" * 20
    assert text.count("\n") == 2_000
    client = Client(command, root)
    uri = (root / "a.py").as_uri()
    client.open(uri, text)
    seconds, busy = [], client.busy
    for number in range(100):
        place = {"line": 1_000, "character": number}
        change = {"range": {"start": place, "end": place}, "text": "#"}
        document = {"uri": uri, "version": number + 2}
        started = time.perf_counter()
        client.send(
            "textDocument/didChange", {"textDocument": document, "contentChanges": [change]}
        )
        found = client.diagnostics(uri, number + 2)
        seconds.append(time.perf_counter() - started)
        assert found == 20, found
        time.sleep(0.01)
    median, longest = statistics.median(seconds) * 1_000, max(seconds) * 1_000
    busy = (client.busy - busy) * 10
    print(f"{median:.1f} ms median, {longest:.1f} ms longest, {busy:.1f} ms of processor time")
    for number in range(200):
        client.open((root / f"b{number}.py").as_uri(), text)
    print(f"{client.memory} MiB with 201 open files")
    client.close()


if __name__ == "__main__":
    main(sys.argv[1:] or [sys.executable, "-m", "astedit", "lsp"])
