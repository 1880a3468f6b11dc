"""Changes by tokens: they give the new content, and each makes sense by itself."""

from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from astedit.producers.capture import moved_files
from astedit.producers.token_changes import token_changes
from astedit.text.source import splice
from tests.support.lists import rows

ROWS = rows(Path(__file__).with_suffix(".txt"))


@pytest.mark.parametrize(("path", "before", "after", "pieces"), ROWS["no more changes than tokens"])
def test_no_more_changes_than_tokens(
    path: str, before: str, after: str, pieces: list[tuple[str, str]]
) -> None:
    old = before.encode()
    changes = token_changes(path, old, after.encode())
    assert [(old[start:end].decode(), new.decode()) for start, end, new in changes] == pieces


TEXT = st.lists(
    st.sampled_from(["f(", ")", "a", ", ", "\n", "  ", "'x y'", "# c\n", "ü", "[", "]"]),
    max_size=30,
).map("".join)


@given(TEXT, TEXT)
def test_the_changes_make_the_new_content(before: str, after: str) -> None:
    old, new = before.encode(), after.encode()
    changes = token_changes("a.py", old, new)
    assert splice(old, changes) == new
    assert all(one[1] <= other[0] for one, other in pairwise(changes))


def test_files_move_with_their_content_and_are_told_apart_by_it() -> None:
    text = b"one\ntwo\nthree\nfour\n"
    assert moved_files({"a/x": text}, {"b": text, "c/x": text}) == {"a/x": "c/x"}
    assert moved_files({"a": text}, {"b": text + b"five\n"}) == {"a": "b"}
    assert moved_files({"a": text}, {"b": b"other\n"}) == {}
    assert moved_files({"a": b""}, {"b": b""}) == {}
