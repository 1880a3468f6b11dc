"""The way back through the gate: exact, refused where a file was edited since."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from astedit import ast_edit
from astedit.errors import PreconditionError, StaleError
from astedit.staging import undo
from astedit.staging.stage import stage
from astedit.staging.stored import Restore, UndoPayload
from astedit.staging.workspace_session import workspace_session
from astedit.workspace.root import Workspace
from resolve import PendingAction, Session, SqliteStore, ToolError

BEFORE = b"f(1)\r\nx = 2\n"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    (tmp_path / "root").mkdir()
    (tmp_path / "root" / "a.py").write_bytes(BEFORE)
    return tmp_path / "root" / "a.py"


@pytest.fixture
def session(file: Path, tmp_path: Path) -> Iterator[Session]:
    state = str(tmp_path / "state")
    with workspace_session(str(file.parent), state, who="test", create=True) as made:
        yield made


def edited(file: Path, session: Session) -> PendingAction:
    """An edit that is staged."""
    return stage(ast_edit([{"pat": "f($A)", "out": "g($A)"}], root=file.parent), session)


def undone(action: PendingAction, file: Path, session: Session) -> PendingAction:
    """The undo of an action, staged."""
    return undo.stage_shown(action.id, str(file.parent), session)[0]


def applied(action: PendingAction, session: Session) -> None:
    session.resolve("apply", "wanted", target=action.id)


def test_an_undo_waits_at_the_gate_and_brings_every_byte_back(file: Path, session: Session) -> None:
    action = edited(file, session)
    applied(action, session)
    back = undone(action, file, session)
    assert file.read_bytes() == BEFORE.replace(b"f(", b"g(")
    with Workspace(file.parent) as workspace:
        assert b"-g(1)\r\n+f(1)\r\n" in undo.diff_of(
            undo.shown_as(back, session), workspace, session
        )
    applied(back, session)
    assert file.read_bytes() == BEFORE


def test_an_undo_of_an_undo_is_the_edit_again(file: Path, session: Session) -> None:
    action = edited(file, session)
    applied(action, session)
    back = undone(action, file, session)
    applied(back, session)
    applied(undone(back, file, session), session)
    assert file.read_bytes() == BEFORE.replace(b"f(", b"g(")


def test_what_is_not_applied_cannot_be_undone(file: Path, session: Session) -> None:
    with pytest.raises(PreconditionError) as refused:
        undone(edited(file, session), file, session)
    assert refused.value.code == "not_applied"


def test_a_file_that_was_edited_since_stays(file: Path, session: Session) -> None:
    action = edited(file, session)
    applied(action, session)
    file.write_bytes(b"mine\n")
    with pytest.raises(StaleError, match="edited since; nothing was written"):
        undone(action, file, session)
    assert file.read_bytes() == b"mine\n"


def test_what_is_stored_of_an_undo_is_read_back_or_refused() -> None:
    undoing = UndoPayload("/root", "act-1", [Restore("caf\udce9.py", "a" * 64, None, 0o644)])
    payload = undoing.packed()
    assert UndoPayload.unpacked(payload) == undoing
    for damage in ({"v": 9}, {"files": "[{}]"}, {"undoes": "act-2"}):
        with pytest.raises(PreconditionError):
            UndoPayload.unpacked(payload | damage)


@pytest.mark.parametrize("verb", ["apply", "discard"])
@pytest.mark.parametrize("kind", ["edit", "undo"])
def test_a_key_that_nobody_looks_at_is_an_error(
    file: Path, session: Session, verb: str, kind: str
) -> None:
    """A part that is not understood must not mean the whole."""
    action = edited(file, session)
    if kind == "undo":
        applied(action, session)
        action = undone(action, file, session)
    before = file.read_bytes()
    whole = {"only": ["a.py"]}  # known where parts are: in the apply of an edit
    for extra in ({"olny": ["a.py"]}, {} if (verb, kind) == ("apply", "edit") else whole):
        if not extra:
            continue
        with pytest.raises(ToolError) as refused:
            session.resolve(verb, "a part of it", extra, action.id)
        assert refused.value.code == "invalid"
    assert file.read_bytes() == before
    stored = session.store.get(action.id)
    assert stored is not None and stored.state == "pending"


def test_what_is_damaged_can_still_be_discarded(file: Path, session: Session) -> None:
    action = edited(file, session)
    records = session.records
    assert isinstance(records, SqliteStore)
    with records.file.transaction():
        records.file.run("UPDATE actions SET payload = x'00'")
    with pytest.raises(ToolError):
        applied(action, session)
    assert session.resolve("discard", "damaged", target=action.id).text.startswith("Discarded")
