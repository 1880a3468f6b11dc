"""Two readers of YAML: a quick one, and a thorough one for what the first is not sure of."""

import random
from collections.abc import Iterator
from pathlib import Path

import pytest

from astedit.rule import yaml as reader
from astedit.rule.yaml import YamlError, read_yaml

RULES = Path(__file__).parents[2] / "differential" / "rules"
TEXTS = [
    "a: |\n  x\n\n    y\n\nb: >-\n  folded\n  text\n\n  more\nc: |+\n  kept\n\n",
    "a: |2\n   indented\nb: 'it''s'\nc: \"a\\x41\\u00e9\\/\\n\"\nd: [1, 0o17, 0x1f, 1e3, .5]\n",
    "{a: [b, {c: d}], e: , 'f': ~}\n---\n- - x\n  - y\n- {}\n- []\n...\n---\nscalar\n",
    "off: off\nno: no\non: [on, yes, y, NO, True, null]\nnone:\n",
    "a: plain text\n  goes on\n\n  here # comment\n# comment\nb: x#y\nc: http://x:1\n",
    '"a": 1\n? b\n: 2\n!<!> c: ! 12\n\u00e9: \U0001f600\n',
    "pattern: $A\nout: '{ $B }'\nglob: '*.js'\n",
]


def _thorough(text: str) -> list[object]:
    return reader._thorough(text, None)


def _quick(text: str) -> list[object]:
    return list(reader._Builder(None).documents(reader._quick_events(text)))


@pytest.mark.parametrize("text", TEXTS)
def test_both_readers_see_the_same_values(text: str) -> None:
    assert repr(_quick(text)) == repr(_thorough(text)) == repr(read_yaml(text.encode()))


@pytest.mark.parametrize("path", sorted(RULES.glob("*.yml")), ids=lambda path: path.name)
def test_both_readers_see_the_same_rules(path: Path) -> None:
    assert _quick(path.read_text()) == _thorough(path.read_text())


def _mutants(seed: int) -> Iterator[str]:
    pieces = ["\n", "  ", ": ", "- ", "[", "}", ",", " #", "|", ">-", "'", '"', "\\", "---\n", "é"]
    chance = random.Random(seed)
    for _ in range(150):
        text = chance.choice(TEXTS)
        at = chance.randrange(len(text))
        yield text[:at] + chance.choice(pieces) + text[at + chance.randrange(3) :]


@pytest.mark.parametrize("seed", range(4))
def test_what_both_accept_means_the_same(seed: int) -> None:
    """Where one of them refuses the text, it is not compared."""
    compared = 0
    for text in _mutants(seed):
        try:
            quick, thorough = _quick(text), _thorough(text)
        except (reader._UnsureError, YamlError):
            continue
        compared += 1
        assert repr(quick) == repr(thorough), text
    assert compared > 20


@pytest.mark.parametrize(
    "text",
    ["a: x\u2028y\n", "a: x\x85 y\n", "%YAML 1.2\n---\na: b\n", "a: &x b\nc: *x\n", "a: &x:y b\n"],
)
def test_what_yaml_1_1_reads_otherwise_is_left_to_the_thorough_reader(text: str) -> None:
    with pytest.raises(reader._UnsureError):
        _quick(text)
    assert read_yaml(text.encode()) == _thorough(text)


def test_tabs_behind_values_are_accepted_as_ast_grep_accepts_them() -> None:
    assert read_yaml(b"id: x\t# why\nrule:\t\n  kind: a\tb\n") == [
        {"id": "x", "rule": {"kind": "a\tb"}}
    ]


def test_a_file_that_is_not_utf_8_is_told_with_its_line() -> None:
    with pytest.raises(YamlError, match=r"0xff \(line 2\)") as caught:
        read_yaml(b"id: x\nmessage: \xff\n", "rules/x.yml")
    assert (caught.value.path, caught.value.hint) == ("rules/x.yml", "Save it as UTF-8.")


def test_a_character_that_json_writes_as_two_escapes_is_one() -> None:
    assert read_yaml(b'{"a\\ud83d\\ude00": "\\ud83d\\ude00!"}') == [{"a\U0001f600": "\U0001f600!"}]
    with pytest.raises(YamlError, match=r"half of a character \(line 2\)"):
        read_yaml(b'{"a":\n"\\ud83d"}')


def test_without_libyaml_the_thorough_reader_reads(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "yaml.cyaml", None)
    assert read_yaml(b"severity: off\n") == [{"severity": "off"}]


def test_the_quick_reader_reads_a_thousand_rules(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(reader, "_thorough")
    one = "---\nid: r\nlanguage: python\nrule:\n  any:\n  - pattern: f($A)\n  inside: {kind: x}\n"
    assert len(read_yaml(one.encode() * 1000)) == 1000
