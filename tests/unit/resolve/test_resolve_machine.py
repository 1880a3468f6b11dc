"""Random sequences of everything a session meets, against a model of it."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from resolve import MemoryStore, PendingAction, Session, SqliteStore, ToolError
from resolve.store import PendingActionStore
from tests.support.gate import files as gate_files
from tests.support.gate.kill import finishes

PLACE = st.integers(0, 7)


class Gate(RuleBasedStateMachine):
    """Each durable action makes one file of its own, so the tree tells what was applied."""

    durable = False

    def __init__(self) -> None:
        super().__init__()
        self.base = Path(tempfile.mkdtemp(prefix="gate"))
        self.root = self.base / "root"
        self.root.mkdir()
        self.stack: list[str] = []
        self.volatile: set[str] = set()
        self.closed: dict[str, str] = {}
        self.names: dict[str, str] = {}
        self.called: list[str] = []
        self.calls = 0

    @initialize()
    def start(self) -> None:
        self.store = self.make_store()
        self.session = self.open(self.store)

    def make_store(self) -> PendingActionStore:
        return MemoryStore()

    def open(self, store: PendingActionStore) -> Session:
        return Session(store, id="one", lock=self.root, lock_wait=1.0)

    def teardown(self) -> None:
        self.session.close()
        if isinstance(self.store, SqliteStore):
            self.store.close()
        shutil.rmtree(self.base)

    def pick(self, place: int) -> str:
        return self.stack[-1 - place % len(self.stack)]

    def close(self, action_id: str, state: str) -> None:
        self.stack.remove(action_id)
        self.volatile.discard(action_id)
        self.closed[action_id] = state

    @rule()
    def stage(self) -> None:
        name = f"file{len(self.names)}"
        action = gate_files.stage(self.session, self.root, {name: name})
        self.names[action.id] = name
        self.stack.append(action.id)

    @rule()
    def stage_volatile(self) -> None:
        action = PendingAction("volatile", apply=lambda reason: self.called.append(reason))
        self.session.store.push(action)
        self.stack.append(action.id)
        self.volatile.add(action.id)

    @rule(fails=st.booleans())
    def stage_in_an_exchange(self, fails: bool) -> None:
        self.calls += 1
        with self.session.exchange(f"c{self.calls}", "edit", preview=True) as exchange:
            name = f"file{len(self.names)}"
            action = gate_files.stage(self.session, self.root, {name: name})
            self.session.say("meanwhile", "background")
            self.names[action.id] = name
            if fails:
                return
            exchange.close("1 preview")
        self.stack.append(action.id)

    @precondition(lambda self: self.stack)
    @rule()
    def apply_the_newest(self) -> None:
        asked_for = self.in_flight()
        if asked_for in self.closed:  # by another process: never answered with another action
            with pytest.raises(ToolError, match=f"{asked_for} was already"):
                self.session.resolve("apply", "too late")
        target = None
        if asked_for in self.stack[:-1]:  # something was staged in the turn that it is forced in
            with pytest.raises(ToolError) as caught:
                self.session.resolve("apply", "top")
            assert caught.value.code == "ambiguous"
            target = self.stack[-1]
        result = self.session.resolve("apply", "top", target=target)
        assert result.details["actionId"] == self.stack[-1]
        self.close(self.stack[-1], "applied")

    def in_flight(self) -> str | None:
        flight = self.session.queue.in_flight
        return None if flight is None or flight.invoked else flight.directive.action_id

    @precondition(lambda self: self.stack)
    @rule(place=PLACE)
    def apply_a_target(self, place: int) -> None:
        action_id = self.pick(place)
        self.calls += 1
        with self.session.exchange(f"c{self.calls}", "resolve", {"target": action_id}):
            self.session.resolve("apply", "chosen", target=action_id)
        self.close(action_id, "applied")

    @precondition(lambda self: self.stack)
    @rule(place=PLACE)
    def discard(self, place: int) -> None:
        action_id = self.pick(place)
        self.session.resolve("discard", "no", target=action_id)
        self.close(action_id, "discarded")

    @precondition(lambda self: set(self.stack) - self.volatile)
    @rule()
    def fail_and_stay(self) -> None:
        action_id = next(one for one in reversed(self.stack) if one not in self.volatile)
        foreign = self.root / self.names[action_id]
        foreign.write_text("a person was faster")
        with pytest.raises(ToolError) as caught:
            self.session.resolve("apply", "stale", target=action_id)
        assert caught.value.code == "stale"
        assert self.session.store.get(action_id).condition == "stale"
        foreign.unlink()

    @precondition(lambda self: self.closed)
    @rule(place=PLACE)
    def resolve_a_closed_one(self, place: int) -> None:
        action_id = list(self.closed)[place % len(self.closed)]
        with pytest.raises(ToolError, match=f"already {self.closed[action_id]}") as caught:
            self.session.resolve("apply", "again", target=action_id)
        assert caught.value.code == "already_resolved"

    @rule(turns=st.integers(1, 6))
    def ask(self, turns: int) -> None:
        for _ in range(turns):
            try:
                choice = self.session.next_tool_choice()
            except ToolError as error:
                assert error.code == "gate_ignored"
                choice = None
            assert choice is None or self.stack

    @rule()
    def reset(self) -> None:
        self.session.reset()
        for action_id in [one for one in self.stack if one in self.volatile or not self.durable]:
            self.close(action_id, "discarded")
        assert self.session.steering == []

    @rule(keep=st.integers(0, 4))
    def compact(self, keep: int) -> None:
        before = self.session.view()
        after = self.session.compact(keep)
        assert self.session.view() == after
        assert (after.open, after.deferred, after.step) == ([], [], before.step)

    @invariant()
    def the_stack_is_the_model(self) -> None:
        listed = self.session.store.list()
        assert [action.id for action in listed] == list(reversed(self.stack))
        assert self.session.store.count == len(self.stack)
        assert {action.durable for action in listed if action.id in self.volatile} <= {False}

    @invariant()
    def the_files_are_those_applied(self) -> None:
        applied = {
            self.names[one]
            for one, state in self.closed.items()
            if state == "applied" and one in self.names
        }
        assert {path.name for path in self.root.iterdir()} == applied
        assert len(self.store.audit(outcome="applied")) == sum(
            state == "applied" for state in self.closed.values()
        )

    @invariant()
    def nothing_is_left_open(self) -> None:
        assert (self.store.claims(), self.store.intents(), self.store.unsettled) == ([], [], False)
        view = self.session.view()
        assert (view.open, view.deferred) == ([], [])


class DurableGate(Gate):
    """The same in a state file, with other processes, kills and new starts."""

    durable = True

    def make_store(self) -> PendingActionStore:
        return SqliteStore(self.base / "state" / "state.db")

    @rule()
    def restart(self) -> None:
        self.teardown_session()
        self.start()
        assert {action.id for action in self.session.lost} == self.volatile
        for action_id in list(self.volatile):
            self.close(action_id, "lost")
        assert len(self.session.queue.inspect()) == len(self.stack)

    def teardown_session(self) -> None:
        self.session.close()
        self.store.close()

    @precondition(lambda self: set(self.stack) - self.volatile)
    @rule(place=PLACE, verb=st.sampled_from(["apply", "discard"]))
    def another_process_resolves(self, place: int, verb: str) -> None:
        action_id = self.durable_one(place)
        assert finishes(self.elsewhere(action_id, verb))
        self.close(action_id, {"apply": "applied", "discard": "discarded"}[verb])

    @precondition(lambda self: set(self.stack) - self.volatile)
    @rule(place=PLACE, kill_at=st.integers(1, 40))
    def another_process_is_killed(self, place: int, kill_at: int) -> None:
        action_id = self.durable_one(place)
        finishes(self.elsewhere(action_id, "apply"), kill_at)
        self.session.recover()
        for sibling in self.root.glob(".*"):
            sibling.unlink()  # written before the intent: the handler's to sweep
        state = self.store.get(action_id).state
        assert state in ("pending", "applied")
        if state == "applied":
            self.close(action_id, "applied")

    def durable_one(self, place: int) -> str:
        durable = [one for one in self.stack if one not in self.volatile]
        return durable[place % len(durable)]

    def elsewhere(self, action_id: str, verb: str) -> Callable[[], None]:
        def work() -> None:
            store = SqliteStore(self.base / "state" / "state.db")
            with Session(store, workspace=True, lock=self.root) as session:
                session.resolve(verb, "elsewhere", target=action_id)
            os._exit(0)

        return work


QUICK = settings(
    max_examples=15, stateful_step_count=20, deadline=None, suppress_health_check=list(HealthCheck)
)
FULL = settings(QUICK, max_examples=200, stateful_step_count=50)


class TestMemory(Gate.TestCase):
    settings = QUICK


class TestDurable(DurableGate.TestCase):
    settings = QUICK


@pytest.mark.slow
@pytest.mark.timeout(3600)
class TestMemoryFull(Gate.TestCase):
    settings = FULL


@pytest.mark.slow
@pytest.mark.timeout(3600)
class TestDurableFull(DurableGate.TestCase):
    settings = FULL
