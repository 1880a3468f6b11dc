"""The server over HTTP: who is let in, over raw sockets; what works, with the official client."""

import asyncio
import itertools
import json
import os
import re
import socket
import stat
from contextlib import suppress
from pathlib import Path
from typing import Any

import anyio
import pytest

from astedit.errors import AstEditError
from astedit.loopback import MOST, listen
from astedit.mcp import http
from astedit.mcp.http import token
from tests.support.agent import MOSTLY, RENAME, Workspace, run
from tests.support.lists import rows
from tests.support.patience import LAST
from tests.support.served import TOKEN, Served, client, serving

ROWS = rows(Path(__file__).with_suffix(".txt"))

pytestmark = pytest.mark.timeout(180)
HELLO = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "raw", "version": "1"},
    },
}


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    return Workspace(tmp_path).write("a.py", "f(1)\n").write("b.py", "h(f(2))\n")


def test_every_wrong_cell_of_the_matrix_is_refused_and_stages_nothing(workspace: Workspace) -> None:
    body = json.dumps(HELLO).encode()
    with serving(workspace) as served:
        here = f"127.0.0.1:{served.port}"
        hosts = {
            "right": [here],
            "missing": [],
            "no port": ["127.0.0.1"],
            "another port": [f"127.0.0.1:{served.port + 1}"],
            "prefix": [f"{here}.example.org"],
            "name": [f"localhost:{served.port}"],
            "twice": [here, here],
        }
        origins = {
            "right": [f"http://{here}"],
            "none": [],
            "null": ["null"],
            "other": ["http://example.org"],
            "prefix": [f"http://{here}.example.org"],
            "https": [f"https://{here}"],
        }
        tokens = {
            "right": [f"Bearer {TOKEN}"],
            "missing": [],
            "wrong": [f"Bearer {TOKEN[:-1]}x"],
            "beginning": [f"Bearer {TOKEN[:8]}"],
            "longer": [f"Bearer {TOKEN}x"],
            "basic": [f"Basic {TOKEN}"],
            "twice": [f"Bearer {TOKEN}", f"Bearer {TOKEN}"],
        }
        contents = {"right": ["application/json"], "text": ["text/plain"], "none": []}
        allowed = 0
        for host, origin, word, content in itertools.product(hosts, origins, tokens, contents):
            wrong = (host != "right") + (origin not in ("right", "none"))
            wrong += (word != "right") + (content != "right")
            if wrong > 1 and (hash((host, origin, word, content)) % 8):
                continue  # of the cells with several faults a part
            headers = [("accept", "application/json, text/event-stream")]
            headers += [("host", each) for each in hosts[host]]
            headers += [("origin", each) for each in origins[origin]]
            headers += [("authorization", each) for each in tokens[word]]
            headers += [("content-type", each) for each in contents[content]]
            status = served.raw("POST", "/mcp", headers, body)
            assert (status == 200) is (wrong == 0), (host, origin, word, content, status)
            allowed += status == 200
        assert allowed == 2
        right = [("host", here), ("authorization", f"Bearer {TOKEN}")]
        for method in ("OPTIONS", "PUT", "TRACE", "HEAD"):
            assert served.raw(method, "/mcp", right, b"") >= 400
        assert served.raw("POST", "/other", right, body) == 404
        assert served.raw("POST", "/mcp", right, b"x" * (http.BODY + 1)) == 413
    assert not (workspace.state / "state.db").exists()


@pytest.mark.parametrize("mode", MOSTLY)
def test_clients_preview_apply_and_undo_and_see_whose_previews_are_theirs(
    workspace: Workspace, mode: str
) -> None:
    async def story(served: Served) -> None:
        before = workspace.files()
        async with client(served, mode, "one") as one, client(served, mode, "two") as two:
            staged = await one.preview()
            assert "(yours)" in (await one.call("pending")).text
            assert "(of another session)" in (await two.call("pending")).text
            done = await one.resolve(target=staged)
            assert done.lines[-1] == f"Applied {staged}: 2 replacements in 2 files."
            back = await two.call("undo", target=staged)
            assert not (await two.resolve(target=back.action_id)).is_error
            assert workspace.files() == before
            await two.preview()

    with serving(workspace) as served:
        run(lambda: story(served))


@pytest.mark.parametrize("mode", MOSTLY)
@pytest.mark.slow
def test_after_a_restart_a_client_finds_its_own_previews(workspace: Workspace, mode: str) -> None:
    async def stage(served: Served) -> None:
        async with client(served, mode, "one") as agent:
            await agent.preview()

    async def again(served: Served) -> None:
        async with client(served, mode, "one") as agent:
            assert "(yours, from an earlier connection)" in (await agent.call("pending")).text
        async with client(served, mode, "two") as agent:
            assert "(of another session)" in (await agent.call("pending")).text

    with serving(workspace) as served:
        run(lambda: stage(served))
    with serving(workspace) as served:
        run(lambda: again(served))


@pytest.mark.slow
def test_a_dropped_connection_ends_its_preview_and_keeps_what_is_staged(
    workspace: Workspace,
) -> None:
    for index in range(60):
        workspace.write(f"m{index}.py", "f(1)\n" * 1_500)

    async def story(served: Served) -> None:
        async with client(served) as agent:
            kept = await agent.preview(paths=["a.py"])
            with anyio.move_on_after(1.0):
                await agent.client.call_tool("ast_edit", RENAME)
        async with client(served) as agent:
            asked = await asyncio.wait_for(agent.call("ast_grep", pat="h($A)"), LAST)
            assert asked.lines[0].startswith("1 match")
            assert await agent.pending() == [kept]

    with serving(workspace) as served:
        run(lambda: story(served))


