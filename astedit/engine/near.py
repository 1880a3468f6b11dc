"""What the places lack that a pattern names and does not match, and how to match them."""

import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import NamedTuple

from astedit.engine.inline_limits import is_shallow
from astedit.engine.places import PlacesData, names_of
from astedit.engine.program import CompiledOp, Program
from astedit.limits import SlowParseError
from astedit.model.near import Near, NearReason
from astedit.pattern.compile import Pattern
from astedit.pattern.doctor.near import missed
from astedit.pattern.doctor.unmatched import ways

REASONS = 3  # of one op that are told
LINES = 3  # of text, for all ops
_SHARE = 3  # of the run's time, one part may be spent here
_LEAST = 0.1  # seconds that may be spent however short the run was
_MANY = 10  # places that are worth a line though nothing else would match them

ReadText = Callable[[str], bytes | None]


class _Place(NamedTuple):
    """The first place of a kind: in which file, of which language, at which byte."""

    path: str
    language: str
    start: int


class _Counted:
    """The places of one name of one op, added up."""

    def __init__(self) -> None:
        self.places = 0
        self.matched = 0
        self.kinds = Counter[str]()
        self.first: dict[str, _Place] = {}


class PlaceCounts:
    """The places of all files, added up by op and name."""

    def __init__(self) -> None:
        self._counted: dict[tuple[int, bytes], _Counted] = {}

    def add(self, path: str, language: str, counted: Iterable[PlacesData]) -> None:
        """Adds those of one file; files come in path order."""
        for one in counted:
            sums = self._counted.setdefault((one.op, one.name), _Counted())
            sums.places += one.places
            sums.matched += one.matched
            for kind, times, start in one.kinds:
                sums.kinds[kind] += times
                sums.first.setdefault(kind, _Place(path, language, start))

    def near(self, programs: Mapping[str, Program], seconds: float, read: ReadText) -> list[Near]:
        """What is told of each op that is a pattern; `seconds` is what the run took."""
        end = time.monotonic() + max(_LEAST, seconds / _SHARE)
        return [self._of(op, programs, read, end) for op in _patterns(programs.values())]

    def _of(
        self, op: CompiledOp, programs: Mapping[str, Program], read: ReadText, end: float
    ) -> Near:
        assert op.pattern is not None
        sums = {name: self._counted.get((op.index, name)) for name in names_of(op.pattern)}
        name = min(sums, key=lambda name: ((one := sums[name]) and one.places) or 0)
        rarest = sums[name] or _Counted()
        shown = name.decode("utf-8", "replace")
        near = Near(op.index, op.pattern.text, shown, rarest.places, rarest.matched)
        for kind, count in rarest.kinds.most_common(REASONS):
            place = rarest.first[kind]
            reason = NearReason(kind, count, place.path)
            near.reasons.append(reason)
            if near.places > 2 * near.matched and time.monotonic() < end:
                pattern = _in(programs[place.language], op.index)
                with suppress(SlowParseError):
                    _explain(reason, place, pattern, len(name), read, end)
        return near


def _patterns(programs: Iterable[Program]) -> list[CompiledOp]:
    """The ops that are patterns and spell a name, each once."""
    ops: dict[int, CompiledOp] = {}
    for program in programs:
        for op in program.ops:
            if op.pattern is not None and names_of(op.pattern):
                ops.setdefault(op.index, op)
    return [ops[index] for index in sorted(ops)]


def _in(program: Program, index: int) -> Pattern:
    """An op's pattern as it is compiled in one language."""
    return next(op.pattern for op in program.ops if op.index == index and op.pattern is not None)


def _explain(
    reason: NearReason, place: _Place, pattern: Pattern, size: int, read: ReadText, end: float
) -> None:
    """Adds what differs at the first place of a kind, and what would match it."""
    source = read(place.path)
    if source is None or not is_shallow(source):
        return
    root = pattern.grammar.parser().parse(source).root_node
    reason.line = source.count(b"\n", 0, place.start) + 1
    difference = missed(pattern, source, root, place.start, place.start + size)
    if difference is not None:
        reason.text, reason.why = difference
    for suggestion, finder in ways(pattern):
        if time.monotonic() > end:
            return
        matches = finder.find(root, source) if finder.may_match(source) else []
        if any(one.node.start_byte <= place.start < one.node.end_byte for one in matches):
            reason.spelling = suggestion.message
            return


def lines(nears: Sequence[Near]) -> list[str]:
    """The ops of which most places do not match, as lines of text."""
    worth = [near for near in nears if _is_worth(near)]
    worth.sort(key=lambda near: near.matched - near.places)
    return [_line(near) for near in worth[:LINES]]


def _is_worth(near: Near) -> bool:
    missing = near.places - near.matched
    if not near.matched:
        return True
    known = any(reason.spelling for reason in near.reasons)
    alike = any(reason.why for reason in near.reasons)
    return missing > near.matched and (known or (alike and missing >= _MANY))


def _line(near: Near) -> str:
    if not near.places:
        return f"`{near.pattern}` matches nothing: no file holds all of it."
    kinds = ", ".join(f"{reason.count:,} stand in {reason.kind}" for reason in near.reasons)
    head = f"`{near.pattern}` matches {near.matched:,} of {near.places:,} places of `{near.name}`"
    return ". ".join([f"{head}; {kinds}" if kinds else head, *_details(near)]) + "."


def _details(near: Near) -> Iterator[str]:
    """The first difference that has a remedy, else the first difference."""
    known = sorted(near.reasons, key=lambda reason: reason.spelling is None)
    for reason in known[:1]:
        if reason.why is not None:
            yield f"{reason.path}:{reason.line}: `{reason.text}`: {reason.why}"
        if reason.spelling is not None:
            yield reason.spelling
