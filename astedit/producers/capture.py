"""What a command changes, as a plan: it runs in a sandbox, and the tree stays as it is.

An apply runs it again and compares. Where that is not allowed, or was never wanted, the files
that the plan changes are compared instead.
"""

import os
import shlex
import stat
import time
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from astedit.discover.listing import ignored_paths
from astedit.engine.run_context import Run
from astedit.errors import LimitError, PreconditionError, RequestError, StaleError
from astedit.limits import Deadline
from astedit.model.plan import CommandRun, Plan
from astedit.model.request import EditRequest, Operation
from astedit.producers.token_changes import token_changes
from astedit.producers.tree_change import TreeChange, unchanged
from astedit.programs import allowed
from astedit.sandbox.sandbox import SIZE, FileState, KeptFile, Sandbox, SandboxRun, choose
from astedit.workspace.root import Workspace

KIND = "capture"
REPLAYS = ("command", "never")
_TAIL = 4_000  # characters of output that are kept
_HINT = "Stage the rest with --allow-partial."


def request_of_capture(
    words: Sequence[str],
    *,
    label: str | None = None,
    directory: str = "",
    replay: str = "command",
    no_ignore: bool = False,
    network: bool = True,
    size: int = SIZE,
    allow_partial: bool = False,
    allow_protected: bool = False,
) -> EditRequest:
    """The request that makes what a command changes; `RequestError` if there is no command.

    `directory` is where it starts, below the root. Files that git ignores are left out unless
    `no_ignore`.
    """
    if not words:
        raise RequestError("There is no command to run.", code="no_command")
    if replay not in REPLAYS:
        raise RequestError(f"`replay` is one of {', '.join(REPLAYS)}.")
    arguments = {"command": shlex.join(words), "label": label or shlex.join(words)}
    arguments |= {"directory": directory, "replay": replay, "size": str(size)}
    arguments |= {} if network else {"network": "no"}
    return EditRequest(
        ops=[],
        operation=Operation(KIND, arguments),
        allow_partial=allow_partial,
        allow_protected=allow_protected,
        no_ignore=["generated", "vendored", *(["vcs"] if no_ignore else [])],
    )


def plan(request: EditRequest, workspace: Workspace, run: Run) -> Plan:
    """What the command makes of this tree, or the previewed plan if its files are the same.

    Raises `PreconditionError` (`command_not_allowed`) where the command may not run and
    nothing was previewed, `LimitError` and `SandboxError` where it does not come to an end.
    """
    assert request.operation is not None
    arguments = request.operation.arguments
    words = shlex.split(arguments["command"])
    admitted = allowed(words, run.commands)
    if run.previewed is not None and not (admitted and arguments["replay"] == "command"):
        return unchanged(run.previewed, workspace)
    if not admitted:
        raise PreconditionError(
            f"The command {arguments['command']!r} may not run here.",
            code="command_not_allowed",
            hint=f"On the command line: astedit capture -- {arguments['command']}",
        )
    started = time.time_ns()
    change = TreeChange(request, workspace)
    ended = _ended(arguments, words, change, run)
    captured = CapturedFiles(change, ended.changes, ended.kept, run.deadline, started)
    how = f"exited with {ended.status} after {ended.seconds:.1f} s."
    last = _last_line(ended) if ended.status else ""
    change.notes.append(f"{arguments['command']} {how}{last}")
    if arguments["replay"] == "never":
        change.notes.append("It is not run again: an apply compares the files.")
    captured.take()
    captured_plan = change.plan(run, KIND, captured.count, _HINT)
    captured_plan.command = CommandRun(
        words, ended.status or 0, round(ended.seconds, 3), ended.output[-_TAIL:],
        arguments["replay"],
    )  # fmt: skip
    return captured_plan


