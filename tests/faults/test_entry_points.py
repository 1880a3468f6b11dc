"""A process that knows only `resolve` ends what any other process has staged or begun."""

import subprocess
import sys
import tomllib
from importlib.metadata import entry_points
from pathlib import Path

import pytest

from tests.support import REPOSITORY
from tests.support.cases import tree
from tests.support.faults.cli import AFTER, BEFORE, Tree, need_strace
from tests.support.faults.kills import killed, last

GROUP = "resolve.handlers"
TEXTS = tree("entry-points")
PROGRAM = TEXTS["program.py"]


def declared() -> dict[str, str]:
    project = tomllib.loads((REPOSITORY / "pyproject.toml").read_text())["project"]
    return project["entry-points"][GROUP]


@pytest.fixture
def tree(tmp_path: Path) -> Tree:
    return Tree(tmp_path).staged()


class Elsewhere:
    """A process that has never imported astedit; it finds it as an installed package."""

    def __init__(self, tree: Tree, *, installed: bool = True) -> None:
        self.tree, self.installed = tree, installed
        info = tree.root.parent / "site" / "astedit-9.dist-info"
        info.mkdir(parents=True, exist_ok=True)
        (info / "METADATA").write_text("Metadata-Version: 2.1\nName: astedit\nVersion: 9\n")
        lines = [f"{name} = {value}" for name, value in declared().items()]
        table = "\n".join([f"[{GROUP}]", *lines, ""]) if installed else ""
        (info / "entry_points.txt").write_text(table)

    def __call__(self, verb: str, target: str = "") -> str:
        (state,) = self.tree.state.rglob("state.db")
        path = [self.tree.root.parent / "site", REPOSITORY]
        words = [sys.executable, "-S", "-c", SETUP + PROGRAM, ":".join(map(str, path))]
        words += [*sys.path[1:], "--", str(state), str(self.tree.root), verb, target]
        done = subprocess.run(words, capture_output=True, text=True, cwd=self.tree.root.parent)
        assert done.returncode == 0, done.stderr
        return done.stdout.strip()


# Without `site` no other metadata is found than that of the first entry: the rest of the
# path serves imports alone.
SETUP = TEXTS["setup.py"]


def test_what_is_declared_is_what_is_installed() -> None:
    """Made anew by `make` whenever the table changes."""
    assert {one.name: one.value for one in entry_points(group=GROUP)} == declared()


def test_what_another_process_staged_is_applied_and_undone(tree: Tree) -> None:
    elsewhere = Elsewhere(tree)
    action = last(tree)
    assert elsewhere("apply", action) == f"Applied {action}: 3 replacements in 3 files."
    assert tree.contents() == AFTER
    assert tree.run("undo").returncode == 0
    undo = last(tree)
    assert elsewhere("apply", undo) == f"Applied {undo}: {action} undone, 3 files restored."
    assert tree.contents() == BEFORE


@pytest.mark.parametrize("verb", ["apply", pytest.param("recover", marks=pytest.mark.slow)])
@pytest.mark.parametrize(
    ("at", "ended"), [(1, "untouched"), pytest.param(2, "applied", marks=pytest.mark.slow)]
)
def test_what_another_process_left_half_done_is_ended(
    tree: Tree, verb: str, at: int, ended: str
) -> None:
    need_strace()
    killed(tree, "renameat2", at)
    action = last(tree)
    told = Elsewhere(tree)(verb, action)
    if verb == "recover":
        assert told == f"['{ended}']"
    else:
        assert told.startswith("Applied")
    assert tree.contents() == (AFTER if verb == "apply" or ended == "applied" else BEFORE)
    assert not list(tree.state.rglob("intent"))


def test_where_nobody_can_recover_it_is_not_discarded_either(tree: Tree) -> None:
    need_strace()
    killed(tree, "renameat2", 2)
    action, half = last(tree), tree.contents()
    assert half not in (BEFORE, AFTER)
    without = Elsewhere(tree, installed=False)
    assert without("recover") == "['blocked']"
    assert without("discard", action) == "interrupted"
    assert without("apply", action) == "blocked"
    assert tree.contents() == half
    assert Elsewhere(tree)("discard", action) == "already_resolved"  # it is ended first
    assert tree.contents() == AFTER
    assert not list(tree.state.rglob("intent"))
