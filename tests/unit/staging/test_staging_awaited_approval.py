"""An apply that waits returns once a person has decided, and no later than it may."""

import threading
import time
from pathlib import Path

import pytest

import astedit
from astedit.errors import PreconditionError
from astedit.interface.work import Work
from astedit.staging.approval import approve


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
    plan.apply("r", wait=20)
    thread.join()
    assert (Path(work.root) / "a.py").read_text() == "g(1)\n"


def test_a_denial_ends_the_wait_with_its_words(work: Work) -> None:
    plan = work.edit([{"pat": "f($A)", "out": "g($A)"}])
    thread = threading.Timer(0.1, lambda: plan.discard("too broad"))
    thread.start()
    with pytest.raises(PreconditionError, match="Reason: too broad"):
        plan.apply("r", wait=20)
    thread.join()


def test_the_time_ends_and_it_is_still_missing(work: Work) -> None:
    plan = work.edit([{"pat": "f($A)", "out": "g($A)"}])
    with pytest.raises(PreconditionError) as caught:
        plan.apply("r", wait=0.05)
    assert caught.value.code == "approval_missing"
    assert work.pending()[0].state == "pending"
