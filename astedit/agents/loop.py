"""`astedit.Tools`: the tools for a program's own loop with a model.

tools = astedit.Tools(work)
specs = tools.specs("anthropic")          # what stands under `tools` in a request
reply = tools.call(name, arguments)       # reply.text is what the model reads
"""

import json
import secrets
import shlex
from collections.abc import Mapping
from contextlib import AbstractContextManager
from typing import Any, Self

from astedit.agents.calls import Calls
from astedit.agents.reply import Reply, ToolCall
from astedit.agents.tools.specs import FORMATS, in_format, toolset
from astedit.errors import RequestError
from astedit.interface.work import Work
from astedit.limits import Cancelled
from astedit.staging.approval import await_approval
from astedit.staging.open_workspace import OneSession
from astedit.staging.preview import origin_of, reopened
from astedit.staging.stored import HANDLER, UNDO
from astedit.workspace.config import load
from astedit.workspace.root import Workspace
from resolve import AbortError, AbortSignal, Session, ToolResult

# Importing these registers who applies what another process has staged.
HANDLERS = (HANDLER, UNDO)


class RecordedTools:
    """Runs the tools for one durable session.

    A call is on disk before it runs, and its result, with what it staged or closed, before
    anybody sees it: a session opened after a kill has a result for every call.
    """

    def __init__(self, session: Session, calls: Calls) -> None:
        self.session = session
        self._calls = calls

    @classmethod
    def of(cls, session: Session, root: str) -> Self:
        """The tools of a session that somebody else opened, without workers that stay."""
        return cls(session, Calls(_OpenSession(session, root), resident=False))

    def call(
        self, call_id: str, name: str, values: Mapping[str, Any], step: int, signal: AbortSignal
    ) -> ToolResult:
        """Runs one call; blocks. An expected failure is a result with `is_error`.

        `step` groups the calls of one answer of the model. Raises `AbortError` when the
        signal was set; that is recorded too.
        """
        return _result(self.reply(call_id, name, values, step, signal))

    def reply(
        self,
        call_id: str,
        name: str,
        values: Mapping[str, Any],
        step: int | None,
        signal: AbortSignal,
    ) -> Reply:
        """What `call` does, as a `Reply`; without `step` the call is a step of its own."""
        preview = name != "resolve"
        with self.session.exchange(call_id, name, values, step=step, preview=preview) as exchange:
            try:
                reply = self._calls(name, values, ToolCall(signal))
            except (AbortError, Cancelled) as error:
                exchange.fail(error)
                raise AbortError(str(error)) from error
            exchange.close(_result(reply))
            return reply


def _result(reply: Reply) -> ToolResult:
    details = {key.removeprefix("astedit/"): value for key, value in reply.meta.items()}
    return ToolResult(reply.text, details=details, is_error=reply.is_error)


class _OpenSession(OneSession):
    """The stack of a session that is open already, and that closes what was interrupted itself."""

    state_dir = None

    def __init__(self, session: Session, root: str) -> None:
        with Workspace(root) as workspace:
            self.root = workspace.root
            self._origin = origin_of(workspace, load(workspace))
        super().__init__(session)

    @property
    def options(self) -> str:
        return shlex.join(["--root", self.root])

    def await_approval(
        self, target: str, seconds: float, signal: AbortSignal | None = None
    ) -> None:
        with reopened(self.root, self._origin) as workspace:
            settings = load(workspace)
        await_approval(self.session, self.recorded.store.find(target).id, settings, seconds, signal)

    def settle(self) -> None:
        return None

    def refuse_changed_root(self) -> None:
        with reopened(self.root, self._origin):
            return


class Tools(AbstractContextManager["Tools"]):
    """ast_edit, ast_grep, locate, rename, refactor, pending, resolve and undo, for one `Work`.

    If the work has a recorded session, every call is on disk before it runs. Call `close`
    (or use it in a `with` statement) to end the worker processes; the work stays open.
    """

    def __init__(self, work: Work) -> None:
        self._calls = Calls(work.stack)
        session = work.recorded
        self._recorded = None if session is None else RecordedTools(session, self._calls)

    def specs(self, format: str = "anthropic") -> list[dict[str, Any]]:
        """The declarations for "anthropic", "openai", "google" or "mcp"."""
        if format not in FORMATS:
            raise RequestError(
                f"There is no format {format!r}.", hint=f"Known: {', '.join(FORMATS)}."
            )
        return in_format(toolset(), format)

    def call(
        self,
        name: str,
        arguments: Mapping[str, Any] | str,
        *,
        call_id: str | None = None,
        signal: AbortSignal | None = None,
    ) -> Reply:
        """Runs one tool; blocks. An expected failure is a reply with `is_error`.

        The arguments may be JSON as a text, as some providers send them; what is no JSON is a
        failure that the model is told of, as is an unknown name. `call_id` is the provider's
        id of the call, for the record. Raises `AbortError` or `Cancelled` when `signal` was set.
        """
        signal = signal or AbortSignal()
        values = _decoded(arguments) if isinstance(arguments, str) else arguments
        if self._recorded is None:
            return self._calls(name, values, ToolCall(signal))
        return self._recorded.reply(call_id or secrets.token_hex(8), name, values, None, signal)

    def close(self) -> None:
        """Ends the worker processes."""
        self._calls.close()

    def __exit__(self, *_: object) -> None:
        self.close()


def _decoded(arguments: str) -> Any:
    """What a text of JSON holds; the text itself if it is none, which is told as such later."""
    try:
        return json.loads(arguments or "{}")
    except (ValueError, RecursionError):
        return arguments
