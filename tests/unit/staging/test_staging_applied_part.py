"""An apply of a part is recorded as that part, also when it was killed before its end."""

from hashlib import sha256
from pathlib import Path

from astedit import ast_edit
from astedit.staging.ast_edit import stage
from astedit.staging.part import PartJournal, Wish, shown_part
from astedit.staging.plan_label import label
from astedit.staging.stored import stored
from astedit.transaction import commit
from astedit.transaction.commit import FileChange
from astedit.workspace.root import Workspace
from resolve import AbortSignal, Session, SqliteStore
from resolve.handlers import Context
from resolve.records import Claim, Move


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
        kept = {each["id"] for each in rest}
        journal = PartJournal.of(context, label(part, 2), part, rest, kept)
        change = FileChange("a.py", old, digest(old), new, digest(new))
        commit.write(["a.py"], [change], workspace.fd, journal, action=action.id)
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
