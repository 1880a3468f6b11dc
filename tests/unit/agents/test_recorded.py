"""The tools of one recorded session: every one works, and every call has its one answer."""

from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from astedit.agents.loop import RecordedTools
from astedit.agents.tools.specs import toolset
from resolve import AbortSignal, Session, SqliteStore, ToolResult
from tests.support.agent import RENAME, Workspace


@pytest.mark.slow
def test_all_tools_of_the_list_run_and_are_answered_in_the_record(tmp_path: Path) -> None:
    workspace = Workspace(tmp_path)
    workspace.write("a.py", "def total(): ...\nf(1)\n")
    before = workspace.files()
    called = []

    with (
        closing(SqliteStore(tmp_path / "state.db")) as store,
        Session(store, id="talk", lock=str(workspace.root)) as session,
    ):
        tools = RecordedTools.of(session, str(workspace.root))

        def call(name: str, **values: Any) -> ToolResult:
            called.append(name)
            result = tools.call(f"c{len(called)}", name, values, len(called), AbortSignal())
            assert not result.is_error, result.text
            return result

        def apply(result: ToolResult) -> str:
            target = str((result.details or {})["actionId"])
            call("resolve", action="apply", reason="t", target=target)
            return target

        assert "total" in call("locate", identifier="total").text
        assert call("ast_grep", pat="f($A)").text.startswith("1 match")
        edited = apply(call("ast_edit", **RENAME))
        renamed = apply(call("rename", identifier="a.total", newName="amount"))
        moved = apply(call("refactor", kind="move_module", identifiers=["a.py"], to="b.py"))
        apply(call("undo", target=moved))
        assert workspace.read("a.py") == "def amount(): ...\ng(1)\n"
        apply(call("undo", target=renamed))
        apply(call("undo", target=edited))
        assert call("pending").text == "Nothing is pending.\n"
        assert set(called) == {spec.name for spec in toolset()}
        view = session.view()
        assert [each.tool for each in view.calls] == called and not view.open
    assert workspace.files() == before
