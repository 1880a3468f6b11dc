"""Replies in both forms: never more than a model can read, and nothing lost on the way."""

import json
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from astedit.agents.calls import Calls, ToolCall
from astedit.agents.reply import Reply, refusal, structured
from astedit.staging.open_workspace import OpenWorkspace
from tests.support.agent import RENAME, Workspace
from tests.support.tokens import count

MOST = 4_000
LONG = "a_directory_with_a_name_of_some_length/and_another_one_below_it"


@pytest.fixture
def calls(tmp_path: Path) -> Iterator[Calls]:
    workspace = Workspace(tmp_path)
    for index in range(60):
        name = f"{LONG}/module_number_{index:03}_of_the_package.py"
        workspace.write(name, f'f({index}, "a quoted text")\n' * 8)
    with closing(Calls(OpenWorkspace(str(workspace.root), str(workspace.state)))) as made:
        yield made


def ask(calls: Calls, tool: str, **values: Any) -> Reply:
    return calls(tool, values, ToolCall())


def dumped(reply: Reply) -> str:
    return json.dumps(structured(reply), ensure_ascii=False)


def check(reply: Reply) -> None:
    """The bounds of one reply, and that both forms say the same."""
    spoken, whole = count(reply.text), count(dumped(reply))
    assert spoken < MOST and whole < MOST
    assert whole <= max(spoken * 4 / 3, spoken + 220), (spoken, whole)
    assert structured(reply)["text"] == reply.text
    assert reply.text.count("\n") and len(json.dumps(reply.meta)) < 700


@pytest.mark.slow
def test_every_reply_of_every_tool_is_small_in_both_forms(calls: Calls) -> None:
    staged = ask(calls, "ast_edit", **RENAME)
    assert not staged.is_error and staged.counts["replacements"] == 480
    identifier = {"identifier": "nowhere"}
    replies = [
        staged,
        ask(calls, "ast_grep", pat="f($$$A)"),
        ask(calls, "ast_grep", pat="f($A, $B, $C)"),
        ask(calls, "locate", **identifier),
        ask(calls, "rename", **identifier, newName="somewhere"),
        ask(calls, "pending"),
        ask(calls, "pending", target=staged.action_id),
        ask(calls, "ast_edit", ops="f"),
    ]
    applied = ask(calls, "resolve", action="apply", reason="t", target=staged.action_id)
    assert not applied.is_error, applied.text
    replies += [applied, ask(calls, "undo", target=staged.action_id)]
    for reply in replies:
        check(reply)


@pytest.mark.slow
def test_a_refused_apply_of_sixty_changed_files_is_small(calls: Calls) -> None:
    staged = ask(calls, "ast_edit", **RENAME)
    for path in Path(calls.served.root, LONG).iterdir():
        path.write_text("f(1)\n")
    reply = ask(calls, "resolve", action="apply", reason="t", target=staged.action_id)
    assert reply.code == "stale"
    check(reply)


def test_many_pending_actions_are_listed_as_far_as_they_fit(calls: Calls) -> None:
    ids = [ask(calls, "ast_edit", **RENAME).action_id for _ in range(3)]
    reply = ask(calls, "pending")
    assert [line.split()[0] for line in reply.text.splitlines()[1:]] == ids[::-1]
    view = structured(reply)
    assert len(view.get("pending", [])) + view.get("left_out", {}).get("pending", 0) == 3
    check(reply)


def test_what_does_not_fit_is_counted_and_the_whole_is_named() -> None:
    rows = [{"id": f"a{index:04}", "label": "x" * 40} for index in range(100)]
    reply = Reply("one line\n" * 50, {"rows": rows, "total": 100}, resource="astedit://x")
    view = structured(reply)
    assert 0 < len(view["rows"]) < 100
    assert view["left_out"] == {"rows": 100 - len(view["rows"])}
    assert (view["resource"], view["total"]) == ("astedit://x", 100)


def test_an_error_says_the_same_in_both_forms() -> None:
    reply = refusal("stale", "a.py changed.", "Preview again.", "a.py")
    view = structured(reply)
    assert view["text"] == reply.text == "error (stale): a.py changed.\nnext: Preview again.\n"
    assert view["code"] == view["error"]["code"] == "stale"
    assert reply.meta == {"astedit/code": "stale"}
