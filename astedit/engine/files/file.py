"""From the bytes of one file to its outcome, in a worker or in the calling process.

What crosses the process border is made by `workers.plain`.
"""

import hashlib
import os
import stat
from collections.abc import Callable, Sequence
from contextlib import nullcontext, suppress
from dataclasses import replace
from functools import cache
from itertools import takewhile
from typing import TYPE_CHECKING, Any

from astedit.engine.compile_ops import compile_ops
from astedit.engine.files.outcome import DEFER, GAVE_UP, FileData
from astedit.engine.files.places import Around, Purpose, counts_places, places_of
from astedit.engine.languages import hosts_of, languages_of, named_languages
from astedit.engine.program import Pairs, Program
from astedit.language import GrammarUnavailable, Row, TimedParser, named
from astedit.limits import (
    DEEPEST,
    INLINE_EDIT_LEVELS,
    INLINE_LEVELS,
    INLINE_SECONDS,
    MAX_MATCH_TEXT,
    SlowParseError,
    is_deep,
    is_shallow,
    parsing_within,
)
from astedit.model.request import EditRequest
from astedit.pattern.find import inside
from astedit.pattern.match import Found
from astedit.text.source import (
    BOMS,
    UNKNOWN,
    ByteRange,
    NotDecodable,
    Source,
    canonical,
    declared,
    is_binary,
)
from astedit.workers.plain import restored
from astedit.workspace.confined_open import Read, read_within
from astedit.workspace.path_policy import kept_out, no_fix_in
from astedit.workspace.root import Workspace

if TYPE_CHECKING:
    from tree_sitter import Tree

    from astedit.embedded.part import Part
    from astedit.engine.files.host_document import Injections
    from astedit.engine.files.matches import JsonNodes
    from astedit.engine.rule_program import Rulebook

    Parse = Callable[[str, bytes, TimedParser], Tree]


