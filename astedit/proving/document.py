"""What a proving came to, as data for every surface."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from astedit.model.plan import Plan
from astedit.model.shapes import alike_edits
from astedit.proving.prove import BlamedEdits, Proving
from astedit.review.units import EditUnit

SCHEMA = "astedit/proof/1"


@dataclass(frozen=True, slots=True)
class EditPlace:
    """One edit as it is shown: where it is, and what it is like."""

    id: str
    path: str
    line: int
    shape: str

    def to_json(self) -> dict[str, Any]:
        """Returns it as every document names an edit."""
        return {"id": self.id, "path": self.path, "line": self.line, "shape": self.shape}


class EditPlaces:
    """The places of all edits of a plan."""

    def __init__(self, plan: Plan) -> None:
        self._places = {
            member.edit.id: EditPlace(
                member.edit.id, member.path, member.edit.shown_line, group.shape.label
            )
            for group in alike_edits(plan.files)
            for member in group.edits
        }

    def of(self, units: Iterable[EditUnit]) -> list[EditPlace]:
        """The places of these units' edits."""
        return [self._places[edit_id] for unit in units for _, edit_id in unit.edits]


def lines(proving: Proving, places: EditPlaces) -> Iterator[str]:
    """One line for each edit that is to blame: its place, its shape, the tests that fail."""
    for culprit in proving.culprits:
        tests = ", ".join(culprit.tests) or "the command fails"
        for place in places.of(culprit.units):
            yield f"{place.path}:{place.line}  {place.shape}  {tests}"


def culprit_document(culprit: BlamedEdits, places: EditPlaces) -> dict[str, Any]:
    """One culprit; `needs` are edits without which it could not be loaded."""
    return {
        "edits": [place.to_json() for place in places.of(culprit.units)],
        "needs": [place.id for place in places.of(culprit.needs)],
        "tests": culprit.tests,
    }


def document(proving: Proving, plan: Plan, command: str) -> dict[str, Any]:
    """The whole of it."""
    places, run = EditPlaces(plan), proving.run
    return {
        "schema": SCHEMA,
        "actionId": plan.action_id,
        "fingerprint": plan.fingerprint,
        "command": command,
        "outcome": proving.outcome,
        "proven": proving.outcome == "proven",
        "culprits": [culprit_document(each, places) for each in proving.culprits],
        "rest": [place.id for place in places.of(proving.rest)],
        "bracket": [place.to_json() for place in places.of(proving.bracket)],
        "baseline": {
            "runs": proving.baseline_runs,
            "failing": proving.failing_before,
            "flaky": proving.flaky,
        },
        "runs": proving.runs,
        "sandbox": {"way": proving.way, "warnings": proving.warnings},
        "exitCode": run.run.status if run else None,
        "seconds": round(run.run.seconds, 3) if run else None,
        "tail": tail_of(proving),
    }


def tail_of(proving: Proving) -> str:
    """The end of what the run printed that passed."""
    return proving.run.run.output[-2_000:] if proving.run else ""
