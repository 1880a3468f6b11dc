"""`astedit lsp` in a real editor: Neovim, headless, with keystrokes."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support import REPOSITORY
from tests.support.cases import tree
from tests.support.project import Project

pytestmark = pytest.mark.skipif(shutil.which("nvim") is None, reason="Neovim is not installed")
KEYS = tree("neovim")["keys.lua"]


def test_diagnostics_follow_keystrokes_and_a_fix_is_applied(
    project: Project, tmp_path: Path
) -> None:
    project.put("sgconfig.yml", "ruleDirs: [rules]\n")
    rule = "id: r\nlanguage: python\nrule: {pattern: print($A)}\nfix: log($A)\n"
    project.put("rules/r.yml", rule)
    project.put("a.py", "x = 1\n")
    project.put("keys.lua", KEYS)
    settings = str(REPOSITORY / "editors/neovim.lua")
    command = ["nvim", "--headless", "-n", "-u", settings, "a.py", "-c", "luafile keys.lua"]
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    env = os.environ | {"PATH": path, "HOME": str(tmp_path), "XDG_STATE_HOME": str(tmp_path)}
    subprocess.run(command, cwd=project.root, env=env, timeout=300, check=True)
    told = json.loads(project.read("told.json"))
    assert told["first"] == [[1, 0]]
    assert sorted(told["second"]) == [[1, 14], [2, 0]]
    assert told["lines"] == ["x = 1", 'y = "é😀"; log(7)', "print(42)"]
    assert told["last"] == [[2, 0]]
    assert project.read("a.py") == "x = 1\n"
