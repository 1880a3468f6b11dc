"""The Python modules of a workspace, read when somebody asks: bytes first, then facts."""

import hashlib
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from astedit.discover.discover import discover
from astedit.engine.inline_limits import is_shallow
from astedit.engine.known_edits import view_of
from astedit.engine.run_context import Run, hands
from astedit.language import named
from astedit.limits import INLINE_DEPTH
from astedit.model.plan import Skip, SkipReason
from astedit.model.request import EditRequest
from astedit.python.facts import ModuleFacts
from astedit.python.module_paths import ModulePaths
from astedit.text.source import NotDecodable
from astedit.workers.plain import restored
from astedit.workers.pool import Pool
from astedit.workspace.file_bytes import read_within
from astedit.workspace.path_policy import is_vendored
from astedit.workspace.root import Workspace

_MARK = b"\xef\xbb\xbf"
_PART = 131_072  # bytes
_HERE = 262_144  # bytes of code up to which a one-shot command starts no worker
_SECONDS = 60.0  # for one file


@dataclass(slots=True)
class ModuleText:
    """A file's UTF-8 view without its mark, the mark's length, and the hash of its bytes."""

    code: bytes
    mark: int
    sha256: str


@dataclass(slots=True)
class Trouble:
    """Files that cannot be looked into, by path: why."""

    skips: dict[str, Skip] = field(default_factory=dict)

    def add(self, path: str, reason: SkipReason, detail: str | None = None) -> None:
        self.skips[path] = Skip(path, reason, detail)


class Library:
    """Reads each file once, and gives the facts about the names `old` and `new` in it.

    It is a context manager: its workers end with it. What cannot be read is in `trouble`.
    """

    def __init__(
        self, request: EditRequest, workspace: Workspace, run: Run, old: str, new: str | None
    ) -> None:
        python = named("python")
        assert python is not None
        discovery = discover(
            workspace,
            request.paths,
            suffixes=frozenset(python.suffixes),
            ignore=run.ignore,
            deadline=run.deadline,
        )
        self._workspace, self._run, self._names = workspace, run, (old, new)
        self._limit, self._encoding = request.max_file_size, request.encoding
        self.files = [path for path in discovery.files if not is_vendored(path)]
        self.modules = ModulePaths(self.files, run.roots)
        self.facts: dict[str, ModuleFacts] = {}
        self.trouble = Trouble()
        self._texts: dict[str, ModuleText | None] = {}
        self._pool: Pool | None = None

    def __enter__(self) -> "Library":
        return self

    def __exit__(self, *_: object) -> None:
        if self._pool is not None:
            self._pool.close()

    def text(self, path: str) -> ModuleText | None:
        """A file's text; None, with the reason in `trouble`, if it cannot be read."""
        if path not in self._texts:
            self._run.deadline.check()
            self._texts[path] = self._read(path)
        return self._texts[path]

    def keep(self, is_wanted: Callable[[bytes], object]) -> list[str]:
        """The files whose text is wanted; the others are forgotten again."""
        files = []
        for path in self.files:
            text = self.text(path)
            if text is not None and is_wanted(text.code):
                files.append(path)
            elif text is not None:
                del self._texts[path]
        return files

    def load(self, paths: Iterable[str]) -> None:
        """Reads the facts of these files; what cannot be read has none, and is in `trouble`."""
        tasks = []
        for path in paths:
            text = None if path.endswith("/") or path in self.facts else self.text(path)
            self.facts.setdefault(path, ModuleFacts())
            if text is not None and _is_deep(text.code):
                self.trouble.add(path, "too_deep", "its brackets are nested too deeply")
            elif text is not None:
                tasks.append((path, len(text.code), text.code))
        small = self._run.inline and sum(weight for _, weight, _ in tasks) <= _HERE
        if small and all(is_shallow(code) for *_, code in tasks):
            for path, _, code in tasks:
                self._read_here(path, code)
        elif tasks:
            self._spread(tasks)

    def _read_here(self, path: str, code: bytes) -> None:
        """Reads one module in this process."""
        from astedit.python.reader import Unreadable, read

        try:
            self.facts[path] = read(code, *self._names)
        except Unreadable as error:
            self._add_unreadable(path, str(error))

    def _spread(self, tasks: list[tuple[str, int, bytes]]) -> None:
        if self._pool is None:
            count = hands(self._run.jobs)
            self._pool = Pool(count, file_seconds=_SECONDS)
            self._pool.prepare("astedit.python.reader:worker", self._names)
        for path, (value, failure) in self._pool.run(tasks, self._run.deadline):
            if failure is not None:
                self.trouble.add(path, failure)
            elif isinstance(value, str):
                self._add_unreadable(path, value)
            else:
                self.facts[path] = restored(ModuleFacts, value)

    def _add_unreadable(self, path: str, where: str) -> None:
        self.trouble.add(path, "parse_error", f"it cannot be read as Python: {where}")

    def _read(self, path: str) -> ModuleText | None:
        raw, _, skip = read_within(self._workspace.read, path, self._limit)
        if skip is not None:
            self.trouble.add(path, *skip)
        if raw is None or skip is not None:
            return None
        try:
            code = view_of(raw, path, self._encoding).text
        except NotDecodable:
            self.trouble.add(path, "not_utf8")
            return None
        mark = len(_MARK) if code.startswith(_MARK) else 0
        return ModuleText(code[mark:], mark, hashlib.sha256(raw).hexdigest())


def _is_deep(code: bytes) -> bool:
    """Whether it could exhaust a parser's stack; code of any length is looked at in parts."""
    depth = 0
    for at in range(0, len(code), _PART):
        part = code[at : at + _PART]
        if not is_shallow(part):
            return True
        depth += sum(map(part.count, (b"(", b"[", b"{")))
        depth -= sum(map(part.count, (b")", b"]", b"}")))
    return depth >= INLINE_DEPTH
