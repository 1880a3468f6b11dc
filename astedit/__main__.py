"""The `astedit` command. `--version` imports nothing but the version."""

import gc
import os
import sys
from contextlib import suppress
from itertools import pairwise


def main() -> int:
    """Runs the command line and returns its exit code."""
    if sys.argv[1:] == ["--version"]:
        from astedit.version import __version__

        with suppress(OSError):
            print(f"astedit {__version__}", flush=True)
            return 0
    if sys.platform == "win32":  # no calls there that open a file below an open directory
        print("error: astedit does not run on Windows itself.", file=sys.stderr)
        print("hint: Install and run it in WSL.", file=sys.stderr)
        return 2
    for stream in range(3):  # of what the caller closed, a child would make another file
        try:
            os.fstat(stream)
        except OSError:
            os.set_inheritable(os.open(os.devnull, os.O_RDWR), True)
    if sys.argv[1:2] == ["hook"]:
        from astedit.hook import program

        code = program.main(sys.argv[2:], _run)
        if code is not None:
            return code
    elif (code := _answered()) is not None:
        return code
    gc.disable()  # one command and then the end: looking for cycles would cost 5 %
    try:
        if sys.argv[1:2] in (["edit"], ["search"], ["scan"]):
            prestart(sys.argv[2:])
        from astedit.cli.main import run
    except KeyboardInterrupt:
        return 130
    return run(sys.argv[1:])


def _answered() -> int | None:
    """The exit code that a resident has for this command line; None without one.

    Nothing is imported where no resident of this user can be. `--no-resident` is taken out.
    """
    words = sys.argv[1:]
    if "--no-resident" in (words[: words.index("--")] if "--" in words else words):
        sys.argv.remove("--no-resident")
        return None
    if os.environ.get("ASTEDIT_RESIDENT") == "0":
        return None
    runtime = os.environ.get("XDG_RUNTIME_DIR") or "/"
    if not (os.path.exists(f"{runtime}/astedit") or os.path.exists(f"/tmp/astedit-{os.getuid()}")):
        return None
    from astedit.resident import client

    try:
        return client.answered(words) if client.may_hand_over(words) else None
    except OSError as error:
        print(f"error: {error}; look at what is there: astedit pending", file=sys.stderr)
        return 5
    except KeyboardInterrupt:
        return 130


_TAKE_A_FILE = frozenset(("-r", "--rule", "-c", "--config", "--ops", "--state-dir"))


def prestart(arguments: list[str]) -> None:
    """Has git list a whole large work tree, right here, if that is likely meant.

    The imports that follow keep one core busy, the listing the other. Paths among the arguments
    (what begins with `-`, the file that an option takes and the tree itself aside) say that
    less is meant. Without a second core, or where git cannot be started, nothing happens.
    """
    from astedit import git
    from astedit.programs import cores

    named = (
        name
        for before, name in pairwise(("", *arguments))
        if before not in _TAKE_A_FILE and not name.startswith("-") and name != "."
    )
    if cores() < 2 or any(map(os.path.lexists, named)):
        return
    with suppress(OSError):
        if os.stat(".git/index").st_size > git.LARGE_INDEX:
            git.begin()


def _run(args: list[str]) -> int:
    from astedit.cli.main import run

    return run(args)


def command() -> None:
    """The console script: `main`, and then the end without taking the process apart.

    Freeing the names of 40,000 files one by one costs 20 ms; by now everything is closed
    and flushed.
    """
    code = main()
    try:
        for stream in (sys.stdout, sys.stderr):
            if stream is not None:
                stream.flush()
    except OSError:
        code = code or 5
    os._exit(code)


if __name__ == "__main__":
    command()
