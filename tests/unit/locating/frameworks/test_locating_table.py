"""Which files can say something about routes and clients, by their marks."""

from pathlib import Path

import pytest

from astedit.locating.frameworks.table import may_say
from tests.support.lists import rows

ROWS = rows(Path(__file__).with_suffix(".txt"))


@pytest.mark.parametrize(("text", "may"), ROWS["a glance tells a library from a word"])
def test_a_glance_tells_a_library_from_a_word(text: str, may: bool) -> None:
    assert may_say("python", text.encode()) is may
