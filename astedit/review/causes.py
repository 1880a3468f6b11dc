"""What caused an edit of a cascade, and what goes with it, in words. (CB6, CB7)"""

from collections import Counter
from collections.abc import Iterable, Iterator

from astedit.model.edit import Edit
from astedit.model.plan import Plan
from astedit.review.decisions import Review
from astedit.review.units import Causation, is_cascade
from astedit.text import first_names, number, shortened
from resolve.visible import one_line

_NAMED = 3  # causes or consequences
_WIDTH = 60  # characters of code in a line
_DEEPEST = 40  # levels that are indented


class Causes:
    """The causes in one plan; of a plan that is no cascade there is nothing to say."""

    def __init__(self, plan: Plan) -> None:
        self._placed = {edit.id: (file.path, edit) for file in plan.files for edit in file.edits}

    def lines(self, edit: Edit) -> Iterator[str]:
        """What is said beside an edit: by which others it was caused, and its steps."""
        known = [self._placed[cause] for cause in edit.because if cause in self._placed]
        if known:
            names = [f"{_place(path, cause)} ({_rules(cause)})" for path, cause in known]
            yield f"Caused by {first_names(names, _NAMED)}."
        if len(edit.chain) > 1:
            for at, step in enumerate(edit.chain, 1):
                after = _short(step.after) or "(nothing)"
                yield f"{at}. {step.rule}: {_short(step.before)} => {after}"
        elif edit.because:
            yield f"By {_rules(edit)}."

    def tree(self) -> Iterator[str]:
        """A line an edit: seeds first, an edit of several causes below the first of them.

        The others it names. A plan that is no cascade is a list.
        """
        caused: dict[str, list[str]] = {}
        roots = []
        for id, (_, edit) in self._placed.items():
            first = next((cause for cause in edit.because if cause in self._placed), None)
            if first is None:
                roots.append(id)
            else:
                caused.setdefault(first, []).append(id)
        told: set[str] = set()
        for root in [*roots, *self._placed]:  # those that cause one another have no seed above
            stack = [(root, 0)]
            while stack:
                id, depth = stack.pop()
                if id in told:
                    continue
                told.add(id)
                yield _line(*self._placed[id], depth)
                stack += [(below, depth + 1) for below in reversed(caused.get(id, ()))]


def consequence(review: Review, edits: Iterable[str]) -> str:
    """What rejecting these edits would reject, too; or that what causes them is rejected."""
    ids = [id for id in edits if review.own(id).choice != "reject"]
    if ids and all(map(review.lacks_cause, ids)):
        return "What causes this is rejected: it is not made."
    if not (others := review.consequences(ids)):
        return ""
    names = first_names([_place(*review.edits[id]) for id in others], _NAMED)
    return f"Rejecting this rejects {number(len(others), 'other edit')}, too: {names}."


def taken_along(plan: Plan) -> Iterator[str]:
    """Of the edits that have caused most, how many others go where one is left out (CB7)."""
    if not is_cascade(plan):
        return
    edits = {edit.id: (file.path, edit) for file in plan.files for edit in file.edits}
    counts = Counter(cause for _, edit in edits.values() for cause in edit.because)
    causes = Causation(plan)
    for edit_id, _ in counts.most_common(_NAMED):
        if lost := len(causes.lost({edit_id})):
            place = _place(*edits[edit_id])
            yield f"Without {edit_id} ({place}) {number(lost, 'other edit')} would go."


def _place(path: str, edit: Edit) -> str:
    return f"{one_line(path)}:{edit.shown_line}"


def _rules(edit: Edit) -> str:
    return " -> ".join(dict.fromkeys(step.rule for step in edit.chain)) or str(edit.rule_id)


def _line(path: str, edit: Edit, depth: int) -> str:
    more = f" (also because of {', '.join(edit.because[1:])})" if len(edit.because) > 1 else ""
    text = f"{_short(edit.whole_before)} => {_short(edit.whole_after) or '(nothing)'}"
    head = f"{'  ' * min(depth, _DEEPEST)}{edit.id} {_place(path, edit)}"
    return f"{head} [{_rules(edit)}] {text}{more}"


def _short(text: str) -> str:
    return shortened(one_line(" ".join(text.split())), _WIDTH)
