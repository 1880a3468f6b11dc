"""Accounts for every place where the rarest name of each op of a plan stands."""

import hashlib
import re
import time
from collections import defaultdict
from collections.abc import Iterable, Iterator
from functools import cache
from typing import NamedTuple

from tree_sitter import Node

from astedit.discover.discover import Search
from astedit.engine.files.file import Engine
from astedit.engine.files.places import captured_spans, names_of
from astedit.engine.languages import wanted
from astedit.engine.program import CompiledOp, Program
from astedit.explanation.places import PlaceReasons
from astedit.language import GrammarUnavailable
from astedit.language.traits import traits
from astedit.limits import SlowParseError, is_shallow, parsing_within
from astedit.model.plan import Plan
from astedit.pattern.match import Found
from astedit.review.ledger.model import LedgerName, LedgerPlace, PlaceLedger, PlaceOutcome
from astedit.semantic import NAMES
from astedit.text.source import ByteRange, Lines, NotDecodable, Source
from astedit.workspace.config import Config
from astedit.workspace.confined_open import read_within
from astedit.workspace.root import Workspace

LARGEST = 64 * 1024 * 1024  # bytes of a file that is still counted
_EXPLAINING = 10.0  # seconds; what is found after that is counted without a why
_WORD = re.compile(r"[^\W\d]\w{2,}")  # shorter ones stand everywhere
_NAMES = 3  # names that are counted to find the rarest
_PARSING = 5.0  # seconds for one file

PlaceVerdict = tuple[PlaceOutcome, str | None, str | None]  # why, and what would match


class _Counted(NamedTuple):
    """A name that is counted for an op, with the ways in which languages compile that op."""

    key: int
    name: str


def ledger(plan: Plan, workspace: Workspace, settings: Config) -> PlaceLedger:
    """Every place of the names of a plan's ops, in all files that it could have looked at.

    Read from the files as they are: one that differs from what the plan saw is skipped.
    """
    request = plan.request
    engine = Engine(request, "text", False, workspace.read, NAMES)
    programs = dict(_programs(engine, [row.name for row in wanted(request)]))
    search = Search(workspace, request.paths, no_ignore=request.no_ignore)
    files = search.finish(globs=request.glob, ignore=settings.ignore).files
    ops = {op.index: op for program in programs.values() for op in program.ops}
    chosen = list(_rarest(ops, files, workspace))
    account = _Account(plan, engine, programs)
    named = {key: LedgerName(key.key, _title(ops[key.key]), key.name) for key in chosen}
    for path in files if chosen else ():
        raw = read_within(workspace.read, path, LARGEST).raw or b""
        for key, places in account.places(path, raw, chosen):
            named[key].places += places
    for each in named.values():
        each.count()
    counted = {key.key for key in chosen}
    nameless = [_title(op) for index, op in sorted(ops.items()) if index not in counted]
    return PlaceLedger(plan.fingerprint or "", len(files), list(named.values()), nameless)


def _programs(engine: Engine, names: Iterable[str]) -> Iterator[tuple[str, Program]]:
    from astedit.language import named

    for name in names:
        row = named(name)
        try:
            if row is not None and (program := engine.program(row)).ops:
                yield name, program
        except GrammarUnavailable:
            continue


def _title(op: CompiledOp) -> str:
    if op.pattern is not None:
        return op.pattern.text
    return op.reported.document.id if op.reported is not None else f"op {op.index + 1}"


def _rarest(
    ops: dict[int, CompiledOp], files: Iterable[str], workspace: Workspace
) -> Iterator[_Counted]:
    """Of each way in which an op can match, the name that stands at the fewest places."""
    ways = {index: names_by_way(op) for index, op in sorted(ops.items())}
    names = {name for each in ways.values() for way in each for name in way if len(way) > 1}
    counts = dict.fromkeys(names, 0)
    for path in files if names else ():
        raw = read_within(workspace.read, path, LARGEST).raw or b""
        for name in names:
            counts[name] += len(standing(name, raw))
    for index, each in ways.items():
        chosen = {min(way, key=lambda name: counts.get(name, 0)) for way in each}
        yield from (_Counted(index, name) for name in sorted(chosen))


def names_by_way(op: CompiledOp) -> list[list[str]]:
    """For each way in which an op can match, the longest names that the code then holds.

    Of each the rarest counts, which only the files can say. Without a name there is nothing
    to be counted.
    """
    if op.pattern is not None:
        ways = [[name.decode("utf-8", "replace") for name in names_of(op.pattern)]]
    else:
        ways = [
            [
                word
                for literal in way
                if isinstance(literal, bytes)
                for word in _WORD.findall(literal.decode("utf-8", "replace"))
            ]
            for way in op.finder.literals
        ]
    longest = (sorted({*way}, key=lambda name: (-len(name), name))[:_NAMES] for way in ways)
    return [names for names in longest if names]


def standing(name: str, source: bytes) -> list[int]:
    """The byte offsets at which a name stands as a word, as `rg -w` and `grep -w` count them."""
    word = name.encode()
    if word not in source:
        return []
    if source.isascii():
        return [match.start() for match in _in_bytes(word).finditer(source)]
    text = source.decode("utf-8", "surrogateescape")
    starts = []
    at = offset = 0
    for match in _in_text(name).finditer(text):
        offset += len(text[at : match.start()].encode("utf-8", "surrogateescape"))
        at = match.start()
        starts.append(offset)
    return starts


