"""A session killed at every numbered write, and recovery killed too, loses nothing."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from resolve import Session, SqliteStore
from resolve.fold import View
from resolve.storage.marker import interrupted
from tests.support.gate import files as gate_files
from tests.support.gate.kill import every_kill, finishes

OLD = {"a.txt": "old a", "b.txt": "old b", "gone.txt": "old c"}
NEW = {"a.txt": "new a", "b.txt": "new b", "gone.txt": None, "made.txt": "new d"}


class World:
    """A tree, a state file, and one session that edits, is interrupted and comes back."""

    def __init__(self, base: Path) -> None:
        self.base = base
        self.root = base / "root"
        self.state = base / "state" / "state.db"

    def prepare(self) -> None:
        shutil.rmtree(self.base, ignore_errors=True)
        self.root.mkdir(parents=True)
        for name, text in OLD.items():
            (self.root / name).write_text(text)
        SqliteStore(self.state).close()

    def open(self, store: SqliteStore) -> Session:
        return Session(store, id="one", lock=self.root, lock_wait=1.0)

    def work(self) -> None:
        """One turn of an agent: previews, a message meanwhile, two resolutions."""
        with SqliteStore(self.state) as store:
            self.turn(self.open(store))

    def turn(self, session: Session) -> None:
        session.say("please rename")
        with session.exchange("c1", "edit", {"n": 1}, step=1, preview=True) as call:
            gate_files.stage(session, self.root, NEW)
            session.say("and hurry", "background")
            call.close("1 preview")
        with session.exchange("c2", "edit", '{"broken', step=2, preview=True) as call:
            gate_files.stage(session, self.root, {"a.txt": "never"})
            call.close("another preview")
        with session.exchange("c3", "resolve", {"action": "discard"}, step=3):
            session.resolve("discard", "not that one")
        with session.exchange("c4", "resolve", {"action": "apply"}, step=4):
            session.resolve("apply", "reviewed")

    def recover(self) -> None:
        with SqliteStore(self.state) as store:
            self.open(store).close()

    def files(self) -> dict[str, str]:
        return {path.name: path.read_text() for path in self.root.glob("[!.]*")}

    def check(self) -> str:
        """Asserts what must hold after any kill; returns the state of the applied action."""
        with SqliteStore(self.state) as store:
            return self.check_store(store)

    def check_store(self, store: SqliteStore) -> str:
        assert not store.intents() or interrupted(self.state), "an intent that nobody sees"
        with self.open(store) as session:
            first = session.view()
            stack = [action.label for action in session.store.list()]
        with self.open(store) as session:
            assert session.view() == first
            assert [action.label for action in session.store.list()] == stack
        self.check_calls(first)
        assert (store.claims(), store.intents(), interrupted(self.state)) == ([], [], [])
        return self.check_stack(store, stack, first)

    def check_calls(self, view: View) -> None:
        assert view.open == []
        assert view.deferred == []
        assert [call.id for call in view.calls] == ["c1", "c2", "c3", "c4"][: len(view.calls)]
        messages = [
            message["content"] for message in view.context() if message["role"] == "background"
        ]
        if (first := view.call("c1")) is not None and not first.answer.is_error:
            assert messages == ["and hurry"]

    def check_stack(self, store: SqliteStore, stack: list[str], view: View) -> str:
        """The stack, the files, the results and the audit tell the same story."""
        actions = {
            action.label: action for action in store.list(("pending", "applied", "discarded"))
        }
        for call_id, label in (("c1", "4 files"), ("c2", "1 files")):
            call = view.call(call_id)
            assert (call is not None and not call.answer.is_error) == (label in actions)
        files = {name: text for name, text in {**OLD, **NEW}.items() if text is not None}
        state = actions["4 files"].state if "4 files" in actions else "absent"
        assert self.files() == (files if state == "applied" else OLD)
        resolved = [row.label for row in store.audit(outcome="applied")]
        assert resolved == (["4 files"] if state == "applied" else [])
        last = view.call("c4")
        assert (last is not None and not last.answer.is_error) == (state == "applied")
        if state == "applied":  # told by the apply itself, or by the recovery of its intent
            told = last.answer.details
            assert told.get("sourceToolName") == "files" or told["code"] == "recovered"
        pending = [label for label, action in actions.items() if action.state == "pending"]
        assert sorted(stack) == sorted(pending)
        return state


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World(tmp_path / "world")


@pytest.mark.parametrize("step", [5, pytest.param(1, marks=pytest.mark.slow)])
def test_a_kill_at_every_write_leaves_one_story(world: World, step: int) -> None:
    states = []
    for kill_at in every_kill(world.work, world.prepare, step):
        states.append(world.check())
        assert kill_at < 300
    assert len(states) * step > 40
    assert states[-1] == "applied"
    assert set(states) == {"absent", "pending", "applied"}


@pytest.mark.slow
def test_a_kill_of_the_recovery_too_leaves_one_story(world: World) -> None:
    killed = 0
    for kill_at in every_kill(world.work, world.prepare):
        saved = world.base.with_name("saved")
        shutil.rmtree(saved, ignore_errors=True)
        shutil.copytree(world.base, saved)

        def restore(saved: Path = saved) -> None:
            shutil.rmtree(world.base)
            shutil.copytree(saved, world.base)

        for _ in every_kill(world.recover, restore):
            world.check()
            killed += 1
        assert kill_at < 300
    assert killed > 100


@pytest.mark.slow
def test_compaction_killed_half_way_is_whole_or_absent(world: World) -> None:
    def compact() -> None:
        with SqliteStore(world.state) as store, world.open(store) as session:
            session.compact(keep=1)

    def prepare() -> None:
        world.prepare()
        assert finishes(world.work)

    blocks = set()
    for _ in every_kill(compact, prepare):
        with SqliteStore(world.state) as store, world.open(store) as session:
            view = session.view()
        blocks.add(len(view.blocks))
        assert view.step == 4
        assert view.open == []
    assert blocks == {6, 2}
