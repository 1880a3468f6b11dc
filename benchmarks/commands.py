"""The commands that rows are made of, and the scratch directory they work in."""

import shutil
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from benchmarks.measure import Command

REPOSITORY = Path(__file__).parents[1]
PYTHON = sys.executable


@dataclass(frozen=True)
class Pair:
    """A pattern of one language, and what it becomes unless it is only searched for.

    The language is always named: without one, ast-grep parses data files too and we do not.
    """

    pat: str
    out: str | None = None
    lang: str = "python"

    def options(self) -> tuple[str, ...]:
        """As options; ours and ast-grep's are spelled alike."""
        return ("-l", self.lang, "-p", self.pat, *(() if self.out is None else ("-r", self.out)))


def theirs(root: Path, pair: Pair) -> Command:
    """ast-grep, with a pattern."""
    return ast_grep(root, "run", *pair.options(), ".")


def ast_grep(root: Path, *arguments: str) -> Command:
    """ast-grep, of this environment."""
    program = shutil.which("ast-grep", path=str(Path(PYTHON).parent)) or "ast-grep"
    return Command((program, *arguments), root, fruitless=1)


@dataclass(frozen=True)
class Place:
    """Where a run keeps state and copies; a temporary directory."""

    scratch: Path

    def ours(
        self, root: Path, *arguments: str, before: Callable[[], None] | None = None
    ) -> Command:
        """One of our commands, with a state directory of its own."""
        return self.python("astedit", *arguments, root=root, before=before)

    def preview(self, root: Path, pair: Pair) -> Command:
        """A whole cold `edit --no-stage`, with its diff."""
        return self.ours(root, "edit", "--no-stage", *pair.options(), ".")

    def python(
        self,
        module: str,
        *arguments: str,
        root: Path = REPOSITORY,
        before: Callable[[], None] | None = None,
    ) -> Command:
        """A module of this repository or its environment, run as a program."""
        environment = {
            "ASTEDIT_STATE_DIR": str(self.scratch / "state"),
            "PYTHONPATH": str(REPOSITORY),
        }
        return Command((PYTHON, "-m", module, *arguments), root, environment, before)

    def forget(self) -> None:
        """Removes all pending actions."""
        shutil.rmtree(self.scratch / "state", ignore_errors=True)

    @staticmethod
    def copy(tree: Path, to: Path) -> None:
        """A fresh copy of a tree in the place of an older one."""
        shutil.rmtree(to, ignore_errors=True)
        shutil.copytree(tree, to)
