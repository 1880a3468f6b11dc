"""`docs/gate.md` runs as written, and its agent loop meets every kind of model."""

from __future__ import annotations

import asyncio
import contextlib
import io
import re
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from resolve import AbortError, Session, Tool, handlers
from resolve.fold import paired
from resolve.handlers import Context
from resolve.store import PendingActionStore
from tests.support.slowly import slow_after

PAGE = Path(__file__).parents[3] / "docs" / "gate.md"
BLOCKS = re.findall(r"^```python\n(.*?)^```", PAGE.read_text(), re.MULTILINE | re.DOTALL)
Calls = list[tuple[str, dict[str, Any]]]
Model = Callable[[Any, Any, Any], Calls]


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """Runs all blocks in one namespace; each `# -> text` is the output of its line."""
    namespace: dict[str, Any] = {}
    with contextlib.chdir(tmp_path_factory.mktemp("page")), warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # it forks, beside our threads
        for block in BLOCKS:
            printed = io.StringIO()
            with contextlib.redirect_stdout(printed):
                exec(compile(block, str(PAGE), "exec"), namespace)
            promised = re.findall(r"# -> (.*)$", block, re.MULTILINE)
            lines = printed.getvalue().splitlines()
            assert [lines[n] for n in range(len(promised))] == promised
    return namespace


def test_every_block_does_what_it_says(page: dict[str, Any]) -> None:
    assert len(BLOCKS) == 10
    assert {"run_agent", "batch_rename", "plan_ready"} <= set(page)


def test_gating_a_tool_takes_ten_lines() -> None:
    assert len([line for line in BLOCKS[0].splitlines() if line.strip()]) <= 10


class Script:
    """A model that plays turns from a list and then answers in text only."""

    def __init__(self, *turns: Calls | BaseException | Callable[[], Calls]) -> None:
        self.turns = list(turns)
        self.choices: list[Any] = []

    def __call__(self, context: Any, steering: Any, choice: Any) -> Calls:
        assert paired(context).repaired == 0
        self.choices.append(choice)
        turn = self.turns.pop(0) if self.turns else []
        if isinstance(turn, BaseException):
            raise turn
        return turn


APPLY: Calls = [("resolve", {"action": "apply", "reason": "reviewed"})]
DISCARD: Calls = [("resolve", {"action": "discard", "reason": "no"})]
EDIT: Calls = [("edit", {})]
WRITE: Calls = [("write", {})]
TEXT: Calls = []


class Agent:
    """One session with a tool that stages, one that writes, and one that reads."""

    def __init__(self, page: dict[str, Any], session: Session) -> None:
        self.run_agent = page["run_agent"]
        self.session = session
        self.applied: list[str] = []
        self.written: list[str] = []
        self.staged: list[str] = []
        handlers.register("agent-edit")(self)
        self.tools = [
            Tool("edit", execute=self.edit, deferrable=True, mutating=False),
            Tool("write", execute=lambda call_id, params: self.written.append(call_id)),
            Tool("read", execute=lambda call_id, params: "text", mutating=False),
        ]

    def edit(self, call_id: str, params: dict[str, Any]) -> str:
        staged = self.session.stage(handler="agent-edit", payload=call_id, label=call_id)
        self.staged.append(staged.id)
        return "1 preview"

    def apply(self, payload: str, reason: str, extra: Any, context: Context) -> str:
        self.applied.append(context.action_id)
        return f"Applied {payload}."

    def run(self, model: Script, turns: int = 20) -> str:
        return asyncio.run(self.run_agent(self.session, model, self.tools, turns))

    def states(self) -> list[str]:
        return [self.session.store.get(one).state for one in self.staged]


@pytest.fixture
def agent(page: dict[str, Any], store: PendingActionStore) -> Iterator[Agent]:
    with Session(store) as session:
        yield Agent(page, session)
    handlers.unregister("agent-edit")