@cache
def _in_bytes(word: bytes) -> re.Pattern[bytes]:
    return re.compile(rb"(?<!\w)" + re.escape(word) + rb"(?!\w)")


@cache
def _in_text(name: str) -> re.Pattern[str]:
    return re.compile(rf"(?<!\w){re.escape(name)}(?!\w)")


PlannedMatches = list[tuple[ByteRange, PlaceOutcome, str | None]]
"""The matches of one file that a plan tells of, and why; what is blocked comes first."""


def _planned(plan: Plan) -> dict[str, PlannedMatches]:
    """The matches of a plan by file."""
    files: dict[str, PlannedMatches] = defaultdict(list)
    for item in plan.blocked:
        if item.range is not None:
            span = item.range.start, item.range.end
            files[item.path].append((span, "blocked", item.detail or item.reason))
    for file in plan.files:
        places = (edit.match or edit for edit in file.edits)
        files[file.path] += [((each.start, each.end), "edited", None) for each in places]
    for gone in plan.displaced:
        span, why = (gone.range.start, gone.range.end), f"{gone.reason} another match"
        files[gone.path].append((span, "displaced", why))
    return files


def _told(matches: PlannedMatches, start: int) -> PlaceVerdict | None:
    """What became of the match that a place belongs to; None if the plan has none there."""
    told = ((outcome, why, None) for span, outcome, why in matches if _holds(span, start))
    return next(told, None)


class _FilePlaces:
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
        self._reasons: dict[int, PlaceReasons] = {}

    def verdict(
        self, op: CompiledOp, start: int, size: int, matches: PlannedMatches
    ) -> PlaceVerdict:
        """What became of a place of an op's name, from byte `start` on."""
        if _own(self._matches.get(op.index, ()), start) is not None:
            inside = _told(matches, start)
            return inside or ("outside", "a match that the plan leaves out", None)
        node = self.root.descendant_for_byte_range(start, start + size)
        around = _syntax(node, start, size, traits(self._program.row.name).facts.literals)
        kind = None if node is None else node.type
        if around == "comment":
            return "comment", kind, None
        if around == "string":
            return "string", kind, None
        if (inside := _told(matches, start)) is not None and op.pattern is None:
            return inside
        if op.pattern is None or time.monotonic() > self._until:
            return "near", f"stands in {around}", None
        if op.index not in self._reasons:
            self._reasons[op.index] = PlaceReasons(op.pattern, self.text, self.root, self._until)
        reason = self._reasons[op.index].of(start, size)
        why = f"`{reason.text}`: {reason.why}" if reason.why else f"stands in {around}"
        return "near", why, reason.spelling


def _own(matches: Iterable[Found], start: int) -> Found | None:
    """The match in which a place belongs to the pattern, and to no capture."""
    for match in matches:
        if _holds((match.node.start_byte, match.node.end_byte), start) and not any(
            _holds(span, start) for span in captured_spans(match)
        ):
            return match
    return None


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


class _Account:
    """Judges the places of all names, a file at a time."""

    def __init__(self, plan: Plan, engine: Engine, programs: dict[str, Program]) -> None:
        self._plan = _planned(plan)
        self._before = {file.path: file.before_hash for file in plan.files}
        self._skipped = {skip.path: skip.detail or skip.reason for skip in plan.skipped}
        self._engine = engine
        self._programs = programs
        self._until = time.monotonic() + _EXPLAINING

    def places(
        self, path: str, raw: bytes, chosen: Iterable[_Counted]
    ) -> Iterator[tuple[_Counted, list[LedgerPlace]]]:
        """The places of each name in one file."""
        counted = [(key, starts) for key in chosen if (starts := standing(key.name, raw))]
        if not counted:
            return
        judge, why = self._judge(path, raw)
        text = raw if judge is None else judge.text
        lines = Lines(text)
        for key, starts in counted:
            if judge is not None and text is not raw:
                starts = standing(key.name, text)
            op = None if judge is None else self._op(path, key.key)
            matches, size = self._plan.get(path, []), len(key.name.encode())
            places = []
            for start in starts:
                if judge is None or op is None:  # also code inside a document, which was looked at
                    verdict = _told(matches, start) or ("skipped", why, None)
                else:
                    verdict = judge.verdict(op, start, size, matches)
                line, column = lines.place(start)
                outcome, reason, spelling = verdict
                places.append(LedgerPlace(path, line, column, outcome, reason, spelling))
            yield key, places

    def _op(self, path: str, index: int) -> CompiledOp | None:
        row = self._engine.language(path)
        program = self._programs.get(row.name) if row is not None else None
        ops = program.ops if program is not None else []
        return next((op for op in ops if op.index == index), None)

    def _judge(self, path: str, raw: bytes) -> tuple[_FilePlaces | None, str]:
        """Who judges the places of a file, else why it is not looked at."""
        row = self._engine.language(path)
        if path in self._skipped:
            return None, self._skipped[path]
        if row is None:
            return None, "of no known language"
        if row.name not in self._programs:
            return None, f"{row.name}, which is not looked at"
        before = self._before.get(path)
        if before is not None and hashlib.sha256(raw).hexdigest() != before:
            return None, "changed since the preview"
        try:
            judge = _FilePlaces(self._programs[row.name], path, raw, self._until)
        except ValueError as error:
            return None, str(error)
        return judge, f"{row.name}, of which this pattern is not"
