"""The one way to call git.

It runs with every `GIT_*` variable removed, with a deadline, and with the settings by which a
hostile repository would start programs switched off, whatever is asked of it.
"""

import os
import time
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import NamedTuple

from astedit.errors import LimitError, PreconditionError, RequestError
from astedit.limits import Deadline
from astedit.programs import Child, clean_path, find_program, scratch, spawn, written

LARGE_INDEX = 262_144  # bytes of git's index, some 2,500 files: a worker will be needed
SECONDS = 30.0  # for git where the call has no timeout: a pipe in place of its files stops it
_NAP = 0.002  # seconds between two looks at it
# Every setting of git that names a program, or starts one: `git help --config`. Those of a
# name of their own (filter.*, diff.*, merge.*) are left out of each call by its own options.
_SAFE = (
    "core.fsmonitor=false",
    "core.hooksPath=/dev/null",
    "core.untrackedCache=false",
    "core.pager=cat",
    "core.editor=true",
    "sequence.editor=true",
    "gc.auto=0",
    "maintenance.auto=false",
    "log.showSignature=false",
    "commit.gpgSign=false",
    "tag.gpgSign=false",
    "push.gpgSign=false",
    *(f"gpg{form}.program=false" for form in ("", ".openpgp", ".ssh", ".x509")),
    "gpg.ssh.defaultKeyCommand=false",
)
# What a push needs: how a person reaches the remote.
_OFFLINE = (
    "core.sshCommand=false",
    "core.gitProxy=false",
    "core.askPass=false",
    "credential.helper=",
)
_REMOTE = ("GIT_SSH", "GIT_SSH_COMMAND", "GIT_SSH_VARIANT", "GIT_ASKPASS")


class Git:
    """One run; `output` is the nameless file it writes, so it never waits for us.

    It ends when this process does, and it is given up after `SECONDS`.
    """

    def __init__(
        self, command: Sequence[str], child: Child, output: int, complaints: int, seconds: float
    ) -> None:
        self.command = command
        self._child = child
        self._output = output
        self._complaints = complaints
        self._seconds, self._end = seconds, time.monotonic() + seconds

    def printed(self, deadline: Deadline, most: int = 1) -> bytes | None:
        """What git printed; None when its status is more than `most`, or it was given up.

        check-ignore says 1 for "none of them".
        """
        status = self._ended(deadline)
        return None if status is None or not 0 <= status <= most else written(self._output)

    def finished(self, deadline: Deadline) -> "GitRun":
        """Waits for the end. Raises `LimitError` when it does not come."""
        if (status := self._ended(deadline)) is None:
            raise LimitError(
                f"git did not answer within {self._seconds:g} s.",
                code="git_timeout",
                hint="Is one of its files a pipe? `git status` shows whether it works here.",
            )
        return GitRun(status, written(self._output), written(self._complaints))

    def _ended(self, deadline: Deadline) -> int | None:
        """Its exit status; None if it was given up. A deadline that runs out raises."""
        while (status := self._child.poll()) is None:
            deadline.check()
            if time.monotonic() > self._end and deadline.remaining() is None:
                self._child.kill()
                return None
            time.sleep(_NAP)
        deadline.check()
        return status

    def close(self) -> None:
        """Ends git if it still runs."""
        self._child.kill()
        os.close(self._output)
        os.close(self._complaints)


class GitRun(NamedTuple):
    """A run that has ended: its exit status, what it printed, and what it complained of."""

    status: int
    printed: bytes
    complained: bytes

    @property
    def complaint(self) -> str:
        """The first line of what it complained of, else its exit status."""
        lines = self.complained.decode("utf-8", "replace").strip().splitlines()
        return lines[0] if lines else f"it ended with {self.status}"


_begun: Git | None = None


def begin() -> None:
    """Starts to list the working directory, in case that is what will be asked for."""
    global _begun
    root = os.getcwd()
    _begun = _started(root, _command(root, listing(["."])), b"", environment(root), SECONDS)


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
    sent = b"".join(os.fsencode(name) + b"\0" for name in names)
    return _started(root, command, sent, environment(root), SECONDS)


