"""The adapter, end to end: a scripted model, real files, a real state file, real kills."""

import asyncio
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import zip_longest
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("pydantic_ai")

from pydantic_ai import Agent, DeferredToolRequests, DeferredToolResults
from pydantic_ai.messages import (
    ModelMessage,
    ModelRequest,
    ModelResponse,
    TextPart,
    ToolCallPart,
    ToolReturnPart,
)
from pydantic_ai.models.function import AgentInfo, FunctionModel

from astedit.adapters.pydantic_ai import (
    Asked,
    AstEditToolset,
    ResolveFirst,
    converse,
    decisions,
    history,
)
from astedit.staging.ast_edit import AstEdit
from resolve import Session, SqliteStore, handlers
from resolve.fold import paired
from tests.support import REPOSITORY
from tests.support.gate.kill import every_kill

BEFORE = {"a.py": "f(1)\n", "b.py": "h(f(2))\n"}
AFTER = {"a.py": "g(1)\n", "b.py": "k(f(2))\n"}
# Of two files, so that applying the second leaves the first as it was previewed.
FIRST = {"ops": [{"pat": "f($A)", "out": "g($A)"}], "paths": ["a.py"]}
SECOND = {"ops": [{"pat": "h($A)", "out": "k($A)"}], "paths": ["b.py"]}
MUST = ["resolve"]  # as the model is told: call this tool


def answers(messages: Sequence[ModelMessage], tool: str) -> list[ToolReturnPart]:
    parts = [part for message in messages for part in message.parts]
    found = [part for part in parts if isinstance(part, ToolReturnPart)]
    return [part for part in found if part.tool_name == tool and part.outcome == "success"]


def script(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
    """Stages, reads, stages again, resolves twice; what it has seen decides what is next."""
    done = {tool: len(answers(messages, tool)) for tool in ("ast_edit", "ast_grep", "resolve")}
    if done["ast_edit"] == 0:
        return call("ast_edit", FIRST)
    if done["ast_grep"] == 0:
        return call("ast_grep", {"pat": "h($A)"})
    if done["ast_edit"] == 1:
        return call("ast_edit", SECOND)
    if done["resolve"] < 2:
        return apply(messages, -1 - done["resolve"])
    return ModelResponse([TextPart("done")])


def staged(messages: Sequence[ModelMessage]) -> list[str]:
    """The ids that the previews have answered with, oldest first."""
    return [str(part.content).split()[2].rstrip(":") for part in answers(messages, "ast_edit")]


def apply(messages: Sequence[ModelMessage], which: int = -1) -> ModelResponse:
    values = {"action": "apply", "reason": "as planned", "target": staged(messages)[which]}
    return call("resolve", values)


def call(tool: str, given: dict[str, Any]) -> ModelResponse:
    return ModelResponse([ToolCallPart(tool, given)])


class Place:
    """A workspace, its state file, and sessions of one conversation in it."""

    def __init__(self, folder: Path) -> None:
        self.root, self.state = folder / "project", folder / "state"
        self.reset()

    def reset(self) -> None:
        for folder in (self.root, self.state):
            shutil.rmtree(folder, ignore_errors=True)
        self.root.mkdir()
        for name, text in BEFORE.items():
            (self.root / name).write_text(text)

    def files(self) -> dict[str, str]:
        return {path.name: path.read_text() for path in sorted(self.root.iterdir())}

    @contextmanager
    def session(self, **options: Any) -> Iterator[Session]:
        names = {"id": "conversation", "lock": str(self.root), "who": "agent"}
        with (
            SqliteStore(self.state / "state.db") as store,
            Session(store, **names, **options) as made,
        ):
            yield made

    def agent(self, session: Session, model: Any = script, **options: Any) -> Agent[Any, Any]:
        return Agent(
            FunctionModel(model),
            toolsets=[AstEditToolset(session, str(self.root))],
            output_type=[str, DeferredToolRequests],
            **options,
        )

    def talk(self, session: Session, prompt: str | None, decide: Any, model: Any = script) -> str:
        return asyncio.run(converse(self.agent(session, model), session, prompt, decide=decide))


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Place]:
    handlers.register("ast_edit")(AstEdit(inline=True))  # no worker for files of one line
    yield Place(tmp_path)
    handlers.register("ast_edit")(AstEdit())


def test_an_agent_stages_reads_stages_again_and_resolves_newest_first(place: Place) -> None:
    asked: list[Asked] = []
    seen: list[dict[str, str]] = []

    def decide(one: Asked) -> bool:
        asked.append(one)
        seen.append(place.files())
        return True

    with place.session() as session:
        assert place.talk(session, "Rename both", decide) == "done"
        rows = session.records.audit(outcome="applied")
        messages = history(session)
    assert place.files() == AFTER
    assert seen == [BEFORE, BEFORE | {"b.py": AFTER["b.py"]}]  # nothing before it is approved
    assert [one.action_id for one in asked] == [row.action_id for row in reversed(rows)]
    staged = [str(part.content).split()[2].rstrip(":") for part in answers(messages, "ast_edit")]
    assert [one.action_id for one in asked] == staged[::-1]
    assert asked[0].reason == "as planned" and "1 replacement in 1 file" in asked[0].label


