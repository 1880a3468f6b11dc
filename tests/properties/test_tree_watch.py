"""Whatever is done to a tree, a server that lives on answers as a run that begins anew.

Somebody writes, maps, renames, links, ignores, checks out and deletes between the questions,
and also while nobody looks; the kernel's word must be enough.
"""

import mmap
import os
import random
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

import astedit
from astedit.engine import tree_watch
from astedit.engine.request import request_of
from astedit.engine.resident import Resident
from astedit.engine.run_context import Run
from astedit.staging.preview import preview
from astedit.workspace.root import Workspace

TEXTS = ["f(1)\n", "f(22)\n", "h(1)\n", "x = f(f(3))\n", "# f\n", "g(f)\n", ""]
OPS = [[{"pat": "f($A)", "out": "g($A)"}], [{"pat": "h($A)", "out": "k($A)"}]]


class Hands:
    """Somebody who changes a tree in every way there is; some ways stay open for long."""

    def __init__(self, root: Path, chance: random.Random) -> None:
        self.root, self.chance = root, chance
        self.outside = root.parent / "outside"
        self.outside.mkdir()
        self.held: list[tuple[object, Callable[[], object]]] = []
        for number in range(12):
            place = root / f"d{number % 4}" / f"m{number}.py"
            place.parent.mkdir(exist_ok=True)
            place.write_text(chance.choice(TEXTS))
        self.git("init", "-q")
        self.git("add", "-A")
        self.git("commit", "-qm", "1")

    def git(self, *words: str) -> None:
        identity = ["git", "-c", "user.name=t", "-c", "user.email=t@example.org"]
        subprocess.run([*identity, *words], cwd=self.root, capture_output=True, check=False)

    def file(self) -> Path:
        files = [path for path in self.root.rglob("*.py") if path.is_file()]
        return self.chance.choice(files) if files else self.root / "d0.py"

    def directory(self) -> Path:
        places = [
            path for path in self.root.rglob("d*") if path.is_dir() and ".git" not in str(path)
        ]
        return self.chance.choice([*places, self.root])

    def text(self) -> str:
        return self.chance.choice(TEXTS)

    def write(self) -> None:
        self.file().write_text(self.text())

    def write_alike(self) -> None:
        """The same size, and the times put back."""
        place = self.file()
        before, size = os.stat(place), place.stat().st_size
        with open(place, "r+b") as file:
            file.write(b"f(9)"[:size].ljust(min(size, 4)))
        os.utime(place, ns=(before.st_atime_ns, before.st_mtime_ns))

    def add(self) -> None:
        (self.directory() / f"n{self.chance.randrange(9)}.py").write_text(self.text())

    def add_directory(self) -> None:
        place = self.directory() / f"d{self.chance.randrange(9)}"
        place.mkdir(exist_ok=True)
        (place / "deep").mkdir(exist_ok=True)
        (place / "deep" / "x.py").write_text(self.text())

    def remove(self) -> None:
        self.file().unlink(missing_ok=True)

    def remove_directory(self) -> None:
        place = self.directory()
        if place != self.root:
            shutil.rmtree(place)

    def rename(self) -> None:
        self.file().replace(self.file())

    def rename_directory(self) -> None:
        place, other = self.directory(), self.root / f"d{self.chance.randrange(9)}"
        if place != self.root and not other.exists():
            place.rename(other)

    def swap_directories(self) -> None:
        one, other, aside = self.root / "d0", self.root / "d1", self.outside / "aside"
        if one.is_dir() and other.is_dir() and not one.is_symlink() and not other.is_symlink():
            one.rename(aside)
            other.rename(one)
            aside.rename(other)

    def replace_by_a_link(self) -> None:
        place = self.file()
        target = self.outside / "far.py"
        target.write_text("f(7)\n")
        place.unlink()
        place.symlink_to(target)

    def write_through_another_name(self) -> None:
        place, other = self.file(), self.outside / f"hard{self.chance.randrange(99_999)}.py"
        if not place.is_symlink():
            os.link(place, other)
            self.held.append((None, lambda: other.write_text(self.text())))

    def hold_open(self) -> None:
        file = open(self.file(), "r+b", buffering=0)  # noqa: SIM115
        self.held.append((file, lambda: file.write(b"f(8)\n")))

    def hold_mapped(self) -> None:
        with open(self.file(), "r+b") as file:
            if os.fstat(file.fileno()).st_size < 4:
                return
            mapped = mmap.mmap(file.fileno(), 0)
        texts = (b"f(1)", b"h(2)", b"    ")
        self.held.append(
            (mapped, lambda: mapped.__setitem__(slice(0, 4), self.chance.choice(texts)))
        )

    def use_what_is_held(self) -> None:
        if self.held:
            self.chance.choice(self.held)[1]()

    def let_go(self) -> None:
        if self.held:
            thing, _ = self.held.pop(self.chance.randrange(len(self.held)))
            if thing is not None:
                thing.close()  # type: ignore[attr-defined]

    def change_the_mode(self) -> None:
        self.file().chmod(self.chance.choice((0o644, 0o755)))

    def ignore(self) -> None:
        names = ["m1.py", "d2/", "*.py", "n*.py", ""]
        (self.directory() / ".gitignore").write_text(self.chance.choice(names) + "\n")

    def exclude(self) -> None:
        (self.root / ".git/info/exclude").write_text(self.chance.choice(["n*.py\n", ""]))

    def commit(self) -> None:
        self.git("add", "-A")
        self.git("commit", "-qm", "x")

    def check_out(self) -> None:
        self.git("stash", "-u", "-q")
        self.git("checkout", "-q", self.chance.choice(["HEAD~1", "HEAD~2", "master", "main"]))

    def forget_in_git(self) -> None:
        self.git("rm", "-q", "--cached", str(self.file().relative_to(self.root)))

    def read_all(self) -> None:
        for path in self.root.rglob("*.py"):
            path.read_bytes() if path.is_file() else None

    def do(self) -> str:
        ways = [name for name, each in vars(Hands).items() if callable(each) and name[0] != "_"]
        name = self.chance.choice(sorted(set(ways) - {"git", "file", "directory", "text", "do"}))
        try:
            getattr(self, name)()
        except OSError:
            return f"{name} (not possible)"
        return name

    def close(self) -> None:
        while self.held:
            self.let_go()


