"""What agents are told of the tools: true, short, and in a form that every provider takes."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

import astedit
from astedit.agents.tools.specs import FORMATS, arguments, in_format, spec, toolset
from astedit.agents.tools.words import EXAMPLES, RULES, RewriteExample
from astedit.errors import RequestError
from tests.support.lists import rows
from tests.support.tokens import count

OP = {"pat": "a", "out": "b"}


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example.pat)
def test_every_example_of_the_descriptions_does_what_it_says(
    example: RewriteExample, tmp_path: Path
) -> None:
    (tmp_path / "a.py").write_text(f"{example.before}\n")
    plan = astedit.ast_edit([{"pat": example.pat, "out": example.out}], root=tmp_path)
    assert [edit.whole_after for edit in plan.files[0].edits] == [example.after]
    assert str(example) in spec("ast_edit").description


@pytest.mark.parametrize(
    ("pat", "text", "found"),
    [
        ("f($A)", "f(1, 2)", 0), ("f($A)", "x.f(1)", 0), ("f($$$A)", "f(1, 2)", 1),
        ("$X.f($$$A)", "x.f(1)", 1), ("f($A, $A)", "f(1, 2)", 0), ("f($A, $A)", "f(g, g)", 1),
        ("f($_, $_)", "f(1, 2)", 1), ("$X.get($$$A)", "d.get(1, 2)", 1),
    ],
)  # fmt: skip
def test_what_the_descriptions_say_of_patterns_is_true(
    pat: str, text: str, found: int, tmp_path: Path
) -> None:
    (tmp_path / "a.py").write_text(f"{text}\n")
    assert len(astedit.search(pat, root=tmp_path).matches) == found


def test_the_rules_of_the_descriptions_do_what_they_say(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("print(1)\ndef f():\n    print(2)\n")
    plan = astedit.ast_edit(rules=RULES, root=tmp_path)
    assert [edit.whole_after for edit in plan.files[0].edits] == ["log(2)"]
    rule = yaml.safe_load(RULES)["rule"]
    found = astedit.search(rule=yaml.safe_dump(rule), root=tmp_path).matches
    assert [match.text for match in found] == ["print(2)"]
    edit, grep = spec("ast_edit").schema["properties"], spec("ast_grep").schema["properties"]
    assert edit["rules"]["description"].endswith(RULES) and edit["rules"]["type"] == "string"
    assert "`rule:`" in grep["rule"]["description"] and grep["rule"]["type"] == "string"


@pytest.mark.parametrize(
    ("name", "given", "hint"),
    [
        ("ast_edit", {"ops": OP}, 'Give a list, such as [{"pat": …, "out": …}].'),
        ("ast_edit", {"ops": json.dumps([OP])}, "Give a list itself, not its JSON as a text."),
        ("ast_edit", {"ops": [OP], "paths": "a"}, 'Give a list, such as ["a", "b"].'),
        ("ast_edit", {"ops": ["a"]}, 'Give an object, such as {"pat": …, "out": …}.'),
        ("ast_edit", {}, "Give `ops`, `rules`, `patch` or `like`."),
        ("ast_grep", {"pat": "a", "limit": 0}, "Give 1 or more."),
        ("ast_edit", {"ops": [OP], "timeout": 0}, "Give more than 0."),
    ],
)
def test_wrong_arguments_are_told_what_to_give(name: str, given: object, hint: str) -> None:
    with pytest.raises(RequestError) as raised:
        arguments(name, given)
    assert raised.value.hint == hint


def test_the_tools_are_under_2_700_tokens_together() -> None:
    """Over MCP titles and marks come in addition."""
    for form in ("anthropic", "mcp"):
        sent = json.dumps(in_format(toolset(), form), separators=(",", ":"), ensure_ascii=False)
        assert count(sent) <= 2_700


def schemas(value: Any) -> Iterator[dict[str, Any]]:
    """Every schema in a schema, itself first."""
    yield value
    for inner in value.get("properties", {}).values():
        yield from schemas(inner)
    if "items" in value:
        yield from schemas(value["items"])


@pytest.mark.parametrize("tool", toolset(), ids=lambda tool: tool.name)
def test_every_property_has_a_plain_type(tool: Any) -> None:
    assert tool.schema["additionalProperties"] is False
    for schema in schemas(tool.schema):
        assert isinstance(schema["type"], str)
        assert not {"anyOf", "oneOf", "allOf", "$ref", "default"} & schema.keys()
        assert None not in schema.get("enum", [])
    assert all(re.fullmatch("[a-z][a-zA-Z]*", name) for name in tool.schema["properties"])


def test_only_what_has_no_default_is_required() -> None:
    assert {tool.name: tool.schema["required"] for tool in toolset()} == {
        "ast_edit": [],  # ops or rules
        "ast_grep": [],  # pat or rule
        "locate": ["identifier"],
        "rename": ["identifier", "newName"],
        "refactor": ["kind", "identifiers"],
        "pending": [],
        "resolve": ["action", "reason", "target"],
        "undo": ["target"],
    }


def test_the_formats_are_those_of_the_providers() -> None:
    found = {form: in_format(toolset(), form) for form in FORMATS}
    assert found["anthropic"][0].keys() == {"name", "description", "input_schema"}
    assert found["openai"][0]["type"] == "function"
    assert found["openai"][0]["function"].keys() == {"name", "description", "parameters"}
    (google,) = found["google"]
    names = [declared["name"] for declared in google["functionDeclarations"]]
    assert names == [tool.name for tool in toolset()]
    assert "additionalProperties" not in json.dumps(google)
    for declared in google["functionDeclarations"]:  # Gemini refuses an object without properties
        for schema in schemas(declared.get("parameters", {"type": "string"})):
            assert schema["type"] != "object" or schema["properties"]


def test_arguments_are_keywords_of_the_functions() -> None:
    given = {"ops": [{"pat": "a", "out": "b"}], "maxFiles": 3, "lang": None}
    assert arguments("ast_edit", given) == {"ops": [{"pat": "a", "out": "b"}], "max_files": 3}


@pytest.mark.parametrize(
    ("name", "given", "message"), rows(Path(__file__).with_suffix(".txt"))["wrong arguments"]
)
def test_wrong_arguments_are_named(name: str, given: str, message: str) -> None:
    with pytest.raises(RequestError) as raised:
        arguments(name, json.loads(given))
    assert raised.value.message == message
    assert raised.value.hint
