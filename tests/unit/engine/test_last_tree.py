"""The tree of a text that is edited: made of the one before, and the same as one made anew."""

import random
import re

import pytest
from tree_sitter import Node

from astedit.engine.run.plan import LastTree
from astedit.language import load, named
from tests.support import REPOSITORY

TEXTS = {
    "python": REPOSITORY / "astedit/engine/run/plan.py",
    "typescript": REPOSITORY / "editors/vscode/src/extension.ts",
    "lua": REPOSITORY / "editors/neovim.lua",
}


def shape(node: Node) -> list[object]:
    places = [node.type, node.start_byte, node.end_byte, node.start_point, node.end_point]
    return [*places, *(shape(child) for child in node.children)]


@pytest.mark.parametrize("language", TEXTS)
def test_it_is_the_tree_of_the_text(language: str) -> None:
    row = named(language)
    assert row is not None
    parser, trees, chance = load(row).parser(), LastTree(), random.Random(language)
    text = TEXTS[language].read_bytes()
    broken = 0
    for _ in range(40):
        spans = [found.span() for found in re.finditer(rb"\w+|\s+|[^\w\s]", text)]
        (start, end), (low, high) = chance.choice(spans), chance.choice(spans)
        new = chance.choice([text[low:high], b"", b"\n", "é".encode(), text[start:end] + b"x"])
        edited = text[:start] + new + text[end:]
        whole = parser.parse(edited).root_node
        assert shape(trees.parse("a", edited, parser).root_node) == shape(whole)
        broken += whole.has_error
        text = text if whole.has_error else edited
    assert 0 < broken < 40
