"""The working tree as `locate` sees it: its files, its roots, and what they name.

Nothing is looked at before it is asked for. Of a file that cannot hold the name no more
than the bytes are read; only the others are parsed.
"""

import hashlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from astedit.discover.discover import Search
from astedit.language import GrammarUnavailable, Row, for_path, load
from astedit.language.traits import traits
from astedit.limits import MAX_FILE_SIZE, Deadline, Progress
from astedit.locating.inventory.read_file import FileFacts, read, searched
from astedit.locating.inventory.source_roots import SourceRoots
from astedit.workers.plain import plain, restored
from astedit.workspace.config import Config
from astedit.workspace.config import load as load_config
from astedit.workspace.confined_open import read_within
from astedit.workspace.root import Workspace

if TYPE_CHECKING:
    from astedit.python.module_paths import ModulePaths

_FORMAT = 7  # of what is kept of one file
_KEPT = 67_108_864  # bytes of files that are kept for the next look
FileTest = Callable[[str, str, bytes], bool]  # of a path, its language and its bytes
Made = TypeVar("Made")


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

    def once(self, make: Callable[["Inventory"], Made]) -> Made:
        """What a function makes of this inventory, made when it is first asked for."""
        if make not in self._results:
            self._results[make] = make(self)
        result: Made = self._results[make]
        return result

    def has(self, path: str) -> bool:
        """Whether this is a file of the tree."""
        return path in self._listing

    def look(
        self, test: FileTest | None, last_name: str | None, paths: Iterable[str] | None = None
    ) -> Look:
        """Reads those files whose bytes pass `test(path, language, bytes)`.

        What they define by this name, or all for ""; for None what they say of the web.
        """
        look, encoding = Look(), self._encoding
        listed = list(self.files if paths is None else paths)
        self._total += len(listed)
        sources = {
            path: (path, language, raw)
            for path, language, raw in self._sources(listed, look)
            if test is None or test(path, language, searched(raw, language, encoding))
        }
        self._did(len(listed) - len(sources))
        for path, facts in self._read(sources.values(), last_name is None):
            look.add(path, sources[path][1], facts.only(last_name))
            self._did(1)
        look.files.sort(key=lambda file: file.path)
        return look

    def _did(self, files: int) -> None:
        self._done += files
        if self._progress is not None:
            self._progress(self._done, self._total)

    def _sources(self, paths: Iterable[str], look: Look) -> Iterator[tuple[str, str, bytes]]:
        """Files of a language that is known here: path, language and bytes."""
        for path in paths:
            self._deadline.check()
            row = for_path(path)
            if row is None or traits(row.name).definitions is None or not self._usable(row):
                continue
            if (raw := self.bytes_of(path, look)) is not None:
                yield path, row.name, raw

    def _usable(self, row: Row) -> bool:
        if row.name not in self._grammars:
            self._grammars[row.name] = False
            with suppress(GrammarUnavailable):
                load(row)
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

    def _read(
        self, sources: Iterable[tuple[str, str, bytes]], web: bool
    ) -> Iterator[tuple[str, FileFacts]]:
        """The facts of files, or why one cannot be read."""
        if not sources:
            return
        from astedit.engine.run_context import hands
        from astedit.facts.reading import FactReader, FactTask
        from astedit.facts.store import key_of, store_for

        kind, encoding = f"{'web' if web else 'symbols'} {_FORMAT}", self._encoding
        tasks = []
        for path, language, raw in sources:
            key = key_of(kind, language, hashlib.sha256(raw).hexdigest())
            tasks.append(FactTask(path, key, len(raw), (raw, language)))

        def here(task: tuple[bytes, str]) -> object:
            facts = read(*task, web, encoding)
            return None if facts is None else plain(facts)

        # the bytes alone do not say what an encoding makes of them
        store = None if encoding else store_for(self.workspace, self._state)
        workers = max(1, hands(None) - 1)
        target = "astedit.locating.inventory.read_file:worker"
        with FactReader(target, (web, encoding), here, store, workers, self._deadline) as reader:
            for task, (facts, failure) in reader.facts(tasks):
                known = FileFacts(skipped=failure) if failure else restored(FileFacts, facts)
                yield task.path, known

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
