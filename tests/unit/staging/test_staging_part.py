"""Which part of a plan a resolution chooses: ids and globs; never all by accident."""

from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from astedit import Plan, ast_edit
from astedit.errors import RequestError
from astedit.staging.part import Wish, noted_part, shown_part
from astedit.staging.plan_label import label
from astedit.staging.stage import stage
from astedit.staging.stored import stored
from astedit.transaction import commit
from astedit.transaction.commit import FileChange
from astedit.workspace.root import Workspace
from resolve import AbortSignal, Session, SqliteStore
from resolve.handlers import Context
from resolve.records import Claim, Move
from tests.support.lists import rows

ROWS = rows(Path(__file__).with_suffix(".txt"))


@pytest.fixture
def plan(tmp_path: Path) -> Plan:
    (tmp_path / "a.py").write_text("f(1)\nf(2)\n")
    (tmp_path / "b.py").write_text("f(3)\n")
    return ast_edit([{"pat": "f($A)", "out": "g($A)"}], root=tmp_path)


def chosen(plan: Plan, **extra: Any) -> tuple[list[str], list[str]]:
    """The places that are written, and those that are not."""
    part, rest = Wish.of(extra).chosen(plan)
    assert part.total_replacements == sum(len(file.edits) for file in part.files)
    assert part.files_touched == len(part.files)
    written = [f"{file.path}:{edit.line}" for file in part.files for edit in file.edits]
    return written, [item["path"] for item in rest]


def test_without_a_wish_all_is_chosen(plan: Plan) -> None:
    assert chosen(plan) == (["a.py:1", "a.py:2", "b.py:1"], [])


def test_an_id_and_a_glob_choose_or_leave_out(plan: Plan) -> None:
    second = plan.files[0].edits[1].id
    assert chosen(plan, only=[second]) == (["a.py:2"], ["a.py", "b.py"])
    assert chosen(plan, exclude=["b.*"]) == (["a.py:1", "a.py:2"], ["b.py"])
    assert chosen(plan, only=["a.py"], exclude=[second]) == (["a.py:1"], ["a.py", "b.py"])


def test_only_a_file_that_is_written_whole_keeps_its_hash(plan: Plan) -> None:
    part, _ = Wish.of({"exclude": [plan.files[0].edits[0].id]}).chosen(plan)
    assert [file.after_hash is None for file in part.files] == [True, False]


@pytest.mark.parametrize(("extra", "code"), ROWS["a wish that means nothing is refused"])
def test_a_wish_that_means_nothing_is_refused(plan: Plan, extra: Any, code: str) -> None:
    with pytest.raises(RequestError) as refused:
        chosen(plan, **extra)
    assert refused.value.code == code


def digest(content: bytes) -> str:
    return sha256(content).hexdigest()


def test_what_was_killed_before_its_end_is_recovered_as_the_part(tmp_path: Path) -> None:
    root = tmp_path / "root"
    root.mkdir()
    old, new = b"f(1)\nf(2)\n", b"f(1)\ng(2)\n"
    (root / "a.py").write_bytes(old)
    plan = ast_edit([{"pat": "f($A)", "out": "g($A)"}], root=root)
    with SqliteStore(tmp_path / "state.db") as store, Workspace(str(root)) as workspace:
        session = Session(store, id="s", lock=root, workspace=True, who="ann")
        action = stage(plan, session)
        store.commit(Move(action.id, "pending", "applying", claim=Claim(action.id, "s", True)))
        part, rest = Wish.of({"only": ["a.py:2"]}).chosen(plan)
        context = Context(session, action, "r", AbortSignal())
        kept, recorded = {each["id"] for each in rest}, label(part, 2)
        noted = noted_part(recorded, part, rest, kept, context)
        change = FileChange("a.py", old, digest(old), new, digest(new))
        commit.write(["a.py"], [change], workspace.fd, context, action=action.id, noted=noted)
        (recovery,) = session.recover()
        (staged,) = store.list()
        assert recovery.outcome == "applied" and staged.label == "ast_edit: 1 replacement in 1 file"
        assert f"The rest is staged as {staged.id}" in recovery.text
        assert (root / "a.py").read_bytes() == new
        ended = store.find(action.id)
        assert ended.label == "ast_edit: 1 of 2 replacements in 1 file"
        assert store.audit()[0].label == ended.label
        shown = shown_part(stored(session, ended), ended, session)
        assert [edit.line for edit in shown.files[0].edits] == [2]
        assert shown.files[0].after_hash == digest(new)
