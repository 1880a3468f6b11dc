"""Renames of public names in published packages, and what the packages' own tests say then.

The table of docs/names.md, to be run again: five packages at pinned versions, of each a
function, a class, a method and an attribute (and some whose tests fail, with the reason).
"""

from dataclasses import dataclass
from pathlib import Path

from benchmarks.packages import Package
from tests.support.lists import rows


@dataclass(frozen=True, slots=True)
class Rename:
    """One rename. `fails` is how many tests fail because of it, `why` what no tool can follow."""

    kind: str
    symbol: str
    new: str
    fails: int = 0
    why: str = ""


@dataclass(frozen=True, slots=True)
class Suite:
    """A package with its tests, which need what `needs` names beside pytest."""

    package: Package
    tests: str
    renames: tuple[Rename, ...]
    needs: tuple[str, ...] = ()


RENAMES = {
    name: tuple(Rename(*texts, int(fails), why) for *texts, fails, why in entries)
    for name, entries in rows(Path(__file__).with_suffix(".txt")).items()
}
SUITES = (
    Suite(Package("click", "8.5.1", "sdist"), "tests", RENAMES["click"]),
    Suite(Package("toolz", "1.2.0", "sdist"), "toolz", RENAMES["toolz"]),
    Suite(
        Package("more-itertools", "11.2.1", "sdist"),
        "tests",
        RENAMES["more-itertools"],
        ("pytest-timeout",),
    ),
    Suite(
        Package("itsdangerous", "2.2.0", "sdist"), "tests", RENAMES["itsdangerous"], ("freezegun",)
    ),
    Suite(
        Package("packaging", "26.3", "sdist"),
        "tests",
        RENAMES["packaging"],
        ("pretend", "hypothesis", "tomli_w"),
    ),
)