class Engine:
    """Holds a request compiled per language, and takes files one by one.

    `mode` is what the run is for. `inline` refuses what only a worker may parse. `names` says
    who resolves names for rules (see `imports`).
    """

    injections: "Injections | None" = None
    _rulebook: "Rulebook | None" = None
    _edit: Callable[..., Any] | None = None
    fixing = True  # whether a finding has what its fix makes
    parse: "Parse | None" = None  # by path, for who edits

    def __init__(
        self, request: EditRequest, mode: Purpose, want_hunks: bool, read: Read, names: str = ""
    ) -> None:
        self.request = request
        self.mode = mode
        self.names = names
        self._read = read
        self.want_hunks = want_hunks
        self._programs: dict[str, Program] = {}
        self._forced = request.encoding and canonical(request.encoding)
        if request.rules:  # only who has rules, or parts, or edits pays for them
            from astedit.engine.rule_program import Rulebook

            self._rulebook = Rulebook(request, names)
        if request.injections:
            from astedit.engine.files.host_document import Injections

            self.injections = Injections(request, names)
        if mode == "edit":
            from astedit.engine.files.edits import Editing

            self._edit = Editing
        self._hosts = hosts_of(request)
        self.language = languages_of(request)
        self._counting = counts_places(request, mode, want_hunks)
        rewrites = mode in ("edit", "scan", "brief")  # a rule's fix is tried, too
        self._inline_levels = INLINE_EDIT_LEVELS if rewrites else INLINE_LEVELS

    def program(self, row: Row) -> Program:
        """The ops in one language, compiled on first use."""
        if (program := self._programs.get(row.name)) is None:
            program = compile_ops(self.request, row, self.mode == "edit", self.names)
            if self._rulebook is not None:
                self._rulebook.compile(program, self.mode == "edit")
            self._programs[row.name] = program
        return program

    def begin(self) -> None:
        """Begins a run: what earlier ones have counted is forgotten."""
        for program in self._programs.values():
            program.matches.clear()

    def read_with(self, read: Read) -> None:
        """Reads files through another open root from now on."""
        self._read = read

    def compile_named(self) -> None:
        """Compiles for the languages that the request names, before a file asks for them."""
        for name in named_languages(self.request):
            with suppress(GrammarUnavailable):  # said when a file needs it
                self.program(_row(name))

    def file(self, path: str, language: str, *, inline: bool) -> FileData | str:
        """Finds out what the request does to one file; `DEFER` if it must go to a worker."""
        raw, mode, skip = read_within(self._read, path, self.request.max_file_size)
        if raw is None or skip is not None:
            return FileData(read=len(raw or b""), skip=skip)
        data = FileData(read=len(raw), searched=True, mode=mode)
        if not self._hosts(path):
            return self.whole(path, language, raw, data, inline=inline)
        from astedit.engine.files.host_document import hosted  # few requests need it

        return hosted(self, path, language, raw, data, inline=inline)

    def whole(
        self, path: str, language: str, raw: bytes, data: FileData, *, inline: bool
    ) -> FileData | str:
        """Fills in what is done to a file that is all in one language."""
        program = self._programs.get(language) or self.program(_row(language))
        if not program.ops:
            return data
        if (source := self._source(raw, program, data)) is None:
            return data
        if inline and not is_shallow(source.text):
            return DEFER
        return self.parsed(path, source, program, data, inline=inline)

    def first_edits(self, path: str, data: FileData, count: int) -> FileData | None:
        """Cuts an outcome down to its first edits; None if the file has changed since."""
        raw = read_within(self._read, path, self.request.max_file_size).raw
        if raw is None:
            return None
        if hashlib.sha256(raw).hexdigest() != data.before:
            return None
        first = replace(data)
        first.finish(path, raw, data.edits[:count], bool(data.hunks))
        return first

    def passed_over(
        self, path: str, raw: bytes, status: os.stat_result, language: str
    ) -> FileData | None:
        """The outcome of a file whose bytes show that nothing matches; None for all others."""
        if self._hosts(path):
            return None
        program = self._programs.get(language) or self.program(_row(language))
        if program.ops and self._may_hold(raw, program):
            return None
        near = program.is_near(raw)
        return FileData(read=len(raw), searched=True, mode=stat.S_IMODE(status.st_mode), near=near)

    def _may_hold(self, raw: bytes, program: Program) -> bool:
        """Whether the bytes, in whatever encoding, may spell a match."""
        if self._is_wide(raw):
            return True
        if program.prefilter.many and self._named(raw, program) in (None, "utf-8"):
            return bool(program.active(raw))  # which is asked again of the text: the same bytes
        return program.prefilter.may_match(raw) or (
            not program.prefilter.ascii and self._named(raw, program) not in (None, "utf-8")
        )

    def _source(self, raw: bytes, program: Program, data: FileData) -> Source | None:
        """The text to parse; None (with the reason in `data`) if there is nothing to do."""
        if not self._may_hold(raw, program):
            data.near = program.is_near(raw)
            return None
        if is_binary(raw) and not self._is_wide(raw):
            data.skip, data.searched = ("binary", None), False
            return None
        try:
            source = Source(raw, self._named(raw, program), declared=not self._forced)
        except NotDecodable:
            if self._is_wide(raw):
                data.skip, data.searched = ("not_utf8", "UTF-16: name it with --encoding"), False
                return None
            return Source(raw, UNKNOWN)  # which is searched, and not edited
        if program.active(source.text):
            return source
        data.near = program.is_near(raw)
        return None

    def _is_wide(self, raw: bytes) -> bool:
        return raw[:2] in BOMS or self._forced == "utf-16"

    def _named(self, raw: bytes, program: Program) -> str | None:
        """The encoding that the request names, or else the file itself."""
        if self._forced or program.row.name != "python":
            return self._forced
        return declared(raw)

    def parsed(
        self,
        path: str,
        source: "Source | Part",
        program: Program,
        data: FileData,
        *,
        inline: bool = False,
    ) -> FileData | str:
        """Fills in what the ops of a program do to a text, a file's or one in it."""
        if self.mode == "edit" and (reason := kept_out(path, source.raw, self.request)):
            data.skip = (reason, None)
            return data
        try:
            with parsing_within(INLINE_SECONDS) if inline else nullcontext():
                return self._parsed(path, source, program, data, inline)
        except SlowParseError:
            if inline:
                return DEFER
            raise

    def _parsed(
        self, path: str, source: "Source | Part", program: Program, data: FileData, inline: bool
    ) -> FileData | str:
        parser = program.grammar.parser()
        if self.parse is None:
            tree = parser.parse(source.text)
        else:
            tree = self.parse(path, source.text, parser)
        data.parsed = True
        if inline:
            if is_deep(tree.root_node, self._inline_levels):
                return DEFER
        elif is_deep(tree.root_node, DEEPEST):
            data.skip, data.searched = ("too_deep", f"more than {DEEPEST:,} levels"), False
            return data
        if self._edit is not None:
            self._edit(path, source, program, self.request, self.want_hunks, data).run(tree)
        else:
            self._search(path, source, tree, program, data)
        return data

    def _search(
        self, path: str, source: "Source | Part", tree: "Tree", program: Program, data: FileData
    ) -> None:
        from astedit.engine.files.matches import JsonNodes, lines_around, text_lines

        pairs = program.find(tree.root_node, source.text, path)
        if (spans := self.request.spans_in(path)) is not None:
            pairs = [(op, inside(matches, spans)) for op, matches in pairs]
        if self._counting:
            seen = None if self.request.near else program.matches
            data.places = places_of(pairs, tree.root_node, source.text, spans, seen)
        matches = [match for _, each in pairs for match in each]
        if any(op.finder.gave_up for op, _ in pairs):
            data.skip = ("timeout", GAVE_UP)
        if not matches:
            data.near = True
        elif self.mode in ("scan", "brief"):
            self._scan(path, source, tree, program, pairs, data)
        elif self.mode == "text":
            data.matches = tuple(text_lines(matches, source.text))
        elif isinstance(self.mode, Around):
            data.matches = tuple(lines_around(*_places(matches, source), self.mode))
        else:
            shown = JsonNodes(source.text, program.row.label)
            data.matches = tuple(map(shown.match, takewhile(lambda _: not shown.full, matches)))
            _say_if_full(shown, data)

    def _scan(
        self,
        path: str,
        source: "Source | Part",
        tree: "Tree",
        program: Program,
        pairs: Pairs,
        data: FileData,
    ) -> None:
        from astedit.engine.files.findings import Findings
        from astedit.engine.files.matches import JsonNodes

        shown = JsonNodes(source.text, program.row.label)
        parts = (program, pairs, source.text, tree, self.request, shown)
        every = Findings(*parts, whole=self.mode == "scan", fixing=self.fixing).all()
        _say_if_full(shown, data)
        fixed = any("replacement" in match for match in every)
        if fixed and (reason := no_fix_in(path, source.raw, self.request)) is not None:
            blocked = {"blocked": {"reason": reason}}
            every = [match | blocked if "replacement" in match else match for match in every]
        data.matches = tuple(every)


