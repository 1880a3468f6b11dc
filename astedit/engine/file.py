"""One file: bytes to outcome. Runs in a worker or in the calling process alike.

Everything that crosses the process boundary is plain data (tuples, bytes, numbers,
strings, None), so that a worker can hand it over without pickling.
"""

import hashlib
import os
import stat
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass
from itertools import accumulate, count
from operator import sub
from typing import Any

from tree_sitter import Node

from astedit.diff import hunks
from astedit.edit import Change, Lines, compose, splice
from astedit.engine.compiled import Program, compile_ops
from astedit.engine.matches import json_match, text_lines
from astedit.engine.render import Style
from astedit.engine.rewrite import Outcome, Refusal, Site, rewrite
from astedit.engine.verify import verify
from astedit.errors import LimitError
from astedit.language import Row, named
from astedit.language.facts import facts
from astedit.limits import INLINE_DEPTH, INLINE_SIZE
from astedit.model import EditRequest, Op
from astedit.policy import is_vendored
from astedit.source import (
    BOMS,
    UNKNOWN,
    NotDecodable,
    NotEncodable,
    Source,
    canonical,
    declared,
    is_binary,
    is_generated,
)
from astedit.workspace import Workspace, skip_reason

DEFER = "defer"  # too large or too deep to be parsed outside a worker
_KEEP = bytes(b for b in range(256) if b not in b"()[]{}")
_TURN = bytes.maketrans(b"([{)]}", b"\x02\x02\x02\x00\x00\x00")

# reads at most so many bytes, plus one, of a file below the root
Read = Callable[[str, int], "tuple[bytes, os.stat_result]"]


@dataclass(slots=True)
class FileData:
    """Everything that is found out about one file.

    `edits` are (op, start, end, line, column, before, new, matches, encoding) with bytes
    of the raw file; `blocked` (span, op, reason, lost, matches); `displaced` (span, op,
    by, reason). `near` says that all literals occur and nothing matched.
    """

    read: int = 0
    parsed: bool = False
    searched: bool = False
    skip: tuple[str, str | None] | None = None
    before: str = ""
    after: str = ""
    mode: int = 0
    edits: tuple[tuple[Any, ...], ...] = ()
    blocked: tuple[tuple[Any, ...], ...] = ()
    displaced: tuple[tuple[Any, ...], ...] = ()
    error_at: tuple[int, int] | None = None
    hunks: bytes = b""
    matches: tuple[Any, ...] = ()
    near: bool = False

    def plain(self) -> tuple[Any, ...]:
        """As a tuple of plain data."""
        return tuple(getattr(self, name) for name in _FIELDS)


_FIELDS = tuple(FileData.__dataclass_fields__)


