"""Whether an edit does what the others of its op do.

Templates are learned of the largest groups of alike edits first. An edit *agrees* with one
that gives its result from what was there. Where what was there fits the template of many
edits and the result does not, the edit is worth a look.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import NamedTuple

from astedit.model.shape_labels import AlikeEdits, SketchedEdit
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
    return ShapeTemplate(before, after, re.compile(old), *both, list(_endings(before, letters)))


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
    return re.sub(r" ([)\],:;])", r"\1", re.sub(r" ?([(\[.]) ?", r"\1", " ".join(tokens)))


FEWEST = 3  # edits that a template is learned of
EFFORT = 60_000_000  # ways to fill holes that are tried in one plan


class Agreement(NamedTuple):
    """How an edit stands to the templates of its op.

    `alike` counts the edits that do the same: that agree with the same template, or differ
    alike from one. `others` counts those that agree with the template of most edits that
    what was there fits and the result does not; `expected` is what that one gives.
    `brackets`: it agrees but for brackets around what it keeps. `foreign`: tokens come or go
    here that hardly any other edit changes.
    """

    alike: int
    brackets: bool = False
    others: int = 0
    expected: str = ""
    foreign: bool = False


def agreements(groups: Sequence[AlikeEdits]) -> dict[str, Agreement]:
    """How each edit agrees with the others of its op or rule, by its id."""
    by_op: dict[tuple[int | None, str | None], list[AlikeEdits]] = {}
    for group in groups:
        by_op.setdefault((group.shape.op, group.shape.rule_id), []).append(group)
    learning = _Learning()
    ops = [_OfOp(op, learning) for op in by_op.values()]
    for op in ops:
        op.count_changes()
    return {edit_id: agreement for op in ops for edit_id, agreement in op.agreements()}


class _Learning:
    """What all ops share: the letters, how many edits change a token, the effort left.

    Of the edits that agree with a template only the template's tokens are counted.
    """

    def __init__(self) -> None:
        self.letters = TokenLetters()
        self.changes = Counter[str](dict.fromkeys("(),", FEWEST))
        self._effort = EFFORT
        self._changed: dict[int, frozenset[str]] = {}

    def affordable(self, template: ShapeTemplate, text: str) -> bool:
        """Whether this text may be compared with a template; takes what it costs."""
        ways = template.ways(text)
        if ways > self._effort:
            return False
        self._effort -= ways
        return True

    def changed(self, sketch: Sketch) -> frozenset[str]:
        """The tokens that come or go with an edit."""
        if (known := self._changed.get(id(sketch))) is None:
            known = frozenset(token for token, _ in _changes(sketch.before, sketch.after))
            self._changed[id(sketch)] = known
        return known


class _OfOp:
    """The edits of one op, and the templates that were learned of them."""

    def __init__(self, groups: Sequence[AlikeEdits], learning: _Learning) -> None:
        self._learning = learning
        self._edits = [member for group in groups for member in group.edits]
        self._texts = {id(m.sketch): "" for m in self._edits}
        for member in self._edits:
            sketch = member.sketch
            self._texts[id(sketch)] = self._texts[id(sketch)] or learning.letters.edit(sketch)
        self._counts = Counter(self._text(member) for member in self._edits)
        self._own: dict[str, tuple[ShapeTemplate, bool]] = {}
        self._templates: list[ShapeTemplate] = []
        for group in groups:
            rest = [member for member in group.edits if self._text(member) not in self._own]
            if len(rest) >= FEWEST:
                self._learn(rest)
        self._templates.sort(key=lambda template: -template.edits)

    def _text(self, member: SketchedEdit) -> str:
        return self._texts[id(member.sketch)]

    def _learn(self, members: Sequence[SketchedEdit]) -> None:
        template = learned(members, self._learning.letters)
        self._templates.append(template)
        for text, count in self._counts.items():
            brackets = None if text in self._own else self._agrees(template, text)
            if brackets is not None:
                self._own[text] = template, brackets
                template.edits += count

    def _agrees(self, template: ShapeTemplate, text: str) -> bool | None:
        """False: exactly; True: but for brackets; None: it does not."""
        if not self._learning.affordable(template, text):
            return None
        if template.exact.fullmatch(text):
            return False
        return True if template.bracketed.fullmatch(text) else None

    def count_changes(self) -> None:
        """Counts the tokens that the edits of this op change."""
        for template in self._templates:
            self._learning.changes.update(dict.fromkeys(template.texts(), template.edits))
        for member in self._edits:
            if self._text(member) not in self._own:
                self._learning.changes.update(self._learning.changed(member.sketch))

    def agreements(self) -> Iterator[tuple[str, Agreement]]:
        """How each edit agrees, by its id."""
        differing = {m.edit.id: d for m in self._edits if (d := self._difference(m)) is not None}
        counts = Counter(difference.kind for difference in differing.values())
        for member in self._edits:
            own, brackets = self._own.get(self._text(member), (None, False))
            if (difference := differing.get(member.edit.id)) is None:
                foreign = own is None and self._foreign(member)
                yield member.edit.id, Agreement(own.edits if own else 0, brackets, foreign=foreign)
            else:
                alike = max(counts[difference.kind], self._sure(member))
                others, expected = difference.template.edits, spaced(difference.expected)
                foreign = self._foreign(member)
                yield member.edit.id, Agreement(alike, brackets, others, expected, foreign)

    def _sure(self, member: SketchedEdit) -> int:
        """How many edits agree with the template that says exactly what this one gives."""
        own, _ = self._own.get(self._text(member), (None, False))
        return own.edits if own and not own.vague else 0

    def _difference(self, member: SketchedEdit) -> "_Difference | None":
        """How an edit differs from the template of most edits that what was there fits."""
        text = self._text(member)
        sure = self._sure(member)
        for other in self._templates:
            if other.edits <= sure:
                break  # the rest have fewer edits
            if other.vague or not self._learning.affordable(other, text):
                continue
            match = other.old.match(text)
            if match is not None and self._agrees(other, text) is None:
                expected = other.result(match, self._learning.letters)
                return _Difference(other, expected, _changes(expected, member.sketch.after))
        return None

    def _foreign(self, member: SketchedEdit) -> bool:
        changed = self._learning.changed(member.sketch)
        return any(self._learning.changes[token] < FEWEST for token in changed)


class _Difference(NamedTuple):
    """What a template would give instead, and which tokens come or go because of that."""

    template: ShapeTemplate
    expected: list[str]
    tokens: frozenset[tuple[str, bool]]

    @property
    def kind(self) -> tuple[int, frozenset[tuple[str, bool]]]:
        """The same for edits that differ alike."""
        return id(self.template), self.tokens


def _changes(before: Tokens, after: Tokens) -> frozenset[tuple[str, bool]]:
    """The tokens that come (True) or go."""
    old, new = Counter(before), Counter(after)
    gone, come = old - new, new - old
    return frozenset([*((token, False) for token in gone), *((token, True) for token in come)])