def _ended(arguments: Any, words: Sequence[str], change: TreeChange, run: Run) -> SandboxRun:
    """Runs the command in a sandbox; raises unless it came to its own end."""
    workspace, network = change.workspace, arguments.get("network") != "no"
    state, size = run.state_of(workspace), int(arguments["size"])
    sandbox = Sandbox(workspace.root, state, arguments["directory"], size, network)
    choose(sandbox, None, ())
    change.notes += sandbox.warnings
    laid = workspace.overlay  # by a plan, or steps, that this one stands on
    states = {path: FileState(content) for path, content in laid.items()}
    ended = sandbox.run(words, states, collect=[*laid], deadline=run.deadline, keep=True)
    for path in laid:
        if (content := ended.made.get(path)) is None:
            ended.changes.append((path, "deleted"))
        elif content != laid[path]:
            mode = stat.S_IMODE(workspace.status(path).st_mode)
            ended.kept.setdefault(path, KeptFile("file", mode, content))
            ended.changes.append((path, "changed"))
    ended.check_started(words)
    if ended.full:
        raise LimitError(
            f"The command had no room: it may write {sandbox.size:,} bytes; nothing was staged.",
            code="sandbox_full",
            hint="Raise --sandbox-size.",
        )
    if ended.status is None or ended.status < 0:
        how = f"signal {-ended.status}" if ended.status else ended.ended
        raise PreconditionError(
            f"The command was ended by {how}; nothing was staged.{_last_line(ended)}",
            code="command_died",
        )
    if ended.too_many:
        raise LimitError(
            f"The command made {ended.too_many:,} changes; nothing was staged.",
            code="too_many_changes",
            hint="Give it fewer files.",
        )
    return ended


def _last_line(ended: SandboxRun) -> str:
    lines = ended.output.strip().splitlines()
    return f" It said last: {lines[-1]}" if lines else ""


_MOST = 10_000  # files that a plan takes from a command
_ODD = {  # bits of a mode that git does not keep, and what they make of a file
    stat.S_ISUID: "setuid",
    stat.S_ISGID: "setgid",
    stat.S_ISVTX: "sticky",
    stat.S_IWOTH: "writable by others",
}


@dataclass(slots=True)
class CapturedFiles:
    """What a command changed, file by file, taken into a change.

    `changes` and `kept` are as of a `SandboxRun`. `started` is when it began, in nanoseconds: a
    file that somebody else has changed since says nothing about what the command did. Without it
    `conflicts` names those files, and they do not fit.
    """

    change: TreeChange
    changes: Sequence[tuple[str, str]]
    kept: Mapping[str, KeptFile]
    deadline: Deadline
    started: int | None = None
    conflicts: Collection[str] = ()
    most: int = _MOST
    count: int = 0
    gone: dict[str, tuple[bytes, int]] = field(default_factory=dict)
    come: dict[str, KeptFile] = field(default_factory=dict)

    def take(self) -> None:
        """Takes in all of it; raises `LimitError` for more than a plan can be looked at."""
        paths = self.paths()
        self.count = len(paths)
        for path, how in paths.items():
            self.deadline.check()
            with self.change.listing():
                self._sort(path, how)
        self.change.leaving = frozenset(self.gone)
        sources = {path: content for path, (content, _) in self.gone.items()}
        places = {path: file.content or b"" for path, file in self.come.items()}
        moves = moved_files(sources, places)
        for path, (content, mode) in self.gone.items():
            with self.change.listing():
                if path in moves:
                    self._move(path, moves[path], content, mode)
                else:
                    self.change.delete(path, content, mode)
        for path in self.come.keys() - set(moves.values()):
            with self.change.listing():
                file = self.come[path]
                self.change.create(path, file.content or b"", _git_mode(path, file.mode))

    def _files(self) -> Iterator[tuple[str, str]]:
        """Every path that is no directory: a plan has files alone."""
        for path, how in self.changes:
            file = self.kept.get(path)
            place = os.path.join(self.change.workspace.root, path)
            was_directory = os.path.isdir(place) and not os.path.islink(place)
            if how == "deleted":
                is_directory = was_directory
            else:
                is_new = how == "added" or was_directory
                is_directory = file is None or (file.kind == "directory" and is_new)
            if not is_directory:
                yield path, how

    def paths(self) -> dict[str, str]:
        """All but what is ignored and what is git's own, in order; says how many those are."""
        files = dict(self._files())
        own = [path for path in files if ".git" in path.split("/")]
        self.change.leave_out(own, "file of git's own", "files of git's own")
        paths = sorted(files.keys() - set(own))
        ignored = set() if "vcs" in self.change.request.no_ignore else self._ignored(paths)
        self.change.leave_out(ignored, "ignored file")
        left = [path for path in paths if path not in ignored]
        if len(left) > self.most:
            raise LimitError(
                f"The command changed {len(left):,} files; a plan takes {self.most:,} from one. "
                "Nothing was staged.",
                code="too_many_changes",
                hint="Give it fewer files.",
            )
        return {path: files[path] for path in left}

    def _ignored(self, paths: list[str]) -> set[str]:
        rules = {
            path: file.content
            for path, file in self.kept.items()
            if path.rpartition("/")[2] == ".gitignore" and file.content is not None
        }
        return ignored_paths(self.change.workspace, paths, rules, self.deadline)

    def _sort(self, path: str, how: str) -> None:
        """Takes in an edit, and sorts out what is gone and what has come."""
        if path in self.conflicts:
            raise PreconditionError(f"{path} was changed in the tree, too")
        file = self.kept.get(path)
        if how == "added":
            self.come[path] = self._plain(path, file)
            return
        status = self._status(path)
        before, mode = self.change.read(path)
        if how == "deleted":
            self.gone[path] = before, mode
            return
        after = self._plain(path, file)
        if not stat.S_ISREG(status.st_mode):
            raise PreconditionError(f"{path} is no plain file")
        new = _new_mode(path, after.mode, mode)
        self.change.edit(path, before, mode, token_changes(path, before, after.content or b""), new)

    def _status(self, path: str) -> os.stat_result:
        """The status of a file that was there; `StaleError` if it was changed meanwhile."""
        try:
            status = self.change.workspace.status(path)
        except OSError:
            status = None
        if status is None or (self.started is not None and status.st_ctime_ns >= self.started):
            raise StaleError(
                f"{path} was changed while the command ran; nothing was staged.",
                path=path,
                hint="Capture it again.",
            )
        return status

    def _plain(self, path: str, file: KeptFile | None) -> KeptFile:
        if file is None or file.kind != "file":
            kind = "gone" if file is None else f"a {file.kind}"
            raise PreconditionError(f"{path} is {kind} by now: only plain files are changed")
        if file.content is None or len(file.content) > self.change.request.max_file_size:
            raise PreconditionError(f"{path} becomes too large, or cannot be read")
        return file

    def _move(self, source: str, path: str, before: bytes, mode: int) -> None:
        file = self.come[path]
        changes = token_changes(path, before, file.content or b"")
        self.change.move(source, path, before, changes, mode, _new_mode(path, file.mode, mode))


