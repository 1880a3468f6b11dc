"""One more framework costs one file, and one word in the table."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import astedit
from astedit.locating.frameworks import table
from tests.support.cases import tree

PACKAGES = Path(astedit.__file__).parent.parent
HERE = "astedit/locating/frameworks"
TEXTS = tree("new-framework")
BOTTLE = TEXTS["bottle.py"]
PROGRAM = TEXTS["program.py"]


def located(packages: Path, root: Path, path: str) -> object:
    """The answer of the package below `packages`, and nothing else of this one."""
    done = subprocess.run(
        [sys.executable, "-m", "astedit", "locate", path, "--json", "--root", str(root)],
        env={**os.environ, "PYTHONPATH": str(packages), "XDG_STATE_HOME": str(root.parent)},
        cwd=root,  # which `-m` puts before all other packages
        capture_output=True,
        check=False,
    )
    answer = json.loads(done.stdout)
    return (answer["node"] or {}).get("id") if answer["status"] != "many" else answer


def test_a_framework_is_one_file_and_one_word(tmp_path: Path) -> None:
    for name in ("astedit", "resolve"):
        ignored = shutil.ignore_patterns("__pycache__")
        shutil.copytree(PACKAGES / name, tmp_path / "copy" / name, ignore=ignored)
    (tmp_path / "shop").mkdir()
    (tmp_path / "shop" / "web.py").write_text(PROGRAM)
    asked = (tmp_path / "copy", tmp_path / "shop")
    assert located(*asked, "POST /hello/<name>") is None
    frameworks = tmp_path / "copy" / HERE
    (frameworks / "bottle.py").write_text(BOTTLE)
    text = (frameworks / "table.py").read_text()
    (frameworks / "table.py").write_text(text.replace("flask ", "flask bottle ", 1))
    assert located(*asked, "POST /hello/<name>") == "route:web.py::hello::POST /hello/<name>"
    assert located(*asked, "/bye") == "route:web.py::bye::GET /bye"


def test_every_framework_is_in_the_table() -> None:
    files = {path.stem for path in (PACKAGES / HERE).glob("*.py")}
    assert {
        name for name in files if "FRAMEWORK = " in (PACKAGES / HERE / f"{name}.py").read_text()
    } == {name for _, names in table._TABLE.values() for name in names.split()}


@pytest.mark.parametrize("language", ["python", "javascript", "java"])
def test_every_framework_has_a_name_and_a_mark(language: str) -> None:
    kinds = table.frameworks(language)
    assert len({kind.name for kind in kinds}) == len(kinds)
    assert all(kind.name and (kind.route_marks or kind.client_marks) for kind in kinds)
