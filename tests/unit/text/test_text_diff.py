"""`diff.hunks` against the program that has to accept it: `git apply`."""

import os
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from astedit.text.diff import changed_lines, hunks, quoted
from astedit.text.source import Change
from tests.support.patience import ends

ALPHABET = ["a", "b", "\n", "\n", "\n", "\r\n", "\r", "\0", "\f", "\x1c", "\u2028", " ", "+", "-"]
TEXTS = st.lists(st.sampled_from(ALPHABET), max_size=60).map(lambda parts: "".join(parts).encode())
SHORT = st.one_of(st.just(b""), st.binary(max_size=6), TEXTS.map(lambda text: text[:8]))
NAME_BYTES = [bytes([n]) for n in range(1, 256) if n != ord("/")]
NAMES = st.lists(st.sampled_from(NAME_BYTES), max_size=8).map(b"".join)


def splice(source: bytes, edits: Sequence[Change]) -> bytes:
    """The definition of what a list of edits means."""
    for start, end, new in reversed(edits):
        source = source[:start] + new + source[end:]
    return source


@st.composite
def changes(draw: st.DrawFn) -> tuple[bytes, list[Change]]:
    """A source, and sorted edits that do not overlap."""
    source = draw(TEXTS)
    ends = sorted(draw(st.lists(st.integers(0, len(source)), max_size=8).filter(even)))
    pairs = zip(ends[::2], ends[1::2], strict=True)
    return source, [(start, end, draw(SHORT)) for start, end in pairs]


def even(items: list[int]) -> bool:
    return len(items) % 2 == 0


def git_apply(folder: Path, patch: bytes, *flags: str) -> None:
    """Raises with git's words if the patch is refused."""
    env = os.environ | {"GIT_CEILING_DIRECTORIES": str(folder), "GIT_CONFIG_GLOBAL": os.devnull}
    command = ["git", "apply", "--whitespace=nowarn", *flags, "-"]
    done = subprocess.run(command, cwd=folder, input=patch, env=env, capture_output=True)
    assert done.returncode == 0, (done.stderr, patch)


@settings(max_examples=120, deadline=None)
@given(st.lists(st.tuples(NAMES, changes()), min_size=1, max_size=6), st.integers(1, 4))
@pytest.mark.slow
def test_git_apply_gives_exactly_the_spliced_bytes(
    files: list[tuple[bytes, tuple[bytes, list[Change]]]], context: int
) -> None:
    with tempfile.TemporaryDirectory() as name:
        folder, patch = Path(name), b""
        for number, (tail, (source, edits)) in enumerate(files):
            path = os.fsdecode(b"f%d" % number + tail)
            (folder / path).write_bytes(source)
            patch += hunks(path, source, edits, context)
        if patch:
            git_apply(folder, patch, "--check")
            git_apply(folder, patch)
        for number, (tail, (source, edits)) in enumerate(files):
            path = os.fsdecode(b"f%d" % number + tail)
            assert (folder / path).read_bytes() == splice(source, edits)


def body(source: bytes, *edits: Change, context: int = 3) -> bytes:
    return hunks("f", source, edits, context).removeprefix(b"--- a/f\n+++ b/f\n")


def test_edits_that_change_nothing_have_no_diff() -> None:
    assert hunks("f", b"a\nb\n", []) == b""
    assert hunks("f", b"a\nb\n", [(0, 1, b"a"), (2, 4, b"b\n")]) == b""


def test_equal_whole_lines_at_the_edges_of_an_edit_become_context() -> None:
    assert body(b"1\n2\n3\n4\n5\n", (2, 8, b"2\nthree\n4\n")) == (
        b"@@ -1,5 +1,5 @@\n 1\n 2\n-3\n+three\n 4\n 5\n"
    )


def test_edits_on_one_line_and_on_the_next_share_one_block() -> None:
    assert body(b"ab\nc\n", (0, 1, b"x"), (1, 2, b"y"), (3, 4, b"z")) == (
        b"@@ -1,2 +1,2 @@\n-ab\n-c\n+xy\n+z\n"
    )


def test_an_edit_that_deletes_its_line_end_takes_the_next_line_along() -> None:
    assert body(b"ab\nc\n", (0, 1, b"x"), (1, 3, b"")) == b"@@ -1,2 +1,1 @@\n-ab\n-c\n+xc\n"


