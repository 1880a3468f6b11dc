"""A sandbox as the rest of the house sees it: how it is made here, and runs in it."""

import contextlib
import json
import marshal
import os
import re
import signal
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from glob import glob
from types import MappingProxyType
from typing import Any, Literal, NamedTuple

from astedit.errors import AstEditError, LimitError, RequestError
from astedit.limits import Deadline
from astedit.programs import Child, clean_path, scratch, spawn, written
from astedit.sandbox.locked_directory import locked_directory, private_directory
from astedit.workspace.root import path_below

SandboxWay = Literal["overlay", "copy"]
SIZE = 2 << 30  # bytes that a command may write
_PATIENCE = 5.0  # seconds that a sandbox has to end itself
_START = (
    "import sys; sys.path.insert(0, sys.argv[1]); "
    "from astedit.sandbox.supervisor import main; main()"
)
_LIBRARY = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


class SandboxError(AstEditError):
    """The sandbox could not be made, or did not last; the tree is as it was."""

    code = "sandbox"
    exit_code = 5


class FileState(NamedTuple):
    """What a path is to hold: its content, None for no file, and its mode, None for the old one."""

    content: bytes | None
    mode: int | None = None


class KeptFile(NamedTuple):
    """What is at a path after a command: a file, a directory, a link or a device.

    `content` is there of files alone, and only if there was room for it.
    """

    kind: str
    mode: int
    content: bytes | None


@dataclass(frozen=True, slots=True)
class SandboxRun:
    """How one command ended in a sandbox.

    `status` is its exit status, negative for a signal; None if it did not end by itself, then
    `ended` says why: `timeout`, or `killed` by somebody else. `start_error` says why it could
    not even be started. `changes` are what it changed in the tree: path, and `added`,
    `changed` or `deleted`. `made` holds the files that were asked for. `kept` is what is at
    the changed paths, if that was asked for; of `too_many` changes only the number is known.
    """

    status: int | None
    ended: str | None
    start_error: str | None
    full: bool
    seconds: float
    output: str
    changes: list[tuple[str, str]]
    made: dict[str, bytes | None]
    kept: dict[str, KeptFile] = field(default_factory=dict)
    too_many: int = 0

    def check_started(self, words: Sequence[str]) -> None:
        """Raises `RequestError` (`no_command`) if the command could not be started."""
        if self.start_error is not None:
            message = f"{words[0]} cannot be started: {self.start_error}."
            raise RequestError(message, code="no_command")


@dataclass(slots=True)
class Sandbox:
    """The workspace at `root` as it is, for commands that may change it unseen.

    Every run begins with the tree as it is then, and any number may run side by side.
    `directory` is where commands start, below the root. A run may write `size` bytes to the
    tree. It isolates from accidents: a command runs as the user and can write elsewhere.
    `warnings` are for people. With `kept` what is written stays in that directory: the layer of
    an overlay, or a copy that was made there before.
    """

    root: str
    state: str
    directory: str = ""
    size: int = SIZE
    network: bool = True
    way: SandboxWay = "overlay"
    warnings: list[str] = field(default_factory=list)
    kept: str | None = None

    def run(
        self,
        words: Sequence[str],
        contents: Mapping[str, FileState] | None = None,
        *,
        forget: Sequence[str] = (),
        collect: Sequence[str] = (),
        seconds: float | None = None,
        deadline: Deadline | None = None,
        keep: bool = False,
    ) -> SandboxRun:
        """Runs a command after some files were changed, made or removed.

        `forget` are files that are removed first, `collect` those whose contents are wanted
        afterwards; with `keep` all that it changed. It is ended after `seconds`. Raises
        `SandboxError` where no sandbox can be made, and what `deadline` raises; nothing is left
        running then.
        """
        task = {
            "contents": [(path, *state) for path, state in (contents or {}).items()],
            "forget": list(forget),
            "collect": list(collect),
            "seconds": seconds,
            "keep": keep,
        }
        bounds = deadline or Deadline()
        return self._answer(words, task, lambda child: child.wait(bounds))

    def enter(
        self, words: Sequence[str], variables: Mapping[str, str], wait: Callable[[Child], object]
    ) -> SandboxRun:
        """Runs a command with our own input, output and terminal, as long as `wait` does.

        `variables` are more of its environment. Raises as `run` does, and what `wait` raises.
        """
        return self._answer(words, {"attached": True}, wait, variables)

    def _answer(
        self,
        words: Sequence[str],
        more: Mapping[str, Any],
        wait: Callable[[Child], object],
        variables: Mapping[str, str] = MappingProxyType({}),
    ) -> SandboxRun:
        with self._scratch() as place:
            task = {
                "way": self.way,
                "root": self.root,
                "scratch": place,
                "directory": self.directory,
                "size": self.size,
                "network": self.network,
                "kept": self.kept is not None,
                "words": list(words),
                "environment": {**os.environ, "PATH": clean_path(None), **variables},
                **more,
            }
            answer = _supervised(task, wait)
        if "refused" in answer:
            raise SandboxError(f"The sandbox cannot be made: {answer['refused']}.", hint=_HINT)
        put = {path for path, *_ in more.get("contents", ())}
        error = answer.get("error")
        return SandboxRun(
            answer.get("status"),
            answer.get("ended"),
            os.strerror(error) if error is not None else None,
            answer.get("full", False),
            answer.get("seconds", 0.0),
            answer.get("output", "").encode("latin-1").decode("utf-8", "replace"),
            [(path, how) for path, how in answer.get("changes", ()) if path not in put],
            {
                path: None if text is None else text.encode("latin-1")
                for path, text in answer.get("made", {}).items()
            },
            kept_files(answer.get("kept", ())),
            answer.get("too_many", 0),
        )

    @contextlib.contextmanager
    def _scratch(self) -> Iterator[str]:
        """A directory beside the state: to mount over for an overlay, else to copy into."""
        try:
            if self.kept is not None:
                yield (place := self.kept)
            elif self.way == "overlay":
                place = os.path.join(self.state, "sandbox")
                private_directory(place)
                yield place
            else:
                with locked_directory(os.path.join(self.state, "copies")) as place:
                    yield place
        except OSError as error:
            raise SandboxError(
                f"The sandbox cannot be made: {error.filename or place}: {error.strerror}.",
                hint=_HINT,
            ) from error


