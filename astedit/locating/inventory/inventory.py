"""The working tree as `locate` sees it: its files, its roots, and what they name.

Nothing is looked at before it is asked for. Of a file that cannot hold the name no more
than the bytes are read; only the others are parsed.
"""

import hashlib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

from astedit.discover.discover import Search
from astedit.engine.inline_limits import DEFER
from astedit.language import GrammarUnavailable, Row, for_path, load
from astedit.language.traits import traits
from astedit.limits import MAX_FILE_SIZE, Deadline
from astedit.locating.inventory.read_file import Facts, read, view
from astedit.locating.inventory.source_roots import Roots
from astedit.locating.inventory.symbol_prefilter import Test
from astedit.text.source import BOMS
from astedit.workspace.config import Config
from astedit.workspace.config import load as load_config
from astedit.workspace.file_bytes import read_within
from astedit.workspace.root import Workspace, own_state

if TYPE_CHECKING:
    from astedit.locating.inventory.index import Index
    from astedit.locating.routers import Linked

Task = tuple[str, str, bytes]  # a file's path, language and bytes
_WORTH = 65_536  # bytes to parse for which the index is opened
_KEPT = 67_108_864  # bytes of files that are kept for the next look
_WORKER_FD = 5  # the first of a pool's `fds` in a worker
Progress = Callable[[int, int], None]  # files done, of how many


@dataclass(slots=True)
class Found:
    """The files that may hold what was asked for, with what they name.

    `skipped` did not parse or could not be read, `broken` parsed in part.
    """

    files: list[tuple[str, str, Facts]] = field(default_factory=list)
    skipped: dict[str, str] = field(default_factory=dict)
    broken: list[str] = field(default_factory=list)


