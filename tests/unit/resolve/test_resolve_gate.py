"""The queue of tool choices, both policies, and what an agent loop meets there."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

import pytest

from resolve import (
    GateIgnored,
    Message,
    PendingAction,
    Session,
    Tool,
    ToolError,
    queue_resolve_handler,
)
from resolve.store import PendingActionStore
from tests.support.gate.handlers import Recorder

RESOLVE = {"type": "tool", "name": "resolve"}
REMINDER = """\
<system-reminder>
This is a preview. Call the `resolve` tool to apply or discard these changes.
</system-reminder>"""


def preview(session: Session, label: str = "change") -> PendingAction:
    return queue_resolve_handler(
        session, label=label, source_tool_name="tool", apply=lambda reason: "done"
    )


@pytest.fixture
def forcing(store: PendingActionStore) -> Iterator[Session]:
    with Session(store, policy="forced") as session:
        yield session


def test_nothing_pending_leaves_the_choice_to_the_model(session: Session) -> None:
    assert session.next_tool_choice() is None
    assert session.steering == []


@pytest.mark.parametrize("durable", [False, True])
def test_staging_sends_the_reminder(session: Session, recorder: Recorder, durable: bool) -> None:
    if durable:
        session.stage(handler="recorder", payload={}, label="change")
    else:
        preview(session)
    assert session.steering == [Message("resolve-reminder", REMINDER)]
    assert str(session.steering[0]) == REMINDER


def test_an_action_pushed_to_the_stack_is_asked_for_too(session: Session) -> None:
    action = session.store.push(PendingAction("change", apply=lambda reason: None))
    assert session.queue.inspect() == [f"resolve:{action.id}"]


def test_forced_asks_at_every_call(forcing: Session) -> None:
    preview(forcing)
    assert [forcing.next_tool_choice() for _ in range(3)] == [RESOLVE] * 3
    forcing.resolve("apply", "reviewed")
    assert forcing.next_tool_choice() is None


def test_soft_lets_one_turn_pass_and_then_forces(session: Session) -> None:
    preview(session)
    assert session.next_tool_choice() is None
    assert session.next_tool_choice() == RESOLVE
    session.resolve("discard", "no")
    assert session.next_tool_choice() is None


def test_three_forced_turns_that_are_ignored_end_the_turn_not_the_action(session: Session) -> None:
    action = preview(session)
    assert [session.next_tool_choice() for _ in range(4)] == [None, *[RESOLVE] * 3]
    session.steering.clear()
    with pytest.raises(GateIgnored) as caught:
        session.next_tool_choice()
    assert action.id in str(caught.value)
    assert caught.value.code == "gate_ignored"
    assert [message.name for message in session.steering] == ["resolve-reminder"]
    assert [session.next_tool_choice() for _ in range(2)] == [None, RESOLVE]
    assert session.resolve("apply", "at last").details["actionId"] == action.id


@pytest.mark.parametrize("reason", ["aborted", "error", "unavailable"])
def test_a_forced_turn_that_fails_three_times_is_never_lost(forcing: Session, reason: str) -> None:
    action = preview(forcing)
    for _ in range(3):
        assert forcing.next_tool_choice() == RESOLVE
        forcing.queue.reject(reason)
    with pytest.raises(GateIgnored):
        forcing.next_tool_choice()
    assert forcing.next_tool_choice() == RESOLVE
    assert forcing.store.peek() == action


@pytest.mark.parametrize("verb", ["apply", "discard"])
def test_what_is_staged_in_a_forced_turn_is_not_what_the_turn_resolves(
    forcing: Session, verb: str
) -> None:
    older = preview(forcing, "older")
    forcing.next_tool_choice()
    newer = preview(forcing, "newer")
    with pytest.raises(ToolError) as caught:
        forcing.resolve(verb, "ok")
    assert caught.value.code == "ambiguous"
    assert older.id in str(caught.value) and newer.id in str(caught.value)
    assert forcing.store.list() == [newer, older] and forcing.queue.has_in_flight
    assert forcing.resolve(verb, "ok", target=older.id).details["actionId"] == older.id
    forcing.next_tool_choice()
    assert forcing.resolve(verb, "ok").details["actionId"] == newer.id


def test_a_turn_that_ends_without_an_answer_asks_for_the_newest_first(forcing: Session) -> None:
    older = preview(forcing, "older")
    forcing.next_tool_choice()
    newer = preview(forcing, "newer")
    forcing.next_tool_choice()
    assert forcing.resolve("apply", "ok").details["actionId"] == newer.id
    assert forcing.store.list() == [older]


def test_a_directive_is_bound_to_its_action(forcing: Session, store: PendingActionStore) -> None:
    """An agent that answers for X never applies Y, even when X is gone by then."""
    older, newer = preview(forcing, "older"), preview(forcing, "newer")
    forcing.next_tool_choice()
    with Session(store, workspace=True) as people:
        people.resolve("discard", "by hand", target=newer.id)
    with pytest.raises(ToolError, match="already discarded"):
        forcing.resolve("apply", "reviewed newer")
    assert forcing.store.peek() == older


def test_a_directive_whose_action_is_gone_is_not_served(
    forcing: Session, store: PendingActionStore
) -> None:
    action = preview(forcing)
    with Session(store, workspace=True) as people:
        people.resolve("discard", "by hand", target=action.id)
    assert forcing.next_tool_choice() is None
    assert forcing.queue.inspect() == []


def test_nothing_to_resolve_clears_a_phantom_directive(forcing: Session) -> None:
    preview(forcing)
    forcing.store.clear()
    with pytest.raises(ToolError, match="No pending action"):
        forcing.resolve("apply", "reviewed")
    assert forcing.queue.inspect() == []


@pytest.mark.parametrize("served", [True, False])
def test_whatever_demands_resolve_for_nothing_is_dropped(session: Session, served: bool) -> None:
    session.queue.push_once(RESOLVE, label="stale", on_rejected=lambda reason: "requeue")
    if served:
        assert session.next_tool_choice() == RESOLVE
    session.queue.push_once("write", label="other")
    with pytest.raises(ToolError, match="No pending action"):
        session.resolve("apply", "reviewed")
    assert not session.queue.has_in_flight
    assert session.queue.inspect() == ["other"]
    assert [session.next_tool_choice() for _ in range(2)] == ["write", None]


def test_a_directive_in_flight_whose_action_was_taken_off_the_stack_is_a_phantom(
    forcing: Session,
) -> None:
    preview(forcing)
    assert forcing.next_tool_choice() == RESOLVE
    forcing.store.clear()
    with pytest.raises(ToolError, match="No pending action"):
        forcing.resolve("apply", "reviewed")
    assert forcing.next_tool_choice() is None


def test_a_directive_in_flight_whose_action_is_gone_answers_for_no_other(forcing: Session) -> None:
    preview(forcing, "older")
    newer = preview(forcing, "newer")
    assert forcing.next_tool_choice() == RESOLVE
    forcing.store.remove(newer.id)
    with pytest.raises(ToolError, match=newer.id):
        forcing.resolve("apply", "reviewed the newer one")
    assert [action.label for action in forcing.store.list()] == ["older"]
    assert forcing.next_tool_choice() == RESOLVE


def test_a_failed_apply_is_asked_for_again(session: Session, recorder: Recorder) -> None:
    action = session.stage(handler="recorder", payload={}, label="change")
    session.steering.clear()
    recorder.fail = ToolError("moved", code="stale")
    assert [session.next_tool_choice() for _ in range(2)] == [None, RESOLVE]
    with pytest.raises(ToolError):
        session.resolve("apply", "reviewed")
    assert [message.name for message in session.steering] == ["resolve-reminder"]
    assert session.queue.inspect() == [f"resolve:{action.id}"]
    assert [session.next_tool_choice() for _ in range(2)] == [None, RESOLVE]


def test_failing_forever_ends_as_ignoring_does(forcing: Session, recorder: Recorder) -> None:
    recorder.fail = ToolError("moved", code="stale")
    forcing.stage(handler="recorder", payload={}, label="change")
    for _ in range(3):
        assert forcing.next_tool_choice() == RESOLVE
        with pytest.raises(ToolError, match="moved"):
            forcing.resolve("apply", "again")
    with pytest.raises(GateIgnored):
        forcing.next_tool_choice()


def test_a_directive_of_the_program_is_served_whatever_the_policy(session: Session) -> None:
    preview(session)
    session.queue.push_once("mine", now=True)
    assert session.next_tool_choice() == "mine"
    session.queue.resolve()
    assert [session.next_tool_choice() for _ in range(2)] == [None, RESOLVE]


def test_only_mutating_tools_are_held_back(session: Session) -> None:
    assert session.hold("write_file") is None
    preview(session)
    held = session.hold("write_file", mutating=True)
    assert held is not None
    assert held.text == (
        "Not executed: call the `resolve` tool to resolve the pending action first."
    )
    assert held.is_error
    assert session.hold("read_file", mutating=False) is None
    assert session.hold("resolve") is None
    session.resolve("apply", "ok")
    assert session.hold("write_file") is None


def test_where_no_tool_can_be_forced_the_action_is_still_there(store: PendingActionStore) -> None:
    with Session(store, provider="mcp", policy="forced") as session:
        action = preview(session)
        assert session.next_tool_choice() is None
        assert session.steering == [Message("resolve-reminder", REMINDER)]
        assert session.store.peek() == action


def test_reset_discards_everything_volatile(session: Session) -> None:
    action = preview(session)
    session.set_standing_resolve_handler(lambda given: None)
    session.queue.push_once("mine")
    session.next_tool_choice()
    session.reset()
    assert (session.store.count, session.steering, session.queue.inspect()) == (0, [], [])
    assert session.peek_standing_resolve_handler() is None
    assert session.next_tool_choice() is None
    found = session.store.get(action.id)
    assert found is not None
    assert found.state == "discarded"
    with pytest.raises(ToolError, match="No pending action"):
        session.resolve("apply", "reviewed")


def test_reset_keeps_what_another_process_could_still_apply(
    session: Session, recorder: Recorder
) -> None:
    action = session.stage(handler="recorder", payload={}, label="change")
    session.reset()
    kept = session.store.get(action.id)
    assert kept is not None
    assert kept.state == ("pending" if session.records.durable else "discarded")


def test_a_sub_agent_keeps_to_its_own_session(store: PendingActionStore) -> None:
    with Session(store) as parent, Session(store) as child:
        mine, theirs = preview(parent, "parent"), preview(child, "child")
        assert parent.queue.inspect() == [f"resolve:{mine.id}"]
        assert child.resolve("apply", "ok").details["actionId"] == theirs.id
        child.reset()
        assert parent.store.list() == [mine]


def test_two_answers_in_one_forced_turn_go_to_two_actions(forcing: Session) -> None:
    older, newer = preview(forcing, "older"), preview(forcing, "newer")
    forcing.next_tool_choice()
    answered = [forcing.resolve("apply", "ok").details["actionId"] for _ in range(2)]
    assert answered == [newer.id, older.id]


def test_a_forced_turn_that_was_taken_counts_as_served(forcing: Session) -> None:
    for by_id in (False, True):
        action = preview(forcing)
        forcing.next_tool_choice()
        forcing.resolve("apply", "ok", target=action.id if by_id else None)
        forcing.queue.resolve()
        assert forcing.queue.consume_last_served_label() == f"resolve:{action.id}"


def test_the_invoker_of_an_action_resolves_it(forcing: Session) -> None:
    older, newer = preview(forcing, "older"), preview(forcing, "newer")
    assert forcing.peek_queue_invoker() is None
    forcing.next_tool_choice()
    invoker = forcing.peek_queue_invoker()
    assert invoker is not None
    result = asyncio.run(invoker({"action": "discard", "reason": "no", "extra": None}))
    assert result.details["actionId"] == newer.id
    assert forcing.store.list() == [older]


def tool(name: str, **fields: bool) -> Tool:
    return Tool(name, **fields)
