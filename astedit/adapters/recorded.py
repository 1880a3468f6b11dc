"""The tools of one session, for any framework: each call is recorded and answered once."""

from collections.abc import Callable, Mapping
from typing import Any

from astedit import api
from astedit.agents.text import (
    edit_text,
    failed_text,
    located_text,
    search_text,
    staged_text,
    way_on,
)
from astedit.agents.tools import arguments
from astedit.errors import AstEditError
from astedit.limits import Cancelled
from astedit.staging import ast_edit, undo
from resolve import AbortError, AbortSignal, Session, ToolError, ToolResult
from resolve.actions import listing
from resolve.exchanges import Exchange
from resolve.tool import parse

# Importing these registers who applies what another process has staged.
HANDLERS = (ast_edit.HANDLER, undo.HANDLER)
_MATCHES = 1_000  # of a search that does not say


class RecordedTools:
    """Runs ast_edit, ast_grep, locate, pending and resolve for one durable session.

    A call is on disk before it runs, and its result, with what it staged or closed, before
    anybody sees it: a session opened after a kill has a result for every call.
    """

    def __init__(self, session: Session, root: str) -> None:
        self.session = session
        self.root = root
        self._tools: dict[str, Callable[[dict[str, Any], AbortSignal], ToolResult]] = {
            "ast_edit": self._edit,
            "ast_grep": self._grep,
            "locate": self._locate,
            "pending": self._pending,
            "resolve": self._resolve,
        }

    def call(
        self, call_id: str, name: str, values: Mapping[str, Any], step: int, signal: AbortSignal
    ) -> ToolResult:
        """Runs one call; blocks. An expected failure is a result with `is_error`.

        `step` groups the calls of one answer of the model. Raises `AbortError` when the
        signal was set; that is recorded too.
        """
        preview = name != "resolve"
        with self.session.exchange(call_id, name, values, step=step, preview=preview) as exchange:
            try:
                return exchange.close(self._tools[name](arguments(name, values), signal))
            except (AbortError, Cancelled) as error:
                exchange.fail(error)
                raise AbortError(str(error)) from error
            except (AstEditError, ToolError) as error:
                return _failed(exchange, error, name)

    def target(self, values: Mapping[str, Any]) -> str | None:
        """The action that this `resolve` would be of, were it called now."""
        if isinstance(values.get("target"), str):
            return str(values["target"])
        top = self.session.store.peek()
        return top.id if top is not None else None

    def _edit(self, values: dict[str, Any], signal: AbortSignal) -> ToolResult:
        plan = api.ast_edit(**values, root=self.root, session=self.session, signal=signal)
        counts = {"replacements": plan.total_replacements, "files": plan.files_touched}
        return ToolResult(edit_text(plan), details={"actionId": plan.action_id, **counts})

    def _grep(self, values: dict[str, Any], signal: AbortSignal) -> ToolResult:
        values.setdefault("limit", _MATCHES)
        return ToolResult(search_text(api.search(**values, root=self.root, signal=signal)))

    def _locate(self, values: dict[str, Any], signal: AbortSignal) -> ToolResult:
        result = api.locate(**values, root=self.root, signal=signal)
        return ToolResult(located_text(result), is_error=not result.success)

    def _pending(self, values: dict[str, Any], signal: AbortSignal) -> ToolResult:
        if "target" in values:
            target, paths = values["target"], values.get("paths")
            return ToolResult(staged_text(self.session, target, paths, self.root)[0])
        actions = self.session.store.list()
        return ToolResult(listing(actions) if actions else "Nothing is pending.")

    def _resolve(self, values: dict[str, Any], signal: AbortSignal) -> ToolResult:
        parse(values)
        verb, reason = values["action"], values["reason"]
        extra, target = values.get("extra"), values.get("target")
        return self.session.resolve(verb, reason, extra, target, signal)


def _failed(exchange: Exchange, error: AstEditError | ToolError, name: str) -> ToolResult:
    text = failed_text(error.code, str(error), way_on(error, error.code, name))
    return exchange.close(ToolResult(text, details={"code": error.code}, is_error=True))