@pytest.mark.slow
def test_a_dropped_connection_of_the_older_protocol_ends_its_preview_too(
    workspace: Workspace,
) -> None:
    for index in range(60):
        workspace.write(f"m{index}.py", "f(1)\n" * 1_500)
    with serving(workspace) as served:
        (session,) = re.findall(r"(?i)^mcp-session-id: (\w+)", served.older(HELLO), re.M)
        served.older({"method": "notifications/initialized"}, session)

        def call(number: int, tool: str, drop: float | None = None, **values: Any) -> str:
            params = {"name": tool, "arguments": values}
            message = {"id": number, "method": "tools/call", "params": params}
            return served.older(message, session, drop)

        kept = call(2, "ast_edit", paths=["a.py"], **RENAME)
        call(3, "ast_edit", drop=1.0, **RENAME)
        assert "1 match" in call(4, "ast_grep", pat="h($A)")
        listed = call(5, "pending")
        assert "1 action pending" in listed and re.findall(r"Staged as (\w+)", kept)[0] in listed


async def test_more_open_calls_than_are_worked_on_are_told_that_it_is_busy(
    workspace: Workspace,
) -> None:
    class Slow:
        """Answers when it is let go."""

        def __init__(self) -> None:
            self.go = anyio.Event()
            self.calls = 0

        async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
            self.calls += 1
            await self.go.wait()

    slow, answers = Slow(), []
    guard = http.Guard(slow, "127.0.0.1:1", TOKEN)
    headers = [(b"host", b"127.0.0.1:1"), (b"authorization", f"Bearer {TOKEN}".encode())]
    scope = {"type": "http", "method": "POST", "path": "/mcp", "headers": headers}

    async def send(message: Any) -> None:
        answers.append(message.get("status"))

    async with anyio.create_task_group() as tasks:
        for _ in range(http.OPEN):
            tasks.start_soon(guard, scope, None, send)
        await anyio.wait_all_tasks_blocked()
        await guard(scope, None, send)  # type: ignore[arg-type]
        assert answers[0] == 503 and slow.calls == http.OPEN
        slow.go.set()
    await guard(scope, None, send)  # type: ignore[arg-type]
    assert slow.calls == http.OPEN + 1


@pytest.mark.slow
def test_connections_that_bring_no_request_make_room_and_end(workspace: Workspace) -> None:
    """Twice as many as are kept: who has the token is answered, and ten seconds end the rest."""
    with serving(workspace) as served:
        place = ("127.0.0.1", served.port)
        silent = [socket.create_connection(place, timeout=LAST) for _ in range(2 * MOST)]
        for connection in silent[::2]:
            with suppress(ConnectionError):
                connection.sendall(b"POST /mcp HTTP/1.1\r\nhost: ")
        assert '"protocolVersion":"2025-06-18"' in served.older(HELLO)
        for connection in silent:
            with connection, suppress(ConnectionResetError):
                assert connection.recv(1) == b""


def test_the_token_is_made_once_in_a_file_that_only_its_owner_reads(workspace: Workspace) -> None:
    with serving(workspace, word=None) as served:
        place = Path(served.origin.removeprefix("in "))
        word = place.read_text()
        assert stat.S_IMODE(place.stat().st_mode) == 0o600 and len(word) >= 32

        async def story() -> None:
            async with client(served, word=word) as agent:
                assert await agent.pending() == []

        run(story)
    assert token(str(place.parent), {}) == (word, str(place))


def test_an_empty_token_file_is_made_anew_and_private_whatever_the_umask(tmp_path: Path) -> None:
    place = tmp_path / "a/b/mcp-token"
    before = os.umask(0)
    try:
        word, _ = token(str(place.parent), {})
        place.write_text("")
        again, _ = token(str(place.parent), {})
    finally:
        os.umask(before)
    assert len(word) >= 32 and len(again) >= 32 and word != again
    for directory in (tmp_path / "a", tmp_path / "a/b"):
        assert stat.S_IMODE(directory.stat().st_mode) == 0o700
    assert stat.S_IMODE(place.stat().st_mode) == 0o600


@pytest.mark.parametrize("harm", ["open", "link", "pipe", "short", "directory"])
def test_a_token_that_others_may_know_is_refused(tmp_path: Path, harm: str) -> None:
    place = tmp_path / "mcp-token"
    if harm == "link":
        (tmp_path / "other").write_text(TOKEN)
        place.symlink_to(tmp_path / "other")
    elif harm == "pipe":
        os.mkfifo(place, 0o600)
    elif harm == "directory":
        place.mkdir(0o700)
    else:
        place.write_text(TOKEN if harm == "open" else "short")
        place.chmod(0o644 if harm == "open" else 0o600)
    with pytest.raises(AstEditError) as raised:
        token(str(tmp_path), {})
    assert raised.value.code == "bad_token"


@pytest.mark.parametrize(("address", "said"), ROWS["addresses refused"])
def test_what_is_not_listened_on(address: str, said: str) -> None:
    with pytest.raises(AstEditError) as raised:
        listen(address)
    assert said in str(raised.value)


def test_an_answer_does_not_wait_for_the_client_to_acknowledge_its_beginning() -> None:
    """asyncio turns Nagle's algorithm off only where the socket names its protocol; else each
    answer in two parts takes 40 ms."""
    with listen("127.0.0.1:0") as listening, socket.create_connection(listening.getsockname()):
        accepted, _ = listening.accept()
        with accepted:
            assert accepted.proto == socket.IPPROTO_TCP
