"""The edits of one file: match, rewrite, verify, and again while asked for.

Everything that leaves here is plain data (tuples, bytes, numbers, strings, None), so
that a worker can hand it over without pickling.
"""

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from tree_sitter import Node, Tree

from astedit.engine.program import Program
from astedit.engine.regions import inside, moved, outside, spans_of
from astedit.errors import LimitError
from astedit.language.facts import facts
from astedit.model.request import EditRequest
from astedit.rewrite.overlap import Site
from astedit.rewrite.plan_edits import Outcome, Refusal, rewrite
from astedit.rewrite.render import Style
from astedit.rewrite.verify import verify
from astedit.text.diff import hunks
from astedit.text.source import UNKNOWN, NotEncodable, Source
from astedit.text.splice import Change, Lines, compose, splice

if TYPE_CHECKING:
    from astedit.embedded.part import Part

GAVE_UP = "the pattern has too many ways to match"

# A change of the text, the op that made it, and how many matches went into it.
Made = tuple[Change, int, int]


@dataclass(slots=True)
class FileData:
    """Everything that is found out about one file.

    `edits` are (op, start, end, line, column, before, new, matches, encoding) with bytes
    of the raw file; `blocked` (span, op, reason, lost, matches); `displaced` (span, op,
    by, reason). `encoding` is Python's name of it. `near` says that all that a pattern
    names occurs and nothing matched.
    """

    read: int = 0
    searched: bool = False
    near: bool = False
    parsed: bool = False
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

    def plain(self) -> tuple[Any, ...]:
        """As a tuple of plain data; short for a file in which nothing can match."""
        if not self.parsed and self.skip is None:
            return self.read, self.searched, self.near
        return tuple(getattr(self, name) for name in _FIELDS)


_FIELDS = tuple(FileData.__dataclass_fields__)


def edit_file(
    path: str,
    source: "Source | Part",
    tree: Tree,
    program: Program,
    request: EditRequest,
    want_hunks: bool,
    data: FileData,
) -> None:
    """Fills in what the program's ops do to one file; its `tree` is spent by that."""
    _Editing(path, source, program, request, want_hunks, data).run(tree)


def first_edits(path: str, raw: bytes, data: FileData, count: int) -> FileData:
    """The same outcome, of the same bytes, with its first edits only."""
    edits = data.edits[:count]
    changes = [(start, end, new) for _, start, end, _, _, _, new, _, _ in edits]
    after = hashlib.sha256(splice(raw, changes)).hexdigest()
    return replace(
        data, edits=edits, after=after, hunks=hunks(path, raw, changes) if data.hunks else b""
    )


