"""The lines of one edit as people read them, with the words that differ."""

from pathlib import Path

import pytest

from astedit.model.edit import Edit
from astedit.review.excerpt import MOST_ALIKE, MOST_CHARACTERS, changed_words, excerpt
from tests.support.lists import rows

ROWS = rows(Path(__file__).with_suffix(".txt"))

SOURCE = b"import os\n\ndef f(self):\n    self.x = g(1)\n    return 2\n"


def edit(source: bytes, old: bytes, new: bytes) -> Edit:
    """An edit of the first such text of a source."""
    start = source.index(old)
    line = source.count(b"\n", 0, start) + 1
    texts = old.decode(), new.decode()
    return Edit("0" * 12, 0, None, start, start + len(old), line, 1, *texts, new=new)


def words(before: str, after: str) -> tuple[list[str], list[str]]:
    old, new = changed_words(before, after)
    return [before[a:b] for a, b in old], [after[a:b] for a, b in new]


@pytest.mark.parametrize(("before", "after", "gone", "came"), ROWS["words that differ"])
def test_words_that_differ(before: str, after: str, gone: list[str], came: list[str]) -> None:
    assert words(before, after) == (gone, came)


def test_very_many_words_differ_as_a_whole_at_once() -> None:
    before, after = "a b " * 5_000, "a c " * 5_000
    assert words(before, after) == ([before], [after])


def test_a_definition_that_begins_above_the_lines_is_named_first() -> None:
    far = SOURCE.replace(b"    self.x", b"    a = 1\n    b = 2\n    self.x")
    lines = excerpt(edit(far, b"self.x = g(1)", b"pass"), far, 1)
    assert [(line.side, line.text) for line in lines[:2]] == [("@", "f"), (" ", "    b = 2")]


def test_an_excerpt_has_the_lines_of_the_edit_and_those_around() -> None:
    lines = excerpt(edit(SOURCE, b"self.x = g(1)", b"setattr(self, 'x',\n    g(1))"), SOURCE, 1)
    assert [(line.side, line.old, line.new, line.text) for line in lines] == [
        (" ", 3, 3, "def f(self):"),
        ("-", 4, None, "    self.x = g(1)"),
        ("+", None, 4, "    setattr(self, 'x',"),
        ("+", None, 5, "    g(1))"),
        (" ", 5, 6, "    return 2"),
    ]
    assert [[line.text[a:b] for a, b in line.changed] for line in lines[1:4]] == [
        [".", "="],
        ["setattr(", ", '", "',"],
        [")"],
    ]


def test_without_the_content_the_edit_itself_is_shown() -> None:
    assert [
        (line.side, line.old or line.new, line.text)
        for line in excerpt(edit(SOURCE, b"g(1)", b"h(1)"), None)
    ] == [("-", 4, "g(1)"), ("+", 4, "h(1)")]


def test_carriage_returns_of_line_ends_are_left_out_unless_they_differ() -> None:
    source = SOURCE.replace(b"\n", b"\r\n")
    assert "\r" not in "".join(line.text for line in excerpt(edit(source, b"g(1)", b"h"), source))
    mixed = excerpt(edit(SOURCE, b"g(1)\n", b"h(1)\r\n"), SOURCE)
    assert "\r" in "".join(line.text for line in mixed)


def test_a_huge_edit_is_cut_on_both_sides_and_says_by_how_much() -> None:
    source = b"\n".join(b"line %d" % at for at in range(1_000))
    lines = excerpt(edit(source, source[7:-8], b"x = 1\n" * 500), source)
    assert "".join(line.side for line in lines) == f" {'-' * MOST_ALIKE}…{'+' * MOST_ALIKE}… "
    assert [line.text for line in lines if line.side == "…"] == ["982 more lines", "484 more lines"]


def test_a_long_line_is_cut_around_what_changes() -> None:
    source = b"x" * 5_000_000 + b" old " + b"y" * 5_000_000
    old, new = excerpt(edit(source, b"old", b"new"), source)
    assert max(len(old.text), len(new.text)) <= MOST_CHARACTERS + 2
    assert old.text[old.changed[0].start : old.changed[0].end] == "old"
    assert new.text[new.changed[0].start : new.changed[0].end] == "new"
