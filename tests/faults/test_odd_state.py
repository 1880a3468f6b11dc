"""Rows and files of the state that are none of ours: an error with path and advice, no hang."""

import os
import random
import shutil
from collections.abc import Iterator
from itertools import product
from pathlib import Path

import pytest

from tests.support.database import opened
from tests.support.faults.cli import APPLY, EDIT
from tests.support.project import Project

READ, WRITE = (("pending",), ("log",), ("show",)), (("recover",), APPLY, ("undo",))
VALUES = ("null", "5", "-1.5", "9e99", "x'fffe'", "cast(x'fffe' as text)")
VALUES += ("'x'", "'[]'", "''", "'{}'")
TABLES = {
    "actions": "id position session state condition sentence handler label source created "
    "resolved who reason claim_session claim_call claim_locked details payload",
    "audit": "time action_id kind label who reason outcome code text session call_id files",
    "intents": "action_id created intent",
    "images": "sha256 created image",
    "meta": "key value",
}
SPOILED = [
    (table, column, value)
    for table, columns in TABLES.items()
    for column, value in product(columns.split(), VALUES)
]


@pytest.fixture
def used(project: Project) -> Iterator[Project]:
    """One action applied, one staged, one open intent."""
    project.write(a_py="f(1)\n", b_py="g(1)\n")
    assert project(*EDIT, "--quiet").code == 0 and project(*APPLY).code == 0
    assert project("edit", "-p", "g($A)", "-r", "h($A)", "--quiet").code == 0
    state = state_of(project)
    with opened(state) as database:
        ((action,),) = database.execute("SELECT id FROM actions WHERE state='pending'").fetchall()
        intent = '{"v": 1, "files": [], "directories": []}'
        database.execute("INSERT INTO intents VALUES (?, 1, ?)", (action, intent))
        database.execute("DROP TRIGGER audit_kept")
    with opened(state) as database:
        database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    shutil.copytree(state.parent, project.root.parent / "kept")
    yield project


def state_of(project: Project) -> Path:
    (state,) = project.root.parent.rglob("state/**/state.db")
    return state


def spoiled(project: Project, table: str, column: str, value: str) -> tuple[list[str], list[str]]:
    """What commands say that look at such a row: an error of ours, or they go on; what not."""
    state = state_of(project)
    shutil.rmtree(state.parent)
    shutil.copytree(project.root.parent / "kept", state.parent)
    with opened(state) as database:
        database.execute("PRAGMA ignore_check_constraints=1")
        database.execute(f"UPDATE OR IGNORE {table} SET {column}={value}")
    said, wrong = [], []
    for command in (*READ, *WRITE):
        done = project(*command)
        said.append(done.err)
        if done.code not in (0, 1, 2, 3, 5) or "Traceback" in done.err:
            wrong.append(f"{' '.join(command)}: {done.err.splitlines()[-1]}")
    return said, wrong


def swept(project: Project, cases: list[tuple[str, str, str]]) -> int:
    told, wrong = 0, []
    for case in cases:
        said, bad = spoiled(project, *case)
        wrong += [f"{case}: {line}" for line in bad]
        told += any(str(state_of(project)) in text for text in said)
    assert wrong == []
    return told


def test_no_row_of_other_types_ends_in_a_traceback(used: Project) -> None:
    assert swept(used, random.Random(5).sample(SPOILED, 20)) > 0


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_no_value_of_any_column_ends_in_a_traceback(used: Project) -> None:
    assert swept(used, SPOILED) > 50


@pytest.mark.timeout(120)
@pytest.mark.parametrize("name", ["intent", "state.db"])
@pytest.mark.parametrize("kind", ["pipe", "link", "directory", "not UTF-8"])
def test_no_file_of_another_kind_is_waited_for_or_followed(
    used: Project, tmp_path: Path, name: str, kind: str
) -> None:
    path, before = state_of(used).with_name(name), used.files()
    path.unlink(missing_ok=True)
    (tmp_path / "outside").write_bytes(b"a1\n")
    {
        "pipe": lambda: os.mkfifo(path),
        "link": lambda: path.symlink_to(tmp_path / "outside"),
        "directory": path.mkdir,
        "not UTF-8": lambda: path.write_bytes(b"\xff\xfe" * 3_000),
    }[kind]()
    for command in (*WRITE, ("edit", "-p", "g($A)", "-r", "h($A)")):
        done = used(*command)
        assert done.code in (3, 5) and str(path) in done.err, (command, done)
        assert "Move it away" in done.err, "with advice"
    for command in READ:
        done = used(*command)
        assert done.code in (0, 5) and str(path) in done.err, (command, done)
    assert used.files() == before and (tmp_path / "outside").read_bytes() == b"a1\n"
