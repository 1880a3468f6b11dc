"""`astedit.Tools`: what a program's own loop with a model needs, with and without a record."""

import json
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

import astedit
from astedit import RequestError, Tools
from astedit.agents.reply import Reply
from resolve import AbortError, AbortSignal
from tests.support.agent import RENAME, Workspace
from tests.support.lists import rows

ROWS = rows(Path(__file__).with_suffix(".txt"))


@pytest.fixture(params=[None, "talk"])
def tools(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Tools]:
    files = Workspace(tmp_path).write("a.py", "f(1)\n")
    with (
        astedit.open(files.root, state_dir=files.state, session_id=request.param) as work,
        closing(Tools(work)) as made,
    ):
        yield made


def test_a_loop_previews_applies_meets_an_error_and_undoes(tools: Tools, tmp_path: Path) -> None:
    def call(name: str, **arguments: Any) -> Reply:
        return tools.call(name, arguments)

    staged = call("ast_edit", **RENAME)
    assert staged.action_id and staged.text.startswith(f"Staged as {staged.action_id}")
    target = {"reason": "t", "target": staged.action_id}
    assert not call("resolve", action="apply", **target).is_error
    again = call("resolve", action="apply", **target)
    assert again.is_error and again.code == "already_resolved"
    assert (tmp_path / "project/a.py").read_text() == "g(1)\n"
    back = call("undo", target=staged.action_id)
    assert not call("resolve", action="apply", reason="t", target=back.action_id).is_error
    assert (tmp_path / "project/a.py").read_text() == "f(1)\n"
    assert call("no_such_tool").code == "unknown_tool"


MODULE = "def total(x): return x\n\n\ndef other(): ...\n\n\none = 1\nprint(one)\n"
REFACTORINGS = {
    "move": ({"identifiers": ["total", "other"], "to": "b.py"}, "b.py"),
    "move_module": ({"identifiers": ["m.py"], "to": "b.py"}, "b.py"),
    "remove": ({"identifiers": ["m.py::other"]}, "-def other"),
    "extract": ({"what": "variable", "identifiers": ["m.py:1:22-1:23"], "to": "y"}, "y = x"),
    "inline": ({"identifiers": ["m.py::one"]}, "+print(1)"),
    "signature": ({"identifiers": ["total"], "add": ["y=1"], "rename": ["x=z"]}, "total(z, y=1)"),
}


@pytest.mark.parametrize("kind", REFACTORINGS)
def test_an_agent_refactors(kind: str, tools: Tools, tmp_path: Path) -> None:
    (tmp_path / "project/m.py").write_text(MODULE)
    arguments, shown = REFACTORINGS[kind]
    reply = tools.call("refactor", {"kind": kind, **arguments})
    assert reply.text.startswith(f"Staged as {reply.action_id}") and shown in reply.text
    assert (tmp_path / "project/m.py").read_text() == MODULE


@pytest.mark.parametrize(("arguments", "code", "said"), ROWS["refused"])
def test_a_refactoring_that_cannot_be_is_refused(
    arguments: dict[str, Any], code: str, said: str, tools: Tools
) -> None:
    reply = tools.call("refactor", arguments)
    assert reply.is_error and reply.code == code and said in " ".join(reply.text.split())
    assert tools.call("pending", {}).text == "Nothing is pending.\n"


def test_arguments_may_be_json_as_a_text(tools: Tools) -> None:
    assert tools.call("ast_edit", json.dumps(RENAME)).action_id
    assert tools.call("pending", "").text.startswith("1 action pending")
    for wrong in ('{"ops": [', "[1]", '"{}"', "[" * 100_000):
        reply = tools.call("ast_edit", wrong)
        assert reply.code == "invalid_arguments" and "well formed" in reply.text
    deep: list[Any] = []
    for _ in range(30_000):
        deep = [deep]
    assert tools.call("ast_edit", {"ops": deep}).code == "invalid_arguments"


def test_the_declarations_are_those_of_the_provider(tools: Tools) -> None:
    assert {spec["name"] for spec in tools.specs()} >= {"ast_edit", "resolve", "undo"}
    assert "inputSchema" in tools.specs("mcp")[0]
    with pytest.raises(RequestError):
        tools.specs("nobody")


def test_an_aborted_call_stages_nothing(tools: Tools) -> None:
    signal = AbortSignal()
    signal.abort("enough")
    with pytest.raises((AbortError, astedit.AstEditError)):
        tools.call("ast_edit", RENAME, signal=signal)
    assert tools.call("pending", {}).text == "Nothing is pending.\n"


def test_calls_are_recorded_where_a_session_is_named(tmp_path: Path) -> None:
    files = Workspace(tmp_path).write("a.py", "f(1)\n")
    with astedit.open(files.root, state_dir=files.state, session_id="talk") as work:
        with closing(Tools(work)) as tools:
            tools.call("ast_edit", RENAME, call_id="c1")
            tools.call("pending", {}, call_id="c2")
        with work.session() as session:
            assert [call.id for call in session.view().calls] == ["c1", "c2"]
            assert session.view().open == []
