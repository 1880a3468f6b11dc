"""What may be edited: the part of a file that a request is about, and which files at all.

Generated files, other people's and protected ones are only searched. Whoever fills in
`EditRequest.regions` has found them by name; here they are bytes.
"""

import hashlib
import re
from collections.abc import Iterable, Sequence
from typing import Literal

from astedit.errors import RequestError, StaleError
from astedit.limits import GENERATED_WINDOW
from astedit.model.request import EditRequest, Region
from astedit.pattern.match import Found
from astedit.text.splice import Change
from astedit.workspace.path_policy import PathClass, classify, is_vendored
from astedit.workspace.root import Workspace

Spans = list[tuple[int, int]]
Uneditable = Literal["vendored", "generated"]
_GENERATED = re.compile(rb"@generated|DO NOT EDIT")
_MINIFIED = re.compile(r"\.min\.(js|cjs|mjs|css)\Z", re.IGNORECASE)


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


def kept_out(path: str, raw: bytes, request: EditRequest) -> Uneditable | None:
    """Why a file is searched but not edited; None if it may be edited."""
    admitted = request.no_ignore
    if is_vendored(path):
        return None if "vendored" in admitted else "vendored"
    return "generated" if "generated" not in admitted and is_generated(path, raw) else None


def bars_edits(path_class: PathClass | None, request: EditRequest) -> bool:
    """Whether edits in a file of this class of paths are blocked."""
    return path_class == "never" or (path_class == "protected" and not request.allow_protected)


def no_fix_in(
    path: str, raw: bytes, request: EditRequest
) -> Uneditable | Literal["protected"] | None:
    """Why no fix of a rule in this file would be made."""
    return "protected" if bars_edits(classify(path), request) else kept_out(path, raw, request)


def is_generated(path: str, raw: bytes) -> bool:
    """`@generated` or `DO NOT EDIT` in the first KiB, or a name such as `a.min.js`."""
    return (
        _MINIFIED.search(path) is not None
        or _GENERATED.search(raw, 0, GENERATED_WINDOW) is not None
    )
