"""The working tree as `locate` sees it: its files, its roots, and what they name.

Nothing is looked at before it is asked for. Of a file that cannot hold the name no more
than the bytes are read; only the others are parsed.
"""

import hashlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from astedit.discover.discover import Search
from astedit.engine.inline_limits import DEFER
from astedit.language import GrammarUnavailable, Row, for_path, load
from astedit.language.traits import traits
from astedit.limits import MAX_FILE_SIZE, Deadline, Progress
from astedit.locating.inventory.read_file import FileFacts, read, view
from astedit.locating.inventory.source_roots import SourceRoots
from astedit.text.source import BOMS
from astedit.workers.plain import restored
from astedit.workspace.config import Config
from astedit.workspace.config import load as load_config
from astedit.workspace.file_bytes import read_within
from astedit.workspace.root import Workspace, own_state

if TYPE_CHECKING:
    from astedit.locating.inventory.index import Index
    from astedit.python.module_paths import ModulePaths

_WORTH = 65_536  # bytes to parse for which the index is opened
_KEPT = 67_108_864  # bytes of files that are kept for the next look
_WORKER_FD = 5  # the first of a pool's `fds` in a worker
FileTest = Callable[[str, str, bytes], bool]  # of a path, its language and its bytes
Made = TypeVar("Made")


class SourceFile(NamedTuple):
    """A file of a language that is known here, with its bytes."""

    path: str
    language: str
    raw: bytes


class NamedFile(NamedTuple):
    """A file that was parsed, with what it names."""

    path: str
    language: str
    facts: FileFacts


@dataclass(slots=True, eq=False, repr=False)
class Look:
    """The files that may hold what was asked for, with what they name.

    `skipped` did not parse or could not be read, `broken` parsed in part.
    """

    files: list[NamedFile] = field(default_factory=list)
    skipped: dict[str, str] = field(default_factory=dict)
    broken: list[str] = field(default_factory=list)

    def add(self, path: str, language: str, facts: FileFacts) -> None:
        """Adds a file that was parsed, as what it turned out to be."""
        if facts.skipped is not None:
            self.skipped[path] = facts.skipped
            return
        if facts.broken:
            self.broken.append(path)
        self.files.append(NamedFile(path, language, facts))


