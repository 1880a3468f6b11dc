"""The resident itself: what it answers, and what it has imported before anybody asks."""

import contextlib
import gc
import io
import json
import os
import sys
import time
from collections.abc import Sequence
from importlib import import_module

from astedit.agents.kit import rows
from astedit.cli.main import run
from astedit.resident import client, host

_ANSWERED = frozenset(
    ("edit", "search", "scan", "pending", "show", "explain", "locate", "log", "hook")
)
_CODE = "import os\n\nclass A:\n    def f(self, x):\n        return old_name(x)\n"
_REHEARSED = (  # what is imported before anybody asks; all in a directory of its own
    ("search", "-p", "old_name($A)", "--json"),
    ("search", "-p", "old_name($A)", "a.py"),
    ("search", "-p", "old_name($A, 1)"),  # whose hint says what the others lack
    ("edit", "-p", "old_name($A)", "-r", "new_name($A)"),
    ("pending",),
    ("show",),
    ("scan", "--inline-rules", "{id: r, language: python, rule: {pattern: old_name($A)}}"),
    ("hook", "claude", "--mode", "offer"),
    ("hook", "claude", "--mode", "stage"),
)
_CALL = {"old_string": "old_name(x)", "new_string": "new_name(x)"}  # of the hook


def begin(name: str) -> None:
    """Becomes a resident, unless there is one of this name; returns when it has ended."""
    os.chdir("/")
    os.closerange(3, 256)  # what a client's own parent left open
    place = client.directory()
    with contextlib.suppress(OSError), host.bound(place, name) as (listener, lock):
        began, own = time.time(), os.stat(os.path.join(place, name)).st_ino
        _warm()
        files = _files()

        def is_there() -> bool:
            with contextlib.suppress(OSError):
                return os.stat(os.path.join(place, name)).st_ino == own
            return False

        answering = host.Host(listener, lock, run, accepts, lambda: is_current(files, began))
        answering.serve(host.IDLE, is_there)


def is_current(files: Sequence[str], began: float) -> bool:
    """Whether files are as they were then."""
    try:
        return all(os.stat(place).st_mtime <= began for place in files)
    except OSError:
        return False


def accepts(args: list[str]) -> bool:
    """Whether a resident runs this: what looks or plans, and neither asks nor applies."""
    from astedit.operations import kinds

    words = [arg for arg in args if not arg.startswith("-")]
    named = words[0] if words else ""
    return (named in _ANSWERED or named.replace("-", "_") in kinds()) and not client.asks(args)


def _files() -> list[str]:
    """Where the modules of ours lie that are imported by now."""
    own = (name for name in sys.modules if name.partition(".")[0] in ("astedit", "resolve"))
    return [place for name in own if (place := sys.modules[name].__file__)]


def _warm() -> None:
    """Imports what commands need: a fork tries some of them, and tells what they imported."""
    told, tell = os.pipe()
    process = os.fork()
    if process == 0:
        try:
            os.close(told)
            _rehearse()
            with open(tell, "wb") as pipe:
                pipe.write("\n".join(sys.modules).encode())
        finally:
            os._exit(0)
    os.close(tell)
    with open(told, "rb") as answer:
        names = answer.read().decode().split()
    os.waitpid(process, 0)
    for name in names:
        with contextlib.suppress(ImportError):
            import_module(name)
    from astedit.language import load, named

    row = named("python")
    assert row is not None
    load(row)
    for name in rows.CLIENTS:
        rows.client(name)
    gc.collect()
    gc.freeze()
    gc.disable()  # as every command does


def _rehearse() -> None:
    import tempfile

    with tempfile.TemporaryDirectory() as place:
        root = os.path.join(place, "root")
        os.mkdir(root)
        os.chdir(root)
        with open("a.py", "w") as file:
            file.write(_CODE)
        os.environ["ASTEDIT_STATE_DIR"] = os.path.join(place, "state")
        for number, args in enumerate(_REHEARSED):
            call = {
                "hook_event_name": "PreToolUse",
                "session_id": "rehearsal",
                "tool_use_id": str(number),
                "tool_name": "Edit",
                "cwd": root,
                "tool_input": {"file_path": os.path.join(root, "a.py"), **_CALL},
            }
            sys.stdin = io.TextIOWrapper(io.BytesIO(json.dumps(call).encode()))
            run(list(args))
        os.chdir("/")
