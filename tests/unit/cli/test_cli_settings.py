"""The schemas of configuration files: they know the keys that are read, and no others."""

import re
from pathlib import Path

from astedit.cli.commands.schema import config_schema, project_schema
from astedit.workspace.config import KEYS

REPOSITORY = Path(__file__).parents[3]


def test_the_schema_has_what_a_repository_may_set() -> None:
    known = config_schema()["properties"]
    assert set(known) == {key for key, (_, repository) in KEYS.items() if repository}
    assert known["policy"] == {"enum": ["agent", "human"]}


def test_the_schema_has_every_key_of_a_project_that_is_read() -> None:
    text = (REPOSITORY / "astedit/rule/project.py").read_text()
    read = set(re.findall(r'"([a-z]+[A-Z]\w+)"', text))
    schema = project_schema()
    inner = [schema["properties"][key]["items"] for key in ("testConfigs", "languageInjections")]
    known = set(schema["properties"]).union(*(one["properties"] for one in inner))
    assert read <= known
    assert schema["required"] == ["ruleDirs"]
