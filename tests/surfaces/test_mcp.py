"""The MCP server, driven end to end by the official client."""

import asyncio
import json
import os
import signal
import time
from contextlib import AsyncExitStack, closing
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp import Client
from mcp.shared.exceptions import MCPError

from tests.support.agent import ERAS, MOSTLY, RENAME, Workspace
from tests.support.faults.cli import need_strace
from tests.support.lists import rows
from tests.support.patience import LAST, until
from tests.support.project import Project
from tests.support.tokens import count

pytestmark = pytest.mark.timeout(180)
ROWS = rows(Path(__file__).with_suffix(".txt"))
TOOLS = ["ast_edit", "ast_grep", "locate", "rename", "refactor", "pending", "resolve", "undo"]


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    return Workspace(tmp_path).write("a.py", "f(1)\nx = 2\n").write("sub/b.py", "h(f(2))\n")


@pytest.mark.parametrize("mode", ERAS)
async def test_preview_read_and_apply(workspace: Workspace, mode: str) -> None:
    before = workspace.files()
    async with workspace.agent(mode=mode) as agent:
        assert [tool.name for tool in (await agent.client.list_tools()).tools] == TOOLS
        said = await agent.call("ast_edit", **RENAME)
        found = said.action_id
        notice = "files are NOT modified yet. Call resolve to apply or discard."
        assert said.lines[0] == f"Staged as {found}: {notice}"
        assert said.lines[1] == "2 replacements in 2 files (2 files searched)."
        assert "|-f(1)" in said.lines and "|+g(1)" in said.lines
        assert said.structure is None and len(str(said.fingerprint)) == 64
        assert said.counts == {"replacements": 2, "files": 2, "blocked": 0}
        assert workspace.files() == before
        done = await agent.resolve(target=found)
        label = f"f($$$A) → g($$$A), 2 replacements in 2 files ({found})"
        assert done.lines == [label, f"Applied {found}: 2 replacements in 2 files."]
        assert done.action_id == found
    assert workspace.read("a.py") == "g(1)\nx = 2\n"
    assert workspace.read("sub/b.py") == "h(g(2))\n"


async def test_resolve_is_listed_first_and_last_and_the_schemas_are_plain(
    workspace: Workspace,
) -> None:
    async with workspace.near() as agent:
        before = (await agent.client.list_tools()).tools
        await agent.preview()
        assert (await agent.client.list_tools()).tools == before
        assert "locate" in str(agent.client.instructions)
        marks = {tool.name: tool.annotations for tool in before}
        assert all(mark is not None for mark in marks.values())
        assert marks["resolve"].destructive_hint and not marks["resolve"].read_only_hint
        assert marks["ast_grep"].read_only_hint
        assert not any(tool.output_schema for tool in before)
        sent = [tool.model_dump(by_alias=True, exclude_none=True) for tool in before]
        assert count(json.dumps(sent, separators=(",", ":"), ensure_ascii=False)) < 2_900
        for tool in before:
            for schema in schemas(tool.input_schema):
                assert isinstance(schema["type"], str)
                assert not {"anyOf", "oneOf", "$ref"} & schema.keys()


def schemas(schema: dict[str, Any]) -> list[dict[str, Any]]:
    """A schema and all that are in it."""
    inner = [*schema.get("properties", {}).values(), *filter(None, [schema.get("items")])]
    return [schema, *(each for one in inner for each in schemas(one))]


@pytest.mark.parametrize("mode", MOSTLY)
async def test_a_rename_is_previewed_applied_and_undone(workspace: Workspace, mode: str) -> None:
    workspace.write("shop.py", "def total(): ...\n").write("use.py", "import shop\nshop.total()\n")
    before = workspace.files()
    async with workspace.agent(mode=mode) as agent:
        said = await agent.call("rename", identifier="shop.total", newName="amount")
        assert said.lines[0].startswith(f"Staged as {said.action_id}: files are NOT modified")
        assert "|+def amount(): ..." in said.lines and workspace.files() == before
        assert not (await agent.resolve(target=said.action_id)).is_error
        assert workspace.read("use.py") == "import shop\nshop.amount()\n"
        back = await agent.call("undo", target=said.action_id)
        assert back.lines[0].startswith(f"Staged as {back.action_id}: files are NOT modified")
        assert "|+def total(): ..." in back.lines
        assert workspace.read("use.py") == "import shop\nshop.amount()\n"
        assert "|+def total(): ..." in (await agent.call("pending", target=back.action_id)).lines
        assert not (await agent.resolve(target=back.action_id)).is_error
    assert workspace.files() == before


