"""What every store promises; a third store can run this file too."""

from __future__ import annotations

import os
import resource
import sqlite3
import tempfile
from datetime import timedelta
from pathlib import Path

import pytest

from resolve import PendingAction, Session, SqliteStore, StoreError, ToolError
from resolve.actions import now
from resolve.records import Annotate, AuditRow, DropIntent, Move, Push, Record, SaveIntent
from resolve.store import PendingActionStore
from tests.support.gate.handlers import Recorder
from tests.support.gate.kill import finishes
from tests.support.gate.program import output


def apply(reason: str) -> str:
    return reason


def volatile(label: str = "change", **fields: object) -> PendingAction:
    return PendingAction(label=label, apply=apply, **fields)


def test_fields_come_back_as_they_went_in(store: PendingActionStore) -> None:
    details = {"files": 3, "nested": [1, {"a": None}]}
    given = volatile("label", source_tool_name="tool", details=details, reject=apply)
    store.push(given)
    found = store.get(given.id)
    assert found == given
    assert found.apply is apply
    assert found.reject is apply


def test_listeners_hear_of_every_push_until_they_stop(store: PendingActionStore) -> None:
    heard: list[str] = []
    stop = store.subscribe(lambda action: heard.append(action.label))
    store.push(volatile("one"))
    stop()
    store.push(volatile("two"))
    assert heard == ["one"]


def test_a_suffix_of_four_finds_an_action_in_any_state(store: PendingActionStore) -> None:
    action = store.push(volatile())
    assert store.find(action.id).id == action.id
    assert store.find(action.id[-4:]).id == action.id
    assert store.find(action.id[-6:].upper()).id == action.id
    store.commit(Move(action.id, "pending", "discarded", who="me", reason="no"))
    assert store.find(action.id[-4:]).state == "discarded"


@pytest.mark.parametrize("text", ["", "abc", "zzzz-", "%%%%", "____", "nothere00"])
def test_what_is_no_suffix_is_an_unknown_action(store: PendingActionStore, text: str) -> None:
    store.push(volatile())
    with pytest.raises(ToolError) as caught:
        store.find(text)
    assert caught.value.code == "unknown_action"


def test_a_suffix_of_two_pending_actions_is_ambiguous(store: PendingActionStore) -> None:
    one, two = volatile("one", id="a000000000aaaa7777"), volatile("two", id="a000000000bbbb7777")
    store.push(one)
    store.push(two)
    with pytest.raises(ToolError) as caught:
        store.find("7777")
    assert caught.value.code == "ambiguous"
    assert one.id in str(caught.value)
    store.commit(Move(one.id, "pending", "discarded"))
    assert store.find("7777").id == two.id


def test_a_claim_is_made_once(store: PendingActionStore) -> None:
    action = store.push(volatile())
    store.commit(Move(action.id, "pending", "applying", who="me"))
    with pytest.raises(ToolError, match="is being resolved by me at 20") as caught:
        store.commit(Move(action.id, "pending", "applying", who="you"))
    assert caught.value.code == "busy"


def test_a_closed_action_says_who_closed_it_and_when(store: PendingActionStore) -> None:
    action = store.push(volatile())
    store.commit(Move(action.id, "pending", "discarded", who="me", reason="no"))
    with pytest.raises(ToolError, match=r"was already discarded by me at 20.*Z\.") as caught:
        store.commit(Move(action.id, "pending", "applying", who="you"))
    assert caught.value.code == "already_resolved"


def test_a_refused_change_takes_the_whole_commit_with_it(store: PendingActionStore) -> None:
    action = volatile()
    row = AuditRow(None, "kind", "label", "me", "reason", "applied")
    with pytest.raises(ToolError):
        store.commit(
            Push(action), row, Record("s", "message", None, {}), Move("a0", "pending", "lost")
        )
    assert (store.count, store.audit(), store.log("s")) == (0, [], [])


def test_an_action_that_replaces_another_takes_its_place(store: PendingActionStore) -> None:
    one, two, three = (store.push(volatile(label)) for label in ("one", "two", "three"))
    store.commit(Move(two.id, "pending", "applying"))
    store.commit(Push(volatile("new two"), replaces=two.id), Move(two.id, "applying", "superseded"))
    assert [action.label for action in store.list()] == ["three", "new two", "one"]
    assert store.list(("superseded",)) == [store.get(two.id)]
    assert {one.id, three.id} < {action.id for action in store.list()}


