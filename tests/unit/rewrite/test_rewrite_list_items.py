"""Items are put into a list as it is laid out: asked of Python's `ast` and `tokenize`. (F16)"""

import ast
import io
import tokenize

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tree_sitter import Node

from astedit.language import load, named
from astedit.rewrite.lay.list_items import ItemList, inserted, listing_at
from astedit.rewrite.make.align import Items
from astedit.rewrite.make.piece import applied, in_order
from astedit.text.indent import Text


def listing(source: str) -> ItemList:
    row = named("python")
    assert row is not None
    stack: list[Node] = [load(row).parser().parse(source.encode()).root_node]
    while stack[-1].type != "[":
        stack.extend(reversed(stack.pop().children))
    found = listing_at(stack[-1], source.encode())
    assert found is not None
    return found


def after(source: str, place: str, *new: str, comma: bool = False) -> str:
    """The source with items put into its first list."""
    current = listing(source)
    items = Items(tuple((one.encode(),) for one in new), place, b" ", comma)
    pieces = inserted(items, current, lambda parts, _: Text(b"".join(map(_bytes, parts))))
    assert pieces is not None
    text = source.encode()
    return applied(in_order(pieces), 0, len(text), text).data.decode()


def _bytes(part: object) -> bytes:
    assert isinstance(part, bytes)
    return part


def comments(text: str) -> list[str]:
    tokens = tokenize.generate_tokens(io.StringIO(text).readline)
    return [token.string for token in tokens if token.type == tokenize.COMMENT]


ITEM = st.sampled_from(["1", "'a'", "(2,\n       3)", "[4]"])
BEHIND = st.sampled_from(["", "  # why", " "])
BREAK = st.sampled_from(["\n    ", " ", "\n    # alone\n    "])


@st.composite
def lists(draw: st.DrawFn) -> str:
    """A list in any layout, comments behind items and on lines of their own included."""
    count = draw(st.integers(1, 4))
    text = "x = [" + draw(st.sampled_from(["", "\n    "]))
    for at in range(count):
        last = at == count - 1
        text += draw(ITEM) + ("" if last and draw(st.booleans()) else ",")
        behind, gap = draw(BEHIND), draw(st.just("\n") if last else BREAK)
        text += behind + ("\n    " if "#" in behind and "\n" not in gap else gap)
    return text + "]\n"


@given(lists(), st.lists(ITEM, min_size=1, max_size=2), st.sampled_from(["append", "prepend"]))
def test_the_result_has_all_items_and_all_comments(source: str, new: list[str], place: str) -> None:
    text = after(source, place, *new)
    old, made = ast.literal_eval(source[4:]), ast.literal_eval(text[4:])
    added = [ast.literal_eval(one) for one in new]
    assert made == ([*old, *added] if place == "append" else [*added, *old])
    assert comments(text) == comments(source)
    assert ",," not in "".join(text.split()) and not text.startswith("x = [,")


@given(lists())
def test_a_list_is_what_stands_between_its_brackets(source: str) -> None:
    current = listing(source)
    assert len(current.items) == len(ast.literal_eval(source[4:]))
    assert b"[%b]" % source.encode()[current.start : current.end] == source.encode()[4:-1]
    tokens = tokenize.generate_tokens(io.StringIO(source).readline)
    texts = [
        one.string for one in tokens if one.type in (tokenize.OP, tokenize.NUMBER, tokenize.STRING)
    ]
    assert (current.comma is not None) == (texts[-2] == ",")


@pytest.mark.parametrize(
    ("source", "text"),
    [
        ("x = []", "x = [1]"),
        ("x = [ ]", "x = [ 1]"),
        ("x = [\n]", "x = [1]"),
        ("x = [  # none yet\n]", "x = [  # none yet\n1\n]"),
        ("x = [\n    # none yet\n]", "x = [\n    # none yet\n    1\n]"),
    ],
)
def test_an_empty_list_is_filled(source: str, text: str) -> None:
    made = after(source, "fill", "1")
    assert ast.literal_eval(made[4:]) == [1]
    assert comments(made) == comments(source)
