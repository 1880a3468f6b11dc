"""What a tool answers: a text for the model, and the same as data for programs."""

import json
import sys
import traceback
from dataclasses import dataclass
from typing import Any

from astedit.agents.text import failed_text, way_on
from astedit.errors import AstEditError
from resolve import ToolError

_WHOLE = 40_000  # characters of JSON up to which a document is given whole
_LISTS = ("files", "matches", "blocked", "displaced", "skipped", "candidates")


@dataclass(slots=True)
class Answer:
    """One tool's result; `staged` is the id of what the call has staged, if anything."""

    text: str
    data: dict[str, Any]
    is_error: bool = False
    staged: str | None = None
    code: str | None = None


def bounded(document: dict[str, Any], resource: str | None = None) -> dict[str, Any]:
    """The document, whole or without its lists, since many hosts show it to the model.

    Either every list is complete, or `truncated` is true, `left_out` has the lengths of
    those that are empty now, and `resource` (if there is one) names the whole document.
    """
    if len(json.dumps(document, ensure_ascii=False)) <= _WHOLE:
        return document
    cut = {name: len(document[name]) for name in _LISTS if document.get(name)}
    document = {**document, **{name: [] for name in cut}, "truncated": True, "leftOut": cut}
    if "shapes" in document:
        document["shapes"] = [_brief(shape) for shape in document["shapes"][:40]]
    return document | ({"resource": resource} if resource else {})


def _brief(shape: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in shape.items() if key != "example"}


def encodable(value: Any) -> Any:
    """The value with every text in UTF-8: names and code may hold bytes that are not.

    Such a byte becomes `\\udcff` and the like; a single one would break the connection.
    """
    if isinstance(value, str):
        return value if value.isascii() else value.encode("utf-8", "backslashreplace").decode()
    if isinstance(value, dict):
        return {encodable(key): encodable(item) for key, item in value.items()}
    return [encodable(item) for item in value] if isinstance(value, list) else value


def failure(error: BaseException, tool: str) -> Answer:
    """An expected failure, and what to call next; a bug of ours is told on stderr too."""
    code = getattr(error, "code", None)
    if not isinstance(error, AstEditError | ToolError):
        code = "io" if isinstance(error, OSError) else "internal"
    if code == "internal":
        traceback.print_exception(error, file=sys.stderr)
    message = str(error) or type(error).__name__
    hint = way_on(error, str(code), tool)
    return refusal(str(code), message, hint, getattr(error, "path", None))


def refusal(code: str, message: str, hint: str | None, path: str | None = None) -> Answer:
    """An answer that is an error."""
    fields = {"code": code, "message": message, "hint": hint, "path": path}
    data = {"schema": "astedit/error/1", "error": fields}
    return Answer(failed_text(code, message, hint), data, True, code=code)
