"""What a patch says is read as git reads it; what is not a patch is refused with the reason."""

from pathlib import Path

import pytest

from astedit.errors import RequestError
from astedit.producers.patch_text import FilePatch, read_patch
from tests.support.lists import rows

ROWS = rows(Path(__file__).with_suffix(".txt"))

EDIT = b"--- a/x.py\n+++ b/x.py\n@@ -1,2 +1,2 @@\n a\n-b\n+c\n"


def only(text: bytes) -> FilePatch:
    (file,) = read_patch(text)
    return file


def test_a_mail_around_it_is_no_part_of_it() -> None:
    text = b"From: a person\n\nWhy it is made.\n---\n x.py | 2 +-\n\n" + EDIT + b"-- \n2.39\n"
    (hunk,) = only(text).hunks
    assert hunk.lines == [(" ", b"a\n"), ("-", b"b\n"), ("+", b"c\n")]
    assert not hunk.recounted


@pytest.mark.parametrize(
    "header", [b"@@ -1,9 +1,9 @@", b"@@ -1 +1 @@", b"@@ -1,1 +1,5 @@ def f():"]
)
def test_wrong_counts_are_taken_and_said(header: bytes) -> None:
    (hunk,) = only(EDIT.replace(b"@@ -1,2 +1,2 @@", header)).hunks
    assert hunk.recounted and hunk.old == b"a\nb\n"


def test_a_header_may_name_no_line() -> None:
    (hunk,) = only(EDIT.replace(b"@@ -1,2 +1,2 @@", b"@@ ... @@")).hunks
    assert hunk.start is None and not hunk.recounted


def test_a_line_that_begins_like_a_header_is_counted() -> None:
    (hunk,) = only(b"--- a/x\n+++ b/x\n@@ -1,2 +1,1 @@\n--- old\n a\n").hunks
    assert hunk.lines == [("-", b"-- old\n"), (" ", b"a\n")]


@pytest.mark.parametrize(("name", "path"), ROWS["names are those of git"])
def test_names_are_those_of_git(name: bytes, path: str) -> None:
    text = b"--- " + name + b"\n+++ " + name.replace(b"a/", b"b/", 1) + b"\n@@ -1 +1 @@\n-a\n+b\n"
    assert (only(text).old, only(text).new) == (path, path)


def test_names_without_a_prefix_are_paths() -> None:
    file = only(EDIT.replace(b"a/x.py", b"src/x.py").replace(b"b/x.py", b"src/x.py"))
    assert (file.old, file.new) == ("src/x.py", "src/x.py")


def test_what_git_says_of_a_file() -> None:
    new, gone, moved = read_patch(
        b"diff --git a/n.sh b/n.sh\nnew file mode 100755\n--- /dev/null\n+++ b/n.sh\n"
        b"@@ -0,0 +1 @@\n+x\n\\ No newline at end of file\n"
        b"diff --git a/o.py b/o.py\ndeleted file mode 100644\n"
        b"diff --git a/s t.py b/u.py\nsimilarity index 100%\nrename from s t.py\nrename to u.py\n"
    )
    assert (new.old, new.new, new.new_mode) == (None, "n.sh", 0o100755)
    assert new.hunks[0].lines == [("+", b"x")]
    assert (gone.old, gone.new) == ("o.py", None)
    assert (moved.old, moved.new, moved.hunks) == ("s t.py", "u.py", [])


@pytest.mark.parametrize(("text", "why"), ROWS["what is no patch"])
def test_what_is_no_patch(text: bytes, why: str) -> None:
    with pytest.raises(RequestError, match=why):
        read_patch(text)