def answer(root: str, arguments: Sequence[str], deadline: Deadline) -> bytes | None:
    """What git prints when it succeeds; None when it fails or cannot be started.

    Raises `LimitError` when it does not come to an end.
    """
    if (started := git(root, arguments)) is None:
        return None
    try:
        done = started.finished(deadline)
        return None if done.status else done.printed
    finally:
        started.close()


def run(
    root: str,
    arguments: Sequence[str],
    *,
    sent: bytes = b"",
    variables: Mapping[str, str] | None = None,
    remote: float | None = None,
) -> GitRun:
    """Runs git to its end; `sent` is its input, `variables` are more of its environment.

    `remote` gives it so many seconds to reach another repository, as the person would. Raises
    `PreconditionError` without git, `LimitError` when it does not come to an end.
    """
    command = _command(root, arguments, remote is not None)
    variables_of_git = {**environment(root), **(variables or {})}
    if remote is not None:
        del variables_of_git["GIT_ALLOW_PROTOCOL"]
        variables_of_git |= {key: os.environ[key] for key in _REMOTE if key in os.environ}
        variables_of_git["GIT_TERMINAL_PROMPT"] = "0"
    started = _started(root, command, sent, variables_of_git, SECONDS if remote is None else remote)
    if started is None:
        raise no_git("This")
    try:
        return started.finished(Deadline())
    finally:
        started.close()


def program(root: str) -> str | None:
    """The absolute path of git; None without one."""
    return find_program("git", root)


def no_git(what: str) -> PreconditionError:
    """The refusal of what needs git."""
    return PreconditionError(f"{what} needs git.", code="no_git")


def tree(root: str, revision: str, deadline: Deadline, what: str) -> str:
    """The tree of a revision of the work tree at a root; raises what says why there is none."""
    if program(root) is None:
        raise no_git(what)
    if answer(root, ["rev-parse", "--is-inside-work-tree"], deadline) != b"true\n":
        raise PreconditionError(f"{what} needs a git work tree.", code="no_repository")
    asked = ["rev-parse", "--verify", "--quiet", "--end-of-options", f"{revision}^{{tree}}"]
    found = answer(root, asked, deadline)
    if found is None and revision == "HEAD":
        raise PreconditionError(
            "There is no commit yet to compare with.",
            code="no_commit",
            hint="Commit once, or name the files.",
        )
    if found is None:
        raise RequestError(f"{revision!r} is not a revision.", hint="Such as HEAD or HEAD~3.")
    return found.decode().strip()


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


def _command(root: str, arguments: Sequence[str], remote: bool = False) -> list[str]:
    safe = _SAFE if remote else (*_SAFE, *_OFFLINE)
    return ["-C", root, *[word for setting in safe for word in ("-c", setting)], *arguments]


def environment(root: str) -> dict[str, str]:
    """Returns what git may know of ours: no settings of git, no program of the repository.

    A partial clone would fetch what its index lacks, with whatever program it names.
    """
    variables = {key: value for key, value in os.environ.items() if not key.startswith("GIT_")}
    variables |= {"GIT_OPTIONAL_LOCKS": "0", "GIT_NO_LAZY_FETCH": "1", "GIT_ALLOW_PROTOCOL": ""}
    return variables | {"PATH": clean_path(root)}


def _started(
    root: str, command: Sequence[str], sent: bytes, variables: Mapping[str, str], seconds: float
) -> Git | None:
    path = program(root)
    if path is None:
        return None
    file, output, complaints = scratch(sent), scratch(), scratch()
    try:
        child = spawn([path, *command], variables, (file, output, complaints), lifeline=True)
        return Git(command, child, output, complaints, seconds)
    except OSError:  # too many names for one command line, or no more processes
        os.close(output)
        os.close(complaints)
        return None
    finally:
        os.close(file)
