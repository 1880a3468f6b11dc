"""Whether an edit does what the others of its op do.

Templates are learned of the largest groups of alike edits first. An edit *agrees* with one
that gives its result from what was there. Where what was there fits the template of many
edits and the result does not, the edit is worth a look.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from astedit.model.shapes import AlikeEdits, SketchedEdit
from astedit.model.token_diff import Sketch, Tokens
from astedit.review.templates import ShapeTemplate, TokenLetters, learned, spaced

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
        known = self._changed.get(id(sketch))
        if known is None:
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
            difference = differing.get(member.edit.id)
            if difference is None:
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
