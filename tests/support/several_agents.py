"""Agents that edit one tree at the same time, each through an open workspace of its own.

`python -m tests.support.several_agents ROOT STATE SEED PLANS` is one of many that previews,
applies and drops at random. `three_in_turn` is a script of three that follow a plan: with the
notices they read what the gate tells them, without them they apply what they have previewed.
"""

import json
import random
import sys
from pathlib import Path
from typing import NamedTuple

import astedit
from astedit import PreconditionError, StagedPlan, StaleError, Work

FILES, CALLS = 6, 5
TOLD = {"stale", "already_resolved", "waits", "not_pending", "busy"}


def make_tree(root: Path) -> None:
    """Files with some calls each, so that plans often meet."""
    for number in range(FILES):
        calls = "".join(f"def d{call}():\n    a{call}(0)\n" for call in range(CALLS))
        (root / f"m{number}.py").write_text(calls)


class Tally(NamedTuple):
    """What came of the applies of one agent."""

    applied: int
    refused: int
    unexpected: list[str]


def at_random(root: Path, state: Path, seed: int, plans: int) -> Tally:
    """Previews so many plans, and decides on each at some later time."""
    chance = random.Random(seed)
    applied, refused, unexpected = 0, 0, []
    waiting: list[StagedPlan] = []
    with astedit.open(root, state_dir=state) as work:
        for number in range(plans):
            plan = _random_plan(work, chance, f"x{seed}_{number}")
            waiting += [plan] if plan is not None else []
            while waiting and (len(waiting) > 3 or chance.random() < 0.6):
                chosen = waiting.pop(chance.randrange(len(waiting)))
                try:
                    if chance.random() < 0.9:
                        chosen.apply("in its turn")
                        applied += 1
                    else:
                        chosen.discard("not needed")
                except PreconditionError as error:
                    refused += 1
                    unexpected += [] if error.code in TOLD else [f"{error.code}: {error}"]
    return Tally(applied, refused, unexpected)


def _random_plan(work: Work, chance: random.Random, new: str) -> StagedPlan | None:
    call, path = chance.randrange(CALLS), f"m{chance.randrange(FILES)}.py"
    pending = work.pending()
    after = chance.choice(pending).id if pending and chance.random() < 0.2 else None
    try:
        plan = work.edit([{"pat": f"a{call}($A)", "out": f"a{call}({new})"}], [path], after=after)
    except PreconditionError as error:
        if error.code not in TOLD:
            raise
        return None
    return plan if plan.action_id else None


class Step(NamedTuple):
    """One preview that an agent has made, and how to make it again."""

    plan: StagedPlan
    ops: list[dict[str, str]]
    path: str


def three_in_turn(root: Path, state: Path, *, notices: bool, rounds: int = 12) -> tuple[int, int]:
    """How many applies failed, of how many, until all that three agents want is done.

    In each round every agent previews one change, and applies the one of the round before.
    """
    make_tree(root)
    failed = tried = 0
    works = [astedit.open(root, state_dir=state) for _ in range(3)]
    waiting: list[list[Step]] = [[], [], []]
    chance = random.Random(7)
    looks = [astedit.Tools(work) for work in works]
    for number in range(rounds + 1):
        for agent, (work, own) in enumerate(zip(works, waiting, strict=True)):
            if number < rounds:
                ops, path = _wanted(chance, number, agent)
                own.append(Step(_preview(work, ops, path, notices=notices), ops, path))
            if len(own) > 1 or number == rounds:
                misses = _decided(work, looks[agent], own.pop(0), notices=notices)
                failed, tried = failed + misses, tried + misses + 1
    for each in (*looks, *works):
        each.close()
    return failed, tried


def _wanted(chance: random.Random, number: int, agent: int) -> tuple[list[dict[str, str]], str]:
    call = chance.randrange(CALLS)
    out = f"a{call}(x{agent}_{number})"
    return [{"pat": f"a{call}($A)", "out": out}], f"m{chance.randrange(2)}.py"


def _preview(work: Work, ops: list[dict[str, str]], path: str, *, notices: bool) -> StagedPlan:
    """With the notices: on top of the newest plan that it overlaps, if that can be."""
    plan = work.edit(ops, [path])
    if notices and plan.overlaps:
        newest = max(overlap.action_id for overlap in plan.overlaps)
        try:
            return work.edit(ops, [path], after=newest, replace=plan.action_id)
        except PreconditionError:
            pass
    return plan


def _decided(work: Work, tools: astedit.Tools, step: Step, *, notices: bool) -> int:
    """Applies a change, again and again until it is in; returns how often that failed."""
    for failed in range(10):
        if notices and not _ready(tools, step.plan):
            step = _again(work, step)
        try:
            step.plan.apply("as previewed")
            return failed
        except StaleError:
            step = _again(work, step)
    raise AssertionError("it never came in")


def _again(work: Work, step: Step) -> Step:
    step.plan.discard("what it was made of has changed")
    return step._replace(plan=work.edit(step.ops, [step.path]))


def _ready(tools: astedit.Tools, plan: StagedPlan) -> bool:
    """Whether `pending` marks a plan neither as stale nor as one that waits for another."""
    rows = {row["id"]: row for row in tools.call("pending", {}).data["pending"]}
    base = None if plan.after is None else plan.after.action_id
    return plan.action_id in rows and not rows[plan.action_id]["stale"] and base not in rows


if __name__ == "__main__":
    place, state_dir, seed_text, count = sys.argv[1:]
    print(json.dumps(at_random(Path(place), Path(state_dir), int(seed_text), int(count))))
