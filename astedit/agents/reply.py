"""A call of a tool, and the reply: one text for the model, and what a program needs beside it."""

import json
import sys
import traceback
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, Literal

from astedit.agents.text.budget import Budget, failed_text, way_on, weight
from astedit.agents.text.plan import undo_text
from astedit.errors import AstEditError
from astedit.staging.open_workspace import ServedStack
from resolve import AbortSignal, PendingAction, ToolError

Form = Literal["text", "structured"]
_SAID = ("schema", "request", "stats", "notice", "hints", "languages", "near", "shapes")
_LEAST = 160  # weight that fields may have beside a short text


@dataclass(slots=True)
class ToolCall:
    """One call under way: how to stop it, how far it has come, and for which client it is."""

    signal: AbortSignal = field(default_factory=AbortSignal)
    served: ServedStack | None = None
    done: int = 0
    total: int = 0

    def progress(self, done: int, total: int) -> None:
        """Notes how many files have been looked at, of how many."""
        self.done, self.total = done, total


@dataclass(slots=True)
class Reply:
    """One tool's reply.

    `text` is all that a model needs. `data` is the whole document behind it, of any size;
    `document` is that, or makes it when somebody asks.
    `action_id` is what the call staged (then `staged`), showed or resolved; `counts` says
    how many of what the text speaks of. `resource` names where the whole document can be
    read, if anywhere.
    """

    text: str
    document: dict[str, Any] | Callable[[], dict[str, Any]]
    is_error: bool = False
    action_id: str | None = None
    staged: bool = False
    counts: dict[str, int] = field(default_factory=dict)
    code: str | None = None
    resource: str | None = None
    fingerprint: str | None = None
    checked: str | None = None
    title: str | None = None

    @property
    def data(self) -> dict[str, Any]:
        """The whole document."""
        if not isinstance(self.document, dict):
            self.document = self.document()
        return self.document

    @property
    def meta(self) -> dict[str, Any]:
        """What a program needs of a reply whose text goes to a model, under `astedit/…`.

        `checked` says how it was found out what had changed, see `Stats`.
        """
        made = self.document if isinstance(self.document, dict) else {}
        values = {
            "actionId": self.action_id,
            "fingerprint": self.fingerprint or made.get("fingerprint"),
            "counts": self.counts,
            "code": self.code,
            "title": self.title or made.get("title"),
            "resource": self.resource,
            "checked": self.checked or (made.get("stats") or {}).get("checked"),
        }
        return {f"astedit/{key}": encodable(value) for key, value in values.items() if value}


def structured(reply: Reply) -> dict[str, Any]:
    """The reply as JSON for hosts that hand only that to a model: the same bounded view.

    The text stands under `text`. Fields and lists of the document follow as far as they
    fit into a third of the text's tokens; `left_out` says how many items of which are
    missing, and `resource`, if there is one, where they can be read.
    """
    view: dict[str, Any] = {"schema": "astedit/reply/1", "text": reply.text}
    view |= {key.removeprefix("astedit/"): value for key, value in reply.meta.items()}
    budget = Budget(max((weight(reply.text) * 4 // 3 - weight(_json(view))) // 2, _LEAST))
    left_out: dict[str, int] = {}
    for key, value in _fields(reply.data):
        if key in view:
            continue
        shown = _fitting(key, value, budget)
        if shown is not None:
            view[key] = shown
        if isinstance(value, list | dict) and len(value) > len(shown or ()):
            left_out[key] = len(value) - len(shown or ())
    encoded: dict[str, Any] = encodable(view | ({"left_out": left_out} if left_out else {}))
    return encoded


def _fields(data: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    """The document's fields that say something beside the text, the small ones first."""
    spoken = [(key, value) for key, value in data.items() if key not in _SAID and value is not None]
    yield from (each for each in spoken if not isinstance(each[1], list))
    yield from (each for each in spoken if isinstance(each[1], list))


def _fitting(key: str, value: Any, budget: Budget) -> Any:
    """The value, the first items of a list, or None, taken off the budget."""
    if not isinstance(value, list):
        return value if budget.fits([_json({key: value})]) else None
    if not value or not budget.fits([_json({key: []})]):
        return None
    return value[: len(budget.first(map(_json, value)))]


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def encodable(value: Any) -> Any:
    """The value with every text in UTF-8: names and code may hold bytes that are not.

    Such a byte becomes `\\udcff` and the like; a single one would break the connection.
    """
    if isinstance(value, str):
        return value if value.isascii() else value.encode("utf-8", "backslashreplace").decode()
    if isinstance(value, dict):
        return {encodable(key): encodable(item) for key, item in value.items()}
    return [encodable(item) for item in value] if isinstance(value, list) else value


def failure(error: BaseException, tool: str) -> Reply:
    """An expected failure, and what to call next; a fault of ours goes to stderr too."""
    code = getattr(error, "code", None)
    if not isinstance(error, AstEditError | ToolError):
        code = "io" if isinstance(error, OSError) else "internal"
    if code == "internal":
        traceback.print_exception(error, file=sys.stderr)
    message = str(error) or type(error).__name__
    hint = way_on(error, str(code), tool)
    return refusal(str(code), message, hint, getattr(error, "path", None))


def refusal(code: str, message: str, hint: str | None, path: str | None = None) -> Reply:
    """A reply that is an error."""
    fields = {"code": code, "message": message, "hint": hint, "path": path}
    data = {"schema": "astedit/error/1", "error": fields}
    return Reply(failed_text(code, message, hint), data, True, code=code)


def of_undo(action: PendingAction, diff: bytes, *, already: bool = False) -> Reply:
    """The reply about a staged undo, with the diff of what it puts back."""
    counts = {"files": int(action.notes["files"])}
    fingerprint = action.notes.get("fingerprint")
    document = {"schema": "astedit/undo/1", "fingerprint": fingerprint} | action.to_json()
    return Reply(
        undo_text(action, diff, already=already), document, action_id=action.id, counts=counts
    )
