"""The JSON schema of a rule agrees with what reads rules."""

import json
from pathlib import Path

import pytest

from astedit.rule import read_rules
from astedit.rule.schema import rule_schema
from astedit.rule.yaml import read_yaml
from tests.support.cases import tree
from tests.support.lists import rows

ROWS = rows(Path(__file__).with_suffix(".txt"))

FULL = tree("rule-schema")["rule.yml"].encode()


def valid(document: object) -> bool:
    jsonschema = pytest.importorskip("jsonschema")
    return bool(jsonschema.Draft202012Validator(rule_schema()).is_valid(document))


def test_a_full_rule_is_valid() -> None:
    assert read_rules(FULL)
    assert valid(read_yaml(FULL)[0])


@pytest.mark.parametrize("names", ["a.b", ["a.b", "c.d"]])
def test_resolves_to_takes_one_name_or_several(names: object) -> None:
    assert valid({**read_yaml(FULL)[0], "rule": {"resolvesTo": names}})
    assert not valid({**read_yaml(FULL)[0], "rule": {"resolvesTo": [1]}})


@pytest.mark.parametrize(("change",), ROWS["mistakes"])
def test_a_mistake_is_not(change: dict[str, object]) -> None:
    assert not valid({**read_yaml(FULL)[0], **change})


def test_it_is_json() -> None:
    assert json.loads(json.dumps(rule_schema())) == rule_schema()