def _git_mode(path: str, mode: int, had: int = 0) -> int:
    """What git keeps of a mode. Refuses what it does not, and nobody would see in a diff."""
    odd = [name for bit, name in _ODD.items() if mode & ~had & bit]
    if odd:
        raise PreconditionError(f"{path} would be {' and '.join(odd)} (mode {mode:04o})")
    return 0o755 if mode & stat.S_IXUSR else 0o644


def _new_mode(path: str, mode: int, had: int) -> int | None:
    new = _git_mode(path, mode, had)  # which refuses what git cannot keep
    return new if (mode ^ had) & stat.S_IXUSR else None


_ALIKE = 0.5  # of the larger content; git asks for as much
_TRIED = 10_000  # pairs that are compared line by line


def moved_files(gone: Mapping[str, bytes], come: Mapping[str, bytes]) -> dict[str, str]:
    """New places by old ones: of the same content, else of the most alike one.

    An empty file is no file that moved.
    """
    moves: dict[str, str] = {}
    free = dict(come)
    for source, content in sorted(gone.items()):
        same = [path for path in free if content and free[path] == content]
        if same:
            name = source.rpartition("/")[2]
            moves[source] = min(same, key=lambda path: (path.rpartition("/")[2] != name, path))
            del free[moves[source]]
    left = [path for path in sorted(gone) if path not in moves]
    if len(left) * len(free) > _TRIED:
        return moves
    pairs = [(_likeness(gone[old], free[new]), old, new) for old in left for new in free]
    for likeness, old, new in sorted(pairs, key=lambda pair: (-pair[0], pair[1:])):
        if likeness >= _ALIKE and old not in moves and new in free:
            moves[old] = new
            del free[new]
    return moves


def _likeness(old: bytes, new: bytes) -> float:
    """Which part of the larger content is lines that both have."""
    if not old or not new:
        return 0.0
    both = Counter(old.splitlines()) & Counter(new.splitlines())
    return sum((len(line) + 1) * count for line, count in both.items()) / max(len(old), len(new))