def test_hunks_merge_exactly_when_their_contexts_touch() -> None:
    source = b"".join(b"%d\n" % n for n in range(10, 30))
    touching = body(source, (0, 2, b"x"), (7 * 3, 7 * 3 + 2, b"y"))
    apart = body(source, (0, 2, b"x"), (8 * 3, 8 * 3 + 2, b"y"))
    assert touching.startswith(b"@@ -1,11 +1,11 @@\n") and touching.count(b"@@ -") == 1
    assert apart.startswith(b"@@ -1,4 +1,4 @@\n") and apart.count(b"@@ -") == 2
    assert b"\n@@ -6,7 +6,7 @@\n" in apart


def test_later_hunks_count_the_lines_that_earlier_ones_added() -> None:
    source = b"".join(b"%d\n" % n for n in range(10, 50))
    patch = body(source, (0, 0, b"new\nnew\n"), (60, 63, b""), context=1)
    assert patch == (b"@@ -1,1 +1,3 @@\n+new\n+new\n 10\n@@ -20,3 +22,2 @@\n 29\n-30\n 31\n")


def test_an_empty_side_is_numbered_by_the_line_before_it() -> None:
    assert body(b"", (0, 0, b"a\n")) == b"@@ -0,0 +1,1 @@\n+a\n"
    assert body(b"a\n", (0, 2, b"")) == b"@@ -1,1 +0,0 @@\n-a\n"
    assert body(b"a\nb\n", (2, 2, b"x\n"), context=0) == b"@@ -1,0 +2,1 @@\n+x\n"


def test_a_missing_final_newline_is_marked_on_the_side_that_lacks_it() -> None:
    mark = b"\\ No newline at end of file\n"
    assert body(b"a", (1, 1, b"\n")) == b"@@ -1,1 +1,1 @@\n-a\n" + mark + b"+a\n"
    assert body(b"a\n", (1, 2, b"")) == b"@@ -1,1 +1,1 @@\n-a\n+a\n" + mark
    assert body(b"a\nb", (0, 1, b"x")) == b"@@ -1,2 +1,2 @@\n-a\n+x\n b\n" + mark


@pytest.mark.parametrize(
    "name, shown",
    [
        (b"plain.py", b"plain.py"),
        (b'say "hi".py', b'"say \\"hi\\".py"'),
        (b"back\\slash", b'"back\\\\slash"'),
        (b"new\nline\ttab\x1b\x7f", b'"new\\nline\\ttab\\033\\177"'),
        ("na\u00efve\u202e".encode(), b'"na\\303\\257ve\\342\\200\\256"'),
        (b"\xff\xfe", b'"\\377\\376"'),
    ],
)
def test_a_name_is_quoted_as_git_does(name: bytes, shown: bytes) -> None:
    assert quoted(name) == shown


def test_a_name_with_a_space_ends_in_a_tab_as_in_git() -> None:
    assert hunks("a b", b"x", [(0, 1, b"y")]).startswith(b"--- a/a b\t\n+++ b/a b\t\n")


def test_one_long_line_with_many_edits_takes_linear_time() -> None:
    source = b"f(1);" * 200_000
    edits = [(at, at + 1, b"g") for at in range(0, len(source), 25)]
    with ends():  # scanning the line once per edit takes minutes
        hunks("min.js", source, edits)


def test_changes_in_a_long_file_are_the_lines_that_changed() -> None:
    lines = [b"line %d\n" % (n // 2 if n % 3 else n + 10_000) for n in range(4_000)]
    after = [*lines[:90], b"new\n", *lines[90:2_000], b"other\n", *lines[2_003:], b"last\n"]
    text, result = b"".join(lines), b"".join(after)
    found = changed_lines(text, result)
    assert splice(text, found) == result
    assert sum(text.count(b"\n", start, end) for start, end, _ in found) == 3
    assert b"".join(new for _, _, new in found) == b"new\nother\nlast\n"


@given(st.lists(st.sampled_from([b"a\n", b"b\n", b"c\n", b"d\n", b"e"])), st.data())
def test_changed_lines_of_any_texts_make_the_second(old: list[bytes], data: st.DataObject) -> None:
    new = data.draw(st.permutations(old)) + data.draw(st.lists(st.sampled_from([b"a\n", b"x\n"])))
    before, after = b"".join(old), b"".join(new)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("astedit.text.diff._MOST", 2)
        assert splice(before, changed_lines(before, after)) == after
