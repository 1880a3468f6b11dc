"""Makes commits as `git commit` does, hooks and all: a program that runs in a sandbox.

Started by `git_objects.py` at the top of the work tree, with git's program as its argument.
It imports the standard library alone, finds its task in a file, and leaves a result and a
bundle of the commits beside it.
"""

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from typing import IO, Any, NamedTuple

TASK, RESULT, BUNDLE = (f".git/astedit-commits.{end}" for end in ("task", "result", "bundle"))
_OURS = ("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_OBJECT_DIRECTORY", "GIT_PREFIX")
_QUIET = {"GIT_EDITOR": "true", "GIT_TERMINAL_PROMPT": "0"}
_NO_FILE = "000000"


class _Entry(NamedTuple):
    """What a path is in one of two trees: `mode` is `_NO_FILE` where it is not there."""

    path: bytes
    mode: str
    blob: str


class _Refused(Exception):
    """A step did not go through; its words are for the user."""


def main() -> None:
    """Does the task and writes the result; a step that is refused is a result, too."""
    with open(TASK) as file:
        task = json.load(file)
    commits = _Commits(sys.argv[1], task)
    try:
        commits.make()
        result: dict[str, Any] = {"commits": commits.names}
    except _Refused as refusal:
        result = {"refused": str(refusal)}
    with open(RESULT, "w") as file:
        json.dump(result, file)


class _Commits:
    """The commits of one task: its `base`, its `steps` and the paths that filters change."""

    def __init__(self, program: str, task: dict[str, Any]) -> None:
        self._program, self._task = program, task
        self.names: list[str] = []
        environment = {name: value for name, value in os.environ.items() if name not in _OURS}
        self._environment = environment | _QUIET

    def make(self) -> None:
        """One commit after the other, then the bundle."""
        base: str = self._task["base"]
        if changed := self._changed(base):
            raise _Refused(f"Not as in the commit HEAD: {changed}.")
        here, branches = base, dict[str, None]()
        for step in self._task["steps"]:
            self._write(here, step["tree"])
            here = step["tree"]
            self._commit(step, base if step["parent"] is None else self.names[step["parent"]])
            branches[step["branch"]] = None
        self._git("bundle", "create", "--quiet", BUNDLE, f"^{base}", *branches)

    def _changed(self, base: str) -> str:
        """The first of the paths with a filter that is not as in the commit."""
        if not (filtered := self._task["filtered"]):
            return ""
        return os.fsdecode(self._git("diff", "--name-only", base, "--", *filtered)).split("\n")[0]

    def _write(self, here: str, tree: str) -> None:
        """Makes the work tree, which is as one tree, as another."""
        for path, mode, blob in self._differing(here, tree):
            if mode == _NO_FILE:
                os.unlink(path)
                continue
            os.makedirs(os.path.dirname(path) or b".", exist_ok=True)
            if os.path.lexists(path):
                os.unlink(path)
            with open(path, "wb") as file:
                file.write(self._git("cat-file", "blob", blob))
            os.chmod(path, 0o755 if mode == "100755" else 0o644)

    def _commit(self, step: dict[str, Any], parent: str) -> None:
        self._git("update-ref", step["branch"], parent)
        self._git("symbolic-ref", "HEAD", step["branch"])
        self._git("read-tree", parent)
        entries = list(self._differing(parent, step["tree"]))
        paths = b"".join(entry.path + b"\0" for entry in entries)
        listed = ("--pathspec-from-file=-", "--pathspec-file-nul")
        self._git("add", "--all", "--force", *listed, sent=paths)
        message = step["message"].encode("utf-8", "surrogateescape")
        self._git("commit", "--quiet", "--cleanup=verbatim", "--file=-", sent=message)
        for entry in entries:
            self._compare(entry)
        self.names.append(self._git("rev-parse", "HEAD").decode().strip())

    def _compare(self, entry: _Entry) -> None:
        """A file that a filter keeps in another form is, read through it, what it is to be."""
        if entry.mode == _NO_FILE or os.fsdecode(entry.path) not in self._task["filtered"]:
            return
        content = self._git("cat-file", "--filters", b"HEAD:" + entry.path)
        if content != self._git("cat-file", "blob", entry.blob):
            raise _Refused(f"{os.fsdecode(entry.path)} comes out of its filter as something else.")

    def _differing(self, tree: str, other: str) -> Iterator[_Entry]:
        fields = self._git("diff-tree", "-r", "-z", "--no-renames", tree, other).split(b"\0")
        for head, path in zip(fields[::2], fields[1::2], strict=False):
            _, mode, _, blob, _ = head.decode().split()
            yield _Entry(path, mode, blob)

    def _git(self, *words: str | bytes, sent: bytes = b"") -> bytes:
        """What git prints; raises `_Refused` with all that it and its hooks complain of."""
        command: Sequence[str | bytes] = [self._program, "--literal-pathspecs", *words]
        # Files, not pipes: what a hook leaves running would keep a pipe open for ever.
        with tempfile.TemporaryFile() as output, tempfile.TemporaryFile() as complaints:
            done = subprocess.run(
                command, input=sent, stdout=output, stderr=complaints, env=self._environment,
                check=False,
            )  # fmt: skip
            printed, complained = _written(output), _written(complaints)
        if done.returncode:
            message = (printed + complained).decode("utf-8", "replace").strip()
            name = words[0] if isinstance(words[0], str) else os.fsdecode(words[0])
            raise _Refused(f"git {name}: {message or done.returncode}")
        return printed


def _written(file: IO[bytes]) -> bytes:
    """All that a program wrote to a file."""
    file.seek(0)
    return file.read()