class _Editing:
    def __init__(
        self,
        path: str,
        source: "Source | Part",
        program: Program,
        request: EditRequest,
        want_hunks: bool,
        data: FileData,
    ) -> None:
        self._path = path
        self._source = source
        self._program = program
        self._turns = request.fixpoint
        self._composing = request.overlap == "compose"
        self._want_hunks = want_hunks
        self._data = data
        self._spans = spans_of(request, path)
        self._exact = request.reindent == "exact"
        self._lines: Lines | None = None

    def run(self, tree: Tree) -> None:
        text = self._source.text
        made = self._turn(text, tree, first=True)
        if made and self._turns > 1:
            made = self._again(text, made)
        made = [one for one in made if one[0][2] != text[one[0][0] : one[0][1]]]
        if made and not self._data.skip:
            self._finish(self._with_imports(text, made))

    def _with_imports(self, text: bytes, made: list[Made]) -> list[Made]:
        """The edits, and those of imports that their rules ask for; they count no match."""
        used = {op for _, op, _ in made}
        asked = [
            (op.index, imports)
            for op in self._program.ops
            if op.index in used and (imports := getattr(op.finder, "imports", None)) is not None
        ]
        if not asked or self._spans:  # nothing outside of `within` may change
            return made
        result = splice(text, [change for change, _, _ in made])
        add = [one for _, imports in asked for one in imports.add]
        remove = [one for _, imports in asked for one in imports.remove]
        more = asked[0][1].names.import_edits(result, add, remove)
        return _chain(text, made, [(change, asked[0][0], 0) for change in more])

    def _again(self, text: bytes, made: list[Made]) -> list[Made]:
        """Further turns, on the result of the one before, until nothing changes (F9)."""
        current = splice(text, [change for change, _, _ in made])
        seen = {hashlib.sha256(text).digest(), hashlib.sha256(current).digest()}
        for turn in range(2, self._turns + 1):
            tree = self._program.grammar.parser().parse(current)
            turned = self._turn(current, tree, first=False)
            if not turned:
                break
            current = splice(current, [change for change, _, _ in turned])
            digest = hashlib.sha256(current).digest()
            if digest in seen:
                detail = f"the rewrite comes back to an earlier text after {turn} turns"
                self._data.skip = ("cycle", detail)
                return []
            seen.add(digest)
            made = _chain(text, made, turned)
        return made

    def _turn(self, text: bytes, tree: Tree, first: bool) -> list[Made]:
        """One pass over the text; what is refused is reported for the first one."""
        root = tree.root_node
        data = self._data
        if first and root.has_error:
            data.error_at = first_error(root)
        pairs = self._find(root, text)
        if not any(found for _, found in pairs):
            data.near = first
            return []
        style = Style(text, root, self._exact, facts(self._program.row.name))
        try:
            outcome = rewrite(pairs, text, style)
        except LimitError as error:
            data.skip = ("too_large", error.message)
            return []
        lines = Lines(text)
        if first:
            self._lines = lines
            data.blocked = tuple(_refused(refusal, text, lines) for refusal in outcome.refused)
            data.displaced = tuple(_displacements(outcome, lines, self._composing))
        made = [((s.start, s.end, s.text.data), s.rewrite.op, s.matches) for s in outcome.sites]
        if not made:
            return []
        changes = [change for change, _, _ in made]
        result = splice(text, changes)
        reason = verify(self._program.grammar, style.facts, tree, text, lines, changes, result)
        if outside(changes, self._spans):
            reason = "changes_structure"
        if reason is None:
            self._spans = moved(self._spans, changes)
            return made
        if first:
            data.blocked += tuple(_unverified(site, reason, lines) for site in outcome.sites)
        return []

    def _find(self, root: Node, text: bytes) -> list[Any]:
        pairs = self._program.find(root, text, self._path)
        if any(op.finder.gave_up for op, _ in pairs):
            self._data.skip = ("timeout", GAVE_UP)
        spans = self._spans
        return [(op.rewrite, inside(found, spans)) for op, found in pairs if op.rewrite is not None]

    def _finish(self, made: list[Made]) -> None:
        source, data = self._source, self._data
        if source.encoding == UNKNOWN:
            data.skip = ("not_utf8", "name its encoding with --encoding")
            return
        try:
            changes = source.back([change for change, _, _ in made])
        except NotEncodable as error:
            data.skip = ("not_utf8", f"the new text does not fit {source.encoding}: {error}")
            return
        data.before = hashlib.sha256(source.raw).hexdigest()
        data.after = hashlib.sha256(splice(source.raw, changes)).hexdigest()
        lines = self._lines or Lines(source.text)
        edits = []
        for (start, end, new), (change, op, matches) in zip(changes, made, strict=True):
            line, column = lines.place(change[0])
            before = source.raw[start:end]
            edits.append((op, start, end, line, column, before, new, matches, source.codec))
        data.edits = tuple(edits)
        if self._want_hunks:
            data.hunks = hunks(self._path, source.raw, changes)


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


def _displacements(outcome: Outcome, lines: Lines, composing: bool) -> Iterable[tuple[Any, ...]]:
    """What gave way; where composing is not wanted, what was composed as well."""
    for loss in outcome.displaced:
        yield _displaced(loss.site, loss.by, loss.reason, lines)
    for site in outcome.sites:
        if site.inner and not composing:
            yield _displaced(site.inner[0], site, "inside", lines)


def _displaced(site: Site, by: Site, reason: str, lines: Lines) -> tuple[Any, ...]:
    return (_span(site.start, site.end, lines), site.rewrite.op, by.rewrite.op, reason)


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
