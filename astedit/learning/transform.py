"""Small functions of a capture: what a template may use beside the capture itself."""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

_MOST_ENDS = 12  # characters that are taken away at one end
_LOWER, _UPPER = {"convert": {"toCase": "lowerCase"}}, {"convert": {"toCase": "upperCase"}}
_DASHED = {"replace": {"replace": "_", "by": "-"}}
_FUNCTIONS: tuple[tuple[list[dict[str, Any]], Callable[[str], str]], ...] = (
    ([], str),
    ([_LOWER], str.lower),
    ([_UPPER], str.upper),
    ([_LOWER, _DASHED], lambda text: text.lower().replace("_", "-")),
    ([_DASHED], lambda text: text.replace("_", "-")),
)


class SmallFunction(NamedTuple):
    """Steps of a `transform`, what stands around the result, and what is cut off before."""

    steps: list[dict[str, Any]]
    lead: str
    end: str
    ends: tuple[str, str]


def function_of(captured: Sequence[str], wanted: Sequence[str]) -> SmallFunction | None:
    """The function that makes each wanted text of what was captured, if there is a small one."""
    least = 3 if len(captured) == 1 else 1
    for head in range(_MOST_ENDS):
        for tail in range(_MOST_ENDS):
            cores = [text[head : len(text) - tail] for text in captured]
            if min(map(len, cores)) < least:
                break
            if len({_ends(text, head, tail) for text in captured}) > 1:
                continue
            for steps, function in _FUNCTIONS:
                around = _around(list(map(function, cores)), wanted)
                if around is None:
                    continue
                cut = ({"startChar": head} if head else {}) | ({"endChar": -tail} if tail else {})
                changes = [{"substring": cut}] if cut else []
                first = captured[0]
                ends = first[:head], first[len(first) - tail :]
                return SmallFunction([*changes, *steps], *around, ends)
    return None


def _around(cores: Sequence[str], wanted: Sequence[str]) -> tuple[str, str] | None:
    """What stands before and behind all cores; None where that differs."""
    at = wanted[0].find(cores[0])
    lead, end = wanted[0][:at], wanted[0][at + len(cores[0]) :]
    alike = all(two == lead + core + end for core, two in zip(cores, wanted, strict=True))
    return (lead, end) if at >= 0 and alike else None


def _ends(text: str, head: int, tail: int) -> tuple[str, str]:
    ends = text[:head], text[len(text) - tail :]
    return ("'", "'") if ends in (('"', '"'), ("'", "'")) else ends
