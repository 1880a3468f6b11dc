"""What is applied was chosen: no selection that came out empty stands for all of a plan."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

import astedit
from astedit.agents.text.plan import staged_text
from astedit.cli.main import run
from astedit.errors import RequestError
from astedit.interface.work import StagedPlan, Work
from astedit.review.selectors import edits_of
from astedit.staging.proof import Proof, keep
from astedit.staging.stored_review import open_review
from resolve import Session, ToolError

OPS = [{"pat": "f($A)", "out": "g($A)"}]
TREE = {"a.py": ["f(1)", "f(2)"], "b.py": ["f(3)"]}
NUMBERS = range(3)
some_edits = st.sets(st.sampled_from(NUMBERS))
few = settings(max_examples=20, deadline=None)


@contextmanager
def staged() -> Iterator[tuple[Work, StagedPlan]]:
    """A plan of three edits, which no other example has seen."""
    with TemporaryDirectory() as folder:
        root = Path(folder, "root")
        root.mkdir()
        for name, lines in TREE.items():
            (root / name).write_text("".join(f"{line}\n" for line in lines))
        work = astedit.open(root, state_dir=Path(folder, "state"))
        yield work, work.edit(OPS)


def applied(work: Work) -> set[int]:
    """Which edits are in the files."""
    lines = [line for name in TREE for line in Path(work.root, name).read_text().splitlines()]
    return {number for number, line in enumerate(lines) if line.startswith("g")}


def named(plan: StagedPlan, numbers: set[int] | None) -> list[str] | None:
    ids = [edit.id for edit in edits_of(plan.files)]
    return None if numbers is None else [ids[number] for number in numbers]


def resolved(work: Work, plan: StagedPlan, *words: str) -> int:
    state = str(Path(work.root).with_name("state"))
    where = ["--root", str(work.root), "--state-dir", state, "--reason", "r"]
    return run(["resolve", "apply", str(plan.action_id), *where, *words])


def action(session: Session, plan: StagedPlan) -> Any:
    return session.store.find(str(plan.action_id))


@few
@given(only=st.none() | some_edits, exclude=st.none() | some_edits, read=st.booleans())
def test_lists_mean_what_they_name(
    only: set[int] | None, exclude: set[int] | None, read: bool
) -> None:
    meant = (set(NUMBERS) if only is None else only) - (exclude or set())
    with staged() as (work, plan):
        if read and exclude is None:  # what a model reads again of a plan
            with work.session() as session:
                try:
                    _, shown = staged_text(
                        session, str(plan.action_id), named(plan, only), str(work.root)
                    )
                    ids = [edit.id for edit in edits_of(shown.files)]
                except RequestError as error:
                    assert error.code == "empty_choice"
                    ids = []
            assert ids == named(plan, meant)
        try:
            plan.apply("r", only=named(plan, only), exclude=named(plan, exclude))
        except RequestError as error:
            assert error.code == "empty_choice" and not meant
        assert applied(work) == meant


@few
@given(
    accepted=some_edits,
    rejected=some_edits,
    undecided=st.sampled_from((None, "accept", "reject", "keep")),
)
def test_a_review_applies_what_was_accepted(
    accepted: set[int], rejected: set[int], undecided: str | None
) -> None:
    rejected -= accepted
    rest = set(NUMBERS) - accepted - rejected
    meant = accepted | (rest if undecided == "accept" else set())
    with staged() as (work, plan):
        with work.session() as session:
            review = open_review(session, action(session, plan))
            review.decide(named(plan, accepted) or [], "accept")
            review.decide(named(plan, rejected) or [], "reject")
        words = ["--undecided", undecided] if undecided else []
        code = resolved(work, plan, "--reviewed", *words)
        refused = not meant or bool(rest and undecided is None)
        assert code == (3 if refused else 0)
        assert applied(work) == (set() if refused else meant)
        assert [each.id for each in work.pending()].count(str(plan.action_id)) == refused


@few
@given(culprits=some_edits)
def test_what_passed_is_applied(culprits: set[int]) -> None:
    with staged() as (work, plan):
        with work.session() as session:
            left_out = tuple(named(plan, culprits) or ())
            proof = Proof("true", plan.fingerprint, len(NUMBERS) - len(culprits), left_out)
            keep(proof, action(session, plan), session.records, session.who)
        meant = set(NUMBERS) - culprits
        assert resolved(work, plan, "--proven") == (0 if meant else 3)
        assert applied(work) == meant


def test_nothing_accepted_is_refused_by_name(capsys: Any) -> None:
    with staged() as (work, plan):
        assert resolved(work, plan, "--reviewed", "--undecided", "keep", "--json") == 3
        assert '"nothing_accepted"' in capsys.readouterr().out
        try:
            work.resolve("apply", str(plan.action_id), "r", {"only": []})
        except (RequestError, ToolError) as error:
            assert error.code == "empty_choice"
        assert applied(work) == set()
