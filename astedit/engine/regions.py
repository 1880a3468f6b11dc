"""The part of one file that a request is restricted to.

Whoever fills in `EditRequest.regions` has found them by name; here they are bytes.
"""

import hashlib
from collections.abc import Iterable, Sequence

from astedit.errors import RequestError, StaleError
from astedit.model.request import EditRequest, Region
from astedit.pattern.match import Found
from astedit.text.splice import Change
from astedit.workspace.root import Workspace

Spans = list[tuple[int, int]]


def spans_of(request: EditRequest, path: str) -> Spans | None:
    """The regions of one file; None if the request has none, so that all of it counts."""
    if not request.regions:
        return None
    return [(region.start, region.end) for region in request.regions if region.path == path]


def inside(matches: Iterable[Found], spans: Spans | None) -> list[Found]:
    """The matches that lie in one of the spans, from their first byte to their last."""
    return [match for match in matches if holds(spans, match.node.start_byte, match.node.end_byte)]


def holds(spans: Spans | None, start: int, end: int) -> bool:
    """Whether bytes `start` to `end` lie in one of the spans."""
    return spans is None or any(low <= start and end <= high for low, high in spans)


def outside(changes: Sequence[Change], spans: Spans | None) -> bool:
    """Whether a change reaches beyond the spans, so that other bytes would differ."""
    return not all(holds(spans, start, end) for start, end, _ in changes)


def moved(spans: Spans | None, changes: Sequence[Change]) -> Spans | None:
    """The spans in the text after these changes, all of which lie in them."""
    if spans is None:
        return None
    grown = [(start, end, len(new) - (end - start)) for start, end, new in changes]
    return [
        (
            low + sum(more for start, end, more in grown if start < low and end <= low),
            high + sum(more for _, end, more in grown if end <= high),
        )
        for low, high in spans
    ]


def check_regions(request: EditRequest, workspace: Workspace) -> None:
    """Raises `StaleError` unless every region's file is as it was when it was located.

    A `within` that nobody has located would otherwise be ignored: `RequestError`.
    """
    if request.within is not None:
        raise RequestError("`within` cannot be used here.", code="unsupported")
    for region in request.regions:
        try:
            raw, _ = workspace.read(region.path, request.max_file_size)
        except OSError as error:
            raise _stale(region, "cannot be read any more") from error
        if hashlib.sha256(raw).hexdigest() != region.sha256:
            raise _stale(region, "has changed since it was located")


def _stale(region: Region, why: str) -> StaleError:
    return StaleError(
        f"{region.path}, which holds {region.id}, {why}; nothing was written.",
        path=region.path,
        hint="Preview the change again.",
    )
