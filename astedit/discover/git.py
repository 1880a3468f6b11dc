"""Runs git for the names of files, never for their contents.

It runs with every `GIT_*` variable removed and with the settings by which a hostile
repository would start programs switched off.
"""

import os
from collections.abc import Collection, Iterable, Sequence

from astedit.limits import Deadline
from astedit.workers.find_program import find_program, search_path
from astedit.workers.process import Child, scratch, spawn, written

LARGE_INDEX = 262_144  # bytes of git's index, some 2,500 files: a worker will be needed
_SAFE = ("core.fsmonitor=false", "core.hooksPath=/dev/null", "core.untrackedCache=false")


class Git:
    """One run; `output` is the nameless file it writes, so it never waits for us."""

    def __init__(self, command: Sequence[str], child: Child, output: int) -> None:
        self.command = command
        self._child = child
        self._output = output

    def printed(self, deadline: Deadline) -> bytes | None:
        """What git printed, with a NUL behind each entry; None when it failed."""
        failed = self._child.wait(deadline) > 1  # check-ignore says 1 for "none of them"
        return None if failed else written(self._output)

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
        return Git(
            command, spawn([path, *command], environment(root), (file, output, complaints)), output
        )
    except OSError:  # too many names for one command line, or no more processes
        os.close(output)
        return None
    finally:
        os.close(complaints)
        os.close(file)
