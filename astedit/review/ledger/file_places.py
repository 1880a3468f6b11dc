"""What stands at each place of a name in one file, and why nothing is edited there."""

import time
from collections.abc import Iterable, Sequence
from contextlib import suppress
from typing import NamedTuple

from tree_sitter import Node

from astedit.engine.inline_limits import is_shallow
from astedit.engine.places import captured_spans
from astedit.engine.program import CompiledOp, Program
from astedit.language.traits import traits
from astedit.limits import SlowParseError, parsing_within
from astedit.model.edit import FilePlan
from astedit.model.plan import Plan
from astedit.pattern.compile import Pattern
from astedit.pattern.doctor.near import missed
from astedit.pattern.doctor.unmatched import ways
from astedit.pattern.match import Found
from astedit.review.ledger.model import PlaceOutcome
from astedit.text.source import NotDecodable, Source
from astedit.text.splice import ByteRange

_PARSING = 5.0  # seconds for one file
PlaceVerdict = tuple[PlaceOutcome, str | None, str | None]  # why, and what would match


class PlannedFile(NamedTuple):
    """What a plan says of the matches of one file, as byte ranges."""

    edited: Sequence[ByteRange] = ()
    blocked: Sequence[tuple[ByteRange, str]] = ()
    displaced: Sequence[tuple[ByteRange, str]] = ()

    def verdict(self, start: int) -> PlaceVerdict | None:
        """What became of the match that a place belongs to; None if the plan has none there."""
        for span, why in self.blocked:
            if _holds(span, start):
                return "blocked", why, None
        if any(_holds(span, start) for span in self.edited):
            return "edited", None, None
        for span, why in self.displaced:
            if _holds(span, start):
                return "displaced", why, None
        return None


def planned(plan: Plan) -> dict[str, PlannedFile]:
    """The matches of a plan by file."""
    files: dict[str, PlannedFile] = {file.path: _edited(file) for file in plan.files}
    for item in plan.blocked:
        if item.range is not None:
            span, why = (item.range.start, item.range.end), item.detail or item.reason
            file = files.get(item.path, PlannedFile())
            files[item.path] = file._replace(blocked=[*file.blocked, (span, why)])
    for gone in plan.displaced:
        span = gone.range.start, gone.range.end
        file = files.get(gone.path, PlannedFile())
        why = f"{gone.reason} another match"
        files[gone.path] = file._replace(displaced=[*file.displaced, (span, why)])
    return files


def _edited(file: FilePlan) -> PlannedFile:
    spans = []
    for edit in file.edits:
        match = edit.match
        spans.append((edit.start, edit.end) if match is None else (match.start, match.end))
    return PlannedFile(spans)


class FilePlaces:
    """Judges the places of ops in the text of one file of their language."""

    def __init__(self, program: Program, path: str, raw: bytes, until: float) -> None:
        """Raises `ValueError`, with the reason, for a text that cannot be looked at."""
        self._until = until
        self._program = program
        try:
            self.text = Source(raw).text
        except NotDecodable as error:
            raise ValueError("not text in a known encoding") from error
        if not is_shallow(self.text):
            raise ValueError("too deeply nested")
        try:
            with parsing_within(_PARSING):
                self.root = program.grammar.parser().parse(self.text).root_node
                pairs = program.find(self.root, self.text, path)
        except SlowParseError as error:
            raise ValueError("slow to parse") from error
        self._matches = {op.index: matches for op, matches in pairs}
        self._ways: dict[int, list[tuple[str, list[ByteRange]]]] = {}

    def verdict(self, op: CompiledOp, start: int, size: int, file: PlannedFile) -> PlaceVerdict:
        """What became of a place of an op's name, from byte `start` on."""
        own = _own(self._matches.get(op.index, ()), start)
        if own is not None:
            inside = file.verdict(start)
            return inside or ("outside", "a match that the plan leaves out", None)
        node = self.root.descendant_for_byte_range(start, start + size)
        around = _syntax(node, start, size, traits(self._program.row.name).facts.literals)
        kind = None if node is None else node.type
        if around == "comment":
            return "comment", kind, None
        if around == "string":
            return "string", kind, None
        if (inside := file.verdict(start)) is not None and op.pattern is None:
            return inside
        return "near", *self._lacks(op.pattern, op, start, size, around)

    def _lacks(
        self, pattern: Pattern | None, op: CompiledOp, start: int, size: int, around: str
    ) -> tuple[str, str | None]:
        """Why a pattern does not match a place, and what would."""
        if pattern is None or time.monotonic() > self._until:
            return f"stands in {around}", None
        with suppress(SlowParseError):
            found = missed(pattern, self.text, self.root, start, start + size)
            why = f"stands in {around}" if found is None else f"`{found[0]}`: {found[1]}"
            for spelling, spans in self._others(pattern, op.index):
                if any(_holds(span, start) for span in spans):
                    return why, spelling
            return why, None
        return f"stands in {around}", None

    def _others(self, pattern: Pattern, index: int) -> list[tuple[str, list[ByteRange]]]:
        """Other ways to write the pattern, with what they match in this file."""
        if index not in self._ways:
            self._ways[index] = [
                (suggestion.message, [_span(match) for match in finder.find(self.root, self.text)])
                for suggestion, finder in ways(pattern)
                if finder.may_match(self.text)
            ]
        return self._ways[index]


def _own(matches: Iterable[Found], start: int) -> Found | None:
    """The match in which a place belongs to the pattern, and to no capture."""
    for match in matches:
        if _holds(_span(match), start) and not any(
            _holds(span, start) for span in captured_spans(match)
        ):
            return match
    return None


def _span(match: Found) -> ByteRange:
    return match.node.start_byte, match.node.end_byte


def _holds(span: ByteRange, start: int) -> bool:
    return span[0] <= start < span[1]


def _syntax(node: Node | None, start: int, size: int, literals: frozenset[str]) -> str:
    """`comment`, `string`, or the kind of the code that a name stands in."""
    if node is None:
        return "no code"
    parent = node.parent
    while parent is not None and (parent.start_byte, parent.end_byte) == (start, start + size):
        node, parent = parent, parent.parent
    if any("comment" in one.type for one in (node, parent) if one is not None):
        return "comment"
    whole = (node.start_byte, node.end_byte) == (start, start + size)
    if not whole or {node.type, parent.type if parent else ""} & literals:
        return "string"
    return "no other code" if parent is None else parent.type
