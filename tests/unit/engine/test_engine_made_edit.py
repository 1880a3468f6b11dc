"""An added import is an edit of its own, so that it is lost with no other one."""

from pathlib import Path

import pytest

import astedit
from tests.support.slowly import slow_after

CALLS = {"pat": "f($A)", "out": "g($A)"}
DOTTED = {"pat": "f($A)", "out": "m.f($A)"}  # adds at the place of the import


@slow_after(1, "head", ["import os\n", "", "'''About.'''\n"])
@slow_after(
    2,
    "op, added, line, kept",
    [
        (CALLS, "from m import g", 0, ["g(1)", "f(2)"]),
        (CALLS, "from m import g", 1, ["f(1)", "g(2)"]),
        (DOTTED, "import m", 0, ["m.f(1)", "f(2)"]),
        (DOTTED, "import m", 1, ["f(1)", "m.f(2)"]),
    ],
)
def test_an_import_comes_with_any_edit_that_needs_it(
    tmp_path: Path, head: str, op: dict[str, str], added: str, line: int, kept: list[str]
) -> None:
    root = tmp_path / "root"
    root.mkdir()
    (root / "a.py").write_text(f"{head}f(1)\nf(2)\n")
    work = astedit.open(root, state_dir=tmp_path / "state")
    plan = work.edit([op], add_import=added)
    plan.apply("r", only=[f"a.py:{head.count(chr(10)) + 1 + line}"])
    lines = (root / "a.py").read_text().splitlines()
    assert lines[-2:] == kept and added in lines


@slow_after(1, "head", ["from m import f, old\n", "from m import old, f\n", "from m import old\n"])
@pytest.mark.parametrize("added", ["a", "zz"])
def test_a_name_added_beside_one_that_is_renamed_comes_without_that(
    tmp_path: Path, head: str, added: str
) -> None:
    root = tmp_path / "root"
    root.mkdir()
    (root / "a.py").write_text(f"{head}old(1)\nk(2)\n")
    rename = {"pat": "old", "out": "new"}
    op = {"pat": "k($A)", "out": f"{added}($A)", "imports": {"add": [f"from m import {added}"]}}
    work = astedit.open(root, state_dir=tmp_path / "state")
    work.edit([rename, op]).apply("r", only=["a.py:3"])
    line, *calls = (root / "a.py").read_text().splitlines()
    assert calls == ["old(1)", f"{added}(2)"]
    names = line.removeprefix("from m import ").split(", ")
    assert sorted(names) == sorted([*head.split("import ")[1].strip().split(", "), added])
