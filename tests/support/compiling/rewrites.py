"""Random rewrites for a language: any pattern with any template over its holes."""

import re
from collections.abc import Mapping
from pathlib import Path
from random import Random
from typing import NamedTuple

from tests.support.lists import lists

_HOLE = re.compile(r"\$+[A-Z]+")


class Rewrites(NamedTuple):
    """Patterns to find, and templates to put in their places."""

    patterns: tuple[str, ...]
    templates: tuple[str, ...]

    def drawn(self, random: Random) -> tuple[str, str]:
        """A pattern and a template that has no other holes."""
        while True:
            pattern, template = random.choice(self.patterns), random.choice(self.templates)
            if {*_HOLE.findall(template)} <= {*_HOLE.findall(pattern)}:
                return pattern, template


_LISTS = lists(Path(__file__).with_suffix(".txt"))
REWRITES: Mapping[str, Rewrites] = {
    name: Rewrites(_LISTS[f"{name} patterns"], _LISTS[f"{name} templates"])
    for name in ("javascript", "typescript", "java", "go", "ruby", "php", "c")
}