async def test_a_patch_is_previewed_and_applied_with_the_file_it_makes(
    workspace: Workspace,
) -> None:
    workspace.write("a.py", "x = 1\n")
    edit = "--- a/a.py\n+++ b/a.py\n@@ -1 +1 @@\n-x = {0}\n+x = 2\n"
    new = "--- /dev/null\n+++ b/new/c.py\n@@ -0,0 +1 @@\n+y = 2\n"
    async with workspace.near() as agent:
        wrong = await agent.call("ast_edit", patch=edit.format(7) + new)
        assert wrong.is_error and {"| x = 1"} == {at for at in wrong.lines if "x = 1" in at}
        both = await agent.call("ast_edit", patch=new, lang="python")
        assert both.is_error and "`lang` does not go with a patch" in both.lines[0]
        said = await agent.call("ast_edit", patch=edit.format(1) + new)
        assert {"|+x = 2", "|+y = 2"} <= set(said.lines)
        assert not (await agent.resolve(target=said.action_id)).is_error
    assert workspace.read("a.py") == "x = 2\n" and workspace.read("new/c.py") == "y = 2\n"


@pytest.mark.slow
async def test_the_rename_of_a_route_is_another_path(workspace: Workspace) -> None:
    text = (
        "from flask import Flask\napp = Flask(__name__)\n\n\n@app.get('/carts')\ndef carts(): ...\n"
    )
    workspace.write("shop.py", text)
    async with workspace.near() as agent:
        said = await agent.call("rename", identifier="GET /carts", newName="/baskets")
        assert "|+@app.get('/baskets')" in said.lines
        assert not (await agent.resolve(target=said.action_id)).is_error
    assert workspace.read("shop.py") == text.replace("/carts", "/baskets")


async def test_a_discarded_preview_changes_nothing(workspace: Workspace) -> None:
    before = workspace.files()
    async with workspace.near() as agent:
        found = await agent.preview()
        said = await agent.resolve("discard", target=found)
        assert said.lines == ["Discarded: ast_edit: 2 replacements in 2 files. Reason: tested"]
        again = await agent.resolve(target=found)
        assert (again.is_error, again.code) == (True, "already_resolved")
    assert workspace.files() == before


async def test_a_stale_plan_says_which_file_and_what_to_call(workspace: Workspace) -> None:
    async with workspace.near() as agent:
        found = await agent.preview()
        workspace.write("a.py", "f(1)\nx = 3\n")
        said = await agent.resolve(target=found)
        assert (said.is_error, said.code) == (True, "stale")
        assert "a.py: changed" in said.text and "refresh" in said.lines[-1]
        assert workspace.read("sub/b.py") == "h(f(2))\n"
        anew = await agent.resolve(target=found, extra={"refresh": True})
        assert anew.code == "superseded"
        (other,) = await agent.pending()
        assert other != found and other in anew.text
        assert not (await agent.resolve(target=other)).is_error
    assert workspace.read("a.py") == "g(1)\nx = 3\n"


async def test_the_rest_of_a_preview_is_a_resource_and_a_call_of_pending(
    workspace: Workspace,
) -> None:
    async with workspace.near() as agent:
        found = await agent.preview()
        listed = (await agent.client.list_resources()).resources
        assert [one.uri for one in listed] == [f"astedit://pending/{found}"]
        plan, diff = (await agent.client.read_resource(listed[0].uri)).contents
        assert f'"actionId": "{found}"' in plan.text
        assert diff.text.startswith("--- a/a.py\n+++ b/a.py\n@@ -1,2 +1,2 @@\n-f(1)\n")
        (page,) = (await agent.client.read_resource(f"ui://astedit/pending/{found}")).contents
        assert page.mime_type == "text/html;profile=mcp-app"
        assert "sub/b.py:1" in page.text and "<script" not in page.text
        said = await agent.call("pending", target=found, paths=["sub/**"])
        assert "|+h(g(2))" in said.lines and "|+g(1)" not in said.lines
        with pytest.raises(MCPError, match="no action"):
            await agent.client.read_resource("astedit://pending/a0000")


