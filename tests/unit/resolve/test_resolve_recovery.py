"""The recovery table, row by row: what is found on disk decides, and nothing else."""

from __future__ import annotations

import fcntl
import os
import signal
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from resolve import PendingAction, Session, SqliteStore, ToolError, handlers
from resolve.fold import Answer
from resolve.handlers import Context, Recovered
from resolve.records import Move, Push
from resolve.recovery import Recovery, conclude
from resolve.storage.marker import interrupted
from resolve.store import PendingActionStore
from tests.support.faults.mutate import replace
from tests.support.gate import files as gate_files
from tests.support.gate.files import Files
from tests.support.gate.kill import finishes, fork
from tests.support.patience import until

OLD = {"a": "old a", "b": "old b", "c": "old c"}
NEW = {"a": "new a", "b": None, "c": "new c", "d": "new d"}
NAMES = ["a", "b", "c", "d"]


@pytest.fixture
def tree(root: Path) -> Path:
    for name, text in OLD.items():
        (root / name).write_text(text)
    return root


@pytest.fixture(autouse=True)
def files_handler() -> Iterator[None]:
    handlers.register("files")(Files)
    yield
    handlers.register("files")(Files)


def contents(tree: Path) -> dict[str, str]:
    return {path.name: path.read_text() for path in sorted(tree.iterdir())}


def die_after(swapped: int) -> Callable[[Path, list[Any]], None]:
    """Returns a `swap` whose process dies after so many files."""
    swap = gate_files.swap

    def dying(root: Path, files: list[Any]) -> None:
        swap(root, files[:swapped])
        os.kill(os.getpid(), signal.SIGKILL)

    return dying


def interrupt(state: Path, tree: Path, swapped: int | None) -> None:
    """Dies in session "one" after the intent and `swapped` files; None: before the intent."""

    def work() -> None:
        session = Session(SqliteStore(state), id="one", lock=tree)
        gate_files.stage(session, tree, NEW)
        if swapped is None:
            Files.apply = lambda *_: os.kill(os.getpid(), signal.SIGKILL)
        else:
            gate_files.swap = die_after(swapped)
        with session.exchange("c1", "resolve", {"action": "apply"}):
            session.resolve("apply", "reviewed")

    assert not finishes(work)


def reopened(store: SqliteStore, tree: Path) -> Answer:
    """Opens the session twice; returns the answer that its interrupted call got."""
    answers = []
    for _ in range(2):
        with Session(store, id="one", lock=tree) as session:
            [call] = session.view().calls
            answers.append(call.answer)
    assert answers[0] == answers[1]
    assert answers[0] is not None
    return answers[0]


def the_action(store: SqliteStore) -> tuple[str, str | None]:
    [action] = store.list(("pending", "applying", "applied", "discarded"))
    return action.state, action.condition


def test_without_an_intent_the_action_is_still_pending(
    sqlite: SqliteStore, state: Path, tree: Path
) -> None:
    interrupt(state, tree, None)
    assert the_action(sqlite) == ("applying", None)
    answer = reopened(sqlite, tree)
    assert answer.is_error
    assert "still pending" in answer.content[0]["text"]
    assert (the_action(sqlite), contents(tree)) == (("pending", None), OLD)


def test_with_every_file_as_before_nothing_has_happened(
    sqlite: SqliteStore, state: Path, tree: Path
) -> None:
    interrupt(state, tree, 0)
    for sibling in tree.glob(".*.new"):
        sibling.unlink()
    answer = reopened(sqlite, tree)
    assert answer.is_error
    assert answer.details["code"] == "recovered_untouched"
    assert (the_action(sqlite), contents(tree)) == (("pending", None), OLD)
    assert sqlite.intents() == []


@pytest.mark.parametrize("swapped", [1, 2, 3, 4])
def test_with_some_or_all_files_as_after_it_is_finished(
    sqlite: SqliteStore, state: Path, tree: Path, swapped: int
) -> None:
    interrupt(state, tree, swapped)
    assert interrupted(state) == [sqlite.intents()[0][0]]
    answer = reopened(sqlite, tree)
    assert not answer.is_error
    assert answer.details["recovered"] is True
    action_id = answer.details["actionId"]
    text = f"Applied: 4 files ({action_id}).\nFinished 4 files."
    assert (answer.details["label"], answer.content[0]["text"]) == ("4 files", text)
    assert the_action(sqlite) == ("applied", None)
    assert contents(tree) == {"a": "new a", "c": "new c", "d": "new d"}
    [row] = sqlite.audit()
    assert (row.outcome, row.code, row.who, row.reason) == (
        "applied",
        "recovered",
        "agent",
        "reviewed",
    )
    assert [file["path"] for file in row.files] == NAMES
    assert interrupted(state) == []


