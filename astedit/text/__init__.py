"""Text: as bytes, read, spliced and compared; in messages, how counts and lists are put."""

from collections import Counter
from collections.abc import Iterable, Sequence


def number(count: int, noun: str, plural: str | None = None) -> str:
    """`1 file`, `7,978 files`; `plural` is for a noun that takes no simple s."""
    return f"{count:,} {noun if count == 1 else plural or noun + 's'}"


def shortened(text: str, most: int) -> str:
    """At most so many characters of a text, the last of them `…` where it has more."""
    return text if len(text) <= most else f"{text[: most - 1]}…"


def clipped(text: str, most: int) -> str:
    """The first characters of a text, so many, and `…` behind them where it has more."""
    return text if len(text) <= most else f"{text[:most]}…"


def by_reason(reasons: Iterable[str]) -> str:
    """`12 generated, 1 not_utf8`: of reasons one by one, or counted already."""
    counts = Counter(reasons)
    return ", ".join(f"{count:,} {reason}" for reason, count in sorted(counts.items()))


def first_lines(
    lines: Sequence[str], most: int, *, indent: str = "", total: int | None = None
) -> list[str]:
    """At most so many of the lines, and one more that counts the others: `and 3 more`.

    `total` is for lines that are only the first of so many.
    """
    left = (len(lines) if total is None else total) - len(lines[:most])
    return [*lines[:most], *(indent + others for others in _others(left))]


def first_names(names: Sequence[str], most: int) -> str:
    """`a, b, c and 4 more`: at most so many of the names."""
    return " ".join([", ".join(names[:most]), *_others(len(names) - most)])


def _others(count: int) -> list[str]:
    return [f"and {count:,} more"] if count > 0 else []


def meant(names: Iterable[str], value: object) -> str:
    """The start of a hint: the name that is spelled much like `value`; "" if none is."""
    from difflib import get_close_matches

    folded = {name.casefold(): name for name in names}
    near = get_close_matches(value.casefold(), folded, n=1) if isinstance(value, str) else []
    return f"Did you mean {folded[near[0]]!r}? " if near else ""
