"""Whole commands, timed side by side: rounds interleaved, medians taken."""

import os
import resource
import statistics
import subprocess
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

_PAGE = os.sysconf("SC_PAGE_SIZE")
_LOOK = 0.008  # seconds between two looks at a command's memory


class Failed(Exception):
    """A command ended with a code that it should not end with."""


@dataclass(frozen=True)
class Command:
    """What is run, and where; `before` runs untimed before each round.

    `fruitless` is the code that says, like 0, that all went well: 1 where nothing is found.
    `itself`: it prints the seconds that count, as one number, since only a part of it does.
    """

    arguments: Sequence[str]
    cwd: Path
    environment: Mapping[str, str] = field(default_factory=dict)
    before: Callable[[], object] | None = None
    fruitless: int = 0
    itself: bool = False

    def succeed(self) -> None:
        """Runs it unmeasured; raises `Failed` when it fails."""
        _run(self)


@dataclass(frozen=True)
class Measured:
    """One command, all its processes together: median seconds, and the most megabytes.

    `cpu` are seconds of work; far below `seconds` times cores, the machine was busy elsewhere.
    """

    seconds: float
    cpu: float
    megabytes: float


def measure(commands: Mapping[str, Command], rounds: int) -> dict[str, Measured]:
    """Every command once a round, so that whatever else the machine does hits them alike.

    Raises `Failed` when a command ends with a code it should not end with.
    """
    runs: dict[str, list[Measured]] = {name: [] for name in commands}
    for _ in range(rounds):
        for name, command in commands.items():
            if command.before is not None:
                command.before()
            runs[name].append(_run(command))
    return {name: _median(measured) for name, measured in runs.items()}


def _median(runs: Sequence[Measured]) -> Measured:
    return Measured(
        statistics.median(run.seconds for run in runs),
        statistics.median(run.cpu for run in runs),
        max(run.megabytes for run in runs),
    )


def _run(command: Command) -> Measured:
    """Output goes to a file: a pipe would measure its reader, /dev/null is a special case."""
    environment = os.environ | command.environment
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        worked, started = _worked(), time.perf_counter()
        process = subprocess.Popen(
            command.arguments, cwd=command.cwd, env=environment, stdout=out, stderr=err
        )
        peak = _watch(process)
        took = time.perf_counter() - started
        if process.returncode not in (0, command.fruitless):
            err.seek(0)
            words = err.read()[-500:].decode(errors="replace")
            raise Failed(f"{command.arguments} ended with {process.returncode}: {words}")
        if command.itself:
            out.seek(0)
            took = float(out.read())
    return Measured(took, _worked() - worked, peak)


def _worked() -> float:
    """Seconds of work by all children so far, and by those that they waited for."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def _watch(process: "subprocess.Popen[bytes]") -> float:
    """Waits for a process; the most memory, in MB, that it and its children held at once."""
    peak = 0
    while True:
        peak = max(peak, sum(map(_resident, _family(process.pid))))
        try:
            process.wait(_LOOK)
        except subprocess.TimeoutExpired:
            continue
        return peak / 1e6


def _family(pid: int) -> list[int]:
    """A process and all below it."""
    family = [pid]
    for one in family:
        try:
            children = Path(f"/proc/{one}/task/{one}/children").read_text().split()
        except OSError:  # it has ended meanwhile
            continue
        family += map(int, children)
    return family


def _resident(pid: int) -> int:
    """Bytes of memory that are this process's own, shared libraries left out."""
    try:
        fields = Path(f"/proc/{pid}/statm").read_text().split()
    except OSError:  # it has ended meanwhile
        return 0
    return (int(fields[1]) - int(fields[2])) * _PAGE
