"""The colours of the pages: what is written in them can be read, in the light and in the dark."""

import re
from itertools import product

import pytest

from astedit.page.sections import style

CODE = ("text", "comment", "string", "number", "keyword", "function", "builtin")
UNDER_CODE = ("page", "panel", "gone", "gone-word", "new", "new-word")
WORDS = ("text", "quiet", "link", "warn")
READABLE = 4.5  # WCAG 2.2, 1.4.3


def luminance(colour: str) -> float:
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    red, green, blue = (p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    dark, light = sorted((luminance(one), luminance(other)))
    return (light + 0.05) / (dark + 0.05)


@pytest.mark.parametrize("scheme", [0, 1])
def test_every_text_can_be_told_from_what_it_stands_on(scheme: int) -> None:
    block = re.findall(r":root \{(.*?)\}", style(), re.DOTALL)[scheme]
    colours = dict(re.findall(r"--([\w-]+): (#\w{6});", block))
    pairs = [*product(CODE, UNDER_CODE), *product(WORDS, ("page", "panel"))]
    assert [pair for pair in pairs if contrast(*(colours[name] for name in pair)) < READABLE] == []