class Engine:
    """Holds a request compiled per language, and takes files one by one.

    `mode` is `edit` (plan edits), `text` (matches as lines) or `json` (matches as
    ast-grep's objects). `inline` refuses what only a worker may parse.
    """

    def __init__(self, request: EditRequest, mode: str, want_hunks: bool, read: Read) -> None:
        self.request = request
        self.mode = mode
        self._read = read
        self._want_hunks = want_hunks
        self._programs: dict[str, Program] = {}
        self._forced = request.encoding and canonical(request.encoding)

    def program(self, row: Row) -> Program:
        """The ops in one language, compiled on first use."""
        found = self._programs.get(row.name)
        if found is None:
            found = compile_ops(self.request.ops, self.request, row, self.mode == "edit")
            self._programs[row.name] = found
        return found

    def file(self, path: str, row: Row, *, inline: bool) -> FileData | str:
        """What the request does to one file; `DEFER` if it must go to a worker."""
        limit = self.request.max_file_size
        try:
            raw, status = self._read(path, limit)
        except OSError as error:
            reason = skip_reason(error)
            return FileData(skip=reason and (reason, error.strerror))
        data = FileData(read=len(raw), searched=True, mode=stat.S_IMODE(status.st_mode))
        if len(raw) > limit:
            return FileData(read=len(raw), skip=("too_large", f"more than {limit} bytes"))
        program = self.program(row)
        if not program.ops:
            return data
        source = self._source(raw, program, data)
        if source is None:
            return data
        if inline and not is_shallow(source.text):
            return DEFER
        return self._parsed(path, source, program, data)

    def _source(self, raw: bytes, program: Program, data: FileData) -> Source | None:
        """The text to parse; None (with the reason in `data`) if there is nothing to do."""
        wide = raw[:2] in BOMS or self._forced == "utf-16"
        if not wide and not program.may_match(raw):
            return None
        if is_binary(raw) and not wide:
            data.skip, data.searched = ("binary", None), False
            return None
        encoding = self._forced or (declared(raw) if program.row.name == "python" else None)
        try:
            source = Source(raw, encoding)
        except NotDecodable:
            return self._undecodable(raw, data, wide)
        return source if program.may_match(source.text) else None

    def _undecodable(self, raw: bytes, data: FileData, wide: bool) -> Source | None:
        """Bytes in an unknown encoding can be searched, but a match in them is not edited."""
        if wide:
            data.skip, data.searched = ("not_utf8", "UTF-16: name it with --encoding"), False
            return None
        return Source(raw, UNKNOWN)

    def _parsed(self, path: str, source: Source, program: Program, data: FileData) -> FileData:
        if self.mode == "edit":
            reason = (
                "vendored" if is_vendored(path) else "generated" if is_generated(source.raw) else ""
            )
            if reason and reason not in self.request.no_ignore:
                data.skip = (reason, None)
                return data
            self._edit(path, source, program, data)
            return data
        self._search(source, program, data)
        return data

    def _search(self, source: Source, program: Program, data: FileData) -> None:
        tree = program.grammar.parser().parse(source.text)
        data.parsed = True
        finder = program.ops[0].finder
        found = finder.find(tree.root_node, source.text)
        if finder.matcher.gave_up:
            data.skip = ("timeout", "the pattern has too many ways to match")
        if not found:
            data.near = True
        elif self.mode == "text":
            data.matches = tuple(text_lines(found, source.text))
        else:
            lines = Lines(source.text)
            label = program.row.label
            data.matches = tuple(json_match(one, source.text, lines, label) for one in found)

    def _edit(self, path: str, source: Source, program: Program, data: FileData) -> None:
        """Matches, rewrites, verifies; again on the result while `fixpoint` asks for it."""
        text = source.text
        style = Style.of(text, self.request.reindent == "exact", facts(program.row.name))
        changes: list[tuple[Change, int, int]] = []  # change, op, matches
        seen = {hashlib.sha256(text).digest()}
        for turn in range(max(1, self.request.fixpoint)):
            current = splice(text, [change for change, _, _ in changes]) if changes else text
            turned = self._turn(program, current, style, data, first=turn == 0)
            if not turned:
                break
            changes = _chain(text, changes, turned)
            digest = hashlib.sha256(splice(text, [c for c, _, _ in changes])).digest()
            if self.request.fixpoint > 1 and digest in seen:
                data.skip = (
                    "cycle",
                    f"the rewrite comes back to an earlier text after {turn + 1} turns",
                )
                return
            seen.add(digest)
        changes = [c for c in changes if c[0][2] != text[c[0][0] : c[0][1]]]
        if changes and not data.skip:
            self._finish(path, source, changes, data)

    def _turn(
        self, program: Program, text: bytes, style: Style, data: FileData, first: bool
    ) -> list[tuple[Change, int, int]]:
        tree = program.grammar.parser().parse(text)
        root = tree.root_node
        data.parsed = True
        if first and root.has_error:
            data.error_at = first_error(root)
        pairs = []
        for op in program.ops:
            if op.rewrite is not None and op.finder.may_match(text):
                pairs.append((op.rewrite, op.finder.find(root, text)))
                if op.finder.matcher.gave_up:
                    data.skip = ("timeout", "the pattern has too many ways to match")
        if not any(found for _, found in pairs):
            data.near = first
            return []
        try:
            outcome = rewrite(pairs, text, style)
        except LimitError as error:
            data.skip = ("too_large", error.message)
            return []
        lines = Lines(text)
        if first:
            data.blocked = tuple(_refused(refusal, text, lines) for refusal in outcome.refused)
            data.displaced = tuple(_displacements(outcome, lines))
        made = [((s.start, s.end, s.text.data), s.rewrite.op, s.matches) for s in outcome.sites]
        if not made:
            return []
        plain = [change for change, _, _ in made]
        reason = verify(program.grammar, tree, text, plain, splice(text, plain))
        if reason is None:
            return made
        if first:
            data.blocked += tuple(_unverified(site, reason, lines) for site in outcome.sites)
        return []

    def _finish(
        self, path: str, source: Source, changes: list[tuple[Change, int, int]], data: FileData
    ) -> None:
        if source.encoding == UNKNOWN:
            data.skip = ("not_utf8", "name its encoding with --encoding")
            return
        try:
            raw_changes = source.back([change for change, _, _ in changes])
        except NotEncodable as error:
            data.skip = ("not_utf8", f"the new text does not fit {source.encoding}: {error}")
            return
        after = splice(source.raw, raw_changes)
        data.before = hashlib.sha256(source.raw).hexdigest()
        data.after = hashlib.sha256(after).hexdigest()
        lines = Lines(source.text)
        edits = []
        for (start, end, new), (change, op, matches) in zip(raw_changes, changes, strict=True):
            line, column = lines.place(change[0])
            before = source.raw[start:end]
            edits.append((op, start, end, line, column, before, new, matches, source.encoding))
        data.edits = tuple(edits)
        if self._want_hunks:
            data.hunks = hunks(path, source.raw, raw_changes)


