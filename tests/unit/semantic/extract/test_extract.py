"""Extractions that would change what the program does: the reason is said."""

from pathlib import Path

import pytest

from astedit.errors import AstEditError
from astedit.model.plan import Plan
from tests.support.lists import rows
from tests.support.refactoring import planned, selected, tree_of

ROWS = rows(Path(__file__).with_suffix(".txt"))


def extracted(root: Path, kind: str, marked: str, name: str = "new") -> Plan:
    files = {"m.py": marked}
    place = selected(files)
    return planned(tree_of(root, files), "extract", kind, place, name)


@pytest.mark.parametrize(("kind", "marked", "why"), ROWS["refused"])
def test_what_would_change_is_refused(tmp_path: Path, kind: str, marked: str, why: str) -> None:
    with pytest.raises(AstEditError) as caught:
        extracted(tmp_path, kind, marked)
    assert (caught.value.code, caught.value.exit_code) == ("would_change", 3)
    assert why in str(caught.value)


@pytest.mark.parametrize(("kind", "marked", "name", "code"), ROWS["what is no request says why"])
def test_what_is_no_request_says_why(
    tmp_path: Path, kind: str, marked: str, name: str, code: str
) -> None:
    with pytest.raises(AstEditError) as caught:
        extracted(tmp_path, kind, marked, name)
    assert caught.value.code == code


@pytest.mark.parametrize("place", ["m.py:1", "m.py:0-1", "m.py:1-9", "m.py:1:9-1:9", "m.py:1-1:99"])
def test_a_place_that_is_none(tmp_path: Path, place: str) -> None:
    with pytest.raises(AstEditError) as caught:
        planned(tree_of(tmp_path, {"m.py": "x = 1\n"}), "extract", "variable", place, "y")
    assert (caught.value.code, caught.value.exit_code) == ("bad_range", 2)
