"""What the policy leaves to a person, and that an approval is of one fingerprint only."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from astedit import ast_edit
from astedit.errors import PreconditionError
from astedit.staging.approval import ApprovalSubject, allowed, approve, decided, reserved
from astedit.staging.ast_edit import stage
from astedit.staging.workspace_session import workspace_session
from astedit.workspace.config import Config, load
from astedit.workspace.root import Workspace
from resolve import Session


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "root").mkdir()
    (tmp_path / "root" / "a.py").write_text("f(1)\n")
    return tmp_path / "root"


@pytest.fixture
def session(root: Path, tmp_path: Path) -> Iterator[Session]:
    state = str(tmp_path / "state")
    with workspace_session(str(root), state, who="person", create=True) as made:
        yield made


def configured(root: Path, text: str) -> Config:
    (root / "astedit.toml").write_text(text)
    with Workspace(root) as workspace:
        return load(workspace)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", None),
        ('policy = "human"', "every edit here is"),
        ('human_paths = ["b.py"]', "b.py is"),
        ('human_paths = ["c.py"]', None),
    ],
)
def test_what_is_a_person_s_to_decide(root: Path, text: str, why: str | None) -> None:
    assert reserved(ApprovalSubject("0", ["a.py", "b.py"]), configured(root, text)) == why


def test_an_approval_is_of_one_fingerprint(root: Path, session: Session) -> None:
    action = stage(ast_edit([{"pat": "f($A)", "out": "g($A)"}], root=root), session)
    stored = session.store.get(action.id)
    assert stored is not None
    subject = decided(stored, session)
    assert subject.paths == ["a.py"]
    settings = configured(root, 'policy = "human"')
    with pytest.raises(PreconditionError) as refused:
        allowed(subject, stored, session, settings)
    assert refused.value.code == "approval_missing"
    approve(stored, subject.fingerprint, session)
    allowed(subject, stored, session, settings)
    with pytest.raises(PreconditionError):
        allowed(subject._replace(fingerprint="another"), stored, session, settings)
