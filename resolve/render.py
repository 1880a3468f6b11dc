"""One block for a `resolve` call and what came of it, as people see it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from resolve.results import ToolResult
from resolve.visible import one_line, visible

if TYPE_CHECKING:
    from rich.console import Console, ConsoleOptions, RenderResult

Title = Literal["Accept", "Discard", "Failed"]
COLOURS = {"Accept": "green", "Discard": "yellow", "Failed": "red"}


@dataclass(frozen=True, slots=True)
class Block:
    """What is shown of one resolution; nothing in it can steer a terminal.

    `str` gives plain text; `rich` draws a coloured panel on a terminal and the same
    plain text elsewhere.
    """

    title: Title
    label: str
    badge: str | None
    reason: str
    text: str

    def __str__(self) -> str:
        badge = "" if self.badge is None else f" [{self.badge}]"
        lines = [f"{self.title}: {self.label}{badge}", self.reason, self.text]
        return "\n".join(line for line in lines if line)

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        from rich.panel import Panel
        from rich.text import Text

        if not console.is_terminal:
            yield Text(str(self))
            return
        colour = COLOURS[self.title]
        head = Text.assemble((f"{self.title}: ", f"bold {colour}"), self.label)
        if self.badge is not None:
            head.append_text(Text.assemble(" ", (f" {self.badge} ", "reverse")))
        body = Text.assemble((self.reason, "italic"))
        if self.text:
            body.append(f"\n{self.text}")
        yield Panel(body, title=head, title_align="left", border_style=colour)


def render(
    params: Mapping[str, Any], outcome: ToolResult | BaseException, label: str | None = None
) -> Block:
    """Returns the block for a call of `resolve` with these parameters and this outcome.

    `label` is for a failure of no action, which brings none of its own.
    """
    failed = isinstance(outcome, BaseException) or outcome.is_error
    details = getattr(outcome, "about", None) or getattr(outcome, "details", None) or {}
    done: Title = "Discard" if params.get("action") == "discard" else "Accept"
    badge = details.get("sourceToolName")
    return Block(
        title="Failed" if failed else done,
        label=one_line(str(details.get("label") or label or "pending action")),
        badge=None if badge is None else one_line(str(badge)),
        reason=one_line(str(params.get("reason") or "").strip()) or "No reason provided",
        text=visible(outcome.text if isinstance(outcome, ToolResult) else str(outcome)),
    )
