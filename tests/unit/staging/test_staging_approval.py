"""What the policy leaves to a person, and that an approval is of one fingerprint only."""

import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

import astedit
from astedit import ast_edit
from astedit.errors import PreconditionError
from astedit.interface.work import Work
from astedit.staging.approval import ApprovalSubject, allowed, approve, decided, reserved
from astedit.staging.stage import stage
from astedit.staging.workspace_session import workspace_session
from astedit.workspace.config import Config, load
from astedit.workspace.root import Workspace
from resolve import Session
from tests.support.patience import LAST


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


@pytest.fixture
def work(tmp_path: Path) -> Work:
    (tmp_path / "root").mkdir()
    (tmp_path / "root/a.py").write_text("f(1)\n")
    return astedit.open(tmp_path / "root", "human", state_dir=tmp_path / "state")


def test_it_applies_once_it_is_approved(work: Work) -> None:
    plan = work.edit([{"pat": "f($A)", "out": "g($A)"}])

    def person() -> None:
        time.sleep(0.1)
        with work.session() as session:
            approve(session.store.list()[0], plan.fingerprint, session)

    thread = threading.Thread(target=person)
    thread.start()
    plan.apply("r", wait=LAST)
    thread.join()
    assert (Path(work.root) / "a.py").read_text() == "g(1)\n"


def test_a_denial_ends_the_wait_with_its_words(work: Work) -> None:
    plan = work.edit([{"pat": "f($A)", "out": "g($A)"}])
    thread = threading.Timer(0.1, lambda: plan.discard("too broad"))
    thread.start()
    with pytest.raises(PreconditionError, match="Reason: too broad"):
        plan.apply("r", wait=LAST)
    thread.join()


def test_the_time_ends_and_it_is_still_missing(work: Work) -> None:
    plan = work.edit([{"pat": "f($A)", "out": "g($A)"}])
    with pytest.raises(PreconditionError) as caught:
        plan.apply("r", wait=0.05)
    assert caught.value.code == "approval_missing"
    assert work.pending()[0].state == "pending"
