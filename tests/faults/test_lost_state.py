"""The state of an interrupted apply is lost: nobody says that there was none, and it can be ended.

Killed after one file of three; then the state file is deleted, emptied, or random.
"""

import json
import random
from collections.abc import Callable
from pathlib import Path

import pytest

import astedit
from astedit.staging.open_workspace import OpenWorkspace
from astedit.transaction import leftovers
from astedit.transaction.intent import sibling_name, token_of
from astedit.workspace.root import Workspace
from resolve import store as stores
from tests.support.database import opened
from tests.support.faults import operations
from tests.support.faults.cli import AFTER, APPLY, BEFORE, EDIT, MODES, Tree, need_strace
from tests.support.faults.disks import Dying, Killed
from tests.support.faults.journal import MemoryJournal
from tests.support.faults.kills import killed
from tests.support.faults.mutate import replace
from tests.support.faults.operations import hashed

LEFTOVERS = ("recover", "--from-leftovers")
DAMAGES: dict[str, Callable[[Path], object]] = {
    "deleted": lambda state: state.unlink(),
    "emptied": lambda state: state.write_bytes(b""),
    "random": lambda state: state.write_bytes(random.Random(3).randbytes(30_000)),
}


def lose(state: Path, damage: str, wal: bool = True) -> None:
    DAMAGES[damage](state)
    if not wal:
        for ending in ("-wal", "-shm"):
            state.with_name(state.name + ending).unlink(missing_ok=True)


def state_of(tree: Tree) -> Path:
    (state,) = tree.state.rglob("state.db")
    return state


@pytest.mark.parametrize(
    "damage",
    [*(pytest.param(each, marks=pytest.mark.slow) for each in ("deleted", "emptied")), "random"],
)
def test_it_is_told_with_what_is_left_and_ended_when_a_person_says_so(
    half: Tree, damage: str
) -> None:
    state, before = state_of(half), half.contents()
    marker = state.with_name("intent")
    (action,) = marker.read_text().split()
    lose(state, damage)
    for command in (("recover",), APPLY):
        done = half.run(*command)
        said = done.stderr.decode()
        assert done.returncode == 5 and str(state) in said and action in said, (command, said)
        for word in ("what was staged", "what files held before", "the log"):
            assert word in said
        assert "the old content of a.py" in said and "the new content of src/b.py" in said
        assert "astedit recover --from-leftovers" in said and "Traceback" not in said
        assert half.contents() == before and marker.read_text() == f"{action}\n"
    assert half.run(*EDIT).returncode == 3, "nothing is staged on a mix"
    done = half.run(*LEFTOVERS, "--json")
    assert done.returncode == 0, done.stderr
    (row,) = json.loads(done.stdout)
    assert (row["id"], row["outcome"]) == (action, "applied")
    assert half.contents() == AFTER and half.modes() == MODES and not marker.exists()
    assert damage == "random" or half.run("recover").stderr.endswith(b"Nothing was interrupted.\n")


@pytest.mark.slow
def test_without_the_log_beside_the_state_file_it_is_ended_all_the_same(half: Tree) -> None:
    """SQLite keeps what was committed last in `-wal`; somebody tidies that away."""
    for ending in ("-wal", "-shm"):
        state_of(half).with_name(f"state.db{ending}").unlink()
    done = half.run("recover")
    assert done.returncode == 0, done.stderr
    assert half.contents() == AFTER and half.modes() == MODES
    assert half.run("recover").stderr.endswith(b"Nothing was interrupted.\n")


@pytest.mark.slow
@pytest.mark.parametrize("wal", [True, False])
@pytest.mark.parametrize("damage", DAMAGES)
def test_after_a_kill_at_any_exchange_every_file_is_wholly_old_or_new(
    tmp_path: Path, damage: str, wal: bool
) -> None:
    need_strace()
    tree = Tree(tmp_path).staged()
    tree.keep("staged")
    ends = []
    for at in (1, 2, 3):
        tree.again("staged")
        killed(tree, "renameat2", at)
        lose(state_of(tree), damage, wal)
        assert tree.run("recover").returncode == 5
        assert tree.run(*LEFTOVERS).returncode == 0
        assert tree.contents() in (BEFORE, AFTER) and tree.modes() == MODES
        ends.append(tree.contents() == AFTER)
    assert ends == [False, True, True]


@pytest.mark.slow
def test_a_program_can_do_the_same(half: Tree) -> None:
    lose(state_of(half), "deleted")
    with astedit.open(half.root, state_dir=half.state) as work:
        with pytest.raises(astedit.PreconditionError, match="knows nothing of an apply") as raised:
            work.recover()
        assert raised.value.code == "store_lost"
        (recovery,) = work.recover(from_leftovers=True)
        assert recovery.outcome == "applied" and half.contents() == AFTER
        assert work.recover() == []
        (row,) = work.log()
        assert (row.action_id, row.code) == (recovery.action.id, "recovered_from_leftovers")


