"""What a cascade comes to: one net edit a place, each with its causes. (CB6)"""

import time
from collections import Counter
from collections.abc import Container, Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from astedit.engine.cascade.compiled import CascadeFiles
from astedit.engine.cascade.places import CalledRule, NetEdit
from astedit.engine.run.merge import Merge
from astedit.engine.run.prepare import Evidence
from astedit.engine.whole_files import deleted, with_files
from astedit.model.edit import Edit, FilePlan
from astedit.model.plan import Plan
from astedit.model.request import EditRequest
from astedit.text import number

_LEFT = 20  # places left to a person that are named


@dataclass(slots=True)
class CascadeCounts:
    """What is counted on the way: steps by rule, rules not reached, places left to a person."""

    events: int = 0
    counts: Counter[str] = field(default_factory=Counter)
    left: list[str] = field(default_factory=list)
    unreached: Counter[str] = field(default_factory=Counter)

    def lines(self, plan: Plan, gone: int) -> Iterator[str]:
        seeds = self.counts.pop("seeds", 0)
        total = self.counts.total()
        rules = ", ".join(f"{rule} {count}" for rule, count in sorted(self.counts.items()))
        files = number(plan.files_touched, "file")
        deletions = f", {number(gone, 'file')} deleted" if gone else ""
        yield (
            f"cascade: {number(seeds, 'seed')}, {number(total, 'consequence')}"
            f"{f' ({rules})' if rules else ''} in {files}{deletions}"
        )
        if self.unreached:
            names = ", ".join(sorted(self.unreached)[:5])
            yield f"not reached, as what causes it is blocked: {names}"
        yield from (f"left for you: {line}" for line in self.left[:_LEFT])
        if len(self.left) > _LEFT:
            yield f"left for you: {len(self.left) - _LEFT:,} more places"


def net_plan(
    request: EditRequest,
    root: str,
    files: CascadeFiles,
    account: CascadeCounts,
    hunks: bool,
    started: float,
) -> tuple[Plan, Evidence]:
    """Puts the outcomes together; each edit says what caused it."""
    places: dict[str, list[NetEdit]] = {}
    for path, state in files.states.items():
        places[path] = state.finish(hunks)
        files.outcomes[path] = state.data
    rows = [(job, files.outcomes[job.path]) for job in files.jobs if job.path in files.outcomes]
    evidence = Evidence.of(files.prepared, rows, started)
    merge = Merge(request, root, evidence)
    plan = merge.plan()
    of_places: dict[NetEdit, Edit] = {}
    for file in plan.files:
        for edit, place in zip(file.edits, places[file.path], strict=True):
            of_places[place] = edit
            edit.chain = [step for event in place.events for step in event.steps]
    _fill_in_causes(of_places)
    states = ((file, files.states[file.path]) for file in plan.files)
    gone = [file for file, state in states if state.empties and state.is_empty()]
    if gone:
        _delete(plan, gone, files)
    plan.hints = [*merge.hints(), *account.lines(plan, len(gone))]
    plan.stats.seconds["total"] = round(time.perf_counter() - started, 4)
    evidence.nothing = not (plan.files or plan.blocked or plan.displaced)
    return plan, evidence


def _delete(plan: Plan, gone: list[FilePlan], files: CascadeFiles) -> None:
    """Makes the deletion of a file of each of these, with the causes of all its edits."""
    whole: list[FilePlan] = []
    renamed: dict[str, str] = {}
    for file in gone:
        new = deleted(file.path, files.states[file.path].source.raw, file.mode)
        (edit,) = new.edits
        own = {one.id for one in file.edits}
        edit.rule_id = file.edits[0].rule_id
        edit.chain = [step for one in file.edits for step in one.chain]
        if all(one.because for one in file.edits):
            reasons = (cause for one in file.edits for cause in one.because)
            edit.because = [cause for cause in dict.fromkeys(reasons) if cause not in own]
        renamed |= dict.fromkeys(own, edit.id)
        whole.append(new)
        plan.total_replacements -= file.replacements
    plan.files = [file for file in plan.files if file not in gone]
    for other in plan.files + whole:
        for edit in other.edits:
            causes = dict.fromkeys(renamed.get(cause, cause) for cause in edit.because)
            edit.because = [cause for cause in causes if cause != edit.id]
    with_files(plan, whole)


def _fill_in_causes(edits: Mapping[NetEdit, Edit]) -> None:
    """Says of each edit which others caused it; those of the same callers share the list."""
    ranks = {id(edit): rank for rank, edit in enumerate(edits.values())}
    known: dict[frozenset[int], list[str]] = {}
    for place, edit in edits.items():
        if any(event.seed for event in place.events):
            continue
        callers = {id(caller): caller for event in place.events for caller in event.callers}
        key = frozenset(callers)
        if key not in known:
            causes = {id(edits[cause]): edits[cause] for cause in _causes(callers.values(), edits)}
            known[key] = [causes[one].id for one in sorted(causes, key=ranks.__getitem__)]
        own = known[key]
        edit.because = [cause for cause in own if cause != edit.id] if edit.id in own else own


def _causes(callers: Iterable[CalledRule], edits: Container[NetEdit]) -> Iterator[NetEdit]:
    """The places with an edit that called; a cause that left no edit stands for its own."""
    seen: set[int] = set()
    stack = list(callers)
    while stack:
        caller = stack.pop()
        if id(caller) in seen:
            continue
        seen.add(id(caller))
        for cause in caller.causes:
            if cause.place is not None and cause.place in edits:
                yield cause.place
            else:
                stack += cause.callers