def test_a_foreign_file_is_never_touched_and_ours_are_restored(
    sqlite: SqliteStore, state: Path, tree: Path
) -> None:
    interrupt(state, tree, 2)
    (tree / "c").write_text("a person was here")
    answer = reopened(sqlite, tree)
    assert answer.is_error
    assert answer.content[0]["text"] == "Not ours: c."
    assert the_action(sqlite) == ("pending", "stale")
    assert contents(tree) == {**OLD, "c": "a person was here"}
    assert sqlite.intents() == []


def test_a_missing_sibling_is_rolled_back_from_the_images(
    sqlite: SqliteStore, state: Path, tree: Path
) -> None:
    interrupt(state, tree, 2)
    (tree / ".d.new").unlink()
    assert reopened(sqlite, tree).is_error
    assert (the_action(sqlite)[0], contents(tree)) == ("pending", OLD)


def lose_images(store: SqliteStore) -> None:
    with store.file.transaction():
        store.file.run("DELETE FROM images")


def test_missing_bytes_need_attention_until_someone_decides(
    sqlite: SqliteStore, state: Path, tree: Path
) -> None:
    interrupt(state, tree, 1)
    (tree / ".d.new").unlink()
    lose_images(sqlite)
    answer = reopened(sqlite, tree)
    assert answer.is_error
    assert answer.content[0]["text"] == "The image of a is missing."
    assert the_action(sqlite) == ("pending", "blocked")
    assert contents(tree) == {**OLD, "a": "new a", ".c.new": "new c"}
    assert len(interrupted(state)) == 1
    with Session(sqlite, workspace=True, lock=tree) as session:
        rows = len(sqlite.audit())
        assert [found.outcome for found in session.recover()] == ["blocked"]
        assert len(sqlite.audit()) == rows, "nothing new, nothing to note"
        with pytest.raises(ToolError, match="needs attention") as caught:
            session.resolve("apply", "try anyway")
        assert caught.value.code == "blocked"
        with pytest.raises(ToolError) as caught:
            session.resolve("discard", "half of it stays")
        assert caught.value.code == "interrupted"
        (tree / "a").write_text(OLD["a"])
        session.resolve("discard", "restored by hand")
    assert (the_action(sqlite)[0], sqlite.intents(), interrupted(state)) == ("discarded", [], [])
    assert contents(tree) == OLD


def test_what_was_blocked_is_finished_once_the_bytes_are_back(
    sqlite: SqliteStore, state: Path, tree: Path
) -> None:
    interrupt(state, tree, 1)
    (tree / ".d.new").unlink()
    lose_images(sqlite)
    reopened(sqlite, tree)
    (tree / ".d.new").write_text("new d")
    with Session(sqlite, workspace=True, lock=tree) as session:
        assert [found.outcome for found in session.recover()] == ["applied"]
    assert contents(tree) == {"a": "new a", "c": "new c", "d": "new d"}
    assert the_action(sqlite) == ("applied", None)


@pytest.mark.parametrize("problem", ["missing", "raises", "nonsense", "fails"])
def test_a_handler_that_cannot_say_blocks(
    sqlite: SqliteStore, state: Path, tree: Path, problem: str
) -> None:
    interrupt(state, tree, 1)

    class Broken(Files):
        def recover(self, payload: Any, intent: Any, context: Context) -> Any:
            if problem == "raises":
                raise OSError("no space left")
            if problem == "fails":
                raise KeyError("files")
            return "perhaps"

    handlers.unregister("files")
    if problem != "missing":
        handlers.register("files")(Broken)
    assert reopened(sqlite, tree).is_error
    assert the_action(sqlite) == ("pending", "blocked")
    handlers.register("files")(Files)
    with Session(sqlite, workspace=True, lock=tree) as session:
        assert [found.outcome for found in session.recover()] == ["applied"]


