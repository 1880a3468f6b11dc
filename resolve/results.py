"""`ToolResult`: what a tool answers, and how a callback's answer becomes one."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from resolve.errors import ToolError


@dataclass(slots=True)
class ToolResult:
    """The answer of a tool: `text` for people and models, `content` as blocks, `details` as data.

    Give either `text` or `content`; the other follows from it. `details` is a plain dict
    with camelCase keys. `is_error` marks an answer that is a refusal.
    """

    text: str = ""
    content: list[dict[str, Any]] = field(default_factory=list)
    details: dict[str, Any] | None = None
    is_error: bool = False

    def __post_init__(self) -> None:
        self.text = str(self.text)
        if self.text and not self.content:
            self.content = [{"type": "text", "text": self.text}]
        elif not self.text:
            texts = [block["text"] for block in self.content if block.get("type") == "text"]
            self.text = "\n".join(texts)

    def to_json(self) -> dict[str, Any]:
        """Returns the result as every surface prints it."""
        return {
            "text": self.text,
            "content": self.content,
            "details": self.details,
            "isError": self.is_error,
        }


def as_result(answer: object, fallback: str) -> ToolResult:
    """Returns a callback's answer (`None`, `str`, `ToolResult`) as a result with a text.

    Never raises: the callback has done its work, and what it returns cannot undo that.
    """
    if answer is None:
        return ToolResult(fallback)
    if not isinstance(answer, ToolResult):
        return ToolResult(str(answer) or fallback)
    if answer.text or answer.content:
        return answer
    return ToolResult(fallback, details=answer.details, is_error=answer.is_error)


def error_result(error: ToolError) -> ToolResult:
    """Returns an expected failure as a result, for hosts that answer with data."""
    text = str(error) if error.hint is None else f"{error}\n{error.hint}"
    return ToolResult(text, details={"code": error.code, **error.about}, is_error=True)
