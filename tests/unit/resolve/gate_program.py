"""Runs a program in a process of its own."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
from pathlib import Path

HERE = Path(__file__).parent


def run(script: str, *arguments: object) -> subprocess.Popen[str]:
    """Starts a program that has this folder and the package on its path."""
    path = os.pathsep.join([str(HERE), *sys.path])
    return subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(script), *map(str, arguments)],
        stdout=subprocess.PIPE,
        stdin=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": path},
    )


def output(script: str, *arguments: object) -> str:
    process = run(script, *arguments)
    out, _ = process.communicate(timeout=60)
    assert process.returncode == 0
    return out
