"""One draft on the disk: entered, compared with the tree, thrown away.

Its directory holds `draft.json`, `base.json` (the tree when it began), and either the upper
layer of an overlay or a copy of the tree. It is complete once `draft.json` is there; an
exclusive lock on the directory says that a program runs in it.
"""

import contextlib
import fcntl
import json
import os
import stat
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any, NamedTuple

from astedit.errors import PreconditionError, RequestError
from astedit.programs import Child
from astedit.sandbox.locked_directory import remove_tree
from astedit.sandbox.overlay import Layers
from astedit.sandbox.sandbox import Sandbox, SandboxRun, SandboxWay
from astedit.sandbox.supervisor import forget, put
from astedit.sandbox.tree_copy import (
    PathState,
    copy_changes,
    is_equal,
    path_state,
    room_taken,
    tree_state,
)
from astedit.workspace.confined_open import open_directory, read_regular

MAX_BYTES = 8 << 30  # that a draft may take up
RECORD, BASE = "draft.json", "base.json"
DRAFT = "ASTEDIT_DRAFT"  # the variable that names the draft to what runs in it
_LARGEST = 64 << 20  # bytes of one file that is compared by its hash
_OPEN = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC

Applied = Iterable[tuple[str, str | None]]  # paths, and the hashes that applies gave them


class Agreed(NamedTuple):
    """What a path held when tree and draft agreed about it last, and its state in the tree."""

    hash: str | None
    state: PathState | None


@dataclass(frozen=True, slots=True)
class Difference:
    """What a draft changed: `changes` as a sandbox tells them, of directories their files.

    In `conflicts`, some of these paths, the tree has changed them meanwhile. `behind` are
    other paths, about which both agreed, and that only the tree has changed since.
    """

    changes: list[tuple[str, str]]
    conflicts: set[str]
    behind: list[str]


