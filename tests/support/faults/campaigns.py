"""A campaign over generated repositories, and processes of it to kill."""

import json
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from tests.support import REPOSITORY

WORKER = "astedit.campaign.task"
_FILE = """\
repositories: [svc/*]
ops:
  - {pat: old($A), out: old(f($A))}
"""


class Generated:
    """So many repositories; the change shows by itself if it is applied twice: f(f(x))."""

    def __init__(self, folder: Path, count: int, steps: str = "") -> None:
        self.folder = folder
        self.state = folder / "state"
        for number in range(count):
            root = folder / f"svc/r{number:03}"
            root.mkdir(parents=True)
            (root / "m.py").write_text(f"old({number})\n")
            (root / "other.py").write_text("x = 1\n")
        (folder / "c.yml").write_text(_FILE + steps)
        self.roots = sorted((folder / "svc").iterdir())

    def commit(self) -> None:
        """Makes a git repository of each, with all files committed."""
        who = ("-c", "user.name=t", "-c", "user.email=t@example.org")
        for root in self.roots:
            for words in (("init", "-q", "-b", "main"), ("add", "."), ("commit", "-qm", "Base")):
                subprocess.run(["git", *who, *words], cwd=root, check=True)

    def start(self, *args: str) -> "subprocess.Popen[bytes]":
        """The real command; its output is kept for the failure of a test."""
        env = os.environ | {"ASTEDIT_STATE_DIR": str(self.state), "PYTHONPATH": str(REPOSITORY)}
        command = [sys.executable, "-m", "astedit", "campaign", "c.yml", *args]
        with open(self.folder / "log", "ab") as log:
            return subprocess.Popen(command, cwd=self.folder, env=env, stdout=log, stderr=log)

    def finish(self, *args: str) -> None:
        """Runs it, again where a worker was lost, until all is done."""
        for _ in range(5):
            if self.start(*args).wait() == 0:
                return
        raise AssertionError((self.folder / "log").read_text()[-3000:])

    def rows(self) -> "list[dict[str, object]]":
        env = os.environ | {"ASTEDIT_STATE_DIR": str(self.state), "PYTHONPATH": str(REPOSITORY)}
        command = [sys.executable, "-m", "astedit", "campaign", "c.yml", "--status", "--json"]
        done = subprocess.run(command, cwd=self.folder, env=env, capture_output=True, check=True)
        found: list[dict[str, object]] = json.loads(done.stdout)["repositories"]
        return found

    def texts(self) -> list[str]:
        return [(root / "m.py").read_text() for root in self.roots]


def harass(
    campaign: Generated,
    args: tuple[str, ...],
    kills: int,
    seconds: float,
    seed: int,
    elsewhere: Sequence[int] = (),
) -> None:
    """Starts the campaign so often, kills it and workers of it at random points; then ends it.

    `elsewhere` are other processes that start workers of it.
    """
    chance = random.Random(seed)
    for _ in range(kills):
        running = campaign.start(*args)
        end = time.monotonic() + chance.uniform(0.2, seconds)
        while time.monotonic() < end and running.poll() is None:
            time.sleep(chance.uniform(0.05, 0.3))
            workers = [pid for parent in (running.pid, *elsewhere) for pid in children(parent)]
            if workers and chance.random() < 0.3:
                _kill(chance.choice(workers))
        running.kill()
        running.wait()
    campaign.finish(*args)


def children(pid: int) -> list[int]:
    """The workers that a campaign has right now."""
    found: list[int] = []
    for task in Path(f"/proc/{pid}/task").glob("*"):
        try:
            found += map(int, (task / "children").read_text().split())
        except OSError:  # a thread that has ended
            continue
    return [child for child in found if WORKER in _command(child)]


def _command(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes().decode().replace("\0", " ")
    except OSError:
        return ""


def _kill(pid: int) -> None:
    try:
        os.kill(pid, signal.SIGKILL)
    except ProcessLookupError:
        return


def alive(pid: int) -> bool:
    return WORKER in _command(pid)
