"""The rules of a cascade, compiled for what they are called with, and the files they see."""

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from astedit.engine.cascade.file_state import CascadedFile
from astedit.engine.cascade.places import Bound
from astedit.engine.files.outcome import FileData
from astedit.engine.program import CompiledOp, Prefilter
from astedit.engine.rule_program import Rulebook
from astedit.engine.run.jobs import Job
from astedit.engine.run.prepare import PreparedRun
from astedit.language import Row, load, named
from astedit.model.request import EditRequest
from astedit.packs import shipped
from astedit.rule.cascade import bound, bound_names, is_triggered, names_of
from astedit.rule.match.find import RuleFinder
from astedit.text.source import BOMS, NotDecodable, is_binary, source_of
from astedit.workspace.confined_open import Read, read_within
from astedit.workspace.path_policy import kept_out

_CACHED = 256 * 1024 * 1024  # bytes of files that are kept for the next project task

BarredRanges = Mapping[str, Sequence[tuple[int, int]]]  # ranges of bytes, by path
OneCall = tuple[int, Bound, str, bool]


class CompiledRules:
    """Every rule, by its number and by what its metavariables are bound to.

    `calls` says of each which rules it calls: the number, what is bound, where, `deleteEmpty`.
    `needed` are the names that callers bind for a rule.
    """

    def __init__(self, request: EditRequest, names: str) -> None:
        """Raises what is wrong with a rule, whether it is called or not."""
        self._request, self._names, self._rules = request, names, request.rules
        self._compiled: dict[tuple[int, Bound, str], CompiledOp] = {}
        self._conditions: dict[int, tuple[RuleFinder, ...]] = {}
        self._filters: dict[int, Prefilter] = {}
        self.rows = [_rows_of(rule) for rule in request.rules]
        self.calls: list[list[OneCall]] = []
        self.needed: list[set[str]] = [set() for _ in request.rules]
        numbers = {rule["id"]: number for number, rule in enumerate(request.rules)}
        known = [names_of(rule, own=False) for rule in request.rules]
        for rule in request.rules:
            self.calls.append([])
            for entry in rule.get("then", ()):
                for number in (numbers[id] for id in entry["use"]):
                    pairs = bound_names(entry).items()
                    own = tuple(pair for pair in pairs if pair[0] in known[number])
                    self.needed[number].update(name for name, _ in own)
                    empties = bool(entry.get("deleteEmpty"))
                    self.calls[-1].append((number, own, entry["in"], empties))
        groups = {*shipped.names()}  # whose rules compile
        for at, rule in enumerate(request.rules):
            if rule["id"].rpartition("/")[0] not in groups:
                self.check(at)

    def check(self, rule: int) -> None:
        """Raises what is wrong with a rule that nothing compiles before it is called."""
        content = self._rules[rule]
        if is_triggered(content) or "fix" not in content:
            stand_in = tuple((name, "a_name") for name in sorted(self.needed[rule]))
            for row in self.rows[rule]:
                self.op(rule, stand_in, row)

    def op(self, rule: int, texts: Bound, row: Row) -> CompiledOp:
        key = (rule, texts, row.name)
        if (op := self._compiled.get(key)) is None:
            content = {**bound(self._rules[rule], dict(texts)), "language": row.name}
            op = Rulebook(replace(self._request, ops=[], rules=[content]), self._names).alone(row)
            op.index = rule
            if op.rewrite is not None:
                op.rewrite.op = rule
            self._compiled[key] = op
            assert op.reported is not None
            self._conditions[id(op)], op.reported.conditions = op.reported.conditions, ()
        return op

    def admits(self, op: CompiledOp, state: CascadedFile) -> bool:
        """Whether a file met the preconditions of a rule before anything was made in it."""
        tree, text = state.first
        conditions = self._conditions[id(op)]
        return all(condition.find(tree.root_node, text) for condition in conditions)

    def filter(self, op: CompiledOp) -> Prefilter:
        if id(op) not in self._filters:
            self._filters[id(op)] = Prefilter([op.finder])
        return self._filters[id(op)]

    def condition(self, rule: int, condition: Mapping[str, Any], row: Row) -> CompiledOp:
        inner = {key: value for key, value in condition.items() if key != "in"}
        content = {"id": self._rules[rule]["id"], "language": row.name, "rule": inner}
        return Rulebook(replace(self._request, ops=[], rules=[content]), self._names).alone(row)


class CascadeFiles:
    """The files that a cascade may read, and those that it has opened."""

    def __init__(
        self,
        request: EditRequest,
        read: Read,
        prepared: PreparedRun,
        rules: CompiledRules,
        barred: BarredRanges,
    ) -> None:
        self._request, self._read, self._rules, self.prepared = request, read, rules, prepared
        self._barred = barred
        self.states: dict[str, CascadedFile] = {}
        self.outcomes: dict[str, FileData] = {}
        self._raw: dict[str, bytes] = {}
        self._size = 0
        have = {job.path for job in prepared.jobs}
        names = {row.name for rows in rules.rows for row in rows}
        more = [  # of languages in which there are called rules alone
            Job(path, row)
            for path in prepared.discovery.files
            if path not in have and (row := prepared.engine.language(path)) is not None
            if row.name in names
        ]
        prepared.jobs = sorted([*prepared.jobs, *more], key=lambda job: os.fsencode(job.path))
        self.jobs = prepared.jobs

    def read(self, job: Job) -> bytes | None:
        known = self._raw.get(job.path)
        if known is not None or (job.path in self.outcomes and self.outcomes[job.path].skip):
            return known
        raw, mode, skip = read_within(self._read, job.path, self._request.max_file_size)
        data = FileData(read=len(raw or b""), searched=skip is None, skip=skip, mode=mode)
        self.outcomes[job.path] = data
        if raw is None or skip is not None:
            return None
        if self._size + len(raw) <= _CACHED:
            self._size += len(raw)
            self._raw[job.path] = raw
        return raw

    def opened(self, job: Job, raw: bytes) -> CascadedFile | None:
        data = self.outcomes[job.path]
        reason = kept_out(job.path, raw, self._request)
        if reason is not None or (is_binary(raw) and raw[:2] not in BOMS):
            data.skip = (reason or "binary", None)
            return None
        try:
            source = source_of(raw, job.row.name, self._request.encoding)
        except NotDecodable:
            data.skip = ("not_utf8", "name its encoding with --encoding")
            return None
        barred = self._barred.get(job.path, ())
        state = CascadedFile(job, source, data.mode, load(job.row), self._request, barred)
        self.states[job.path] = state
        return state

    def admitted_in_project(self, rule: int) -> bool:
        """Whether the preconditions of a rule that are about the project hold."""
        conditions = self._request.rules[rule].get("preconditions", ())
        return all("in" not in one or self._somewhere(rule, one) for one in conditions)

    def _somewhere(self, rule: int, condition: Mapping[str, Any]) -> bool:
        for job in self.jobs:
            if job.row not in self._rules.rows[rule] or (raw := self.read(job)) is None:
                continue
            op = self._rules.condition(rule, condition, job.row)
            if not Prefilter([op.finder]).may_match(raw):  # the op lives no longer than this
                continue
            if op.finder.find(load(job.row).parser().parse(raw).root_node, raw):
                return True
        return False


def _rows_of(rule: Mapping[str, Any]) -> list[Row]:
    raw = rule["language"]
    rows = (named(name) for name in (raw if isinstance(raw, list) else [raw]))
    return [row for row in rows if row is not None]
