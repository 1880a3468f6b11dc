"""Names of siblings: what they are of can be read from them alone."""

import string
from hashlib import sha256

from hypothesis import given
from hypothesis import strategies as st

from astedit.transaction.sibling_names import SiblingName, read_name, sibling_name, token_of

BEFORE, AFTER = (sha256(text).hexdigest() for text in (b"old", b"new"))
TOKEN = token_of("a" + "0" * 17, b"\x0f" * 4)


def test_a_name_says_whose_it_is_and_holds_both_hashes() -> None:
    name = sibling_name(TOKEN, "a b.py", BEFORE, AFTER)
    assert name == f".astedit-a{'0' * 17}-0f0f0f0f-a%20b.py-{BEFORE}-{AFTER}"
    for letter in ("", "b", "k", "w"):
        read = SiblingName("a" + "0" * 17, name, "a b.py", BEFORE, AFTER)
        assert read_name(name + letter) == read


@given(st.binary(min_size=1, max_size=255).filter(lambda raw: not set(raw) & {0, 0x2F}))
def test_any_name_is_found_again(raw: bytes) -> None:
    file = raw.decode("utf-8", "surrogateescape")
    for before, after in ((BEFORE, AFTER), (None, AFTER), (BEFORE, None)):
        name = sibling_name(TOKEN, file, before, after)
        assert len(name) < 255 and name.isascii() and "/" not in name
        for letter in ("", "b", "k", "w"):
            read = read_name(name + letter, ["x", file])
            assert read == SiblingName("a" + "0" * 17, name, file, before, after)


def test_of_a_long_name_only_its_hash_is_there() -> None:
    name = sibling_name(TOKEN, "x" * 200, BEFORE, AFTER)
    read = read_name(name, ["y"])
    assert read is not None and read.file is None


def test_other_names_are_none_of_ours() -> None:
    mine = sibling_name(TOKEN, "a.py", BEFORE, AFTER)
    others = ["a.py", ".astedit-", ".astedit-0123456789abcdef0", mine[1:], mine + "x", mine[:-1]]
    assert [read_name(name) for name in others] == [None] * len(others)


@given(st.text(string.printable, max_size=80))
def test_no_other_text_is_misread(text: str) -> None:
    read = read_name(f".astedit-{text}")
    assert read is None or f".astedit-{text}".startswith(read.temporary)
