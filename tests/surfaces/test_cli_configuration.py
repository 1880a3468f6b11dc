"""A command or a call of the API reads its configuration once, and judges all by what it read."""

import os
import subprocess
import sys
from pathlib import Path

from tests.support.project import Project
from tests.support.slowly import slow_after

_PROBE = """
import sys
reads = []
def watch(event, args):
    if event == "open" and args[0] == "astedit.toml":
        reads.append(1)
sys.addaudithook(watch)
"""
_COMMAND = """
sys.argv[1:] = {args!r}
from astedit.__main__ import main
code = main()
sys.stdout.flush()
print("read:", code, len(reads), file=sys.stderr)
"""
_CALL = """
import astedit
from resolve import MemoryStore, Session
with Session(MemoryStore()) as session:
    made = astedit.{call}
print("read:", len(reads), file=sys.stderr)
"""
EDIT = ("edit", "-p", "f($A)", "-r", "g($A)")


@slow_after(
    3,
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
    assert _last_line(project, _COMMAND.format(args=list(args))) == "read: 0 1"


@slow_after(
    2,
    "call",
    [
        "ast_edit([{'pat': 'f($A)', 'out': 'g($A)'}], session=session)",
        "ast_edit([{'pat': 'f($A)', 'out': 'g($A)'}], within='one', session=session)",
        "search('f($A)')",
        "search('f($A)', within='one')",
        "scan('{id: r, language: python, rule: {pattern: f($A)}}', within='one')",
        "locate('one')",
        "rename('one', 'two', session=session)",
        "set_path('GET /old', '/new', session=session)",
    ],
)
def test_a_call_of_the_api_reads_the_configuration_once(project: Project, call: str) -> None:
    project.put("a.py", "def one():\n    f(1)\n")
    project.put("b.py", "app = Flask()\n@app.get('/old')\ndef old(): ...\n")
    project.put("astedit.toml", "human_paths = ['secret/']\n")
    assert _last_line(project, _CALL.format(call=call)) == "read: 1"


def _last_line(project: Project, code: str) -> str:
    return subprocess.run(
        [sys.executable, "-c", _PROBE + code],
        cwd=project.root,
        env=os.environ | {"PYTHONPATH": str(Path(__file__).parents[2])},
        capture_output=True,
        text=True,
    ).stderr.splitlines()[-1]
