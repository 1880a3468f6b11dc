"""`python -m benchmarks.patches REPOSITORY...`: real commits as patches, beside `git apply`.

Each commit is diffed against its parent, with renames, copies, modes and binary files, and
the patch is taken twice: on the parent, where every hunk stands where it says, and on a tree
some commits older, where hunks have moved or do not fit. What a plan makes of the tree must
be what `git apply` makes of it, to the byte and the mode. The last commits of each
repository go through the command line: staged, applied and undone.
"""

import argparse
import os
import stat
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha1
from pathlib import Path

import astedit
from astedit.errors import AstEditError
from astedit.model.edit import FilePlan
from astedit.text.source import splice
from benchmarks.corpora import CACHE

_DIFF = ("diff", "--binary", "--full-index", "-M", "-C")
_LINE = "{:<28} {:<7} {:>8} {:>6} {:>12} {:>9} {:>12} {:>10}"
_OUTCOMES = ("same", "both refuse", "git only", "astedit only", "DIFFERENT")
Tree = Mapping[str, tuple[str, str]]  # by path: mode and name of the content


def main(arguments: Sequence[str] | None = None) -> None:
    """Prints each patch on which the two are not of one mind, then a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("repository", nargs="+", type=Path, help="a git directory or work tree")
    parser.add_argument("--commits", type=int, default=1000, help="of all repositories together")
    parser.add_argument("--behind", type=int, default=5, help="how much older the second tree is")
    parser.add_argument("--outside", type=int, default=100, help="so many by the command line")
    options = parser.parse_args(arguments)
    count = len(options.repository)
    rows = []
    for place in options.repository:
        CACHE.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=CACHE, prefix="patches-") as name:
            repository = Repository.cloned(place, Path(name))
            repository.measure(-(-options.commits // count), options.behind)
            repository.measure_outside(-(-options.outside // count))
            rows += repository.rows()
    print(_LINE.format("repository", "tree", "patches", *_OUTCOMES))
    for row in rows:
        print(_LINE.format(*row))


@dataclass(slots=True)
class Repository:
    """A clone whose work tree is set to the base of each patch."""

    name: str
    root: Path
    counts: Counter[tuple[str, str]] = field(default_factory=Counter)
    chosen: list[str] = field(default_factory=list)

    @classmethod
    def cloned(cls, place: Path, into: Path) -> "Repository":
        """A clone below `into` that shares the objects of `place`."""
        tree = into / "tree"
        words = ("clone", "--quiet", "--shared", "--no-checkout", str(place), str(tree))
        subprocess.run(["git", *words], check=True)
        owner = place.parent.name if place.name in ("repo", ".git") else place.name
        repository = cls(owner, tree)
        repository.git("config", "core.autocrlf", "false")
        attributes = tree / ".git/info/attributes"
        attributes.parent.mkdir(exist_ok=True)
        attributes.write_text("* -text -filter -ident\n")  # the bytes as they are committed
        return repository

    def measure(self, count: int, behind: int) -> None:
        """Takes `count` commits, evenly chosen from all that have one parent and change bytes."""
        listed = self.git("log", "--no-merges", "--min-parents=1", "--format=%H").decode().split()
        self.chosen = listed[:: max(len(listed) // count, 1)][:count]
        for commit in self.chosen:
            patch = self.git(*_DIFF, f"{commit}^", commit)
            for tree, base in (("parent", f"{commit}^"), ("older", f"{commit}~{behind}")):
                if patch and self.exists(base):
                    self._compare(tree, commit, patch, base)

    def measure_outside(self, count: int) -> None:
        """The same by the command line, for the last `count` commits: applied, then undone."""
        for commit in self.chosen[:count]:
            patch = self.git(*_DIFF, f"{commit}^", commit)
            if not patch:
                continue
            expected = self.by_git(patch, f"{commit}^")
            self.check_out(f"{commit}^")
            before = self.as_it_stands()
            after, error = self._applied(patch)
            undone = self.as_it_stands()
            absent = self.tree(f"{commit}^").keys() - before.keys()
            if expected is not None:
                expected = {path: expected[path] for path in expected.keys() - absent}
            outcome = _outcome(expected, after)
            if undone != before:
                outcome, error = "DIFFERENT", "not as before after the undo"
            self._count("outside", commit, outcome, error)

    def rows(self) -> list[tuple[str | int, ...]]:
        """A row for each tree that patches were taken on."""
        made = []
        for tree in ("parent", "older", "outside"):
            counted = [self.counts[tree, outcome] for outcome in _OUTCOMES]
            made.append((self.name, tree, sum(counted), *counted))
        return made

    def _compare(self, tree: str, commit: str, patch: bytes, base: str) -> None:
        expected = self.by_git(patch, base)
        self.check_out(base)
        after, error = None, ""
        try:
            plan = astedit.ast_edit(patch=patch, root=str(self.root), allow_protected=True)
            after = self._planned(plan.files, self.tree(base))
        except AstEditError as refusal:
            error = " ".join(refusal.message.split("\n")[:2])
        self._count(tree, commit, _outcome(expected, after), error or _odd(expected, after))

    def _count(self, tree: str, commit: str, outcome: str, why: str) -> None:
        self.counts[tree, outcome] += 1
        if outcome not in ("same", "both refuse"):
            print(f"{self.name} {tree} {commit[:12]} {outcome}: {why[:300]}", flush=True)

    def by_git(self, patch: bytes, base: str) -> Tree | None:
        """The tree that `git apply` makes of `base`; None if it refuses the patch."""
        self.git("read-tree", base)
        words = ("git", "apply", "--cached", "--whitespace=nowarn")
        done = subprocess.run(words, cwd=self.root, input=patch, capture_output=True, check=False)
        return (
            None
            if done.returncode
            else self.tree(self.git("write-tree", "--missing-ok").decode().strip())
        )

    def _planned(self, files: Sequence[FilePlan], before: Tree) -> Tree:
        """The tree that a plan makes of the work tree, which is as `before`."""
        after = dict(before)
        for file in files:
            if file.operation in ("delete", "move"):
                after.pop(file.read_from)
        for file in files:
            if file.operation == "delete":
                continue
            content, mode = b"", _mode(file.mode or 0)
            if file.operation != "create":
                content, mode = (self.root / file.read_from).read_bytes(), before[file.read_from][0]
            if file.new_mode is not None:
                mode = _mode(file.new_mode)
            after[file.path] = mode, _name(splice(content, file.changes))
        return after

    def _applied(self, patch: bytes) -> tuple[Tree | None, str]:
        """The work tree after `stage --patch` and `resolve apply`; it is undone again."""
        place = self.root.with_name("change.patch")
        place.write_bytes(patch)
        staged = self._astedit("stage", "--patch", str(place), "--quiet", "--allow-protected")
        if staged.returncode:
            return None, " ".join(staged.stderr.decode().split("\n")[:2])
        done = self._astedit("resolve", "apply", "--reason", "measured")
        after = self.as_it_stands()
        self._astedit("undo")
        undone = self._astedit("resolve", "apply", "--reason", "measured")
        return after, (done.stderr + undone.stderr).decode()[:300]

    def _astedit(self, *words: str) -> "subprocess.CompletedProcess[bytes]":
        where = ("--root", str(self.root), "--state-dir", str(self.root.with_name("state")))
        command = [sys.executable, "-m", "astedit", *words, *where]
        return subprocess.run(command, capture_output=True, check=False)

    def as_it_stands(self) -> Tree:
        """The tree of the files in the work tree."""
        self.git("add", "--all", "--force")
        return self.tree(self.git("write-tree", "--missing-ok").decode().strip())

    def check_out(self, base: str) -> None:
        """Sets the work tree and the index to a commit, but for files that a mirror lacks."""
        words = ("git", "checkout", "--quiet", "--force", "--detach", base)
        subprocess.run(words, cwd=self.root, capture_output=True, check=False)
        self.git("clean", "-fdqx")

    def exists(self, commit: str) -> bool:
        """Whether the history goes back so far."""
        words = ("git", "rev-parse", "--quiet", "--verify", f"{commit}^{{commit}}")
        return not subprocess.run(words, cwd=self.root, capture_output=True, check=False).returncode

    def tree(self, name: str) -> Tree:
        """The files of a commit or a tree."""
        listed = {}
        for row in filter(None, self.git("ls-tree", "-r", "-z", name).split(b"\0")):
            head, path = row.split(b"\t", 1)
            mode, _, content = head.decode().split()
            listed[os.fsdecode(path)] = mode, content
        return listed

    def git(self, *words: str) -> bytes:
        """What git prints."""
        command = ["git", *words]
        return subprocess.run(command, cwd=self.root, capture_output=True, check=True).stdout


def _outcome(expected: Tree | None, after: Tree | None) -> str:
    if expected is None or after is None:
        return {(True, True): "both refuse", (False, True): "git only"}.get(
            (expected is None, after is None), "astedit only"
        )
    return "same" if expected == after else "DIFFERENT"


def _odd(expected: Tree | None, after: Tree | None) -> str:
    if expected is None or after is None:
        return ""
    paths = {path for path, _ in expected.items() ^ after.items()}
    return ", ".join(sorted(paths)[:3])


def _mode(permissions: int) -> str:
    return "100755" if permissions & stat.S_IXUSR else "100644"


def _name(content: bytes) -> str:
    return sha1(b"blob %d\0" % len(content) + content).hexdigest()


if __name__ == "__main__":
    main()
