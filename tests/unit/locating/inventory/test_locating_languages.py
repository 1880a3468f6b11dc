"""What is found in each language: `name kind`, and where a region begins."""

from pathlib import Path

import pytest

from astedit.language import load, named, rows
from astedit.language.traits import traits
from astedit.locating.inventory.definitions import definitions
from tests.support import lists
from tests.support.cases import tree

ROWS = lists.rows(Path(__file__).with_suffix(".txt"))

CODE = tree("definitions")
NAMES = dict(ROWS["names"])


def listed(language: str, text: str) -> tuple[tuple[str, ...], list[str]]:
    row = named(language)
    rules = traits(language).definitions
    assert row is not None and rules is not None
    grammar, raw = load(row), text.encode()
    package, found = definitions(grammar.parser().parse(raw).root_node, raw, grammar, rules)
    return package, [f"{'.'.join(one.names)} {one.kind}" for one in found]


@pytest.mark.parametrize("language", NAMES)
def test_definitions(language: str) -> None:
    assert listed(language, CODE[language])[1] == NAMES[language].split(", ")


def test_every_language_with_a_query_has_a_case() -> None:
    assert {row.name for row in rows() if traits(row.name).definitions} == {"python", *NAMES}


@pytest.mark.parametrize(("language", "package"), ROWS["the package is part of the name"])
def test_the_package_is_part_of_the_name(language: str, package: tuple[str, ...]) -> None:
    assert listed(language, CODE[language])[0] == package


@pytest.mark.parametrize(("language", "text", "name", "region"), ROWS["a region holds"])
def test_a_region_holds_what_belongs_to_it(
    language: str, text: str, name: str, region: str
) -> None:
    row, rules, raw = named(language), traits(language).definitions, text.encode()
    assert row is not None and rules is not None
    every = definitions(load(row).parser().parse(raw).root_node, raw, load(row), rules)[1]
    found = [one for one in every if one.names[-1] == name]
    assert [raw[slice(*one.span)].decode().rstrip(";") for one in found] == [region.rstrip(";")]
