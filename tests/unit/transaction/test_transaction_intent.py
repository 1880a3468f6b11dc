"""The intent of a transaction: stored, read back, and refused when it is damaged."""

from typing import Any

import pytest

from astedit.errors import RequestError
from astedit.transaction.file_metadata import FileMetadata
from astedit.transaction.intent import Intent, Step, committed, named, naming, preparing

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


def test_an_intent_of_an_earlier_version_named_every_sibling() -> None:
    old = {"v": 1, "preparing": [{"path": "x/a.py", "temporary": ".astedit-0123456789abcdef0"}]}
    assert Intent.of(old).unready == [("x", ".astedit-0123456789abcdef0")]
    row = {"path": "a.py", "temporary": ".astedit-0123456789abcdef0", "mode": 420}
    intent = Intent.of({"v": 1, "files": [row | {"before": BEFORE, "after": AFTER}]})
    (step,) = intent.steps
    assert (step.inode, step.had, intent.mounts) == (None, FileMetadata(0o644), None)


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
