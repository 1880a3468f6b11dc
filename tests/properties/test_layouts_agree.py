"""An edit that keeps the layout says what the plain text of its template says.

Both ways of writing an edit are held against each other over real code: what one can write the
other can, and but for white space and the comma at the end of a list it is the same.
"""

import re
from pathlib import Path
from random import Random

import pytest

from tests.support.engine_edit import edited
from tests.support.lists import lists
from tests.support.meaning.real_code import sources

LISTS = lists(Path(__file__).with_suffix(".txt"))
PATTERNS, TEMPLATES = LISTS["patterns"], LISTS["templates"]
WHITE, LAST = re.compile(r"\\\n|\s+"), re.compile(r",([)\]}])")


def plainly(text: str) -> str:
    return LAST.sub(r"\1", WHITE.sub("", text))


@pytest.mark.parametrize(
    ("seed", "files"), [(1, 25), pytest.param(2, 1_000, marks=pytest.mark.slow)]
)
def test_kept_and_plain_layouts_say_the_same(seed: int, files: int) -> None:
    random = Random(seed)
    edits = 0
    for text in sources(random, files):
        op = random.choice(PATTERNS), random.choice(TEMPLATES)
        kept, of_kept = edited("python", text, op)
        plain, of_plain = edited("python", text, op, layout="template")
        written = {blocked.span for blocked in of_plain.blocked}
        worse = [blocked for blocked in of_kept.blocked if blocked.span not in written]
        assert not worse, (op, worse[0].text, worse[0].detail)
        if len(of_kept.blocked) == len(of_plain.blocked):  # plain text loses comments
            assert plainly(kept) == plainly(plain), op
        edits += len(of_kept.edits)
    assert edits > files / 5
