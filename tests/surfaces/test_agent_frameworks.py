"""The recipes of docs/agents.md with the frameworks themselves, and models that follow a script.

A framework that is not installed is skipped: `pip install anthropic openai openai-agents
langchain claude-agent-sdk` brings all five.
"""

import asyncio
import json
import re
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

import astedit
from tests.support import REPOSITORY
from tests.support.agent import RENAME, Workspace

pytestmark = pytest.mark.slow
PREVIEW = {**RENAME}


def recipe(name: str) -> str:
    """The function of this name in the page, without what follows it."""
    text = (REPOSITORY / "docs/agents.md").read_text()
    (code,) = (each for each in re.findall(r"```python\n(.*?)```", text, re.S) if name in each)
    assert len([line for line in code.splitlines() if line]) <= 10
    return str(code).partition("\n\n")[0]


def apply(text: str) -> dict[str, str]:
    """What the script of the model answers to a preview."""
    return {"action": "apply", "reason": "as asked", "target": text.split()[2].rstrip(":")}


@pytest.fixture
def place(tmp_path: Path) -> Workspace:
    return Workspace(tmp_path).write("a.py", "f(1)\n")


class Provider(BaseHTTPRequestHandler):
    """Stands for a provider: its first answer previews, its second applies, its third ends."""

    def log_message(self, *_: Any) -> None:
        pass

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["content-length"])))
        turn = sum(message["role"] == "assistant" for message in asked["messages"])
        last = asked["messages"][-1]
        if self.path.endswith("/chat/completions"):
            answer = self.openai(turn, last)
        else:
            answer = self.anthropic(turn, last)
        data = json.dumps(answer).encode()
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def anthropic(self, turn: int, last: Any) -> dict[str, Any]:
        content = [] if turn == 0 else last["content"]
        if turn == 0:
            calls = [("1", "ast_edit", PREVIEW), ("2", "no_such_tool", {})]
        elif turn == 1:
            assert [result["is_error"] for result in content] == [False, True]
            calls = [("3", "resolve", apply(content[0]["content"]))]
        else:
            calls = []
        blocks = [{"type": "tool_use", "id": i, "name": n, "input": v} for i, n, v in calls]
        spoken = [{"type": "text", "text": content[0]["content"]}] if turn == 2 else []
        head = {"id": "m", "type": "message", "role": "assistant", "model": "m"}
        usage = {"input_tokens": 1, "output_tokens": 1}
        return head | {"content": blocks + spoken, "stop_reason": "end_turn", "usage": usage}

    def openai(self, turn: int, last: Any) -> dict[str, Any]:
        if turn == 0:
            calls = [("1", "no_such_tool", '{"a'), ("2", "ast_edit", json.dumps(PREVIEW))]
        else:
            calls = [("3", "resolve", json.dumps(apply(last["content"])))] if turn == 1 else []
        made = [
            {"id": i, "type": "function", "function": {"name": n, "arguments": v}}
            for i, n, v in calls
        ]
        message = {"role": "assistant", "content": None if made else last["content"]}
        message |= {"tool_calls": made} if made else {}
        choice = {"index": 0, "finish_reason": "stop", "message": message}
        head = {"id": "c", "object": "chat.completion", "created": 1, "model": "m"}
        return head | {"choices": [choice]}


