"""Exchange records in short, and a view in short."""

from __future__ import annotations

from resolve.fold import Batch, View
from resolve.records import Record


def shape(view: View) -> list[str]:
    """Returns a view in short: `c1=ok` an answered call, `c1?` an open one, else the text."""
    return [
        "+".join(f"{c.id}={c.answer.content}" if c.answer else f"{c.id}?" for c in block.calls)
        if isinstance(block, Batch)
        else str(block.content)
        for block in view.blocks
    ]


def call(call_id: str, step: int | None = None, tool: str = "read") -> Record:
    body = {"tool": tool, "arguments": {}, "step": step, "preview": False}
    return Record("s", "call", call_id, body)


def result(call_id: str, content: str = "ok") -> Record:
    return Record("s", "result", call_id, {"content": content, "isError": False, "details": None})


def message(content: str, origin: str = "user") -> Record:
    return Record("s", "message", None, {"origin": origin, "content": content})
