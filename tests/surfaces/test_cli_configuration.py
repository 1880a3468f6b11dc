"""A command reads its configuration once, and judges everything by what it read."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.project import Project

_PROBE = """
import sys
reads = []
def watch(event, args):
    if event == "open" and args[0] == "astedit.toml":
        reads.append(1)
sys.addaudithook(watch)
sys.argv[1:] = {args!r}
from astedit.__main__ import main
code = main()
sys.stdout.flush()
print("read:", code, len(reads), file=sys.stderr)
"""
EDIT = ("edit", "-p", "f($A)", "-r", "g($A)")


@pytest.mark.parametrize(
    "args",
    [
        EDIT,
        (*EDIT, "--apply", "--reason", "wanted"),
        (*EDIT, "--within", "one"),
        ("search", "-p", "f($A)", "--within", "one"),
        ("rename", "one", "two", "--no-stage"),
        ("locate", "one"),
        ("pending",),
    ],
    ids=" ".join,
)
def test_the_configuration_is_read_once(project: Project, args: tuple[str, ...]) -> None:
    project.put("a.py", "def one():\n    f(1)\n")
    project.put("astedit.toml", "human_paths = ['secret/']\n")
    done = subprocess.run(
        [sys.executable, "-c", _PROBE.format(args=list(args))],
        cwd=project.root,
        env=os.environ | {"PYTHONPATH": str(Path(__file__).parents[2])},
        capture_output=True,
        text=True,
    )
    assert done.stderr.splitlines()[-1] == "read: 0 1", done.stderr
