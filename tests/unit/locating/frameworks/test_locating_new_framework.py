"""One more framework costs one row."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

import astedit
from astedit.locating.frameworks import javascript, python
from tests.support.cases import tree

PACKAGES = Path(astedit.__file__).parent.parent
HERE = "astedit/locating/frameworks/python.py"
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


def test_a_framework_is_one_row(tmp_path: Path) -> None:
    for name in ("astedit", "resolve"):
        ignored = shutil.ignore_patterns("__pycache__")
        shutil.copytree(PACKAGES / name, tmp_path / "copy" / name, ignore=ignored)
    (tmp_path / "shop").mkdir()
    (tmp_path / "shop" / "web.py").write_text(PROGRAM)
    asked = (tmp_path / "copy", tmp_path / "shop")
    assert located(*asked, "POST /hello/<name>") is None
    module = tmp_path / "copy" / HERE
    text = module.read_text()
    module.write_text(text.replace("FRAMEWORKS = (", f"{BOTTLE}\n\nFRAMEWORKS = (BOTTLE,", 1))
    assert located(*asked, "POST /hello/<name>") == "route:web.py::hello::POST /hello/<name>"
    assert located(*asked, "/bye") == "route:web.py::bye::GET /bye"


@pytest.mark.parametrize("module", [python, javascript])
def test_every_framework_has_a_name_and_a_mark(module: ModuleType) -> None:
    kinds = module.FRAMEWORKS
    assert len({kind.name for kind in kinds}) == len(kinds)
    assert all(kind.name and kind.route_marks for kind in kinds)
