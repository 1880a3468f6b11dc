"""Text as HTML: nothing in it is hidden, and no browser takes it for markup.

Tables and folded texts are for notebooks: only text, so that nothing in them can run.
"""

from collections.abc import Sequence
from html import escape

from astedit.text import number
from resolve.visible import one_line, visible


def html(text: str) -> str:
    """Text of any lines, to stand between tags."""
    return escape(visible(text), quote=False)


def html_line(text: str) -> str:
    """Text on one line, also for the value of an attribute in quotes."""
    return escape(one_line(text))


_ROWS = 50  # of a table
_FOLDED = 200_000  # characters


def table(title: str, heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A title and a table; of many rows the first, and how many more there are."""
    head = "".join(f"<th>{html(name)}</th>" for name in heads)
    body = "".join(
        f"<tr>{''.join(f'<td><code>{html(cell)}</code></td>' for cell in row)}</tr>"
        for row in rows[:_ROWS]
    )
    left = len(rows) - _ROWS
    more = f"<p>and {number(left, 'more row')}</p>" if left > 0 else ""
    return f"<p>{html(title)}</p><table><tr>{head}</tr>{body}</table>{more}"


def folded(title: str, text: str) -> str:
    """A text that is shown when somebody opens it."""
    shown = text if len(text) <= _FOLDED else f"{text[:_FOLDED]}\n…"
    return f"<details><summary>{html(title)}</summary><pre>{html(shown)}</pre></details>"


def lines(title: str, text: str) -> str:
    """A title and some lines of code."""
    return f"<p>{html(title)}</p><pre>{html(text)}</pre>"
