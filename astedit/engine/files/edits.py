"""The edits of one file: match, rewrite, verify, and again while asked for."""

import hashlib
import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import count
from typing import TYPE_CHECKING, Any

from tree_sitter import Node, Tree

from astedit.engine.files.outcome import (
    GAVE_UP,
    BlockedData,
    DisplacedData,
    EditData,
    FileData,
    LostData,
    MadeEdit,
    SpanData,
    every,
    joined,
    owners_of,
    pieces_of,
    span_data,
    whole_changes,
)
from astedit.engine.files.places import counts_places, places_of
from astedit.engine.program import Program
from astedit.errors import LimitError, RequestError
from astedit.language.traits import traits
from astedit.limits import SlowParseError
from astedit.model.request import EditRequest
from astedit.pattern.find import inside
from astedit.pattern.listed import flaws
from astedit.rewrite.loss import dropped
from astedit.rewrite.make.overlap import Site
from astedit.rewrite.make.render import Style
from astedit.rewrite.mend.accept_or_block import AcceptedEdits, settle
from astedit.rewrite.plan_edits import FileRewrite
from astedit.text.source import UNKNOWN, Change, Lines, NotEncodable, Source, moved, outside, splice

if TYPE_CHECKING:
    from astedit.embedded.part import Part
    from astedit.rule.scope import EditedFile
_BROUGHT = {  # what a template names that must be imported: packages, types
    "go": re.compile(r"(?<![\w.$])([a-z]\w*)\.[A-Z]\w*"),
    "java": re.compile(r"(?<![\w.$])([A-Z]\w*)"),
}


