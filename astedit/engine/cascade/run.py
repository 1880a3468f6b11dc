"""Works off the events of a cascade, inner regions before outer ones. (CB1-CB9)"""

import os
import stat
import time
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

from tree_sitter import Node

from astedit.discover.discover import Discovery
from astedit.engine.cascade.compiled import BarredRanges, CascadeFiles, CompiledRules
from astedit.engine.cascade.file_state import (
    BROAD,
    LEVELS,
    Callers,
    CascadedFile,
    Reach,
    apart,
    comments_above,
    stripped,
    tell,
    texts_of,
)
from astedit.engine.cascade.net_plan import CascadeCounts, net_plan
from astedit.engine.cascade.places import Bound, CalledRule, Event, Moves, NewCode
from astedit.engine.files.file import Engine
from astedit.engine.files.outcome import every
from astedit.engine.imports import provided
from astedit.engine.program import CompiledOp, Program
from astedit.engine.rule_program import audible
from astedit.engine.run.jobs import Job
from astedit.engine.run.prepare import Evidence, PreparedRun, compile_languages, prepare_run
from astedit.engine.run_context import Start
from astedit.errors import LimitError
from astedit.language import Row, load
from astedit.language.traits import traits
from astedit.limits import Deadline
from astedit.model.edit import ChainStep
from astedit.model.plan import Plan
from astedit.model.request import EditRequest
from astedit.pattern.find import inside
from astedit.pattern.match import Found
from astedit.rewrite.make.overlap import Site
from astedit.rewrite.make.render import Style
from astedit.rewrite.mend.accept_or_block import settle
from astedit.rule.cascade import is_triggered, may_bind
from astedit.rule.fixes.fix import import_changes, joined
from astedit.rule.scope import EditedFile
from astedit.text import number
from astedit.text.source import BOMS, Change, Lines, line_start
from astedit.workspace.confined_open import Read
from astedit.workspace.root import Workspace

MAX_EVENTS = 100_000


def cascaded(
    request: EditRequest,
    workspace: Workspace,
    start: Start,
    deadline: Deadline,
    hunks: bool,
    ignore: Sequence[str],
    barred: BarredRanges,
) -> tuple[Plan, Evidence]:
    """The plan of rules that cause rules; nothing touches what is `barred`, by path.

    Raises as `engine.run.plan.compute`.
    """
    started = time.perf_counter()
    prepared = prepare_run(
        request, workspace, "edit", start, deadline=deadline, hunks=hunks, ignore=ignore
    )
    cascade = _Cascade(request, workspace.read, prepared, start.names, deadline, barred)
    return cascade.plan(workspace.root, hunks, started)


def cascaded_texts(
    request: EditRequest, texts: Mapping[str, bytes], names: str, row: Row | None = None
) -> Plan:
    """The plan of a cascade over files that are no files yet, by path; of `row`, if it says so."""
    status = os.stat_result((stat.S_IFREG | 0o644, *[0] * 9))

    def read(path: str, limit: int) -> tuple[bytes, os.stat_result]:
        return texts[path], status

    engine = Engine(request, "edit", True, read, names)
    rows = ((path, row or engine.language(path)) for path in texts)
    jobs = [Job(path, known) for path, known in rows if known is not None]
    prepared = PreparedRun(engine, jobs, {}, [], Discovery(files=[*texts]))
    compile_languages(prepared, request, [])
    cascade = _Cascade(request, read, prepared, names, Deadline())
    return cascade.plan(".", True, time.perf_counter())[0]