def test_the_next_resolve_of_anyone_recovers_first(
    sqlite: SqliteStore, state: Path, tree: Path
) -> None:
    interrupt(state, tree, 2)
    with Session(sqlite, workspace=True, lock=tree) as session:
        gate_files.stage(session, tree, {"e": "new e"})
        session.resolve("apply", "another one")
    assert contents(tree) == {"a": "new a", "c": "new c", "d": "new d", "e": "new e"}
    assert [row.code for row in sqlite.audit()] == [None, "recovered"]


def test_a_session_that_opens_recovers_unless_somebody_applies_just_then(
    sqlite: SqliteStore, state: Path, tree: Path
) -> None:
    interrupt(state, tree, 2)
    lock = os.open(tree, os.O_RDONLY)
    fcntl.flock(lock, fcntl.LOCK_EX)
    with Session(sqlite, id="another", lock=tree):
        assert len(sqlite.intents()) == 1
    os.close(lock)
    with Session(sqlite, id="another", lock=tree):
        assert sqlite.intents() == []
    assert contents(tree) == {"a": "new a", "c": "new c", "d": "new d"}


def test_a_workspace_session_does_not_recover_by_itself(
    sqlite: SqliteStore, state: Path, tree: Path
) -> None:
    """`edit` must not: it prints its preview and says that something was interrupted."""
    interrupt(state, tree, 2)
    with Session(sqlite, workspace=True, lock=tree):
        assert len(sqlite.intents()) == 1
        assert len(interrupted(state)) == 1


def test_recover_reports_what_it_did(sqlite: SqliteStore, state: Path, tree: Path) -> None:
    interrupt(state, tree, 2)
    with Session(sqlite, workspace=True, lock=tree) as session:
        [found] = session.recover()
        assert isinstance(found, Recovery)
        assert (found.action.label, found.outcome, found.text) == (
            "4 files",
            "applied",
            "Finished 4 files.",
        )
        assert session.recover() == []


@pytest.mark.parametrize("fault", [OSError("disk on fire"), KeyboardInterrupt()])
def test_a_failure_after_the_commit_point_ends_as_a_recovery_would(
    sqlite: SqliteStore, tree: Path, monkeypatch: pytest.MonkeyPatch, fault: BaseException
) -> None:
    """All new, or all old: a live failure takes the very path that a kill takes."""
    swap = gate_files.swap

    def faulty(root: Path, files: list[Any]) -> None:
        swap(root, files[:2])
        monkeypatch.setattr(gate_files, "swap", swap)
        raise fault

    with Session(sqlite, lock=tree) as session:
        action = gate_files.stage(session, tree, NEW)
        monkeypatch.setattr(gate_files, "swap", faulty)
        if isinstance(fault, Exception):
            result = session.resolve("apply", "reviewed")
            assert result.text == f"Applied: 4 files ({action.id}).\nFinished 4 files."
            assert result.details["recovered"] is True
        else:
            with pytest.raises(KeyboardInterrupt):
                session.resolve("apply", "reviewed")
    assert the_action(sqlite) == ("applied", None)
    assert contents(tree) == {"a": "new a", "c": "new c", "d": "new d"}
    assert len(sqlite.audit(outcome="applied")) == 1


def test_a_failure_after_the_commit_point_that_rolls_back_is_stale(
    sqlite: SqliteStore, tree: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    swap = gate_files.swap

    def surprised(root: Path, files: list[Any]) -> None:
        swap(root, files[:2])
        (root / "c").write_text("a person was here")
        raise ToolError("c has changed.", code="stale")

    with Session(sqlite, lock=tree) as session:
        gate_files.stage(session, tree, NEW)
        monkeypatch.setattr(gate_files, "swap", surprised)
        with pytest.raises(ToolError, match="c has changed"):
            session.resolve("apply", "reviewed")
        assert len(session.steering) == 2
    assert the_action(sqlite) == ("pending", "stale")
    assert contents(tree) == {**OLD, "c": "a person was here"}
    assert sqlite.intents() == []


def test_a_withdrawn_intent_leaves_an_ordinary_failure(
    sqlite: SqliteStore, state: Path, tree: Path
) -> None:
    @handlers.register("withdrawing")
    class Withdrawing:
        def apply(self, payload: Any, reason: str, extra: Any, context: Context) -> None:
            context.commit_intent({}, {"ab" * 32: b"image"})
            assert interrupted(state) == [context.action_id]
            context.withdraw_intent()
            raise ToolError("not after all", code="stale")

    with Session(sqlite, lock=tree) as session:
        session.stage(handler="withdrawing", payload={}, label="x")
        with pytest.raises(ToolError, match="not after all"):
            session.resolve("apply", "reviewed")
    handlers.unregister("withdrawing")
    assert (sqlite.intents(), interrupted(state)) == ([], [])
    assert the_action(sqlite) == ("pending", "stale")
    assert sqlite.image("ab" * 32) == b"image"


def test_a_full_disk_at_the_intent_writes_nothing(sqlite: SqliteStore, tree: Path) -> None:
    import resource

    limits = resource.getrlimit(resource.RLIMIT_FSIZE)

    @handlers.register("large")
    class Large:
        def apply(self, payload: Any, reason: str, extra: Any, context: Context) -> None:
            resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, limits[1]))
            try:
                context.commit_intent({}, {"ab" * 32: os.urandom(500_000)})
            finally:
                resource.setrlimit(resource.RLIMIT_FSIZE, limits)
            raise AssertionError("past the commit point")

    with Session(sqlite, lock=tree) as session:
        session.stage(handler="large", payload={}, label="x")
        with pytest.raises(ToolError) as caught:
            session.resolve("apply", "reviewed")
    handlers.unregister("large")
    assert caught.value.code == "store_unwritable"
    assert (the_action(sqlite), sqlite.intents()) == (("pending", None), [])
    assert interrupted(sqlite.path) == []


