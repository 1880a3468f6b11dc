"""One plural, and one way to leave the rest of a list out."""

import re
from pathlib import Path

import astedit
from astedit.text import first_lines, first_names, number

PLURAL = re.compile(r"""(['"]{2} if .* == 1 else ['"]s|['"]s['"] if .* != 1)""")
MORE = re.compile(r"and \{[^}]*\} more")


def test_one_has_no_plural_and_large_counts_are_grouped() -> None:
    assert [number(count, "file") for count in (0, 1, 7_978)] == [
        "0 files",
        "1 file",
        "7,978 files",
    ]
    assert number(1, "match", "matches") == "1 match"
    assert number(2, "match", "matches") == "2 matches"


def test_what_is_left_out_is_counted() -> None:
    assert first_lines([], 2) == []
    assert first_lines(["a", "b"], 2) == ["a", "b"]
    assert first_lines(["a", "b", "c"], 2, indent="  ") == ["a", "b", "  and 1 more"]
    assert first_lines(["a", "b"], 1, total=5) == ["a", "and 4 more"]
    assert first_names(["a", "b"], 2) == "a, b"
    assert first_names(["n"] * 1_002, 2) == "n, n and 1,000 more"


def test_nobody_writes_either_out() -> None:
    folder = Path(str(astedit.__file__)).parent
    texts = {path: path.read_text() for path in folder.rglob("*.py") if path.parent.name != "text"}
    assert [str(path) for path, text in texts.items() if PLURAL.search(text)] == []
    assert [str(path) for path, text in texts.items() if MORE.search(text)] == []
