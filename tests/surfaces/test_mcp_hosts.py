"""Hosts as they are: one hands its model the text of a reply alone, another the structure alone.

Either must be able to preview, read, apply, meet an error and go on, and undo.
"""

import re
from pathlib import Path
from typing import Any, Literal

import pytest
from mcp import Client

from tests.support.agent import MOSTLY, RENAME, Workspace
from tests.support.tokens import count

pytestmark = pytest.mark.timeout(180)
Kept = Literal["text", "structured"]


class Model:
    """What a model knows of a reply in a host that keeps only one part of it."""

    def __init__(self, client: Client, kept: Kept) -> None:
        self._client = client
        self._kept = kept

    async def call(self, tool: str, **arguments: Any) -> str:
        result: Any = await self._client.call_tool(tool, arguments)
        if self._kept == "text":
            assert result.structured_content is None
            return str("".join(block.text for block in result.content))
        return str(result.structured_content["text"])


@pytest.mark.parametrize("kept", ["text", pytest.param("structured", marks=pytest.mark.slow)])
@pytest.mark.parametrize("mode", MOSTLY)
async def test_a_model_finds_its_way_with_what_its_host_keeps(
    tmp_path: Path, mode: str, kept: Kept
) -> None:
    workspace = Workspace(tmp_path)
    for index in range(60):
        workspace.write(f"package/module_{index}.py", "f(1)\n" * 20)
    before = workspace.files()
    async with workspace.agent("--reply", kept, mode=mode) as agent:
        model = Model(agent.client, kept)
        preview = await model.call("ast_edit", **RENAME)
        assert "1,200 replacements in 60 files" in preview and "|+g(1)" in preview
        (staged,) = re.findall(r"^Staged as (\w+):", preview)
        workspace.write("package/module_7.py", "f(2)\n")
        refused = await model.call("resolve", action="apply", reason="t", target=staged)
        assert refused.startswith("error (stale)") and "package/module_7.py" in refused
        assert '{"refresh": true}' in refused
        workspace.write("package/module_7.py", "f(1)\n" * 20)
        done = await model.call("resolve", action="apply", reason="t", target=staged)
        assert done.endswith(f"Applied {staged}: 1,200 replacements in 60 files.\n")
        undone = await model.call("undo", target=staged)
        (back,) = re.findall(r"^Staged as (\w+):", undone)
        await model.call("resolve", action="apply", reason="t", target=back)
        for text in (preview, refused, done, undone):
            assert count(text) < 4_000
    assert workspace.files() == before


async def test_structured_replies_name_what_they_left_out_and_where_it_is(tmp_path: Path) -> None:
    workspace = Workspace(tmp_path)
    for index in range(60):
        workspace.write(f"m{index}.py", "f(1)\n" * 20)
    async with workspace.near("structured") as agent:
        said = await agent.call("ast_edit", **RENAME)
        assert said.structure is not None
        view = said.structure
        assert len(view["files"]) + view["left_out"]["files"] == 60
        assert view["actionId"] == said.action_id and view["fingerprint"] == said.fingerprint
        assert (await agent.client.read_resource(view["resource"])).contents
        assert said.text == view["text"].splitlines()[0]
        wrong = await agent.call("ast_edit")
        assert wrong.structure is not None and wrong.is_error
        assert wrong.text == wrong.structure["text"]
        assert wrong.structure["error"]["code"] == wrong.code == "invalid_arguments"