async def test_what_is_wrong_with_a_call_is_a_result_with_the_way_on(workspace: Workspace) -> None:
    async with workspace.near() as agent:
        for tool, arguments, code, named in ROWS["what is wrong with a call"]:
            said = await agent.call(tool, **arguments)
            assert said.is_error, said.text
            assert code is None or said.code == code
            assert named in said.text and "\nnext: " in said.text
            assert " -p " not in said.text and " --" not in said.text
        assert await agent.pending() == []
        with pytest.raises(MCPError, match="Unknown tool"):
            await agent.call("rm")


RULE = """\
id: calls-in-calls
language: python
rule:
  pattern: f($A)
  inside: {pattern: h($$$), stopBy: end}
"""


async def test_rules_preview_and_find_and_rewrite_only_with_a_fix(workspace: Workspace) -> None:
    async with workspace.near() as agent:
        found = await agent.call("ast_grep", rule=RULE)
        assert found.lines[0] == "1 match in 1 file (2 files searched)."
        bare = await agent.call("ast_edit", rules=RULE)
        assert bare.action_id is None
        assert "None of the rules has a fix: add one, or call ast_grep with `rule`." in bare.lines
        both = await agent.call("ast_edit", **RENAME, rules=RULE + "fix: k($A)\n")
        assert both.lines[2:4] == ["rule calls-in-calls: 0", "op 1: 2 of f($$$A) => g($$$A)"]
        said = await agent.call("ast_edit", rules=RULE + "fix: g($A)\n")
        assert "|+h(g(2))" in said.lines
        assert not (await agent.resolve(target=said.action_id)).is_error
    assert (workspace.read("a.py"), workspace.read("sub/b.py")) == ("f(1)\nx = 2\n", "h(g(2))\n")


async def test_a_pattern_that_matches_nothing_brings_the_diagnosis(workspace: Workspace) -> None:
    async with workspace.near() as agent:
        said = await agent.call("ast_edit", ops=[{"pat": "nowhere($A)", "out": "x"}])
        assert said.lines[0].startswith("Nothing matched and nothing was staged")
        assert "hint: No file of the 2 searched holds `nowhere`." in said.lines
        assert await agent.pending() == []


async def test_names_and_code_that_are_not_utf_8_do_not_break_the_connection(
    workspace: Workspace,
) -> None:
    place = os.fsencode(workspace.root)
    for name, content in ((b"bad\xff.py", b"f(1)\n"), (b"l.py", b"# coding: latin-1\nf('\xe9')\n")):
        with open(os.path.join(place, name), "wb") as file:
            file.write(content)
    async with workspace.agent(read_timeout_seconds=60) as agent:
        said = await agent.call("ast_edit", **RENAME)
        assert r"1 bad\udcff.py" in said.lines
        found = said.action_id
        _, diff = (await agent.client.read_resource(f"astedit://pending/{found}")).contents
        assert r"+g('\udce9')" in diff.text
        assert not (await agent.call("ast_grep", pat="f($A)")).is_error
        assert not (await agent.resolve(target=found)).is_error
    with open(os.path.join(place, b"l.py"), "rb") as file:
        assert file.read() == b"# coding: latin-1\ng('\xe9')\n"


