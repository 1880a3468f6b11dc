"""Every place the doctor tries is a text its grammar accepts, given something that fits."""

from pathlib import Path

import pytest

from astedit.language import load, named, rows
from astedit.language.facts import PLACE, contexts
from astedit.language.traits import traits
from tests.support.lists import lists

FILLERS = lists(Path(__file__).with_suffix(".txt"))["fillers"]

PLACES = [
    (row.name, title, template)
    for row in rows()
    for title, template in contexts(traits(row.name).contexts)
]


@pytest.mark.parametrize(("language", "title", "template"), PLACES)
def test_a_place_accepts_something(language, title, template):
    assert template.count(PLACE) == 1
    parser = load(named(language)).parser()
    texts = [template.replace(PLACE, filler).encode() + b"\n" for filler in FILLERS]
    fits = [text for text in texts if not parser.parse(text).root_node.has_error]
    assert fits, f"{title}: {template}"


def test_titles_are_told_apart():
    for row in rows():
        pairs = list(contexts(traits(row.name).contexts))
        assert len(pairs) == len(set(pairs))
        assert len({template for _, template in pairs}) == len(pairs), row.name
