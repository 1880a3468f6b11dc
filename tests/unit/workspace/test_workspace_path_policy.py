"""The table of paths no edit may touch, and its disguises."""

from pathlib import Path

import pytest

from astedit.workspace.path_policy import TABLE, classify, is_vendored, plain_name
from tests.support.lists import lists, rows

ROWS = rows(Path(__file__).with_suffix(".txt"))

LISTS = lists(Path(__file__).with_suffix(".txt"))


@pytest.mark.parametrize(("path",), ROWS["never"])
def test_never(path: str) -> None:
    assert classify(path) == "never"


@pytest.mark.parametrize("path", LISTS["protected"])
def test_protected(path: str) -> None:
    assert classify(path) == "protected"


@pytest.mark.parametrize(("path",), ROWS["anything else may be edited"])
def test_anything_else_may_be_edited(path: str) -> None:
    assert classify(path) is None


@pytest.mark.parametrize(("path",), ROWS["noted"])
def test_noted(path: str) -> None:
    assert classify(path) == "noted"


def test_the_table_is_written_as_names_are_compared() -> None:
    """An entry with a capital letter would fit nothing."""
    entries = [entry for entries in TABLE.values() for entry in entries.split()]
    assert len(entries) == len(set(entries)) > 70
    names = [entry.strip("/*").rstrip(".") for entry in entries]
    assert [name for name in names if plain_name(name) != name] == []


@pytest.mark.parametrize("name", ["node_modules", "vendor", "third_party", "site-packages"])
def test_vendored_is_a_matter_of_directories(name: str) -> None:
    assert is_vendored(f"{name}/a.py")
    assert is_vendored(f"x/{name}/y/a.py")
    assert not is_vendored(name)
    assert not is_vendored(f"x/my{name}/a.py")
    assert not is_vendored(f"{name}.py")
