"""Runs git for the names of files, never for their contents.

It runs with every `GIT_*` variable removed and with the settings by which a hostile
repository would start programs switched off.
"""

import os
import time
from collections.abc import Collection, Iterable, Sequence

from astedit.errors import LimitError
from astedit.limits import Deadline
from astedit.workers.find_program import find_program, search_path
from astedit.workers.process import Child, scratch, spawn, written

LARGE_INDEX = 262_144  # bytes of git's index, some 2,500 files: a worker will be needed
SECONDS = 30.0  # for git where the call has no timeout: a pipe in place of its files stops it
_NAP = 0.002  # seconds between two looks at it
_SAFE = ("core.fsmonitor=false", "core.hooksPath=/dev/null", "core.untrackedCache=false")


class Git:
    """One run; `output` is the nameless file it writes, so it never waits for us.

    It ends when this process does, and it is given up after `SECONDS`.
    """

    def __init__(self, command: Sequence[str], child: Child, output: int) -> None:
        self.command = command
        self._child = child
        self._output = output
        self._end = time.monotonic() + SECONDS

    def printed(self, deadline: Deadline, most: int = 1) -> bytes | None:
        """What git printed; None when its status is more than `most`, or it was given up.

        check-ignore says 1 for "none of them".
        """
        status = self._ended(deadline)
        return None if status is None or not 0 <= status <= most else written(self._output)

    @property
    def is_over(self) -> bool:
        """Whether it had all the time that it gets."""
        return time.monotonic() > self._end

    def _ended(self, deadline: Deadline) -> int | None:
        """Its exit status; None if it was given up. A deadline that runs out raises."""
        while (status := self._child.poll()) is None:
            deadline.check()
            if self.is_over and deadline.remaining() is None:
                self._child.kill()
                return None
            time.sleep(_NAP)
        deadline.check()
        return status

    def close(self) -> None:
        """Ends git if it still runs."""
        self._child.kill()
        os.close(self._output)


_begun: Git | None = None


def begin() -> None:
    """Starts to list the working directory, in case that is what will be asked for."""
    global _begun
    root = os.getcwd()
    _begun = _started(root, _command(root, listing(["."])), ())


def forget() -> None:
    """Ends what was begun and not asked for."""
    global _begun
    if _begun is not None:
        _begun.close()
        _begun = None


def git(root: str, arguments: Sequence[str], names: Iterable[str] = ()) -> Git | None:
    """Starts git in the root, `names` on its input; None if it cannot be started.

    What was begun already, and is the very same, is taken instead.
    """
    global _begun
    command = _command(root, arguments)
    if _begun is not None and _begun.command == command:
        taken, _begun = _begun, None
        return taken
    return _started(root, command, names)


def answer(root: str, arguments: Sequence[str], deadline: Deadline) -> bytes | None:
    """What git prints when it succeeds; None when it fails or cannot be started.

    Raises `LimitError` when it does not come to an end.
    """
    run = git(root, arguments)
    if run is None:
        return None
    try:
        printed = run.printed(deadline, 0)
        if printed is None and run.is_over:
            raise LimitError(
                f"git did not answer within {SECONDS:g} s.",
                code="git_timeout",
                hint="Is one of its files a pipe? `git status` shows whether it works here.",
            )
        return printed
    finally:
        run.close()


def listing(
    directories: Sequence[str], kinds: Collection[str] = (), *, untracked: bool = True
) -> list[str]:
    """How git is asked for all files below the directories; `kinds` of ignore rules are off.

    `-t -s` tell links, submodules and untracked files apart, and cost nothing.
    """
    head = ["-c", "core.excludesFile=/dev/null"] if "global" in kinds else []
    others = ["-o", "--exclude-standard"] if untracked else []
    if "vcs" in kinds:
        others = others[:1]
    below = [] if "." in directories else ["--", *directories]
    return [*head, "--literal-pathspecs", "ls-files", "-z", "-t", "-s", "-c", *others, *below]


def _command(root: str, arguments: Sequence[str]) -> list[str]:
    settings = [word for each in _SAFE for word in ("-c", each)]
    return ["-C", root, *settings, *arguments]


def environment(root: str) -> dict[str, str]:
    """Returns what git may know of ours: no settings of git, no program of the repository.

    A partial clone would fetch what its index lacks, with whatever program it names.
    """
    kept = {key: each for key, each in os.environ.items() if not key.startswith("GIT_")}
    kept |= {"GIT_OPTIONAL_LOCKS": "0", "GIT_NO_LAZY_FETCH": "1", "GIT_ALLOW_PROTOCOL": ""}
    return kept | {"PATH": os.pathsep.join(search_path(root))}


def _started(root: str, command: Sequence[str], names: Iterable[str]) -> Git | None:
    path = find_program("git", root)
    if path is None:
        return None
    file = scratch(b"".join(os.fsencode(name) + b"\0" for name in names))
    output = scratch()
    complaints = scratch()
    try:
        child = spawn(
            [path, *command], environment(root), (file, output, complaints), lifeline=True
        )
        return Git(command, child, output)
    except OSError:  # too many names for one command line, or no more processes
        os.close(output)
        return None
    finally:
        os.close(complaints)
        os.close(file)
