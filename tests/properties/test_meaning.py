"""What is written means what the template says: held against trees that know no texts.

The oracle is in `tests/support/meaning/`. The default run looks at some hundred edits,
the slow one at twenty thousand.
"""

from random import Random

import pytest

from tests.support.meaning.real_code import pool_of
from tests.support.meaning.trials import Tally, Written, judge, rewritten, trial

FUNCTIONS = 10  # calls that one template is put in the place of, in one text
MOST_BLOCKED = 0.02
CHANCE = 8  # more of them: one template, which a small sample may hold many times


def measured(seed: int, edits: int, files: int) -> Tally:
    random = Random(seed)
    pool = pool_of(random, files)
    tally = Tally()
    while tally.edits < edits:
        if (tried := trial(pool, random, FUNCTIONS)) is not None:
            judge(tried, rewritten(tried), tally)
    return tally


def check(tally: Tally) -> None:
    assert not tally.wrong, f"{len(tally.wrong)} of {tally.edits}\n" + "\n".join(tally.wrong[:3])
    assert len(tally.blocked) <= CHANCE + MOST_BLOCKED * tally.edits, "\n".join(tally.blocked[:3])
    assert tally.right > tally.edits / 2


@pytest.mark.parametrize("seed", [1, pytest.param(2, marks=pytest.mark.slow)])
def test_edits_mean_what_their_template_says(seed: int) -> None:
    check(measured(seed, 120, 15))


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(10, 20))
def test_twenty_thousand_edits_mean_what_their_template_says(seed: int) -> None:
    check(measured(seed, 2000, 80))


def test_another_meaning_is_seen() -> None:
    """The oracle bites: operators that bind otherwise are counted as wrong."""
    random = Random(3)
    pool = pool_of(random, 20)
    tally = Tally()
    while not tally.wrong:
        if (tried := trial(pool, random, FUNCTIONS)) is not None:
            after = rewritten(tried).text.replace(" or ", " and ").replace("+", "-")
            judge(tried, Written(after, []), tally)
