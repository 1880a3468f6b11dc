"""Random decisions, made in each of the four places, land as the bytes of the accepted edits.

The bytes are spliced here by hand, apart from the engine.
"""

import random
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import pytest

from astedit import Plan, ast_edit
from astedit.cli.main import run
from astedit.cli.terminal_approval import guided_review
from astedit.review.decisions import ReviewChoice
from astedit.review.order import OrderedEdit
from astedit.staging.stage import stage
from astedit.staging.stored_review import open_review
from astedit.staging.workspace_session import workspace_session
from astedit.terminal import questions
from astedit.terminal.questions import GuidedReview
from astedit.workspace.root import Workspace, state_dir
from resolve import ToolError
from tests.support.review_page import served_page
from tests.support.review_screen import Screen, shown

LINES = ["f(1)", "h(x, f(2))", "f(h(1, 2))", "f(k())", "z = 3", "h(a, b); f(c)"]
OPS = [{"pat": "f($A)", "out": "g($A)"}, {"pat": "h($A, $B)", "out": "h($B, $A)"}]
Choices = Mapping[str, ReviewChoice | None]
Decide = Callable[[Path, Path, str, Choices], None]


def staged(root: Path, state: Path, chance: random.Random) -> tuple[Plan, str]:
    """A plan of some edits."""
    for name in "abc":
        lines = chance.choices(LINES, k=4)
        (root / f"{name}.py").write_text("".join(f"{line}\n" for line in lines))
    plan = ast_edit(OPS, root=root)
    with workspace_session(str(root), str(state), who="a", create=True) as session:
        return plan, stage(plan, session).id


def by_only(root: Path, state: Path, action_id: str, choices: Choices) -> None:
    """Names what is applied."""
    names = [id for id, choice in choices.items() if choice == "accept"]
    with workspace_session(str(root), str(state), who="a") as session:
        try:
            session.resolve("apply", "r", {"only": names}, action_id)
        except ToolError as error:
            assert error.code == "empty_choice" and not names


def on_page(root: Path, state: Path, action_id: str, choices: Choices) -> None:
    """Clicks in the browser."""
    with served_page(root, state, action_id) as served:
        page = served.entered()
        for choice in ("accept", "reject"):
            chosen = [id for id, other in choices.items() if other == choice]
            page.post("/decide", edits=chosen, choice=choice)
        status, answer = page.post("/apply", reason="r")
        assert status == 200 or answer["code"] == "nothing_accepted"


def on_screen(root: Path, state: Path, action_id: str, choices: Choices) -> None:
    """Opens every group and goes down the rows with a key for each."""

    async def steps(screen: Screen) -> None:
        below = screen.row
        while (row := below) is not None:
            choice = choices[row.edits[0].edit.id] if row.kind == "edit" else None
            keys: dict[ReviewChoice | None, str] = {"accept": "space", "reject": "x", None: "j"}
            await screen.press(*([] if row.kind == "edit" else ["l"]), keys[choice])
            below = None if screen.row == row else screen.row
        await screen.press("q")

    with opened(root, state, action_id) as guided:
        shown(guided, steps)
    resolved(root, action_id, choices)


def by_questions(root: Path, state: Path, action_id: str, choices: Choices) -> None:
    """Answers each question."""
    seen: list[str] = []

    class Watched(GuidedReview):
        def see(self, edit: OrderedEdit) -> None:
            seen.append(edit.edit.id)
            super().see(edit)

    def answer(question: str) -> str:
        if "rest of this shape" in question:
            return "e"
        return {"accept": "y", "reject": "n", None: "s"}[choices[seen[-1]]]

    with opened(root, state, action_id) as guided:
        guided.__class__ = Watched
        talk = questions.Conversation(answer, lambda line: None, lambda code, text: text)
        questions.run(guided, talk)
    resolved(root, action_id, choices)


@contextmanager
def opened(root: Path, state: Path, action_id: str) -> Iterator[GuidedReview]:
    """The review as a terminal has it."""
    with workspace_session(str(root), str(state), who="a") as session:
        review = open_review(session, session.store.find(action_id))
        yield guided_review(review, Workspace(root), set(review.edits))


def resolved(root: Path, action_id: str, choices: Choices) -> None:
    words = ("--reviewed", "--undecided", "reject")
    where = ["--root", str(root), "--state-dir", str(root.with_name("state"))]
    code = run(["resolve", "apply", action_id, "--reason", "r", *where, *words])
    assert code == (0 if "accept" in choices.values() else 3)


@pytest.mark.parametrize("seeds", [2, pytest.param(24, marks=pytest.mark.slow)])
@pytest.mark.parametrize("decide", [by_only, on_page, on_screen, by_questions])
@pytest.mark.timeout(1800)
def test_what_is_accepted_lands_and_nothing_else(
    tmp_path: Path, decide: Decide, seeds: int
) -> None:
    for seed in range(seeds):
        root = tmp_path / f"{seed}/root"
        root.mkdir(parents=True)
        state = Path(state_dir(Workspace(root), str(tmp_path / f"{seed}/state")))
        chance = random.Random(seed)
        plan, action_id = staged(root, state, chance)
        some: tuple[ReviewChoice | None, ...] = ("accept", "reject", None)
        choices = {  # of every second plan nothing is accepted
            edit.id: chance.choice(some[seed % 2 :])
            for file in plan.files for edit in file.edits
        }  # fmt: skip
        expected = {path.name: path.read_bytes() for path in root.iterdir()}
        decide(root, state, action_id, choices)
        for file in plan.files:
            for edit in reversed(file.edits):
                if choices[edit.id] == "accept":
                    old = expected[file.path]
                    expected[file.path] = old[: edit.start] + edit.new + old[edit.end :]
        assert {path.name: path.read_bytes() for path in root.iterdir()} == expected, seed
