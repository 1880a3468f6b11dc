"""`python -m benchmarks.culprits [PACKAGE...]`: planted wrong edits, found by the tests alone.

Each package gets a patch of up to 200 edits that change nothing (`return x` becomes
`return (x)`), of which some are made wrong (`return not (x)`): those of which each alone
makes the package's own tests fail. `astedit prove` has to name exactly these. The Python that
runs it needs pytest, and freezegun, markupsafe, pretend and trio for some of the packages.
"""

import argparse
import ast
import json
import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from benchmarks.corpora import CACHE
from benchmarks.packages import Package, Unavailable, unpacked
from benchmarks.suites import PYTEST, SUITES, Suite

EDITS, MOST = 200, 3
_LINE = "{:<24} {:>6} {:>8} {:>6} {:>6} {:>9}  {}"
Place = tuple[str, int]  # a file, and a line from 1
# Those that are named run in seconds; a suite is run a hundred times.
_SHARED = ("boltons", "click", "h11", "itsdangerous", "jinja2", "packaging", "pluggy")
_SUITES = (
    *(suite for suite in SUITES if suite.package.name in _SHARED),
    Suite(Package("toolz", "1.0.0", "sdist"), ".", "toolz", ("toolz",)),
    Suite(
        Package("tomlkit", "0.13.2", "sdist"),
        ".",
        "tomlkit",
        ("tests/test_items.py", "tests/test_api.py"),
    ),
    Suite(Package("MarkupSafe", "3.0.2", "sdist"), "src", "markupsafe", ("tests",)),
)


def main(arguments: Sequence[str] | None = None) -> None:
    """Prints a line for each package and each number of planted edits."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("package", nargs="*", help="by name; without one, all")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args(arguments)
    print(_LINE.format("package", "edits", "planted", "found", "runs", "seconds", ""))
    for suite in _SUITES:
        if not options.package or suite.package.name in options.package:
            try:
                _measure(suite, options.seed)
            except Unavailable as error:
                print(f"{suite.package.name}: {error}")


def _measure(suite: Suite, seed: int) -> None:
    CACHE.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=CACHE, prefix="culprits-") as name:
        tree = Tree(suite, Path(name) / "tree")
        if not tree.passes():
            print(f"{suite.package.name}: its own tests fail here")
            return
        chance = random.Random(seed)
        places = tree.places(chance)
        wrong = list(tree.failing(places, chance))
        for count in range(len(wrong) + 1):
            started = time.monotonic()
            found, answer = tree.proved(places, set(wrong[:count]))
            right = "" if found == set(wrong[:count]) else "NOT EQUAL"
            seconds = f"{time.monotonic() - started:.1f}"
            row = (suite.package.name, len(places), count, len(found), answer["runs"], seconds)
            print(_LINE.format(*row, right), flush=True)


class Tree:
    """The sources of a package in a git work tree, to be patched and proved."""

    def __init__(self, suite: Suite, root: Path) -> None:
        self._root, self._suite = root, suite
        self._command = [sys.executable, *PYTEST, *suite.tests]
        self._state = root.with_name("state")
        subprocess.run(
            ["cp", "-r", str(next(unpacked(suite.package, CACHE).iterdir())), str(root)], check=True
        )
        for words in (("init", "-q"), ("add", "-A", "-f")):
            self._git(*words)
        self._texts = {
            path.relative_to(root).as_posix(): path.read_text().splitlines(keepends=True)
            for path in sorted((root / suite.source).rglob("*.py"))
            if "test" not in path.as_posix().removeprefix(root.as_posix())
        }

    def passes(self, wrong: Mapping[Place, str] | None = None) -> bool:
        """Whether the tests pass with these lines; the tree is as before then."""
        changed = {path for path, _ in wrong or {}}
        self._write(wrong or {})
        done = subprocess.run(
            self._command, cwd=self._root, env=self._environment(), capture_output=True, check=False
        )
        for path in changed:
            (self._root / path).write_text("".join(self._texts[path]))
        return done.returncode == 0

    def places(self, chance: random.Random) -> list[Place]:
        """The lines that are edited: no two of them neighbours."""
        every = [(path, line) for path in self._texts for line in self._returns(path)]
        chance.shuffle(every)
        chosen: set[Place] = set()
        for path, line in every:
            if len(chosen) < EDITS and not chosen & {(path, line - 1), (path, line + 1)}:
                chosen.add((path, line))
        return sorted(chosen)

    def failing(self, places: Sequence[Place], chance: random.Random) -> Iterator[Place]:
        """Lines of which each alone makes the tests fail when it is wrong."""
        tried, count = chance.sample(places, min(len(places), 4 * MOST)), 0
        for place in tried:
            if count < MOST and not self.passes({place: self._edited(place, wrong=True)}):
                count += 1
                yield place

    def proved(
        self, places: Sequence[Place], wrong: set[Place]
    ) -> tuple[set[Place], Mapping[str, int]]:
        """The places that are blamed, and the whole answer."""
        self._write({place: self._edited(place, wrong=place in wrong) for place in places})
        patch = self._git("diff", "-U0")
        self._git("checkout", "-q", "--", ".")
        self._root.with_name("p.diff").write_bytes(patch)
        self._astedit("stage", "--patch", str(self._root.with_name("p.diff")), "--quiet")
        done = self._astedit("prove", "--json", "--", *self._command)
        self._astedit("resolve", "discard", "--all", "--reason", "measured")
        answer = json.loads(done)
        blamed = [edit for each in answer["culprits"] for edit in each["edits"]]
        return {(edit["path"], edit["line"]) for edit in blamed}, answer

    def _returns(self, path: str) -> Iterator[int]:
        for node in ast.walk(ast.parse("".join(self._texts[path]))):
            if not isinstance(node, ast.Return) or node.value is None:
                continue
            line = self._texts[path][node.lineno - 1]
            if node.lineno == node.end_lineno and line.lstrip().startswith("return "):
                yield node.lineno

    def _edited(self, place: Place, *, wrong: bool) -> str:
        line = self._texts[place[0]][place[1] - 1]
        head, _, value = line.partition("return ")
        code, mark, comment = value.rstrip("\n").partition("  # ")
        return f"{head}return {'not ' if wrong else ''}({code}){mark}{comment}\n"

    def _write(self, lines: Mapping[Place, str]) -> None:
        for path in {path for path, _ in lines}:
            text = list(self._texts[path])
            for (other, line), new in lines.items():
                if other == path:
                    text[line - 1] = new
            (self._root / path).write_text("".join(text))

    def _environment(self) -> dict[str, str]:
        source = str(self._root / self._suite.source)
        return os.environ | {"PYTHONPATH": source, "PYTHONDONTWRITEBYTECODE": "1"}

    def _git(self, *words: str) -> bytes:
        command = ["git", *words]
        return subprocess.run(command, cwd=self._root, capture_output=True, check=True).stdout

    def _astedit(self, *words: str) -> bytes:
        where = ("--root", str(self._root), "--state-dir", str(self._state))
        at = words.index("--") if "--" in words else len(words)
        command = [sys.executable, "-m", "astedit", *words[:at], *where, *words[at:]]
        done = subprocess.run(
            command, cwd=self._root, env=self._environment(), capture_output=True, check=False
        )
        if done.returncode > 1:
            raise Unavailable(done.stderr.decode()[-500:])
        return done.stdout


if __name__ == "__main__":
    main()