def test_a_payload_is_read_on_its_own(store: PendingActionStore) -> None:
    small, large = volatile("small", handler="h"), volatile("large", handler="h")
    store.commit(Push(small, '{"a":1}'), Push(large, '{"a":"' + "é" * 5000 + '"}'))
    assert store.payload(small.id) == {"a": 1}
    assert store.payload(large.id) == {"a": "é" * 5000}
    assert store.payload("a0") is None


def test_intents_and_images_are_kept_until_dropped(store: PendingActionStore) -> None:
    action = store.push(volatile())
    store.commit(SaveIntent(action.id, '{"files":[]}', {"ab" * 32: b"before\x00\xff"}))
    assert store.intents() == [(action.id, {"files": []})]
    store.commit(DropIntent(action.id))
    assert store.intents() == []
    assert store.image("ab" * 32) == b"before\x00\xff"
    assert store.image("cd" * 32) is None


def test_audit_rows_come_newest_first_and_fit_every_filter(store: PendingActionStore) -> None:
    start = now()
    files = [{"path": "a.py", "before": "00", "after": None}]
    early = AuditRow("a1", "ast_edit", "one", "cli", "why", "applied", files=files, time=start)
    late = AuditRow("a2", "undo", "two", "agent", "why", "failed", "stale", "text")
    late.time = start + timedelta(seconds=5)
    store.commit(early, late)
    assert [row.label for row in store.audit()] == ["two", "one"]
    assert store.audit(limit=1)[0].to_json()["code"] == "stale"
    assert store.audit(action_id="a1")[0].files == files
    for only in (
        {"kind": "undo"},
        {"who": "agent"},
        {"outcome": "failed"},
        {"since": start + timedelta(seconds=1)},
    ):
        assert [row.label for row in store.audit(**only)] == ["two"]
    assert [row.label for row in store.audit(until=start)] == ["one"]
    assert store.audit(kind="undo", who="cli") == []


def test_details_that_are_not_json_are_refused_with_the_whole_commit(
    store: PendingActionStore,
) -> None:
    odd = volatile("odd", details={"path": Path("a")})
    with pytest.raises(ToolError, match="not JSON") as caught:
        store.commit(Push(volatile("plain")), Push(odd))
    assert caught.value.code == "invalid"
    assert store.count == 0


def test_annotations_come_back_with_their_revision(store: PendingActionStore) -> None:
    action = store.push(volatile())
    store.commit(Annotate(action.id, {"b": {"x": 1}, "a": {}}, 0))
    store.commit(Annotate(action.id, {"c": {"y": ["é" * 5000]}}, 0))
    assert store.annotations(action.id) == [("a", {}, 1), ("b", {"x": 1}, 1), (
        "c", {"y": ["é" * 5000]}, 2)]  # fmt: skip
    assert [key for key, _, _ in store.annotations(action.id, 1)] == ["c"]
    assert store.annotations("other") == []


def test_what_changed_since_it_was_seen_is_not_overwritten(store: PendingActionStore) -> None:
    action = store.push(volatile())
    store.commit(Annotate(action.id, {"a": {"by": 1}}, 0))
    with pytest.raises(ToolError) as caught:
        store.commit(Annotate(action.id, {"b": {"by": 2}, "a": {"by": 2}}, 0))
    assert caught.value.code == "changed_meanwhile"
    assert store.annotations(action.id) == [("a", {"by": 1}, 1)]
    store.commit(Annotate(action.id, {"a": {"by": 2}}, 1))
    assert store.annotations(action.id) == [("a", {"by": 2}, 2)]


def test_only_a_pending_action_is_annotated(store: PendingActionStore) -> None:
    action = store.push(volatile())
    store.commit(Annotate(action.id, {"a": {}}, 0))
    store.commit(Move(action.id, "pending", "discarded", who="me", reason="no"))
    for action_id, code in ((action.id, "already_resolved"), ("nobody", "unknown_action")):
        with pytest.raises(ToolError) as caught:
            store.commit(Annotate(action_id, {"b": {}}, 9))
        assert caught.value.code == code
    assert store.annotations(action.id) == [("a", {}, 1)]


