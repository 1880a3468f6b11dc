"""Strings in the code of strings: other quotes, or the interpreter decides."""

import ast
import sys
from pathlib import Path

import pytest

from tests.support.engine_edit import edited
from tests.support.lists import rows

ROWS = rows(Path(__file__).with_suffix(".txt"))


@pytest.mark.parametrize(("out", "captured", "written"), ROWS["quotes differ from those around"])
def test_quotes_differ_from_those_around(out: str, captured: str, written: str) -> None:
    text, _ = edited("python", f"x = show({captured})\n", ("show($A)", out))
    assert text == f"x = {written}\n"


@pytest.mark.parametrize("captured", ['q["it\'s"]', '"a\\n"', 'f"{x}" "it\'s"'])
def test_what_would_say_something_else_stays(captured: str) -> None:
    """Before Python 3.12 such a text cannot be read, so it is not written."""
    text, data = edited("python", f"x = show({captured})\n", ("show($A)", 'f"{$A}"'))
    if sys.version_info >= (3, 12):
        shown = next(node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.JoinedStr))
        (put,) = shown.values
        assert isinstance(put, ast.FormattedValue)
        assert ast.dump(put.value) == ast.dump(ast.parse(captured, mode="eval").body)
        assert not data.blocked
    else:
        assert text == f"x = show({captured})\n"
        assert [one.reason for one in data.blocked] == ["breaks_syntax"]


def test_quotes_change_in_an_edit_within_a_capture() -> None:
    text, _ = edited("python", 'x = show(old("k"))\n', ("show($A)", 'f"{$A}"'), ("old($A)", "$A"))
    assert text == "x = f\"{'k'}\"\n"


def test_other_edits_of_the_file_keep_their_quotes() -> None:
    source = 'a = show(q["k"])\nb = show("l")\nc = "m"\n'
    text, _ = edited("python", source, ("show($A)", 'f"{$A}"'), ("c = $A", 'd = $A + "n"'))
    assert text == 'a = f"{q[\'k\']}"\nb = f"{\'l\'}"\nd = "m" + "n"\n'
