"""H1 to H3 on the real command: killed, failed and delayed at its system calls by strace."""

from collections import Counter
from pathlib import Path

import pytest

from tests.support.faults.cli import AFTER, APPLY, BEFORE, EDIT, MODES, Tree, let_go, need_strace
from tests.support.faults.kills import killed, last, rows
from tests.support.patience import LAST
from tests.support.slowly import slow_after

CALLS = (
    *("write", "openat", "fchmod", "fsync", "rename", "renameat", "renameat2"),
    *("link", "linkat", "unlink", "unlinkat", "ftruncate", "pwrite64"),
)


@pytest.fixture
def tree(tmp_path: Path) -> Tree:
    need_strace()
    tree = Tree(tmp_path).staged()
    tree.keep("staged")
    return tree


def points(tree: Tree) -> dict[str, list[int]]:
    """By call, which of the process's calls touch the project or its state, from 1."""
    log = tree.root.parent / "log"
    done = tree.run(*APPLY, trace=("-y", "-o", str(log), "-e", f"trace={','.join(CALLS)}"))
    assert done.returncode == 0 and tree.contents() == AFTER
    tree.again("staged")
    lines = [line.split(maxsplit=1) for line in log.read_text().splitlines()]
    made: Counter[str] = Counter()
    found: dict[str, list[int]] = {call: [] for call in CALLS}
    for process, text in lines:
        name = text.partition("(")[0]
        if process == lines[0][0] and name in CALLS:
            made[name] += 1
            ours = str(tree.root) in text or str(tree.state) in text
            if ours and (name != "openat" or "O_CREAT" in text or "O_RDWR" in text):
                found[name].append(made[name])
    return found


def whole(tree: Tree) -> str:
    """`old` or `new`; anything else is the failure this project is about."""
    found = tree.contents()
    assert found in (BEFORE, AFTER), found
    assert tree.modes() == MODES
    assert not list(tree.state.rglob("intent")), "the marker is gone"
    (state,) = {row["state"] for row in rows(tree)}
    assert (state == "applied") == (found == AFTER)
    return "old" if found == BEFORE else "new"


@pytest.mark.slow
def test_a_kill_before_the_exchange_and_between_two(tree: Tree) -> None:
    seen = []
    for at in (1, 2, 3):
        tree.again("staged")
        killed(tree, "renameat2", at)
        assert len(list(tree.state.rglob("intent"))) == 1
        told = tree.run("pending")
        assert b"was interrupted" in told.stderr and b"run astedit recover." in told.stderr
        assert tree.run(*EDIT).returncode == 3 or tree.contents() == AFTER
        done = tree.run("recover")
        assert done.returncode == 0, done.stderr
        seen.append(whole(tree))
    assert seen == ["old", "new", "new"]


def test_the_next_resolve_recovers_by_itself(tree: Tree) -> None:
    killed(tree, "renameat2", 2)
    done = tree.run(*APPLY, last(tree))
    assert done.returncode == 3 and b"already applied" in done.stderr
    assert whole(tree) == "new"


def test_edit_apply_recovers_first(tree: Tree) -> None:
    killed(tree, "renameat2", 2)
    done = tree.run("edit", "-p", "x = 2", "-r", "x = 3", "--apply", "--reason", "t", "--quiet")
    assert done.returncode == 0, done.stderr
    assert tree.contents() == AFTER | {"a.py": b"gg(1)\nx = 3\n"}
    tree.again("staged")
    killed(tree, "renameat2", 2)
    assert tree.run("agents", "install", "claude", "--yes").returncode == 0
    assert b"Nothing was interrupted" in tree.run("recover").stderr


@pytest.mark.slow
def test_a_disk_that_fails_writes_nothing_and_says_so(tree: Tree) -> None:
    for number in ("ENOSPC", "EIO"):
        tree.again("staged")
        done = tree.run(
            *APPLY, trace=("-o", "/dev/null", "-e", f"inject=fchmod:error={number}:when=2")
        )
        assert (done.returncode == 5 and b"a.py" in done.stderr) or b".py" in done.stderr
        assert tree.contents() == BEFORE
        assert tree.run(*APPLY).returncode == 0 and tree.contents() == AFTER


def saved(tree: Tree, path: str, how: str) -> None:
    """A person saves: in place as most editors do, or by rename as vim does."""
    target = tree.root / path
    if how == "in place":
        target.write_bytes(b"mine\n")
    else:
        beside = tree.root.parent / "beside"
        beside.write_bytes(b"mine\n")
        beside.rename(target)


WINDOWS = [
    (at, path, how)
    for at, path in ((2, "src/b.py"), (1, "a.py"), (1, "src/c.py"), (3, "src/c.py"), (3, "a.py"))
    for how in ("in place", "by rename")
]


@slow_after(1, "at, path, how", WINDOWS)
def test_a_person_saves_between_check_and_exchange(
    tree: Tree, at: int, path: str, how: str
) -> None:
    """The window before exchange `at` is held open; what is put in place by then may change too."""
    running = tree.held(at, *APPLY)
    saved(tree, path, how)
    let_go(running)
    out, err = running.communicate(timeout=LAST)
    done = list(BEFORE).index(path) < at - 1
    if done:  # it was in place already: the person edits the new text, and the rest lands
        assert running.returncode == 0, (out, err)
        assert tree.contents() == AFTER | {path: b"mine\n"}
        return
    assert running.returncode == 3 and f"{path}: changed by others".encode() in err, (out, err)
    assert tree.contents() == BEFORE | {path: b"mine\n"}


@pytest.mark.slow
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("call", CALLS)
def test_a_kill_at_every_call(tree: Tree, call: str) -> None:
    seen: Counter[str] = Counter()
    for at in points(tree)[call]:
        tree.again("staged")
        done = tree.run(
            *APPLY, trace=("-o", "/dev/null", "-e", f"inject={call}:signal=KILL:when={at}")
        )
        before = tree.contents()
        seen["killed" if done.returncode else "lived"] += 1
        seen["mixed"] += before not in (BEFORE, AFTER)
        ended = tree.run("recover")
        assert ended.returncode == 0, (at, ended.stderr)
        seen[whole(tree)] += 1
    print(f"{call}: {dict(seen)}")


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_a_recovery_that_is_killed_too(tree: Tree) -> None:
    killed(tree, "renameat2", 2)
    tree.keep("mixed")
    for call in ("renameat2", "unlink", "unlinkat", "fsync", "pwrite64"):
        for at in range(1, 12):
            tree.again("mixed")
            trace = ("-o", "/dev/null", "-e", f"inject={call}:signal=KILL:when={at}")
            if tree.run("recover", trace=trace).returncode == 0:
                break
            assert tree.run("recover").returncode == 0
            assert whole(tree) == "new"


@pytest.mark.slow
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("number", ["ENOSPC", "EIO"])
def test_an_error_at_every_call(tree: Tree, number: str) -> None:
    where = points(tree)
    for call in ("write", "fchmod", "fsync", "renameat2", "unlink", "unlinkat", "pwrite64"):
        for at in where[call]:
            tree.again("staged")
            trace = ("-o", "/dev/null", "-e", f"inject={call}:error={number}:when={at}")
            if tree.run(*APPLY, trace=trace).returncode == 0:
                assert tree.contents() == AFTER, (call, at)
            tree.run("recover")
            assert tree.contents() in (BEFORE, AFTER), (call, at)
