"""Where edits or places are, as items of a list: each file once, with its lines."""

from collections.abc import Iterable, Sequence
from itertools import groupby

from astedit.text.count_phrases import number
from astedit.text.html import html_line


def place_list(places: Iterable[tuple[str, int]], room: list[int], name: str) -> str:
    """A list of these paths and lines, as long as there is `room` for it.

    `room` is the bytes that are left for all lists, and gets less. What does not fit is
    counted, by this `name`.
    """
    items, listed = [], 0
    ordered = sorted(places)
    for path, own in groupby(ordered, key=lambda place: place[0]):
        lines = [line for _, line in own]
        item = f"<li>{_lines(path, lines)}"
        if len(item) > room[0]:
            break
        room[0] -= len(item)
        listed += len(lines)
        items.append(item)
    left = len(ordered) - listed
    items += [f"<li>and {number(left, f'more {name}')}"] if left else []
    return f"<ul>{''.join(items)}</ul>"


def _lines(path: str, lines: Sequence[int]) -> str:
    numbers = ", ".join(map(str, lines))
    return f"<code>{html_line(path)}</code> {numbers}"
