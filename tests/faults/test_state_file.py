"""A state file that is torn, random, newer or half made: told with its path, nothing lost."""

import json
import random
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from resolve import SqliteStore
from resolve.storage.statefile import VERSION
from tests.support.database import opened
from tests.support.faults.cli import AFTER, APPLY, BEFORE, Tree, need_strace
from tests.support.gate.kill import every_kill

COMMANDS = (APPLY, ("recover",), ("pending",), ("show",), ("log",), ("undo",))


@pytest.fixture
def tree(tmp_path: Path) -> Tree:
    tree = Tree(tmp_path).staged()
    tree.keep("staged")
    return tree


def state_of(tree: Tree) -> Path:
    (state,) = tree.state.rglob("state.db")
    for beside in state.parent.glob("state.db-*"):
        beside.unlink()
    return state


DAMAGES = {
    "random": lambda data: random.Random(3).randbytes(len(data)),
    "half": lambda data: data[: len(data) // 2],
    "a page": lambda data: data[:4096],
    "torn": lambda data: data[:5000] + bytes(3000) + data[8000:],
    "scribbled": lambda data: data[:100] + random.Random(4).randbytes(8000) + data[8100:],
}


# One each of what reads at once, of what reads in part, and of what does not: the rest is slow.
OTHERS = {
    *("half", "a page", "torn", "{}", "[]", "null"),
    *('{"v": 1}', '{"v": 2, "files": []}', '{"v": 1, "files": [{}]}'),
}


def some(values: Iterable[str]) -> list[Any]:
    return [pytest.param(one, marks=pytest.mark.slow if one in OTHERS else ()) for one in values]


@pytest.mark.parametrize("damage", some(DAMAGES))
def test_a_damaged_state_file_is_named_and_nothing_is_written(tree: Tree, damage: str) -> None:
    with opened(state_of(tree)) as database:
        database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    state = state_of(tree)
    spoiled = DAMAGES[damage](state.read_bytes())
    state.write_bytes(spoiled)
    told = 0
    for command in COMMANDS[:3]:
        done = tree.run(*command)
        assert b"Traceback" not in done.stderr, done.stderr
        told += done.returncode != 0 and str(state).encode() in done.stderr
        assert tree.contents() == BEFORE or (done.returncode == 0 and damage == "torn")
    assert told or damage == "torn", "who cannot read it says which file it is"
    assert state.stat().st_size >= len(spoiled), "what is left of it is kept"


@pytest.mark.parametrize(
    "intent",
    some(["{}", "[]", "null", '{"v": 1}', '{"v": 1, "files": [{}]}', '{"v": 2, "files": []}',
          "not json"]),
)  # fmt: skip
def test_an_intent_that_is_none_of_ours_blocks_and_keeps_everything(
    tree: Tree, intent: str
) -> None:
    state = state_of(tree)
    with opened(state) as database:
        ((action,),) = database.execute("SELECT id FROM actions").fetchall()
        database.execute("INSERT INTO intents VALUES (?, 1, ?)", (action, intent))
        database.execute("INSERT INTO images VALUES ('abc', 1, x'00')")
        database.execute("INSERT INTO image_uses VALUES (?, 'abc')", (action,))
    state.with_name("intent").write_text(f"{action}\n")
    done = tree.run("recover")
    assert done.returncode in (3, 5) and b"Traceback" not in done.stderr, done.stderr
    assert tree.contents() == BEFORE
    with opened(state) as database:
        assert database.execute("SELECT count(*) FROM images").fetchall() == [(1,)]
        assert database.execute("SELECT intent FROM intents").fetchall() == [(intent,)]
    for command in (("resolve", "discard", "--reason", "t"), APPLY):
        assert tree.run(*command).returncode == 3
    with opened(state) as database:
        assert database.execute("SELECT intent FROM intents").fetchall() == [(intent,)]


def test_an_intent_that_names_a_path_outside_touches_nothing_there(tree: Tree) -> None:
    state, outside = state_of(tree), tree.root.parent
    for name in ("x", ".astedit-0", ".astedit-0w", ".astedit-0k"):
        (outside / name).write_bytes(name.encode())
    row = {"temporary": ".astedit-0", "before": "a", "after": "b", "mode": 1}
    for path in ("../x", str(outside / "x"), "src/../../x"):
        with opened(state) as database:
            ((action,),) = database.execute("SELECT id FROM actions").fetchall()
            intent = json.dumps({"v": 1, "files": [{"path": path, **row}]})
            database.execute("INSERT OR REPLACE INTO intents VALUES (?, 1, ?)", (action, intent))
        tree.run("recover")
    for name in ("x", ".astedit-0", ".astedit-0w", ".astedit-0k"):
        assert (outside / name).read_bytes() == name.encode()
    assert tree.contents() == BEFORE


def test_a_newer_state_file_is_only_read_and_says_what_to_do(tree: Tree) -> None:
    state = state_of(tree)
    with opened(state) as database:
        database.execute(f"PRAGMA user_version={VERSION + 1}")
        database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    before = state.read_bytes()
    assert tree.run("pending").returncode == 0
    for command in (APPLY, ("edit", "-p", "x = 2", "-r", "x = 3"), ("recover",)):
        done = tree.run(*command)
        assert done.returncode == 5 and b"newer version" in done.stderr, (command, done)
        assert b"Update this program" in done.stderr
    assert (state.read_bytes(), tree.contents()) == (before, BEFORE)


@pytest.mark.slow
def test_a_migration_that_is_killed_is_whole_or_not_there(tmp_path: Path) -> None:
    """From version 0, an empty file, which is the only older one there has been."""
    state = tmp_path / "state/state.db"

    def prepare() -> None:
        for path in state.parent.glob("*") if state.parent.exists() else ():
            path.unlink()

    seen = set()
    for _ in every_kill(lambda: SqliteStore(state).close(), prepare):
        if state.exists():
            with opened(state) as database:
                (version,) = database.execute("PRAGMA user_version").fetchone()
                (tables,) = database.execute("SELECT count(*) FROM sqlite_schema").fetchone()
            seen.add((version, tables > 0))
        with SqliteStore(state) as store:
            assert (store.file.version, store.list()) == (VERSION, [])
    assert seen == {(0, False), (VERSION, True)}


def test_one_who_dies_with_the_lock_keeps_nobody_waiting(tree: Tree) -> None:
    """`flock` ends with its process: the next apply goes on at once, and nobody clears up."""
    need_strace()
    done = tree.run(*APPLY, trace=("-o", "/dev/null", "-e", "inject=fchmod:signal=KILL:when=1"))
    assert done.returncode != 0 and tree.contents() != AFTER
    assert tree.run(*APPLY).returncode == 0
    assert tree.contents() == AFTER
