"""The schemas of configuration files: they know the keys that are read, and no others."""

import re

import pytest

from astedit.cli.commands.schema import config_schema, project_schema
from astedit.workspace.config import KEYS
from tests.support import REPOSITORY


def test_the_schema_has_what_a_repository_may_set() -> None:
    known = config_schema()["properties"]
    assert set(known) == {key for key, (_, repository) in KEYS.items() if repository}
    assert known["policy"] == {"enum": ["agent", "human"]}


def test_the_schema_has_every_key_of_a_project_that_is_read() -> None:
    text = (REPOSITORY / "astedit/rule/project.py").read_text()
    read = set(re.findall(r'"([a-z]+[A-Z]\w+)"', text))
    schema = project_schema()
    inner = [schema["properties"][key]["items"] for key in ("testConfigs", "languageInjections")]
    assert read <= set(schema["properties"]).union(*(one["properties"] for one in inner))
    check = pytest.importorskip("jsonschema").Draft202012Validator(schema)
    assert check.is_valid({"packs": ["./a", {"use": "./b", "name": "c", "severity": "off"}]})
    assert not check.is_valid({"utilDirs": []})
