"""The Python modules of a workspace, read when somebody asks: bytes first, then facts."""

import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from astedit.discover.discover import discover
from astedit.engine.change_steps import WorkedOut
from astedit.engine.known_edits import plan_of_edits, stale, view_of
from astedit.engine.run_context import Run, hands
from astedit.errors import PreconditionError
from astedit.facts.reading import FactReader, FactTask
from astedit.facts.store import key_of, store_for
from astedit.language import named
from astedit.limits import INLINE_DEPTH, is_shallow, nesting
from astedit.model.edit import Skip, SkipReason
from astedit.model.plan import Plan
from astedit.model.request import EditRequest
from astedit.python.facts import ModuleFacts
from astedit.python.module_paths import ModulePaths
from astedit.text.source import Change, NotDecodable
from astedit.workers.plain import restored
from astedit.workspace.confined_open import read_within
from astedit.workspace.path_policy import is_vendored
from astedit.workspace.root import Workspace

MARK = b"\xef\xbb\xbf"
_KEPT = 67_108_864  # bytes of texts up to which those are kept that nobody wants so far
_FORMAT = 13  # of the facts of a module, and of how they are read


@dataclass(slots=True)
class ModuleText:
    """A file's UTF-8 view without its mark, the mark's length, and the hash of its bytes."""

    code: bytes
    mark: int
    sha256: str

    def marked(self, changes: Iterable[Change]) -> list[Change]:
        """Changes of the code as those of the file, which begins with the mark."""
        return [(low + self.mark, high + self.mark, new) for low, high, new in changes]


@dataclass(frozen=True, slots=True)
class NameRequest:
    """A request with an operation that is about names, and where and how it is planned."""

    request: EditRequest
    workspace: Workspace
    run: Run

    @property
    def arguments(self) -> Mapping[str, str]:
        """What the operation keeps."""
        assert self.request.operation is not None
        return self.request.operation.arguments

    @property
    def path(self) -> str:
        """The file of the definition."""
        return self.arguments["path"]

    @property
    def name(self) -> str:
        """The definition, qualified within its file."""
        return self.arguments["name"]

    @property
    def last(self) -> str:
        """The last part of its name."""
        return self.name.rpartition(".")[2]

    def check_fresh(self) -> None:
        """Raises `StaleError` unless the file has the bytes still that were located."""
        try:
            raw, _ = self.workspace.read(self.path, self.request.max_file_size)
        except OSError as error:
            raise stale(self.path) from error
        if hashlib.sha256(raw).hexdigest() != self.arguments["hash"]:
            raise stale(self.path)

    def plan(self, made: WorkedOut, *, contained: bool = False, whole: bool = True) -> Plan:
        """The plan of the edits that were worked out; the rest is for `plan_of_edits`."""
        return plan_of_edits(
            self.request,
            self.workspace,
            made.edits,
            self.run,
            expected=made.expected,
            contained=contained,
            whole=whole,
            hints=made.hints,
            skipped=made.skipped,
            files_searched=made.files_searched,
        )


