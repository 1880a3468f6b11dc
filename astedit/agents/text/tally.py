"""Files and their counts in few lines: each by name, or together by directory."""

from collections import Counter
from collections.abc import Sequence

from astedit.agents.text.budget import Budget, name
from astedit.text.count_phrases import number

Counted = Sequence[tuple[str, int]]  # path, and how many of what is counted
_ROWS = (40, 30, 20, 12, 8, 4, 1)


def fitted(heading: str, files: Counted, budget: Budget, limit: int) -> list[str]:
    """The heading and every file counted, in as many lines as `limit` has room for.

    One line there always is, whatever it costs.
    """
    own = Budget(min(limit, budget.left))
    lines: list[str] = []
    before = own.left
    for rows in _ROWS:
        lines = [heading, *tally(files, rows)]
        if own.fits(lines):
            break
    budget.left -= before - own.left
    return lines


def tally(files: Counted, rows: int) -> list[str]:
    """At most `rows` lines in which every file is counted.

    Directories stand for their files only as far as needed, the deepest first; with very
    many directories at the top the last line stands for all that are left.
    """
    if len(files) <= rows:
        return [f"{count:,} {name(path)}" for path, count in files]
    groups = _grouped(files, 0)
    for depth in range(max(path.count("/") for path, _ in files), 0, -1):
        groups = _grouped(files, depth)
        if len(groups) <= rows:
            break
    ordered = sorted(groups.items(), key=lambda item: (-sum(item[1]), item[0]))
    most = rows if len(ordered) <= rows else rows - 1
    lines = [f"{sum(counts):,} in {_files(counts)} below {name(top)}" for top, counts in ordered]
    left = [count for _, counts in ordered[most:] for count in counts]
    return [*lines[:most], *([f"{sum(left):,} in {_files(left)} elsewhere"] if left else [])]


def _grouped(files: Counted, depth: int) -> dict[str, list[int]]:
    groups: dict[str, list[int]] = {}
    for path, count in files:
        parts = path.split("/")[:-1][:depth]
        groups.setdefault("/".join([*parts, ""]) or "./", []).append(count)
    return groups


def _files(counts: Sequence[int]) -> str:
    return number(len(counts), "file")


def by_reason(reasons: Counter[str]) -> str:
    """`12 generated, 1 not_utf8`."""
    return ", ".join(f"{count:,} {reason}" for reason, count in sorted(reasons.items()))
