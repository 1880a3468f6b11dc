"""What two equal plans have in common, as one hash."""

import hashlib
import json
from collections.abc import Iterable
from typing import Any

from astedit.engine.languages import grammars_of
from astedit.model.edit import FilePlan, LanguageUse
from astedit.model.plan import Plan
from astedit.model.request import EditRequest
from astedit.workers.plain import plain

PLAN_FORMAT = 3
_LATER = frozenset(
    {"failOnBlocked", "failOnDroppedComments", "where", "whereKind", "kept", "formatWith"}
    | {"params", "maxEvents", "ownEdits"}
)  # options that the first format did not have

_APART = frozenset(
    {"schema", "noNear", "near", "after"}
)  # which change no plan, or only through files


def fingerprint(
    request: EditRequest, files: Iterable[FilePlan], grammars: Iterable[LanguageUse]
) -> str:
    """SHA-256, in hex, of the canonical JSON of engine, request and files.

    Keys sorted, no spaces, integers only, UTF-8. Nothing that may differ between two
    runs over the same content is part of it: no root, inode, time or id, and of modes those
    alone that the plan sets.
    """
    document: dict[str, Any] = {
        "v": 2,
        "engine": {
            "plan": PLAN_FORMAT,
            "grammars": sorted({(use.grammar, use.version) for use in grammars}),
        },
        "request": request_part(request),
        "files": [_file(file) for file in sorted(files, key=lambda file: path_key(file.path))],
    }
    text = json.dumps(document, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode("utf-8", "surrogateescape")).hexdigest()


def fingerprint_of(plan: Plan) -> str:
    """The fingerprint of a plan as it is, of the grammars that its files need."""
    used = grammars_of(plan.request, plan.files)
    grammars = (use for use in plan.languages if use.name in used)
    return fingerprint(plan.request, plan.files, grammars)


def request_part(request: EditRequest) -> dict[str, Any]:
    """The request; options that came later only where they are used, so that plans stay valid."""
    options = {key: value for key, value in request.to_json().items() if key not in _APART}
    options["ops"] = [_used(op) for op in options["ops"]]
    return _used(options)


def _used(options: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in options.items() if value or key not in _LATER}


def _file(file: FilePlan) -> list[Any]:
    edits = [[e.start, e.end, hashlib.sha256(e.new).hexdigest()] for e in file.edits]
    row: list[Any] = [file.path, file.operation, file.before_hash, file.after_hash, edits]
    mode = file.mode if file.operation == "create" else file.new_mode
    row += [] if mode is None and file.source is None else [mode]
    return row if file.source is None else [*row, file.source]


def path_key(path: str) -> bytes:
    """Paths sort by their bytes, so that no locale or normalisation changes the order."""
    return path.encode("utf-8", "surrogateescape")


def asked_by(request: EditRequest, mode: object, want_hunks: bool) -> str:
    """The name by which outcomes of a request are kept."""
    return repr((plain(request), mode, want_hunks))
