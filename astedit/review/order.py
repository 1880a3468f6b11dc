"""The order in which the edits of a plan are shown: odd ones first, then by shape.

It depends on the plan and on who owns its files, never on what was decided.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from enum import IntEnum
from hashlib import sha256
from math import ceil, comb, fsum
from typing import Literal, NamedTuple

from astedit.model.edit import Edit, Shape
from astedit.model.plan import Plan
from astedit.model.shape_labels import AlikeEdits, SketchedEdit, capture_kind
from astedit.model.shapes import alike_edits
from astedit.model.token_diff import TOKEN
from astedit.review.agreement import Agreement, agreements
from astedit.text import number
from astedit.workspace.path_policy import classify
from resolve.visible import mixed_scripts

Owners = Callable[[str], Sequence[str]]
RARE = 2  # edits with a kind of capture that no others have are worth a look
LARGE = 50  # edits of a shape in which that is rare
_TEST_DIRECTORIES = frozenset({"test", "tests", "__tests__", "spec", "specs"})
_TEST_NAME = re.compile(r"(test_.*|.*[_.-](test|spec)|conftest|tests?|.*[a-z0-9]Tests?)\.\w+")


class EditTraits(NamedTuple):
    """What may vary among alike edits."""

    captures: tuple[str, ...]
    test: bool
    owners: tuple[str, ...]


def traits_of(members: Sequence[SketchedEdit], owners: Owners) -> list[EditTraits]:
    """The traits of each edit of a shape."""
    kinds: dict[int, tuple[str, ...]] = {}
    places: dict[str, tuple[bool, tuple[str, ...]]] = {}
    rows = []
    for path, _, sketch in members:
        place = places.get(path) or places.setdefault(path, (is_test(path), tuple(owners(path))))
        if (captures := kinds.get(id(sketch))) is None:
            runs = [part for part in sketch.old if part.run is not None]
            pieces = (sketch.before[part.start : part.end] for part in runs)
            captures = kinds[id(sketch)] = tuple(map(capture_kind, pieces))
        rows.append(EditTraits(captures, *place))
    return rows


def labels(rows: Sequence[EditTraits]) -> list[str]:
    """What tells each edit from the others, in words; the same for those of one sub-group."""
    captures = zip(*(row.captures for row in rows), strict=True)
    varying = [at for at, kinds in enumerate(captures) if len(set(kinds)) > 1]
    tests = len({row.test for row in rows}) > 1
    owners = len({row.owners for row in rows}) > 1
    return [_label(row, varying, tests, owners) for row in rows]


def _label(row: EditTraits, varying: Sequence[int], tests: bool, owners: bool) -> str:
    parts = [", ".join(row.captures[at] for at in varying)] if varying else []
    parts += [("tests" if row.test else "source")] if tests else []
    parts += [" ".join(row.owners) or "no owner"] if owners else []
    return "; ".join(parts)


def rare_kinds(rows: Sequence[EditTraits]) -> list[str]:
    """For each edit of a shape the kind of a capture that hardly any other has, or ''."""
    if len(rows) < LARGE:
        return [""] * len(rows)
    counts = [Counter(kinds) for kinds in zip(*(row.captures for row in rows), strict=True)]
    pairs = (zip(row.captures, counts, strict=True) for row in rows)
    return [next((kind for kind, count in own if count[kind] <= RARE), "") for own in pairs]


def is_test(path: str) -> bool:
    """Whether a file is one of tests, by its name or a directory's."""
    *directories, name = path.split("/")
    return not _TEST_DIRECTORIES.isdisjoint(directories) or bool(_TEST_NAME.fullmatch(name))


FEW = 2  # edits of a shape that is an outlier
BESIDE = 3  # lines between an edit and what is beside it
RARELY = 0.1  # of all edits have brackets added, else that is nothing odd
SELDOM = 0.03  # so many do the same as an edit, by those that would do otherwise
_WORDS = {frozenset(",;"): "comma", frozenset("()"): "brackets", frozenset("="): "keyword"}


