"""A pattern with its template, and how open it is to code that no example shows."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from astedit.learning.difference import EditSite

_NAME = re.compile(r"(?<![\w.$])[A-Za-z_]\w*\b(?!=[^=])")


class NoTemplateError(Exception):
    """The edits have no pattern and template in common."""


@dataclass(slots=True)
class Hypothesis:
    """A pattern with its template, as text; `holes` says by name what each was in the examples.

    `resolved` are the holes that stand for one qualified name, `fixed` those in the place of a
    function, an attribute or a keyword: they are what they were. `ends` is what
    a transform takes away at the ends of a hole. `members` are the sites it was
    made of, and `level` how far above the edit it looks.
    """

    pattern: str
    fix: str
    members: Sequence[EditSite]
    level: int
    holes: dict[str, tuple[str, ...]] = field(default_factory=dict)
    many: frozenset[str] = frozenset()
    resolved: dict[str, str] = field(default_factory=dict)
    fixed: frozenset[str] = frozenset()
    ends: dict[str, tuple[str, str]] = field(default_factory=dict)
    transforms: dict[str, Any] = field(default_factory=dict)

    @property
    def imports(self) -> dict[str, list[str]]:
        """The imports that came and went beside all of its edits."""
        adds = frozenset.intersection(*(site.adds for site in self.members))
        removes = frozenset.intersection(*(site.removes for site in self.members))
        changes = {"add": sorted(adds), "remove": sorted(removes)}
        return {key: texts for key, texts in changes.items() if texts}

    @property
    def anchored(self) -> bool:
        """Whether it spells a word, or names what it is about."""
        bare = re.sub(r"\$+[A-Z_]+", "", self.pattern)
        return bool(self.resolved) or re.search(r"[^\W\d_]{2}", bare) is not None

    @property
    def dropped(self) -> frozenset[str]:
        """The captures that the template throws away."""
        texts = [self.fix, *map(str, self.transforms.values())]
        used = {name for text in texts for name in re.findall(r"\$+([A-Z_]+)", text)}
        return frozenset(self.holes.keys() - used - self.resolved.keys())

    @property
    def needs(self) -> frozenset[str]:
        """The names that the template takes from around the place, and the pattern has not."""
        names = [set(_NAME.findall(text)) for text in (self.fix, self.pattern)]
        return frozenset(names[0] - names[1])


@dataclass(frozen=True, slots=True)
class Openness:
    """What may vary beyond what differs: what is copied, other list items, names by import."""

    copied: bool = False
    wide: bool = False
    names: bool = False


OPENNESS = (
    Openness(copied=True, wide=True, names=True),
    Openness(copied=True, wide=True),
    Openness(copied=True, names=True),
    Openness(copied=True),
    Openness(wide=True),
    Openness(),
)

MERGING = (OPENNESS[0], OPENNESS[3])
