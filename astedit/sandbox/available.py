"""Which way of making a sandbox works for a workspace here, and what to know about it."""

import contextlib
import os
import re
import sys
from collections.abc import Iterable, Iterator

from astedit.sandbox.sandbox import Sandbox, SandboxError, SandboxWay
from astedit.workspace.root import path_below

_ESCAPED = re.compile(r"\\(\d{3})")
_VENV_FILES = ("pyvenv.cfg", "bin/activate")
_HEAD = 1 << 16  # bytes of such a file


def choose(sandbox: Sandbox, way: SandboxWay | None, writes: Iterable[str]) -> None:
    """Sets how the sandbox is made: as asked for, else an overlay where that works.

    `writes` are files that will be given other contents. Raises `SandboxError` where what was
    asked for does not work here.
    """
    why = None if way == "copy" else _against_overlay(sandbox, writes)
    if why is not None and way == "overlay":
        raise SandboxError(f"An overlay cannot be made here: {why}.")
    if way != "copy" and why is None:
        return
    sandbox.way = "copy"
    sandbox.warnings.append(
        "The sandbox is a copy" + (f", since no overlay can be made here: {why}." if why else ".")
    )
    sandbox.warnings += [
        f"{name} holds absolute paths of the root, which lead to the tree and not to its copy."
        for name in _tied_environments(sandbox.root)
    ]


def _against_overlay(sandbox: Sandbox, writes: Iterable[str]) -> str | None:
    """Why an overlay cannot stand for this tree; None if it can."""
    if not sys.platform.startswith("linux"):
        return "it needs Linux"
    below = next(_mounted_below(sandbox.root), None)
    if below is not None:
        return f"another file system is mounted at {below}"
    foreign = next(_of_others(sandbox.root, writes), None)
    if foreign is not None:
        return f"{foreign} is another user's"
    try:
        sandbox.run([])
    except SandboxError as error:
        return error.message.removeprefix("The sandbox cannot be made: ").rstrip(".")
    return None


def _mounted_below(root: str) -> Iterator[str]:
    with contextlib.suppress(OSError), open("/proc/self/mountinfo") as file:
        for line in file:
            place = _ESCAPED.sub(lambda code: chr(int(code[1], 8)), line.split(" ")[4])
            if path_below(root, place) not in (None, "."):
                yield place


def _of_others(root: str, writes: Iterable[str]) -> Iterator[str]:
    """What of the written files and the directories around them is of other users."""
    own = os.geteuid()
    if own == 0:
        return  # root may map all of its ids
    places = {""}
    for path in writes:
        while path:
            places.add(path)
            path = os.path.dirname(path)
    for path in sorted(places):
        with contextlib.suppress(OSError):
            if os.lstat(os.path.join(root, path)).st_uid != own:
                yield path or "the root"


def _tied_environments(root: str) -> Iterator[str]:
    """Virtual environments in the root that hold its absolute path."""
    mark = os.fsencode(root)
    with contextlib.suppress(OSError):
        for name in sorted(os.listdir(root)):
            files = (os.path.join(root, name, file) for file in _VENV_FILES)
            if any(mark in _head(file) for file in files):
                yield name


def _head(path: str) -> bytes:
    try:
        with open(path, "rb") as file:
            return file.read(_HEAD)
    except OSError:
        return b""
