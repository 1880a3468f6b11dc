"""The same for JavaScript and TypeScript, held against trees of acorn. Needs node and npm."""

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from benchmarks.packages import Unavailable
from tests.support.differential.corpora import CORPORA, packaged
from tests.support.meaning.trials import Trial, rewritten
from tests.support.patience import LAST

SCRIPT = Path(__file__).with_name("meaning.js")
MOST_BLOCKED = 0.02
FILES = 150


@pytest.fixture(scope="module")
def node(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the script, acorn and astring in it."""
    if shutil.which("node") is None or shutil.which("npm") is None:
        pytest.skip("node and npm are not installed")
    folder = tmp_path_factory.mktemp("node")
    command = ["npm", "install", "--silent", "acorn@8", "astring@1"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=LAST)
    if done.returncode:
        pytest.skip(f"npm cannot install acorn: {done.stderr[-200:]}")
    shutil.copy(SCRIPT, folder)
    return folder


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """Real code, a file each."""
    folder = tmp_path_factory.mktemp("code")
    paths = []
    for corpus in (one for one in CORPORA if one.language == "javascript"):
        try:
            taken = packaged(corpus)
        except Unavailable as error:
            pytest.skip(str(error))
        for place, file in enumerate(taken[:: max(1, len(taken) // FILES)]):
            path = folder / f"{corpus.package.name}-{place}.js"
            path.write_bytes(file.source)
            paths.append(path)
    return paths


def run(node: Path, *arguments: str, given: str | None = None) -> Any:
    command = ["node", SCRIPT.name, *arguments]
    done = subprocess.run(
        command, cwd=node, input=given, capture_output=True, text=True, check=True, timeout=LAST
    )
    return json.loads(done.stdout)


@pytest.mark.slow
@pytest.mark.parametrize("language", ["javascript", "typescript"])
@pytest.mark.parametrize("seed", [1, 2])
def test_edits_mean_what_their_template_says(
    node: Path, files: list[Path], language: str, seed: int
) -> None:
    trials = run(node, "make", str(seed), "2000", *map(str, files))
    for made in trials:
        tried = Trial(made["pattern"], made["out"], "".join(made["functions"]), [])
        made["after"] = rewritten(tried, language).text
    tally = run(node, "judge", given=json.dumps(trials))
    wrong, blocked = tally["wrong"], tally["blocked"]
    assert not wrong, f"{len(wrong)}\n" + "\n".join(wrong[:3])
    assert len(blocked) <= MOST_BLOCKED * 2000, "\n".join(blocked[:3])
    assert tally["right"] > 1000
