"""Whatever is rejected of a cascade: what is applied is the cascade of the seeds that are left."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

import pytest

import astedit
from astedit.interface.work import StagedPlan, Work
from tests.support.cases import tree

NAMES = [f"v{number}" for number in range(4)]
FILES = ["a.py", "b.py", "p/c.py"]
# A use is cleaned in all files for any seed of its name; a `both` goes when no use is left of two
# names; a `pair` loses the half of each name, in one place; `wrap` goes around a seed.
RULES = tree("causes")["rules.yml"]


def drawn(random: Random) -> dict[str, str]:
    """Some files; each seed is a statement of its own."""
    texts = {}
    for name in FILES:
        lines = []
        for _ in range(random.randrange(2, 9)):
            one, other = random.sample(NAMES, 2)
            kinds = (
                f"seed({one})",
                f"wrap(seed({one}))",
                f"use({one})",
                f"both({one}, {other})",
                f"pair({one}, pair({other}, 0))",
                f"after({one})",
            )
            lines.append(random.choice(kinds))
        texts[name] = "".join(f"{line}\n" for line in lines)
    return texts


@contextmanager
def workspace(texts: dict[str, str]) -> Iterator[Work]:
    with TemporaryDirectory() as folder:
        root = Path(folder, "root")
        for name, text in texts.items():
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_text(text)
        yield astedit.open(root, state_dir=Path(folder, "state"))


def staged(work: Work) -> StagedPlan:
    return work.edit(rules=RULES)


def texts_of(work: Work) -> dict[str, str]:
    return {name: Path(work.root, name).read_text() for name in FILES}


def without(texts: dict[str, str], places: list[tuple[str, int]]) -> dict[str, str]:
    """The texts with seeds at these lines that nobody knows as such."""
    hidden = {}
    for name, text in texts.items():
        lines = text.splitlines(keepends=True)
        for path, line in places:
            if path == name:
                lines[line - 1] = lines[line - 1].replace("seed(", "weed(")
        hidden[name] = "".join(lines)
    return hidden


def expected(texts: dict[str, str], rejected: list[tuple[str, int]]) -> dict[str, str]:
    """What the cascade makes of the seeds that are left."""
    with workspace(without(texts, rejected)) as work:
        plan = staged(work)
        if plan.files:
            plan.apply("all of it")
        return {name: text.replace("weed(", "seed(") for name, text in texts_of(work).items()}


def check(number: int) -> None:
    random = Random(number)
    texts = drawn(random)
    with workspace(texts) as work:
        plan = staged(work)
        seeds = [
            (edit.id, (file.path, edit.shown_line))
            for file in plan.files
            for edit in file.edits
            if not edit.because
        ]
        rejected = [seed for seed in seeds if random.random() < 0.4]
        if not rejected or len(rejected) == len(seeds):
            return
        wanted = expected(texts, [place for _, place in rejected])
        plan.apply("a part", exclude=[id for id, _ in rejected])
        assert texts_of(work) == wanted


@pytest.mark.parametrize("number", range(6))
def test_a_part_is_the_cascade_of_its_seeds(number: int) -> None:
    check(number)


@pytest.mark.slow
@pytest.mark.parametrize("first", range(100, 300, 20))
def test_sixty_parts_are_cascades_of_their_seeds(first: int) -> None:
    for number in range(first, first + 6):
        check(number)
