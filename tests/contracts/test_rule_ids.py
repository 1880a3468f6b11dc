"""Every statement of the rule language has a test that carries its id."""

import re
from pathlib import Path

import pytest

TESTS = Path(__file__).parents[1]
COUNTS = {"A": 6, "R": 7, "C": 5, "U": 3, "K": 4, "T": 9, "F": 15, "G": 6, "D": 4, "X": 2}
IDS = [f"{letter}{at}" for letter, count in COUNTS.items() for at in range(1, count + 1)]
PLACES = ("unit/rule", "unit/engine", "unit/rewrite", "unit/testing", "differential", "surfaces")
TEXT = "".join(
    path.read_text()
    for place in PLACES
    for kind in ("test_*.py", "test_*.txt", "*_cases.yml")
    for path in sorted((TESTS / place).glob(kind))
)


@pytest.mark.parametrize("id", IDS)
def test_every_id_names_a_test_or_a_case(id: str) -> None:
    named = re.search(rf'def test_{id.lower()}_|"{id}[-" ]|^(id: )?{id}[- ]', TEXT, re.MULTILINE)
    assert named, f"no test names {id}"
