"""The resident itself: what it answers, and what it has imported before anybody asks."""

import contextlib
import gc
import io
import json
import os
import signal
import sys
import time
from collections.abc import Sequence

from astedit.resident import client, host

_ANSWERED = frozenset(
    ("edit", "search", "scan", "pending", "show", "explain", "locate", "log", "hook")
)
_IDLE = 900.0  # seconds without a command line, after which it ends
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
    ("hook", "claude", "--mode", "stage"),  # on top of the one before
)
_CALL = {  # of the hook
    "session_id": "rehearsal",
    "tool_name": "Edit",
    "tool_input": {"file_path": "a.py", "old_string": "name(x)", "new_string": "name(1)"},
}


def begin(name: str) -> None:
    """Becomes a resident, unless there is one of this name; returns when it has ended."""
    os.chdir("/")
    os.closerange(3, 256)  # what a client's own parent left open
    place = client.directory()
    with contextlib.suppress(OSError), host.bound(place, name) as (listener, lock):
        signal.signal(signal.SIGTERM, lambda *_: sys.exit())
        began, own = time.time(), os.stat(os.path.join(place, name)).st_ino
        from astedit.cli.main import run  # which takes longest, and one alone comes this far

        _warm()
        files = _files()

        def goes_on(idle: float) -> bool:
            is_there = os.stat(os.path.join(place, name)).st_ino == own  # raises where none is
            return is_there and idle < _IDLE and is_current(files, began)

        host.Host(listener, lock, run, accepts).serve(goes_on)


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
    """Imports what commands need, by running some of them where nothing is."""
    import tempfile

    from astedit.agents.kit import rows
    from astedit.cli.main import run

    with tempfile.TemporaryDirectory() as place:
        root = os.path.join(place, "root")
        os.mkdir(root)
        os.chdir(root)
        with open("a.py", "w") as file:
            file.write(_CODE)
        os.environ["ASTEDIT_STATE_DIR"] = os.path.join(place, "state")  # a fork has its client's
        for number, args in enumerate(_REHEARSED):
            call = _CALL | {"tool_use_id": str(number), "cwd": root}
            sys.stdin = io.TextIOWrapper(io.BytesIO(json.dumps(call).encode()))
            run(list(args))
        os.chdir("/")
    for name in rows.CLIENTS:
        rows.client(name)
    gc.collect()
    gc.freeze()
    gc.disable()  # as every command does
