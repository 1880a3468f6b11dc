"""A sandbox as the rest of the house sees it: how it is made here, and runs in it."""

import contextlib
import json
import marshal
import os
import signal
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

from astedit.errors import AstEditError, LimitError
from astedit.limits import Deadline
from astedit.programs import clean_path, scratch, spawn, written
from astedit.sandbox.locked_directory import locked_directory, private_directory

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


@dataclass(slots=True)
class Sandbox:
    """The workspace at `root` as it is, for commands that may change it unseen.

    Every run begins with the tree as it is then, and any number may run side by side.
    `directory` is where commands start, below the root. A run may write `size` bytes to the
    tree. It isolates from accidents: a command runs as the user and can write elsewhere.
    `warnings` are for people.
    """

    root: str
    state: str
    directory: str = ""
    size: int = SIZE
    network: bool = True
    way: SandboxWay = "overlay"
    warnings: list[str] = field(default_factory=list)

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
            "way": self.way,
            "root": self.root,
            "directory": self.directory,
            "size": self.size,
            "network": self.network,
            "words": list(words),
            "contents": [(path, *state) for path, state in (contents or {}).items()],
            "forget": list(forget),
            "collect": list(collect),
            "seconds": seconds,
            "keep": keep,
            "environment": {**os.environ, "PATH": clean_path(None)},
        }
        with self._scratch() as place:
            answer = _supervised(task | {"scratch": place}, deadline or Deadline())
        if "refused" in answer:
            raise SandboxError(f"The sandbox cannot be made: {answer['refused']}.", hint=_HINT)
        return _run_of(answer, set(contents or {}))

    @contextlib.contextmanager
    def _scratch(self) -> Iterator[str]:
        """A directory beside the state: to mount over for an overlay, else to copy into."""
        try:
            if self.way == "overlay":
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


def _supervised(task: dict[str, Any], deadline: Deadline) -> dict[str, Any]:
    """What the process answers that makes the sandbox and runs the command."""
    files = scratch(marshal.dumps(task)), scratch(), scratch()
    try:
        words = [sys.executable, "-I", "-S", "-c", _START, _LIBRARY]
        child = spawn(words, os.environ, (files[0], files[1], files[1], files[2]), lifeline=True)
        try:
            child.wait(deadline)
        except BaseException:  # Ctrl-C too: it ends its command, and then itself
            os.kill(child.pid, signal.SIGTERM)
            with contextlib.suppress(LimitError):
                child.wait(Deadline(_PATIENCE))
            raise
        finally:
            child.kill()
        answer = written(files[2])
        if not answer:
            lines = written(files[1]).decode("utf-8", "replace").strip().splitlines()
            raise SandboxError(f"The sandbox was killed{f': {lines[-1]}' if lines else ''}.")
        parsed: dict[str, Any] = json.loads(answer)
        return parsed
    finally:
        for file in files:
            os.close(file)


def _run_of(answer: Mapping[str, Any], put: set[str]) -> SandboxRun:
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
        {
            path: KeptFile(kind, mode, None if text is None else text.encode("latin-1"))
            for path, kind, mode, text in answer.get("kept", ())
        },
        answer.get("too_many", 0),
    )
