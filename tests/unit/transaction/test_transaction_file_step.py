"""One file of a transaction: into its place, back again, and read from the names alone."""

import os
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path

import pytest

from astedit.transaction.disk import DISK
from astedit.transaction.file_step import (
    Step,
    Taken,
    clean,
    named,
    naming,
    put,
    standing,
    take_back,
)
from astedit.transaction.temporary import prepare, prepare_new
from astedit.workspace.root import Workspace

OLD, NEW = b"old\n", b"new\n"
BEFORE, AFTER = (sha256(content).hexdigest() for content in (OLD, NEW))
MODIFY = Step("a.py", ".t", BEFORE, AFTER, 0o644)
CREATE = Step("a.py", ".t", None, AFTER, 0o644)
DELETE = Step("a.py", ".t", BEFORE, None, 0o644)


@pytest.fixture
def root(tmp_path: Path) -> Iterator[int]:
    with Workspace(tmp_path) as workspace:
        yield workspace.fd


def prepared(tree: Path, root: int, step: Step) -> None:
    """The tree before the step, with the new content beside the file."""
    if step.before is not None:
        (tree / "a.py").write_bytes(OLD)
    if step.operation == "modify":
        prepare(root, "a.py", NEW, expected_sha256=BEFORE, temporary=".t")
    elif step.operation == "create":
        prepare_new(root, "a.py", NEW, mode=0o644, temporary=".t")


def contents(tree: Path) -> dict[str, bytes]:
    return {name: (tree / name).read_bytes() for name in os.listdir(tree)}


def no_image(digest: str) -> bytes | None:
    return None


@pytest.mark.parametrize("step", [MODIFY, CREATE, DELETE], ids=lambda step: step.operation)
def test_a_step_goes_forth_and_back(tmp_path: Path, root: int, step: Step) -> None:
    prepared(tmp_path, root, step)
    assert standing(root, step, DISK)[0] == "old"
    put(root, step, DISK)
    assert standing(root, step, DISK)[0] == "new"
    assert contents(tmp_path).get("a.py") == (None if step.after is None else NEW)
    take_back(root, step, no_image, DISK)
    assert standing(root, step, DISK)[0] == "old"
    assert clean(root, step, DISK) == []
    assert contents(tmp_path) == ({} if step.before is None else {"a.py": OLD})


@pytest.mark.parametrize("step", [MODIFY, CREATE, DELETE], ids=lambda step: step.operation)
def test_what_somebody_else_put_there_stays(tmp_path: Path, root: int, step: Step) -> None:
    prepared(tmp_path, root, step)
    (tmp_path / "a.py").write_bytes(b"mine\n")
    assert standing(root, step, DISK)[0] == "foreign"
    with pytest.raises(Taken):
        put(root, step, DISK)
    assert (tmp_path / "a.py").read_bytes() == b"mine\n"
    assert clean(root, step, DISK) == []
    assert contents(tmp_path) == {"a.py": b"mine\n"}


def test_an_old_content_that_is_gone_comes_from_its_image(tmp_path: Path, root: int) -> None:
    prepared(tmp_path, root, MODIFY)
    put(root, MODIFY, DISK)
    (tmp_path / ".t").unlink()
    with pytest.raises(LookupError):
        take_back(root, MODIFY, no_image, DISK)
    take_back(root, MODIFY, {BEFORE: OLD}.get, DISK)
    assert (tmp_path / "a.py").read_bytes() == OLD


def test_what_is_not_ours_beside_the_file_is_named_and_stays(tmp_path: Path, root: int) -> None:
    prepared(tmp_path, root, MODIFY)
    put(root, MODIFY, DISK)
    (tmp_path / ".t").write_bytes(b"mine\n")
    assert clean(root, MODIFY, DISK) == [".t"]
    assert (tmp_path / ".t").read_bytes() == b"mine\n"


@pytest.mark.parametrize("path", ["a.py", "é.py", "caf\udce9.py"])
def test_a_step_is_stored_and_read_back(path: str) -> None:
    step = Step(path, ".t", BEFORE, AFTER, 0o755)
    assert Step.of(step.to_json()) == step
    assert named(naming(path)) == path
    with pytest.raises(TypeError):
        Step.of(step.to_json() | {"later": 1})
