"""A plan that was made elsewhere: read as untrusted data, made again here, and compared.

The document is what `show --format plan` and `edit --json` print. Nothing of it is
believed: its request is run on this tree, and its fingerprint and its edits must be those
that come out. So what is staged is what somebody has seen in the document, or nothing is.
"""

import re
from dataclasses import dataclass, fields
from typing import Any

from astedit.engine.request import request_of
from astedit.engine.run_context import Run
from astedit.errors import AstEditError, RequestError, StaleError
from astedit.json_model import camel, strictly
from astedit.model.edit import FilePlan
from astedit.model.json_mistakes import mistakes
from astedit.model.plan import Plan
from astedit.model.request import EditRequest
from astedit.operations import is_known
from astedit.staging.ast_edit import as_previewed
from astedit.text import meant
from astedit.workspace.root import Workspace

MAX_SIZE = 256 * 1024 * 1024  # bytes of a document; a plan of 200,000 edits has 100 MB
SCHEMA = "astedit/plan/1"
_KEYS = {camel(field.name) for field in fields(Plan) if field.repr} | {"schema"}
_NEEDED = ("request", "fingerprint", "files", "totalReplacements")
_HERE = frozenset({"mode", "link"})  # of a file as it lies there; no part of a fingerprint
_HASH = re.compile("[0-9a-f]{64}")
_HINT = "Give what `astedit show --format plan` or `astedit edit --json` printed."


@dataclass(frozen=True, slots=True)
class Handover:
    """What a document says: the request, and the plan that it is said to give."""

    request: EditRequest
    fingerprint: str
    files: list[dict[str, Any]]
    replacements: int


def read(text: bytes, workspace: Workspace) -> Handover:
    """Reads a document; `RequestError` for whatever is not a plan of this version.

    Raises `OutsideRootError` for a path that leaves the root.
    """
    document = _parsed(text)
    if document.get("schema") != SCHEMA:
        raise _bad(f"its schema is {document.get('schema')!r}, not {SCHEMA!r}")
    _keys(document)
    mark, files, count = (document[name] for name in ("fingerprint", "files", "totalReplacements"))
    if not isinstance(mark, str) or not _HASH.fullmatch(mark):
        raise _bad("`fingerprint` is not a SHA-256 in hex")
    if type(count) is not int or not isinstance(files, list):
        raise _bad("`files` or `totalReplacements` is missing")
    for file in files:
        _file(file, workspace)
    return Handover(_request(document["request"], workspace), mark, files, count)


def remade(handover: Handover, workspace: Workspace, run: Run) -> Plan:
    """The plan of the same request on this tree, which is the one that was handed over.

    Raises `StaleError` that names each file which differs, and `RequestError` where the
    document shows other edits than those of its own fingerprint.
    """
    seen = [FilePlan(_path(file), "modify", file["beforeHash"], file["afterHash"], 0, 0, [])
            for file in handover.files]  # fmt: skip
    preview = Plan(workspace.root, handover.request, seen, fingerprint=handover.fingerprint)
    try:
        plan = as_previewed(preview, workspace, run)
    except StaleError as error:
        message = error.message.replace("nothing was written", "nothing was staged")
        message = message.replace("since the preview", "since the plan was made")
        raise StaleError(message, path=error.path, hint="Make the plan again here.") from error
    made = [_elsewhere(file) for file in plan.to_json()["files"]]
    if made != [_elsewhere(file) for file in handover.files] or (
        plan.total_replacements != handover.replacements
    ):
        raise RequestError(
            "The document shows other edits than those its fingerprint stands for; "
            "nothing was staged.",
            code="tampered",
            hint="Make the plan again; do not trust where this one came from.",
        )
    return plan


def _elsewhere(file: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in file.items() if key not in _HERE}


def _parsed(text: bytes) -> dict[str, Any]:
    try:
        document = strictly(text)
    except (ValueError, RecursionError) as error:
        raise _bad(f"not JSON: {error}") from error
    if not isinstance(document, dict):
        raise _bad("not a JSON object")
    if document.keys() == {"error"}:
        raise _bad("it is the error that another command ended with")
    return document


def _keys(document: dict[str, Any]) -> None:
    if unknown := sorted(document.keys() - _KEYS):
        raise _bad(f"a plan has no {unknown[0]!r}", meant(_KEYS, unknown[0]))
    missing = [name for name in _NEEDED if name not in document]
    if missing:
        raise _bad(f"`{missing[0]}` is missing")


def _file(file: Any, workspace: Workspace) -> None:
    """Refuses what a message could not name: a path outside, a hash that is none."""
    if not isinstance(file, dict) or not isinstance(file.get("path"), str):
        raise _bad("a file has no path")
    workspace.check(_path(file))
    for name in ("beforeHash", "afterHash"):
        value = file.get(name, "")
        if value is not None and not (isinstance(value, str) and _HASH.fullmatch(value)):
            raise _bad(f"`{name}` of a file is not a SHA-256 in hex")


def _path(file: dict[str, Any]) -> str:
    path: str = file["path"]
    try:
        path.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError as error:
        raise _bad("a path is not a file name") from error
    return path


def _request(value: Any, workspace: Workspace) -> EditRequest:
    try:
        request = EditRequest.model_validate(value)
    except (ValueError, RecursionError) as error:  # pydantic's, which lists every mistake
        why = mistakes(error, EditRequest) if isinstance(error, ValueError) else str(error)
        raise _bad(f"its request is not valid: {why.removesuffix('.')}") from error
    named = {field.name: getattr(request, field.name) for field in fields(EditRequest)}
    operation, regions, kept = (named.pop(name) for name in ("operation", "regions", "kept"))
    if operation is not None and not is_known(operation.kind):
        raise _bad(f"there is no operation {operation.kind!r}")
    try:
        checked = request_of(named)
    except AstEditError as error:
        raise RequestError(error.message, hint=error.hint, code=error.code) from error
    # What only our own commands put into a request: a rerun checks it against the files.
    checked.operation, checked.regions, checked.kept = operation, regions, kept
    for region in regions:
        workspace.check(region.path)
    checked.paths = [workspace.check(path) for path in checked.paths]
    checked.left_out = [workspace.check(path) for path in checked.left_out]
    return checked


def _bad(why: str, near: str = "") -> RequestError:
    return RequestError(f"This is not a plan: {why}.", code="bad_plan", hint=near + _HINT)
