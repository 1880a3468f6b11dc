"""A server that is asked more than it can do says so, and keeps within its memory."""

import asyncio
import os
import re
from collections import Counter
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from astedit.mcp.server import MOST, MOST_CHARACTERS, Admission, BusyError
from tests.support.agent import Agent, Workspace
from tests.support.faults.mutate import replace

pytestmark = pytest.mark.timeout(900)
CALLS, LARGE = 3_000, 256 << 10
MEMORY = 512 << 20  # of the server: its arguments were 750 MiB, were they all kept


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    return Workspace(tmp_path).write("a.py", "f(1)\n")


async def flood(agent: Agent, count: int, size: int) -> Counter[str | None]:
    """Calls at once, of which each brings so much; how many had which code."""
    op = {"pat": "f($A)", "out": "g" * size}
    calls = (agent.call("ast_edit", ops=[op]) for _ in range(count))
    return Counter(said.code for said in await asyncio.gather(*calls))


async def test_calls_beyond_what_is_taken_on_are_told_so_at_once(workspace: Workspace) -> None:
    async with workspace.near() as agent:
        assert await flood(agent, 3 * MOST, 10) == {None: MOST, "busy": 2 * MOST}
        assert len(await agent.pending()) == MOST
        assert await flood(agent, 1, 10) == {None: 1}  # it is over


async def test_what_a_busy_server_says(workspace: Workspace) -> None:
    async with workspace.near() as agent:
        calls = (agent.call("ast_grep", pat="f($A)") for _ in range(MOST + 1))
        said = [one for one in await asyncio.gather(*calls) if one.is_error]
        assert len(said) == 1 and said[0].code == "busy"
        assert f"{MOST} calls are under way or waiting" in said[0].text
        assert "Call again when some of your calls have been answered" in said[0].text


def test_large_calls_are_fewer_and_one_is_always_taken_on() -> None:
    admission = Admission()
    with admission.of({"pat": "x" * (2 * MOST_CHARACTERS)}), pytest.raises(BusyError):
        admission.of({}).__enter__()
    half = [["y" * (MOST_CHARACTERS // 2)]]
    with admission.of(half), pytest.raises(BusyError), admission.of(half):
        pass
    with admission.of({"a": [1, None, {"b": "c"}]}):
        pass


@pytest.mark.slow
def test_without_the_question_all_are_taken_on(monkeypatch: pytest.MonkeyPatch) -> None:
    function: Any = Admission.of
    replace(monkeypatch, function.__wrapped__, "and self._calls:", "and False:")
    admission = Admission()
    with ExitStack() as calls:
        for _ in range(2 * MOST):
            calls.enter_context(admission.of({"pat": "x" * MOST_CHARACTERS}))


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="memory is read from /proc")
async def test_three_thousand_large_calls_at_once(workspace: Workspace) -> None:
    async with workspace.agent(real=True) as agent:
        codes = await flood(agent, CALLS, LARGE)
        peak = max(_peak(pid) for pid in _servers(workspace))
        print(f"{dict(codes)}, at most {peak >> 20} MiB")
        assert sum(codes.values()) == CALLS and codes["busy"] > 0
        assert peak < MEMORY
        assert (await agent.call("ast_grep", pat="f($A)")).code is None


def _servers(workspace: Workspace) -> list[int]:
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdecimal() and int(entry.name) != os.getpid():
            try:
                words = (entry / "cmdline").read_bytes().split(b"\0")
            except OSError:
                continue
            if b"mcp" in words and str(workspace.root).encode() in words:
                found.append(int(entry.name))
    return found


def _peak(pid: int) -> int:
    line = re.search(r"^VmHWM:\s+(\d+) kB", Path(f"/proc/{pid}/status").read_text(), re.MULTILINE)
    assert line is not None
    return int(line[1]) << 10
