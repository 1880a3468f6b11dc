"""From what a command left in a sandbox to a change of the tree."""

import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass, field

from astedit.discover.ignored_paths import ignored_paths
from astedit.errors import LimitError, PreconditionError, StaleError
from astedit.limits import Deadline
from astedit.producers.moved_files import moved_files
from astedit.producers.token_changes import token_changes
from astedit.producers.tree_change import TreeChange
from astedit.sandbox.sandbox import KeptFile, SandboxRun
from astedit.text.count_phrases import first_names, number

_MOST = 10_000  # files that a plan takes from a command
_NAMED = 3
_ODD = {  # bits of a mode that git does not keep, and what they make of a file
    stat.S_ISUID: "setuid",
    stat.S_ISGID: "setgid",
    stat.S_ISVTX: "sticky",
    stat.S_IWOTH: "writable by others",
}


@dataclass(slots=True)
class CapturedFiles:
    """What a command changed, file by file, taken into a change.

    `started` is when it began, in nanoseconds: a file that somebody else has changed since
    says nothing about what the command did.
    """

    change: TreeChange
    run: SandboxRun
    started: int
    deadline: Deadline
    count: int = 0
    gone: dict[str, tuple[bytes, int]] = field(default_factory=dict)
    come: dict[str, KeptFile] = field(default_factory=dict)

    def take(self) -> None:
        """Takes in all of it; raises `LimitError` for more than a plan can be looked at."""
        paths = self._counted(dict(self._files()))
        self.count = len(paths)
        for path, how in paths.items():
            self.deadline.check()
            with self.change.listing():
                self._sort(path, how)
        self.change.leaving = frozenset(self.gone)
        sources = {path: content for path, (content, _) in self.gone.items()}
        places = {path: kept.content or b"" for path, kept in self.come.items()}
        moves = moved_files(sources, places)
        for path, (content, mode) in self.gone.items():
            with self.change.listing():
                if path in moves:
                    self._move(path, moves[path], content, mode)
                else:
                    self.change.delete(path, content, mode)
        for path in self.come.keys() - set(moves.values()):
            with self.change.listing():
                kept = self.come[path]
                self.change.create(path, kept.content or b"", _git_mode(path, kept.mode))

    def _files(self) -> Iterator[tuple[str, str]]:
        """Every path that is no directory; of one that is gone those that were in it."""
        for path, how in self.run.changes:
            kept = self.run.kept.get(path)
            if how == "deleted":
                yield from ((each, how) for each in self._below(path))
            elif kept is not None and not self._is_plain_directory(path, how, kept):
                yield path, how

    def _below(self, path: str) -> Iterator[str]:
        place = os.path.join(self.change.workspace.root, path)
        if os.path.islink(place) or not os.path.isdir(place):
            yield path
            return
        for directory, _, names in os.walk(place):
            for name in names:
                yield os.path.relpath(os.path.join(directory, name), self.change.workspace.root)

    def _is_plain_directory(self, path: str, how: str, kept: KeptFile) -> bool:
        """Whether it is a directory that is new, or was one before: a plan has files alone."""
        place = os.path.join(self.change.workspace.root, path)
        before = how == "added" or (os.path.isdir(place) and not os.path.islink(place))
        return kept.kind == "directory" and before

    def _counted(self, files: dict[str, str]) -> dict[str, str]:
        """Without what is ignored and what is git's own, in order; says how many those are."""
        own = [path for path in files if ".git" in path.split("/")]
        if own:
            of_git = number(len(own), "file")
            self.change.notes.append(
                f"left out: {of_git} of git's own, {first_names(sorted(own), _NAMED)}"
            )
        paths = sorted(files.keys() - set(own))
        ignored = set() if "vcs" in self.change.request.no_ignore else self._ignored(paths)
        if ignored:
            self.change.notes.append(
                f"left out: {number(len(ignored), 'ignored file')}, "
                f"{first_names(sorted(ignored), _NAMED)}"
            )
        left = [path for path in paths if path not in ignored]
        if len(left) > _MOST:
            raise LimitError(
                f"The command changed {len(left):,} files; a plan takes {_MOST:,} from one. "
                "Nothing was staged.",
                code="too_many_changes",
                hint="Give it fewer files.",
            )
        return {path: files[path] for path in left}

    def _ignored(self, paths: list[str]) -> set[str]:
        rules = {
            path: kept.content
            for path, kept in self.run.kept.items()
            if path.rpartition("/")[2] == ".gitignore" and kept.content is not None
        }
        return ignored_paths(self.change.workspace, paths, rules, self.deadline)

    def _sort(self, path: str, how: str) -> None:
        """Takes in an edit, and sorts out what is gone and what has come."""
        kept = self.run.kept.get(path)
        if how == "added":
            self.come[path] = self._plain(path, kept)
            return
        status = self._status(path)
        before, mode = self.change.read(path)
        if how == "deleted":
            self.gone[path] = before, mode
            return
        after = self._plain(path, kept)
        if not stat.S_ISREG(status.st_mode):
            raise PreconditionError(f"{path} is no plain file")
        new = _new_mode(path, after.mode, mode)
        changes = token_changes(path, before, after.content or b"")
        self.change.edit(path, before, mode, changes, new)

    def _status(self, path: str) -> os.stat_result:
        """The status of a file that was there; `StaleError` if it was changed meanwhile."""
        try:
            status = self.change.workspace.status(path)
        except OSError:
            status = None
        if status is None or status.st_ctime_ns >= self.started:
            raise StaleError(
                f"{path} was changed while the command ran; nothing was staged.",
                path=path,
                hint="Capture it again.",
            )
        return status

    def _plain(self, path: str, kept: KeptFile | None) -> KeptFile:
        if kept is None or kept.kind != "file":
            kind = "gone" if kept is None else f"a {kept.kind}"
            raise PreconditionError(f"{path} is {kind} by now: only plain files are changed")
        if kept.content is None or len(kept.content) > self.change.request.max_file_size:
            raise PreconditionError(f"{path} becomes too large")
        return kept

    def _move(self, source: str, path: str, before: bytes, mode: int) -> None:
        kept = self.come[path]
        changes = token_changes(path, before, kept.content or b"")
        new = _new_mode(path, kept.mode, mode)
        self.change.move(source, path, before, changes, mode, new)


def _git_mode(path: str, mode: int, had: int = 0) -> int:
    """What git keeps of a mode. Refuses what it does not, and nobody would see in a diff."""
    odd = [name for bit, name in _ODD.items() if mode & ~had & bit]
    if odd:
        raise PreconditionError(f"{path} would be {' and '.join(odd)} (mode {mode:04o})")
    return 0o755 if mode & stat.S_IXUSR else 0o644


def _new_mode(path: str, mode: int, had: int) -> int | None:
    new = _git_mode(path, mode, had)
    return new if (mode ^ had) & stat.S_IXUSR else None
