"""Files and their counts in few lines: each by name, or together by directory."""

from collections import Counter
from collections.abc import Sequence

from astedit.reading.budget import name, number

Counted = Sequence[tuple[str, int]]  # path, and how many of what is counted


def tally(files: Counted, rows: int) -> list[str]:
    """At most `rows` lines in which every file is counted.

    Directories stand for their files only as far as needed, the deepest first; with very
    many directories at the top the last line stands for all that are left.
    """
    if len(files) <= rows:
        return [f"{count:,} {name(path)}" for path, count in files]
    deepest = max(path.count("/") for path, _ in files)
    groups: dict[str, list[int]] = {}
    for depth in range(deepest, -1, -1):
        groups = _grouped(files, depth)
        if len(groups) <= rows:
            break
    ordered = sorted(groups.items(), key=lambda item: (-sum(item[1]), item[0]))
    shown, rest = ordered[: rows - 1], ordered[rows - 1 :]
    if len(rest) == 1:
        shown, rest = ordered, []
    lines = [f"{sum(counts):,} in {_files(counts)} below {name(top)}" for top, counts in shown]
    left = [count for _, counts in rest for count in counts]
    return [*lines, f"{sum(left):,} in {_files(left)} elsewhere"] if left else lines


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
