"""H9: an apply that is killed at a random moment, recovered, looked at, and all over again."""

import random
import shutil
import signal
import subprocess
import time
from collections import Counter
from pathlib import Path

from astedit.staging import undo
from resolve import Session, SqliteStore
from tests.support.faults.cli import APPLY, EDIT, Tree

KILL, ASK = signal.SIGKILL, signal.SIGTERM
FILES = 40
assert undo.HANDLER  # imported for its handler: a recovery here finds both


class Soak:
    """A project of many small files whose staged edit is applied and killed again and again.

    Half of the kills fall anywhere in the life of the process, half into the window in
    which it writes, both a tenth beyond the end. 85 % of them are SIGKILL.
    """

    def __init__(self, place: Path, seed: int) -> None:
        self.random = random.Random(seed)
        self.seen: Counter[str] = Counter()
        self.tree = Tree(place).fresh()
        shutil.rmtree(self.tree.root / "src")
        self.old = {f"d{n % 4}/m{n}.py": b"f(%d)\r\n" % n * 20 for n in range(FILES)}
        self.new = {path: text.replace(b"f(", b"gg(") for path, text in self.old.items()}
        (self.tree.root / "a.py").unlink()
        for number in range(4):
            (self.tree.root / f"d{number}").mkdir()
        self._put_back()
        assert self.tree.run(*EDIT, "--quiet").returncode == 0
        self.tree.keep("staged")
        (self.state,) = self.tree.state.rglob("state.db")
        self.whole, self.window = self._measured()

    def run(self, times: int) -> list[str]:
        """Kills so many times; returns what went wrong."""
        return [wrong for number in range(times) for wrong in self._once(number)]

    def _once(self, number: int) -> list[str]:
        self._again()
        aimed = bool(number % 2)
        process = self.tree.start(*APPLY)
        if aimed:
            self._until_writing(process)
        time.sleep(self.random.uniform(0, 1.1 * (self.window if aimed else self.whole)))
        process.send_signal(KILL if self.random.random() < 0.85 else ASK)
        _, err = process.communicate()
        if process.returncode not in (0, -KILL, -ASK, 130):
            return [f"kill {number}: exit {process.returncode}: {err.decode()}"]
        inside = self.state.with_name("intent").exists()
        self.seen["interrupted inside the window"] += inside
        self.seen[f"{self._kind()} before the recovery"] += 1
        return self._recovered(number, process.returncode)

    def _recovered(self, number: int, code: int) -> list[str]:
        with SqliteStore(self.state) as store:
            session = Session(store, workspace=True, lock=self.tree.root)
            session.recover()
            (action,) = session.store.list(("pending", "applying", "applied"))
        kind = self._kind()
        self.seen[f"{kind} after it"] += 1
        checks = {
            "a mix": kind not in ("old", "new"),
            "the store tells another story": (action.state == "applied") != (kind == "new"),
            "exit 0 without an end": code == 0 and kind != "new",
            "a marker is left": self.state.with_name("intent").exists(),
        }
        return [f"kill {number}: {name}" for name, wrong in checks.items() if wrong]

    def _kind(self) -> str:
        found = self.tree.contents()
        return "old" if found == self.old else "new" if found == self.new else "mixed"

    def _put_back(self) -> None:
        for path in self.tree.contents():
            (self.tree.root / path).unlink()
        for path, text in self.old.items():
            (self.tree.root / path).write_bytes(text)

    def _again(self) -> None:
        """The same tree and state again; the root stays the same directory."""
        self._put_back()
        shutil.rmtree(self.tree.state)
        shutil.copytree(self.tree.state.with_name("state-staged"), self.tree.state)

    def _until_writing(self, process: "subprocess.Popen[bytes]") -> None:
        marker = self.state.with_name("intent")
        while process.poll() is None and not marker.exists():
            time.sleep(0.0005)

    def _measured(self) -> tuple[float, float]:
        """Seconds of a whole apply, and of its writing."""
        start = time.monotonic()
        process = self.tree.start(*APPLY)
        self._until_writing(process)
        writing = time.monotonic()
        process.communicate()
        end = time.monotonic()
        assert process.returncode == 0 and self._kind() == "new"
        return end - start, end - writing
