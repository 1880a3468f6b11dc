"""Many agents on one tree: what they leave is what some order of their plans gives."""

import json
import subprocess
import sys
from hashlib import sha256
from pathlib import Path

import pytest

import astedit
from tests.support import REPOSITORY
from tests.support.several_agents import FILES, Tally, at_random, make_tree, three_in_turn


def digests(root: Path) -> dict[str, str]:
    return {path.name: sha256(path.read_bytes()).hexdigest() for path in root.glob("*.py")}


def check_serial(root: Path, state: Path, before: dict[str, str], tallies: list[Tally]) -> int:
    """Each applied plan found the files as the one before it left them; no loser was silent."""
    now = dict(before)
    applied = 0
    with astedit.open(root, state_dir=state) as work:
        for row in reversed(work.log()):
            if row.outcome == "applied":
                applied += 1
                for file in row.files:
                    assert now[file["path"]] == file["before"]
                    now[file["path"]] = file["after"]
    assert now == digests(root)
    assert [each.unexpected for each in tallies if each.unexpected] == []
    assert applied == sum(each.applied for each in tallies)
    return applied


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "project").mkdir()
    return tmp_path / "project"


def test_one_agent_alone_with_some_plans(root: Path, tmp_path: Path) -> None:
    make_tree(root)
    before = digests(root)
    tally = at_random(root, tmp_path / "state", seed=3, plans=6)
    assert check_serial(root, tmp_path / "state", before, [tally]) > 1


@pytest.mark.slow
@pytest.mark.timeout(1_800)
def test_eight_processes_with_400_plans_are_as_in_some_order(root: Path, tmp_path: Path) -> None:
    make_tree(root)
    assert len(list(root.iterdir())) == FILES
    before = digests(root)
    command = [sys.executable, "-m", "tests.support.several_agents", str(root)]
    running = [
        subprocess.Popen(
            [*command, str(tmp_path / "state"), str(seed), "50"],
            cwd=REPOSITORY, stdout=subprocess.PIPE, text=True,
        )
        for seed in range(8)
    ]  # fmt: skip
    tallies = [Tally(*json.loads(process.communicate()[0])) for process in running]
    assert check_serial(root, tmp_path / "state", before, tallies) > 80
    assert sum(each.refused for each in tallies) > 20


@pytest.mark.slow
def test_the_notices_save_three_agents_their_failed_applies(root: Path, tmp_path: Path) -> None:
    told = three_in_turn(root, tmp_path / "told", notices=True)
    untold = three_in_turn(root, tmp_path / "untold", notices=False)
    print(f"failed applies, of all: {told} with the notices, {untold} without")
    assert told[0] == 0 < untold[0]
