"""The tools of one session, for any framework: each call is recorded and answered once."""

from collections.abc import Callable, Mapping
from typing import Any

from astedit import api, tool
from astedit.errors import AstEditError
from astedit.gitignore import Globs
from astedit.limits import Cancelled
from astedit.reading import edit_text, search_text
from astedit.redraw import redraw
from astedit.toolset import arguments
from astedit.workspace import Workspace
from resolve import AbortError, AbortSignal, Session, ToolError, ToolResult
from resolve.exchanges import Exchange
from resolve.store import listing
from resolve.tool import parse
from resolve.visible import one_line

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
        self, call_id: str, name: str, given: Mapping[str, Any], step: int, signal: AbortSignal
    ) -> ToolResult:
        """Runs one call; blocks. An expected failure is a result with `is_error`.

        `step` groups the calls of one answer of the model. Raises `AbortError` when the
        signal was set; that is recorded too.
        """
        preview = name != "resolve"
        with self.session.exchange(call_id, name, given, step=step, preview=preview) as exchange:
            try:
                return exchange.close(self._tools[name](arguments(name, given), signal))
            except (AbortError, Cancelled) as error:
                exchange.fail(error)
                raise AbortError(str(error)) from error
            except (AstEditError, ToolError) as error:
                return _failed(exchange, error)

    def target(self, given: Mapping[str, Any]) -> str | None:
        """The action that this `resolve` would be of, were it called now."""
        if isinstance(given.get("target"), str):
            return str(given["target"])
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
        return ToolResult(api.locate(**values, root=self.root).model_dump_json(indent=1))

    def _pending(self, values: dict[str, Any], signal: AbortSignal) -> ToolResult:
        if "target" in values:
            return ToolResult(self._shown(values["target"], values.get("paths")))
        actions = self.session.store.list()
        return ToolResult(listing(actions) if actions else "Nothing is pending.")

    def _shown(self, target: str, paths: list[str] | None) -> str:
        """One staged plan again, or some of its files."""
        action = self.session.store.find(target)
        plan = tool.stored(self.session, action)
        if paths is not None:
            chosen = Globs(paths)
            plan.files = [file for file in plan.files if chosen.verdict(file.path) is True]
            plan.files_touched = len(plan.files)
            plan.total_replacements = sum(file.replacements for file in plan.files)
        with Workspace(self.root) as workspace:
            redraw(plan, workspace)
        plan.notice = f"{action.id} is {action.state}: {one_line(action.label)}"
        return edit_text(plan)

    def _resolve(self, values: dict[str, Any], signal: AbortSignal) -> ToolResult:
        parse(values)
        verb, reason = values["action"], values["reason"]
        extra, target = values.get("extra"), values.get("target")
        return self.session.resolve(verb, reason, extra, target, signal)


def _failed(exchange: Exchange, error: AstEditError | ToolError) -> ToolResult:
    hint = f"\nnext: {error.hint}" if error.hint else ""
    text = f"error ({error.code}): {one_line(str(error))}{hint}"
    return exchange.close(ToolResult(text, details={"code": error.code}, is_error=True))