def test_the_model_is_told_what_is_staged_and_that_nothing_is_written(place: Place) -> None:
    with place.session() as session:
        place.talk(session, "Rename both", lambda one: True)
        first = answers(history(session), "ast_edit")[0]
    assert str(first.content).startswith("Staged as a")
    assert "files are NOT modified yet" in str(first.content)


def test_the_example_of_the_docs_runs(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    text = (REPOSITORY / "docs/agents.md").read_text()
    code = next(block for block in text.split("```python\n")[1:] if "converse" in block)
    names: dict[str, Any] = {
        "state": place.state, "root": str(place.root), "model": FunctionModel(script),
    }  # fmt: skip
    monkeypatch.setattr("builtins.input", lambda question: "y")
    exec(code.split("```")[0], names)
    assert asyncio.run(names["main"]("Rename both")) == "done"
    assert place.files() == AFTER


def test_one_pending_plan_is_shown_again(place: Place) -> None:
    def model(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        if not answers(messages, "ast_edit"):
            return call("ast_edit", {"ops": FIRST["ops"]})
        if not answers(messages, "pending"):
            return call("pending", {"target": session.store.list()[0].id, "paths": ["b.py"]})
        return ModelResponse([TextPart("seen")])

    with place.session() as session:
        place.talk(session, "Go", lambda one: True, model)
        (shown,) = answers(history(session), "pending")
    assert "+h(g(2))" in str(shown.content) and "g(1)" not in str(shown.content)


def test_a_denied_apply_changes_nothing_and_is_told_and_recorded(place: Place) -> None:
    def model(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        parts = [part for message in messages for part in message.parts]
        if not answers(messages, "ast_edit"):
            return call("ast_edit", FIRST)
        if not any(getattr(part, "content", "") == "not today" for part in parts):
            return apply(messages)
        return ModelResponse([TextPart("denied")])

    with place.session() as session:
        assert place.talk(session, "Rename", lambda one: "not today", model) == "denied"
        assert session.store.count == 1
        assert_valid(session)
        told = [str(part.content) for part in history(session)[-2].parts]  # type: ignore[union-attr]
    assert told == ["not today"]
    assert place.files() == BEFORE


def test_an_approval_is_of_the_action_that_was_asked_about(place: Place) -> None:
    with place.session() as session:
        agent = place.agent(session, pausing)
        result = asyncio.run(agent.run("Rename"))
        assert isinstance(result.output, DeferredToolRequests)
        waiting = session.store.peek()
        other = session.stage(handler="other", payload={}, label="newer")
        approved = asyncio.run(decisions(session, result.output, lambda one: True))
        again = agent.run(message_history=result.all_messages(), deferred_tool_results=approved)
        asyncio.run(again)
        assert waiting is not None
        assert [row.action_id for row in session.records.audit(outcome="applied")] == [waiting.id]
        assert session.store.peek() == other


def test_an_approval_from_another_process_is_of_the_action_that_is_named(place: Place) -> None:
    with place.session() as session:
        result = asyncio.run(place.agent(session, pausing).run("Rename"))
        decided = DeferredToolResults(approvals={result.output.approvals[0].tool_call_id: True})
        agent = place.agent(session, pausing)  # knows nothing of what was asked
        asyncio.run(agent.run(message_history=result.all_messages(), deferred_tool_results=decided))
        assert session.store.count == 0
    assert place.files() == BEFORE | {"a.py": AFTER["a.py"]}


def test_a_resolve_that_names_no_action_is_refused_and_nobody_is_asked(place: Place) -> None:
    def model(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        if not answers(messages, "ast_edit"):
            return call("ast_edit", FIRST)
        if len(messages) < 5:
            return call("resolve", {"action": "apply", "reason": "as planned"})
        return ModelResponse([TextPart("refused")])

    with place.session() as session:
        assert place.talk(session, "Rename", fail_to_decide, model) == "refused"
        assert session.store.count == 1
        (told,) = [str(part.content) for part in history(session)[-2].parts]  # type: ignore[union-attr]
    assert "`target` is missing" in told
    assert place.files() == BEFORE


def fail_to_decide(one: Asked) -> bool:
    raise AssertionError(f"asked about {one}")


def pausing(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
    """Stages, tries to apply once, and ends whatever came of it."""
    parts = [part for message in messages for part in message.parts]
    if not answers(messages, "ast_edit"):
        return call("ast_edit", FIRST)
    tried = any(isinstance(p, ToolReturnPart) and p.tool_name == "resolve" for p in parts)
    return ModelResponse([TextPart("end")]) if tried else apply(messages)


def test_calls_of_one_answer_stay_together_and_their_mistakes_are_results(place: Place) -> None:
    def model(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        if len(messages) > 1:
            return ModelResponse([TextPart("seen")])
        given: list[dict[str, Any]] = [FIRST, {"ops": "x"}, {"ops": [{"pat": "f(", "out": ""}]}]
        return ModelResponse([ToolCallPart("ast_edit", one) for one in given])

    with place.session() as session:
        assert place.talk(session, "Go", lambda one: True, model) == "seen"
        _, asked, told, _ = history(session)
        assert len(asked.parts) == 3
        outcomes = [part.outcome for part in told.parts if isinstance(part, ToolReturnPart)]
        assert outcomes == ["success", "failed", "failed"]
        assert "`ops` is not a list" in str(told.parts[1].content)  # type: ignore[union-attr]
        assert session.store.count == 1


@pytest.mark.parametrize(
    ("policy", "expected"),
    [("forced", [None, MUST, MUST, MUST, None]), ("soft", [None, None, MUST, MUST, MUST])],
)
def test_the_session_s_policy_says_when_the_model_must_resolve(
    place: Place, policy: Any, expected: list[Any]
) -> None:
    """The model stages, then looks around however often it is told to resolve."""
    seen: list[Any] = []

    def model(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        seen.append((info.model_settings or {}).get("tool_choice"))
        if not answers(messages, "ast_edit"):
            return call("ast_edit", FIRST)
        if len(seen) < 5:
            return call("ast_grep", {"pat": "h($A)"})
        return ModelResponse([TextPart("ignored")])

    with place.session(policy=policy) as session:
        agent = place.agent(session, model, capabilities=[ResolveFirst(session)])
        assert (asyncio.run(agent.run("Rename")).output, session.store.count) == ("ignored", 1)
    assert seen == expected
    assert place.files() == BEFORE


def test_a_model_that_resolves_is_left_alone_again(place: Place) -> None:
    seen: list[Any] = []

    def model(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        seen.append((info.model_settings or {}).get("tool_choice"))
        return script(messages, info)

    with place.session(policy="forced") as session:
        agent = place.agent(session, model, capabilities=[ResolveFirst(session)])
        answer = converse(agent, session, "Rename both", decide=lambda one: True)
        assert asyncio.run(answer) == "done"
    # It stages, looks, stages and resolves twice; then nothing is pending.
    assert seen == [None, MUST, MUST, MUST, MUST, None]
    assert place.files() == AFTER


def test_after_a_denial_the_model_is_left_alone_until_it_stages_something_new(place: Place) -> None:
    seen: list[Any] = []
    steps = [
        lambda messages: call("ast_edit", FIRST),
        apply,  # denied
        lambda messages: call("ast_grep", {"pat": "h($A)"}),
        lambda messages: call("ast_edit", SECOND),
        apply,
        lambda messages: ModelResponse([TextPart("end")]),
    ]

    def model(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        seen.append((info.model_settings or {}).get("tool_choice"))
        return steps[len(seen) - 1](messages)

    verdicts = iter([False, True])
    with place.session(policy="forced") as session:
        agent = place.agent(session, model, capabilities=[ResolveFirst(session)])
        end = converse(agent, session, "Rename", decide=lambda one: next(verdicts))
        assert asyncio.run(end) == "end"
        assert session.store.count == 1
    assert seen == [None, MUST, None, None, MUST, MUST]
    assert place.files() == BEFORE | {"b.py": AFTER["b.py"]}


def assert_valid(session: Session) -> None:
    """Every call has exactly one answer, beside it, and two views are equal."""
    assert paired(session.view().context()).repaired == 0
    messages = history(session)
    assert session.view() == session.view()
    for message, after in zip_longest(messages, messages[1:]):
        calls = [part.tool_call_id for part in message.parts if isinstance(part, ToolCallPart)]
        if calls:
            assert isinstance(after, ModelRequest)
            assert [p.tool_call_id for p in after.parts if isinstance(p, ToolReturnPart)] == calls


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_a_kill_between_any_two_steps_leaves_a_history_that_goes_on(place: Place) -> None:
    def work() -> None:
        with place.session() as session:
            place.talk(session, "Rename both", lambda one: True)

    kills = 0
    for _ in every_kill(work, place.reset, step=2):
        kills += 1
        with place.session() as session:  # opening it recovers
            assert_valid(session)
            prompted = bool(history(session))
            answer = place.talk(session, None if prompted else "Rename both", lambda one: True)
            assert answer == "done"
            assert_valid(session)
            assert session.store.count == 0  # no preview is staged that no call answers for
            applied = [str(row.action_id) for row in session.records.audit(outcome="applied")]
        assert len(applied) == len(set(applied)) == 2
        assert applied == sorted(applied)  # newest first in the list, so oldest id last applied
        assert place.files() == AFTER
    assert kills > 2
