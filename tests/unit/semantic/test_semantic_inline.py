"""Inlining that would change what the program does: the place and the reason are said."""

from pathlib import Path

import pytest

from astedit.errors import AstEditError
from tests.support.lists import rows
from tests.support.refactoring import planned, tree_of

ROWS = rows(Path(__file__).with_suffix(".txt"))


@pytest.mark.parametrize(("target", "text", "why"), ROWS["refused"])
def test_what_would_change_is_refused(tmp_path: Path, target: str, text: str, why: str) -> None:
    with pytest.raises(AstEditError) as caught:
        planned(tree_of(tmp_path, {"m.py": text}), "inline", target)
    assert (caught.value.code, caught.value.exit_code) == ("would_change", 3)
    assert why in str(caught.value)


def test_a_name_of_another_module_is_refused(tmp_path: Path) -> None:
    files = {"m.py": "y = 1\n\n\ndef f():\n    return y\n", "n.py": "from m import f\nprint(f())\n"}
    with pytest.raises(AstEditError, match="y means something else there"):
        planned(tree_of(tmp_path, files), "inline", "m.py::f")


@pytest.mark.parametrize("target", ["m.py:1:8", "m.py:9:1", "m.py:2:1"])
def test_a_place_that_is_no_name_of_the_module(tmp_path: Path, target: str) -> None:
    with pytest.raises(AstEditError) as caught:
        planned(tree_of(tmp_path, {"m.py": "import os\nos.sep\n"}), "inline", target)
    assert caught.value.exit_code == 2
