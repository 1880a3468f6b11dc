"""A review of a small plan as the terminal goes through it, with files to look at."""

from pathlib import Path

from astedit import ast_edit
from astedit.staging.plan_contents import contents_of
from astedit.terminal.questions import GuidedReview
from astedit.workspace.root import Workspace
from tests.support.reviews import reviews_of

HOSTILE = 'x\x1b]0;owned\x07\u202e[red]"'


def guided_review(root: Path, count: int = 30, hostile: str = "") -> GuidedReview:
    """`p(n)` becomes `q(n)` in files of ten lines each; the last edit is unlike the others."""
    lines = [f"a = p(x{n})  # {hostile}" for n in range(count)] + ["a = p(lambda: [p(1)])"]
    for at in range(0, len(lines), 10):
        (root / f"f{at:05}.py").write_text("\n".join([*lines[at : at + 10], ""]))
    plan = ast_edit([{"pat": "p($A)", "out": "q($A)"}], root=root)
    (review,) = reviews_of(plan, "me")
    read = contents_of(plan, Workspace(root))
    files = {file.path: file for file in plan.files}
    return GuidedReview(
        review, lambda path: (), lambda path: read(files[path]), review.edits.keys()
    )
