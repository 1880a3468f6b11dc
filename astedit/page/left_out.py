"""What a plan does not do, as HTML: what was blocked, skipped, displaced or dropped, and why."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar

from astedit.model.plan import Blocked, Displaced, DroppedComment, Plan, Skip
from astedit.text.count_phrases import first_lines, number
from astedit.text.html import html, html_line

Item = TypeVar("Item")

SHOWN = 20  # items of one kind
_TEXT = 200  # characters of a piece of code


def left_out(plan: Plan) -> str:
    """A section about it; nothing if the plan does all that was asked for."""
    items = "".join(f"<li>{item}" for item in _items(plan))
    if not items:
        return ""
    return (
        '<section aria-labelledby="left-out"><h2 id="left-out">Not in this plan</h2>'
        f"<ul>{items}</ul></section>"
    )


def _items(plan: Plan) -> Iterator[str]:
    if plan.blocked:
        count = number(sum(item.matches for item in plan.blocked), "match", "matches")
        yield _listed(f"Blocked: {count} left out.", _blocked, plan.blocked)
    if plan.dropped_comments:
        count = number(len(plan.dropped_comments), "comment")
        title = f"Goes with what the rewrites leave out: {count}."
        yield _listed(title, _comment, plan.dropped_comments)
    if plan.displaced:
        count = number(len(plan.displaced), "match", "matches")
        yield _listed(f"Displaced by other rewrites: {count}.", _displaced, plan.displaced)
    if plan.skipped:
        counts = Counter(skip.reason for skip in plan.skipped)
        reasons = ", ".join(f"{count:,} {reason}" for reason, count in sorted(counts.items()))
        yield _listed(f"Skipped files: {html_line(reasons)}.", _skip, plan.skipped)
    if plan.parse_errors.total:
        yield f"{number(plan.parse_errors.total, 'file')} with syntax errors, edited around them."
    if plan.incomplete:
        yield "Incomplete: some files could not be looked at."
    yield from (f"Hint: {html(hint)}" for hint in plan.hints)


def _listed(title: str, shown: Callable[[Item], str], items: Sequence[Item]) -> str:
    """A title that opens to the first of its items."""
    rows = first_lines(list(map(shown, items[:SHOWN])), SHOWN, total=len(items))
    body = "".join(f"<li>{row}" for row in rows)
    return f"<details><summary>{title}</summary><ul>{body}</ul></details>"


def _blocked(item: Blocked) -> str:
    line = item.range.line if item.range is not None else 1
    parts = [f"{place(item.path, line)} {html_line(item.reason)}"]
    parts += [f"<code>{html_line(cut(item.text))}</code>"] if item.text else []
    parts += [html(text) for text in (item.detail, item.hint) if text]
    return "; ".join(parts)


def _comment(item: DroppedComment) -> str:
    return f"{place(item.path, item.range.line)} <code>{html_line(cut(item.text))}</code>"


def _displaced(item: Displaced) -> str:
    return f"{place(item.path, item.range.line)} {html_line(item.reason)}"


def _skip(item: Skip) -> str:
    return f"<code>{html_line(item.path)}</code> {html(item.detail or item.reason)}"


def place(path: str, line: int) -> str:
    """`path:line` as code."""
    return f"<code>{html_line(path)}:{line}</code>"


def cut(text: str, most: int = _TEXT) -> str:
    """The beginning of a text."""
    return text if len(text) <= most else f"{text[:most]}…"
