"""A recovery judges by what it can prove: the tree, the siblings, the stored contents."""

import json
import os
import shutil
from pathlib import Path

import pytest

from astedit.transaction import recovery
from tests.support.faults.cli import AFTER, BEFORE, MODES, Tree
from tests.support.faults.journal import MemoryJournal
from tests.support.faults.mutate import replace
from tests.support.faults.tree import FILES, NEW, OLD, contents, interrupted, modes, recovered


def marked(tree: Tree) -> bool:
    return bool(list(tree.state.rglob("intent")))


# -- another tree ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    "kind", ["other texts", pytest.param("the texts from before", marks=pytest.mark.slow)]
)
def test_in_another_tree_at_its_place_nothing_is_ended(half: Tree, kind: str) -> None:
    away = half.root.with_name("away")
    half.root.rename(away)
    shutil.copytree(away, half.root, ignore=shutil.ignore_patterns(".astedit-*"))
    for path, text in BEFORE.items():
        (half.root / path).write_bytes(text if kind == "the texts from before" else b"x = 5\n")
    there = half.contents()
    done = half.run("recover", "--json")
    assert done.returncode == 5, done.stderr
    assert [row["outcome"] for row in json.loads(done.stdout)] == ["blocked"]
    assert half.contents() == there and marked(half)
    assert b"hint: Put back what is missing" in done.stderr
    shutil.rmtree(half.root)
    away.rename(half.root)
    done = half.run("recover", "--json")
    assert [row["outcome"] for row in json.loads(done.stdout)] == ["applied"]
    assert half.contents() == AFTER and half.modes() == MODES and not marked(half)


def elsewhere(place: Path) -> str:
    """What a recovery says of a tree in which nothing is as the transaction left it."""
    root, journal = interrupted(place)
    for path in root.rglob(".astedit-*"):
        path.unlink()
    for path in FILES:
        (root / path).write_bytes(b"of another tree\n")
    ended = recovered(root, journal)
    assert ended is not None and (journal.intent is None) == (ended.outcome != "blocked")
    assert set(contents(root).values()) == {b"of another tree\n"}
    return ended.outcome


def test_what_has_nothing_of_the_apply_is_taken_for_another_tree(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert elsewhere(tmp_path / "sound") == "blocked"
    replace(monkeypatch, recovery._elsewhere, "foreign and not own", "False")
    assert elsewhere(tmp_path / "mutant") != "blocked", "the intent would be gone"


# -- a file that is missing --------------------------------------------------------------------


def test_a_file_that_is_missing_comes_back_from_its_image(half: Tree) -> None:
    """As after a power cut on a disk without a journal: the file is gone, its image is stored."""
    (half.root / "src/c.py").unlink()
    done = half.run("recover")
    assert done.returncode == 0 and b"src/c.py: was missing" in done.stdout, done
    assert b"changed by others" not in done.stdout
    assert half.contents() == BEFORE and half.modes() == MODES


@pytest.mark.parametrize("path", sorted(FILES))
def test_any_missing_file_comes_back(tmp_path: Path, path: str) -> None:
    root, journal = interrupted(tmp_path)
    (root / path).unlink()
    for sibling in (root / path).parent.glob(".astedit-*"):
        if f"-{Path(path).name}-" in sibling.name:
            sibling.unlink()
    ended = recovered(root, journal)
    assert ended is not None and ended.outcome == "rolled_back"
    assert ended.trouble == [f"{path}: was missing"]
    assert ended.text().startswith("The apply could not be finished and was taken back")
    assert contents(root) == OLD and modes(root) == FILES


def test_a_missing_file_without_an_image_keeps_the_intent(tmp_path: Path) -> None:
    root, journal = interrupted(tmp_path)
    (root / "src/c.py").unlink()
    journal.images.clear()
    ended = recovered(root, journal)
    assert ended is not None and ended.outcome == "blocked"
    assert "src/c.py: its content from before is not stored any more" in ended.text()
    assert journal.intent is not None


def test_a_second_name_of_the_new_file_does_not_keep_it_from_going_back(tmp_path: Path) -> None:
    """A disk that reorders may keep the link to a file's place, and lose the rename after it."""
    root, journal = interrupted(tmp_path)
    (old,) = root.glob(".astedit-*")
    old.unlink()
    os.link(root / "a.py", old)
    (waiting,) = (root / "src").glob(".astedit-*-c.py-*")
    waiting.unlink()
    ended = recovered(root, journal)
    assert ended is not None and ended.outcome == "rolled_back"
    assert contents(root) == OLD and modes(root) == FILES


# -- what was planted under a sibling's name ---------------------------------------------------


def planted(root: Path, journal: MemoryJournal, how: str, path: str) -> Path:
    """Puts something under the sibling's name of one file."""
    (row,) = (row for row in journal.parsed()["files"] if row["path"] == path)
    sibling = root / Path(path).parent / row["temporary"]
    sibling.rename(root.parent / "aside")  # else what comes may get its inode
    target = root.parent / "outside"
    target.write_bytes(NEW[path])
    if how == "link":
        sibling.symlink_to(target)
    elif how == "pipe":
        os.mkfifo(sibling)
    else:
        os.link(target, sibling)
    return sibling


@pytest.mark.parametrize("how", ["link", "pipe", "hard link"])
@pytest.mark.parametrize("path", sorted(FILES))
def test_nothing_that_was_planted_comes_in_place(tmp_path: Path, how: str, path: str) -> None:
    """`a.py` has its new text, and its sibling the old one; of the others it is the new one."""
    root, journal = interrupted(tmp_path)
    sibling = planted(root, journal, how, path)
    ended = recovered(root, journal)
    assert ended is not None
    sibling.unlink(missing_ok=True)  # a pipe or a link that is not ours stays
    assert contents(root) == (NEW if ended.outcome == "applied" else OLD) and modes(root) == FILES
    assert all(not (root / name).is_symlink() for name in FILES)
    assert (tmp_path / "outside").read_bytes() == NEW[path]


def test_in_a_tree_that_was_copied_back_siblings_are_known_by_all_they_have(tmp_path: Path) -> None:
    for mode, outcome in ((0, "applied"), (0o4000, "rolled_back")):
        root, journal = interrupted(tmp_path / str(mode))
        for sibling in root.rglob(".astedit-*"):
            copy = sibling.with_name("copy")
            shutil.copy2(sibling, copy)
            copy.chmod(copy.stat().st_mode | mode)
            sibling.rename(root.parent / sibling.name)
            copy.rename(sibling)
        ended = recovered(root, journal)
        assert ended is not None and ended.outcome == outcome
        assert contents(root) == (NEW if outcome == "applied" else OLD) and modes(root) == FILES
