"""One draft on the disk: begun, found again, entered, thrown away.

Its directory holds `draft.json`, `base.json` (the tree when it began), `agreed.json` (where tree
and draft agreed since), and either the upper layer of an overlay or a copy of the tree. It is
complete once `draft.json` is there; an exclusive lock on the directory says that a program runs
in it. One that is discarded has another name first: nothing is written into it any more.
"""

import contextlib
import fcntl
import json
import os
import re
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import count
from typing import Any, NamedTuple

from astedit.errors import PreconditionError, RequestError
from astedit.programs import Child
from astedit.sandbox.locked_directory import private_directory, remove_tree
from astedit.sandbox.sandbox import Sandbox, SandboxError, SandboxRun, SandboxWay, choose
from astedit.sandbox.tree_copy import PathState, TreeCopy, room_taken, tree_state
from astedit.text import number
from astedit.workspace.root import Workspace, path_below

MAX_BYTES = 8 << 30  # that a draft may take up
DRAFT = "ASTEDIT_DRAFT"  # the variable that names the draft to what runs in it
_DRAFTS, _RECORD, _BASE, _AGREED = "drafts", "draft.json", "base.json", "agreed.json"
_RECORDED = ("root", "inode", "way", "max_bytes", "began", "command", "process")
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
_OPEN = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC


class Agreed(NamedTuple):
    """What a path held when tree and draft agreed about it last, and its state in the tree."""

    hash: str | None
    state: PathState | None


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
    def runs(self) -> bool:
        """Whether a program runs in it now."""
        try:
            with self._alone(""):
                return False
        except PreconditionError:
            return True

    def states(self, name: str) -> dict[str, PathState]:
        """The `tree` as it was when this began, or what was `copied` of it."""
        with open(os.path.join(self.place, _BASE), "rb") as file:
            states = json.load(file)
        return {path: PathState(*row) for path, row in states[name].items()}

    def save(self) -> None:
        """Writes down where tree and draft agree, in one step."""
        _write(self.place, _AGREED, self.agreed)

    def _record(self) -> None:
        _write(self.place, _RECORD, {name: getattr(self, name) for name in _RECORDED})

    def run(
        self, words: Sequence[str], directory: str, wait: Callable[[Child], object]
    ) -> SandboxRun:
        """Runs a program in it, with our terminal, while `wait` waits.

        Raises `PreconditionError` (`draft_in_use`) where one runs already.
        """

        def waiting(child: Child) -> None:
            self.process = child.pid
            with contextlib.suppress(OSError):  # a full disk is no reason to end
                self._record()
            wait(child)

        with self._alone("Leave that one first, or begin another draft."):
            self.command = list(words)
            sandbox = Sandbox(
                self.root, self.place, directory, self.max_bytes, way=self.way, kept=self.place
            )
            state = os.path.join(self.place, "state")  # of what is staged inside
            return sandbox.enter(words, {DRAFT: self.name, "ASTEDIT_STATE_DIR": state}, waiting)

    def begin(self, way: SandboxWay | None) -> list[str]:
        """Makes it in a new directory, and returns what to say of the way it is made."""
        private_directory(self.place)
        with self._alone("Begin it again once that has ended."):
            if os.path.lexists(os.path.join(self.place, _RECORD)):
                raise PreconditionError(
                    f"There is a draft {self.name} that cannot be read.",
                    code="draft_damaged",
                    hint=f"Its files are in {self.place}; astedit draft discard {self.name}",
                )
            for left in os.listdir(self.place):  # of one that was killed before it was complete
                remove_tree(os.path.join(self.place, left))
            states = {"tree": tree_state(self.root)}
            sandbox = Sandbox(self.root, self.place, "", self.max_bytes, kept=self.place)
            choose(sandbox, way, ())
            self.way, warnings = sandbox.way, sandbox.warnings
            if self.way == "copy":
                remove_tree(os.path.join(self.place, "upper"))
                begun = time.monotonic()
                copy = TreeCopy(self.root, self.files, 0)
                states["copied"], seconds = copy.copied, time.monotonic() - begun
                taken = "it shares its content with the tree"
                if not copy.shared:
                    taken = f"{room_taken(self.files):,} bytes"
                missed = f" {number(copy.missed, 'path')} could not be copied." * bool(copy.missed)
                later = f"What the tree gets later comes by astedit draft pull {self.name}."
                warnings.append(f"It took {seconds:.1f} s; {taken}.{missed} {later}")
            _write(self.place, _BASE, states)
            self._record()
        return warnings

    def discard(self) -> None:
        """Removes it with all that is in it."""
        above = os.path.dirname(self.place)
        with self._alone("End that one first."):
            os.rename(self.place, os.path.join(above, f".{self.name}.{os.getpid()}"))
            for left in (name for name in os.listdir(above) if name.startswith(".")):
                remove_tree(os.path.join(above, left))  # of one that was killed meanwhile, too

    @contextlib.contextmanager
    def _alone(self, hint: str) -> Iterator[None]:
        """Keeps every program out of it; raises `PreconditionError` where one runs."""
        with contextlib.ExitStack() as opened:
            with contextlib.suppress(FileNotFoundError):  # it is gone: nobody runs in it
                file = os.open(self.place, _OPEN)
                opened.callback(os.close, file)
                try:
                    fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                except BlockingIOError as error:
                    message = f"A program runs in the draft {self.name}."
                    raise PreconditionError(message, code="draft_in_use", hint=hint) from error
            yield


