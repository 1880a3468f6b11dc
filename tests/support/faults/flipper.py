"""Exchanges two names of a directory over and over: run as a process of its own.

    python -m tests.support.faults.flipper DIRECTORY ONE OTHER TIMES

It sleeps between two exchanges, for a time that differs each time, and so leaves the
processor to the others.
"""

import os
import random
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from astedit.transaction.disk import DISK
from tests.support import REPOSITORY


def while_flipping(directory: Path, one: str, other: str, times: int) -> Iterator[int]:
    """Yields again and again until another process has exchanged the names so often."""
    module = "tests.support.faults.flipper"
    command = [sys.executable, "-m", module, str(directory), one, other, str(times)]
    with subprocess.Popen(command, cwd=REPOSITORY, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None and process.stdout.readline() == b"begun\n"
        number = 0
        while process.poll() is None:
            yield number
            number += 1
        assert process.returncode == 0


def _flip(directory: str, one: str, other: str, times: int) -> None:
    parent = os.open(directory, os.O_RDONLY | os.O_DIRECTORY)
    print("begun", flush=True)
    for _ in range(times):
        DISK.exchange(parent, one, other)
        time.sleep(random.random() * 0.0005)


if __name__ == "__main__":
    _flip(*sys.argv[1:4], int(sys.argv[4]))
