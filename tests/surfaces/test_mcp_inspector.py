"""The protocol's own inspector, from npm, on its command line: another client than ours.

0.15.0 is the last version that runs on node 20. `ASTEDIT_INSPECTOR` names an installed one.
"""

import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.support.agent import Workspace

pytestmark = [pytest.mark.slow, pytest.mark.timeout(900)]
TOOLS = ["ast_edit", "ast_grep", "locate", "rename", "refactor", "pending", "resolve", "undo"]
PACKAGE = "@modelcontextprotocol/inspector@0.15.0"


@pytest.fixture(scope="module")
def inspector(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    if (given := os.environ.get("ASTEDIT_INSPECTOR")) is not None:
        return [given, "--cli"]
    if (npm := shutil.which("npm")) is None:
        pytest.skip("npm is not installed")
    place = tmp_path_factory.mktemp("inspector")
    install = [npm, "install", "--no-audit", "--no-fund", "--prefix", str(place), PACKAGE]
    done = subprocess.run(install, capture_output=True, text=True)
    if done.returncode:
        pytest.skip(f"npm: {done.stderr.strip()[-300:]}")
    return [str(place / "node_modules/.bin/mcp-inspector"), "--cli"]


class Inspector:
    """One request a run: every one is a connection and a server of its own."""

    def __init__(self, command: list[str], workspace: Workspace) -> None:
        self._command = command
        self._workspace = workspace

    def __call__(self, method: str, *more: str) -> Any:
        words = [*self._command, *self._workspace.command(), "--method", method, *more]
        env = self._workspace.environment()
        done = subprocess.run(words, capture_output=True, text=True, env=env, timeout=120)
        assert done.stdout.startswith("{"), done.stderr + done.stdout
        reply = json.loads(done.stdout)  # its second version ends with 5 where that is an error
        assert done.returncode == 0 or reply.get("isError"), done.stderr
        return reply

    def call(self, tool: str, **arguments: str) -> Any:
        given = [
            word for key, text in arguments.items() for word in ("--tool-arg", f"{key}={text}")
        ]
        return self("tools/call", "--tool-name", tool, *given)


def test_list_preview_stale_discard_and_apply(inspector: list[str], tmp_path: Path) -> None:
    workspace = Workspace(tmp_path).write("a.py", "f(1)\n")
    inspect = Inspector(inspector, workspace)
    tools = inspect("tools/list")["tools"]
    assert [tool["name"] for tool in tools] == TOOLS

    found = [preview(inspect) for _ in range(3)]
    assert workspace.read("a.py") == "f(1)\n"
    listed = inspect("resources/list")["resources"]
    assert [one["uri"] for one in listed] == [f"astedit://pending/{id}" for id in reversed(found)]

    dropped = inspect.call("resolve", action="discard", reason="no", target=found[0])
    assert dropped["content"][0]["text"].startswith("Discarded: ")
    workspace.write("a.py", "f(1)\nf(2)\n")
    stale = inspect.call("resolve", action="apply", reason="yes", target=found[1])
    assert stale["isError"] and stale["_meta"]["astedit/code"] == "stale"
    workspace.write("a.py", "f(1)\n")
    done = inspect.call("resolve", action="apply", reason="yes", target=found[2])
    named, applied = done["content"][0]["text"].splitlines()[:2]
    assert named == f"f($A) → g($A), 1 replacement in 1 file ({found[2]})"
    assert applied == f"Applied {found[2]}: 1 replacement in 1 file."
    assert workspace.read("a.py") == "g(1)\n"
    undone = inspect.call("undo", target=found[2])["_meta"]["astedit/actionId"]
    back = inspect.call("resolve", action="apply", reason="yes", target=undone)
    assert not back.get("isError") and workspace.read("a.py") == "f(1)\n"


def preview(inspect: Inspector) -> str:
    ops = '[{"pat": "f($A)", "out": "g($A)"}]'
    return str(inspect.call("ast_edit", ops=ops)["_meta"]["astedit/actionId"])
