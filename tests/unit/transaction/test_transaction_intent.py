"""The intent of a transaction: stored, read back, and refused when it is damaged."""

import string
from hashlib import sha256
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from astedit.errors import RequestError
from astedit.transaction.file_metadata import FileMetadata
from astedit.transaction.intent import (
    Intent,
    SiblingName,
    Step,
    committed,
    named,
    naming,
    preparing,
    read_name,
    sibling_name,
    token_of,
)

BEFORE, AFTER = "b" * 64, "a" * 64
TOKEN = ".astedit-a0123456789abcdefgh-0f0f0f0f"
HAD = FileMetadata(0o2755, (1, 2), {"user.caf\udce9": b"\x00\xff"}, 0x40, 7)


@pytest.mark.parametrize("path", ["a.py", "é.py", "caf\udce9.py"])
def test_a_step_is_stored_and_read_back(path: str) -> None:
    step = Step(path, ".t", BEFORE, AFTER, 0o755)
    assert Step.of(step.to_json()) == step
    assert named(naming(path)) == path
    with pytest.raises(TypeError):
        Step.of(step.to_json() | {"later": 1})


def test_what_else_the_file_had_is_stored_with_it() -> None:
    step = Step("a.py", ".t", BEFORE, None, 0o2755, 12, HAD)
    assert Step.of(step.to_json()) == step
    assert step.had == HAD
    assert Step("a.py", ".t", BEFORE, None, 0o640).had == FileMetadata(0o640)


def test_an_intent_is_read_back_before_and_after_its_commit_point() -> None:
    early = Intent.of(preparing(["a.py", "src/b.py"], TOKEN, ["src"], ["src"]))
    assert early == Intent((), [("", TOKEN), ("src", TOKEN)], ["src"], frozenset({"src"}))
    steps = [Step("a.py", ".t", BEFORE, AFTER, 0o644, 9)]
    assert Intent.of(committed(steps, ["src"])) == Intent(steps, (), ["src"], frozenset())


STORED = Step("a.py", ".t", BEFORE, AFTER, 0o644, 9, HAD).to_json()


@pytest.mark.parametrize(
    "intent",
    [
        None, [], "x", {"v": 1}, {"v": 1, "files": None}, {"v": 1, "files": [{}]},
        {"v": 1, "files": [[]]}, {"v": 1, "files": [STORED | {"mode": "644"}]},
        {"v": 1, "files": [STORED | {"before": 1}]}, {"v": 1, "files": [STORED | {"inode": "9"}]},
        {"v": 1, "files": [STORED | {"temporary": "../x"}]},
        {"v": 1, "files": [STORED | {"temporary": ".."}]},
        {"v": 1, "files": [STORED | {"later": 1}]}, {"v": 1, "files": [STORED | {"metadata": 1}]},
        {"v": 1, "files": [STORED | {"bytes": 1}]}, {"v": 1, "files": [], "directories": 5},
        {"v": 1, "preparing": [{"path": "a.py"}]}, {"v": 1, "preparing": [{}], "token": TOKEN},
        {"v": 1, "preparing": [{"path": "a.py"}], "token": ""},
        {"v": 1, "preparing": [{"path": "a.py"}], "token": "a"}, {"v": 1, "preparing": 1},
    ],
)  # fmt: skip
def test_a_damaged_intent_is_refused_with_the_way_out(intent: Any) -> None:
    with pytest.raises(RequestError, match="cannot be read") as raised:
        Intent.of(intent)
    assert raised.value.code == "damaged" and "--from-leftovers" in (raised.value.hint or "")


BEFORE, AFTER = (sha256(text).hexdigest() for text in (b"old", b"new"))
SIBLING_TOKEN = token_of("a" + "0" * 17, b"\x0f" * 4)


def test_a_name_says_whose_it_is_and_holds_both_hashes() -> None:
    name = sibling_name(SIBLING_TOKEN, "a b.py", BEFORE, AFTER)
    assert name == f".astedit-a{'0' * 17}-0f0f0f0f-a%20b.py-{BEFORE}-{AFTER}"
    for letter in ("", "b", "k", "w"):
        read = SiblingName("a" + "0" * 17, name, "a b.py", BEFORE, AFTER)
        assert read_name(name + letter) == read


@given(st.binary(min_size=1, max_size=255).filter(lambda raw: not set(raw) & {0, 0x2F}))
def test_any_name_is_found_again(raw: bytes) -> None:
    file = raw.decode("utf-8", "surrogateescape")
    for before, after in ((BEFORE, AFTER), (None, AFTER), (BEFORE, None)):
        name = sibling_name(SIBLING_TOKEN, file, before, after)
        assert len(name) < 255 and name.isascii() and "/" not in name
        for letter in ("", "b", "k", "w"):
            read = read_name(name + letter, ["x", file])
            assert read == SiblingName("a" + "0" * 17, name, file, before, after)


def test_of_a_long_name_only_its_hash_is_there() -> None:
    read = read_name(sibling_name(SIBLING_TOKEN, "x" * 200, BEFORE, AFTER), ["y"])
    assert read is not None and read.file is None


def test_other_names_are_none_of_ours() -> None:
    mine = sibling_name(SIBLING_TOKEN, "a.py", BEFORE, AFTER)
    others = ["a.py", ".astedit-", ".astedit-0123456789abcdef0", mine[1:], mine + "x", mine[:-1]]
    assert [read_name(name) for name in others] == [None] * len(others)


@given(st.text(string.printable, max_size=80))
def test_no_other_text_is_misread(text: str) -> None:
    read = read_name(f".astedit-{text}")
    assert read is None or f".astedit-{text}".startswith(read.temporary)
