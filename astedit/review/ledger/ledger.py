"""Accounts for every place where the rarest name of each op of a plan stands."""

import hashlib
import time
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from astedit.discover.discover import Search
from astedit.engine.file import Engine
from astedit.engine.languages import wanted
from astedit.engine.program import CompiledOp, Program
from astedit.language import GrammarUnavailable
from astedit.model.plan import Plan
from astedit.review.ledger.file_places import FilePlaces, PlaceVerdict, PlannedFile, planned
from astedit.review.ledger.model import LedgerName, LedgerPlace, PlaceLedger
from astedit.review.ledger.words import names_by_way, standing
from astedit.semantic import NAMES
from astedit.text.splice import Lines
from astedit.workspace.config import Config
from astedit.workspace.file_bytes import read_within
from astedit.workspace.root import Workspace

LARGEST = 64 * 1024 * 1024  # bytes of a file that is still counted
_EXPLAINING = 10.0  # seconds; what is found after that is counted without a why


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
    return op.reported.document.id if op.reported is not None else f"op {op.index}"


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


class _Account:
    """Judges the places of all names, a file at a time."""

    def __init__(self, plan: Plan, engine: Engine, programs: dict[str, Program]) -> None:
        self._plan = planned(plan)
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
            places = []
            for start in starts:
                outcome, reason, spelling = self._verdict(
                    path, judge, op, start, len(key.name.encode()), why
                )
                line, column = lines.place(start)
                places.append(LedgerPlace(path, line, column, outcome, reason, spelling))
            yield key, places

    def _verdict(
        self,
        path: str,
        judge: FilePlaces | None,
        op: CompiledOp | None,
        start: int,
        size: int,
        why: str,
    ) -> PlaceVerdict:
        file = self._plan.get(path, PlannedFile())
        if judge is None or op is None:  # also code inside a document, which was looked at
            return file.verdict(start) or ("skipped", why, None)
        return judge.verdict(op, start, size, file)

    def _op(self, path: str, index: int) -> CompiledOp | None:
        row = self._engine.language(path)
        program = self._programs.get(row.name) if row is not None else None
        ops = program.ops if program is not None else []
        return next((op for op in ops if op.index == index), None)

    def _judge(self, path: str, raw: bytes) -> tuple[FilePlaces | None, str]:
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
            judge = FilePlaces(self._programs[row.name], path, raw, self._until)
        except ValueError as error:
            return None, str(error)
        return judge, f"{row.name}, of which this pattern is not"
