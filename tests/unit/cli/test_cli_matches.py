"""Search output: names as ast-grep prints them, its text lines and its JSON forms."""

import json
from pathlib import Path
from typing import Any

import pytest

from astedit.cli.output import matches
from astedit.cli.output.json import Format
from astedit.engine.run.search import Hits
from tests.support.lists import rows

ROWS = rows(Path(__file__).with_suffix(".txt"))


@pytest.mark.parametrize(  # every pair was printed by ast-grep 0.51
    "typed, below, path, shown", ROWS["a name is the argument joined with what lies below"]
)
def test_a_name_is_the_argument_joined_with_what_lies_below(
    typed: str, below: str, path: str, shown: str
) -> None:
    assert matches.ShownPaths([(typed, below)]).shown(path, {}) == shown


def test_the_argument_that_holds_the_file_names_it() -> None:
    names = matches.ShownPaths([("sr", "sr"), ("../src", "src"), ("b.py", "b.py")])
    assert [names.shown(path, {}) for path in ("src/a.py", "b.py")] == ["../src/a.py", "b.py"]


def test_a_link_that_was_named_keeps_its_name() -> None:
    links = {"src/real.py": "a.py", "deep/dir": "lnk"}
    names = matches.ShownPaths([("./a.py", "a.py"), ("lnk", "lnk")])
    assert names.shown("src/real.py", links) == "a.py"
    assert names.shown("deep/dir/x.py", links) == "lnk/x.py"


def hits(*files: tuple[str, tuple[Any, ...]]) -> Hits:
    return Hits(files=list(files))


def test_lines_are_path_line_text_with_a_name_that_cannot_forge_one() -> None:
    names = matches.ShownPaths([(".", ".")])
    found = hits(("a\n.py", (((3, b"x = 1"), (4, b"caf\xe9")), ())))
    assert list(matches.lines(found, names)) == ["a\\n.py:3:x = 1", "a\\n.py:4:caf\ufffd"]


def as_json(found: Hits, form: str, given: str = ".") -> bytes:
    encoder = Format(matches.ShownPaths([(given, given)]), form)
    return encoder.whole([encoder.of(found, path, each) for path, each in found.files])


def test_json_in_the_three_forms_of_ast_grep() -> None:
    one, two = {"text": "é", "file": ""}, {"text": "b", "file": ""}
    found = hits(("src/a.py", (one, two)), ("src/b.py", (one,)))
    line = '{"text":"é","file":"src/a.py"}'
    other = '{"text":"b","file":"src/a.py"}'
    last = '{"text":"é","file":"src/b.py"}'
    assert as_json(found, "stream", "src").decode() == f"{line}\n{other}\n{last}\n"
    assert as_json(found, "compact", "src").decode() == f"[{line},{other},{last}]\n"
    pretty = as_json(found, "pretty", "src").decode()
    assert pretty.startswith('[\n{\n  "text": "é",\n') and pretty.endswith("\n}\n]\n")
    assert json.loads(pretty) == [json.loads(each) for each in (line, other, last)]


def test_nothing_found_is_an_empty_array_or_no_line() -> None:
    forms = {form: as_json(hits(), form) for form in ("pretty", "compact", "stream")}
    assert forms == {"pretty": b"[]\n", "compact": b"[]\n", "stream": b""}


def test_a_name_that_is_not_utf8_makes_the_document_ascii() -> None:
    found = hits(("\udcff.py", ({"text": "é", "file": ""},)))
    assert as_json(found, "stream") == b'{"text":"\\u00e9","file":"\\udcff.py"}\n'


@pytest.mark.parametrize("form", ["pretty", "compact", "stream"])
@pytest.mark.parametrize("name", ["a.py", "\udcff.py"])
def test_many_matches_are_the_same_bytes_encoded_faster(form: str, name: str) -> None:
    one = {"text": 'é\u2028\x7f\x00"\\', "range": {"start": 1, "all": []}, "note": None}
    single = as_json(hits((name, (one,))), form).strip(b"[]\n")
    shown = as_json(hits((name, (one,) * 501)), form)
    separator = {"pretty": b",\n", "compact": b",", "stream": b"\n"}[form]
    assert shown.strip(b"[]\n") == separator.join([single] * 501)
