"""Tables and folded texts as HTML for notebooks: only text, so that nothing in it can run."""

from collections.abc import Sequence

from astedit.text import number
from astedit.text.html import html

_ROWS = 50  # of a table
_FOLDED = 200_000  # characters


def table(title: str, heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A title and a table; of many rows the first, and how many more there are."""
    head = "".join(f"<th>{html(name)}</th>" for name in heads)
    body = "".join(_row(row) for row in rows[:_ROWS])
    left = len(rows) - _ROWS
    more = f"<p>and {number(left, 'more row')}</p>" if left > 0 else ""
    return f"<p>{html(title)}</p><table><tr>{head}</tr>{body}</table>{more}"


def _row(cells: Sequence[str]) -> str:
    return "<tr>" + "".join(f"<td><code>{html(cell)}</code></td>" for cell in cells) + "</tr>"


def folded(title: str, text: str) -> str:
    """A text that is shown when somebody opens it."""
    shown = text if len(text) <= _FOLDED else f"{text[:_FOLDED]}\n…"
    return f"<details><summary>{html(title)}</summary><pre>{html(shown)}</pre></details>"


def lines(title: str, text: str) -> str:
    """A title and some lines of code."""
    return f"<p>{html(title)}</p><pre>{html(text)}</pre>"
