"""`--changed [REF]`: which files differ from a revision, asked of git without running anything.

A repository's own settings name programs (filters, diff drivers, hooks, fsmonitor) that
`git diff` would start. `diff-index` compares what the index says; whether a file really
differs is found by hashing it here.
"""

import hashlib
import os
import subprocess
from collections.abc import Iterator

from astedit.errors import PreconditionError, RequestError
from astedit.workspace import Workspace

_SAFE = ("core.fsmonitor=false", "core.hooksPath=/dev/null", "core.untrackedCache=false")
_MOST = 1 << 30  # bytes of one file that are hashed


def changed_files(workspace: Workspace, below: list[str], ref: str) -> list[str]:
    """The files below these paths that differ from `ref`, or are new, relative to the root."""
    if _git(workspace, "rev-parse", "--is-inside-work-tree") != b"true\n":
        raise PreconditionError("--changed needs a git work tree.", code="no_repository")
    commit = _git(
        workspace, "rev-parse", "--verify", "--quiet", "--end-of-options", ref + "^{tree}"
    )
    if commit is None:
        raise RequestError(
            f"{ref!r} is no revision.", hint="Write --changed=REF, or --changed=HEAD PATHS."
        )
    tree = commit.decode().strip()
    return sorted({*_modified(workspace, tree, below), *_new(workspace, below)})


def _modified(workspace: Workspace, tree: str, below: list[str]) -> Iterator[str]:
    """`:mode mode old new status`, then the name: only files that still exist."""
    flags = ("--relative", "--no-renames", "--ignore-submodules=all", "--diff-filter=d")
    listed = _git(workspace, "diff-index", "-z", "--raw", *flags, tree, "--", *below) or b""
    fields = listed.split(b"\0")
    for head, name in zip(fields[::2], fields[1::2], strict=False):
        path = os.fsdecode(name)
        if _differs(workspace, path, head.split()[2].decode()):
            yield path


def _differs(workspace: Workspace, path: str, blob: str) -> bool:
    try:
        content, _ = workspace.read(path, _MOST)
    except OSError:
        return False  # gone, or no file: nothing to edit
    kind = "sha256" if len(blob) == 64 else "sha1"
    return hashlib.new(kind, b"blob %d\0" % len(content) + content).hexdigest() != blob


def _new(workspace: Workspace, below: list[str]) -> Iterator[str]:
    listed = _git(workspace, "ls-files", "-z", "-o", "--exclude-standard", "--", *below) or b""
    return (os.fsdecode(name) for name in listed.split(b"\0") if name and not name.endswith(b"/"))


def _git(workspace: Workspace, *arguments: str) -> bytes | None:
    """What git prints; None if it fails."""
    settings = [word for setting in _SAFE for word in ("-c", setting)]
    command = ["git", "-C", workspace.root, *settings, "--literal-pathspecs", *arguments]
    kept = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    kept |= {"GIT_OPTIONAL_LOCKS": "0", "GIT_NO_LAZY_FETCH": "1", "GIT_ALLOW_PROTOCOL": ""}
    try:
        done = subprocess.run(command, env=kept, stdin=subprocess.DEVNULL, capture_output=True)
    except FileNotFoundError as error:
        raise PreconditionError("--changed needs git.", code="no_git") from error
    return done.stdout if done.returncode == 0 else None
