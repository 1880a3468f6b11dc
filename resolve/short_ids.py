"""The short form of an action's id: four or more characters of its end, or of its beginning."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Sequence

from resolve.actions import ALPHABET, PendingAction, listing
from resolve.errors import ToolError

SHORTEST = 4
_LISTED = 10  # of those that a text may mean


def of_short_id(text: str, alike: Callable[[str], Sequence[PendingAction]]) -> PendingAction:
    """Returns the one action that an id, or one end of one, means.

    `alike` returns the actions whose id begins or ends with a text. Pending actions come
    first: an end that only one of them has means that one. Raises `ToolError` for none and
    for several.
    """
    end = text.strip().lower()
    if len(end) < SHORTEST or not set(end) <= set(ALPHABET):
        raise unknown(text)
    actions = alike(end)
    candidates = [action for action in actions if action.state == "pending"] or actions
    if len(candidates) > 1:
        more = "\n…" if len(candidates) > _LISTED else ""
        raise ToolError(
            f"{text} is ambiguous:\n{listing(candidates[:_LISTED])}{more}",
            code="ambiguous",
            hint="Give more characters of the id; its end is what differs most.",
        )
    if not candidates:
        raise unknown(text)
    return candidates[0]


def short_ids(ids: Collection[str]) -> dict[str, str]:
    """Returns for each id the shortest end that means no other one of them."""
    ends = {id: id[-SHORTEST:] for id in ids}
    while shared := _shared(ends):
        ends = {id: id[-len(end) - 1 :] if end in shared else end for id, end in ends.items()}
    return ends


def _shared(ends: dict[str, str]) -> set[str]:
    counts = Counter(ends.values())
    beginnings = {id[:size] for id in ends for size in {*map(len, counts)} if size < len(id)}
    return {end for end, count in counts.items() if count > 1 or end in beginnings}


def unknown(text: str) -> ToolError:
    """Returns the error for an id that no action has."""
    return ToolError(
        f"There is no action {text!r}.",
        code="unknown_action",
        hint="List the pending actions, and give an id or four characters or more of its end.",
    )
