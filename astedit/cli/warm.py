"""The resident itself: what it answers, and what it has imported before anybody asks."""

import contextlib
import gc
import os
import signal
import sys
import time
from collections.abc import Sequence
from importlib import import_module
from pkgutil import walk_packages

from astedit.resident import client, host

_ANSWERED = frozenset(
    ("edit", "search", "scan", "pending", "show", "explain", "locate", "log", "hook")
)
_IDLE = 900.0  # seconds without a command line, after which it ends
# Where the modules are that commands import on their way.
_ROOMS = """
    resolve astedit.agents.text astedit.discover astedit.embedded astedit.engine astedit.explanation
    astedit.hook astedit.language astedit.locating astedit.model astedit.operations astedit.pattern
    astedit.review astedit.rewrite astedit.rule astedit.staging astedit.text astedit.transaction
    astedit.workers astedit.workspace
"""


def begin(name: str) -> None:
    """Becomes a resident, unless there is one of this name; returns when it has ended."""
    os.chdir("/")
    os.closerange(3, 256)  # what a client's own parent left open
    place = client.directory()
    with contextlib.suppress(OSError), host.bound(place, name) as (listener, lock):
        signal.signal(signal.SIGTERM, lambda *_: sys.exit())
        began, own = time.time(), os.stat(os.path.join(place, name)).st_ino
        from astedit.cli.main import run  # which takes longest, and one alone comes this far

        _warm(run)
        files = _files()

        def goes_on(idle: float) -> bool:
            is_there = os.stat(os.path.join(place, name)).st_ino == own  # raises where none is
            return is_there and idle < _IDLE and is_current(files, began)

        host.Host(listener, lock, run, accepts).serve(goes_on)


def is_current(files: Sequence[str], began: float) -> bool:
    """Whether files are as they were then; raises OSError for one that is gone.

    By the time that nobody sets: what is installed may keep the date of its package.
    """
    return all(os.stat(place).st_ctime <= began for place in files)


def accepts(args: list[str]) -> bool:
    """Whether a resident runs this: what looks or plans, and neither asks nor applies."""
    from astedit.operations import kinds

    named = next((arg for arg in args if not arg.startswith("-")), "")
    return (named in _ANSWERED or named.replace("-", "_") in kinds()) and not client.asks(args)


def _files() -> list[str]:
    """Where the modules of ours lie that are imported by now."""
    own = (name for name in sys.modules if name.partition(".")[0] in ("astedit", "resolve"))
    return [place for name in own if (place := sys.modules[name].__file__)]


def _warm(run: host.Runner) -> None:
    """Imports what commands need, loads every grammar, and runs one of them."""
    from astedit import language
    from astedit.agents.kit import rows

    names = [f"astedit.cli.commands.{name}" for name in _ANSWERED]
    for room in _ROOMS.split():
        names += [name for _, name, _ in walk_packages(import_module(room).__path__, f"{room}.")]
    for name in (*names, "yaml"):
        with contextlib.suppress(ModuleNotFoundError):  # what an extra would bring
            import_module(name)
    for row in language.rows():
        with contextlib.suppress(language.GrammarUnavailable):
            language.load(row)
    for name in rows.CLIENTS:
        rows.client(name)
    path = client.__file__  # to be read once, so that the next one has less to do
    run(["search", "-p", "os.open($$$A)", "--root", os.path.dirname(path), path])
    gc.collect()
    gc.freeze()
    gc.disable()  # as every command does
