"""`python -m benchmarks.moves [PACKAGE...]`: drawn moves and signature changes, and the suites.

Of each package definitions are drawn and moved to other modules until so many moves could be
staged, and signatures changed likewise. Each is applied; then every module is imported and the
package's own tests are run; a move is made back, and all is undone. With `--rope` the same
changes are made by rope. The Python that runs it needs what the tests need: pytest, and
freezegun, markupsafe and pretend for some; and rope.
"""

import argparse
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import TextIO

import astedit
from astedit.errors import AstEditError
from benchmarks.corpora import CACHE
from benchmarks.packages import Unavailable, unpacked
from benchmarks.refactorings import Move, Signature, moves, signatures
from benchmarks.suites import PYTEST, SUITES, Suite

_DRAWN = 8  # times as many changes are drawn as shall be staged, at most
_LIMIT = 600  # seconds for one run of a suite
_IMPORTING = """
import importlib, os, sys
for name in sys.argv[1:]:
    if os.fork() == 0:  # each is the first that is imported
        os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
        try:
            importlib.import_module(name)
        except BaseException:
            os._exit(1)
        os._exit(0)
    if os.wait()[1]:
        print(name)
"""


def main(arguments: Sequence[str] | None = None) -> None:
    """Prints two lines for each package: of its moves, and of its signatures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("package", nargs="*", help="by name; without one, all")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--moves", type=int, default=20, help="to be staged for each package")
    parser.add_argument("--signatures", type=int, default=10)
    parser.add_argument("--rope", action="store_true", help="make them by rope as well")
    parser.add_argument("--log", type=argparse.FileType("a"), help="a line of JSON for each")
    options = parser.parse_args(arguments)
    for suite in SUITES:
        if not options.package or suite.package.name in options.package:
            try:
                _measure(suite, options)
            except Unavailable as error:
                print(f"{suite.package.name}: {error}")


def _measure(suite: Suite, options: argparse.Namespace) -> None:
    CACHE.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=CACHE, prefix="moves-") as name:
        tree = Tree(suite, Path(name) / "tree")
        failing = tree.failing()
        if failing:
            print(f"{suite.package.name}: its own tests fail here: {failing[-300:]}")
            return
        with Trial(tree, Path(name) / "state", options) as trial:
            chance = random.Random(f"{options.seed} {suite.package.name}")
            for kind, count, drawing in (
                ("moves", options.moves, moves),
                ("signatures", options.signatures, signatures),
            ):
                trial.counts.clear()
                trial.run(drawing(tree.root, tree.modules, chance), count)
                counts = sorted(trial.counts.items())
                words = ", ".join(f"{number} {what}" for what, number in counts)
                print(f"{suite.package.name} {kind}: {words}", flush=True)


class Tree:
    """A copy of a package, to be changed and put back."""

    def __init__(self, suite: Suite, root: Path) -> None:
        self.suite, self.root = suite, root
        shutil.copytree(next(unpacked(suite.package, CACHE).iterdir()), root)
        self.files = self.contents()
        folder = f"{suite.source}/{suite.name}/".removeprefix("./")
        self.modules = [
            path
            for path in sorted(self.files)
            if path.startswith(folder)
            and path.endswith(".py")
            and "test" not in path.removeprefix(folder)
        ]
        self._broken = self._not_importable()

    def contents(self) -> dict[str, bytes]:
        """Every file of the tree."""
        return {
            path.relative_to(self.root).as_posix(): path.read_bytes()
            for path in self.root.rglob("*")
            if path.is_file() and "__pycache__" not in path.parts
        }

    def differing(self) -> list[str]:
        """The files that are not as they were published."""
        now = self.contents()
        return sorted(path for path, _ in now.items() ^ self.files.items())

    def is_reordered(self, path: str) -> bool:
        """Whether the tree is as it was but for the place of statements in one module."""
        if {*self.differing()} != {path}:
            return False
        before, now = self.files[path], (self.root / path).read_bytes()
        return sorted(before.splitlines()) == sorted(now.splitlines())

    def put_back(self) -> None:
        """Makes every file what it was."""
        for path in dict.fromkeys(self.differing()):
            if path in self.files:
                (self.root / path).write_bytes(self.files[path])
            else:
                (self.root / path).unlink()

    def failing(self) -> str:
        """What fails of the imports and of the tests; "" if nothing does."""
        broken = sorted(self._not_importable() - getattr(self, "_broken", set()))
        if broken:
            return f"import of {', '.join(broken)}"
        done = self._python(*PYTEST, *self.suite.tests)
        return "" if done.returncode == 0 else done.stdout[-3000:] or done.stderr[-3000:] or "fails"

    def _not_importable(self) -> set[str]:
        source = f"{self.suite.source}/".removeprefix("./")
        paths = [path for path in self.contents() if path.startswith(f"{source}{self.suite.name}/")]
        names = [
            path.removeprefix(source)
            .removesuffix(".py")
            .removesuffix("/__init__")
            .replace("/", ".")
            for path in sorted(paths)
            if path.endswith(".py") and not path.endswith("__main__.py")
        ]
        return {*self._python("-c", _IMPORTING, *names).stdout.split()}

    def _python(self, *words: str) -> subprocess.CompletedProcess[str]:
        source = str(self.root / self.suite.source)
        environment = os.environ | {"PYTHONPATH": source, "PYTHONDONTWRITEBYTECODE": "1"}
        try:
            return subprocess.run(
                [sys.executable, *words],
                cwd=self.root,
                env=environment,
                capture_output=True,
                text=True,
                check=False,
                timeout=_LIMIT,
            )
        except subprocess.TimeoutExpired:
            return subprocess.CompletedProcess(words, 1, "", "took too long")


@dataclass
class Trial:
    """Makes changes of one tree, one at a time, and counts what became of them."""

    tree: Tree
    state: Path
    options: argparse.Namespace
    counts: Counter[str] = field(default_factory=Counter)

    def __enter__(self) -> "Trial":
        self._work = astedit.open(self.tree.root, state_dir=self.state)
        return self

    def __exit__(self, *_: object) -> None:
        self._work.close()

    def run(self, drawn: Iterator[Move | Signature], count: int) -> None:
        """Tries changes until so many could be staged."""
        staged = 0
        for change in islice(drawn, _DRAWN * count):
            if staged == count:
                return
            self._note(change, drawn=True)
            try:
                plan = self._stage(change)
            except AstEditError as error:
                self._note(change, **{f"refused, {error.code}": str(error)})
                continue
            except Exception as error:
                self._note(change, crash=repr(error))
                continue
            staged += 1
            self._judge(change, plan)
            if self.options.rope:
                self._beside(change)

    def _stage(self, change: Move | Signature) -> astedit.StagedPlan:
        identifier = f"{change.path}::{change.name}"
        if isinstance(change, Move):
            return self._work.move(identifier, change.dest)
        return self._work.signature(identifier, **change.options)

    def _judge(self, change: Move | Signature, plan: astedit.StagedPlan) -> None:
        diff = plan.diff()
        ids = [plan.action_id]
        plan.apply("measured")
        failing = self.tree.failing()
        what = "broken" if failing else "ok"
        self._note(change, **{what: failing or True}, diff=diff, hints=list(plan.hints))
        if isinstance(change, Move):
            ids += self._back(change)
        for each in reversed(ids):
            undo = self._work.undo(each)
            self._work.resolve("apply", undo.action_id, "measured")
        if differing := self.tree.differing():
            self._note(change, **{"not undone": differing})
            self.tree.put_back()

    def _back(self, change: Move) -> list[str]:
        try:
            plan = self._work.move(f"{change.dest}::{change.name}", change.path)
        except AstEditError as error:
            self._note(change, **{f"back refused, {error.code}": str(error)})
            return []
        diff = plan.diff()
        plan.apply("measured")
        differing = self.tree.differing()
        what = "back the same"
        if differing:
            what = "back elsewhere" if self.tree.is_reordered(change.path) else "back differs"
        self._note(change, **{what: differing or True}, back=diff)
        return [plan.action_id]

    def _beside(self, change: Move | Signature) -> None:
        from benchmarks.rope_refactorings import change_by_rope

        try:
            able = change_by_rope(self.tree.root, self.tree.suite.source, change)
        except Exception as error:
            self._note(change, **{"rope refused": repr(error)})
        else:
            failing = self.tree.failing() if able else ""
            what = ("rope broken" if failing else "rope ok") if able else "rope cannot"
            self._note(change, **{what: failing or True})
        self.tree.put_back()

    def _note(self, change: Move | Signature, **what: object) -> None:
        """Counts the first of these, and writes all of them to the log."""
        self.counts[next(iter(what))] += 1
        log: TextIO | None = self.options.log
        if log is not None and "drawn" not in what:
            print(json.dumps({"change": str(change), **what}), file=log, flush=True)


if __name__ == "__main__":
    main()
