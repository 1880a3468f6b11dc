"""A small project, and the command line run in this process or as a real one."""

import json
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from astedit.cli.main import run
from tests.support.patience import until


@dataclass
class Outcome:
    """What a command answered."""

    code: int
    out: bytes
    err: str

    @property
    def text(self) -> str:
        return self.out.decode()

    @property
    def json(self) -> Any:
        return json.loads(self.out)


class Project:
    """A directory of files, and `astedit` run in it."""

    def __init__(self, root: Path, capture: pytest.CaptureFixture[bytes]) -> None:
        self.root = root
        self.state = root.parent / "state"
        self._capture = capture

    def write(self, **files: str | bytes) -> "Project":
        """Writes files; `__` in a name stands for `/`, `_py` at its end for `.py`."""
        for name, content in files.items():
            stem, _, suffix = name.rpartition("_")
            self.put(f"{stem.replace('__', '/')}.{suffix}", content)
        return self

    def put(self, path: str, content: str | bytes) -> None:
        """Writes one file, its directories included."""
        place = self.root / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(content if isinstance(content, bytes) else content.encode())

    def read(self, path: str) -> str:
        return (self.root / path).read_text()

    def files(self) -> dict[str, bytes]:
        """Every file below the root."""
        found = (
            path for path in self.root.rglob("*") if path.is_file() and ".git/" not in str(path)
        )
        return {str(path.relative_to(self.root)): path.read_bytes() for path in found}

    def __call__(self, *args: str) -> Outcome:
        """Runs one command line in this process."""
        self._capture.readouterr()
        code = run(list(args))
        out, err = self._capture.readouterr()
        return Outcome(code, out, err.decode())

    def newest(self) -> str:
        """The id of what was staged last."""
        return str(self("pending", "--json").json[0]["id"])

    def process_command(self, *args: str) -> list[str]:
        """The real command, as its words."""
        return [sys.executable, "-m", "astedit", *args]

    def process(self, *args: str, **options: Any) -> "subprocess.Popen[bytes]":
        """Starts the real command."""
        command = self.process_command(*args)
        settings: dict[str, Any] = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE} | options
        process: subprocess.Popen[bytes] = subprocess.Popen(
            command, executable=sys.executable, cwd=self.root, **settings
        )
        return process

    def git(self, *args: str, **options: Any) -> bytes:
        """Runs git here; raises if it fails."""
        command = ["git", *("-c", "user.name=t", "-c", "user.email=t@example.org"), *args]
        done: subprocess.CompletedProcess[bytes] = subprocess.run(
            command, cwd=self.root, capture_output=True, check=True, **options
        )
        return done.stdout


def until_parsing(process: "subprocess.Popen[bytes]") -> None:
    """Returns when the command has loaded a grammar: its imports are done, its work is not."""
    until(lambda: "tree_sitter_python" in Path(f"/proc/{process.pid}/maps").read_text(), process)