@dataclass(slots=True)
class Draft:
    """A draft that exists; `process` is the one that holds its mounts while a program runs."""

    place: str
    root: str
    inode: int
    way: SandboxWay = "overlay"
    max_bytes: int = MAX_BYTES
    began: float = 0
    command: list[str] = field(default_factory=list)
    process: int = 0
    agreed: dict[str, Agreed] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """What it is called."""
        return os.path.basename(self.place)

    @property
    def files(self) -> str:
        """Where its own files lie: those that it changed, or all of a copy."""
        return os.path.join(self.place, "upper" if self.way == "overlay" else "tree")

    @property
    def state(self) -> str:
        """The state directory of what is staged inside."""
        return os.path.join(self.place, "state")

    @property
    def runs(self) -> bool:
        """Whether a program runs in it now."""
        with _lock(self.place) as alone:
            return not alone

    def used(self) -> int:
        """The bytes that it takes up."""
        return room_taken(self.place)

    def save(self) -> None:
        """Writes down what is known of it, in one step."""
        names = ("root", "inode", "way", "max_bytes", "began", "command", "process", "agreed")
        write(self.place, RECORD, {name: getattr(self, name) for name in names})

    def run(
        self, words: Sequence[str], directory: str, wait: Callable[[Child], object]
    ) -> SandboxRun:
        """Runs a program in it, with our terminal, while `wait` waits.

        Raises `PreconditionError` (`draft_in_use`) where one runs already.
        """

        def waiting(child: Child) -> None:
            self.process = child.pid
            self._note()
            wait(child)

        with self.alone("Leave that one first, or begin another draft."):
            self.command = list(words)
            sandbox = Sandbox(
                self.root, self.place, directory, self.max_bytes, way=self.way, kept=self.place
            )
            return sandbox.enter(
                words, {DRAFT: self.name, "ASTEDIT_STATE_DIR": self.state}, waiting
            )

    def discard(self) -> None:
        """Removes it with all that is in it."""
        with self.alone("End that one first."):
            with contextlib.suppress(FileNotFoundError):
                os.unlink(os.path.join(self.place, RECORD))
            remove_tree(self.place)

    @contextlib.contextmanager
    def alone(self, hint: str) -> Iterator[None]:
        """Keeps every program out of it; raises `PreconditionError` where one runs."""
        with _lock(self.place) as alone:
            if not alone:
                message = f"A program runs in the draft {self.name}."
                raise PreconditionError(message, code="draft_in_use", hint=hint)
            yield

    # -- what differs ------------------------------------------------------------------------

    def difference(self) -> Difference:
        """What differs from the tree by now."""
        known = self._known()
        changes, conflicts, behind = [], set(), []
        for path, how in self._changes():
            if _state_in(self.root, path) != known.get(path):
                mark = self.agreed[path].hash if path in self.agreed else None
                if mark and _hash(self.files, path) == mark:
                    behind.append(path)
                    continue
                if ".git" not in path.split("/"):
                    conflicts.add(path)
            changes.append((path, how))
        return Difference(changes, conflicts, behind)

    def settle(self, applied: Applied = ()) -> None:
        """Notes where the tree is by now what the draft holds, or what came out of the draft."""
        newest: dict[str, str | None] = {}
        for path, mark in applied:
            newest.setdefault(path, mark)
        for path, mark in newest.items():
            if _hash(self.root, path) == mark:
                self._agree(path)
        known = self._known()
        for path, own in tree_state(self.files).items():
            now = _state_in(self.root, path)
            is_news = stat.S_ISREG(own.mode) and now != known.get(path)
            if is_news and self._alike(path, own, now):
                self._agree(path)
        self._note()

    def _note(self) -> None:
        """Saves what can be found out again; a full disk must not keep anybody from emptying it."""
        with contextlib.suppress(OSError):
            self.save()

    def pull(
        self, keep: Iterable[str] = (), take: Iterable[str] = ()
    ) -> tuple[list[str], list[str]]:
        """Brings in what is newer in the tree; returns those paths, and the conflicts.

        Of the paths of a conflict the draft's own file counts from now on (`keep`), or the
        tree's comes in its place (`take`).
        """
        difference, chosen, given_up = self.difference(), set(keep), set(take)
        for path in sorted((chosen | given_up) - difference.conflicts):
            raise RequestError(f"{path} is not a conflict.", hint="astedit draft pull lists them.")
        newer = {*difference.behind, *self._newer(difference), *given_up}
        top = os.open(self._view(), _OPEN)
        try:
            for path in sorted(newer):
                self._bring(top, path)
        finally:
            os.close(top)
        for path in newer | chosen:
            self._agree(path)
        self.save()
        return sorted(newer), sorted(difference.conflicts - chosen - given_up)

    def _changes(self) -> Iterator[tuple[str, str]]:
        """What differs; of a directory that is gone those files that were in it."""
        if self.way == "copy":
            for path, _ in copy_changes(self.root, self.files, self._states("copied")):
                own, now = _state_in(self.files, path), _state_in(self.root, path)
                if not self._alike(path, own, now):
                    yield path, "deleted" if own is None else "changed" if now else "added"
            return
        layers = Layers(self.root, self.files)
        try:
            yield from layers.changes()
        finally:
            layers.close()

    def _alike(self, path: str, own: PathState | None, now: PathState | None) -> bool:
        """Whether draft and tree hold the same at a path."""
        if own is None or now is None or not stat.S_ISREG(own.mode):
            return own == now
        if (own.mode, own.size) != (now.mode, now.size):
            return False
        return is_equal(os.path.join(self.root, path), os.path.join(self.files, path))

    def _newer(self, difference: Difference) -> Iterator[str]:
        """What only the tree has changed, but for what is git's own."""
        own = {path for path, _ in difference.changes}
        known, now = self._known(), tree_state(self.root)
        for path in (known.keys() | now.keys()) - own:
            if known.get(path) != now.get(path) and ".git" not in path.split("/"):
                yield path

    @property
    def _mounted(self) -> bool:
        return self.way == "overlay" and bool(self.process) and self.runs

    def _view(self) -> str:
        """Where its files are written: while a program runs, by way of its own mounts.

        The kernel may go on showing that program what it has looked up once.
        """
        if self._mounted:
            return f"/proc/{self.process}/root{self.root}"
        return self.files

    def _bring(self, top: int, path: str) -> None:
        """Puts what the tree holds at a path into the draft, unless that is there already."""
        content, state = content_in(self.root, path), _state_in(self.root, path)
        inside = f"/proc/self/fd/{top}" if os.path.isdir("/proc/self/fd") else self.files
        absent = _state_in(inside, path) is None
        if content is not None and state is not None:
            # What is not in a layer that nobody has mounted is shown by the tree below it.
            is_shown = absent and self.way == "overlay" and not self._mounted
            if not is_shown and content_in(inside, path) != content:
                put(top, path, content, stat.S_IMODE(state.mode))
        elif state is None and not absent:
            with contextlib.suppress(IsADirectoryError, PermissionError):
                forget(top, path)

    def _agree(self, path: str) -> None:
        self.agreed[path] = Agreed(_hash(self.root, path), _state_in(self.root, path))

    def _known(self) -> dict[str, PathState | None]:
        """The tree as it was when tree and draft agreed last, path by path."""
        return {**self._states("tree"), **{path: row.state for path, row in self.agreed.items()}}

    def _states(self, name: str) -> dict[str, PathState]:
        """The tree as it was when this began, or the copy of it."""
        with open(os.path.join(self.place, BASE), "rb") as file:
            states = json.load(file)
        return {path: PathState(*row) for path, row in states[name].items()}


def _state_in(top: str, path: str) -> PathState | None:
    place = os.path.join(top, path)
    try:
        return path_state(place, os.lstat(place))
    except OSError:
        return None


def _hash(top: str, path: str) -> str | None:
    content = content_in(top, path)
    return None if content is None else sha256(content).hexdigest()


def content_in(top: str, path: str) -> bytes | None:
    """A file's content; None of what is not a file, is too large, or cannot be read."""
    above, _, name = path.rpartition("/")
    with contextlib.suppress(OSError), contextlib.ExitStack() as opened:
        outermost = os.open(top, _OPEN & ~os.O_NOFOLLOW)
        opened.callback(os.close, outermost)
        directory = open_directory(outermost, above)
        opened.callback(os.close, directory)
        content, _ = read_regular(name, _LARGEST, directory)
        return content if len(content) <= _LARGEST else None
    return None


def write(place: str, name: str, value: Any) -> None:
    """Writes a JSON document in one step."""
    temporary = os.path.join(place, f".{name}.{os.getpid()}")
    try:
        with open(temporary, "w", encoding="ascii") as file:
            json.dump(value, file)
        os.rename(temporary, os.path.join(place, name))
    except OSError:
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        raise


@contextlib.contextmanager
def _lock(place: str) -> Iterator[bool]:
    """Whether this is the only process in a draft; if so, as long as the block lasts."""
    try:
        file = os.open(place, _OPEN)
    except FileNotFoundError:
        yield True  # it is gone: nobody runs in it
        return
    alone = False
    try:
        with contextlib.suppress(BlockingIOError):
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            alone = True
        yield alone
    finally:
        os.close(file)
