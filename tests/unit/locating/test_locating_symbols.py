"""Ten thousand names of real packages lead where the packages' own import system leads.

Python itself is asked in another process: it imports the modules of a package and says for
functions, classes and methods in which file and at which line they are defined.
"""

import json
import os
import random
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

import pytest

from astedit.locating.inventory.inventory import Inventory
from astedit.locating.symbols import nodes_of
from astedit.workspace.root import Workspace
from tests.support.cases import tree
from tests.support.located import find

_ASK = tree("symbols")["ask.py"]
FEW = ("click",)
MANY = ("click", "libcst", "hypothesis", "pytest", "_pytest", "mypy", "pip", "pygments", "pydantic",
        "rich", "mcp", "starlette", "anyio", "httpx", "ruamel.yaml", "tree_sitter")  # fmt: skip


def site() -> Path:
    import click

    return Path(click.__file__).parent.parent


def known(packages: tuple[str, ...]) -> dict[str, tuple[str, str]]:
    """Full names, with the file (relative to the site) and qualified name Python has them in."""
    told: dict[str, tuple[str, str]] = {}
    for package in packages:
        ask = f"import sys; sys.path.append({str(site())!r})\n" + _ASK
        command = [sys.executable, "-c", ask, package]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        told |= json.loads(done.stdout.splitlines()[-1])
    home = os.path.realpath(site())
    found = {}
    for name, (file, qualified) in told.items():
        real = os.path.realpath(file)
        if real.startswith(home + os.sep) and real.endswith(".py"):
            found[name] = (os.path.relpath(real, home), qualified)
    return found


def linked(tmp_path: Path, packages: tuple[str, ...]) -> Path:
    """A workspace with copies of the packages, as they are installed."""
    import shutil

    root = tmp_path / "site"
    root.mkdir()
    (root / "astedit.toml").write_text('roots = ["."]\n')
    for package in {one.partition(".")[0] for one in packages}:
        place = site() / package
        if place.is_dir():
            shutil.copytree(place, root / package, ignore=shutil.ignore_patterns("*.pyc", "*.so"))
        else:
            shutil.copy(site() / f"{package}.py", root)
    return root


def test_names_lead_where_python_leads(tmp_path: Path) -> None:
    names = known(FEW)
    with Workspace(linked(tmp_path, FEW)) as workspace:
        for name in random.Random(7).sample(sorted(names), 30):
            path, qualified = names[name]
            answer = find(workspace, name, "symbol")
            nodes = [answer.node] if answer.node else [one.node for one in answer.candidates]
            assert f"sym:{path}::{qualified}" in {node.id for node in nodes if node}, name


@pytest.mark.slow
@pytest.mark.timeout(1800)
def test_ten_thousand_names_lead_where_python_leads(tmp_path: Path) -> None:
    """Every file is read once here, with the code that answers one question."""
    present = tuple(one for one in MANY if (site() / one.partition(".")[0]).exists())
    names = known(present)
    chosen = random.Random(7).sample(sorted(names), min(10_000, len(names)))
    with Workspace(linked(tmp_path, present)) as workspace:
        inventory = Inventory(workspace)
        ids = defaultdict(set)
        for path, language, facts in inventory.look(None, "").files:
            for node in nodes_of(inventory, path, language, facts):
                ids[node.fqn].add(node.id)
    wrong = [name for name in chosen if f"sym:{names[name][0]}::{names[name][1]}" not in ids[name]]
    assert wrong == []
    assert len(chosen) == 10_000
