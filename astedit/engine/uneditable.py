"""Which files are searched but not edited: generated ones, other people's, protected ones."""

import re
from typing import Literal

from astedit.limits import GENERATED_WINDOW
from astedit.model.request import EditRequest
from astedit.workspace.path_policy import PathClass, classify, is_vendored

Uneditable = Literal["vendored", "generated"]

_GENERATED = re.compile(rb"@generated|DO NOT EDIT")
_MINIFIED = re.compile(r"\.min\.(js|cjs|mjs|css)\Z", re.IGNORECASE)


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