def test_a_dead_claim_without_a_lock_is_taken_back_by_its_own_session(
    sqlite: SqliteStore, state: Path, tree: Path
) -> None:
    def work() -> None:
        session = Session(SqliteStore(state), id="one")
        gate_files.stage(session, tree, NEW)
        Files.apply = lambda *_: os.kill(os.getpid(), signal.SIGKILL)
        session.resolve("apply", "reviewed")

    assert not finishes(work)
    assert the_action(sqlite)[0] == "applying"
    with Session(sqlite, id="one") as session:
        assert session.resolve("apply", "again").text == "Wrote 4 files."


def test_a_live_claim_is_left_alone(sqlite: SqliteStore, state: Path, tree: Path) -> None:
    """Without a common lock only the session lock tells that a claim is alive."""
    child = fork()
    if child == 0:
        session = Session(SqliteStore(state), id="one")
        gate_files.stage(session, tree, NEW)
        Files.apply = lambda *_: time.sleep(3600)
        session.resolve("apply", "slowly")
        os._exit(0)
    try:
        until(sqlite.claims)
        with Session(sqlite, id="two") as other:
            other.recover()
            [claim] = sqlite.claims()
            with pytest.raises(ToolError, match="is being resolved by agent") as caught:
                other.resolve("apply", "mine", target=claim.action_id)
            assert caught.value.code == "busy"
    finally:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
    with Session(sqlite, id="two") as other:
        other.recover()
        assert the_action(sqlite) == ("pending", None)


def test_the_lifo_order_survives_recovery(sqlite: SqliteStore, state: Path, tree: Path) -> None:
    def work() -> None:
        session = Session(SqliteStore(state), id="one", lock=tree)
        for label in ("oldest", "middle"):
            session.stage(handler="files", payload={"root": str(tree), "files": []}, label=label)
        gate_files.stage(session, tree, NEW)
        Files.apply = lambda *_: os.kill(os.getpid(), signal.SIGKILL)
        session.resolve("apply", "reviewed")

    assert not finishes(work)
    with Session(sqlite, id="one", lock=tree) as session:
        assert [action.label for action in session.store.list()] == ["4 files", "middle", "oldest"]
        assert len(session.queue.inspect()) == 3
        assert len(session.steering) == 1


def test_recovery_ends_only_what_is_dead(sqlite: SqliteStore, tree: Path) -> None:
    """A handler that resolves another action must not recover its own live claim."""

    @handlers.register("nesting")
    class Nesting:
        def apply(self, payload: Any, reason: str, extra: Any, context: Context) -> Recovered | str:
            assert context.session.recover() == []
            assert [claim.action_id for claim in sqlite.claims()] == [context.action_id]
            return "nested"

    with Session(sqlite, lock=tree) as session:
        session.stage(handler="nesting", payload={}, label="x")
        assert session.resolve("apply", "reviewed").text == "nested"
    handlers.unregister("nesting")