class Editing:
    """What the ops of a program do to one file, which is told in `data`."""

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
        self._request = request
        self._matched = Counter[int]()  # matches of each op or rule, in all turns
        self._taken = Counter[int]()  # turns in which each op or rule changed something
        self._want_hunks = want_hunks
        self._data = data
        self._spans = request.spans_in(path)

    def run(self, tree: Tree) -> None:
        """Does it; the tree is of no use afterwards."""
        text = self._source.text
        made = self._turn(text, tree, first=True)
        if made and self._request.fixpoint > 1:
            made = self._again(text, made)
        made = [edit for edit in made if edit.pieces]
        if made and not self._data.skip:
            made = [edit for edit in self._with_imports(text, made) if edit.pieces]
            if made:
                used, result = {*self._taken}, splice(text, whole_changes(made))
                if self._request.fixpoint > 1:
                    self._data.matched = tuple(self._matched.items())
                self._data.missing = missing_imports(self._program, used, self._path, text, result)
                gone = [
                    [
                        (node.start_byte, node.end_byte, text[node.start_byte : node.end_byte])
                        for node in dropped(tree.root_node, text, edit.pieces)
                    ]
                    for edit in made
                ]
                finish_file(self._path, self._source, made, gone, self._want_hunks, self._data)

    def _with_imports(self, text: bytes, made: list[MadeEdit]) -> list[MadeEdit]:
        """Adds the edits of imports that the ops ask for; these count no match."""
        asked = any(op.imports is not None for op in self._program.ops)
        if not asked or self._spans:  # nothing outside of `within` may change
            return made
        from astedit.engine.imports import import_changes_of

        made = self._without_hidden(text, made)
        if not made:  # nothing is left that needs an import
            return []
        used = {*self._taken}  # those of matches within matches included
        try:
            more, op = import_changes_of(self._program, used, self._edited(text, made))
        except RequestError as error:
            self._data.blocked += tuple(_unimported(e, error.message, text) for e in made)
            return []
        return joined(text, made, [MadeEdit(one, op, 0, (one,)) for one in more], imports=True)

    def _without_hidden(self, text: bytes, made: list[MadeEdit]) -> list[MadeEdit]:
        """The edits but for those in which an import's name means something local."""
        from astedit.engine.imports import hidden_imports

        file, used = self._edited(text, made), {*self._taken}
        owners = owners_of(made)
        hidden = hidden_imports(self._program, used, file, pieces_of(made))
        why = {owners[piece]: reason for piece, reason in hidden.items()}
        self._data.blocked += tuple(_unimported(made[n], why[n], text) for n in sorted(why))
        return [edit for number, edit in enumerate(made) if number not in why]

    def _edited(self, text: bytes, made: list[MadeEdit]) -> "EditedFile":
        from astedit.rule.scope import EditedFile

        row, is_script = self._program.row, self._source.is_script
        return EditedFile(self._path, row.name, text, splice(text, whole_changes(made)), is_script)

    def _again(self, text: bytes, made: list[MadeEdit]) -> list[MadeEdit]:
        """Runs the ops again on the result, until nothing changes (F9).

        Each op counts its own turns, and is left out when it has had them all.
        """
        current = splice(text, whole_changes(made))
        seen = {hashlib.sha256(text).digest(), hashlib.sha256(current).digest()}
        for turn in count(2):
            tree = self._program.grammar.parser().parse(current)
            if not (turned := self._turn(current, tree, first=False)):
                break
            current = splice(current, whole_changes(turned))
            digest = hashlib.sha256(current).digest()
            if digest in seen:
                detail = f"the rewrite comes back to an earlier text after {turn} turns"
                self._data.skip = ("cycle", detail)
                return []
            seen.add(digest)
            made = joined(text, made, turned)
        return made

    def _turn(self, text: bytes, tree: Tree, first: bool) -> list[MadeEdit]:
        """One pass over the text; what is refused is reported for the first one."""
        root = tree.root_node
        data = self._data
        if first and root.has_error:
            data.error_at = first_error(root)
        pairs = self._find(root, text, first)
        if not any(matches for _, matches in pairs):
            data.near = first
            return []
        lines = Lines(text)
        try:
            outcome, accepted = self._settled(pairs, text, tree, lines)
        except SlowParseError:  # a file that parses slowly has a way of its own
            raise
        except LimitError as error:
            data.skip = ("too_large", error.message)
            return []
        if first:
            data.blocked = tuple(blocked_in(outcome, accepted, text, lines))
            data.displaced = tuple(
                displacements(outcome, lines, self._request.overlap == "compose")
            )
            data.spreading = tuple(span_data(s.start, s.end, lines) for s in accepted.spreading)
        data.unread = data.unread or accepted.unread
        data.disproved = data.disproved or any(op.proofs.disproved for op, _ in pairs)
        sites = [one for site in accepted.sites for one in every(site)]
        self._taken.update({one.rewrite.op for one in sites})
        for one in sites:  # a match counts for its own op, those within it for theirs
            self._matched[one.rewrite.op] += one.matches - sum(i.matches for i in one.inner)
        made = [
            MadeEdit(site.change, site.rewrite.op, site.matches, site.changes)
            for site in accepted.sites
        ]
        self._spans = moved(self._spans, whole_changes(made))
        return made

    def _settled(
        self, pairs: list[Any], text: bytes, tree: Tree, lines: Lines
    ) -> tuple[FileRewrite, AcceptedEdits]:
        """What is made of the matches; of edits that reach beyond the spans nothing."""
        spans, known = self._spans, traits(self._program.row.name)
        style = Style(text, tree.root_node, self._request.reindent == "exact", known.facts)
        grammar = self._program.grammar
        return settle(
            pairs, tree, lines, grammar, known, style, lambda change: not outside([change], spans)
        )

    def _find(self, root: Node, text: bytes, first: bool) -> list[Any]:
        spans = self._spans
        pairs = [
            (op, inside(matches, spans))
            for op, matches in self._program.find(root, text, self._path)
        ]
        if first and counts_places(self._request, "edit", self._want_hunks):
            seen = None if self._request.near else self._program.matches
            self._data.places = places_of(pairs, root, text, spans, seen)
        if any(op.finder.gave_up for op, _ in pairs):
            self._data.skip = ("timeout", GAVE_UP)
        return [
            (op.rewrite, matches)
            for op, matches in pairs
            if op.rewrite is not None and self._taken[op.index] < self._request.fixpoint
        ]


DroppedText = tuple[int, int, bytes]
"""Where in the text of a file a comment was, and the comment."""


def finish_file(
    path: str,
    source: "Source | Part",
    made: Sequence[MadeEdit],
    dropped_texts: Sequence[Sequence[DroppedText]],
    want_hunks: bool,
    data: FileData,
) -> None:
    """Fills in the outcome of a file of which these edits are made; of each its comments go."""
    if source.encoding == UNKNOWN:
        data.skip = ("not_utf8", "name its encoding with --encoding")
        return
    try:
        changes = source.back([edit.least for edit in made])
    except NotEncodable as error:
        data.skip = ("not_utf8", f"the new text does not fit {source.encoding}: {error}")
        return
    lines = Lines(source.text)
    places = source.back([(*edit.change[:2], b"") for edit in made])
    edits = [
        _edit(*row, source, lines) for row in zip(made, changes, places, dropped_texts, strict=True)
    ]
    data.finish(path, source.raw, edits, want_hunks)