def _chain(
    text: bytes, first: list[tuple[Change, int, int]], second: list[tuple[Change, int, int]]
) -> list[tuple[Change, int, int]]:
    """Two turns as one: what they do to the text before both."""
    if not first:
        return second
    composed = []
    for change, ones, twos in compose(text, [c for c, _, _ in first], [c for c, _, _ in second]):
        parts = [first[i] for i in ones] + [second[j] for j in twos]
        composed.append((change, min(op for _, op, _ in parts), sum(n for _, _, n in parts)))
    return composed


def _span(start: int, end: int, lines: Lines) -> tuple[int, int, int, int]:
    return (start, end, *lines.place(start))


def _refused(refusal: Refusal, text: bytes, lines: Lines) -> tuple[Any, ...]:
    site = refusal.site
    lost = tuple((*_span(low, high, lines), text[low:high]) for low, high in refusal.lost)
    return (_span(site.start, site.end, lines), site.rewrite.op, refusal.reason, lost, site.matches)


def _unverified(site: Site, reason: str, lines: Lines) -> tuple[Any, ...]:
    return (_span(site.start, site.end, lines), site.rewrite.op, reason, (), site.matches)


def _displacements(outcome: Outcome, lines: Lines) -> Iterable[tuple[Any, ...]]:
    for loss in outcome.displaced:
        place = _span(loss.site.start, loss.site.end, lines)
        yield (place, loss.site.rewrite.op, loss.by.rewrite.op, loss.reason)


def is_shallow(text: bytes) -> bool:
    """Small and flat enough to be parsed outside a worker: nothing here is per byte in Python."""
    if len(text) >= INLINE_SIZE:
        return False
    brackets = text.translate(_TURN, _KEEP)
    if brackets.count(b"\x02") < INLINE_DEPTH:
        return True
    return max(map(sub, accumulate(brackets), count(1))) < INLINE_DEPTH


def first_error(root: Node) -> tuple[int, int]:
    """1-based line and byte column of the first ERROR or MISSING node."""
    stack = [root]
    while stack:
        node = stack.pop()
        if node.is_error or node.is_missing:
            return node.start_point[0] + 1, node.start_point[1] + 1
        if node.has_error:
            stack.extend(reversed(node.children))
    return 1, 1


def worker(setup: tuple[Any, ...]) -> Callable[[tuple[str, str]], tuple[Any, ...] | None]:
    """What a worker process runs: `setup` is a request, plainly; a task is path and language."""
    request_data, mode, want_hunks, root_fd = setup
    workspace = Workspace.adopt(root_fd)
    engine = Engine(request_from(request_data), mode, want_hunks, workspace.read)

    def run(task: tuple[str, str]) -> tuple[Any, ...] | None:
        path, language = task
        row = named(language)
        assert row is not None
        data = engine.file(path, row, inline=False)
        assert isinstance(data, FileData)
        return data.plain()

    return run


def request_data(request: EditRequest) -> dict[str, Any]:
    """A request as plain data, for a worker."""
    return asdict(request)


def request_from(data: dict[str, Any]) -> EditRequest:
    """The request again."""
    return EditRequest(**{**data, "ops": [Op(**op) for op in data["ops"]]})
