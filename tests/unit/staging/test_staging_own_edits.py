"""A hunk that a person edits: a new plan in the old one's place, and nothing else changed."""

from collections.abc import Iterator
from pathlib import Path

import pytest

import astedit
from astedit.engine.request import request_of
from astedit.errors import RequestError, StaleError
from astedit.model.edit import Edit
from astedit.staging.own_edits import hunk
from astedit.staging.replacement import stage_own
from astedit.staging.stored import stored
from astedit.staging.stored_review import open_review
from resolve import PendingAction, Session
from tests.support.agent import Workspace
from tests.support.lists import rows

ROWS = rows(Path(__file__).with_suffix(".txt"))

CODE = "def f(x):\n    foo(x)\n    y = 1\n    foo(y)\n    return foo(x + y)\n\n\nfoo(3)\n"


@pytest.fixture
def files(tmp_path: Path) -> Workspace:
    return Workspace(tmp_path).write("a.py", CODE).write("b.py", "foo(9)\n")


@pytest.fixture
def gate(files: Workspace) -> Iterator[Session]:
    with astedit.open(files.root, state_dir=files.state) as work:
        work.edit([{"pat": "foo($A)", "out": "bar($A)"}])
        with work.session() as session:
            yield session


def newest(gate: Session) -> tuple[PendingAction, list[Edit]]:
    action = gate.store.peek()
    assert action is not None
    return action, [edit for file in stored(gate, action).files for edit in file.edits]


def rewritten(gate: Session, line: int, old: str, new: str) -> PendingAction:
    action, edits = newest(gate)
    plan = stored(gate, action)
    edit = next(each for each in edits if each.line == line)
    text = hunk(edit, plan.files[0], (Path(plan.root) / "a.py").read_bytes())
    assert old in text
    return stage_own(text.replace(old, new), edit, plan, action, gate)


def test_it_takes_the_place_of_the_edit_and_other_decisions_hold(
    gate: Session, files: Workspace
) -> None:
    before, edits = newest(gate)
    open_review(gate, before).decide([edits[0].id, edits[1].id], "accept", {})
    new = rewritten(gate, 4, "+    bar(y)", "+    bar(y, safe=True)\n+    log(y)")
    action, now = newest(gate)
    assert action.id == new.id and gate.records.audit(limit=1)[0].outcome == "superseded"
    own = [edit for edit in now if edit.origin == "person"]
    assert [edit.whole_after for edit in own] == ["bar(y, safe=True)\n    log(y)"]
    assert {edit.id for edit in now if edit.origin is None} == {
        edit.id for edit in edits if edit.line != 4
    }
    review = open_review(gate, action)
    assert review.decision(edits[0].id).choice == "accept"
    assert review.decision(own[0].id).choice is None
    gate.resolve("apply", "t", target=action.id)
    assert files.read("a.py") == CODE.replace("foo(y)", "bar(y, safe=True)\n    log(y)").replace(
        "foo", "bar"
    )


def test_lines_around_it_can_be_changed_too_and_it_can_be_edited_again(
    gate: Session, files: Workspace
) -> None:
    rewritten(gate, 4, "     y = 1\n", "-    y = 1\n+    y = 2\n")
    gate.resolve("apply", "t", target=rewritten(gate, 3, "+    bar(y)", "+    bar(-y)").id)
    assert files.read("a.py").splitlines()[2:4] == ["    y = 2", "    bar(-y)"]


@pytest.mark.parametrize(("old", "new", "message"), ROWS["what cannot be taken changes nothing"])
def test_what_cannot_be_taken_changes_nothing(
    gate: Session, old: str, new: str, message: str
) -> None:
    before = newest(gate)[0]
    with pytest.raises(RequestError, match=message):
        rewritten(gate, 4, old, new)
    assert newest(gate)[0].id == before.id and len(gate.store.list()) == 1


def test_an_empty_text_and_files_that_changed_leave_the_plan(
    gate: Session, files: Workspace
) -> None:
    action, edits = newest(gate)
    plan = stored(gate, action)
    with pytest.raises(RequestError, match="is empty"):
        stage_own("# nothing\n", edits[0], plan, action, gate)
    files.write("b.py", "\nfoo(9)\n")
    with pytest.raises(StaleError):
        rewritten(gate, 4, "bar(y)", "bar(z)")
    assert newest(gate)[0].id == action.id


def test_it_goes_with_the_rest_and_is_left_out_where_its_code_changed(
    gate: Session, files: Workspace
) -> None:
    action = rewritten(gate, 4, "bar(y)", "bar(-y)")
    gate.resolve("apply", "t", {"only": ["a.py:2"], "keepRest": True}, target=action.id)
    assert [edit.whole_after for edit in newest(gate)[1] if edit.origin] == ["bar(-y)"]
    files.write("a.py", "\n" + files.read("a.py"))
    with pytest.raises(Exception, match="The plan has changed"):
        gate.resolve("apply", "t", {"refresh": True}, target=newest(gate)[0].id)
    left, edits = newest(gate)
    assert [edit for edit in edits if edit.origin] == []
    assert any("of your own is left out" in hint for hint in stored(gate, left).hints)


def test_no_request_from_outside_brings_one() -> None:
    own = {"path": "a.py", "start": 0, "end": 1, "before": "f", "after": "g"}
    with pytest.raises(RequestError, match="own_edits"):
        request_of({"ops": [{"pat": "f", "out": "g"}], "own_edits": [own]})
