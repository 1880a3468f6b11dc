"""What alike edits do, read off the edits themselves: a template with holes.

What the edits keep is a hole; what they put in place of something else is text. Whoever made
them, and by whatever means, need not be known.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import NamedTuple

from astedit.model.shapes import SketchedEdit
from astedit.model.token_diff import Sketch, SketchPart, Tokens

MOSTLY = 0.8  # of the edits have the same text where a template has text
CONSTANT = 20  # edits that keep the same text make it a part of the template
BORDER = "\U00010000"  # between what was there and what is
_FIRST, _LETTERS = 0x20000, 0x10FFFF - 0x20000
_INSIDE = f"[^{BORDER}]+?"


@dataclass(slots=True, eq=False)
class TokenLetters:
    """Each token as a letter of its own, so that an edit is a text for regular expressions."""

    _letters: dict[str, str] = field(default_factory=dict)
    _tokens: dict[str, str] = field(default_factory=dict)

    def text(self, tokens: Iterable[str]) -> str:
        """The tokens as a text."""
        return "".join([self._letters.get(token) or self._new(token) for token in tokens])

    def edit(self, sketch: Sketch) -> str:
        """What was there and what is, as a text."""
        return f"{self.text(sketch.before)}{BORDER}{self.text(sketch.after)}"

    def tokens(self, text: str) -> list[str]:
        """The tokens of a text."""
        return [self._tokens[letter] for letter in text]

    def _new(self, token: str) -> str:
        letter = chr(_FIRST + len(self._letters) % _LETTERS)
        self._letters[token], self._tokens[letter] = letter, token
        return letter


class TemplatePart(NamedTuple):
    """A part of a template: a text, a hole by its number, or else whatever stands there."""

    text: tuple[str, ...] | None = None
    hole: int | None = None


ANYTHING = TemplatePart()


@dataclass(slots=True, eq=False)
class ShapeTemplate:
    """What alike edits do, as regular expressions over their letters.

    `old` is about what was there. `exact` is about both; so is `bracketed`, which allows for
    brackets around each hole. `endings` are the letters behind the holes of what was there.
    `edits` counts the edits that agree.
    """

    before: list[TemplatePart]
    after: list[TemplatePart]
    old: re.Pattern[str]
    exact: re.Pattern[str]
    bracketed: re.Pattern[str]
    endings: list[str]
    edits: int = 0

    @property
    def vague(self) -> bool:
        """Whether it says nothing of a part of the result."""
        return ANYTHING in self.after

    def texts(self) -> Iterator[str]:
        """The tokens that it puts or takes away."""
        for text, _ in (*self.before, *self.after):
            yield from text or ()

    def ways(self, text: str) -> int:
        """At most so many ways to fill the holes are tried with a text of two sides.

        A hole ends where what follows it stands; hostile code could have it very often.
        """
        ways, border = 1, text.index(BORDER)
        for ending in self.endings:
            ways *= max(text.count(ending, 0, border), 1)
        return ways

    def result(self, match: re.Match[str], letters: TokenLetters) -> list[str]:
        """What it gives where `old` matched."""
        pieces = (text or letters.tokens(match[f"h{hole}"]) for text, hole in self.after)
        return [token for piece in pieces for token in piece]


def learned(members: Sequence[SketchedEdit], letters: TokenLetters) -> ShapeTemplate:
    """The template of edits of one shape."""
    sketches = [member.sketch for member in members]
    before = list(_parts([(sketch.before, sketch.old) for sketch in sketches]))
    after = list(_parts([(sketch.after, sketch.new) for sketch in sketches]))
    opening, closing = letters.text("("), letters.text(")")
    old = _pattern(before, letters, f"(?P<h{{}}>{_INSIDE})") + BORDER
    exact = _pattern(after, letters, "(?P=h{})")
    bracketed = _pattern(after, letters, f"(?:(?P=h{{0}})|{opening}(?P=h{{0}}){closing})")
    both = re.compile(old + exact), re.compile(old + bracketed)
    endings = list(_endings(before, letters))
    return ShapeTemplate(before, after, re.compile(old), *both, endings)


def _endings(parts: Sequence[TemplatePart], letters: TokenLetters) -> Iterator[str]:
    """What stands behind each hole but the last; '' where that is a hole."""
    for part, following in pairwise(parts):
        if part.text is None:
            yield letters.text(following.text[:1]) if following.text else ""


def _parts(sides: Sequence[tuple[Tokens, Sequence[SketchPart]]]) -> Iterator[TemplatePart]:
    """The parts that one side of the edits has in common."""
    for column in zip(*(parts for _, parts in sides), strict=True):
        rows = zip(sides, column, strict=True)
        texts = Counter(tuple(tokens[part.start : part.end]) for (tokens, _), part in rows)
        text, count = texts.most_common(1)[0]
        if column[0].run is None:
            yield TemplatePart(text) if count >= MOSTLY * len(sides) else ANYTHING
        elif count == len(sides) >= CONSTANT:
            yield TemplatePart(text)
        else:
            yield TemplatePart(hole=column[0].run)


def _pattern(parts: Iterable[TemplatePart], letters: TokenLetters, hole: str) -> str:
    return "".join(
        letters.text(part.text)
        if part.text is not None
        else _INSIDE
        if part.hole is None
        else hole.format(part.hole)
        for part in parts
    )


def spaced(tokens: Tokens) -> str:
    """Tokens as code is mostly written: blanks, but none within brackets and before commas."""
    text = re.sub(r" ?([(\[.]) ?", r"\1", " ".join(tokens))
    return re.sub(r" ([)\],:;])", r"\1", text)
