"""The plan of an action is read back as it was staged, or refused with the reason."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from astedit import Plan, ast_edit
from astedit.errors import PreconditionError
from astedit.staging.stored import HANDLER, packed, stored, to_run_again
from astedit.staging.workspace_session import workspace_session
from resolve import PendingAction, Session


@pytest.fixture
def plan(tmp_path: Path) -> Plan:
    (tmp_path / "root").mkdir()
    (tmp_path / "root" / "a.py").write_text("f(1)\n")
    return ast_edit([{"pat": "f($A)", "out": "g($A)"}], root=tmp_path / "root")


@pytest.fixture
def session(plan: Plan, tmp_path: Path) -> Iterator[Session]:
    state = str(tmp_path / "state")
    with workspace_session(plan.root, state, who="test", create=True) as made:
        yield made


def staged(session: Session, payload: object, handler: str = HANDLER) -> PendingAction:
    return session.stage(handler=handler, payload=payload, label="change")


def test_a_plan_is_that_which_was_staged(plan: Plan, session: Session) -> None:
    action = staged(session, packed(plan))
    back = stored(session, action)
    assert (back.fingerprint, back.files[0].edits) == (plan.fingerprint, plan.files[0].edits)
    assert (back.action_id, back.applied) == (action.id, False)


def test_a_row_that_was_changed_is_refused(plan: Plan, session: Session) -> None:
    file = replace(plan.files[0], path="b.py")
    action = staged(session, packed(replace(plan, files=[file])))
    with pytest.raises(PreconditionError) as refused:
        stored(session, action)
    assert refused.value.code == "tampered"


def test_of_another_version_only_the_request_is_used(plan: Plan, session: Session) -> None:
    payload = packed(plan)
    action = staged(session, payload | {"format": payload["format"] - 1})
    with pytest.raises(PreconditionError) as refused:
        stored(session, action)
    assert refused.value.code == "other_version"
    assert f"resolve apply {action.id} --refresh" in str(refused.value.hint)
    assert to_run_again(session, action).request == plan.request


def test_an_action_without_a_plan_is_refused(plan: Plan, session: Session) -> None:
    with pytest.raises(PreconditionError) as refused:
        stored(session, staged(session, packed(plan), handler="undo"))
    assert refused.value.code == "no_plan"
