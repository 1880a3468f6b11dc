"""Each kind that brackets may group is shown in brackets, and is itself within them."""

import pytest
from tree_sitter import Node

from astedit.language import load, named, rows
from astedit.language.traits import traits
from tests.support import REPOSITORY
from tests.support.lists import lists

# For each language a place for an expression, and one expression of each kind it may group; so
# for types.
LISTS = lists(REPOSITORY / "tests/support/bracketed.txt")
PLACES = dict(line.split(" | ", 1) for line in LISTS["places"])
EXPRESSIONS = {name: [line.split(" | ", 1) for line in LISTS[name]] for name in PLACES}
CASES = [(name, *pair) for name, pairs in EXPRESSIONS.items() for pair in pairs]


def kinds(root: Node, start: int, end: int) -> set[str]:
    """The kinds of the nodes with exactly this range."""
    node = root.descendant_for_byte_range(start, end)
    found = set()
    while node is not None and (node.start_byte, node.end_byte) == (start, end):
        found.add(node.type)
        node = node.parent
    return found


@pytest.mark.parametrize(("language", "kind", "expression"), CASES)
def test_a_kind_stays_itself_in_brackets(language: str, kind: str, expression: str) -> None:
    place, language = language, language.partition(" ")[0]
    row = named(language)
    assert row is not None
    brackets = traits(language).brackets
    assert brackets is not None
    before, after = PLACES[place].split("…")
    start = len(before.encode()) + len(brackets.before)
    end = start + len(expression.encode())
    inner = brackets.before + expression.encode() + brackets.after
    root = load(row).parser().parse(before.encode() + inner + after.encode() + b"\n").root_node
    assert not root.has_error, str(root)
    assert kind in kinds(root, start, end), str(root)


@pytest.mark.parametrize("row", rows(), ids=lambda row: row.name)
def test_every_kind_is_shown(row) -> None:
    brackets = traits(row.name).brackets
    own = [kinds for place, kinds in EXPRESSIONS.items() if place.partition(" ")[0] == row.name]
    shown = {kind for kinds in own for kind, _ in kinds}
    assert bool(shown) == (brackets is not None)
    assert brackets is None or (brackets.kinds <= shown and all(map(brackets.may_hold, shown)))


def test_languages_without_brackets_are_known() -> None:
    """Data and documents, where brackets mean something else, if anything."""
    found = {row.name for row in rows() if traits(row.name).brackets is None}
    assert found >= {"css", "html", "json", "markdown", "toml", "yaml"}
