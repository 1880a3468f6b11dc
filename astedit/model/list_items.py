"""How many items stand in a hole of alike edits, if spreads or keywords are among them.

`f(a, *b)` and `f(a, k=1)` pass what `f(a, b)` does not. It is read off the tokens, in any
language: an item that begins with `*` or `...`, or with a name and `=` or `:`.
"""

from collections.abc import Iterator
from typing import NamedTuple

from astedit.model.token_diff import Tokens

_OPENING, _CLOSING = frozenset("([{"), frozenset(")]}")
_MARKS = frozenset("*=:.")
_NO_VALUE = frozenset("=:>")  # `a == b`, `a::b` and `a => b` are no keywords


class MarkedItems(NamedTuple):
    """So many items, among them some with these signs; 0 items: however many."""

    items: int
    signs: tuple[str, ...]

    @property
    def text(self) -> str:
        """In words: `2 items, with *`."""
        count = f"{self.items} item{'s' if self.items > 1 else ''}, " if self.items else ""
        return f"{count}with {' and '.join(self.signs)}"


def marked_items(tokens: Tokens, start: int, end: int) -> MarkedItems | None:
    """The items of a list in brackets from that in which `start` stands, before `end`.

    None where it stands in no such list, and where no item is a spread or has a keyword.
    """
    first = _item_start(tokens, start)
    if first is None or _MARKS.isdisjoint(tokens[first:end]):
        return None
    items = list(_items(tokens, first, end))
    signs = {sign for item in items if (sign := _sign(item))}
    return MarkedItems(len(items), tuple(sorted(signs))) if signs else None


def _item_start(tokens: Tokens, start: int) -> int | None:
    """Where the item begins that a token stands in; None where that is no item of a list."""
    depth = 0
    for at in range(start - 1, -1, -1):
        token = tokens[at]
        if not depth and token in ("(", ","):
            return at + 1
        if token in _OPENING and not depth:
            return None
        depth += (token in _CLOSING) - (token in _OPENING)
    return None


def _items(tokens: Tokens, start: int, end: int) -> Iterator[Tokens]:
    """The items up to the end of their list."""
    depth, first = 0, start
    for at in range(start, end):
        token = tokens[at]
        if token in _CLOSING and not depth:
            end = at
            break
        if token == "," and not depth:
            yield tokens[first:at]
            first = at + 1
        depth += (token in _OPENING) - (token in _CLOSING)
    if first < end:
        yield tokens[first:end]


def _sign(item: Tokens) -> str:
    """What makes an item a spread or gives it a keyword, or ''."""
    if item and item[0] == "*":
        return "**" if item[1:2] == ["*"] else "*"
    if list(item[:3]) == ["."] * 3 or list(item[-3:]) == ["."] * 3:
        return "..."
    if len(item) < 3 or item[0] == "lambda" or not (item[0][0].isalpha() or item[0][0] == "_"):
        return ""
    return item[1] if item[1] in ("=", ":") and item[2] not in _NO_VALUE else ""
