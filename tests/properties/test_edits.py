"""Laws of `astedit.text.source`: what a list of changes means, and two lists after one another."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from astedit.text.source import Change, Lines, compose, splice

TEXTS = st.lists(st.sampled_from([b"a", b"b", b"\n", b"\r\n", b"\xc3\xa9", b"\xff"])).map(b"".join)
SHORT = st.lists(st.sampled_from([b"x", b"y", b"\n"]), max_size=4).map(b"".join)


@st.composite
def changes_of(draw: st.DrawFn, source: bytes) -> list[Change]:
    """Sorted changes of a source that do not overlap; they may touch, be empty, or insert."""
    points = sorted(draw(st.lists(st.integers(0, len(source)), max_size=8)))
    spans = list(zip(points[::2], points[1::2], strict=False))
    return [(start, end, draw(SHORT)) for start, end in spans]


@st.composite
def changed(draw: st.DrawFn) -> tuple[bytes, list[Change]]:
    source = draw(TEXTS)
    return source, draw(changes_of(source))


@given(TEXTS)
def test_no_changes_change_nothing(source: bytes) -> None:
    assert splice(source, []) == source


@given(changed())
def test_changes_to_the_same_bytes_change_nothing(case: tuple[bytes, list[Change]]) -> None:
    source, changes = case
    assert splice(source, [(start, end, source[start:end]) for start, end, _ in changes]) == source


@given(changed())
def test_bytes_outside_the_changes_stay(case: tuple[bytes, list[Change]]) -> None:
    source, changes = case
    kept = [0, *(at for start, end, _ in changes for at in (start, end)), len(source)]
    result, at = splice(source, changes), 0
    new_texts = [new for _, _, new in changes]
    for low, high in list(pairwise(kept))[::2]:
        assert result[at : at + high - low] == source[low:high]
        at += high - low
        if new_texts:
            new = new_texts.pop(0)
            assert result[at : at + len(new)] == new
            at += len(new)
    assert at == len(result)


@given(changed(), changed())
def test_splicing_goes_part_by_part(
    one: tuple[bytes, list[Change]], two: tuple[bytes, list[Change]]
) -> None:
    size = len(one[0])
    moved = [(start + size, end + size, new) for start, end, new in two[1]]
    assert splice(one[0] + two[0], one[1] + moved) == splice(*one) + splice(*two)


@given(changed())
def test_one_after_the_other_from_the_end_is_the_same(case: tuple[bytes, list[Change]]) -> None:
    source, changes = case
    result = source
    for change in reversed(changes):
        result = splice(result, [change])
    assert result == splice(source, changes)


def test_overlapping_changes_are_refused() -> None:
    with pytest.raises(ValueError, match="overlap"):
        splice(b"abcd", [(0, 2, b""), (1, 3, b"")])


@given(st.data())
def test_composing_is_splicing_twice(data: st.DataObject) -> None:
    source, first = data.draw(changed())
    middle = splice(source, first)
    second = data.draw(changes_of(middle))
    apart = data.draw(st.sets(st.sampled_from(range(len(second))))) if second else set()
    composed = compose(source, first, second, apart)
    assert splice(source, [change for change, _, _ in composed]) == splice(middle, second)
    assert sorted(i for _, ones, _ in composed for i in ones) == list(range(len(first)))
    assert sorted(j for _, _, twos in composed for j in twos) == list(range(len(second)))


@given(TEXTS, st.data())
def test_lines_agree_with_counting_newlines(source: bytes, data: st.DataObject) -> None:
    offset = data.draw(st.integers(0, len(source)))
    head = source[:offset]
    last = head.rfind(b"\n") + 1
    assert Lines(source).point(offset) == (head.count(b"\n"), offset - last)
    column = len(head[last:].decode("utf-8", "replace")) + 1
    assert Lines(source).place(offset) == (head.count(b"\n") + 1, column)
