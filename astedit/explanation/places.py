"""What places lack that hold the name of a pattern and do not match it, and how to match them."""

import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from itertools import tee
from typing import NamedTuple

from tree_sitter import Node

from astedit.engine.files.places import NamePlace
from astedit.engine.run.prepare import Evidence
from astedit.explanation.difference import missed
from astedit.explanation.unmatched import ways
from astedit.limits import SlowParseError, is_shallow
from astedit.model.edit import Near, NearReason
from astedit.model.request import EditRequest
from astedit.pattern.compile import Pattern
from astedit.text.source import ByteRange
from astedit.workspace.confined_open import read_within
from astedit.workspace.root import Workspace

LINES = 3  # of text, for all ops
_SHARE = 3  # of the run's time, one part may be spent here
_LEAST = 0.1  # seconds that may be spent however short the run was
_MANY = 10  # places that are worth a line though nothing else would match them


class PlaceReason(NamedTuple):
    """The code around a place and what differs there; a spelling that would match it."""

    text: str | None = None
    why: str | None = None
    spelling: str | None = None


class PlaceReasons:
    """Says of places in one parsed text why a pattern does not match them."""

    def __init__(self, pattern: Pattern, source: bytes, root: Node, until: float) -> None:
        """After `until`, as `time.monotonic` counts, no other spelling is tried."""
        self._pattern = pattern
        self._source = source
        self._root = root
        self._until = until
        self._others = self._spellings()

    def of(self, start: int, size: int) -> PlaceReason:
        """The reason for one place, as far as there is time to find it."""
        reason = PlaceReason()
        with suppress(SlowParseError):
            difference = missed(self._pattern, self._source, self._root, start, start + size)
            reason = PlaceReason(*(difference or ()))
            self._others, others = tee(self._others)  # so that each is tried once
            for spelling, spans in others:
                if any(low <= start < high for low, high in spans):
                    return reason._replace(spelling=spelling)
        return reason

    def _spellings(self) -> Iterator[tuple[str, list[ByteRange]]]:
        for suggestion, finder in ways(self._pattern):
            if time.monotonic() > self._until:
                return
            matches = (
                finder.find(self._root, self._source) if finder.may_match(self._source) else []
            )
            spans = [(match.node.start_byte, match.node.end_byte) for match in matches]
            yield suggestion.message, spans


def partly_found(nears: Sequence[Near], evidence: Evidence, workspace: Workspace) -> list[str]:
    """Fills in the reasons of patterns that match few places; lines of text about them."""
    until = time.monotonic() + max(_LEAST, evidence.seconds / _SHARE)
    limit = evidence.prepared.engine.request.max_file_size
    for near in nears:
        for reason in near.reasons if near.places > 2 * near.matched else ():
            place = evidence.places.first(near, reason)
            source = read_within(workspace.read, place.path, limit).raw
            if source is not None and is_shallow(source) and time.monotonic() < until:
                program = evidence.prepared.programs[place.language]
                pattern = next(op.pattern for op in program.ops if op.index == near.op)
                assert pattern is not None
                with suppress(SlowParseError):
                    _fill(reason, place, pattern, len(near.name), source, until)
    return _lines(nears, evidence.prepared.engine.request)


def _fill(
    reason: NearReason, place: NamePlace, pattern: Pattern, size: int, source: bytes, until: float
) -> None:
    root = pattern.grammar.parser().parse(source).root_node
    reason.line = source.count(b"\n", 0, place.start) + 1
    reasons = PlaceReasons(pattern, source, root, until)
    reason.text, reason.why, reason.spelling = reasons.of(place.start, size)


def _lines(nears: Sequence[Near], request: EditRequest) -> list[str]:
    """The ops of which most places do not match, as lines of text."""
    worth = [near for near in nears if _is_worth(near)]
    worth.sort(key=lambda near: near.matched - near.places)
    return [_line(near, request) for near in worth[:LINES]]


def _is_worth(near: Near) -> bool:
    if not near.matched:
        return True
    missing = near.places - near.matched
    remedied = any(reason.spelling for reason in near.reasons)
    alike = any(reason.why for reason in near.reasons)
    return missing > near.matched and (remedied or (alike and missing >= _MANY))


def _line(near: Near, request: EditRequest) -> str:
    others = (op.out or "" for at, op in enumerate(request.ops) if at != near.op)
    if not near.places and request.fixpoint == 1 and any(near.name in out for out in others):
        return f"`{near.pattern}` matches nothing: what another op writes needs --fixpoint."
    if not near.places:
        return f"`{near.pattern}` matches nothing: no file holds all of it."
    told = near.reasons if any(reason.why for reason in near.reasons) else []
    kinds = ", ".join(f"{reason.count:,} stand in {reason.kind}" for reason in told)
    head = f"`{near.pattern}` matches {near.matched:,} of {near.places:,} places of `{near.name}`"
    return ". ".join([f"{head}; {kinds}" if kinds else head, *_details(near)]) + "."


def _details(near: Near) -> Iterator[str]:
    """The first difference that has a remedy, else the first difference."""
    for reason in sorted(near.reasons, key=lambda reason: reason.spelling is None)[:1]:
        if reason.why is not None:
            yield f"{reason.path}:{reason.line}: `{reason.text}`: {reason.why}"
        if reason.spelling is not None:
            yield reason.spelling
