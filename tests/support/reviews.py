"""A small plan, and reviews of it on a store that several reviewers share."""

from pathlib import Path

from astedit import Plan, ast_edit
from astedit.review.decisions import Review
from astedit.staging.stage import stage
from astedit.staging.stored_review import open_review
from resolve import MemoryStore, Session

IMPORTED = "import os\n"


def small_plan(root: Path) -> Plan:
    """Five edits in two shapes and two files, one of them of imports."""
    (root / "a.py").write_text(f"{IMPORTED}\nx = 0\nf(1)\nf(2)\nf(f(2))\n")
    (root / "b.py").write_text("x = 0\nf(3)\n")
    return ast_edit([{"pat": "f($$$A)", "out": "g($$$A)"}], root=root, add_import="from m import g")


def reviews_of(plan: Plan, *names: str) -> list[Review]:
    """A review of the staged plan for each of these people, all on one store."""
    sessions = [Session(MemoryStore(), id="a", workspace=True, who=names[0])]
    action = stage(plan, sessions[0])
    store = sessions[0].records
    sessions += [Session(store, id=name, workspace=True, who=name) for name in names[1:]]
    return [open_review(session, action) for session in sessions]
