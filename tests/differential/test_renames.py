"""Renamed packages pass their own tests as before; and rope changes nothing that we leave."""

import json
import os
import shutil
import subprocess
import sys
import xml.etree.ElementTree as xml
from functools import cache
from pathlib import Path

import pytest

from benchmarks.packages import Unavailable, unpacked
from tests.support.differential.corpora import CACHE, REPOSITORY
from tests.support.differential.renames import SUITES, Rename, Suite

pytestmark = [pytest.mark.slow, pytest.mark.timeout(3600)]

CASES = [
    pytest.param(suite, one, id=f"{suite.package.name} {one.symbol.rpartition('/')[2]}")
    for suite in SUITES
    for one in suite.renames
]
ROPE = REPOSITORY / "tests" / "support" / "differential" / "rope_rename.py"
Outcome = tuple[int, frozenset[str], int]  # tests, those that failed, and how many were skipped


@cache
def place(suite: Suite) -> Path:
    """A tree of the package, installed with what its tests need in an environment of its own."""
    try:
        (pristine,) = unpacked(suite.package, CACHE).iterdir()
    except Unavailable as reason:
        pytest.skip(str(reason))
    process = os.environ.get("PYTEST_XDIST_WORKER", "alone")  # each changes trees of its own
    tree = CACHE / "renamed" / process / suite.package.folder
    shutil.rmtree(tree, ignore_errors=True)
    shutil.copytree(pristine, tree)
    (tree.parent / "pytest.ini").touch()  # else pytest would take our own configuration
    for words in (["init", "-q"], ["add", "-A"]):  # else it is what our own repository ignores
        subprocess.run(["git", *words], cwd=tree, check=True, capture_output=True)
    if not (tree.parent / f"{tree.name}-env/ready").exists():
        env = tree.parent / f"{tree.name}-env"
        subprocess.run([sys.executable, "-m", "venv", "--clear", env], check=True)
        install = [env / "bin/python", "-m", "pip", "install", "-q", "pytest", "rope"]
        if subprocess.run([*install, *suite.needs, "-e", tree], check=False).returncode:
            pytest.skip(f"what {suite.package.name} needs cannot be installed")
        (env / "ready").touch()
    return tree


def python(tree: Path) -> Path:
    return tree.parent / f"{tree.name}-env/bin/python"


def outcome(tree: Path, suite: Suite) -> Outcome:
    """What the package's own tests say, all of them."""
    report = tree.parent / f"{tree.name}.xml"
    command = [python(tree), "-m", "pytest", "-q", "-p", "no:cacheprovider"]
    quiet = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1"}
    subprocess.run(
        [*command, f"--junitxml={report}", suite.tests],
        cwd=tree, env=quiet, check=False, capture_output=True,
    )  # fmt: skip
    cases = list(xml.parse(report).getroot().iter("testcase"))
    failed = {f"{one.get('classname')}::{one.get('name')}" for one in cases if _fails(one)}
    skipped = sum(one.find("skipped") is not None for one in cases)
    return len(cases), frozenset(failed), skipped


def _fails(case: xml.Element) -> bool:
    return case.find("failure") is not None or case.find("error") is not None


@cache
def before(suite: Suite) -> Outcome:
    return outcome(place(suite), suite)


def astedit(tree: Path, *args: str) -> dict[str, object]:
    """Runs a command in the tree; its JSON."""
    state = {**os.environ, "ASTEDIT_STATE_DIR": str(tree.parent / "state")}
    command = [sys.executable, "-m", "astedit", *args, "--json"]
    done = subprocess.run(command, cwd=tree, env=state, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr + done.stdout
    found: dict[str, object] = json.loads(done.stdout)
    return found


@pytest.mark.parametrize("suite, one", CASES)
def test_a_renamed_package_passes_its_own_tests(suite: Suite, one: Rename) -> None:
    tree = place(suite)
    was = before(suite)
    assert not was[1]
    plan = astedit(tree, "rename", one.symbol, one.new)
    astedit(tree, "resolve", "apply", "--reason", "to see the tests")
    try:
        tests, failed, skipped = outcome(tree, suite)
    finally:
        astedit(tree, "undo")
        astedit(tree, "resolve", "apply", "--reason", "seen")
    assert (tests, skipped) == (was[0], was[2])
    assert len(failed) == one.fails, failed
    assert plan["hints"] or not one.fails  # what no tool can follow is pointed at


@pytest.mark.parametrize("suite, one", CASES)
def test_rope_changes_nothing_that_we_leave(suite: Suite, one: Rename) -> None:
    tree = place(suite)
    plan = astedit(tree, "rename", one.symbol, one.new, "--no-stage")
    ours = {(file["path"], edit["start"]) for file in plan["files"] for edit in file["edits"]}  # type: ignore[attr-defined]
    file = one.symbol.partition("::")[0]
    starts = sorted(start for path, start in ours if path == file)
    script = [python(tree), ROPE, tree, file, one.new, json.dumps(starts)]
    done = subprocess.run(script, capture_output=True, text=True, check=True)
    theirs = {(path, start) for path, start in json.loads(done.stdout)}
    assert theirs and theirs <= ours, sorted(theirs - ours)