class Oddity(IntEnum):
    """Kinds of reasons; the first are the most worth a look."""

    LOOK_ALIKE = 0
    DIFFERS = 1
    PROTECTED = 2
    ALONE = 3
    UNUSUAL = 4
    NESTED = 5


class OutlierReason(NamedTuple):
    """Why an edit is shown first; the smaller, the earlier."""

    oddity: Oddity
    share: float
    text: str


class _Neighbours(NamedTuple):
    """Lines of a file that are beside something, and what to say of them."""

    line: int
    text: str


class OutlierFinder:
    """Finds the outliers of a plan."""

    def __init__(self, plan: Plan, groups: Sequence[AlikeEdits]) -> None:
        self._agreements = agreements(groups)
        self._neighbours = _neighbours(plan)
        bracketed = sum(each.brackets for each in self._agreements.values())
        self._brackets_are_usual = bracketed > RARELY * len(self._agreements)

    def reasons(
        self, group: AlikeEdits, rows: Sequence[EditTraits]
    ) -> Mapping[str, list[OutlierReason]]:
        """Why edits of a shape are outliers, by their ids; of others there is nothing."""
        usual = self._brackets_are_usual
        by_path = {path: list(_by_path(path)) for path in {member.path for member in group.edits}}
        found = {}
        for member, rare in zip(group.edits, rare_kinds(rows), strict=True):
            reasons = [
                *_by_text(member.edit),
                *_by_agreement(member.edit, self._agreements[member.edit.id], usual),
                *by_path[member.path],
                *_by_count(len(group.edits)),
                *self._by_place(member.path, member.edit),
            ]
            if rare:
                reasons.append(_unusual(f"hardly any other has {rare} there"))
            if member.edit.origin is not None:
                reasons = [_unusual("a person wrote it")]
            if reasons:
                found[member.edit.id] = sorted(reasons)
        return found

    def _by_place(self, path: str, edit: Edit) -> Iterator[OutlierReason]:
        last = edit.shown_line + edit.whole_before.count("\n")
        for line, text in self._neighbours.get(path, ()):
            if edit.shown_line - BESIDE <= line <= last + BESIDE:
                yield _unusual(text)
                return


def _unusual(text: str) -> OutlierReason:
    return OutlierReason(Oddity.UNUSUAL, 0, text)


def _neighbours(plan: Plan) -> Mapping[str, list[_Neighbours]]:
    places: dict[str, list[_Neighbours]] = {}
    for item in plan.blocked:
        if item.range is not None:
            text = f"beside a match that is left out ({item.reason})"
            places.setdefault(item.path, []).append(_Neighbours(item.range.line, text))
    for near in plan.near:
        for reason in near.reasons:
            if reason.line is not None:
                text = f"beside a near miss of {near.pattern}"
                places.setdefault(reason.path, []).append(_Neighbours(reason.line, text))
    return places


def _by_text(edit: Edit) -> Iterator[OutlierReason]:
    if edit.after.isascii():
        return
    names = set(mixed_scripts(edit.whole_after)) - set(mixed_scripts(edit.whole_before))
    if names:
        text = f"{', '.join(sorted(names))} mixes letters of scripts that look alike"
        yield OutlierReason(Oddity.LOOK_ALIKE, 0, text)


def _by_agreement(edit: Edit, agreement: Agreement, usual: bool) -> Iterator[OutlierReason]:
    alike, others = agreement.alike, agreement.others
    if others and alike <= max(FEW, SELDOM * others):
        nested = edit.matches > 1
        oddity = Oddity.NESTED if nested and not agreement.foreign else Oddity.DIFFERS
        text = f"{number(others, 'alike edit')} {_otherwise(agreement.expected, edit)}"
        yield OutlierReason(oddity, nested + (alike + 1) / others, text)
    elif agreement.brackets and not usual:
        yield _unusual("brackets were added")