def anew(root: Path, ops: list[dict[str, str]]) -> dict[str, object]:
    with Workspace(root) as workspace:
        return told(preview(request_of({"ops": ops}), workspace, Run(inline=True)))


def told(plan: astedit.Plan) -> dict[str, object]:
    return {key: each for key, each in plan.to_json().items() if key != "stats"}


def ask(root: Path, seed: int, questions: int) -> int:
    """How many answers the kernel's word was enough for."""
    chance = random.Random(seed)
    hands, enough = Hands(root, chance), 0
    done: list[str] = []
    with Resident() as resident:
        for _ in range(questions):
            done += [hands.do() for _ in range(chance.choice((0, 0, 1, 1, 1, 2, 5)))]
            ops = chance.choice(OPS)
            plan = astedit.ast_edit(ops, root=root, jobs=1, resident=resident)
            assert told(plan) == anew(root, ops), (seed, done[-20:])
            enough += plan.stats.checked == "inotify"
    hands.close()
    return enough


def test_no_answer_is_stale(tmp_path: Path) -> None:
    root = tmp_path / "project"
    root.mkdir()
    assert ask(root, seed=1, questions=25) > 20


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(20))
def test_no_answer_of_2_000_is_stale(tmp_path: Path, seed: int) -> None:
    root = tmp_path / "project"
    root.mkdir()
    assert ask(root, seed, questions=100) > 80


def test_a_full_queue_is_told_and_the_disk_is_asked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a.py").write_text("f(1)\n")
    monkeypatch.setattr(tree_watch, "_MOST", 5_000)
    with Resident() as resident:

        def asked() -> astedit.Plan:
            return astedit.ast_edit(OPS[0], ["."], root=tmp_path, jobs=1, resident=resident)

        assert asked().stats.checked == asked().stats.checked == "inotify"
        for number in range(200):
            (tmp_path / f"b{number}.py").write_text("f(2)\n")
        lost = asked()
        assert (lost.stats.checked, lost.total_replacements) == (f"stat: {tree_watch.FULL}", 201)
        monkeypatch.undo()
        (tmp_path / "a.py").write_text("")
        assert asked().total_replacements == 200
        assert asked().stats.checked == "inotify"


def test_where_the_kernel_cannot_be_asked_the_statistics_say_why(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a.py").write_text("f(1)\n")
    monkeypatch.setattr(tree_watch, "LOCAL", frozenset())
    with Resident() as resident:
        plan = astedit.ast_edit(OPS[0], ["."], root=tmp_path, jobs=1, resident=resident)
    assert str(plan.stats.checked).startswith("stat: it is on a file system of another kind (")
    assert plan.to_json()["stats"]["checked"] == plan.stats.checked
