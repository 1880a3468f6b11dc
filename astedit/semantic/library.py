"""The Python modules of a workspace, read when somebody asks: bytes first, then facts."""

import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from astedit.discover.discover import discover
from astedit.engine.change_steps import WorkedOut
from astedit.engine.inline_limits import is_shallow
from astedit.engine.known_edits import stale, view_of
from astedit.engine.run_context import Run, hands
from astedit.errors import PreconditionError
from astedit.facts.store import FactStore, key_of, store_in
from astedit.language import named
from astedit.limits import INLINE_DEPTH
from astedit.model.plan import Plan, Skip, SkipReason
from astedit.model.request import EditRequest
from astedit.python.facts import ModuleFacts
from astedit.python.module_paths import ModulePaths
from astedit.text.source import NotDecodable
from astedit.text.splice import Change
from astedit.workers.plain import plain, restored
from astedit.workers.pool import Pool
from astedit.workspace.file_bytes import read_within
from astedit.workspace.path_policy import is_vendored
from astedit.workspace.root import Workspace, own_state

_MARK = b"\xef\xbb\xbf"
_PART = 131_072  # bytes
_HERE = 262_144  # bytes of code up to which a one-shot command starts no worker
_SECONDS = 60.0  # for one file
_WORTH = 16_384  # bytes of code from which on what was read is kept for the next command
_FORMAT = 3  # of the facts of a module, and of how they are read
_GENERAL = 4  # fields of `ModuleFacts` that are the same whatever name is followed


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

    def plan(self, made: WorkedOut, *, contained: bool = False) -> Plan:
        """The plan of what was worked out; `contained` is for `plan_of_edits`."""
        return made.plan(self.request, self.workspace, self.run, contained=contained)


