"""Where a repository's branches go: asked of git, and pushed there if somebody says so."""

import os
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass

from astedit.errors import PreconditionError
from astedit.workers.find_program import find_program

_SECONDS = 600  # for one push
_DEFAULT = "origin"


@dataclass(frozen=True, slots=True)
class GitRemote:
    """A remote of a repository: its name, its address, and the branch that is checked out."""

    name: str
    url: str
    base: str


def remote_of(root: str, name: str | None = None) -> GitRemote:
    """The remote of this name; without one `origin`, or else the only one that there is."""
    if name is None:
        names = _asked(root, "remote").split()
        name = names[0] if len(names) == 1 else _DEFAULT
    url = _asked(root, "remote", "get-url", "--", name)
    return GitRemote(name, url, _asked(root, "symbolic-ref", "--short", "-q", "HEAD"))


def push(root: str, remote: str, branches: Sequence[str]) -> None:
    """Pushes branches, all or none, under their own names; nobody is asked for a password.

    Raises `PreconditionError` with what git says.
    """
    refs = [f"refs/heads/{branch}:refs/heads/{branch}" for branch in branches]
    done = _git(root, "push", "--atomic", "--quiet", "--", remote, *refs)
    if done.returncode:
        lines = done.stderr.strip().splitlines() or [f"it ended with {done.returncode}"]
        raise PreconditionError(
            f"git push to {remote} failed: {lines[-1].strip()}",
            code="push",
            hint="Push by hand: the file of the commands says how.",
        )


def _asked(root: str, *words: str) -> str:
    """What git prints; nothing where it refuses."""
    done = _git(root, *words)
    return "" if done.returncode else done.stdout.strip()


def _git(root: str, *words: str) -> "subprocess.CompletedProcess[str]":
    program = find_program("git", root)
    if program is None:
        raise PreconditionError("Landing needs git.", code="no_git")
    try:
        return subprocess.run(
            [program, "-C", root, *words],
            env=os.environ | {"GIT_TERMINAL_PROMPT": "0"},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=_SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        raise PreconditionError(f"git {words[0]} took too long.", code="push") from error
