"""Items of a list that go, come and change places, as the list is laid out."""

from collections.abc import Callable, Sequence
from dataclasses import replace

from tree_sitter import Node

from astedit.language.traits import traits
from astedit.rewrite.align import Items
from astedit.rewrite.delete import removal, widen
from astedit.rewrite.list_items import ItemList, inserted, listing_at
from astedit.text.indent import Text
from astedit.text.splice import Change

NewItem = int | bytes  # the number of an old item, or the text of a new one


def relisted(
    brackets: Node,
    items: Sequence[Node],
    new: Sequence[NewItem],
    code: bytes,
    text: Callable[[Node], bytes],
) -> list[Change]:
    """The changes that make of a list's `items` the `new` ones; `text` writes a moved one.

    Items that keep their order stay where they are. What comes takes the place of what goes
    there, else it stands as the others do: in the line, or on a line of its own.
    """
    stays = _longest([item for item in new if isinstance(item, int)])
    changes: list[Change] = []
    gone: list[Node] = []
    old_at, new_at = 0, 0
    for stay in (*stays, None):
        low = old_at
        high = len(items) if stay is None else stay
        until = len(new) if stay is None else new.index(stay, new_at)
        coming = [_text(each, items, text) for each in new[new_at:until]]
        going = items[low:high]
        for node, replacement in zip(going, coming, strict=False):
            changes.append((node.start_byte, node.end_byte, replacement))
        gone += going[len(coming) :]
        if len(coming) > len(going):
            changes += _coming(brackets, items, high, coming[len(going) :], code)
        old_at, new_at = high + 1, until + 1
    facts = traits("python").facts
    cuts = widen([removal(n, n.start_byte, n.end_byte, code, facts) for n in gone], code)
    return sorted({*changes, *((cut.start, cut.end, cut.kept) for cut in cuts)})


def moves(new: Sequence[NewItem]) -> bool:
    """Whether an old item changes places with another."""
    numbers = [item for item in new if isinstance(item, int)]
    return numbers != sorted(numbers)


def _text(item: NewItem, items: Sequence[Node], text: Callable[[Node], bytes]) -> bytes:
    return item if isinstance(item, bytes) else text(items[item])


def _longest(numbers: Sequence[int]) -> list[int]:
    """The longest run of numbers, in their order, that is sorted."""
    best: list[list[int]] = []
    for number in numbers:
        before = [run for run in best if run[-1] < number]
        best.append([*max(before, key=len, default=[]), number])
    return max(best, key=len, default=[])


def _coming(
    brackets: Node, items: Sequence[Node], at: int, coming: Sequence[bytes], code: bytes
) -> list[Change]:
    """New items before the item of that number, or at the end."""
    opener = brackets.children[0]
    listing = listing_at(opener, code)
    assert listing is not None
    place = "append" if items else "fill"
    if items and at < len(items):
        place, listing = "prepend", _from(listing, items, at)
    added = Items(tuple((each,) for each in coming), place, b" ", False)
    pieces = inserted(added, listing, lambda parts, _: Text(b"".join(map(_plain, parts))))
    assert pieces is not None
    return [(piece.start, piece.end, piece.text.data) for piece in pieces]


def _plain(part: object) -> bytes:
    """A part of a new item, which is never a metavariable here."""
    assert isinstance(part, bytes)
    return part


def _from(listing: ItemList, items: Sequence[Node], at: int) -> ItemList:
    """The part of a list that begins with an item, and the comments on lines above it."""
    before = items[at - 1] if at else None
    row = -1 if before is None else before.end_point.row
    comments = [each for each in listing.comments if each.start_point.row > row]
    return replace(listing, items=list(items[at:]), comments=comments)
