"""Two users of one machine work in one directory, each with a state of their own."""

import itertools
import os
import signal
import subprocess
import sys
import tempfile
import traceback
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from astedit.cli.main import run
from astedit.transaction.disk import Disk
from tests.support.faults.cli import AFTER, APPLY, BEFORE, EDIT, Tree

pytestmark = [
    pytest.mark.skipif(os.geteuid() != 0, reason="only root can become somebody else"),
    pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning"),
]
HIS = ("edit", "-p", "y = $A", "-r", "y = h($A)", "--quiet")
ANNE, BERT, TEAM = 1_001, 1_002, 1_003


class Shared:
    """A directory of a team; `src/c.py` is Bert's, all else is Anne's."""

    def __init__(self, place: Path) -> None:
        self.root, self._states = place / "root", place / "states"
        (self.root / "src").mkdir(parents=True)
        self._states.mkdir(mode=0o777)
        self._states.chmod(0o777)
        (self.root / "astedit.toml").write_text("")
        for path, text in BEFORE.items():
            (self.root / path).write_bytes(text)
        for path in (self.root, *self.root.rglob("*")):
            os.chown(path, BERT if path.name == "c.py" else ANNE, TEAM)
            path.chmod(0o2775 if path.is_dir() else 0o664)
        place.chmod(0o755)

    def contents(self) -> dict[str, bytes]:
        return {path: (self.root / path).read_bytes() for path in BEFORE}

    def left_over(self) -> list[str]:
        return [path.name for path in self.root.rglob(".astedit-*")]

    def command(self, user: int, *words: str, dies: int = 0) -> int:
        """One command of that user, killed before an exchange of that number; its exit code."""

        def work() -> int:
            if dies:
                Disk.exchange = killed_at(dies)  # type: ignore[method-assign]
            os.environ["HOME"] = os.environ["XDG_CONFIG_HOME"] = str(self._states)
            place = ["--root", str(self.root), "--state-dir", str(self._states / str(user))]
            paths = [str(self.root / word) for word in ("a.py", "src/b.py", "src/c.py")]
            return run([*words, *place, *(paths if words[0] == "edit" else [])])

        return as_user(user, work)


def killed_at(number: int) -> Callable[..., None]:
    """An exchange of two names that ends this process the time of that number."""
    exchange, calls = Disk.exchange, itertools.count(1)

    def killing(disk: Disk, *arguments: Any) -> None:
        if next(calls) == number:
            os.kill(os.getpid(), signal.SIGKILL)
        exchange(disk, *arguments)

    return killing


def as_user(user: int, work: Callable[[], int]) -> int:
    """What `work` returns in a process of that user, a member of the team."""
    child = os.fork()
    if child == 0:
        try:
            os.umask(0o002)
            os.setgroups([TEAM])
            os.setresgid(TEAM, TEAM, TEAM)
            os.setresuid(user, user, user)
            os._exit(work())
        except BaseException:
            traceback.print_exc()
        finally:
            sys.stdout.flush()
            os._exit(99)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def known(place: Path) -> None:
    """Runs every command once: a child may not read where Python's modules lie."""
    tree = Tree(place).fresh()
    where = ("--root", str(tree.root), "--state-dir", str(tree.state))
    for words in (EDIT, HIS):
        assert run([*words, *where, str(tree.root)]) == 0
    for words in (
        ("recover", "--from-leftovers"),
        APPLY,
        ("undo",),
        ("resolve", "discard", "--reason", "t"),
        ("recover",),
    ):
        assert run([*words, *where]) == 0
    while run([*APPLY, *where]) == 0:
        pass


@pytest.fixture
def shared() -> Iterator[Shared]:
    """Not below pytest's own directory, which each run closes to others when it starts."""
    with tempfile.TemporaryDirectory() as folder:
        known(Path(folder) / "known")
        yield Shared(Path(folder))


OURS = ("--only", "a.py", "--only", "src/b.py")
HERS = {path: AFTER[path] if path != "src/c.py" else BEFORE[path] for path in BEFORE}


def owners(shared: Shared) -> dict[str, int]:
    return {path: (shared.root / path).stat().st_uid for path in BEFORE}


def test_nobody_replaces_a_file_whose_owner_would_become_another(shared: Shared) -> None:
    """Refused as a whole, and before any file is touched; a part of it can be applied."""
    before = owners(shared)
    for user in (ANNE, BERT):
        assert shared.command(user, *EDIT) == 0
        assert shared.command(user, *APPLY) == 3
        assert shared.contents() == BEFORE and shared.left_over() == []
    assert shared.command(ANNE, *APPLY, *OURS) == 0
    assert shared.contents() == HERS and owners(shared) == before
    assert shared.command(BERT, *APPLY) == 3, "his preview is of other texts"
    assert shared.contents() == HERS and shared.left_over() == []


def test_what_one_left_half_done_is_not_the_other_s_to_end(shared: Shared) -> None:
    """He is told what lies there; what he edits meanwhile stays, and she ends it."""
    assert shared.command(ANNE, *EDIT) == 0
    assert shared.command(ANNE, *APPLY, *OURS, dies=2) == -signal.SIGKILL
    half = shared.contents()
    assert half not in (BEFORE, HERS) and len(shared.left_over()) == 2
    for words in (("recover",), ("recover", "--from-leftovers")):
        assert shared.command(BERT, *words) == 5
        assert shared.contents() == half and len(shared.left_over()) == 2
    assert shared.command(BERT, *HIS) == 0
    assert shared.command(BERT, *APPLY) == 0
    assert shared.command(ANNE, "recover") == 0
    assert shared.contents() == HERS | {"src/c.py": b"y = h(f(3))"} and shared.left_over() == []


def test_a_file_that_he_saved_between_her_kill_and_her_recovery_stays(shared: Shared) -> None:
    assert shared.command(ANNE, *EDIT) == 0
    assert shared.command(ANNE, *APPLY, *OURS, dies=2) == -signal.SIGKILL

    def save() -> int:
        (shared.root / "src/b.py").write_bytes(b"his\n")
        return 0

    assert as_user(BERT, save) == 0
    assert shared.command(ANNE, "recover") == 0
    assert shared.contents() == BEFORE | {"src/b.py": b"his\n"}


@pytest.mark.slow
def test_while_one_applies_the_other_waits(shared: Shared) -> None:
    """The lock is on the directory, so it is for all users."""
    assert shared.command(BERT, *HIS) == 0
    words = ["flock", "-o", shared.root, "sh", "-c", "echo locked; sleep 1"]
    with subprocess.Popen(words, stdout=subprocess.PIPE) as holder:
        assert holder.stdout is not None and holder.stdout.readline() == b"locked\n"
        assert shared.command(BERT, *APPLY) == 0
        assert holder.poll() is not None, "he came in between"
    assert (shared.root / "src/c.py").read_bytes() == b"y = h(f(3))"
