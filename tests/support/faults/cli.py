"""The command line as processes of its own, under strace where a fault is injected."""

import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from astedit.cli.main import run
from tests.support import REPOSITORY
from tests.support.patience import LAST, until

EDIT = ("edit", "-p", "f($A)", "-r", "gg($A)")
APPLY = ("resolve", "apply", "--reason", "t")
BEFORE = {"a.py": b"f(1)\nx = 2\n", "src/b.py": b"f(2)\r\n", "src/c.py": b"y = f(3)"}
AFTER = {path: text.replace(b"f(", b"gg(") for path, text in BEFORE.items()}
MODES = {"a.py": 0o755, "src/b.py": 0o640, "src/c.py": 0o644}
_RENAMEAT2 = {"x86_64": 316, "aarch64": 276}.get(os.uname().machine)


class Tree:
    """A project of three files and its state; `astedit` runs in it."""

    def __init__(self, place: Path) -> None:
        self.root, self.state = place / "project", place / "state"

    def fresh(self) -> "Tree":
        """Everything as before, nothing staged."""
        shutil.rmtree(self.root, ignore_errors=True)
        shutil.rmtree(self.state, ignore_errors=True)
        (self.root / "src").mkdir(parents=True)
        (self.root / "astedit.toml").write_bytes(b"")
        for path, text in BEFORE.items():
            (self.root / path).write_bytes(text)
            (self.root / path).chmod(MODES[path])
        return self

    def staged(self) -> "Tree":
        """The same with the edit staged, by the command without a process of its own."""
        self.fresh()
        place = ("--root", str(self.root), "--state-dir", str(self.state), str(self.root))
        assert run([*EDIT, "--quiet", *place]) == 0
        return self

    def keep(self, name: str) -> None:
        """Saves the whole tree and its state, to be brought back by `again`."""
        for folder in (self.root, self.state):
            shutil.copytree(folder, folder.with_name(f"{folder.name}-{name}"))

    def again(self, name: str) -> None:
        """Brings back what `keep` saved, in the same directories: a plan is of one of them."""
        for folder in (self.root, self.state):
            for entry in folder.iterdir():
                shutil.rmtree(entry) if entry.is_dir() else entry.unlink()
            shutil.copytree(folder.with_name(f"{folder.name}-{name}"), folder, dirs_exist_ok=True)

    def command(self, *args: str) -> list[str]:
        return [sys.executable, "-m", "astedit", *args]

    def environment(self) -> dict[str, str]:
        modules = os.pathsep.join(filter(None, [str(REPOSITORY), os.environ.get("PYTHONPATH")]))
        settings = {"PYTHONPATH": modules, "ASTEDIT_STATE_DIR": str(self.state)}
        return os.environ | settings | {"PYTHONDONTWRITEBYTECODE": "1"}

    def run(self, *args: str, trace: tuple[str, ...] = ()) -> "subprocess.CompletedProcess[bytes]":
        """One command; `trace` are options of strace."""
        words = [*(("strace", "-f", "-qq", *trace) if trace else ()), *self.command(*args)]
        return subprocess.run(
            words, cwd=self.root, env=self.environment(), capture_output=True, timeout=LAST
        )

    def start(self, *args: str, trace: tuple[str, ...] = ()) -> "subprocess.Popen[bytes]":
        """The same, not waited for."""
        words = [*(("strace", "-f", "-qq", *trace) if trace else ()), *self.command(*args)]
        options: dict[str, Any] = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
        options |= {} if trace else {"executable": sys.executable}  # started as for a user
        return subprocess.Popen(words, cwd=self.root, env=self.environment(), **options)

    def held(self, at: int, *args: str) -> "subprocess.Popen[bytes]":
        """A command that stands before its exchange number `at` until `let_go`."""
        count = f"inject=renameat2:delay_enter=3000s:when={at}"
        process = self.start(*args, trace=("-D", "-I1", "-o", "/dev/null", "-e", count))
        until(lambda: self._exchanges(process, at), process)
        return process

    def _exchanges(self, process: "subprocess.Popen[bytes]", at: int) -> bool:
        calls = [place.read_text() for place in Path(f"/proc/{process.pid}/task").glob("*/syscall")]
        before = [path for path in sorted(BEFORE)[: at - 1] if self.contents()[path] != AFTER[path]]
        return not before and any(call.startswith(f"{_RENAMEAT2} ") for call in calls)

    def contents(self) -> dict[str, bytes]:
        """Every file below the root but the configuration."""
        found = (path for path in self.root.rglob("*") if path.is_file())
        read = {str(path.relative_to(self.root)): path.read_bytes() for path in found}
        del read["astedit.toml"]
        return read

    def modes(self) -> dict[str, int]:
        return {path: os.stat(self.root / path).st_mode & 0o7777 for path in MODES}


def let_go(process: "subprocess.Popen[bytes]") -> None:
    """Ends what traces a process, which goes on from where it was held."""
    status = Path(f"/proc/{process.pid}/status").read_text()
    os.kill(int(status.partition("TracerPid:")[2].split()[0]), signal.SIGTERM)


def need_strace() -> None:
    """Skips where strace cannot run."""
    if shutil.which("strace") is None:
        pytest.skip("strace is not installed")
    probe = subprocess.run(["strace", "-qq", "-o", "/dev/null", "true"], capture_output=True)
    if probe.returncode:
        pytest.skip(f"strace cannot trace here: {probe.stderr.decode(errors='replace').strip()}")
