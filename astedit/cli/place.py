"""Where a command works: the root rule, and PATHS as typed and below the root."""

import hashlib
import os
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import click

from astedit import git
from astedit.cli.output import streams
from astedit.errors import PreconditionError, RequestError
from astedit.limits import Deadline
from astedit.workspace.config import Config, load
from astedit.workspace.root import STATE_FILE, Workspace, find_root, state_dir

if TYPE_CHECKING:
    from astedit.engine.run_context import Run

_HUNK = re.compile(rb"^@@ -[0-9,]+ \+([0-9]+)(?:,([0-9]+))? @@", re.MULTILINE)
OUTER_ROOT = "astedit.root"  # under which a context keeps the --root of a group of commands
_MOST = 1 << 30  # bytes of one file that are hashed


def changed_files(
    workspace: Workspace, below: list[str], ref: str, timeout: float | None
) -> list[str]:
    """The files below these paths that differ from `ref`, or are new, relative to the root.

    To find that out may take so many seconds; raises `LimitError` then.
    """
    deadline = Deadline(timeout)
    tree = git.tree(workspace.root, ref, deadline, "--changed")
    known = dict(_blobs(workspace, deadline, tree, below))
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


@dataclass(slots=True)
class Place:
    """An open workspace, its configuration, and `typed`: each PATH as typed, and where it lies
    below the root."""

    workspace: Workspace
    config: Config
    typed: list[tuple[str, str]]

    @property
    def paths(self) -> list[str]:
        """PATHS below the root, `/` separated."""
        return [below for _, below in self.typed]

    def below(self, path: str | None) -> str | None:
        """A path as typed, relative to the root; `OutsideRootError` if it is elsewhere."""
        return None if path is None else self.workspace.relative(path, os.getcwd())

    def state(self, flag: str | None) -> str:
        """The directory of this root's state: `--state-dir`, else as configured.

        Raises `RequestError` for one inside the root.
        """
        if flag == "":
            raise RequestError("--state-dir is empty.")
        return state_dir(self.workspace, flag or self.config.state_dir)

    def run(
        self, state: str | None, timeout: float | None = None, jobs: int | None = None, **more: Any
    ) -> "Run":
        """How the engine runs here; `state` is what --state-dir says, `more` are its fields."""
        from astedit.engine.run_context import Run

        return Run(
            inline=True,
            jobs=jobs,
            deadline=Deadline(timeout),
            state=self.state(state),
            config=self.config,
            **more,
        )

    def changed(self, ref: str | None, timeout: float | None) -> list[str]:
        """PATHS, or those files below them that differ from `ref`, found within `timeout`."""
        if ref is None:
            return self.paths

        return changed_files(self.workspace, self.paths, ref, timeout)


def find_place(root: str | None, paths: Sequence[str] = (), default: str | None = None) -> Place:
    """Opens the root, until the command ends: as given, else `default`, or as the rule finds it.

    Without PATHS it is the working directory, or the whole root if `--root` lies elsewhere.
    Raises `OutsideRootError` for a PATH that leaves the root.
    """
    if "" in paths:
        raise RequestError("A PATH is empty.", hint="`.` is the working directory.")
    here = os.getcwd()
    command = click.get_current_context(silent=True)
    if root is None:
        root = (command.meta.get(OUTER_ROOT) if command is not None else None) or default
    workspace = Workspace(root if root is not None else find_root(here, paths))
    if command is not None:
        command.call_on_close(workspace.close)
    config = load(workspace)
    streams.warn(config.warnings)
    if not paths and root is not None and not is_within(workspace):
        return Place(workspace, config, [(root, ".")])
    typed = [(path, workspace.relative(path, here)) for path in paths or ["."]]
    return Place(workspace, config, typed)


def is_within(workspace: Workspace) -> bool:
    """Whether the working directory is the root, or lies below it."""
    return os.path.commonpath([os.path.realpath("."), workspace.root]) == workspace.root


def interruption_error(place: Place, state: str | None) -> PreconditionError | None:
    """The error to tell if an apply was interrupted here; None too while one is running."""
    folder = place.state(state)
    if not os.path.lexists(os.path.join(folder, "intent")):
        return None
    from resolve.errors import StoreError
    from resolve.locks import ApplyLock
    from resolve.storage.marker import interrupted

    if (hold := ApplyLock(place.workspace.root).try_hold()) is None:
        return None
    hold.close()
    try:
        ids = ", ".join(interrupted(os.path.join(folder, STATE_FILE))) or "before it began"
    except StoreError as error:
        return PreconditionError(error.message, code="interrupted", hint=error.hint)
    return PreconditionError(
        f"An apply was interrupted ({ids}): run astedit recover.", code="interrupted"
    )


def tell_interruption(place: Place, state: str | None) -> None:
    """For commands that only read: what they show may be a mix."""
    if (error := interruption_error(place, state)) is not None:
        streams.note(error.message)