def _say_if_full(shown: "JsonNodes", data: FileData) -> None:
    if shown.full:
        most = f"{MAX_MATCH_TEXT >> 20} MiB"
        data.skip = ("out_of_memory", f"texts of its matches of more than {most}: not all are told")


def _places(matches: Sequence[Found], source: "Source | Part") -> tuple[list[ByteRange], bytes]:
    """Where matches are, and the text in which: of code in a document it is the document."""
    spans = [(match.node.start_byte, match.node.end_byte) for match in matches]
    if isinstance(source, Source):
        return spans, source.text
    return [(source.start(low), source.end(high)) for low, high in spans], source.raw


def _row(language: str) -> Row:
    row = named(language)
    assert row is not None, language
    return row


def worker(setup: tuple[Any, ...]) -> Callable[[tuple[int, Sequence[tuple[str, str]]]], list[Any]]:
    """Makes what a worker process runs.

    `setup` is an engine's arguments, the root and its overlay; a task is the number of a
    run, and paths with languages.
    """
    request, mode, want_hunks, names, root_fd, overlay = setup
    workspace = _adopted(root_fd)
    workspace.overlay = overlay
    read = workspace.read
    purpose: Purpose = Around(*mode) if isinstance(mode, tuple) else mode
    engine = Engine(restored(EditRequest, request), purpose, want_hunks, read, names)
    engine.compile_named()

    last = 0

    def run(task: tuple[int, Sequence[tuple[str, str]]]) -> list[Any]:
        nonlocal last
        workspace.forget()  # since the last task, another directory may have taken a name
        if task[0] != last:
            engine.begin()
        last, files = task
        return [_plain(engine.file(*file, inline=False)) for file in files]

    return run


_adopted = cache(Workspace.adopt)  # once for each root, by its descriptor


def _plain(data: FileData | str) -> tuple[Any, ...]:
    assert isinstance(data, FileData)  # nothing is deferred outside the caller's process
    return data.plain()
