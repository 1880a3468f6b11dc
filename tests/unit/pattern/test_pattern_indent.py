"""Indentation: the unit of a file, scaled templates, lines that move. (rules F7, F8)"""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from astedit.text.indent import Text, join, leading, rescale, shift, strip, template_unit, unit_of
from tests.support.lists import rows

ROWS = rows(Path(__file__).with_suffix(".txt"))


@pytest.mark.parametrize(("source", "unit"), ROWS["the unit of a file"])
def test_the_unit_of_a_file(source: bytes, unit: bytes) -> None:
    assert unit_of(source) == unit


def test_lines_inside_of_literals_say_nothing_about_the_unit() -> None:
    source = b"a\n    b('''\n  c\n      d\n  e\n      f''')\n"
    starts = [i + 1 for i, char in enumerate(source) if char == 10][1:-1]
    assert unit_of(source, frozenset(starts)) == b"    "


@pytest.mark.parametrize(
    ("widths", "unit"),
    [([], 4), ([4, 8], 4), ([2, 4], 2), ([2, 6], 2), ([3], 3), ([5, 10], 5), ([1, 4], 4), ([9], 0)],
)
def test_the_unit_of_a_template(widths: list[int], unit: int) -> None:
    assert template_unit(widths) == unit


@pytest.mark.parametrize(("white", "unit", "to", "expected"), ROWS["rescaling"])
def test_rescaling(white: bytes, unit: int, to: bytes, expected: bytes) -> None:
    assert rescale(white, unit, to) == expected


LINES = st.lists(st.sampled_from(["", "a", "  b", "    c", "\td", "  ", "   e\r"])).map("\n".join)


@given(LINES)
def test_moving_there_and_back_changes_nothing(text: str) -> None:
    here = Text(text.encode())
    assert shift(shift(here, b"", b"      "), b"      ", b"").data == here.data


@given(LINES, st.data())
def test_frozen_and_blank_lines_do_not_move(text: str, data: st.DataObject) -> None:
    source = text.encode()
    starts = [i + 1 for i, byte in enumerate(source) if byte == 10]
    frozen = sorted(data.draw(st.sets(st.sampled_from(starts)) if starts else st.just(set())))
    moved = shift(Text(source, frozen), b"", b"xx")
    before, after = source.split(b"\n"), moved.data.split(b"\n")
    for index, (old, new) in enumerate(zip(before, after, strict=True)):
        stays = index == 0 or not old.strip() or starts[index - 1] in frozen
        assert new == (old if stays else b"xx" + old)
    kept = [moved.data[at:].split(b"\n")[0] for at in moved.frozen]
    assert kept == [source[at:].split(b"\n")[0] for at in frozen]


@pytest.mark.parametrize(("text", "old", "new", "expected"), ROWS["lines indented less move"])
def test_lines_indented_less_move_as_far(
    text: bytes, old: bytes, new: bytes, expected: bytes
) -> None:
    assert shift(Text(text), old, new).data == expected


def test_joining_carries_the_frozen_lines() -> None:
    joined = join([Text(b"ab\nc", [3]), Text(b"d\ne", [2])])
    assert (joined.data, joined.frozen) == (b"ab\ncd\ne", [3, 6])


def test_stripping_carries_the_frozen_lines() -> None:
    text = Text(b"\n a\nb\n", [4])
    stripped = strip(text, left=True, right=True)
    assert (stripped.data, stripped.frozen) == (b"a\nb", [2])
    assert strip(text, left=False, right=False) == text


@pytest.mark.parametrize(("source", "offset", "white"), ROWS["the white space before a place"])
def test_the_white_space_before_a_place(source: bytes, offset: int, white: bytes) -> None:
    assert leading(source, offset) == white