@slow_after(
    14,
    "turns, outcome, states",
    [
        ([EDIT, APPLY], "done", ["applied"]),
        ([EDIT, DISCARD], "done", ["discarded"]),
        ([EDIT, TEXT, APPLY], "done", ["applied"]),
        ([EDIT, [("read", {})], DISCARD], "done", ["discarded"]),
        ([EDIT, EDIT, APPLY, APPLY], "done", ["applied", "applied"]),
        ([[*EDIT, *EDIT], APPLY, DISCARD], "done", ["applied", "discarded"]),
        ([[*EDIT, *APPLY]], "done", ["applied"]),
        ([EDIT], "ignored", ["pending"]),
        ([EDIT, *[WRITE] * 10], "ignored", ["pending"]),
        ([EDIT, *[[("read", {})]] * 10], "ignored", ["pending"]),
        ([EDIT] * 30, "out of turns", ["pending"] * 20),
        ([EDIT, [*APPLY, *APPLY]], "done", ["applied"]),
        ([APPLY, DISCARD], "done", []),
        ([EDIT, [("resolve", {"action": "yes"})], APPLY], "done", ["applied"]),
    ],
)
def test_whatever_the_model_does_the_action_is_resolved_or_pending(
    agent: Agent, turns: list[Calls], outcome: str, states: list[str]
) -> None:
    assert agent.run(Script(*turns)) == outcome
    assert sorted(agent.states()) == sorted(states)
    assert len(agent.applied) == len(set(agent.applied)) == states.count("applied")
    view = agent.session.view()
    assert (view.open, paired(view.context()).repaired) == ([], 0)


def test_coroutine_tools_are_awaited(agent: Agent) -> None:
    async def edit(call_id: str, params: dict[str, Any]) -> str:
        await asyncio.sleep(0)
        return agent.edit(call_id, params)

    agent.tools[0] = Tool("edit", execute=edit, deferrable=True, mutating=False)
    assert agent.run(Script(EDIT, APPLY)) == "done"
    answers = [call.answer for call in agent.session.view().calls]
    assert [answer.content[0]["text"] for answer in answers] == ["1 preview", "Applied 1.0."]


def test_the_three_calls_come_before_the_optional_parts() -> None:
    """Stage, resolve and recover stand above the queue, exchanges and stores."""
    text = PAGE.read_text()
    three = [text.index(f"{name}(") for name in (".stage", ".resolve", ".recover")]
    heads = ("## The state file", "## A batch rename", "## An agent loop", "## Plan approval")
    assert max(three) < text.index("optional parts") < min(map(text.index, heads))
    for name in ("next_tool_choice", "session.exchange", "session.compact"):
        assert text.index(name) > text.index("## An agent loop")


def test_a_model_that_writes_instead_is_held_back(agent: Agent) -> None:
    agent.run(Script(WRITE, EDIT, WRITE, APPLY, WRITE))
    assert agent.written == ["1.0", "5.0"]


def test_a_model_that_ignores_the_reminder_is_forced(agent: Agent) -> None:
    model = Script(EDIT, TEXT, APPLY)
    agent.run(model)
    assert [choice and choice["name"] for choice in model.choices] == [None, None, "resolve", None]


def test_an_aborted_loop_goes_on_where_it_was(agent: Agent) -> None:
    for _ in range(4):
        with pytest.raises(AbortError):
            agent.run(Script(*([] if agent.staged else [EDIT]), AbortError("user"), TEXT))
    assert agent.states() == ["pending"]
    assert agent.run(Script(*[TEXT] * 2, APPLY)) in ("done", "ignored")
    assert agent.run(Script(TEXT, APPLY)) == "done"
    assert len(agent.applied) <= 1


def test_a_loop_can_run_again_in_the_same_session_even_after_compaction(agent: Agent) -> None:
    for _ in range(3):
        assert agent.run(Script(EDIT, APPLY)) == "done"
        agent.session.compact(keep=1)
    assert agent.states() == ["applied"] * 3
