"""The harnesses bite: without one fsync, one hash check or one lock they find bad outcomes.

Each harness here returns what went wrong. It is nothing as the code stands, and something
once the check is gone that it is there for.
"""

import contextlib
import os
import traceback
from collections.abc import Callable
from contextvars import Context as Variables
from pathlib import Path
from typing import Any

import pytest

from astedit.errors import StaleError
from astedit.staging import ast_edit
from astedit.transaction import file_step, temporary
from astedit.transaction.commit import write
from astedit.workspace.root import Workspace
from resolve import Session, SqliteStore, ToolError, handlers, locks
from resolve.errors import SessionBusy
from resolve.handlers import Context
from resolve.state import live
from tests.support.faults.cli import EDIT
from tests.support.faults.disks import Saving, Watched, using
from tests.support.faults.journal import MemoryJournal
from tests.support.faults.mutate import replace
from tests.support.faults.power import recording, verdicts
from tests.support.faults.tree import FILES, NEW, OLD, applied, changes, contents, made
from tests.support.project import Project

FILE = file_step._File
SYNCS = 7  # of three siblings, of their two directories, and of these after the exchanges


# -- fsync -----------------------------------------------------------------------------------


def test_no_more_and_no_fewer_syncs_are_made_than_are_dropped_below(tmp_path: Path) -> None:
    assert recording(tmp_path / "root").syncs == SYNCS


@pytest.mark.parametrize("drop", range(1, SYNCS + 1))
def test_without_any_one_sync_a_power_cut_is_fatal(tmp_path: Path, drop: int) -> None:
    assert list(verdicts(recording(tmp_path / "root", drop=drop).images, tmp_path / "image")) != []


def test_a_journal_that_does_not_sync_is_fatal(tmp_path: Path) -> None:
    assert list(verdicts(recording(tmp_path / "root", lazy=True).images, tmp_path / "image")) != []


# -- hash checks -----------------------------------------------------------------------------


def lost(place: Path, *saves: tuple[str, int, bytes]) -> list[str]:
    """A person saves a file (path, before which exchange, text), and that text is kept."""
    root = made(place)

    class Person(Watched):
        def _before(self, name: str, arguments: tuple[Any, ...]) -> None:
            super()._before(name, arguments)
            for path, at, text in saves:
                if name == "exchange" and self.made.count(name) == at:
                    (root / path).write_bytes(text)

    with contextlib.suppress(StaleError):
        applied(root, MemoryJournal(), Person())
    found, kept = contents(root), OLD | {path: text for path, _, text in saves}
    return [f"{path}: {found.get(path)!r}" for path in kept if found.get(path) != kept[path]]


def in_the_window(place: Path) -> list[str]:
    return lost(place, ("src/b.py", 2, b"mine\n"))


def while_it_is_put_back(place: Path) -> list[str]:
    return lost(place, ("src/b.py", 2, b"mine\n"), ("src/b.py", 3, b"mine, later\n"))


def on_the_way_back(place: Path) -> list[str]:
    return lost(place, ("src/b.py", 2, b"mine\n"), ("a.py", 4, b"mine too\n"))


def late(place: Path) -> list[str]:
    """A file that changed before the apply is refused before its sibling is written."""
    root, disk = made(place), Watched()
    (root / "src/b.py").write_bytes(b"mine\n")
    with pytest.raises(StaleError):
        applied(root, MemoryJournal(), disk)
    return [call for call in disk.made if call == "create"][1:]


@pytest.mark.parametrize(
    "harness, function, code",
    [
        (in_the_window, FILE._exchange, 'self.only("") != step.before'),
        (while_it_is_put_back, FILE.put_back, "self.digest(letter) != ours"),
        (on_the_way_back, FILE._exchange_back, 'self.only("b") != step.after'),
        (late, temporary._checked, "digest_of(file) != expected_sha256"),
    ],
)
def test_without_a_hash_check_a_person_loses(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    harness: Callable[[Path], list[str]],
    function: Callable[..., Any],
    code: str,
) -> None:
    assert harness(tmp_path / "sound") == []
    replace(monkeypatch, function, code, "False")
    assert harness(tmp_path / "mutant") != []


def stale(project: Project) -> list[str]:
    """A file that was edited since the preview is not written."""
    project.put("a.py", "f(1)\n")
    assert project(*EDIT, "--quiet").code == 0
    project.put("a.py", "f(1)\nf(2)\n")
    code = project("resolve", "apply", "--reason", "t").code
    wrong = [] if project.read("a.py") == "f(1)\nf(2)\n" else ["written"]
    project("resolve", "discard", "--reason", "t")
    return wrong + ([] if code == 3 else [f"exit {code}"])


def test_without_the_fingerprint_a_changed_file_is_written(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert stale(project) == []
    check = "plan.fingerprint != previewed.fingerprint"
    replace(monkeypatch, ast_edit.as_previewed, check, "False")
    assert stale(project) != []


# -- locks -----------------------------------------------------------------------------------


class Writing:
    """Applies the three files, and lets somebody in between two of them."""

    def __init__(self, root: Path, meanwhile: Callable[[], object]) -> None:
        self._root, self._meanwhile = root, meanwhile

    def apply(self, payload: Any, reason: str, extra: Any, context: Context) -> str:
        disk = Saving("exchange", self._meanwhile, at=2)
        with Workspace(self._root) as workspace, using(disk):
            write(list(FILES), changes(), workspace.fd, context)
        return "written"

    def recover(self, payload: Any, intent: Any, context: Context) -> str:
        return "blocked"


def elsewhere(work: Callable[[], bool]) -> bool:
    """Whether `work` holds in another process that knows of none of our locks."""
    child = os.fork()
    if child == 0:  # it leaves without a way back into the tests, whatever happens
        try:
            live.clear()
            os._exit(0 if Variables().run(work) else 1)
        except BaseException:
            traceback.print_exc()
        finally:
            os._exit(2)
    return os.waitpid(child, 0)[1] == 0


def disturbed(place: Path) -> list[str]:
    """Nobody recovers an apply that is running."""
    root, state = made(place / "root"), place / "state/state.db"
    wrong: list[str] = []

    def recover() -> bool:
        with SqliteStore(state) as store:
            other = Session(store, workspace=True, lock=root, lock_wait=0.05)
            try:
                return other.recover() == []
            except ToolError as error:
                return error.code == "busy"

    def meanwhile() -> None:
        if not elsewhere(recover):
            wrong.append("a live apply was recovered")

    handlers.register("writing")(Writing(root, meanwhile))
    with SqliteStore(state) as store, Session(store, id="one", lock=root) as mine:
        mine.stage(handler="writing", payload={}, label="three files")
        try:
            mine.resolve("apply", "t")
        except ToolError as error:
            wrong.append(str(error))
    handlers.unregister("writing")
    return wrong + ([] if contents(root) == NEW else ["a mix"])


def shared(place: Path) -> list[str]:
    """One session is open once."""
    state = place / "state.db"

    def opened() -> bool:
        with SqliteStore(state) as store:
            try:
                Session(store, id="one").close()
            except SessionBusy:
                return False
        return True

    with SqliteStore(state) as store, Session(store, id="one"):
        return ["opened twice"] if elsewhere(opened) else []


@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
@pytest.mark.parametrize("harness", [disturbed, shared])
def test_without_its_lock_nobody_is_safe(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, harness: Callable[[Path], list[str]]
) -> None:
    assert harness(tmp_path / "sound") == []
    monkeypatch.setattr(locks, "_try_flock", lambda _: True)
    assert harness(tmp_path / "mutant") != []