def test_only_legal_moves_are_possible(sqlite: SqliteStore) -> None:
    from resolve import PendingAction

    action = PendingAction("x", handler="files")
    sqlite.commit(Push(action))
    with pytest.raises(AssertionError):
        sqlite.commit(Move(action.id, "pending", "applied"))
    assert the_action(sqlite) == ("pending", None)


@pytest.mark.parametrize(
    "forget",
    [
        SqliteStore.clear,
        SqliteStore.pop,
        lambda store: store.remove(store.peek().id),
        lambda store: store.commit(Move(store.peek().id, "pending", "lost")),
    ],
)
def test_an_action_with_an_intent_cannot_be_forgotten(
    sqlite: SqliteStore, state: Path, tree: Path, forget: Callable[[SqliteStore], object]
) -> None:
    blocked(sqlite, state, tree)
    with pytest.raises(ToolError) as caught:
        forget(sqlite)
    assert caught.value.code == "interrupted"
    assert the_action(sqlite) == ("pending", "blocked")
    (tree / ".d.new").write_text("new d")
    with Session(sqlite, workspace=True, lock=tree) as session:
        assert [found.outcome for found in session.recover()] == ["applied"]


def test_without_that_refusal_half_a_tree_is_forgotten(
    sqlite: SqliteStore, state: Path, tree: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    replace(monkeypatch, PendingActionStore.commit, "self._refuse_interrupted(changes)", "None")
    blocked(sqlite, state, tree)
    sqlite.clear()
    assert sqlite.list() == [] and contents(tree)["a"] == "new a"


def test_an_intent_whose_action_is_gone_is_never_nothing(
    sqlite: SqliteStore, state: Path, tree: Path
) -> None:
    """As an earlier version left it, or somebody who edits the file."""
    blocked(sqlite, state, tree)
    with sqlite.file.transaction():
        sqlite.file.run("DELETE FROM actions")
    with Session(sqlite, workspace=True, lock=tree) as session:
        for _ in range(2):
            (gone,) = session.recover()
            assert (gone.outcome, len(sqlite.intents())) == ("blocked", 1)
        conclude(session, gone.action, Recovered("untouched"))  # as a person may decide
    assert (sqlite.intents(), interrupted(state)) == ([], [])


def blocked(store: SqliteStore, state: Path, tree: Path) -> None:
    """Leaves an apply half done, which nobody can end before a file is back."""
    interrupt(state, tree, 1)
    (tree / ".d.new").unlink()
    lose_images(store)
    reopened(store, tree)


def test_an_apply_of_an_interrupted_action_answers_with_how_that_ended(
    sqlite: SqliteStore, state: Path, tree: Path
) -> None:
    interrupt(state, tree, 1)
    action_id = sqlite.list(("applying",))[0].id
    with Session(sqlite, workspace=True, lock=tree) as session:
        result = session.resolve("apply", "again", target=action_id)
    assert result.text == f"Applied: 4 files ({action_id}).\nFinished 4 files."
    assert result.details == {
        "action": "apply",
        "reason": "again",
        "sourceToolName": "files",
        "label": "4 files",
        "actionId": action_id,
        "recovered": True,
    }
    assert [row.outcome for row in sqlite.audit()] == ["applied"]


def test_a_discard_of_an_interrupted_action_says_that_it_was_applied(
    sqlite: SqliteStore, state: Path, tree: Path
) -> None:
    interrupt(state, tree, 1)
    action_id = sqlite.list(("applying",))[0].id
    with (
        Session(sqlite, workspace=True, lock=tree) as session,
        pytest.raises(ToolError, match="already applied"),
    ):
        session.resolve("discard", "no", target=action_id)
    assert contents(tree) == {"a": "new a", "c": "new c", "d": "new d"}


def test_a_file_of_a_newer_version_is_not_recovered(
    sqlite: SqliteStore, state: Path, tree: Path
) -> None:
    interrupt(state, tree, 2)
    sqlite.file.run("PRAGMA user_version=99")
    newer = SqliteStore(state)
    with Session(newer, id="one", lock=tree) as session:
        assert [call.id for call in session.view().open] == ["c1"]
        assert len(newer.intents()) == 1
    newer.close()


def test_a_session_that_cannot_open_lets_go_of_its_lock(
    sqlite: SqliteStore, state: Path, tree: Path
) -> None:
    interrupt(state, tree, 1)
    with pytest.raises(ToolError, match="gone cannot be locked") as caught:
        Session(sqlite, id="one", lock=tree / "gone")
    assert caught.tb is not None and not sqlite.alive("one")
    with Session(sqlite, id="one", lock=tree):
        assert sqlite.alive("one")


class Paying:
    """Pays, and cannot say whether it has."""

    def __init__(self, ledger: Path) -> None:
        self.ledger = ledger

    def apply(self, payload: Any, reason: str, extra: Any, context: Context) -> str:
        with self.ledger.open("a") as file:
            file.write("paid\n")
        if payload["dies"]:
            os.kill(os.getpid(), signal.SIGKILL)
        return "Paid."


class Surviving(Paying):
    def apply(self, payload: Any, reason: str, extra: Any, context: Context) -> str:
        return super().apply({"dies": False}, reason, extra, context)


def killed_in_apply(state: Path, tree: Path, ledger: Path) -> str:
    """Stages a payment, and dies while it is made; returns its id."""
    with SqliteStore(state) as store, Session(store, id="one") as session:
        action = session.stage(handler="pay", payload={"dies": True}, label="Pay")

    def work() -> None:
        own = {"pay": Paying(ledger)}
        session = Session(SqliteStore(state), id="one", lock=tree, handlers=own)
        with session.exchange("c1", "resolve", {"action": "apply"}):
            session.resolve("apply", "reviewed", target=action.id)

    assert not finishes(work)
    return action.id


def test_what_may_have_run_is_not_run_again_unless_a_person_says_so(
    state: Path, tree: Path, tmp_path: Path
) -> None:
    ledger = tmp_path / "ledger"
    paid = killed_in_apply(state, tree, ledger)
    own = {"pay": Surviving(ledger)}
    with SqliteStore(state) as store, Session(store, id="one", lock=tree, handlers=own) as session:
        answer = session.view().calls[-1].answer
        assert answer is not None and "may have run already" in str(answer.content)
        assert answer.details["code"] == "outcome_unknown"
        (action,) = session.store.list()
        assert action.condition == "outcome_unknown"
        assert [row.code for row in store.audit(outcome="unknown")] == ["outcome_unknown"]
        for _ in range(2):
            with pytest.raises(ToolError) as caught:
                session.resolve("apply", "again")
            assert caught.value.code == "outcome_unknown"
            assert caught.value.about["actionId"] == paid
        assert ledger.read_text() == "paid\n"
        session.run_again.add(paid)
        assert session.resolve("apply", "a person said so").text == "Paid."
        assert ledger.read_text() == "paid\npaid\n"


def test_what_may_have_run_can_be_discarded(state: Path, tree: Path, tmp_path: Path) -> None:
    paid = killed_in_apply(state, tree, tmp_path / "ledger")
    with SqliteStore(state) as store, Session(store, workspace=True, lock=tree) as session:
        assert [recovery.outcome for recovery in session.recover()] == ["unknown"]
        details = session.resolve("discard", "it was paid", target=paid).details
        assert details is not None and details["actionId"] == paid


def test_a_callback_that_may_have_run_is_lost_and_says_so(
    state: Path, tree: Path, tmp_path: Path
) -> None:
    note = tmp_path / "id"

    def work() -> None:
        session = Session(SqliteStore(state), id="one", lock=tree)
        action = session.store.push(
            PendingAction("Pay", apply=lambda *_: os.kill(os.getpid(), signal.SIGKILL))
        )
        note.write_text(action.id)
        session.resolve("apply", "reviewed")

    assert not finishes(work)
    with SqliteStore(state) as store, Session(store, workspace=True, lock=tree) as session:
        session.recover()
        with pytest.raises(ToolError, match="already lost") as caught:
            session.resolve("apply", "again", target=note.read_text())
        assert "It may have run already" in str(caught.value.hint)


def test_a_discard_that_was_killed_leaves_no_doubt(state: Path, tree: Path) -> None:
    class Refusing(Paying):
        def reject(self, *_: Any) -> None:
            os.kill(os.getpid(), signal.SIGKILL)

    def work() -> None:
        own = {"pay": Refusing(tree)}
        session = Session(SqliteStore(state), id="one", lock=tree, handlers=own)
        session.stage(handler="pay", payload={}, label="Pay")
        session.resolve("discard", "no")

    assert not finishes(work)
    with SqliteStore(state) as store, Session(store, id="one", lock=tree) as session:
        (action,) = session.store.list()
        assert action.condition is None and store.audit(outcome="unknown") == []
