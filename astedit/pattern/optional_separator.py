"""Where a `,` or `;` of a pattern may be missing in the code: beside a `$$$A`. (rules M-1, M-4)

`f($A, $$$B)` matches `f(1)`, where `$$$B` captures nothing and has no comma before it;
`f($$$A,)` matches `f(1)` too. `match.py` tries the separator first, then without it.
"""

from collections.abc import Sequence

from astedit.pattern.compile import Goal, Tag

_MANY = Tag.MANY


def may_be_missing_before(goals: Sequence[Goal], at: int, strictness: str) -> bool:
    """Whether goals[at] is a separator right before a many-hole, which then is empty. (M-4)"""
    return (
        goals[at].separator
        and at + 1 < len(goals)
        and goals[at + 1].tag == _MANY
        and strictness not in ("cst", "ast")
    )


def may_be_missing_behind(goal: Goal, strictness: str) -> bool:
    """Whether a goal behind the last many-hole is a separator that need not be there. (M-1)"""
    return goal.separator and strictness != "cst"