class Inventory:
    """One workspace, listed once and read once, when somebody asks.

    Between two files it raises what `deadline.check` raises, and tells `progress` how many
    files it has looked into, of how many; every look at the tree adds to both. What was
    parsed is kept for the next inventory in `state`, the directory of the workspace's
    state, if there is one. `config` and `search` (of everything) are taken over from who
    has them. `encoding` is a request's: that of files that are not in UTF-8.
    """

    def __init__(
        self,
        workspace: Workspace,
        deadline: Deadline | None = None,
        progress: Progress | None = None,
        *,
        state: str | None = None,
        config: Config | None = None,
        search: Search | None = None,
        encoding: str | None = None,
    ) -> None:
        self.workspace = workspace
        self._deadline = deadline or Deadline()
        self._progress = progress
        self._state = state
        self._config = config
        self._search = search
        self._encoding = encoding
        self._done = self._total = 0
        self._grammars: dict[str, bool] = {}
        self._by_name: dict[str, list[str]] = {}
        self._cache: dict[str, bytes] = {}
        self._room = _KEPT
        self._results: dict[Callable[[Inventory], Any], Any] = {}

    @cached_property
    def config(self) -> Config:
        """What the configuration says."""
        return self._config or load_config(self.workspace)

    @cached_property
    def files(self) -> list[str]:
        """Every file, in byte order."""
        with self._search or Search(self.workspace, ["."]) as search:
            return search.finish(ignore=self.config.ignore, deadline=self._deadline).files

    @cached_property
    def roots(self) -> SourceRoots:
        """The source roots."""
        return SourceRoots(self.files, self.config.roots)

    @cached_property
    def modules(self) -> "ModulePaths":
        """The Python files as modules."""
        from astedit.python.module_paths import ModulePaths

        return ModulePaths([path for path in self.files if is_python(path)], self.roots.all)

    @cached_property
    def _listing(self) -> set[str]:
        return set(self.files)

    @cached_property
    def index(self) -> "Index | None":
        """What earlier inventories have parsed; None where an encoding made something else of it.

        None too where the state is in the workspace, which nothing writes to.
        """
        if self._state is None or self._encoding or own_state(self.workspace) is not None:
            return None
        from astedit.locating.inventory.index import Index

        return Index(self._state)

    def once(self, make: Callable[["Inventory"], Made]) -> Made:
        """What a function makes of this inventory, made when it is first asked for."""
        if make not in self._results:
            self._results[make] = make(self)
        result: Made = self._results[make]
        return result

    def has(self, path: str) -> bool:
        """Whether this is a file of the tree."""
        return path in self._listing

    def named(self, names: Iterable[str]) -> list[str]:
        """The files with one of these names, wherever they are."""
        if not self._by_name:
            for path in self.files:
                self._by_name.setdefault(path.rpartition("/")[2], []).append(path)
        return [path for name in names for path in self._by_name.get(name, ())]

    def look(
        self, test: FileTest, last_name: str | None, web: bool, paths: Iterable[str] | None = None
    ) -> Look:
        """Parses those files whose bytes pass `test(path, language, bytes)`."""
        look = Look()
        listed = list(self.files if paths is None else paths)
        self._total += len(listed)
        sources = list(self._passing(listed, test, look))
        self._did(len(listed) - len(sources))
        worth = sum(len(source.raw) for source in sources) >= _WORTH
        if worth and self.index is not None:
            self._recall(self.index, sources, last_name, web, look)
        else:
            self._parse(sources, last_name, web, look)
        look.files.sort(key=lambda file: file.path)
        return look

    def _passing(self, paths: Iterable[str], test: FileTest, look: Look) -> Iterator[SourceFile]:
        """The files whose text passes a test. What is in UTF-16 is read by nothing else
        either, unless its encoding is named: such a file is skipped."""
        for source in self.sources(paths, look):
            is_wide = source.raw[:2] in BOMS and not self._encoding
            encoding = "utf-16" if is_wide else self._encoding
            if not test(source.path, source.language, _text(source, encoding)):
                continue
            if is_wide:
                look.skipped[source.path] = "not_utf8"
            else:
                yield source

    def _did(self, files: int) -> None:
        self._done += files
        if self._progress is not None:
            self._progress(self._done, self._total)

    def sources(self, paths: Iterable[str], look: Look) -> Iterator[SourceFile]:
        """Files of a language that is known here, with their bytes."""
        for path in paths:
            self._deadline.check()
            row = for_path(path)
            if row is None or traits(row.name).definitions is None or not self._usable(row):
                continue
            raw = self.bytes_of(path, look)
            if raw is not None:
                yield SourceFile(path, row.name, raw)

    def _usable(self, row: Row) -> bool:
        if row.name not in self._grammars:
            try:
                load(row)
            except GrammarUnavailable:
                self._grammars[row.name] = False
            else:
                self._grammars[row.name] = True
        return self._grammars[row.name]

    def bytes_of(self, path: str, look: Look | None = None) -> bytes | None:
        """A file's bytes; None, and `skipped` of a look says why, if it is none or too large.

        They are read once: all that an answer says is about the same bytes.
        """
        if path in self._cache:
            return self._cache[path]
        raw, _, skip = read_within(self.workspace.read, path, MAX_FILE_SIZE)
        if skip is not None and look is not None:
            look.skipped[path] = skip[0]
        if raw is None or skip is not None:
            return None
        if len(raw) <= self._room:
            self._room -= len(raw)
            self._cache[path] = raw
        return raw

    def _recall(
        self,
        index: "Index",
        sources: Sequence[SourceFile],
        last_name: str | None,
        web: bool,
        look: Look,
    ) -> None:
        """As `_parse`, but only of contents that nobody has parsed so far."""
        from astedit.locating.inventory.index import key_of

        keys = [
            key_of(hashlib.sha256(source.raw).hexdigest(), source.language, web)
            for source in sources
        ]
        known = index.known(keys, last_name)
        new = Look()
        todo = [source for source, key in zip(sources, keys, strict=True) if key not in known]
        self._did(len(sources) - len(todo))
        self._parse(todo, None if last_name is None else "", web, new)
        if new.files:
            index.keep(
                {key_of(file.facts.sha256, file.language, web): file.facts for file in new.files}
            )
        look.skipped |= new.skipped
        for source, key in zip(sources, keys, strict=True):
            if key in known:
                look.add(source.path, source.language, known[key])
        look.broken += new.broken
        look.files += [file._replace(facts=file.facts.only(last_name)) for file in new.files]

    def _parse(
        self, sources: Sequence[SourceFile], last_name: str | None, web: bool, look: Look
    ) -> None:
        if not sources:
            return
        from astedit.engine.run_context import hands
        from astedit.workers.pool import Pool

        contents = {source.path: source.raw for source in sources}

        def here(task: tuple[str, str]) -> object:
            path, language = task
            raw = contents[path]
            return read(raw, language, last_name, web, inline=True, encoding=self._encoding)

        todo = [_todo(source) for source in sources]
        late = []
        with Pool(max(1, hands(None) - 1), fds=(self.workspace.fd,)) as pool:
            pool.prepare(
                "astedit.locating.inventory.read_file:worker",
                (_WORKER_FD, last_name, web, self._encoding, dict(self.workspace.overlay)),
            )
            for source, outcome in pool.run(todo, self._deadline, inline=here):
                if outcome.failure is not None or outcome.value is DEFER:
                    late.append(_todo(source))
                else:
                    look.add(source.path, source.language, _restored(outcome.value))
                    self._did(1)
            for source, outcome in pool.run(late, self._deadline):
                self._did(1)
                if outcome.failure is not None:
                    look.skipped[source.path] = outcome.failure
                else:
                    look.add(source.path, source.language, _restored(outcome.value))

    def unread_languages(self) -> list[str]:
        """Languages of the tree whose symbols cannot be located here."""
        present = {row for path in self.files if (row := for_path(path)) is not None}
        return sorted(
            row.name
            for row in present
            if not row.markup and not (traits(row.name).definitions and self._usable(row))
        )


def is_python(path: str) -> bool:
    """Whether a file is a Python module or its stub."""
    return path.endswith((".py", ".pyi"))


def _text(source: SourceFile, encoding: str | None) -> bytes:
    return view(source.raw, source.language, encoding).text if encoding else source.raw


def _todo(source: SourceFile) -> tuple[SourceFile, int, tuple[str, str]]:
    """A file as the pool takes it: with its size, and what is sent to a worker."""
    return source, len(source.raw), (source.path, source.language)


def _restored(value: Any) -> FileFacts:
    """What a worker or this process says of a file."""
    return value if isinstance(value, FileFacts) else restored(FileFacts, value)