class _Cascade:
    def __init__(
        self,
        request: EditRequest,
        read: Read,
        prepared: PreparedRun,
        names: str,
        deadline: Deadline,
        barred: BarredRanges = MappingProxyType({}),
    ) -> None:
        self._request, self._names, self._deadline = request, names, deadline
        self._compiled = CompiledRules(request, names)
        self._files = CascadeFiles(request, read, prepared, self._compiled, barred)
        self._account = CascadeCounts()
        self._rules = request.rules
        self._limit = request.max_events or MAX_EVENTS
        self._pending: dict[str, dict[str, list[CalledRule]]] = {}
        self._broad: list[CalledRule] = []
        self._tasks: dict[tuple[Any, ...], CalledRule] = {}
        self._only_causing: set[tuple[Any, ...]] = set()

    # The order of things

    def plan(self, root: str, hunks: bool, started: float) -> tuple[Plan, Evidence]:
        """Everything that comes of it."""
        self._run()
        return net_plan(self._request, root, self._files, self._account, hunks, started)

    def _run(self) -> None:
        """Seeds first, then what events ask for, inner regions before outer ones."""
        seeds = [at for at, rule in enumerate(self._rules) if not is_triggered(rule)]
        seeds = [at for at in seeds if self._files.admitted_in_project(at)]
        tasks = [CalledRule(at, (), "seed") for at in seeds]
        jobs = self._files.jobs
        for job in jobs:
            self._deadline.check()
            self._in_file(job, [task for task in tasks if self._applies(task, job)])
        while True:
            for path in [job.path for job in jobs if job.path in self._pending]:
                self._drain(self._files.states[path])
            if not self._broad:
                break
            broad, self._broad = self._broad, []
            broad.sort(key=lambda task: LEVELS.index(task.scope))
            for job in jobs:
                self._deadline.check()
                self._in_file(job, [task for task in broad if self._applies(task, job)])

        for state in self._files.states.values():
            self._change_imports(state)

    def _change_imports(self, state: CascadedFile) -> None:
        """Makes what the edits of a file ask of its imports, once, when all of them are made."""
        asking, names = state.importing, provided(self._names)
        if not asking or names is None:
            return
        asked = joined(import_changes(self._rules[event.rule]["imports"]) for event in asking)
        file = EditedFile(state.job.path, state.job.row.name, state.source.text, state.text)
        changes = [one for one in names.import_edits(file, asked) if state.is_allowed(one)]
        caller = CalledRule(asking[0].rule, (), "file", causes=dict.fromkeys(asking))
        id = self._rules[caller.rule]["id"]
        texts = [(state.text[start:end].decode(), new.decode()) for start, end, new in changes]
        events = [Event(caller.rule, [ChainStep(id, *text)], [caller]) for text in texts]
        if changes:
            state.accept(changes, events)

    def _applies(self, task: CalledRule, job: Job) -> bool:
        if job.row not in self._compiled.rows[task.rule]:
            return False
        if task.scope == "dir":
            return os.path.dirname(job.path) == task.under
        return task.scope != "tree" or not task.under or job.path.startswith(task.under + "/")

    def _in_file(self, job: Job, tasks: list[CalledRule]) -> None:
        """Runs tasks over one file, which is read only if it may hold one of their matches."""
        ops = [(task, self._compiled.op(task.rule, task.bound, job.row)) for task in tasks]
        if (state := self._files.states.get(job.path)) is None:
            raw = self._files.read(job) if ops else None
            if raw is None:
                return
            wide = raw[:2] in BOMS
            if not wide and not any(self._compiled.filter(op).may_match(raw) for _, op in ops):
                return
            state = self._files.opened(job, raw)
        if state is not None:
            self._wave(state, [task for task, _ in ops])

    def _drain(self, state: CascadedFile) -> None:
        pending = self._pending.get(state.job.path, {})
        while pending:
            self._wave(state, pending.pop(min(pending, key=LEVELS.index)))
        self._pending.pop(state.job.path, None)

    # One turn over one file

    def _wave(self, state: CascadedFile, tasks: Sequence[CalledRule]) -> None:
        self._deadline.check()
        by_op: dict[int, tuple[CompiledOp, Callers]] = {}
        root = state.tree.root_node
        reaches: dict[tuple[str, int, int], Reach] = {}  # many rules are called at one place
        for task in tasks:
            task.done = True  # what is asked for from here on is for the new text
            op = self._compiled.op(task.rule, task.bound, state.job.row)
            span = (task.anchor.low, task.anchor.high) if task.anchor else (0, 0)
            if (reach := reaches.get((task.scope, *span))) is None:
                reach = reaches[task.scope, *span] = Reach(root, task.scope, *span)
            by_op.setdefault(id(op), (op, Callers()))[1].add(task, reach)
        ops = sorted((op for op, _ in by_op.values()), key=lambda op: op.index)
        ops = [op for op in ops if self._compiled.admits(op, state)]
        for op in ops:  # a rule that looks far would look from every node of the file
            assert op.reported is not None and op.reported.finder is not None
            op.reported.finder.looks_at = by_op[id(op)][1].of
        pairs, callers = [], {}
        program = Program(state.job.row, load(state.job.row), ops, names=self._names)
        program.audible = audible
        for op, matches in program.find(root, state.text, state.job.path) if ops else ():
            some = []
            for match in inside(matches, state.spans):
                if asking := by_op[id(op)][1].of(match.node):
                    callers[id(match)] = asking
                    some.append(match)
            if some:
                pairs.append((op, some))
        if pairs:
            self._make(state, pairs, callers, root)
        for task in tasks:
            if task.anchor is not None:
                task.anchor.waiting -= 1

    def _make(
        self,
        state: CascadedFile,
        pairs: list[tuple[CompiledOp, list[Found]]],
        callers: Mapping[int, list[CalledRule]],
        root: Node,
    ) -> None:
        text, lines = state.text, Lines(state.text)
        known, grammar = traits(state.job.row.name), load(state.job.row)
        texts = {
            id(match): texts_of(match, text, dict(callers[id(match)][0].bound))
            for _, matches in pairs
            for match in matches
        }
        attached = {
            id(match): list(comments_above(match.node, text))
            for op, matches in pairs
            if op.rewrite is not None and op.rewrite.fix is not None and op.rewrite.fix.attached
            for match in matches
        }
        only = [(op, match) for op, some in pairs if op.rewrite is None for match in some]
        rewriting = [(op.rewrite, some) for op, some in pairs if op.rewrite is not None]
        sites: list[Site] = []
        if rewriting:
            style = Style(text, root, self._request.reindent == "exact", known.facts)
            outcome, accepted = settle(
                rewriting, state.tree, lines, grammar, known, style, state.is_allowed
            )
            sites = [site for site in accepted.sites if site.pieces]
            for at in list(tell(state.data, text, outcome, accepted)):
                for entry in self._rules[at].get("then", ()):
                    self._account.unreached.update(entry["use"])
        rows: list[tuple[Change, Site, Event]] = []
        for site in sites:
            start, end, new = site.change
            above = attached.get(id(site.found), ())
            if above and site.rewrite.deletes:
                start = min(start, line_start(text, above[-1].start_byte))
            steps = [
                ChainStep(
                    self._rules[one.rewrite.op]["id"],
                    text[one.start : one.end].decode("utf-8", "replace"),
                    one.text.data.decode("utf-8", "replace"),
                )
                for one in every(site)
            ]
            tasks = [task for one in every(site) for task in callers.get(id(one.found), ())]
            event = Event(site.rewrite.op, steps, tasks, site.matches)
            rows.append(((start, end, new), site, event))
        rows = apart(rows)
        events = [event for _, _, event in rows]
        self._count(events)
        changes = [change for change, _, _ in rows]
        ranges = state.accept(changes, events) if rows else []
        for (_, site, event), (low, high) in zip(rows, ranges, strict=True):
            above = attached.get(id(site.found), ()) if site.rewrite.deletes else ()
            state.dropped += [(event, text[node.start_byte : node.end_byte]) for node in above]
            low, high = stripped(state.text, low, high)
            node, (start, end, _) = site.found.node, site.change
            if low == high and node.start_byte <= start and end <= node.end_byte:
                # edits within a match took something away: what is left of it is new
                span = Moves(changes).range(node.start_byte, node.end_byte)
                low, high = stripped(state.text, *span)
            code = NewCode(low, high)  # one for all that is called here
            for one in every(site):
                rule = self._rules[one.rewrite.op]
                state.empties = state.empties or bool(rule.get("deleteEmpty"))
                state.importing += [event] if "imports" in rule else []
                self._cause(state, one.rewrite.op, texts[id(one.found)], event, code)
            for task in event.callers:
                state.empties = state.empties or task.empties
                if task.scope == "ancestors":  # as often as something changes
                    where = (task.rule, task.bound, "ancestors")
                    self._ask(state, *where, event, code, task.empties)
        for op, match in only:
            self._only(state, op, match, callers[id(match)], texts[id(match)])

    def _only(
        self,
        state: CascadedFile,
        op: CompiledOp,
        match: Found,
        tasks: list[CalledRule],
        texts: Mapping[str, str],
    ) -> None:
        """A match of a rule without a fix: it causes, or is left to a person."""
        rule = self._rules[op.index]
        low, high = match.node.start_byte, match.node.end_byte
        key = (op.index, tuple(sorted(texts.items())), state.job.path, low, high)
        if key in self._only_causing:
            return
        self._only_causing.add(key)
        if not rule.get("then"):
            if is_triggered(rule):
                line = Lines(state.text).place(low)[0]
                what = rule.get("message") or rule["id"]
                self._account.left.append(f"{state.job.path}:{line}: {what}")
            return
        self._account.events += 1
        self._cause(state, op.index, texts, Event(op.index, [], tasks), NewCode(low, high))

    def _count(self, events: list[Event]) -> None:
        for event in events:
            self._account.events += len(event.steps)
            for step in event.steps:
                self._account.counts["seeds" if event.seed else step.rule] += 1
        if self._account.events > self._limit:
            raise LimitError(
                f"The cascade did not end within {number(self._limit, 'event')}; "
                "nothing was staged.",
                code="max_events",
                hint="Raise --max-events, or look at the rules with --explain-cascade.",
            )

    def _cause(
        self, state: CascadedFile, rule: int, texts: Mapping[str, str], event: Event, code: NewCode
    ) -> None:
        """Asks for what a rule calls, with what it has captured."""
        for called, binds, scope, empties in self._compiled.calls[rule]:
            values = {name: texts[capture] for name, capture in binds if capture in texts}
            if self._compiled.needed[called] - values.keys():
                continue  # of a group: others call it, with what it needs
            if values and not may_bind(values.values()):
                self._account.unreached[self._rules[called]["id"]] += 1
                continue
            self._ask(state, called, tuple(sorted(values.items())), scope, event, code, empties)

    def _ask(
        self,
        state: CascadedFile,
        rule: int,
        texts: Bound,
        scope: str,
        event: Event,
        code: NewCode,
        empties: bool,
    ) -> None:
        under = os.path.dirname(state.job.path) if scope in ("dir", "tree") else ""
        where: tuple[Any, ...] = () if scope in BROAD else (state.job.path,)
        if scope in ("parent", "ancestors", "definition", "class"):
            where += (code.low, code.high, hash(state.text))
        key = (rule, texts, scope, under, *where)
        if (task := self._tasks.get(key)) is not None:
            task.causes[event] = None
            if scope != "file" or not task.done:
                return
        task = CalledRule(rule, texts, scope, None, under, {event: None}, empties)
        self._tasks[key] = task
        if scope in BROAD:
            self._broad.append(task)
            return
        task.anchor = code
        if not code.waiting:
            state.anchors.append(code)
        code.waiting += 1
        self._pending.setdefault(state.job.path, {}).setdefault(scope, []).append(task)
