"""The gate: preview now, and let someone decide before anything is done.

`import resolve` costs next to nothing: each name is loaded when it is first used.
"""

from __future__ import annotations

TYPE_CHECKING = False  # what type checkers take for true; `typing` itself costs 5 ms
if TYPE_CHECKING:
    from typing import Any

    from resolve import handlers as handlers
    from resolve.abort import AbortSignal as AbortSignal
    from resolve.abort import until_aborted as until_aborted
    from resolve.actions import PendingAction as PendingAction
    from resolve.errors import AbortError as AbortError
    from resolve.errors import GateIgnored as GateIgnored
    from resolve.errors import SessionBusy as SessionBusy
    from resolve.errors import StoreError as StoreError
    from resolve.errors import ToolError as ToolError
    from resolve.fold import paired as paired
    from resolve.loops.choice import ToolChoiceQueue as ToolChoiceQueue
    from resolve.loops.choice import forced as forced
    from resolve.loops.custom import Tool as Tool
    from resolve.loops.custom import create_tools as create_tools
    from resolve.loops.custom import queue_resolve_handler as queue_resolve_handler
    from resolve.loops.gate import Message as Message
    from resolve.results import ToolResult as ToolResult
    from resolve.session import Session as Session
    from resolve.store import MemoryStore as MemoryStore
    from resolve.store import PendingActionStore as PendingActionStore
    from resolve.store import SqliteStore as SqliteStore
    from resolve.tool import ResolveTool as ResolveTool

_HOMES = {
    "resolve.abort": ("AbortSignal", "until_aborted"),
    "resolve.actions": ("PendingAction",),
    "resolve.loops.choice": ("ToolChoiceQueue", "forced"),
    "resolve.loops.custom": ("Tool", "create_tools", "queue_resolve_handler"),
    "resolve.errors": ("AbortError", "GateIgnored", "SessionBusy", "StoreError", "ToolError"),
    "resolve.loops.gate": ("Message",),
    "resolve.fold": ("paired",),
    "resolve.results": ("ToolResult",),
    "resolve.session": ("Session",),
    "resolve.store": ("MemoryStore", "PendingActionStore", "SqliteStore"),
    "resolve.tool": ("ResolveTool",),
}
_HOME = {name: module for module, names in _HOMES.items() for name in names}

__all__ = ["handlers", *sorted(_HOME)]


def __getattr__(name: str) -> Any:
    from importlib import import_module

    if name == "handlers":
        return import_module("resolve.handlers")
    if name not in _HOME:
        raise AttributeError(f"module 'resolve' has no attribute {name!r}")
    value = getattr(import_module(_HOME[name]), name)
    globals()[name] = value
    return value
