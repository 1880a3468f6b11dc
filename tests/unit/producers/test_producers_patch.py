"""A hunk stands exactly where it says, or at the only place that it fits."""

from astedit.producers.patch import Fitted, fitted
from astedit.producers.patch_text import read_patch
from astedit.text.source import splice

HEAD = b"--- a/x\n+++ b/x\n"


def fit(content: bytes, hunks: bytes) -> Fitted:
    (file,) = read_patch(HEAD + hunks)
    return fitted("x", content, file.hunks)


def made(content: bytes, hunks: bytes) -> bytes:
    result = fit(content, hunks)
    assert not result.misfits
    return splice(content, result.changes)


CHANGE = b"@@ -2,2 +2,2 @@\n b\n-c\n+C\n"


def test_at_its_place_others_do_not_matter() -> None:
    assert made(b"a\nb\nc\nb\nc\n", CHANGE) == b"a\nb\nC\nb\nc\n"


def test_elsewhere_if_that_is_one_place() -> None:
    result = fit(b"0\n0\na\nb\nc\n", CHANGE)
    assert result.notes == ["x: hunk 1 moved by +2 lines"] and not result.misfits


def test_two_places_are_none() -> None:
    result = fit(b"0\nb\n0\nb\nc\n0\nb\nc\n", CHANGE)
    assert result.misfits == ["x, hunk 1 fits at 2 places (lines 4, 7)"]


def test_what_stands_there_now() -> None:
    assert fit(b"a\nb\nd\n", CHANGE).misfits == ["x, hunk 1 does not fit; line 3 is not 'c'\n| d"]
    assert fit(b"a\nb", CHANGE).misfits == ["x, hunk 1 does not fit; the file ends at line 2"]


def test_white_space_counts() -> None:
    assert fit(b"a\nb\nc\r\n", CHANGE).misfits and fit(b"a\n b\nc\n", CHANGE).misfits


def test_a_last_line_without_its_end() -> None:
    hunk = b"@@ -1,2 +1,2 @@\n a\n-b\n\\ No newline at end of file\n+c\n"
    assert made(b"a\nb", hunk) == b"a\nc\n"
    assert fit(b"a\nb\n", hunk).misfits


def test_lines_without_context_have_no_place() -> None:
    hunk = b"@@ -1,0 +2 @@\n+new\n"
    assert fit(b"a\n", hunk).misfits == ["x, hunk 1 has no line that says where it belongs"]
    assert made(b"", b"@@ -0,0 +1 @@\n+new\n") == b"new\n"


def test_hunks_that_overlap_are_refused() -> None:
    assert fit(b"a\nb\nc\nd\n", CHANGE + b"@@ -3,2 +3,2 @@\n c\n-d\n+D\n").misfits == [
        "x, hunk 2: it overlaps the one before"
    ]