_HINT = "`--sandbox copy` makes a copy instead; `--state-dir DIR` names another place for it."


def _supervised(task: dict[str, Any], wait: Callable[[Child], object]) -> dict[str, Any]:
    """What the process answers that makes the sandbox and runs the command."""
    files = scratch(), scratch(marshal.dumps([task]))
    try:
        words = [sys.executable, "-I", "-S", "-c", _START, _LIBRARY]
        streams = (0, 1, 2) if "attached" in task else (files[0],) * 3
        child = spawn(words, os.environ, (*streams, files[1]), lifeline=True)
        try:
            wait(child)
        except BaseException:  # Ctrl-C too: it ends its command, and then itself
            os.kill(child.pid, signal.SIGTERM)
            with contextlib.suppress(LimitError):
                child.wait(Deadline(_PATIENCE))
            raise
        finally:
            child.kill()
        answer = written(files[1])
        if not answer.startswith(b"{"):  # the task, a list, until that is read
            lines = written(files[0]).decode("utf-8", "replace").strip().splitlines()
            raise SandboxError(f"The sandbox was killed{f': {lines[-1]}' if lines else ''}.")
        parsed: dict[str, Any] = json.loads(answer)
        return parsed
    finally:
        for file in files:
            os.close(file)


def kept_files(rows: Iterable[Sequence[Any]]) -> dict[str, KeptFile]:
    """What a supervisor brought out, by path; it has contents as Latin-1."""
    return {
        path: KeptFile(kind, mode, None if text is None else text.encode("latin-1"))
        for path, kind, mode, text in rows
    }


_ESCAPED = re.compile(r"\\(\d{3})")
_VENV_FILES = ("pyvenv.cfg", "bin/activate")
_HEAD = 1 << 16  # bytes of such a file


def choose(sandbox: Sandbox, way: SandboxWay | None, writes: Iterable[str]) -> None:
    """Sets how the sandbox is made: as asked for, else an overlay where that works.

    `writes` are files that will be given other contents. Raises `SandboxError` where what was
    asked for does not work here.
    """
    if os.path.isfile(os.path.join(sandbox.root, ".git")):
        text = "git's own files are outside the root: a commit is made for real."
        sandbox.warnings.append(text)
    why = None if way == "copy" else _against_overlay(sandbox, writes)
    if why is not None and way == "overlay":
        raise SandboxError(f"An overlay cannot be made here: {why}.")
    if way != "copy" and why is None:
        return
    sandbox.way = "copy"
    sandbox.warnings.append(
        "The sandbox is a copy" + (f", since no overlay can be made here: {why}." if why else ".")
    )
    sandbox.warnings += [
        f"{name} holds absolute paths of the root, which lead to the tree and not to its copy."
        for name in _tied_environments(sandbox.root)
    ]


def _against_overlay(sandbox: Sandbox, writes: Iterable[str]) -> str | None:
    """Why an overlay cannot stand for this tree; None if it can."""
    if not sys.platform.startswith("linux"):
        return "it needs Linux"
    below = next(_mounted_below(sandbox.root), None)
    if below is not None:
        return f"another file system is mounted at {below}"
    foreign = next(_of_others(sandbox.root, writes), None)
    if foreign is not None:
        return f"{foreign} is another user's"
    try:
        sandbox.run([])
    except SandboxError as error:
        return error.message.removeprefix("The sandbox cannot be made: ").rstrip(".")
    return None


def _mounted_below(root: str) -> Iterator[str]:
    with contextlib.suppress(OSError), open("/proc/self/mountinfo") as file:
        for line in file:
            place = _ESCAPED.sub(lambda code: chr(int(code[1], 8)), line.split(" ")[4])
            if path_below(root, place) not in (None, "."):
                yield place


def _of_others(root: str, writes: Iterable[str]) -> Iterator[str]:
    """What of the written files and the directories around them is of other users."""
    own = os.geteuid()
    if own == 0:
        return  # root may map all of its ids
    places = {""}
    for path in writes:
        while path:
            places.add(path)
            path = os.path.dirname(path)
    for path in sorted(places):
        with contextlib.suppress(OSError):
            if os.lstat(os.path.join(root, path)).st_uid != own:
                yield path or "the root"


def _tied_environments(root: str) -> Iterator[str]:
    """Virtual environments in the root that hold its absolute path."""
    mark = os.fsencode(root)
    for name in sorted(glob("*/", root_dir=root, include_hidden=True)):
        for file in _VENV_FILES:
            with contextlib.suppress(OSError), open(os.path.join(root, name, file), "rb") as text:
                if mark in text.read(_HEAD):
                    yield name.rstrip("/")
                    break
