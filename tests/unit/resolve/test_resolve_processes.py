"""Many processes at one state file: each action is resolved exactly once."""

from __future__ import annotations

import os
import sqlite3
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from resolve import PendingAction, Session, SqliteStore, ToolError, handlers
from resolve.handlers import Context
from resolve.records import Push
from tests.support.gate.kill import fork


@handlers.register("appending")
class Appending:
    """Writes its id to a file that all processes share."""

    def apply(self, payload: str, reason: str, extra: object, context: Context) -> str:
        descriptor = os.open(payload, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
        os.write(descriptor, f"{context.action_id}\n".encode())
        os.close(descriptor)
        return "appended"

    def reject(self, payload: str, reason: str, extra: object, context: Context) -> None:
        self.apply(payload, reason, extra, context)


def together(count: int, work: Callable[[int], None]) -> None:
    """Runs `work` in so many processes that start at the same moment."""
    children, (gate, opened) = [], os.pipe()
    for number in range(count):
        child = fork()
        if child == 0:
            os.close(opened)
            os.read(gate, 1)  # which ends when nobody can write any more
            try:
                work(number)
            except BaseException as error:
                print(repr(error), flush=True)
                os._exit(1)
            os._exit(0)
        children.append(child)
    os.close(opened)
    os.close(gate)
    assert [os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in children] == [0] * count


def outcomes(state: Path, root: Path, log: Path, verbs: list[str], ids: list[str]) -> None:
    """Resolves all ids and writes what came of each; any other answer is a failure."""
    with SqliteStore(state) as store:
        session = Session(store, workspace=True, lock=root, lock_wait=120.0)
        for action_id, verb in zip(ids, verbs, strict=True):
            try:
                session.resolve(verb, "race", target=action_id)
                outcome = verb
            except ToolError as error:
                assert error.code == "already_resolved", error
                outcome = error.code
            with log.open("a") as lines:
                lines.write(f"{action_id} {outcome}\n")


def stage(sqlite: SqliteStore, written: Path, count: int) -> list[str]:
    with Session(sqlite, id="stager") as session:
        return [
            session.stage(handler="appending", payload=str(written), label=f"action {n}").id
            for n in range(count)
        ]


@pytest.mark.parametrize(
    ("processes", "actions"),
    [(4, 10), pytest.param(20, 100, marks=[pytest.mark.slow, pytest.mark.timeout(300)])],
)
def test_each_action_is_applied_exactly_once(
    sqlite: SqliteStore, state: Path, root: Path, tmp_path: Path, processes: int, actions: int
) -> None:
    written, log = tmp_path / "written", tmp_path / "log"
    ids = stage(sqlite, written, actions)
    verbs = ["apply"] * actions
    together(processes, lambda _: outcomes(state, root, log, verbs, ids))
    assert sorted(written.read_text().split()) == sorted(ids)
    told = Counter(line.split()[1] for line in log.read_text().splitlines())
    assert told == {"apply": actions, "already_resolved": actions * (processes - 1)}
    assert len(sqlite.audit(outcome="applied")) == actions
    assert sqlite.count == 0


def test_apply_and_discard_of_one_id_have_one_winner(
    sqlite: SqliteStore, state: Path, root: Path, tmp_path: Path
) -> None:
    written, log = tmp_path / "written", tmp_path / "log"
    ids = stage(sqlite, written, 30)
    both = [["apply"] * 30, ["discard"] * 30]
    together(2, lambda number: outcomes(state, root, log, both[number], ids))
    won = dict(line.split() for line in log.read_text().splitlines() if "already" not in line)
    names = {"apply": "applied", "discard": "discarded"}
    assert {one: sqlite.get(one).state for one in ids} == {
        action_id: names[verb] for action_id, verb in won.items()
    }
    assert sorted(written.read_text().split()) == sorted(ids)


def test_a_new_state_file_can_be_opened_by_many_at_once(tmp_path: Path) -> None:
    path = tmp_path / "fresh" / "state.db"
    together(6, lambda number: _stage_one(path, number))
    with SqliteStore(path) as store:
        assert sorted(action.label for action in store.list()) == [str(n) for n in range(6)]


def _stage_one(path: Path, number: int) -> None:
    with SqliteStore(path) as store, Session(store, id=f"s{number}") as session:
        session.stage(handler="appending", payload="", label=str(number))


def test_two_sessions_work_on_one_workspace(
    sqlite: SqliteStore, state: Path, root: Path, tmp_path: Path
) -> None:
    """Each resolves its own stack, newest first, and neither sees the other's as its own."""
    written = tmp_path / "written"

    def work(number: int) -> None:
        with SqliteStore(state) as store, Session(store, id=f"s{number}", lock=root) as session:
            mine = [
                session.stage(handler="appending", payload=str(written), label=f"{number}").id
                for _ in range(5)
            ]
            for expected in reversed(mine):
                assert session.resolve("apply", "mine").details["actionId"] == expected

    together(3, work)
    assert len(written.read_text().split()) == 15
    assert Counter(row.session for row in sqlite.audit()) == {"s0": 5, "s1": 5, "s2": 5}


@pytest.mark.slow
def test_ten_thousand_pending_actions_are_listed_at_once(sqlite: SqliteStore) -> None:
    """Listing never reads a payload, so it costs the same whatever they hold."""
    payload = '{"edits":"' + "x" * 5000 + '"}'
    actions = [
        PendingAction(f"action {n}", handler="h", details={"n": n}, session="s")
        for n in range(10_000)
    ]
    sqlite.commit(*(Push(action, payload) for action in actions))
    read = set()

    def note(what: int, table: str | None, column: str | None, *_: object) -> int:
        read.add(column) if what == sqlite3.SQLITE_READ else None
        return sqlite3.SQLITE_OK

    sqlite.file._connection.set_authorizer(note)
    listed = sqlite.list()
    sqlite.file._connection.set_authorizer(None)
    assert [action.id for action in listed] == [action.id for action in reversed(actions)]
    assert "label" in read and "payload" not in read
    assert (sqlite.count, sqlite.peek().label) == (10_000, "action 9999")
