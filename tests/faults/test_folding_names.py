"""A file system on which names that differ by case are one name: nothing is edited twice.

Mounted from an image where the machine can: NTFS by `lowntfs-3g`, ext4 with `casefold`, FAT.
"""

import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from astedit.cli.main import run
from tests.support.faults.cli import APPLY, Tree, need_strace

pytestmark = pytest.mark.slow
KINDS = {
    "ntfs": (("mkntfs", "-q", "-F"), ("lowntfs-3g", "-o", "ignore_case")),
    "ext4": (("mkfs.ext4", "-q", "-O", "casefold"), ("mount", "-o", "loop")),
    "vfat": (("mkfs.vfat",), ("mount", "-o", "loop")),
}


def command(*words: object) -> bool:
    known = shutil.which(str(words[0])) is not None
    return known and subprocess.run([*map(str, words)], capture_output=True).returncode == 0


@pytest.fixture(params=KINDS)
def folding(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Path]:
    """A directory on such a file system."""
    make, mount = KINDS[request.param]
    image, place = tmp_path / "image", tmp_path / "place"
    place.mkdir()
    with open(image, "wb") as file:
        file.truncate(20 << 20)
    if not (command(*make, image) and command(*mount, image, place)):
        pytest.skip(f"no {request.param} that folds names can be made here")
    try:
        folder = place / "folder"
        folder.mkdir()
        if request.param == "ext4":
            command("chattr", "+F", folder)
        (folder / "probe").touch()
        if not (folder / "PROBE").exists():
            pytest.skip("this file system does not fold names")
        yield folder
    finally:
        subprocess.run(["umount", "-l", place], capture_output=True)


@pytest.fixture
def tree(folding: Path) -> Tree:
    tree = Tree(folding)
    tree.state = folding.parent.parent / "state"
    tree.root.mkdir()
    for name in ("astedit.toml", "a.py", "b.py"):
        (tree.root / name).write_text("" if name == "astedit.toml" else "f(1)\n")
    return tree


def staged(tree: Tree, *paths: str) -> int:
    where = ("--root", str(tree.root), "--state-dir", str(tree.state))
    return run(["edit", "-p", "f($A)", "-r", "gg($A)", "--quiet", *where, *paths])


def texts(tree: Tree) -> dict[str, str]:
    return {name: (tree.root / name).read_text() for name in sorted(os.listdir(tree.root))}


NEW = {"a.py": "gg(1)\n", "astedit.toml": "", "b.py": "gg(1)\n"}
OLD = {name: text.replace("gg", "f") for name, text in NEW.items()}


def test_one_file_under_two_names_is_edited_once(tree: Tree) -> None:
    assert staged(tree, *[str(tree.root / name) for name in ("A.py", "a.py", "b.py")]) == 0
    done = tree.run(*APPLY)
    assert done.returncode == 0 and b"2 replacements in 2 files" in done.stdout, done
    assert texts(tree) == NEW
    assert tree.run("undo").returncode == 0 and tree.run(*APPLY).returncode == 0
    assert texts(tree) == OLD


def test_what_is_never_edited_is_so_in_any_case(tree: Tree) -> None:
    (tree.root / ".git/hooks").mkdir(parents=True)
    (tree.root / ".git/hooks/x.py").write_text("f(1)\n")
    assert staged(tree, str(tree.root / ".GIT/HOOKS/x.py")) == 3
    assert tree.run(*APPLY).returncode == 3
    assert (tree.root / ".git/hooks/x.py").read_text() == "f(1)\n"


@pytest.mark.parametrize("call", ["renameat", "linkat", "unlinkat", "fsync"])
def test_a_kill_at_every_call_leaves_all_old_or_all_new(tree: Tree, call: str) -> None:
    """There nothing exchanges two names: an apply goes by links, or is refused."""
    need_strace()
    assert staged(tree, str(tree.root)) == 0
    shutil.copytree(tree.state, tree.state.with_name("kept"))
    seen = []
    for at in range(1, 12):
        for name, text in OLD.items():
            (tree.root / name).write_text(text)
        shutil.rmtree(tree.state)
        shutil.copytree(tree.state.with_name("kept"), tree.state)
        trace = ("-o", "/dev/null", "-e", f"inject={call}:signal=KILL:when={at}")
        done = tree.run(*APPLY, trace=trace)
        assert tree.run("recover").returncode == 0
        assert texts(tree) in (OLD, NEW), (call, at, texts(tree))
        seen.append((done.returncode, texts(tree) == NEW))
        if done.returncode == 0:
            break
    print(call, seen)
