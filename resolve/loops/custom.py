"""Custom tools: how a tool of your own stages an action, and who gets `resolve`."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from resolve.actions import Callback, PendingAction
from resolve.errors import ToolError
from resolve.exchanges import register
from resolve.state import SessionState
from resolve.tool import ResolveTool


@dataclass(slots=True)
class Tool:
    """A tool as a model sees it; `execute(call_id, params)` may be a coroutine.

    `deferrable`: it may stage an action, so `resolve` has to be there. `mutating`: it
    changes something, so it is held back while an action is pending.
    """

    name: str
    label: str = ""
    description: str = ""
    parameters: Mapping[str, Any] = field(default_factory=dict)
    execute: Callable[[str, Any], Any] | None = None
    hidden: bool = False
    deferrable: bool = False
    mutating: bool = True

    async def call(self, call_id: str, params: Any) -> Any:
        """Executes the tool and returns its answer, awaited if `execute` is a coroutine."""
        if self.execute is None:
            raise ToolError(f"The tool {self.name} cannot be executed here.", code="no_tool")
        answer = self.execute(call_id, params)
        return await answer if inspect.isawaitable(answer) else answer


def queue_resolve_handler(
    session: SessionState,
    *,
    label: str,
    apply: Callback,
    reject: Callback | None = None,
    source_tool_name: str = "custom_tool",
    details: Mapping[str, Any] | None = None,
    on_apply_error: Callback | None = None,
) -> PendingAction:
    """Registers a volatile action: callbacks that live as long as this process.

    The model is reminded, and the next `resolve` goes to this action first.
    """
    action = PendingAction(
        label=label,
        apply=apply,
        reject=reject,
        source_tool_name=source_tool_name,
        details=details,
        on_apply_error=on_apply_error,
    )
    return register(session, action)


class CustomTools:
    """The API object that a session hands to its custom tools, bound to that session."""

    def __init__(self, session: SessionState | None) -> None:
        self._session = session

    def push_pending_action(
        self,
        label: str,
        apply: Callback,
        reject: Callback | None = None,
        details: Mapping[str, Any] | None = None,
        source_tool_name: str = "custom_tool",
    ) -> PendingAction:
        """Stages a change; nothing is done before someone resolves it."""
        if self._session is None or self._session.store is None:
            raise ToolError(
                "Pending action store unavailable for custom tools in this runtime.",
                code="no_store",
                hint="Give the session a store.",
            )
        return queue_resolve_handler(
            self._session,
            label=label,
            apply=apply,
            reject=reject,
            details=details,
            source_tool_name=source_tool_name,
        )


def create_tools(
    session: SessionState, requested: Iterable[str] | None, available: Iterable[Tool]
) -> list[Tool | ResolveTool]:
    """Returns the tools that are requested (None: all), and `resolve` when it is needed.

    Hidden tools are never requested. `resolve` is needed when an active tool is
    deferrable, a standing handler is set, or something of this session is pending, as from
    an earlier process; the session then knows that the model has it.
    """
    names = None if requested is None else set(requested)
    active: list[Tool | ResolveTool] = [
        tool for tool in available if not tool.hidden and (names is None or tool.name in names)
    ]
    waiting = session.standing is not None or session.store.has_pending
    session.gate.has_resolve = waiting or any(tool.deferrable for tool in active)
    if session.gate.has_resolve:
        active.append(ResolveTool(session))
    return active
