"""`--changed [REF]`: which files differ from a revision, with no program of the repository run.

`git diff` and even `git diff-index` start what the repository's settings name (filters,
textconv, fsmonitor). So git is asked for names and hashes only, and files are hashed here.
Where git converts on checkout (line endings, filters), a converted file counts as changed.
"""

import hashlib
import os
import re
from collections.abc import Iterable, Iterator

from astedit import git
from astedit.errors import PreconditionError, RequestError
from astedit.limits import Deadline
from astedit.workspace.root import Workspace

_HUNK = re.compile(rb"^@@ -[0-9,]+ \+([0-9]+)(?:,([0-9]+))? @@", re.MULTILINE)
_MOST = 1 << 30  # bytes of one file that are hashed


def changed_files(
    workspace: Workspace, below: list[str], ref: str, timeout: float | None
) -> list[str]:
    """The files below these paths that differ from `ref`, or are new, relative to the root.

    To find that out may take so many seconds; raises `LimitError` then.
    """
    deadline = Deadline(timeout)
    if git.program(workspace.root) is None:
        raise git.no_git("--changed")
    if _git(workspace, deadline, "rev-parse", "--is-inside-work-tree") != b"true\n":
        raise PreconditionError("--changed needs a git work tree.", code="no_repository")
    asked = ("rev-parse", "--verify", "--quiet", "--end-of-options", ref + "^{tree}")
    tree = _git(workspace, deadline, *asked)
    if tree is None and ref == "HEAD":
        raise PreconditionError(
            "There is no commit yet to compare with.",
            code="no_commit",
            hint="Commit once, or name the files.",
        )
    if tree is None:
        raise RequestError(
            f"{ref!r} is no revision.", hint="Write --changed=REF, or --changed=HEAD PATHS."
        )
    known = dict(_blobs(workspace, deadline, tree.decode().strip(), below))
    listed = _git(
        workspace, deadline, "ls-files", "-z", "-c", "-o", "--exclude-standard", "--", *below
    )
    names = {os.fsdecode(name) for name in (listed or b"").split(b"\0")[:-1]}
    return sorted(name for name in names if _differs(workspace, deadline, name, known.get(name)))


def shown_lines(workspace: Workspace, ref: str, paths: Iterable[str]) -> dict[str, list[range]]:
    """The lines of committed files that a pull request against `ref` shows, by file.

    Those of `git diff REF...HEAD`, with the three lines around each change.
    """
    deadline = Deadline()
    base = _git(workspace, deadline, "merge-base", "--end-of-options", ref, "HEAD")
    if base is None:
        return {}
    compared = ("diff-tree", "-r", "-p", "-U3", "--no-ext-diff", "--no-textconv", "--no-renames")
    trees = (base.decode().strip(), "HEAD")
    return {
        path: list(_pieces(_git(workspace, deadline, *compared, *trees, "--", path) or b""))
        for path in paths
    }


def _pieces(patch: bytes) -> Iterator[range]:
    for head in _HUNK.finditer(patch):
        start, count = int(head[1]), int(head[2]) if head[2] is not None else 1
        yield range(start, start + count)


def _blobs(
    workspace: Workspace, deadline: Deadline, tree: str, below: list[str]
) -> Iterator[tuple[str, str]]:
    """Name and hash of every file of a tree: `mode SP type SP hash TAB name`."""
    listed = _git(workspace, deadline, "ls-tree", "-r", "-z", tree, "--", *below) or b""
    for entry in listed.split(b"\0")[:-1]:
        head, _, name = entry.partition(b"\t")
        yield os.fsdecode(name), head.split()[2].decode()


def _differs(workspace: Workspace, deadline: Deadline, path: str, blob: str | None) -> bool:
    deadline.check()
    try:
        content, _ = workspace.read(path, _MOST)
    except OSError:
        return False  # gone, a directory or a link: nothing to edit
    if blob is None:
        return True
    kind = "sha256" if len(blob) == 64 else "sha1"
    return hashlib.new(kind, b"blob %d\0" % len(content) + content).hexdigest() != blob


def _git(workspace: Workspace, deadline: Deadline, *arguments: str) -> bytes | None:
    """What git prints; None if it fails."""
    return git.answer(workspace.root, ["--literal-pathspecs", *arguments], deadline)