def test_an_action_is_pushed_with_its_annotations_and_goes_with_them(
    store: PendingActionStore,
) -> None:
    action = volatile()
    store.commit(Push(action), Annotate(action.id, {"a": {}}, 0))
    assert store.annotations(action.id) == [("a", {}, 1)]
    store.remove(action.id)
    assert store.annotations(action.id) == []


STAGE = """
    import sys
    from resolve import Session, SqliteStore
    with SqliteStore(sys.argv[1]) as store, Session(store, id=sys.argv[2]) as session:
        print(session.stage(handler="recorder", payload={"n": 1}, label="change").id)
"""


def test_a_durable_action_survives_its_process(
    sqlite: SqliteStore, state: Path, recorder: Recorder
) -> None:
    action_id = output(STAGE, state, "other").strip()
    with Session(sqlite, workspace=True) as session:
        assert [action.id for action in session.store.list()] == [action_id]
        assert session.resolve("apply", "reviewed").text == "done"
    assert recorder.calls == [("apply", {"n": 1}, "reviewed", None)]


def test_a_file_of_a_newer_version_is_listed_and_never_written(
    sqlite: SqliteStore, state: Path, recorder: Recorder
) -> None:
    with Session(sqlite, id="one") as session:
        action = session.stage(handler="recorder", payload={}, label="change")
    sqlite.file.run("PRAGMA user_version=99")
    newer = SqliteStore(state)
    assert [found.id for found in newer.list()] == [action.id]
    with Session(newer, workspace=True) as session:
        for forbidden in (
            lambda: session.stage(handler="recorder", payload={}, label="more"),
            lambda: session.resolve("apply", "reviewed"),
            lambda: session.resolve("discard", "reviewed"),
        ):
            with pytest.raises(StoreError, match="newer version") as caught:
                forbidden()
            assert caught.value.code == "store_newer"
            assert caught.value.hint
    assert (newer.count, recorder.calls) == (1, [])
    newer.close()


def test_a_full_disk_registers_nothing(sqlite: SqliteStore, recorder: Recorder) -> None:
    """A limit on file sizes is what a full disk looks like to SQLite."""
    with Session(sqlite, workspace=True) as session:
        kept = session.stage(handler="recorder", payload={}, label="small")
        before = resource.getrlimit(resource.RLIMIT_FSIZE)
        resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, before[1]))
        try:
            with pytest.raises(StoreError) as caught:
                session.stage(
                    handler="recorder", payload={"n": os.urandom(500_000).hex()}, label="large"
                )
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, before)
        assert caught.value.code == "store_unwritable"
        assert [action.id for action in session.store.list()] == [kept.id]
        assert session.resolve("apply", "reviewed").text == "done"


NOBODY = 65534


def test_a_read_only_file_can_be_listed_and_nothing_else() -> None:
    """As another user: root writes anywhere."""

    def work() -> None:
        if os.geteuid() == 0:
            os.setuid(NOBODY)
        with Session(SqliteStore(state), workspace=True, lock=state.parent) as session:
            listed = [action.label for action in session.store.list()]
            assert listed == ["of a dead process", "change"]
            with pytest.raises(StoreError) as caught:
                session.stage(handler="h", payload={}, label="more")
            assert caught.value.code == "store_unwritable"
            assert "readonly" in str(caught.value)
            with pytest.raises(StoreError):
                session.resolve("discard", "no", target=session.store.list()[1].id)

    with tempfile.TemporaryDirectory() as directory:
        state = Path(directory) / "state.db"
        with SqliteStore(state) as store, Session(store) as session:
            session.stage(handler="h", payload={}, label="change")
            store.push(PendingAction("of a dead process", session="gone"))
        state.chmod(0o444)
        for mode in (0o555, 0o777):  # where nothing may be written beside it, or SQLite may
            os.chmod(directory, mode)
            assert finishes(work)


def test_audit_rows_can_be_neither_rewritten_nor_removed(sqlite: SqliteStore) -> None:
    sqlite.commit(AuditRow("a1", "kind", "label", "me", "why", "applied"))
    for statement in ("UPDATE audit SET who='you'", "DELETE FROM audit"):
        with pytest.raises(sqlite3.IntegrityError, match="audit rows are never"):
            sqlite.file.run(statement)
    assert sqlite.audit()[0].who == "me"
