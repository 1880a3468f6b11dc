"""`astedit.Tools`: the tools for a program's own loop with a model.

tools = astedit.Tools(work)
specs = tools.specs("anthropic")          # what stands under `tools` in a request
reply = tools.call(name, arguments)       # reply.text is what the model reads
"""

import json
import secrets
from collections.abc import Mapping
from typing import Any, Self

from astedit.agents.calls import Calls, ToolCall
from astedit.agents.recorded import RecordedTools
from astedit.agents.reply import Reply
from astedit.agents.tools import in_format, toolset
from astedit.agents.tools.specs import FORMATS
from astedit.errors import RequestError
from astedit.interface.work import Work
from resolve import AbortSignal


class Tools:
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

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _decoded(arguments: str) -> Any:
    """What a text of JSON holds; the text itself if it is none, which is told as such later."""
    try:
        return json.loads(arguments or "{}")
    except (ValueError, RecursionError):
        return arguments