def create(
    workspace: Workspace, state: str, name: str | None, way: SandboxWay | None, max_bytes: int
) -> tuple[Draft, list[str]]:
    """A new draft, and what to say of the way it is made.

    Raises `RequestError` for a name that cannot be one, and `SandboxError` where neither an
    overlay nor a copy can be made.
    """
    taken = {*(draft.name for draft in drafts(state)), *unreadable(state)}
    if name is not None and not _NAME.fullmatch(name):
        raise RequestError(
            f"{name!r} cannot be the name of a draft.",
            hint="Letters, digits, `.`, `_` and `-`, at most 64, and a letter or digit first.",
        )
    if path_below(workspace.root, os.path.realpath(state)) is not None:
        raise RequestError(
            f"The state directory {state} is inside the root: a draft would hold itself.",
            hint="Name another place with --state-dir.",
        )
    names = (f"d{n}" for n in count(1) if f"d{n}" not in taken) if name is None else iter([name])
    inode = os.fstat(workspace.fd).st_ino
    while True:
        place = os.path.join(state, _DRAFTS, next(names))
        draft = Draft(place, workspace.root, inode, max_bytes=max_bytes, began=time.time())
        try:
            return draft, draft.begin(way)
        except PreconditionError:  # another process has begun one of this name meanwhile
            if name is not None:
                raise
        except (SandboxError, OSError) as error:
            remove_tree(place)
            if isinstance(error, SandboxError):
                raise
            where = error.filename or place
            raise SandboxError(f"No draft can be made: {where}: {error.strerror}.") from error


def drafts(state: str) -> list[Draft]:
    """Every draft of a root that is complete, in the order in which they began."""
    every = map(_read, _places(state))
    return sorted((draft for draft in every if draft is not None), key=lambda draft: draft.began)


def unreadable(state: str) -> list[str]:
    """The names of those whose record is damaged, or of another version."""
    every = (place for place in _places(state) if os.path.lexists(os.path.join(place, _RECORD)))
    return sorted(os.path.basename(place) for place in every if _read(place) is None)


def _places(state: str) -> list[str]:
    above, names = os.path.join(state, _DRAFTS), list[str]()
    with contextlib.suppress(FileNotFoundError, NotADirectoryError):
        names = os.listdir(above)
    return [os.path.join(above, name) for name in names if not name.startswith(".")]


def thrown_away(state: str, name: str) -> bool:
    """Discards the draft of a name, in whatever state it is; False where there is none."""
    place = os.path.join(state, _DRAFTS, name)
    if not _NAME.fullmatch(name) or not os.path.isdir(place):
        return False
    Draft(place, "", 0).discard()
    return True


def find(workspace: Workspace, state: str, name: str | None) -> Draft:
    """The draft of this name, or the only one; raises `PreconditionError`."""
    every = drafts(state)
    fitting = [draft for draft in every if name in (None, draft.name)]
    if len(fitting) != 1:
        names = ", ".join(draft.name for draft in every)
        problem = f"There is no draft {name}." if name and every else "There is no draft."
        problem = f"There are several drafts: {names}." if fitting else problem
        hint = f"Name one of these: {names}." if every else "Begin one: astedit draft -- COMMAND"
        raise PreconditionError(problem, code="no_draft", hint=hint)
    draft = fitting[0]
    if (draft.root, draft.inode) != (workspace.root, os.fstat(workspace.fd).st_ino):
        raise PreconditionError(
            f"The root {workspace.root} is not the directory that the draft {draft.name} began on.",
            code="root_changed",
            hint=f"Put that directory back, or astedit draft discard {draft.name}.",
        )
    return draft


def _read(place: str) -> Draft | None:
    """The draft at a place; None of what is incomplete or damaged."""
    try:
        with open(os.path.join(place, _RECORD), "rb") as file:
            record = json.load(file)
        draft = Draft(place, **{name: record[name] for name in _RECORDED})
        if os.path.lexists(agreed := os.path.join(place, _AGREED)):
            with open(agreed, "rb") as file:
                rows = json.load(file).items()
            draft.agreed = {path: Agreed(mark, s and PathState(*s)) for path, (mark, s) in rows}
        return draft
    except (OSError, ValueError, TypeError, KeyError, AttributeError):
        return None


def _write(place: str, name: str, value: Any) -> None:
    """Writes a JSON document in one step; nothing is left of one for which there is no room."""
    temporary = os.path.join(place, f".{name}.{os.getpid()}")
    try:
        with open(temporary, "w", encoding="ascii") as file:
            json.dump(value, file)
        os.rename(temporary, os.path.join(place, name))
    except OSError:
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        raise
