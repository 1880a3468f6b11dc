"""`python -m benchmarks.review_order`: how soon wrong edits are shown among right ones.

5,000 edits over sympy, Django and Home Assistant, 20 of them made wrong by `planted.py`,
which knows nothing of the order: how many are among the first 60 that are shown. At random
it would be 0.24.
"""

import argparse
import random
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import astedit
from astedit.model.edit import FilePlan
from astedit.model.plan import Plan
from astedit.review.order import ordered
from benchmarks.corpora import DJANGO, HOME_ASSISTANT, SYMPY, joined_tree
from benchmarks.planted import plant

EDITS, WRONG, FIRST = 5_000, 20, 60
REWRITES = {
    "isinstance($A, $B)": "is_a($A, $B)",
    "$A.get($B, $C)": "lookup($A, $B, default=$C)",
    "assert $A == $B": "assert same($A, $B)",
    "_LOGGER.debug($$$A)": "LOG.info($$$A)",
    "$A.append($B)": "push($A, $B)",
    "raise ValueError($$$A)": "raise Wrong($$$A)",
    "super().__init__($$$A)": "super().__init__($$$A, strict=True)",
    "$A[$B] = $C": "$A.put($B, $C)",
    "len($A)": "size($A)",
    "$A is None": "none($A)",
}


def main(arguments: Sequence[str] | None = None) -> None:
    """Prints a line for each seed, of all rewrites together and of each alone."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=3)
    seeds = range(parser.parse_args(arguments).seeds)
    plan = _plan(joined_tree("review-order", (SYMPY, DJANGO, HOME_ASSISTANT)))
    print(f"{plan.total_replacements:,} edits to choose {EDITS:,} from")
    for op in (None, *range(len(REWRITES))):
        hits = [_hits(plan, op, seed) for seed in seeds]
        name = "all" if op is None else plan.request.ops[op].pat
        print(f"{name:<28} {', '.join(f'{hit} of {wrong}' for hit, wrong in hits)}", flush=True)


def _plan(tree: Path) -> Plan:
    ops = [{"pat": pattern, "out": template} for pattern, template in REWRITES.items()]
    return astedit.ast_edit(ops, root=tree, lang="python", no_ignore=["vendored", "generated"])


def _hits(plan: Plan, op: int | None, seed: int) -> tuple[int, int]:
    """How many of the wrong ones are shown first, and how many there are."""
    files, wrong = plant(_chosen(plan, op, seed), WRONG, seed)
    groups = ordered(replace(plan, files=files, shapes=[]))
    shown = [each.edit.id for group in groups for each in group.edits]
    return len(wrong.intersection(shown[:FIRST])), len(wrong)


def _chosen(plan: Plan, op: int | None, seed: int) -> list[FilePlan]:
    """The files with so many edits at random, of one op or of all."""
    edits = [edit.id for file in plan.files for edit in file.edits if op in (None, edit.op)]
    kept = set(random.Random(seed).sample(edits, min(EDITS, len(edits))))
    parts = (replace(file, edits=[e for e in file.edits if e.id in kept]) for file in plan.files)
    return [part for part in parts if part.edits]


if __name__ == "__main__":
    main()