def _by_path(path: str) -> Iterator[OutlierReason]:
    path_class = classify(path)
    if path_class == "noted":
        yield _unusual("the file runs by itself")
    elif path_class is not None:
        yield OutlierReason(Oddity.PROTECTED, 0, "the file is protected")


def _by_count(count: int) -> Iterator[OutlierReason]:
    if count <= FEW:
        text = "like no other edit" if count == 1 else "like one other edit alone"
        yield OutlierReason(Oddity.ALONE, count, text)


def _otherwise(expected: str, edit: Edit) -> str:
    """What alike edits do and this one does not, in words."""
    theirs, own = (Counter(TOKEN.findall(text)) for text in (expected, edit.whole_after))
    more, less = theirs - own, own - theirs
    if not more and not less:
        return "keep another order"
    for names, words in _WORDS.items():
        if more and names.issuperset(more) and not less:
            return f"keep the {words}"
        if less and names.issuperset(less) and not more:
            return f"have no {words} here"
    if not less:
        return "keep more of the code"
    return "keep less of the code" if not more else "become something else"


SAMPLE = 59  # the fewest of which none is wrong that say "under 5 %"
CONFIDENCE = 0.95
_LITTLE = 1e-6  # percent; 95 % are no 96 % for a rounding error


def sampled(fingerprint: str, edit_ids: Sequence[str]) -> list[str]:
    """All of these edits in random order, the same for a plan for ever: any first part of it
    is a sample."""
    return sorted(edit_ids, key=lambda edit_id: sha256(f"{fingerprint}{edit_id}".encode()).digest())


def sentence(read: int, wrong: int) -> str:
    """What so many wrong ones of a sample say of edits that are alike; '' without a sample."""
    if not read:
        return ""
    share = 100 * at_most(read, wrong)
    shown = ceil(share - _LITTLE) if share > 1 else ceil(10 * share) / 10
    most = f"under {shown} % wrong with 95 % confidence"
    return f"{wrong} of {read} wrong: {most}, if these are alike"


def at_most(read: int, wrong: int) -> float:
    """The share of wrong ones with which one sample in twenty would show so few: exact.

    (Clopper and Pearson, one-sided; without a wrong one about 3 by the number read.)
    """
    if wrong >= read:
        return 1.0
    low, high, numbers = 0.0, 1.0, range(wrong + 1)
    for _ in range(30):
        share = (low + high) / 2
        few = (comb(read, each) * share**each * (1 - share) ** (read - each) for each in numbers)
        if fsum(few) > 1 - CONFIDENCE:
            low = share
        else:
            high = share
    return high


SMALL = 20  # edits of a shape that are all shown


class OrderedEdit(NamedTuple):
    """An edit in its place in the order; `shape` is the number of its shape, from 1.

    `why` says, the weightiest first, why it is shown before the others; empty for most.
    """

    path: str
    edit: Edit
    shape: int
    why: tuple[str, ...] = ()

    def spells(self, text: str) -> bool:
        """Whether a search for the text finds it: in its path, or in its code before or after."""
        places = (self.path, self.edit.whole_before, self.edit.whole_after)
        return any(text.casefold() in place.casefold() for place in places)


class SubGroup(NamedTuple):
    """Edits of one shape that have in common what the label says; '' where nothing varies."""

    label: str
    edits: tuple[OrderedEdit, ...]


class ReviewGroup(NamedTuple):
    """What is decided as one: all outliers, or a shape less its outliers.

    All of a small shape is `shown`; of a large one the first, which is the plainest, and a
    sample. The rest is `folded`, by what varies. `number` is the shape's, None of outliers.
    """

    kind: Literal["outliers", "small", "large"]
    number: int | None
    shape: Shape | None
    shown: tuple[OrderedEdit, ...]
    folded: tuple[SubGroup, ...] = ()

    @property
    def label(self) -> str:
        """The shape's label."""
        return self.shape.label if self.shape else "Outliers"

    @property
    def edits(self) -> tuple[OrderedEdit, ...]:
        """All edits in their order: what is shown, then what is folded."""
        return self.shown + tuple(edit for part in self.folded for edit in part.edits)

    @property
    def sample(self) -> tuple[OrderedEdit, ...]:
        """The edits of a large shape that speak for it; none of others, which are read whole."""
        return self.shown[1:] if self.kind == "large" else ()


