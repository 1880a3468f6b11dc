"""The last preview again: offered where only the ops differ, and one's own alone."""

from pathlib import Path

import pytest

import astedit
from astedit import PreconditionError, StagedPlan, Work
from tests.support.agent import Workspace


@pytest.fixture
def files(tmp_path: Path) -> Workspace:
    return Workspace(tmp_path).write("a.py", "f(1)\n")


def edit(work: Work, new: str, **more: object) -> StagedPlan:
    return work.edit([{"pat": "f($A)", "out": f"{new}($A)"}], **more)


def offers(plan: StagedPlan) -> list[str]:
    return [hint for hint in plan.hints if "--replace" in hint]


def test_other_ops_offer_to_replace_and_replacing_supersedes(files: Workspace) -> None:
    with astedit.open(files.root, state_dir=files.state) as work:
        first = edit(work, "g")
        assert offers(first) == []
        second = edit(work, "h")
        assert [str(first.action_id) in offer for offer in offers(second)] == [True]
        assert offers(edit(work, "h", lang="python")) == []  # something else than its ops
        third = edit(work, "k", replace=first.action_id)
        assert offers(third) == []
        assert first.action_id not in [action.id for action in work.pending()]
        row = work.log(1)[0]
        assert (row.action_id, row.outcome) == (first.action_id, "superseded")
        assert row.reason == f"replaced by {third.action_id}"
        with pytest.raises(PreconditionError, match="already superseded"):
            first.apply("t")
        with pytest.raises(PreconditionError) as gone:
            edit(work, "m", replace=first.action_id)
        assert gone.value.code == "not_replaceable"


def test_nobody_replaces_or_is_offered_what_another_session_staged(files: Workspace) -> None:
    with (
        astedit.open(files.root, state_dir=files.state) as one,
        astedit.open(files.root, state_dir=files.state) as two,
    ):
        first = edit(one, "g")
        assert offers(edit(two, "h")) == []
        with pytest.raises(PreconditionError, match="staged by another session"):
            edit(two, "k", replace=first.action_id)
        assert {action.id for action in two.pending()} >= {first.action_id}


def test_a_recorded_call_replaces_when_its_result_is_recorded(files: Workspace) -> None:
    ops = [{"pat": "f($A)", "out": "g($A)"}]
    with (
        astedit.open(files.root, state_dir=files.state, session_id="s") as work,
        astedit.Tools(work) as tools,
    ):
        first = tools.call("ast_edit", {"ops": ops}).action_id
        again = tools.call("ast_edit", {"ops": [ops[0] | {"out": "h($A)"}]})
        assert f"`replace` {first}" in again.text, again.text
        last = tools.call("ast_edit", {"ops": ops, "replace": first}).action_id
        pending = {action.id for action in work.pending()}
        assert pending == {again.action_id, last}
        missing = tools.call("ast_edit", {"ops": ops, "replace": first})
        assert missing.is_error and {action.id for action in work.pending()} == pending
        on_top = tools.call("ast_edit", {"ops": [{"pat": "g($A)", "out": "k($A)"}], "after": last})
        assert on_top.data["after"]["actionId"] == last
