"""A review that a person goes through: full-screen where Textual is there, else as questions."""

import os
import sys
from collections.abc import Set
from functools import lru_cache
from importlib.util import find_spec
from typing import TYPE_CHECKING

from astedit.cli.output import streams
from astedit.errors import RequestError
from astedit.review.selectors import ALL, Selection, part_of

if TYPE_CHECKING:
    from astedit.cli.place import Place
    from astedit.review.decisions import Review
    from astedit.terminal.questions import GuidedReview
    from astedit.workspace.root import Workspace
    from resolve import Session

_FILES = 64  # whose contents are kept, since edits of one file are often shown together
WITHOUT = "For a review on the whole screen: pip install 'astedit[tui]'"


def possible() -> bool:
    """Whether a person can be asked: input and output are a terminal."""
    return streams.terminal(sys.stdin) and streams.terminal(sys.stdout)


def check_possible() -> None:
    """Raises `RequestError` where nobody can be asked."""
    if not possible():
        raise RequestError(
            "There is no terminal to decide on.", hint="Stage it, and use `astedit review --web`."
        )


def go_through(
    review: "Review",
    session: "Session",
    place: "Place",
    selection: Selection = ALL,
    *,
    questions: bool = False,
) -> str | None:
    """Lets a person decide about a part; whatever ends it, what was decided before is kept.

    Returns the reason to apply what is accepted (`apply_accepted`), None where nobody asked
    for that. Raises what `part_of` raises.
    """
    from astedit.staging.stored_review import remember_decided

    action_id = review.plan.action_id or ""
    guided = guided_review(review, place.workspace, part_of(review.plan, selection))
    reason = None
    try:
        if questions or not _full_screen():
            _ask(guided)
        else:
            from astedit.terminal.review_app import ReviewApp

            reason = ReviewApp(guided, place.workspace.root).run()
    finally:
        streams.note(f"{review.progress()}.")
        remember_decided(review.plan, session.records, action_id)
    return reason


def guided_review(review: "Review", workspace: "Workspace", part: Set[str]) -> "GuidedReview":
    """The review of a part in its order, with the code of the workspace's files."""
    from astedit.staging.plan_contents import contents_of
    from astedit.terminal.questions import GuidedReview
    from astedit.workspace.codeowners import CodeOwners

    files = {file.path: file for file in review.plan.files}
    read = contents_of(review.plan, workspace)
    contents = lru_cache(_FILES)(lambda path: read(files[path]))
    return GuidedReview(review, CodeOwners.read(workspace).of, contents, part)


def _full_screen() -> bool:
    """Whether the terminal has a screen, and what draws on it is installed."""
    if os.environ.get("TERM", "dumb") == "dumb":
        return False
    if find_spec("textual") is None:
        streams.note(WITHOUT)
        return False
    return True


def _ask(guided: "GuidedReview") -> None:
    from astedit.terminal.questions import Conversation, run

    run(guided, Conversation(_answer, lambda line: _write(f"{line}\n"), streams.painter()))


def _answer(question: str) -> str:
    _write(question)
    line = sys.stdin.readline()
    if not line:
        raise EOFError
    return line.rstrip("\n")


def _write(text: str) -> None:
    """Writes to the terminal at once, past the pager."""
    sys.stdout.buffer.write(text.encode("utf-8", "backslashreplace"))
    sys.stdout.flush()