@pytest.mark.parametrize(
    "number", [signal.SIGINT, pytest.param(signal.SIGTERM, marks=pytest.mark.slow)]
)
async def test_a_signal_ends_the_server_and_its_workers(workspace: Workspace, number: int) -> None:
    command = workspace.command()
    process = await asyncio.create_subprocess_exec(
        *command,
        env=workspace.environment(),
        stdin=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    assert process.stderr is not None
    assert (await process.stderr.readline()).startswith(b"root: ")
    process.send_signal(number)
    assert await asyncio.wait_for(process.wait(), LAST) in (130, -number)
    assert b"Traceback" not in await process.stderr.read()


async def test_locate_answers_one_many_and_none(workspace: Workspace) -> None:
    workspace.write("shop.py", "class Cart:\n    def total(self): ...\n\ndef total(): ...\n")
    async with workspace.near() as agent:
        one = await agent.call("locate", identifier="shop.Cart.total", hintKind="symbol")
        assert one.counts == {"nodes": 1}
        assert one.lines[0] == "shop.py:2: method shop.Cart.total"
        within = await agent.call(
            "ast_grep", pat="self", within=one.lines[1].removeprefix("  id: ")
        )
        assert within.lines[0].startswith("1 match in 1 file")
        assert (await agent.call("locate", identifier="total")).counts == {"nodes": 2}
        none = await agent.call("locate", identifier="nowhere")
        assert (none.counts, none.is_error) == ({"nodes": 0}, False)
        assert (await agent.call("locate", identifier="")).is_error


@pytest.mark.parametrize("mode", MOSTLY)
async def test_a_cancelled_call_stops_and_stages_nothing(tmp_path: Path, mode: str) -> None:
    workspace = Workspace(tmp_path)
    text = "f(1)\n" * 20_000
    for index in range(60):
        workspace.write(f"m{index}.py", text)
    seen: list[float] = []

    async def progress(done: float, total: float | None, message: str | None) -> None:
        seen.append(done)

    async with workspace.agent("--policy", "agent", mode=mode) as agent:
        with anyio.CancelScope() as scope:
            async with asyncio.TaskGroup() as tasks:
                tasks.create_task(
                    agent.client.call_tool("ast_edit", RENAME, progress_callback=progress)
                )
                while not seen:  # it has begun: the rest of the server still answers
                    await asyncio.wait_for(agent.pending(), LAST)
                scope.cancel()
        # it waits until the engine is free again
        await asyncio.wait_for(agent.call("ast_grep", pat="no($A)", paths=["m0.py"]), LAST)
        assert await agent.pending() == []
    assert seen[0] < 60


@pytest.mark.parametrize("mode", MOSTLY)
async def test_an_apply_reports_progress_to_who_asks_for_it(
    workspace: Workspace, mode: str
) -> None:
    seen: list[tuple[float, float | None, str | None]] = []

    async def progress(done: float, total: float | None, message: str | None) -> None:
        seen.append((done, total, message))

    async with workspace.near(mode=mode) as agent:
        given = {"action": "apply", "reason": "t", "target": await agent.preview()}
        await agent.client.call_tool("resolve", given, progress_callback=progress)
    assert seen[-1] == (4, 4, "4 of 4 files")  # two looked at again, two written


@pytest.mark.parametrize("mode", MOSTLY)
async def test_a_call_that_was_cancelled_when_it_had_staged_is_withdrawn(
    workspace: Workspace, mode: str
) -> None:
    """The last moment: the plan is on disk, and the client does not want it any more."""
    from astedit.agents.calls import Calls, ToolCall
    from astedit.mcp.server import make
    from astedit.staging.open_workspace import OpenWorkspace

    class Slow(Calls):
        """Answers only when nobody waits for it."""

        def __call__(self, name: str, given: Any, call: ToolCall) -> Any:
            answer = super().__call__(name, given, call)
            while name == "ast_edit" and not call.signal.aborted:
                time.sleep(0.01)
            return answer

    with closing(Slow(OpenWorkspace(str(workspace.root), str(workspace.state)))) as calls:
        async with Client(make(calls), mode=mode) as client:
            with anyio.CancelScope() as scope:
                async with asyncio.TaskGroup() as tasks:
                    tasks.create_task(client.call_tool("ast_edit", RENAME))
                    while not calls.actions():
                        await asyncio.sleep(0.05)
                    scope.cancel()
            await asyncio.to_thread(until, lambda: not calls.actions())


@pytest.mark.parametrize("mode", MOSTLY)
async def test_policy_human_names_the_command_and_waits_for_a_person(
    workspace: Workspace, mode: str
) -> None:
    async with workspace.agent("--policy", "human", mode=mode) as agent:
        found = await agent.preview()
        said = await agent.resolve(target=found)
        assert (said.is_error, said.code) == (True, "approval_missing")
        place = f"--root {workspace.root} --state-dir {workspace.state}"
        assert f"astedit approve {found} {place}. Then call resolve again." in said.text
        assert workspace.read("a.py") == "f(1)\nx = 2\n"
        approve(workspace, found)
        assert not (await agent.resolve(target=found)).is_error
    assert workspace.read("a.py") == "g(1)\nx = 2\n"


def approve(workspace: Workspace, found: str) -> None:
    """What `astedit approve` records when a person has answered."""
    from astedit.staging import approval
    from astedit.staging.open_workspace import OpenWorkspace

    with OpenWorkspace(str(workspace.root), str(workspace.state)).session() as session:
        action = session.store.find(found)
        approval.approve(action, approval.decided(action, session).fingerprint, session)


@pytest.mark.parametrize("mode", MOSTLY)
@pytest.mark.parametrize("person", [True, False])
async def test_a_client_that_can_ask_is_asked_and_its_word_is_no_approval(
    workspace: Workspace, mode: str, person: bool
) -> None:
    from mcp_types import ElicitResult

    asked: list[str] = []

    async def elicit(context: object, params: Any) -> ElicitResult:
        asked.append(params.message)
        if person:
            approve(workspace, asked[0].partition("astedit approve ")[2].split()[0])
        return ElicitResult(action="accept", content={})

    workspace.write("astedit.toml", 'policy = "human"')
    async with workspace.near(mode=mode, elicitation_callback=elicit) as agent:
        said = await agent.resolve(target=await agent.preview())
        assert len(asked) == 1
        assert said.is_error is not person
        assert said.code == (None if person else "approval_missing")
    assert (workspace.read("a.py") == "g(1)\nx = 2\n") is person


@pytest.mark.slow
async def test_a_server_killed_between_two_files_is_finished_by_the_next(
    workspace: Workspace,
) -> None:
    need_strace()
    trace = ("-o", "/dev/null", "-e", "inject=renameat2:signal=KILL:when=2")
    async with workspace.agent(trace=trace) as agent:
        found = await agent.preview()
        with pytest.raises(MCPError):
            await agent.resolve(target=found)
    assert sorted([workspace.read("a.py")[0], workspace.read("sub/b.py")[2]]) == ["f", "g"]
    async with workspace.agent() as agent:
        assert await agent.pending() == []
        assert workspace.read("a.py")[0] == workspace.read("sub/b.py")[2] == "g"
        again = await agent.resolve(target=found)
        assert (again.code, again.is_error) == ("already_resolved", True)


@pytest.mark.slow
async def test_what_was_staged_survives_the_server(workspace: Workspace) -> None:
    async with workspace.agent() as agent:
        found = await agent.preview()
    async with workspace.agent() as agent:
        assert await agent.pending() == [found]
        assert not (await agent.resolve(target=found)).is_error


@pytest.mark.slow
async def test_three_agents_never_apply_a_stale_or_a_foreign_plan(workspace: Workspace) -> None:
    async with AsyncExitStack() as stack:
        one, two, three = [await stack.enter_async_context(workspace.agent()) for _ in range(3)]
        first, second = await one.preview(), await two.preview()
        unnamed = [await agent.resolve() for agent in (one, two, three)]
        assert {said.code for said in unnamed} == {"invalid_arguments"}
        assert workspace.read("a.py") == "f(1)\nx = 2\n"
        both = (one.resolve(target=first), two.resolve(target=second))
        ends = await asyncio.gather(*both)  # at once
        assert sorted(end.is_error for end in ends) == [False, True]
        (told,) = [end for end in ends if end.is_error]
        (done,) = [end for end in ends if not end.is_error]
        assert told.code == "stale" and "\n  a.py: " in told.text
        winner = first if done is ends[0] else second
        assert done.action_id == winner
        late = await three.resolve(target=winner)
        assert late.code == "already_resolved" and "already applied by agent at" in late.text
    assert workspace.read("a.py") == "g(1)\nx = 2\n"


async def test_matches_in_protected_files_are_blocked_and_a_person_s_command_is_named(
    workspace: Workspace,
) -> None:
    workspace.write("sitecustomize.py", "f(3)\n")
    async with workspace.near() as agent:
        said = await agent.call("ast_edit", **RENAME)
        assert said.counts["blocked"] == 1
        command = "astedit edit -p PAT -r OUT --allow-protected"
        assert any("sitecustomize.py" in line and command in line for line in said.lines)
        assert not (await agent.resolve(target=said.action_id)).is_error
    assert workspace.read("sitecustomize.py") == "f(3)\n"


def test_with_its_flag_a_person_includes_protected_files(project: Project) -> None:
    """The command that the hint names."""
    project.put("sitecustomize.py", "f(3)\n")
    words = ["edit", "-p", "f($A)", "-r", "g($A)", "--allow-protected", "--apply", "--reason", "t"]
    assert project(*words).code == 0
    assert project.read("sitecustomize.py") == "g(3)\n"