def test_without_the_question_whether_it_is_known_it_would_be_forgotten(
    half: Tree, monkeypatch: pytest.MonkeyPatch
) -> None:
    lose(state_of(half), "deleted")
    replace(monkeypatch, stores.PendingActionStore.lost, "self.get(action_id) is None", "False")
    assert OpenWorkspace(str(half.root), str(half.state)).recover() == []
    assert half.contents() not in (BEFORE, AFTER)


def test_also_without_any_state_what_lies_there_is_not_called_nothing(half: Tree) -> None:
    for path in state_of(half).parent.iterdir():
        path.unlink() if path.is_file() else None
    before = half.contents()
    for command in (("recover",), LEFTOVERS):
        done = half.run(*command)
        assert done.returncode == 5 and b"the new content of src/b.py" in done.stdout
        assert b"--state-dir" in done.stdout and half.contents() == before


def test_what_somebody_has_planted_is_not_put_in_place(half: Tree) -> None:
    """Only the announced id counts, and it cannot be guessed."""
    evil, text = b"import evil\n", half.contents()["src/c.py"]
    name = sibling_name(token_of("a" + "0" * 17, b"0000"), "c.py", hashed(text), hashed(evil))
    (half.root / "src" / name).write_bytes(evil)
    lose(state_of(half), "deleted")
    assert half.run(*LEFTOVERS).returncode == 0
    (half.root / "src" / name).unlink()
    assert half.contents() == AFTER


@pytest.mark.slow
def test_a_file_that_was_edited_since_is_kept_and_the_others_go_back(half: Tree) -> None:
    (half.root / "src/c.py").write_bytes(b"mine\n")
    lose(state_of(half), "emptied")
    done = half.run(*LEFTOVERS)
    assert done.returncode == 0 and b"src/c.py: changed by others" in done.stdout
    left = half.contents()
    kept = [path for path in left if ".astedit-" in path]
    assert {path: left[path] for path in BEFORE} == BEFORE | {"src/c.py": b"mine\n"}
    assert [left[path] for path in kept] in ([], [AFTER["src/c.py"]])


@pytest.mark.slow
def test_what_is_blocked_can_be_ended_in_another_tree_too(half: Tree) -> None:
    """The tree is gone for good, and another one stands there: the person says so."""
    for path in BEFORE:
        (half.root / path).write_bytes(b"x = 5\n")
    for path in half.root.rglob(".astedit-*"):
        path.unlink()
    before = half.contents()
    assert half.run("recover").returncode == 5
    done = half.run(*LEFTOVERS)
    assert done.returncode == 0 and b"Nothing of it lies below the root" in done.stdout
    assert half.contents() == before and not state_of(half).with_name("intent").exists()
    assert half.run("resolve", "discard", "--reason", "t").returncode == 0


@pytest.mark.slow
def test_an_intent_whose_action_is_gone_can_be_ended(half: Tree) -> None:
    with opened(state_of(half)) as database:
        database.execute("DELETE FROM actions")
    assert half.run("recover").returncode == 5
    done = half.run(*LEFTOVERS)
    assert done.returncode == 0 and half.contents() == AFTER, done
    assert done.stdout.endswith(
        b"3 files written. A file that it was to delete leaves nothing "
        b"beside it before that: look whether one still stands.\n"
    )
    assert half.run("recover").stderr.endswith(b"Nothing was interrupted.\n")
    (row,) = json.loads(half.run("log", "--json").stdout)
    assert (row["outcome"], row["code"]) == ("applied", "recovered")


# -- plans that create and delete ----------------------------------------------------------------


@pytest.mark.parametrize("first", [1, 4, 7])
def test_created_and_deleted_files_are_whole_too(tmp_path: Path, first: int) -> None:
    """Killed at any call; then nothing but the tree is known."""
    seen = set()
    for at in range(first, 60, 7):
        root, journal = operations.made(tmp_path / str(at)), MemoryJournal()
        try:
            operations.applied(root, journal, Dying(at))
        except Killed:
            pass
        else:
            break
        with Workspace(root) as workspace:
            left = leftovers.find_leftovers(workspace.fd)
            ended = leftovers.end_leftovers(workspace.fd, left, [""])
        found = operations.contents(root)
        whole = {**operations.OLD, **operations.NEW}
        assert all(found[path] in texts(path) for path in found), (at, found)
        assert set(found) <= set(whole) and "a.py" in found
        assert operations.MOVED in found.values(), "what was to be moved is nowhere"
        assert ended.outcome != "untouched" or found in (operations.OLD, operations.NEW)
        if ended.outcome == "applied":
            deleted = [step for step in ended.steps if step.after is None]
            assert f"{len(ended.steps) - len(deleted)} file" in ended.text()
            assert (f", {len(deleted)} deleted." in ended.text()) == bool(deleted)
        seen.add(ended.outcome)
    assert seen <= {"untouched", "applied", "rolled_back"}


def texts(path: str) -> list[bytes | None]:
    return [operations.OLD.get(path), operations.NEW.get(path)]
