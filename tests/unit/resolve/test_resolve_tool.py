"""The `resolve` tool: what it answers, and in which state it leaves the action."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path

import pytest

from resolve import PendingAction, ResolveTool, Session, ToolError, ToolResult
from resolve.actions import CONDITIONS
from resolve.render import render
from resolve.store import PendingActionStore
from tests.support.faults.mutate import replace
from tests.support.gate.handlers import Recorder, Rejecting
from tests.support.lists import rows

ROWS = rows(Path(__file__).with_suffix(".txt"))
NOTHING = "No pending action to resolve. Nothing to apply or discard."


def stage(session: Session, label: str = "change", handler: str = "recorder") -> PendingAction:
    return session.stage(handler=handler, payload={"n": 1}, label=label, source_tool_name="tool")


def push(session: Session, apply: Callable[..., object], **fields: object) -> PendingAction:
    return session.store.push(PendingAction(label="change", apply=apply, **fields))


def state(session: Session, action: PendingAction) -> str:
    found = session.store.get(action.id)
    assert found is not None
    return found.state


def fail(error: BaseException) -> Callable[..., object]:
    def callback(reason: str) -> object:
        raise error

    return callback


def test_nothing_pending_says_so(session: Session) -> None:
    with pytest.raises(ToolError) as caught:
        session.resolve("apply", "reviewed")
    assert str(caught.value) == NOTHING
    assert caught.value.code == "nothing_pending"


@pytest.mark.parametrize(("params",), ROWS["invalid parameters"])
def test_invalid_parameters_are_refused_before_anything_is_looked_up(
    session: Session, recorder: Recorder, params: dict[str, object]
) -> None:
    action = stage(session)
    with pytest.raises(ToolError) as caught:
        ResolveTool(session).run(params)
    assert caught.value.code == "invalid"
    assert (recorder.calls, state(session, action)) == ([], "pending")


def test_apply_runs_the_handler_and_closes_the_action(session: Session, recorder: Recorder) -> None:
    recorder.answer = ToolResult("Renamed 3 files.", details={"files": 3})
    action = stage(session)
    result = session.resolve("apply", "reviewed", {"only": ["a"]})
    assert recorder.calls == [("apply", {"n": 1}, "reviewed", {"only": ["a"]})]
    assert (result.text, result.is_error) == ("Renamed 3 files.", False)
    assert result.content == [{"type": "text", "text": "Renamed 3 files."}]
    assert result.details == {
        "action": "apply",
        "reason": "reviewed",
        "extra": {"only": ["a"]},
        "sourceToolName": "tool",
        "label": "change",
        "actionId": action.id,
        "sourceResultDetails": {"files": 3},
    }
    assert (state(session, action), session.store.count) == ("applied", 0)


@pytest.mark.parametrize("answer", [None, "", ToolResult(details={"n": 1})])
def test_an_apply_without_text_gets_one(
    session: Session, recorder: Recorder, answer: object
) -> None:
    recorder.answer = answer
    stage(session)
    assert session.resolve("apply", "reviewed").text == "Applied: change."


def test_a_second_apply_is_told_who_did_it_and_when(session: Session, recorder: Recorder) -> None:
    action = stage(session)
    session.resolve("apply", "reviewed")
    with pytest.raises(ToolError, match="was already applied by agent at 20") as caught:
        session.resolve("apply", "again", target=action.id)
    assert caught.value.code == "already_resolved"
    assert len(recorder.calls) == 1


def test_discard_without_reject_says_what_was_dropped(session: Session, recorder: Recorder) -> None:
    action = stage(session)
    assert session.resolve("discard", "not wanted").text == "Discarded: change. Reason: not wanted"
    assert (state(session, action), recorder.calls) == ("discarded", [])


def test_reject_answers_a_discard(session: Session, rejecting: Rejecting) -> None:
    rejecting.answer = "put back"
    stage(session, handler="rejecting")
    assert session.resolve("discard", "no").text == "put back"
    assert rejecting.calls == [("reject", {"n": 1}, "no", None)]


def test_reject_that_returns_nothing_leaves_the_default(
    session: Session, rejecting: Rejecting
) -> None:
    rejecting.answer = None
    stage(session, handler="rejecting")
    assert session.resolve("discard", "no").text == "Discarded: change. Reason: no"


def test_reject_that_raises_is_not_wrapped_and_keeps_the_action(
    session: Session, rejecting: Rejecting
) -> None:
    rejecting.fail = KeyError("gone")
    action = stage(session, handler="rejecting")
    with pytest.raises(KeyError):
        session.resolve("discard", "no")
    assert state(session, action) == "pending"


def test_a_tool_error_passes_through_unchanged(session: Session, recorder: Recorder) -> None:
    recorder.fail = ToolError("The tree moved.", code="stale", hint="Preview again.")
    action = stage(session)
    with pytest.raises(ToolError) as caught:
        session.resolve("apply", "reviewed")
    assert caught.value is recorder.fail
    found = session.store.peek()
    assert found is not None
    assert (found.id, found.state, found.condition) == (action.id, "pending", "stale")
    assert found.condition is not None
    assert found.condition.sentence == "The tree moved."


def test_any_other_error_is_an_apply_failure(session: Session, recorder: Recorder) -> None:
    recorder.fail = ValueError("no such file")
    action = stage(session)
    with pytest.raises(ToolError) as caught:
        session.resolve("apply", "reviewed")
    assert str(caught.value) == "Apply failed: no such file"
    assert caught.value.__cause__ is recorder.fail
    assert state(session, action) == "pending"


def test_a_failed_apply_keeps_its_place_and_can_be_tried_again(
    session: Session, recorder: Recorder
) -> None:
    older, newer = stage(session, "older"), stage(session, "newer")
    recorder.fail = ToolError("stale", code="stale")
    with pytest.raises(ToolError):
        session.resolve("apply", "reviewed")
    assert [action.id for action in session.store.list()] == [newer.id, older.id]
    recorder.fail = None
    assert session.resolve("apply", "again").details["actionId"] == newer.id
    closed = session.store.get(newer.id)
    assert closed is not None
    assert closed.condition is None


def test_an_error_result_is_a_failure_too(session: Session, recorder: Recorder) -> None:
    recorder.answer = ToolResult("could not", is_error=True)
    action = stage(session)
    assert session.resolve("apply", "reviewed").is_error
    assert state(session, action) == "pending"


@pytest.mark.parametrize("hook_fails", [False, True])
def test_the_error_hook_runs_first_and_never_hides_the_failure(
    session: Session, hook_fails: bool
) -> None:
    seen: list[str] = []

    def hook(error: Exception) -> None:
        seen.append(state(session, action))
        if hook_fails:
            raise RuntimeError("the hook too")

    action = push(session, fail(ValueError("first")), on_apply_error=hook)
    with pytest.raises(ToolError, match="Apply failed: first") as caught:
        session.resolve("apply", "reviewed")
    assert seen == ["applying"]
    assert state(session, action) == "pending"
    assert len(getattr(caught.value.__cause__, "__notes__", [])) == hook_fails


def test_stacked_actions_resolve_newest_first(session: Session, recorder: Recorder) -> None:
    staged = [stage(session, label) for label in ("one", "two", "three")]
    applied = [session.resolve("apply", "reviewed").details["actionId"] for _ in staged]
    assert applied == [action.id for action in reversed(staged)]


def test_a_target_in_the_middle_leaves_the_others(session: Session, recorder: Recorder) -> None:
    one, two, three = (stage(session, label) for label in ("one", "two", "three"))
    session.resolve("discard", "no", target=two.id)
    assert [action.id for action in session.store.list()] == [three.id, one.id]


def test_an_unknown_target_is_refused(session: Session, recorder: Recorder) -> None:
    stage(session)
    with pytest.raises(ToolError) as caught:
        session.resolve("apply", "reviewed", target="a00000000000000000")
    assert caught.value.code == "unknown_action"


def test_a_suffix_is_no_target(session: Session, recorder: Recorder) -> None:
    """An agent passes the id that the preview minted; only people abbreviate."""
    action = stage(session)
    with pytest.raises(ToolError, match="There is no action"):
        session.resolve("apply", "reviewed", target=action.id[-4:])


@pytest.mark.parametrize("verb", ["apply", "discard"])
def test_a_session_never_answers_for_another_even_with_its_only_one(
    store: PendingActionStore, recorder: Recorder, verb: str
) -> None:
    with Session(store) as mine, Session(store) as other:
        action = stage(other)
        with pytest.raises(ToolError) as caught:
            mine.resolve(verb, "reviewed")
        assert caught.value.code == "ambiguous"
        assert f"{action.id}  {action.label}" in str(caught.value)
        assert recorder.calls == [] and other.store.count == 1
        assert mine.resolve(verb, "meant", target=action.id).details["actionId"] == action.id


def test_without_that_scope_a_session_answers_for_another(
    store: PendingActionStore, recorder: Recorder, monkeypatch: pytest.MonkeyPatch
) -> None:
    replace(monkeypatch, ResolveTool._run, "self.session.store.peek", "self.session.records.peek")
    with Session(store) as mine, Session(store) as other:
        action = stage(other)
        assert mine.resolve("apply", "reviewed").details["actionId"] == action.id


def test_with_only_foreign_actions_the_standing_handler_answers(store: PendingActionStore) -> None:
    with Session(store) as mine, Session(store) as other:
        stage(other)
        mine.set_standing_resolve_handler(lambda given: "standing")
        assert mine.resolve("apply", "the plan").text == "standing"


def test_several_foreign_actions_need_a_target(
    store: PendingActionStore, recorder: Recorder
) -> None:
    with Session(store) as mine, Session(store) as other:
        one, two = stage(other, "first"), stage(other, "se\x1b[31mcond")
        with pytest.raises(ToolError) as caught:
            mine.resolve("apply", "reviewed")
        assert caught.value.code == "ambiguous"
        assert f"{one.id}  first" in str(caught.value)
        assert f"{two.id}  se\\x1b[31mcond" in str(caught.value)
        assert mine.resolve("apply", "ok", target=one.id).details["actionId"] == one.id


def test_own_actions_come_before_foreign_ones(
    store: PendingActionStore, recorder: Recorder
) -> None:
    with Session(store) as mine, Session(store) as other:
        own = stage(mine)
        stage(other)
        assert mine.resolve("apply", "reviewed").details["actionId"] == own.id


def test_on_the_command_line_the_session_is_the_workspace(
    store: PendingActionStore, recorder: Recorder
) -> None:
    with Session(store) as one, Session(store) as two, Session(store, workspace=True) as every:
        stage(one)
        newest = stage(two)
        assert every.resolve("apply", "reviewed").details["actionId"] == newest.id


def test_a_standing_handler_answers_when_nothing_is_pending(session: Session) -> None:
    heard: list[object] = []
    session.set_standing_resolve_handler(lambda given: heard.append(given) or "ready")
    result = session.resolve("apply", "the plan", {"title": "Plan"})
    assert heard == [{"action": "apply", "reason": "the plan", "extra": {"title": "Plan"}}]
    assert result.text == "ready"
    session.set_standing_resolve_handler(None)
    with pytest.raises(ToolError, match=NOTHING):
        session.resolve("apply", "again")


class PlanReady:
    """A standing handler that carries how it is shown."""

    label = "Plan ready for approval"
    source_tool_name = "plan_mode"

    def __call__(self, given: object) -> None:
        return None


@pytest.mark.parametrize("carried", [True, False])
def test_a_standing_handler_is_shown_by_its_label(session: Session, carried: bool) -> None:
    if carried:
        session.set_standing_resolve_handler(PlanReady())
    else:
        session.set_standing_resolve_handler(
            lambda given: None, label=PlanReady.label, source_tool_name="plan_mode"
        )
    call = {"action": "apply", "reason": "the plan"}
    result = session.resolve(**call)
    assert result.text == "Applied: Plan ready for approval."
    assert result.details["label"] == PlanReady.label
    shown = str(render(call, result)).splitlines()[0]
    assert shown == "Accept: Plan ready for approval [plan_mode]"
    [row] = session.records.audit()
    assert (row.kind, row.label) == ("standing", PlanReady.label)
    refused = session.resolve("discard", "not yet")
    assert refused.text == "Discarded: Plan ready for approval. Reason: not yet"


def test_a_pending_action_comes_before_the_standing_handler(
    session: Session, recorder: Recorder
) -> None:
    session.set_standing_resolve_handler(fail(AssertionError("not asked")))
    action = stage(session)
    assert session.resolve("apply", "reviewed").details["actionId"] == action.id


def test_a_queue_invoker_comes_before_everything_but_a_target(
    session: Session, recorder: Recorder
) -> None:
    session.set_standing_resolve_handler(lambda given: "standing")
    action = stage(session)
    session.queue.push_once("resolve", now=True, on_invoked=lambda given: f"got {given['reason']}")
    session.queue.next_tool_choice()
    assert session.resolve("apply", "first").text == "got first"
    assert session.resolve("apply", "ok", target=action.id).details["actionId"] == action.id


@pytest.mark.parametrize(
    ("error", "shown"),
    [(ValueError("bad"), "Apply failed: bad"), (ToolError("exact", code="x"), "exact")],
)
def test_a_standing_handler_fails_as_an_apply_does(
    session: Session, error: Exception, shown: str
) -> None:
    session.set_standing_resolve_handler(fail(error))
    with pytest.raises(ToolError) as caught:
        session.resolve("apply", "reviewed")
    assert str(caught.value) == shown
    with pytest.raises(type(error)):
        session.resolve("discard", "no")


@pytest.mark.parametrize("name", sorted(CONDITIONS))
@pytest.mark.parametrize("durable", [True, False])
def test_no_condition_that_a_failure_sets_keeps_an_action_for_ever(
    session: Session, recorder: Recorder, name: str, durable: bool
) -> None:
    error = ToolError("Not now.", code=name)
    action = stage(session) if durable else push(session, fail(error))
    recorder.fail = error
    for _ in range(2):
        with pytest.raises(ToolError, match="Not now") as caught:
            session.resolve("apply", "reviewed")
        assert caught.value.code == name
    found = session.store.get(action.id)
    assert (found.condition, found.condition.sentence) == (name, "Not now.")
    assert session.resolve("discard", "never").text == "Discarded: change. Reason: never"


def test_a_missing_handler_can_be_discarded_but_not_applied(session: Session) -> None:
    action = stage(session, handler="uninstalled")
    with pytest.raises(ToolError) as caught:
        session.resolve("apply", "reviewed")
    assert caught.value.code == "handler_missing"
    found = session.store.peek()
    assert found is not None
    assert (found.id, found.condition) == (action.id, "handler_missing")
    session.resolve("discard", "not here")
    assert state(session, action) == "discarded"


def test_every_resolution_leaves_an_audit_row(session: Session, recorder: Recorder) -> None:
    recorder.during = lambda context: context.record_files(
        [{"path": "a", "before": "1", "after": "2"}]
    )
    stage(session, "one")
    session.who = "human (alice)"
    session.resolve("apply", "reviewed")
    stage(session, "two")
    recorder.fail = ToolError("moved", code="stale")
    with pytest.raises(ToolError):
        session.resolve("apply", "reviewed")
    session.resolve("discard", "give up")
    rows = session.records.audit()
    assert [(row.label, row.outcome, row.code) for row in rows] == [
        ("two", "discarded", None),
        ("two", "failed", "stale"),
        ("one", "applied", None),
    ]
    assert rows[2].who == "human (alice)"
    assert rows[2].files == [{"path": "a", "before": "1", "after": "2"}]
    assert (rows[0].kind, rows[0].reason) == ("recorder", "give up")


def test_supersede_puts_a_new_action_in_the_old_ones_place(
    session: Session, recorder: Recorder
) -> None:
    old, newer = stage(session, "old"), stage(session, "newer")
    recorder.during = lambda context: context.supersede({"n": 2}, label="fresh") and None
    with pytest.raises(ToolError) as caught:
        session.resolve("apply", "refresh", target=old.id)
    assert caught.value.code == "superseded"
    assert [action.label for action in session.store.list()] == ["newer", "fresh"]
    fresh = session.store.list()[1]
    assert fresh.id in str(caught.value)
    assert session.records.payload(fresh.id) == {"n": 2}
    assert (state(session, old), state(session, newer)) == ("superseded", "pending")


def test_a_failure_after_supersede_forgets_the_new_action(
    session: Session, recorder: Recorder
) -> None:
    old = stage(session)
    recorder.during = lambda context: context.supersede({}) and None
    recorder.fail = ValueError("after all")
    with pytest.raises(ToolError, match="Apply failed"):
        session.resolve("apply", "refresh")
    assert [action.id for action in session.store.list()] == [old.id]


def test_close_other_is_committed_with_the_result(session: Session, recorder: Recorder) -> None:
    first = stage(session, "first")
    session.resolve("apply", "reviewed")
    recorder.during = lambda context: context.close_other(first.id, "undone")
    recorder.fail = ValueError("no")
    undo = stage(session, "undo")
    with pytest.raises(ToolError):
        session.resolve("apply", "undo it")
    assert state(session, first) == "applied"
    recorder.fail = None
    session.resolve("apply", "undo it")
    assert (state(session, first), state(session, undo)) == ("undone", "applied")
    stage(session, "undo twice")
    with pytest.raises(ToolError, match="already undone"):
        session.resolve("apply", "again")


def test_the_claimed_action_is_known_inside_its_callback(
    session: Session, recorder: Recorder
) -> None:
    seen: list[object] = []
    recorder.during = lambda context: seen.append((session.claimed, context.action_id))
    action = stage(session)
    session.resolve("apply", "reviewed")
    [(claimed, action_id)] = seen
    assert (claimed.id, action_id) == (action.id, action.id)
    assert session.claimed is None


@pytest.mark.parametrize("interrupt", [KeyboardInterrupt(), SystemExit(3)])
def test_ctrl_c_in_a_callback_leaves_the_action_pending(
    session: Session, recorder: Recorder, interrupt: BaseException
) -> None:
    recorder.fail = interrupt
    action = stage(session)
    with pytest.raises(type(interrupt)):
        session.resolve("apply", "reviewed")
    assert state(session, action) == "pending"


def test_coroutines_work_with_and_without_a_loop(session: Session) -> None:
    async def apply(reason: str) -> str:
        await asyncio.sleep(0)
        return f"applied: {reason}"

    push(session, apply)
    assert session.resolve("apply", "sync").text == "applied: sync"
    push(session, apply)
    params = {"action": "apply", "reason": "async"}
    assert asyncio.run(ResolveTool(session).execute(params)).text == "applied: async"


def test_the_synchronous_form_refuses_to_block_an_event_loop(
    session: Session, recorder: Recorder
) -> None:
    action = stage(session)

    async def main() -> None:
        session.resolve("apply", "reviewed")

    with pytest.raises(RuntimeError, match="running event loop"):
        asyncio.run(main())
    assert state(session, action) == "pending"


def test_the_tool_describes_itself(session: Session) -> None:
    tool = ResolveTool(session)
    assert (tool.name, tool.hidden) == ("resolve", True)
    assert tool.input_schema["required"] == ["action", "reason"]
    assert all("type" in field for field in tool.input_schema["properties"].values())


ODD_NAME = "caf\udce9.py"


def test_an_odd_file_name_in_an_error_is_still_recorded(
    session: Session, recorder: Recorder
) -> None:
    recorder.fail = ToolError(f"{ODD_NAME} has changed.", code="stale")
    stage(session)
    with pytest.raises(ToolError, match="has changed"):
        session.resolve("apply", "reviewed")
    assert session.store.count == 1
    assert "has changed" in session.records.audit()[0].text


def test_odd_file_names_and_results_never_keep_an_apply_from_closing(
    session: Session, recorder: Recorder
) -> None:
    recorder.during = lambda context: context.record_files([{"path": ODD_NAME, "after": None}])
    recorder.answer = ToolResult(f"Wrote {ODD_NAME}.", details={"object": object(), "nan": 1e999})
    action = stage(session)
    with session.exchange("c1", "resolve") as exchange:
        session.resolve("apply", "reviewed")
        assert exchange.closed
    assert state(session, action) == "applied"
    assert session.records.audit()[0].files == [{"path": ODD_NAME, "after": None}]


def test_a_label_that_is_no_text_is_shown_escaped(session: Session, recorder: Recorder) -> None:
    stage(session, ODD_NAME)
    assert session.resolve("discard", "no").text == "Discarded: caf\\udce9.py. Reason: no"