class Library(AbstractContextManager["Library"]):
    """Reads each file once, and gives the facts about the names `old` and `new` in it.

    It is a context manager: its workers end with it. What cannot be read is in `trouble`. `pages`
    are files of other kinds, by these suffixes, that may hold code.
    Facts are kept in the state for the next command, if there is a state.
    """

    def __init__(
        self,
        asked: NameRequest,
        old: str,
        new: str | None = None,
        languages: Sequence[str] = ("python",),
        pages: Sequence[str] = (),
    ) -> None:
        self.asked, self.name = asked, old
        request, workspace, run = asked.request, asked.workspace, asked.run
        rows = [row for name in languages if (row := named(name)) is not None]
        discovery = discover(
            workspace,
            request.paths,
            suffixes=frozenset([*(suffix for row in rows for suffix in row.suffixes), *pages]),
            ignore=run.ignore,
            deadline=run.deadline,
        )
        self._workspace, self._run, self._names = workspace, run, (old, new)
        self._limit, self._encoding = request.max_file_size, request.encoding
        every = [path for path in discovery.files if not is_vendored(path)]
        self.pages = [path for path in every if path.rpartition(".")[2] in pages]
        self.files = [path for path in every if path not in self.pages] if self.pages else every
        self.modules = ModulePaths(self.files, run.roots)
        self.facts: dict[str, ModuleFacts] = {}
        self.trouble: dict[str, Skip] = {}  # why a file cannot be looked into, by path
        self._texts: dict[str, ModuleText | None] = {}
        self._size = 0  # bytes of these
        self.store = store_for(workspace, run.state)  # where facts are kept for the next command

    def __exit__(self, *_: object) -> None:
        if "_reader" in vars(self):
            self._reader.__exit__()

    def text(self, path: str) -> ModuleText | None:
        """A file's text; None, with the reason in `trouble`, if it cannot be read."""
        if path not in self._texts:
            self._run.deadline.check()
            text = self._texts[path] = self._read(path)
            self._size += len(text.code) if text is not None else 0
        return self._texts[path]

    def _skip(self, path: str, reason: SkipReason, detail: str | None = None) -> None:
        self.trouble[path] = Skip(path, reason, detail)

    def bytes_of(self, path: str) -> bytes:
        """A file's bytes; raises `PreconditionError` unless they are its UTF-8 text."""
        text = self.text(path)
        raw = MARK[: text.mark] + text.code if text is not None else b""
        if text is None or hashlib.sha256(raw).hexdigest() != text.sha256:
            message = f"{path} is not in UTF-8; nothing was staged."
            raise PreconditionError(message, path=path, code="not_utf8")
        return raw

    def worked_out(
        self, changes: Mapping[str, Iterable[Change]], hints: Iterable[str]
    ) -> WorkedOut:
        """What was worked out with this library: changes of the code of its files."""
        made = WorkedOut({}, {}, [*hints], self.bytes_of)
        made.skipped, made.files_searched = [*self.trouble.values()], len(self.files)
        for path in sorted(changes):
            text, own = self.text(path), sorted(changes[path])
            if text is not None and own:
                made.edits[path], made.expected[path] = text.marked(own), text.sha256
        return made

    def keep(self, word: str, is_wanted: Callable[[bytes], object]) -> list[str]:
        """The files that hold a word and whose text is wanted; others are forgotten for room.

        An expression that begins with what is before a word takes ten times as long to search.
        """
        inner = word.encode()
        files = []
        for path in self.files:
            text = self.text(path)
            if text is not None and inner in text.code and is_wanted(text.code):
                files.append(path)
            elif text is not None and self._size > _KEPT:
                self._size -= len(text.code)
                del self._texts[path]
        return files

    def load(self, paths: Iterable[str]) -> None:
        """Reads the facts of these files; what cannot be read has none, and is in `trouble`."""
        tasks = []
        for path in paths:
            text = None if path.endswith("/") or path in self.facts else self.text(path)
            self.facts.setdefault(path, ModuleFacts())
            if text is not None and nesting(text.code) >= INLINE_DEPTH:
                self._skip(path, "too_deep", "its brackets are nested too deeply")
            elif text is not None:
                tasks.append(FactTask(path, self._key(text), len(text.code), text.code))
        for done, (task, (facts, failure)) in enumerate(self._reader.facts(tasks)):
            if self._run.progress is not None:
                self._run.progress(done, len(tasks))
            if failure is not None:
                self._skip(task.path, failure)
            elif isinstance(facts, str):
                self._skip(task.path, "parse_error", f"it cannot be read as Python: {facts}")
            else:
                self.facts[task.path] = restored(ModuleFacts, facts)

    def _key(self, text: ModuleText) -> str:
        """Under what the facts of a module are kept: whatever the names, if it holds neither."""
        names = self._names if any(n and n.encode() in text.code for n in self._names) else ()
        kind = f"module {_FORMAT} {' '.join(map(str, names))}"
        return key_of(kind, "python", f"{self._encoding or ''} {text.sha256}")

    @cached_property
    def _reader(self) -> FactReader:
        run = self._run
        here = self._read_here if run.inline else None
        target, workers = "astedit.python.reader:worker", hands(run.jobs)
        return FactReader(target, self._names, here, self.store, workers, run.deadline)

    def _read_here(self, code: bytes) -> Any:
        """Reads one module in this process, if it is small and flat."""
        from astedit.python.reader import worker

        return worker(self._names)(code) if is_shallow(code) else None

    def _read(self, path: str) -> ModuleText | None:
        raw, _, skip = read_within(self._workspace.read, path, self._limit)
        if skip is not None:
            self._skip(path, *skip)
        if raw is None or skip is not None:
            return None
        try:
            code = view_of(raw, path, self._encoding).text
        except NotDecodable:
            self._skip(path, "not_utf8")
            return None
        mark = len(MARK) if code.startswith(MARK) else 0
        return ModuleText(code[mark:], mark, hashlib.sha256(raw).hexdigest())
