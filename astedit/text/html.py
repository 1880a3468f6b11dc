"""Text as HTML: nothing in it is hidden, and no browser takes it for markup."""

from html import escape

from resolve.visible import one_line, visible


def html(text: str) -> str:
    """Text of any lines, to stand between tags."""
    return escape(visible(text), quote=False)


def html_line(text: str) -> str:
    """Text on one line, also for the value of an attribute in quotes."""
    return escape(one_line(text))
