"""Tables and folded texts as HTML for notebooks: only text, so that nothing in it can run."""

from collections.abc import Sequence
from html import escape

from astedit.text.count_phrases import number
from resolve.visible import visible

_ROWS = 50  # of a table
_FOLDED = 200_000  # characters


def table(title: str, heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A title and a table; of many rows the first, and how many more there are."""
    head = "".join(f"<th>{_text(name)}</th>" for name in heads)
    body = "".join(_row(row) for row in rows[:_ROWS])
    left = len(rows) - _ROWS
    more = f"<p>and {number(left, 'more row')}</p>" if left > 0 else ""
    return f"<p>{_text(title)}</p><table><tr>{head}</tr>{body}</table>{more}"


def _row(cells: Sequence[str]) -> str:
    return "<tr>" + "".join(f"<td><code>{_text(cell)}</code></td>" for cell in cells) + "</tr>"


def folded(title: str, text: str) -> str:
    """A text that is shown when somebody opens it."""
    shown = text if len(text) <= _FOLDED else f"{text[:_FOLDED]}\n…"
    return f"<details><summary>{_text(title)}</summary><pre>{_text(shown)}</pre></details>"


def lines(title: str, text: str) -> str:
    """A title and some lines of code."""
    return f"<p>{_text(title)}</p><pre>{_text(text)}</pre>"


def _text(text: str) -> str:
    """Text that shows what is hidden in it, and that no browser takes for markup."""
    return escape(visible(text)).encode("utf-8", "backslashreplace").decode()
