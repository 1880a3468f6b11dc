"""Where a repository's branches go: asked of git, and pushed there if somebody says so."""

from collections.abc import Sequence
from dataclasses import dataclass

from astedit import git
from astedit.errors import PreconditionError

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
    done = git.run(root, ["push", "--atomic", "--quiet", "--", remote, *refs], remote=_SECONDS)
    if done.status:
        lines = done.complained.decode("utf-8", "replace").strip().splitlines()
        raise PreconditionError(
            f"git push to {remote} failed: {lines[-1].strip() if lines else done.complaint}",
            code="push",
            hint="Push by hand: the file of the commands says how.",
        )


def _asked(root: str, *words: str) -> str:
    """What git prints; nothing where it refuses."""
    done = git.run(root, words)
    return "" if done.status else done.printed.decode("utf-8", "replace").strip()