def nobody(path: str) -> tuple[str, ...]:
    """The owners of any file, where nobody is named."""
    return ()


def ordered(
    plan: Plan, owners: Owners = nobody, groups: Sequence[AlikeEdits] | None = None
) -> list[ReviewGroup]:
    """Outliers first, then small shapes, then large ones; each edit is in one group.

    `groups` are the shapes of the plan, where they are known already.
    """
    groups = alike_edits(plan.files, plan.request) if groups is None else groups
    finder = OutlierFinder(plan, groups)
    shapes, odd = [], []
    for shape_number, group in enumerate(groups, 1):
        rows = traits_of(group.edits, owners)
        reasons = finder.reasons(group, rows)
        for m in group.edits:
            if why := reasons.get(m.edit.id):
                texts = tuple(reason.text for reason in why)
                odd.append((why, OrderedEdit(m.path, m.edit, shape_number, texts)))
        pairs = zip(group.edits, rows, strict=True)
        if members := [(m, row) for m, row in pairs if m.edit.id not in reasons]:
            shapes.append(_shape_group(plan.fingerprint, shape_number, group, members))
    odd.sort(key=lambda pair: (pair[0][0], pair[1].path, pair[1].edit.start))
    first = [ReviewGroup("outliers", None, None, tuple(edit for _, edit in odd))] if odd else []
    shapes.sort(key=lambda group: len(group.edits) if group.kind == "small" else SMALL + 1)
    return first + shapes


def part_of_groups(groups: Sequence[ReviewGroup], edit_ids: Set[str]) -> list[ReviewGroup]:
    """The groups with these edits alone, in the same order; without those that have none."""
    parts = []
    for group in groups:
        folded = (SubGroup(part.label, _of_ids(part.edits, edit_ids)) for part in group.folded)
        left = tuple(part for part in folded if part.edits)
        parts.append(group._replace(shown=_of_ids(group.shown, edit_ids), folded=left))
    return [part for part in parts if part.edits]


def _of_ids(edits: Sequence[OrderedEdit], edit_ids: Set[str]) -> tuple[OrderedEdit, ...]:
    return tuple(edit for edit in edits if edit.edit.id in edit_ids)


def _shape_group(
    fingerprint: str,
    shape_number: int,
    group: AlikeEdits,
    members: Sequence[tuple[SketchedEdit, EditTraits]],
) -> ReviewGroup:
    """A shape less its outliers."""
    placed = {m.edit.id: OrderedEdit(m.path, m.edit, shape_number) for m, _ in members}
    if len(members) <= SMALL:
        shown = tuple(placed.values())
        return ReviewGroup("small", shape_number, group.shape, shown)
    edits = [member.edit for member, _ in members]
    plainest = min(edits, key=lambda edit: (len(edit.whole_before), len(edit.whole_after))).id
    rest = [edit_id for edit_id in placed if edit_id != plainest]
    names = [plainest, *sampled(fingerprint, rest)[:SAMPLE]]
    shown = tuple(placed[name] for name in names)
    by_label: dict[str, list[OrderedEdit]] = {}
    for (member, _), label in zip(members, labels([row for _, row in members]), strict=True):
        if member.edit.id not in set(names):
            by_label.setdefault(label, []).append(placed[member.edit.id])
    parts = [SubGroup(label, tuple(edits)) for label, edits in by_label.items()]
    parts.sort(key=lambda part: len(part.edits))
    return ReviewGroup("large", shape_number, group.shape, shown, tuple(parts))
