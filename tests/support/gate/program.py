"""Runs a program in a process of its own."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap

from tests.support import REPOSITORY
from tests.support.patience import LAST


def run(script: str, *arguments: object) -> subprocess.Popen[str]:
    """Starts a program that has the tests and the packages on its path."""
    path = os.pathsep.join([str(REPOSITORY), *sys.path])
    return subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(script), *map(str, arguments)],
        stdout=subprocess.PIPE,
        stdin=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": path},
    )


def output(script: str, *arguments: object) -> str:
    process = run(script, *arguments)
    out, _ = process.communicate(timeout=LAST)
    assert process.returncode == 0
    return out
