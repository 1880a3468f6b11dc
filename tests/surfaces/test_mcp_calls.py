"""The server's calls without a connection: what a test must see from the inside."""

import asyncio
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from threading import Event
from typing import Any

import anyio
import pytest
from mcp import Client

from astedit.agents.calls import Calls, ToolCall
from astedit.agents.reply import Reply
from astedit.limits import Cancelled
from astedit.mcp.server import make
from astedit.staging import undo
from astedit.staging.open_workspace import OpenWorkspace
from resolve import ToolError
from tests.support.agent import ERAS, RENAME, Workspace
from tests.support.patience import LAST, until
from tests.support.slowly import slow_after

FILES = 40


@pytest.fixture
def calls(tmp_path: Path) -> Iterator[Calls]:
    workspace = Workspace(tmp_path)
    for index in range(FILES):
        workspace.write(f"m{index}.py", f"def total(): ...\ntotal()\nf({index})\n")
    with closing(Calls(OpenWorkspace(str(workspace.root), str(workspace.state)))) as made:
        yield made


class Stopping(ToolCall):
    """A call that is cancelled as soon as it says that it has begun."""

    def progress(self, done: int, total: int) -> None:
        super().progress(done, total)
        self.signal.abort("enough")


LOCATE = ("locate", {"identifier": "total", "hintKind": "symbol"})
WITHIN = ("ast_grep", {"pat": "x", "within": "total"})
EDIT = ("ast_edit", RENAME)


def test_locate_tells_how_far_it_is(calls: Calls) -> None:
    call = ToolCall()
    assert calls(*LOCATE, call).data["status"] == "many"
    assert call.done == call.total == FILES + 1  # astedit.toml


class Noting(ToolCall):
    """A call that keeps all that it was told."""

    def __init__(self) -> None:
        super().__init__()
        self.told: list[tuple[int, int]] = []

    def progress(self, done: int, total: int) -> None:
        super().progress(done, total)
        self.told.append((done, total))


def apply(calls: Calls, staged: str | None, call: ToolCall, **extra: object) -> Reply:
    given = {"action": "apply", "reason": "t", "target": staged}
    return calls("resolve", given | ({"extra": extra} if extra else {}), call)


def test_an_apply_tells_how_many_files_it_has_looked_at_and_then_written(calls: Calls) -> None:
    call = Noting()
    assert "\nApplied " in apply(calls, calls(*EDIT, ToolCall()).action_id, call).text
    done, totals = zip(*call.told, strict=True)
    assert list(done) == sorted(done)
    assert set(totals) == {2 * FILES}  # all match: each is looked at and written
    assert call.done == call.total
    assert sum(FILES < one <= 2 * FILES for one in done) == FILES


def test_a_part_and_a_new_preview_tell_it_too(calls: Calls) -> None:
    staged = calls(*EDIT, ToolCall()).action_id
    refreshed = Noting()
    assert apply(calls, staged, refreshed, refresh=True).code == "superseded"
    assert refreshed.told and refreshed.done == refreshed.total
    (anew,) = calls.actions()
    part = Noting()
    assert not apply(calls, anew.id, part, only=["m1.py"]).is_error
    assert (part.done, part.total) == (FILES + 1, FILES + 1)


@pytest.mark.slow
def test_an_undo_tells_how_many_files_it_has_restored(calls: Calls) -> None:
    applied = calls(*EDIT, ToolCall()).action_id
    apply(calls, applied, ToolCall())
    with calls.served.session() as session:
        staged, *_ = undo.stage_shown(str(applied), calls.served.root, session)
    call = Noting()
    assert "undone" in apply(calls, staged.id, call).text
    assert call.told == [(done, FILES) for done in range(1, FILES + 1)]


def test_a_refused_apply_tells_of_no_file_written(calls: Calls) -> None:
    staged = calls(*EDIT, ToolCall()).action_id
    Path(calls.served.root, "m3.py").write_text("f(x)\n")
    call = Noting()
    assert apply(calls, staged, call).code == "stale"
    assert max(done for done, _ in call.told) <= FILES


@pytest.mark.parametrize("asked", [LOCATE, EDIT], ids=lambda asked: asked[0])
def test_a_cancelled_call_looks_into_no_more_files_and_stages_nothing(
    calls: Calls, asked: tuple[str, dict[str, object]]
) -> None:
    call = Stopping()
    with pytest.raises(Cancelled):
        calls(*asked, call)
    assert 0 <= call.done < FILES <= call.total
    assert calls.actions() == []


@pytest.mark.parametrize("asked", [LOCATE, WITHIN, EDIT], ids=["locate", "within", "ast_edit"])
def test_a_call_that_was_cancelled_before_it_begins_does_not_begin(
    calls: Calls, asked: tuple[str, dict[str, object]]
) -> None:
    call = ToolCall()
    call.signal.abort("never mind")
    with pytest.raises(Cancelled):
        calls(*asked, call)
    assert call.done == 0


class Watched(Calls):
    """Notes its last call, and when that ends."""

    call: ToolCall | None = None

    def __init__(self, served: OpenWorkspace) -> None:
        super().__init__(served)
        self.ended = Event()

    def __call__(self, name: str, given: Any, call: ToolCall) -> Reply:
        self.call = call
        try:
            return super().__call__(name, given, call)
        finally:
            self.ended.set()


def held(call: ToolCall, done: int, total: int) -> None:
    """Tells of the first files, and of the others when the call is told to stop."""
    call.done, call.total = done, total
    until(lambda: not done or call.signal.aborted)


@slow_after(1, "mode", ERAS)
async def test_a_call_that_the_client_cancels_ends_before_its_files(
    tmp_path: Path, mode: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They are more than two workers are given ahead."""
    monkeypatch.setattr(ToolCall, "progress", held)
    monkeypatch.setenv("ASTEDIT_JOBS", "2")
    workspace = Workspace(tmp_path)
    for index in range(2 * FILES):
        workspace.write(f"m{index}.py", f"f(1)\n# {'x' * 100_000}\n")
    with closing(Watched(OpenWorkspace(str(workspace.root), str(workspace.state)))) as calls:
        async with Client(make(calls), mode=mode) as client:
            with anyio.CancelScope() as scope:
                async with asyncio.TaskGroup() as tasks:
                    tasks.create_task(client.call_tool("ast_edit", RENAME))
                    while not calls.call or not calls.call.done:
                        await asyncio.sleep(0.001)
                    scope.cancel()
            assert await asyncio.to_thread(calls.ended.wait, LAST)
            assert calls.call.signal.aborted
            assert calls.call.done < calls.call.total
            assert calls.actions() == []


def test_a_name_that_a_staged_action_would_write_is_found_in_this_server_s_state(
    calls: Calls,
) -> None:
    staged = calls(
        "ast_edit", {"ops": [{"pat": "f($A)", "out": "brandnew($A)"}]}, ToolCall()
    ).action_id
    said = calls("locate", {"identifier": "brandnew"}, ToolCall())
    assert f"The pending action {staged} would write that name." in said.text


def test_an_empty_choice_never_applies_all(calls: Calls) -> None:
    staged = calls(*EDIT, ToolCall()).action_id
    with calls.served.session() as session, pytest.raises(ToolError) as raised:
        session.resolve("apply", "chosen", {"only": []}, staged)
    assert raised.value.code == "empty_choice"
    assert [action.id for action in calls.actions()] == [staged]
