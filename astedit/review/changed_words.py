"""Which words differ between two pieces of code: what a person should look at first."""

import re
from difflib import SequenceMatcher
from typing import NamedTuple

_MOST = 250_000  # pairs of words to compare; of more all count as changed
_WORD = re.compile(r"\w+|\s+|[^\w\s]")


class TextSpan(NamedTuple):
    """Characters `start` to `end` of a text."""

    start: int
    end: int


def changed_words(before: str, after: str) -> tuple[list[TextSpan], list[TextSpan]]:
    """The parts of both texts that the other one does not have in the same order.

    A word that moved is changed on both sides. White space counts where nothing else differs
    beside it; new or removed lines alone do not. Of very many words all count as changed.
    """
    old, new = _WORD.findall(before), _WORD.findall(after)
    if len(old) * len(new) > _MOST:
        return [TextSpan(0, len(before))], [TextSpan(0, len(after))]
    matcher = SequenceMatcher(None, old, new, autojunk=False)
    changes = [code for code in matcher.get_opcodes() if code[0] != "equal"]
    return (
        _spans(old, [(start, end) for _, start, end, _, _ in changes]),
        _spans(new, [(start, end) for _, _, _, start, end in changes]),
    )


def _spans(words: list[str], ranges: list[tuple[int, int]]) -> list[TextSpan]:
    """The ranges of words as characters; those with only white space between them are joined."""
    starts = [0]
    for word in words:
        starts.append(starts[-1] + len(word))
    text = "".join(words)
    spans: list[TextSpan] = []
    for low, high in (TextSpan(starts[first], starts[end]) for first, end in ranges):
        if spans and low < high and not text[spans[-1].end : low].strip():
            spans[-1] = TextSpan(spans[-1].start, high)
        elif low < high:
            spans.append(TextSpan(low, high))
    return [word for span in spans for word in _stripped(text, span)]


def _stripped(text: str, span: TextSpan) -> list[TextSpan]:
    """The span without the white space around it; none if it is but line breaks."""
    part = text[span.start : span.end]
    if not part.strip():
        return [] if "\n" in part else [span]
    start = span.start + len(part) - len(part.lstrip())
    return [TextSpan(start, start + len(part.strip()))]
