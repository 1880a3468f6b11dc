"""Programs that are measured beside ours and are no part of the development environment."""

import shutil
import subprocess
import sys
from pathlib import Path

from benchmarks.corpora import CACHE
from benchmarks.packages import Unavailable

SEMGREP = "1.182.0"


def semgrep() -> Path:
    """semgrep, installed once into an environment of its own: it pins what we use.

    Raises `Unavailable` with the last words of the installation.
    """
    home = CACHE / f"semgrep-{SEMGREP}"
    program = home / "bin" / "semgrep"
    if not program.exists():
        shutil.rmtree(home, ignore_errors=True)
        _run(sys.executable, "-m", "venv", str(home))
        try:
            _run(str(home / "bin/python"), "-m", "pip", "install", "-q", f"semgrep=={SEMGREP}")
        except Unavailable:
            shutil.rmtree(home)
            raise
    return program


def _run(*command: str) -> None:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        words = done.stderr.strip().splitlines() or ["no reason given"]
        raise Unavailable(f"semgrep {SEMGREP}: {words[-1]}")