class Library:
    """Reads each file once, and gives the facts about the names `old` and `new` in it.

    It is a context manager: its workers end with it. What cannot be read is in `trouble`.
    Facts are kept in the state for the next command, if there is a state: what a module says
    whoever asks, and apart from it where it holds the names.
    """

    def __init__(
        self,
        asked: NameRequest,
        old: str,
        new: str | None = None,
        languages: Sequence[str] = ("python",),
    ) -> None:
        self.asked, self.name = asked, old
        request, workspace, run = asked.request, asked.workspace, asked.run
        rows = [row for name in languages if (row := named(name)) is not None]
        discovery = discover(
            workspace,
            request.paths,
            suffixes=frozenset(suffix for row in rows for suffix in row.suffixes),
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
        self.store: FactStore | None = None  # where facts are kept for the next command
        if run.state is not None and own_state(workspace) is None:
            self.store = store_in(run.state)

    @property
    def root(self) -> str:
        """The directory that all paths are below."""
        return self._workspace.root

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

    def bytes_of(self, path: str) -> bytes:
        """A file's bytes; raises `PreconditionError` unless they are its UTF-8 text."""
        text = self.text(path)
        raw = _MARK[: text.mark] + text.code if text is not None else b""
        if text is None or hashlib.sha256(raw).hexdigest() != text.sha256:
            message = f"{path} is not in UTF-8; nothing was staged."
            raise PreconditionError(message, path=path, code="not_utf8")
        return raw

    def worked_out(
        self, changes: Mapping[str, Iterable[Change]], hints: Iterable[str], *, marked: bool = False
    ) -> WorkedOut:
        """What was worked out with this library: changes of the code of its files.

        Those that are `marked` count from the beginning of the file.
        """
        made = WorkedOut({}, {}, [*hints], self.bytes_of)
        made.skipped, made.files_searched = [*self.trouble.skips.values()], len(self.files)
        for path in sorted(changes):
            text, own = self.text(path), sorted(changes[path])
            if text is not None and own:
                mark, made.expected[path] = 0 if marked else text.mark, text.sha256
                made.edits[path] = [(low + mark, high + mark, new) for low, high, new in own]
        return made

    def keep(self, word: str, is_wanted: Callable[[bytes], object]) -> list[str]:
        """The files that hold a word and whose text is wanted; the others are forgotten again.

        An expression that begins with what is before a word takes ten times as long to search.
        """
        inner = word.encode()
        files = []
        for path in self.files:
            text = self.text(path)
            if text is not None and inner in text.code and is_wanted(text.code):
                files.append(path)
            elif text is not None:
                del self._texts[path]
        return files

    def load(self, paths: Iterable[str]) -> None:
        """Reads the facts of these files; what cannot be read has none, and is in `trouble`."""
        texts = {}
        for path in paths:
            text = None if path.endswith("/") or path in self.facts else self.text(path)
            self.facts.setdefault(path, ModuleFacts())
            if text is not None and _is_deep(text.code):
                self.trouble.add(path, "too_deep", "its brackets are nested too deeply")
            elif text is not None:
                texts[path] = text
        size = sum(len(text.code) for text in texts.values())
        store = self.store if size >= _WORTH else None
        known = self._recalled(store, texts) if store is not None else {}
        for path, facts in known.items():
            self._take(path, facts)
        read = self._read_all({path: texts[path] for path in texts if path not in known})
        if store is not None:
            rows: dict[str, Any] = {}
            for path, facts in read.items():
                general, own = self._keys(texts[path])
                rows[general] = facts if isinstance(facts, str) else facts[:_GENERAL]
                rows |= {own: facts[_GENERAL:]} if own and not isinstance(facts, str) else {}
            store.keep(rows)

    def _recalled(self, store: FactStore, texts: Mapping[str, ModuleText]) -> dict[str, Any]:
        """What is known of these modules: facts as plain data, or why there are none."""
        keys = {path: self._keys(text) for path, text in texts.items()}
        rows = store.known(key for pair in keys.values() for key in pair if key)
        facts: dict[str, Any] = {}
        for path, (general, own) in keys.items():
            data = rows.get(general)
            if isinstance(data, str):
                facts[path] = data
            elif data is not None and (not own or own in rows):
                facts[path] = (*data, *rows[own]) if own else data
        return facts

    def _keys(self, text: ModuleText) -> tuple[str, str]:
        """Under what the facts of a module are kept, and its uses of the names, if it has any."""
        sha256 = f"{self._encoding or ''} {text.sha256}"
        names = [name for name in self._names if name and name.encode() in text.code]
        own = f"uses {_FORMAT} {' '.join(map(str, self._names))}"
        general = key_of(f"module {_FORMAT}", "python", sha256)
        return general, key_of(own, "python", sha256) if names else ""

    def _read_all(self, texts: Mapping[str, ModuleText]) -> dict[str, Any]:
        """Reads modules, and gives what was read as `_recalled` does."""
        tasks = [(path, len(text.code), text.code) for path, text in texts.items()]
        small = self._run.inline and sum(weight for _, weight, _ in tasks) <= _HERE
        if small and all(is_shallow(code) for *_, code in tasks):
            return {path: self._read_here(path, code) for path, _, code in tasks}
        return self._spread(tasks) if tasks else {}

    def _take(self, path: str, facts: Any) -> None:
        """Takes what was read, or was kept, of one module."""
        if isinstance(facts, str):
            self.trouble.add(path, "parse_error", f"it cannot be read as Python: {facts}")
        else:
            self.facts[path] = restored(ModuleFacts, facts)

    def _read_here(self, path: str, code: bytes) -> Any:
        """Reads one module in this process."""
        from astedit.python.reader import Unreadable, read

        try:
            self.facts[path] = read(code, *self._names)
        except Unreadable as error:
            self._take(path, str(error))
            return str(error)
        return plain(self.facts[path])

    def _spread(self, tasks: list[tuple[str, int, bytes]]) -> dict[str, Any]:
        if self._pool is None:
            count = hands(self._run.jobs)
            self._pool = Pool(count, file_seconds=_SECONDS)
            self._pool.prepare("astedit.python.reader:worker", self._names)
        read = {}
        outcomes = self._pool.run(tasks, self._run.deadline)
        for done, (path, (value, failure)) in enumerate(outcomes):
            if self._run.progress is not None:
                self._run.progress(done, len(tasks))
            if failure is not None:
                self.trouble.add(path, failure)
            else:
                read[path] = value
                self._take(path, value)
        return read

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
