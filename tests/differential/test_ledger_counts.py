"""The ledger's places are those that ripgrep counts, on large packages of three kinds."""

import re
import shutil
import subprocess
from collections import Counter
from pathlib import Path

import pytest

import astedit
from astedit.review.ledger.ledger import ledger
from astedit.workspace.config import load
from astedit.workspace.root import Workspace
from benchmarks.packages import Package, Unavailable, unpacked
from tests.support.differential.corpora import CACHE

pytestmark = [pytest.mark.slow, pytest.mark.timeout(1800)]
PACKAGES = {
    "sympy": (Package("sympy", "1.13.3", "wheel"), "sympy", ".py"),
    "homeassistant": (Package("homeassistant", "2025.4.4", "wheel"), "homeassistant", ".py"),
    "three": (Package("three", "0.170.0", "npm"), "package/src", ".js"),
}
RULES = 50
CALL = re.compile(r"(?<![\w.$])([A-Za-z_][a-z]\w{3,})\(")
KEYWORDS = {"function", "super", "while", "print", "switch", "import", "class", "return"}


def called(root: Path, suffix: str) -> list[str]:
    """Names of functions that are called, from the commonest to rare ones."""
    counts = Counter[str]()
    for path in sorted(root.rglob(f"*{suffix}")):
        counts.update(CALL.findall(path.read_text("utf-8", "replace")))
    names = [name for name, count in counts.most_common() if count > 3 and name not in KEYWORDS]
    return names[:: max(1, len(names) // RULES)][:RULES]


def words(root: Path, name: str) -> int:
    """How often the name stands there as a word."""
    command = ["rg", "--text", "--word-regexp", "--count-matches", "--no-filename", name, "."]
    done = subprocess.run(command, cwd=root, capture_output=True, text=True, check=False)
    return sum(map(int, done.stdout.split()))


@pytest.mark.parametrize("package", PACKAGES)
def test_every_word_is_accounted_for(package: str, tmp_path: Path) -> None:
    if shutil.which("rg") is None:
        pytest.skip("ripgrep is not installed")
    archive, folder, suffix = PACKAGES[package]
    try:
        root = unpacked(archive, CACHE) / folder
    except Unavailable as error:
        pytest.skip(str(error))
    names = called(root, suffix)
    assert len(names) == RULES
    lang = "python" if suffix == ".py" else "javascript"
    ops = [{"pat": f"{name}($A)", "out": f"{name}_2($A)", "lang": lang} for name in names]
    plan = astedit.ast_edit(ops, root=str(root))
    with Workspace(str(root)) as workspace:
        account = ledger(plan, workspace, load(workspace))
    assert [each.name for each in account.names] == names and not account.nameless
    assert {
        each.name: (len(each.places), count)
        for each in account.names
        if len(each.places) != (count := words(root, each.name))
    } == {}
    matches = Counter[int | None]()
    for file in plan.files:
        for edit in file.edits:
            matches[edit.op] += edit.matches
    for each in account.names:
        assert sum(each.counts.values()) == len(each.places)
    assert sum(each.counts.get("edited", 0) for each in account.names) == matches.total()
    totals = Counter[str]()
    for each in account.names:
        totals.update(each.counts)
    print(package, account.files, "files", totals.total(), "places", dict(totals))