class Tree:
    """One workspace, listed once and read once, when somebody asks.

    Between two files it raises what `deadline.check` raises, and tells `progress` how many
    files it has looked into, of how many; every look at the tree adds to both. What was
    parsed is kept for the next tree in `state`, the directory of the workspace's state, if
    there is one. `config` and `search` (of everything) are taken over from who has them.
    `encoding` is a request's: that of files that are not in UTF-8.
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
        self._kept: dict[str, bytes] = {}
        self._room = _KEPT
        self.web: tuple[Linked, Found] | None = None  # what files say about routes and clients

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
    def roots(self) -> Roots:
        """The source roots."""
        return Roots(self.files, self.config.roots)

    @cached_property
    def _listed(self) -> set[str]:
        return set(self.files)

    @cached_property
    def index(self) -> "Index | None":
        """What earlier trees have parsed; None where an encoding made something else of it.

        None too where the state is in the workspace, which nothing writes to.
        """
        if self._state is None or self._encoding or own_state(self.workspace) is not None:
            return None
        from astedit.locating.inventory.index import Index

        return Index(self._state)

    def has(self, path: str) -> bool:
        """Whether this is a file of the tree."""
        return path in self._listed

    def named(self, names: Iterable[str]) -> list[str]:
        """The files with one of these names, wherever they are."""
        if not self._by_name:
            for path in self.files:
                self._by_name.setdefault(path.rpartition("/")[2], []).append(path)
        return [path for name in names for path in self._by_name.get(name, ())]

    def look(self, test: Test, wanted: str | None, web: bool, paths: Iterable[str] = ()) -> Found:
        """Parses those files whose bytes pass `test(path, language, bytes)`."""
        found = Found()
        tasks = []
        looked = list(paths or self.files)
        self._total += len(looked)
        for path, language, raw in self.sources(looked, found):
            wide = raw[:2] in BOMS and not self._encoding
            text = _text(raw, language, "utf-16" if wide else self._encoding)
            if not test(path, language, text):
                continue
            if wide:  # nothing else reads it either, unless its encoding is named
                found.skipped[path] = "not_utf8"
            else:
                tasks.append((path, language, raw))
        self._did(len(looked) - len(tasks))
        worth = sum(len(raw) for _, _, raw in tasks) >= _WORTH
        if worth and self.index is not None:
            self._recall(self.index, tasks, wanted, web, found)
        else:
            self._parse(tasks, wanted, web, found)
        found.files.sort(key=lambda one: one[0])
        return found

    def _did(self, files: int) -> None:
        self._done += files
        if self._progress is not None:
            self._progress(self._done, self._total)

    def sources(self, paths: Iterable[str], found: Found) -> Iterator[tuple[str, str, bytes]]:
        """Files of a language that is known here, with their bytes."""
        for path in paths:
            self._deadline.check()
            row = for_path(path)
            if row is None or traits(row.name).definitions is None or not self._usable(row):
                continue
            raw = self.bytes_of(path, found)
            if raw is not None:
                yield path, row.name, raw

    def _usable(self, row: Row) -> bool:
        if row.name not in self._grammars:
            try:
                load(row)
            except GrammarUnavailable:
                self._grammars[row.name] = False
            else:
                self._grammars[row.name] = True
        return self._grammars[row.name]

    def bytes_of(self, path: str, found: Found) -> bytes | None:
        """A file's bytes; None, and `skipped` says why, if it is none or too large.

        They are read once: all that an answer says is about the same bytes.
        """
        if path in self._kept:
            return self._kept[path]
        raw, _, skip = read_within(self.workspace.read, path, MAX_FILE_SIZE)
        if skip is not None:
            found.skipped[path] = skip[0]
        if raw is None or skip is not None:
            return None
        if len(raw) <= self._room:
            self._room -= len(raw)
            self._kept[path] = raw
        return raw

    def _recall(
        self, index: "Index", tasks: list[Task], wanted: str | None, web: bool, found: Found
    ) -> None:
        """As `_parse`, but only of contents that nobody has parsed so far."""
        from astedit.locating.inventory.index import key_of

        keys = [key_of(hashlib.sha256(raw).hexdigest(), lang, web) for _, lang, raw in tasks]
        known = index.known(keys, wanted)
        new = Found()
        todo = [task for task, key in zip(tasks, keys, strict=True) if key not in known]
        self._did(len(tasks) - len(todo))
        self._parse(todo, None if wanted is None else "", web, new)
        if new.files:
            kept = {key_of(facts.sha256, lang, web): facts for _, lang, facts in new.files}
            index.keep(kept)
        found.skipped |= new.skipped
        for (path, language, _), key in zip(tasks, keys, strict=True):
            if key in known:
                _note(found, path, language, known[key])
        found.broken += new.broken
        found.files += [(path, lang, facts.only(wanted)) for path, lang, facts in new.files]

    def _parse(self, tasks: list[Task], wanted: str | None, web: bool, found: Found) -> None:
        if not tasks:
            return
        from astedit.engine.run_context import hands
        from astedit.workers.pool import Pool

        contents = {path: raw for path, _, raw in tasks}

        def here(task: tuple[str, str]) -> object:
            raw, language = contents[task[0]], task[1]
            return read(raw, language, wanted, web, inline=True, encoding=self._encoding)

        todo = [(task, len(task[2]), task[:2]) for task in tasks]
        late = []
        with Pool(max(1, hands(None) - 1), fds=(self.workspace.fd,)) as pool:
            pool.prepare(
                "astedit.locating.inventory.read_file:worker",
                (_WORKER_FD, wanted, web, self._encoding),
            )
            for (path, language, raw), outcome in pool.run(todo, self._deadline, inline=here):
                if outcome.failure is not None or outcome.value is DEFER:
                    late.append(((path, language, raw), len(raw), (path, language)))
                else:
                    _note(found, path, language, outcome.value)
                    self._did(1)
            for (path, language, _), outcome in pool.run(late, self._deadline):
                self._did(1)
                if outcome.failure is not None:
                    found.skipped[path] = outcome.failure
                else:
                    _note(found, path, language, outcome.value)

    def unread_languages(self) -> list[str]:
        """Languages of the tree whose symbols cannot be located here."""
        present = {row for path in self.files if (row := for_path(path)) is not None}
        return sorted(
            row.name
            for row in present
            if not row.markup and not (traits(row.name).definitions and self._usable(row))
        )


def _text(raw: bytes, language: str, encoding: str | None) -> bytes:
    return view(raw, language, encoding).text if encoding else raw


def _note(found: Found, path: str, language: str, value: object) -> None:
    facts = value if isinstance(value, Facts) else Facts(*value)  # type: ignore[misc]
    if facts.skipped is not None:
        found.skipped[path] = facts.skipped
        return
    if facts.broken:
        found.broken.append(path)
    found.files.append((path, language, facts))
