"""Puts quotes around a text, and takes them off a string literal. (rule T9)"""

QUOTES = ('"', "'", "`")


def quoted(text: str, mark: str) -> str:
    """`text` between marks; those in it, and backslashes, are escaped."""
    inner = text.replace("\\", "\\\\").replace(mark, "\\" + mark).replace("\n", "\\n")
    return mark + inner + mark


def unquoted(text: str) -> str:
    """What stands between the marks of a simple literal, escaped marks as themselves.

    Other escapes stay as they are, and so does a text that is no such literal.
    """
    mark = text[:1]
    if len(text) < 2 or mark not in QUOTES or text[-1] != mark:
        return text
    return text[1:-1].replace("\\" + mark, mark)
