"""Entries in settings of others: put in and taken out again, every other byte as before."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import groupby
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from astedit.agents.kit.rows import CLIENTS, Entry, client
from astedit.agents.kit.settings import put, take, values
from astedit.errors import PreconditionError
from tests.support.lists import rows

MODE = "stage"
JSON = [
    '', '{}', '{ }', '{\n}', '{}\n', '{"a":1}', '{"a": 1,}', '{\n  "a": 1\n}\n',
    '\ufeff{"a": "//,}"}', '{\n  "a": 1, // note\n}\n', '{\n  "a": 1 // note\n  // more\n}\n',
    '{\n  "a": 1 /* x */ }', '{\r\n\t"a": {\r\n\t\t"b": []\r\n\t}\r\n}\r\n', '{"mcpServers": {}}',
    '{"mcpServers": {\n  }\n}', '{\n  "mcpServers": {\n    "x": {"command": "y"}\n  }\n}',
    '{"hooks":{"PreToolUse":[]}}', '// head\n{ // c\n  "mcpServers": { "x": {} } // t\n}\n// end',
    '{"a": 1 // x\n}', '{"hooks":{"PreToolUse":[{"matcher":"a","hooks":[]}]}}', '{"version": 1}',
    '{\n  "version": 1\n}\n',
    '{\n    "hooks": {\n        "PreToolUse": [\n            {"b": 2} // z\n        ],\n    },\n}',
    '{"a": 1 ,\n\n "b" : 2\n\n\n}', '{"a":[1,2,3,],}\n\n',
    '  {"mcpServers":{"q":{"args":["a,}"]}}}', '{"$schema": "https://opencode.ai/config.json"}',
    '{"mcp": {"x": {"type": "local"}}}', '{\n"servers": {\n}\n, "inputs": [ /* none */ ] }',
    '{"\\u006dcpServers": {"x": {}}}',
    '{"hooks": {"preToolUse": [{"command": "./x.sh"}, {"command": "y"}]}, "version": 1}',
]  # fmt: skip
TOML = [
    "", "a = 1\n", "a = 1", "# c\r\n[x]\r\ny = 1\r\n", '[mcp_servers.x]\ncommand = "a"\n# end\n\n',
    'mcp_servers.y.command = "a"\n', "\n\n", '[mcp_servers]\n[mcp_servers."astedit.old"]\na = 1\n',
    '[[hooks.PreToolUse]]\nmatcher = "x"\n[[hooks.PreToolUse.hooks]]\ntype = "command"\n',
]  # fmt: skip


def by_file(name: str) -> Iterator[list[Entry]]:
    """The entries of a client's JSON files, those of a file together."""
    entries = [entry for entry in client(name).entries("project", "/h") if entry.form == "json"]
    for _, each in groupby(sorted(entries, key=lambda entry: entry.path), lambda entry: entry.path):
        yield list(each)


def there_and_back(text: bytes | None, entries: list[Entry]) -> bytes | None:
    after = text
    for entry in entries:
        after = put(after, entry, entry.forms[MODE])
        assert entry.forms[MODE] in values(after, entry)
    for entry in reversed(entries):
        assert after is not None
        after = take(after, entry, entry.forms[MODE])
    return after


@pytest.mark.parametrize("name", CLIENTS)
@pytest.mark.parametrize("text", [None, *JSON])
def test_json_comes_back_to_the_byte(name: str, text: str | None) -> None:
    before = None if text is None else text.encode()
    for entries in by_file(name):
        assert there_and_back(before, entries) == before


@pytest.mark.parametrize("text", [None, *TOML])
def test_toml_comes_back_to_the_byte(text: str | None) -> None:
    before = None if text is None else text.encode()
    server, hooks, _ = client("codex").entries("project", "/h")
    assert there_and_back(before, [server, replace(hooks, form="toml")]) == before


SPACE = st.sampled_from(["", " ", "\n", "\n  ", "\t", " /* , } */ ", " // ]\n", "\r\n    "])
SCALAR = st.sampled_from(["1", "true", "null", '"a"', '"// }"', '"\\""', "[]", "{}", "-1.5e3"])


@st.composite
def container(draw: st.DrawFn, depth: int = 2) -> str:
    """A JSON object as somebody may have laid it out; some keys are those that we look for."""
    words = st.sampled_from(["mcpServers", "hooks", "a", "b c", "x"])
    parts = []
    for key in draw(st.lists(words, unique=True, max_size=3)):
        value = draw(container(depth - 1)) if depth and key in ("mcpServers", "a") else None
        value = "[]" if value is None and key == "hooks" and depth < 2 else value
        value = "{}" if value is None and key in ("hooks", "mcpServers") else value or draw(SCALAR)
        parts.append(f'{draw(SPACE)}"{key}"{draw(SPACE)}:{draw(SPACE)}{value}{draw(SPACE)}')
    end = "," if parts and draw(st.booleans()) else ""
    return "{" + ",".join(parts) + end + draw(SPACE) + "}"


@given(text=container())
def test_any_layout_comes_back_to_the_byte(text: str) -> None:
    entries = [entry for each in by_file("claude") for entry in each]
    assert there_and_back(text.encode(), entries) == text.encode()


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (b'{"a": 1', "does not parse"),
        (b"[]", "is not an object"),
        (b'{"a": 1, "a": 2}', "is there twice"),
        (b'{"mcpServers": []}', "holds something else"),
        (b'{"mcpServers": "x"}', "holds something else"),
        (b"\xff", "does not parse: 'utf-8'"),
        (b'{"a": ' * 50_000, "does not parse"),
    ],
)
def test_what_is_no_settings_is_refused(text: bytes, why: str) -> None:
    entry = next(client("claude").entries("project", "/h"))
    with pytest.raises(PreconditionError, match=why):
        put(text, entry, entry.forms[MODE])


@pytest.mark.parametrize("text", ["mcp_servers = {}\n", "[", "a = 1\na = 2\n"])
def test_toml_in_which_there_is_no_place_is_refused(text: str) -> None:
    entry = next(client("codex").entries("project", "/h"))
    with pytest.raises(PreconditionError):
        put(text.encode(), entry, entry.forms[MODE])


def test_what_others_add_afterwards_stays() -> None:
    server, *_ = client("claude").entries("project", "/h")
    text = put(b'{\n  "a": 1\n}\n', server, server.forms[MODE]).decode()
    assert text.count("\n") == 11
    assert text.startswith('{\n  "mcpServers": {\n') and text.endswith('  },\n  "a": 1\n}\n')
    more = text.replace('"a": 1', '"z": 2, // one\n  "a": 1').replace("{\n", '{\n  "y": 0,\n', 1)
    left = b'{\n  "y": 0,\n  "z": 2, // one\n  "a": 1\n}\n'
    assert take(more.encode(), server, server.forms[MODE]) == left
    beside = put(b'{"mcpServers": {"x": {}}}', server, server.forms[MODE])
    other = beside.replace(b'[ "mcp" ] }', b'[ "mcp" ] }, "y": {}')
    assert take(other, server, server.forms[MODE]) == b'{"mcpServers": {"y": {}, "x": {}}}'


@pytest.mark.parametrize("row", next(iter(rows(Path(__file__).with_suffix(".txt")).values())))
def test_what_a_person_wrote_beside_an_entry_stays(row: Sequence[str]) -> None:
    text, left = (part.replace("⏎", "\n").encode() for part in row[1:])
    entry = next(client(row[0]).entries("project", "/h"))
    assert take(text, entry, entry.forms[MODE]) == left
