"""Killed while a part is applied and the rest is kept: no file, edit or decision is lost."""

from collections import Counter
from pathlib import Path

import pytest

import astedit
from astedit.interface.work import Work
from astedit.review.decisions import Review, ReviewChoice
from astedit.staging.stored_review import open_review
from tests.support.faults.cli import AFTER, BEFORE, MODES, Tree, need_strace

APPLY = ("resolve", "apply", "--reviewed", "--undecided", "keep", "--reason", "t")
CALLS = ("renameat2", "unlinkat", "unlink", "fchmod", "pwrite64", "fsync", "fdatasync")
READS = ("openat",)  # also where nothing is written: while the rest is previewed
PART = BEFORE | {"a.py": AFTER["a.py"]}
CHOICES: dict[str, ReviewChoice | None] = {"a.py": "accept", "src/b.py": "reject", "src/c.py": None}

pytestmark = [pytest.mark.slow, pytest.mark.timeout(900)]


@pytest.fixture
def tree(tmp_path: Path) -> Tree:
    """The first edit is accepted, the second rejected, the third has a comment only."""
    need_strace()
    tree = Tree(tmp_path).staged()
    with opened(tree).session() as session:
        review = open_review(session, session.store.list()[0])
        for edit_id, (path, _) in review.edits.items():
            if choice := CHOICES[path]:
                review.decide([edit_id], choice)
            else:
                review.comment(edit_id, "later")
    tree.keep("decided")
    return tree


def opened(tree: Tree) -> Work:
    return astedit.open(tree.root, state_dir=tree.state)


def points(tree: Tree) -> list[tuple[str, int]]:
    """Every call that touches the project or its state, by its number among its like."""
    log = tree.root.parent / "log"
    traced = ",".join((*CALLS, *READS))
    done = tree.run(*APPLY, trace=("-y", "-o", str(log), "-e", f"trace={traced}"))
    assert done.returncode == 0 and tree.contents() == PART, done.stderr
    made: Counter[str] = Counter()
    found = []
    writing = False
    lines = [line.split(maxsplit=1) for line in log.read_text().splitlines()]
    for text in (text for process, text in lines if process == lines[0][0]):
        call = text.partition("(")[0]
        made[call] += 1
        writing |= call == "renameat2"
        ours = str(tree.root) in text or str(tree.state) in text
        if ours and (call in CALLS or (writing and "c.py" in text)):
            found.append((call, made[call]))
    return found


def test_nothing_is_lost_wherever_it_is_killed(tree: Tree) -> None:
    seen = Counter[str]()
    for call, at in points(tree):
        tree.again("decided")
        trace = ("-o", "/dev/null", "-e", f"inject={call}:signal=KILL:when={at}")
        assert tree.run(*APPLY, trace=trace).returncode != 0
        work = opened(tree)
        texts = [each.text for each in work.recover() if each.outcome == "applied"]
        assert tree.modes() == MODES
        with work.session() as session:
            (action,) = session.store.list()
            review = open_review(session, action)
            if tree.contents() == BEFORE:
                seen["before"] += 1
                assert decided(review) == {
                    path: (CHOICES[path], path == "src/c.py") for path in CHOICES
                }
            else:
                assert tree.contents() == PART
                seen["after"] += 1
                assert decided(review) == {"src/c.py": (None, True)}
                assert all(f"The rest is staged as {action.id}" in text for text in texts)
                seen["finished"] += len(texts)
    assert len(seen) == 3 and min(seen.values()) > 3


def decided(review: Review) -> dict[str, tuple[str | None, bool]]:
    """By path, what was decided, and whether it has a comment."""
    return {
        path: (review.own(edit_id).choice, review.own(edit_id).comment == "later")
        for edit_id, (path, _) in review.edits.items()
    }