def _edit(
    made: MadeEdit,
    change: Change,
    place: Change,
    comments: Sequence[DroppedText],
    source: "Source | Part",
    lines: Lines,
) -> EditData:
    """One edit, in bytes of the raw file; `place` is where its match is."""
    raw, (start, end, new), (low, high, _) = source.raw, change, place
    low, high = min(low, start), max(high, end)
    at = lines.place(made.change[0])
    first = made.pieces[0][0]
    least = at if first == made.change[0] else lines.place(first)
    match, by_match = SpanData(low, high, *at), made.matches and made.op is not None
    spans = source.back([(before, behind, b"") for before, behind, _ in comments])
    gone = tuple(
        LostData(SpanData(*span[:2], *lines.place(before)), text)
        for span, (before, _, text) in zip(spans, comments, strict=True)
    )
    return EditData(
        made.op,
        start,
        end,
        *least,
        raw[start:end],
        new,
        made.matches,
        source.codec,
        match if by_match else None,
        raw[low:high] if by_match else b"",
        gone,
    )


def blocked_in(
    outcome: FileRewrite, accepted: AcceptedEdits, text: bytes, lines: Lines
) -> Iterator[BlockedData]:
    """The matches of a text that are left out, and why."""
    for refusal in outcome.refused:
        lost = [LostData(span_data(*span, lines), text[slice(*span)]) for span in refusal.lost]
        yield _blocked(refusal.site, refusal.reason, text, lines)._replace(lost=tuple(lost))
    for site, fault in accepted.blocked:
        misreading = fault.misreading and (*fault.misreading,)
        blocked = _blocked(site, fault.reason, text, lines)
        yield blocked._replace(detail=fault.detail, misreading=misreading)


def _unimported(edit: MadeEdit, why: str, text: bytes) -> BlockedData:
    """An edit that is not made, as an import that it needs cannot be added, or not seen."""
    start, end, _ = edit.change
    span, old = span_data(start, end, Lines(text)), text[start:end]
    return BlockedData(span, edit.op, "imports", (), edit.matches, old, why)


def _blocked(site: Site, reason: str, text: bytes, lines: Lines) -> BlockedData:
    span, old = span_data(site.start, site.end, lines), text[site.start : site.end]
    return BlockedData(span, site.rewrite.op, reason, (), site.matches, old)


def displacements(outcome: FileRewrite, lines: Lines, composing: bool) -> Iterable[DisplacedData]:
    """The matches that gave way; where composing is not wanted, the composed ones as well."""
    losses = [(loss.site, loss.by, loss.reason) for loss in outcome.displaced]
    if not composing:
        losses += [(site.inner[0], site, "inside") for site in outcome.sites if site.inner]
    for site, by, reason in losses:
        span = span_data(site.start, site.end, lines)
        yield DisplacedData(span, site.rewrite.op, by.rewrite.op, reason)


def first_error(root: Node) -> tuple[int, int]:
    """1-based line and byte column of the first ERROR or MISSING node."""
    row, column = next((node.start_point for node in flaws(root)), (0, 0))
    return row + 1, column + 1


def missing_imports(
    program: Program, used: Collection[int | None], path: str, before: bytes, after: bytes
) -> tuple[str, ...]:
    """The imports of what the templates of the `used` ops name, where the file has none of them.

    Each as in code. A name that the language's standard library does not have is left out in
    Java; in Go its path is left open.
    """
    if (named := _BROUGHT.get(program.row.name)) is None:
        return ()
    rewrites = [op.rewrite for op in program.ops if op.index in used and op.rewrite is not None]
    brought = {name: None for each in rewrites for name in named.findall(each.template.text)}
    if not brought:
        return ()
    from astedit.engine.imports import provided  # few rewrites need it
    from astedit.rule.scope import EditedFile

    names = provided(program.names)
    file = EditedFile(path, program.row.name, before, after)
    return () if names is None else names.missing_imports(file, tuple(brought))
