"""`astedit lsp` in a real editor: Neovim, headless, with keystrokes."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support import REPOSITORY
from tests.support.project import Project

pytestmark = pytest.mark.skipif(shutil.which("nvim") is None, reason="Neovim is not installed")
KEYS = """
local function wait(done) vim.wait(60000, done, 20) end
local function keys(typed)
  vim.api.nvim_feedkeys(vim.api.nvim_replace_termcodes(typed, true, false, true), 'xt', false)
end
local function shown(count)
  wait(function() return #vim.diagnostic.get(0) == count end)
  local columns = {}
  for _, one in ipairs(vim.diagnostic.get(0)) do table.insert(columns, { one.lnum, one.col }) end
  return columns
end
wait(function()
  for _, one in pairs(vim.lsp.buf_get_clients(0)) do if one.initialized then return true end end
end)
keys('oprint(42)<Esc>')
local first = shown(1)
keys('Oy = "é😀"; print(7)<Esc>')
local second = shown(2)
local params = vim.lsp.util.make_range_params()
params.context = { diagnostics = {} }
for _, answer in pairs(vim.lsp.buf_request_sync(0, 'textDocument/codeAction', params, 60000)) do
  for _, action in ipairs(answer.result) do
    if vim.startswith(action.title, 'Fix: ') then
      vim.lsp.util.apply_workspace_edit(action.edit, 'utf-16')
    end
  end
end
local last = shown(1)
local lines = vim.api.nvim_buf_get_lines(0, 0, -1, false)
local file = io.open('told.json', 'w')
file:write(vim.json.encode({ first = first, second = second, last = last, lines = lines }))
file:close()
vim.cmd('qa!')
"""


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
