"""A plan that is stored is read back as it was, or refused by name."""

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from astedit import Plan, ast_edit
from astedit.errors import PreconditionError
from astedit.model.edit import Near, NearReason
from astedit.staging.stored import HANDLER, of_this_version, packed, stored, to_run_again, unpacked
from astedit.staging.workspace_session import workspace_session
from resolve import PendingAction, Session


@pytest.fixture
def plan(tmp_path: Path) -> Plan:
    (tmp_path / "a.py").write_bytes("f('é')\nf(2)\n".encode())
    (tmp_path / "latin.py").write_bytes(b"# coding: latin-1\nf('\xe9')\n")
    (tmp_path / "broken.py").write_text("f(1)\ndef (:\n")
    return ast_edit([{"pat": "f($A)", "out": "g($A)"}], root=tmp_path, encoding="latin-1")


def test_a_plan_comes_back_as_it_was(plan: Plan) -> None:
    back = unpacked(json.loads(json.dumps(packed(plan))))
    assert back.fingerprint == plan.fingerprint
    assert back.request == plan.request
    assert [file.edits for file in back.files] == [file.edits for file in plan.files]
    for name in ("blocked", "skipped", "parse_errors", "languages", "hints", "total_replacements"):
        assert getattr(back, name) == getattr(plan, name), name


def test_near_misses_come_back(plan: Plan) -> None:
    plan.near = [Near(0, "f($A)", "f", 3, 1, [NearReason("call", 2, "a.py", 1, "f()", "why")])]
    assert unpacked(json.loads(json.dumps(packed(plan)))).near == plan.near


@pytest.mark.parametrize(
    ("out", "of"), [("g()", "dropped_comments"), ("g_$A()", "blocked"), ("h($A)", "files")]
)
def test_what_a_plan_leaves_comes_back_as_it_was(tmp_path: Path, out: str, of: str) -> None:
    (tmp_path / "a.py").write_text("f([1,  # why\n   2])\nf(a + b)\nf(c)\n")
    plan = ast_edit([{"pat": "f($A)", "out": out}], root=tmp_path)
    assert getattr(plan, of) != []
    back = replace(unpacked(json.loads(json.dumps(packed(plan)))), stats=plan.stats)
    assert back.to_json() == plan.to_json()


@pytest.mark.parametrize(
    "damage",
    [
        {"v": 0}, {"plan": "no base64"}, {"plan": "AAAA"}, {"plan": None}, {"fingerprint": ...},
    ],
)  # fmt: skip
def test_what_is_damaged_is_refused(plan: Plan, damage: dict[str, Any]) -> None:
    payload = packed(plan) | damage
    payload = {key: value for key, value in payload.items() if value is not ...}
    with pytest.raises(PreconditionError) as refused:
        unpacked(payload)
    assert refused.value.code == "damaged"


def test_a_plan_of_another_version_is_known_by_its_head(plan: Plan) -> None:
    payload = packed(plan)
    assert of_this_version(payload)
    assert not of_this_version(payload | {"format": payload["format"] + 1})
    assert not of_this_version(payload | {"v": 0})
    assert of_this_version(None), "what is not a plan is refused where it is read"


@pytest.fixture
def plan_stored_plan(tmp_path: Path) -> Plan:
    (tmp_path / "root").mkdir()
    (tmp_path / "root" / "a.py").write_text("f(1)\n")
    return ast_edit([{"pat": "f($A)", "out": "g($A)"}], root=tmp_path / "root")


@pytest.fixture
def session(plan_stored_plan: Plan, tmp_path: Path) -> Iterator[Session]:
    state = str(tmp_path / "state")
    with workspace_session(plan_stored_plan.root, state, who="test", create=True) as made:
        yield made


def staged(session: Session, payload: object, handler: str = HANDLER) -> PendingAction:
    return session.stage(handler=handler, payload=payload, label="change")


def test_a_plan_is_that_which_was_staged(plan_stored_plan: Plan, session: Session) -> None:
    action = staged(session, packed(plan_stored_plan))
    back = stored(session, action)
    assert (back.fingerprint, back.files[0].edits) == (
        plan_stored_plan.fingerprint,
        plan_stored_plan.files[0].edits,
    )
    assert (back.action_id, back.applied) == (action.id, False)


def test_a_row_that_was_changed_is_refused(plan_stored_plan: Plan, session: Session) -> None:
    file = replace(plan_stored_plan.files[0], path="b.py")
    action = staged(session, packed(replace(plan_stored_plan, files=[file])))
    with pytest.raises(PreconditionError) as refused:
        stored(session, action)
    assert refused.value.code == "tampered"


def test_of_another_version_only_the_request_is_used(
    plan_stored_plan: Plan, session: Session
) -> None:
    payload = packed(plan_stored_plan)
    action = staged(session, payload | {"format": payload["format"] - 1})
    with pytest.raises(PreconditionError) as refused:
        stored(session, action)
    assert refused.value.code == "other_version"
    assert f"resolve apply {action.id} --refresh" in str(refused.value.hint)
    assert to_run_again(session, action).request == plan_stored_plan.request


def test_an_action_without_a_plan_is_refused(plan_stored_plan: Plan, session: Session) -> None:
    with pytest.raises(PreconditionError) as refused:
        stored(session, staged(session, packed(plan_stored_plan), handler="undo"))
    assert refused.value.code == "no_plan"