@pytest.mark.parametrize("name", ["anthropic", "openai"])
def test_a_plain_loop(name: str, place: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    package = pytest.importorskip(name)
    with ThreadingHTTPServer(("127.0.0.1", 0), Provider) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        url = f"http://127.0.0.1:{server.server_port}"
        path = {"anthropic": "", "openai": "/v1"}[name]
        monkeypatch.setenv(f"{name.upper()}_BASE_URL", url + path)
        monkeypatch.setenv(f"{name.upper()}_API_KEY", "none")
        monkeypatch.setenv("ASTEDIT_STATE_DIR", str(place.state))
        known = {"astedit": astedit, name: package, "root": place.root, "MODEL": "m"}
        exec(recipe(f"{name}."), known)
        server.shutdown()
    assert place.read("a.py") == "g(1)\n"
    assert "1 replacement in 1 file" in json.dumps(known["said"], default=str)


@pytest.fixture
def tools(place: Workspace) -> Iterator[astedit.Tools]:
    with (
        astedit.open(place.root, state_dir=place.state, session_id="s") as work,
        astedit.Tools(work) as made,
    ):
        yield made


def test_the_openai_agents_sdk(place: Workspace, tools: astedit.Tools) -> None:
    pytest.importorskip("agents.items")  # a folder of tests is called `agents`, too
    agents = pytest.importorskip("agents")
    from agents.items import ModelResponse
    from openai.types import responses

    agents.set_tracing_disabled(True)
    names: dict[str, Any] = {
        "asyncio": asyncio, "json": json, "FunctionTool": agents.FunctionTool
    }  # fmt: skip
    exec(recipe("def function_tools"), names)

    class Scripted(agents.Model):  # type: ignore[misc,name-defined]
        async def get_response(self, *_: Any, input: Any, **__: Any) -> Any:
            outputs = [one for one in input if one.get("type") == "function_call_output"]
            if len(outputs) < 2:
                name = "resolve" if outputs else "ast_edit"
                values = apply(outputs[0]["output"]) if outputs else PREVIEW
                said: Any = responses.ResponseFunctionToolCall(
                    type="function_call", call_id=name, name=name, arguments=json.dumps(values)
                )
            else:
                part = responses.ResponseOutputText(
                    type="output_text", text=outputs[1]["output"], annotations=[]
                )
                said = responses.ResponseOutputMessage(
                    id="m", type="message", role="assistant", status="completed", content=[part]
                )
            return ModelResponse(output=[said], usage=agents.Usage(), response_id=None)

        def stream_response(self, *_: Any, **__: Any) -> Any:
            raise NotImplementedError

    agent = agents.Agent("editor", model=Scripted(), tools=names["function_tools"](tools))
    done = asyncio.run(agents.Runner.run(agent, "Rename f"))
    assert "1 replacement in 1 file" in done.final_output
    assert place.read("a.py") == "g(1)\n"


def test_langchain(place: Workspace, tools: astedit.Tools) -> None:
    agents = pytest.importorskip("langchain.agents")
    from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
    from langchain_core.messages import AIMessage
    from langchain_core.outputs import ChatGeneration, ChatResult
    from langchain_core.tools import StructuredTool

    names: dict[str, Any] = {"StructuredTool": StructuredTool}
    exec(recipe("def structured_tools"), names)

    class Scripted(GenericFakeChatModel):  # type: ignore[misc]
        def bind_tools(self, tools: Any, **_: Any) -> Any:
            return self

        def _generate(self, messages: Any, *_: Any, **__: Any) -> Any:
            last, calls = messages[-1], []
            if last.type == "human":
                calls = [{"name": "ast_edit", "args": PREVIEW, "id": "1"}]
            elif last.name == "ast_edit":
                calls = [{"name": "resolve", "args": apply(last.content), "id": "2"}]
            message = AIMessage("" if calls else last.content, tool_calls=calls)
            return ChatResult(generations=[ChatGeneration(message=message)])

    agent = agents.create_agent(Scripted(messages=iter([])), names["structured_tools"](tools))
    done = agent.invoke({"messages": [("user", "Rename f")]})
    assert "1 replacement in 1 file" in done["messages"][-1].content
    assert place.read("a.py") == "g(1)\n"


def test_the_claude_agent_sdk(place: Workspace, tools: astedit.Tools) -> None:
    """Its model is a program of its own: the server that it would call is called instead."""
    sdk = pytest.importorskip("claude_agent_sdk")
    from mcp import Client

    names: dict[str, Any] = {"asyncio": asyncio, **vars(sdk)}
    exec(recipe("def sdk_server"), names)

    async def scripted() -> str:
        async with Client(names["sdk_server"](tools)["instance"]) as client:
            preview: Any = await client.call_tool("ast_edit", PREVIEW)
            done: Any = await client.call_tool("resolve", apply(preview.content[0].text))
            return str(done.content[0].text)

    assert "1 replacement in 1 file" in asyncio.run(scripted())
    assert place.read("a.py") == "g(1)\n"
