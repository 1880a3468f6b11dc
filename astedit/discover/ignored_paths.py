"""Which of some paths are ignored, whether they exist yet or not."""

from collections.abc import Mapping, Sequence

from astedit.discover.walk import Walker, work_tree
from astedit.git import git
from astedit.limits import Deadline
from astedit.workspace.gitignore import Ignore
from astedit.workspace.root import Workspace


def ignored_paths(
    workspace: Workspace,
    paths: Sequence[str],
    coming: Mapping[str, bytes],
    deadline: Deadline,
) -> set[str]:
    """The paths that git would leave out, or a walk with ignore rules where there is no git.

    What git tracks is never ignored. `coming` are `.gitignore` files that are to come with
    these paths: a cache brings its own.
    """
    named = _by_git(workspace, paths, deadline)
    if named is None:
        walker = Walker(workspace, (), work_tree(workspace.root), deadline)
        named = {path for path in paths if walker.ignores(path)}
    rules = {
        name[: -len(".gitignore")]: Ignore(text.decode("utf-8", "surrogateescape").split("\n"))
        for name, text in coming.items()
    }
    return named | {path for path in paths if _ruled(path, rules)}


def _by_git(workspace: Workspace, paths: Sequence[str], deadline: Deadline) -> set[str] | None:
    run = git(workspace.root, ["check-ignore", "-z", "--stdin"], paths)
    if run is None:
        return None
    try:
        printed = run.printed(deadline)
    finally:
        run.close()
    if printed is None:
        return None
    return {name.decode("utf-8", "surrogateescape") for name in printed.split(b"\0") if name}


def _ruled(path: str, rules: Mapping[str, Ignore]) -> bool:
    """Whether one of the ignore files that come names this path or a directory above it."""
    for prefix, rule in rules.items():
        if not path.startswith(prefix):
            continue
        below = path[len(prefix) :]
        ends = [at + 1 for at, letter in enumerate(below) if letter == "/"] + [len(below)]
        if any(rule.verdict(below[:end]) for end in ends):
            return True
    return False
