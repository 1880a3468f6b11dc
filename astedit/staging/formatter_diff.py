"""Which lines a formatter changed: cut wherever both texts have come to the same place.

A diff of lines would take a line such as `)` for another one that is equal. Here the words
of the code are compared, and white space, commas, quotes and parentheses, which formatters
add and take away, do not count.
"""

import re
from collections.abc import Iterator
from difflib import SequenceMatcher

from astedit.text.splice import Change, is_idle

_WORD = re.compile(rb"""[\w\x80-\xff]+|[^\s"'`(),;\\]""")
_MOST = 2_000_000  # pairs of words to compare; more would take seconds


def formatter_changes(before: bytes, after: bytes) -> list[Change]:
    """Changes of whole lines that turn `before` into `after`, as small as they can be told."""
    old_words, old_ends = _words(before)
    new_words, new_ends = _words(after)
    changes, here, there = [], 0, 0
    for old, new in [*_same_places(old_words, new_words), (len(old_words), len(new_words))]:
        if old in old_ends and new in new_ends and old_ends[old] > here:
            change = here, old_ends[old], after[there : new_ends[new]]
            here, there = old_ends[old], new_ends[new]
            if not is_idle(change, before):
                changes.append(change)
    if here < len(before) or there < len(after):
        changes.append((here, len(before), after[there:]))
    return changes


def _words(text: bytes) -> tuple[list[bytes], dict[int, int]]:
    """The words, and after how many of them the last line ends that ends there.

    A line that only opens a parenthesis belongs to the words behind it.
    """
    words: list[bytes] = []
    ends: dict[int, int] = {}
    at = 0
    for line in text.splitlines(keepends=True):
        at += len(line)
        own = _WORD.findall(line)
        words += own
        if own or not line.lstrip().startswith(b"("):
            ends[len(words)] = at
    return words, ends


def _same_places(old: list[bytes], new: list[bytes]) -> Iterator[tuple[int, int]]:
    """After how many words of each text both have come to the same place, in order."""
    least = min(len(old), len(new))
    head = next((n for n in range(least) if old[n] != new[n]), least)
    tail = next((n for n in range(least - head) if old[-1 - n] != new[-1 - n]), least - head)
    yield from ((count, count) for count in range(head + 1))
    gone, come = old[head : len(old) - tail], new[head : len(new) - tail]
    if len(gone) * len(come) <= _MOST:
        for block in SequenceMatcher(None, gone, come, autojunk=False).get_matching_blocks():
            here, there = head + block.a, head + block.b
            yield from ((here + n, there + n) for n in range(block.size + 1))
    here, there = len(old) - tail, len(new) - tail
    yield from ((here + n, there + n) for n in range(tail + 1))
