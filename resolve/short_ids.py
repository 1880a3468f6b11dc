"""The short form of an action's id: its last characters, four at least."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from resolve.actions import ALPHABET, PendingAction, listing
from resolve.errors import ToolError

SHORTEST = 4


def of_short_id(text: str, ending: Callable[[str], Sequence[PendingAction]]) -> PendingAction:
    """Returns the one action that an id, or the end of one, means.

    `ending` returns the actions whose id ends in a text. Pending actions come first: an end
    that only one of them has means that one. Raises `ToolError` for none and for several.
    """
    suffix = text.strip().lower()
    if len(suffix) < SHORTEST or not set(suffix) <= set(ALPHABET):
        raise unknown(text)
    alike = ending(suffix)
    candidates = [action for action in alike if action.state == "pending"] or alike
    if len(candidates) > 1:
        raise ToolError(
            f"{text} is ambiguous:\n{listing(candidates)}",
            code="ambiguous",
            hint="Give more characters of the id.",
        )
    if not candidates:
        raise unknown(text)
    return candidates[0]


def unknown(text: str) -> ToolError:
    """Returns the error for an id that no action has."""
    return ToolError(
        f"There is no action {text!r}.",
        code="unknown_action",
        hint="List the pending actions, and give an id or at least its last four characters.",
    )
