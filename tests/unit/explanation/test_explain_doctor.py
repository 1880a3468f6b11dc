"""The doctor's advice works: what it suggests compiles, and matches what was meant."""

import argparse
import shlex
from pathlib import Path

import pytest
from ast_grep_py import SgRoot

from astedit.errors import RequestError
from astedit.explanation.diagnose import diagnose
from astedit.explanation.reading import ExplainedFile, explain, explain_in
from astedit.explanation.spellings import readings
from astedit.explanation.unmatched import nothing_matched
from astedit.language import load, named
from astedit.pattern.compile import compile_pattern
from astedit.pattern.find import Finder
from tests.support.lists import rows

# Places: a pattern, a file it was written for, and the kind that has to be selected there.
# Repairs: a pattern, what the doctor makes of it, and code that this matches.
ROWS = rows(Path(__file__).with_suffix(".txt"))
PLACES = ROWS["places"]


def _finder(language: str, text: str, selector=None, context=None) -> Finder:
    row = named(language)
    return Finder(compile_pattern(text, row, load(row), selector=selector, context=context))


def _count(finder: Finder, source: str) -> int:
    root = finder.pattern.grammar.parser().parse(source.encode()).root_node
    return len(finder.find(root, source.encode()))


def _options(suggestion) -> str:
    return suggestion.message[suggestion.message.index(": -p ") + 2 :]


def _pasted(language: str, suggestion) -> Finder:
    """What the shell and the command line make of the options in a suggestion's message."""
    parser = argparse.ArgumentParser()
    for name in ("-p", "--context", "--selector"):
        parser.add_argument(name)
    pasted = parser.parse_args(shlex.split(_options(suggestion)))
    assert pasted.context == suggestion.context
    assert pasted.selector == suggestion.selector
    assert suggestion.pat in (None, pasted.p)
    return _finder(language, pasted.p, pasted.selector, pasted.context)


@pytest.mark.parametrize(("language", "text", "source", "selector"), PLACES)
def test_a_place_is_suggested_that_matches(language, text, source, selector):
    row = named(language)
    found = diagnose(text, row, load(row))
    meant = [one for one in found.suggestions if one.selector == selector]
    assert meant, found.suggestions
    finder = _pasted(language, meant[0])
    assert _count(finder, source) == 1
    assert finder.pattern.flaws == () or "$$$" in text


@pytest.mark.parametrize(("language", "text", "source", "selector"), PLACES)
def test_the_pattern_alone_does_not_match_there(language, text, source, selector):
    row = named(language)
    found = diagnose(text, row, load(row))
    if found.pattern is not None and found.healthy:
        kinds = {match.node.type for match in _matches(Finder(found.pattern), source)}
        assert selector not in kinds


def _matches(finder: Finder, source: str):
    root = finder.pattern.grammar.parser().parse(source.encode()).root_node
    return finder.find(root, source.encode())


@pytest.mark.parametrize(
    ("language", "text", "source", "selector"),
    [case for case in PLACES if case[0] not in {"sql", "dart", "kotlin"}],
)
def test_ast_grep_agrees_with_the_suggestion(language, text, source, selector):
    row = named(language)
    suggestions = diagnose(text, row, load(row)).suggestions
    meant = next(one for one in suggestions if one.selector == selector)
    rule = {"pattern": {"context": meant.context, "selector": meant.selector}}
    assert len(SgRoot(source, language).root().find_all({"rule": rule})) == 1


@pytest.mark.parametrize(("language", "text", "other", "source"), ROWS["repairs"])
def test_a_repair_is_suggested_that_matches(language, text, other, source):
    row = named(language)
    found = diagnose(text, row, load(row))
    meant = [one for one in found.suggestions if one.pat == other]
    assert meant, found.suggestions
    assert _count(_pasted(language, meant[0]), source) >= 1


@pytest.mark.parametrize(("language", "text"), ROWS["healthy"])
def test_a_healthy_pattern_gets_no_warning(language, text):
    row = named(language)
    found = diagnose(text, row, load(row))
    assert found.healthy
    assert found.warnings == []


@pytest.mark.parametrize(("language", "text", "code", "part"), ROWS["warnings"])
def test_warnings_are_precise(language, text, code, part):
    row = named(language)
    found = [one for one in diagnose(text, row, load(row)).warnings if one.code == code]
    assert found
    assert part in found[0].message


def test_a_long_pattern_is_only_looked_at_once():
    row = named("go")
    found = diagnose("f(" + "a, " * 5_000, row, load(row))
    assert found.warnings[0].code == "error_node"
    assert found.suggestions == []


def test_a_shell_variable_is_no_warning():
    for language in ("bash", "php"):
        row = named(language)
        assert not diagnose("foo($a)" if language == "php" else "foo $a", row, load(row)).warnings


def test_what_is_nearest_is_shown_though_a_text_is_not_in_the_file():
    place = ExplainedFile("a.py", b"get(url, verify=False)\n")
    shown = explain_in("get($U, verify=True)", [named("python")], place=place)
    assert "a.py:1: `get(url, verify=False)`: this is a false" in shown.tree


def test_a_keyword_is_no_name_where_it_can_be_a_keyword():
    row = named("javascript")
    found = readings("var $N = $V", row, load(row), "smart")
    assert {reading.selector for reading in found} == {"variable_declaration"}


def test_a_wrong_selector_is_answered_with_one_that_is_there():
    row = named("go")
    context = "func f() { fmt.Println($A) }"
    for selector in ("call_expresion", "call", "string_literal"):
        found = diagnose("fmt.Println($A)", row, load(row), selector=selector, context=context)
        assert found.warnings[0].code in {"invalid_kind", "selector_not_found"}
        assert len(found.suggestions) == 1
        assert _pasted("go", found.suggestions[0]).pattern.captures
    found = diagnose("x", row, load(row), selector="call_expresion", context=context)
    assert found.suggestions[0].selector == "call_expression"


@pytest.mark.parametrize(("language", "text", "source", "other", "part"), ROWS["unmatched"])
def test_what_came_close_is_named(language, text, source, other, part):
    row = named(language)
    suffix = {"javascript": "js"}.get(language, row.suffixes[0])
    lines = nothing_matched(text, row, load(row), [(f"a.{suffix}", source.encode())])
    assert any(part in line for line in lines), lines
    assert len(lines) <= 8
    if other:
        assert any(
            other in line and line.startswith(f"Matches a.{suffix}:1. ") for line in lines
        ), lines


@pytest.mark.parametrize(("language", "text", "source", "selector"), PLACES[:12])
def test_the_place_that_matches_comes_first(language, text, source, selector):
    row = named(language)
    found = diagnose(text, row, load(row))
    if found.healthy and found.pattern and _count(Finder(found.pattern), source):
        pytest.fail("the plain pattern matches, so nobody would ask")
    lines = nothing_matched(text, row, load(row), [("x", source.encode())])
    pasted = [line for line in lines if line.startswith("Matches x:")]
    assert pasted
    assert f"--selector {selector}" in pasted[0]


def test_the_search_for_near_misses_stops_in_time():
    row = named("python")
    read = []

    def files():
        for number in range(10_000):
            read.append(number)
            yield f"{number}.py", b"f(1, 2)\n" * 200

    lines = nothing_matched("f($A)", row, load(row), files(), seconds=0.0)
    assert len(read) == 1
    assert sum(line.startswith("Near miss") for line in lines) == 3


def test_texts_that_no_file_holds_are_named():
    row = named("python")
    lines = nothing_matched("foo(bar, $A)", row, load(row), [], searched=7)
    assert lines == ["No file of the 7 searched holds `bar` or `foo`."]
    assert nothing_matched("foo(bar, $A)", row, load(row), []) == []


def test_a_repair_that_matches_everything_is_not_tried():
    row = named("python")
    lines = nothing_matched('"x$A"', row, load(row), [("a.py", b'"abc"\n')])
    assert sum(line.startswith("Matches") for line in lines) == 1


def test_explain_shows_the_tree_with_its_holes():
    shown = explain_in("foo($A, $$$B)", [named("python"), named("javascript")])
    assert shown.captures == ["$A", "$$$B"]
    assert [use.name for use in shown.languages] == ["python", "javascript"]
    assert "Python:\ncall\n" in shown.tree
    assert "JavaScript:\ncall_expression\n" in shown.tree
    assert "    $A  (one named node)\n" in shown.tree
    assert "    $$$B  (any number of nodes)\n" in shown.tree
    assert shown.warnings == []


def test_explain_drops_a_language_that_refuses_and_says_why():
    shown = explain_in('"a": $V', [named("python"), named("yaml")])
    python, yaml = shown.languages
    assert "several top-level nodes" in python.dropped
    assert yaml.dropped is None
    assert "Yaml:" in shown.tree
    assert explain_in('"a": $V', [named("python")]).suggestions[0].selector == "pair"


def test_explain_compares_with_a_line_of_a_file(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.go").write_text("package p\n\nfunc f() {\n\tfmt.Println(1)\n}\n")
    shown = explain("fmt.Println($A)", "a.go:4")
    assert [use.name for use in shown.languages] == ["go"]
    assert "type_conversion_expression" in shown.tree
    assert "a.go:4:\n" in shown.tree
    assert "function: selector_expression" in shown.tree
    assert 'int_literal "1"' in shown.tree


def test_explain_counts_matches_in_a_file():
    source = b"foo(1)\nfoo(2)\n"
    assert (
        "2 matches"
        in explain_in("foo($A)", [named("python")], place=ExplainedFile("a.py", source)).tree
    )
    shown = explain_in("foo($A, $B)", [named("python")], place=ExplainedFile("a.py", source)).tree
    assert "0 matches" in shown
    assert "a.py:1: `foo(1)`: nothing stands where the pattern has `,`" in shown


def test_a_long_tree_is_cut():
    tree = explain_in("f(" + ", ".join(f"a{n}" for n in range(200)) + ")", [named("python")]).tree
    assert tree.count("\n") <= 125
    assert tree.endswith("more lines")


def test_explain_without_a_language_shows_those_that_make_sense_of_it():
    shown = explain("def $F($$$A): $$$B")
    uses = {use.name: use.dropped for use in shown.languages}
    assert uses["python"] is None
    assert "json" not in uses
    assert uses["go"]
    assert "function_definition" in shown.tree


@pytest.mark.parametrize(("file", "lang", "part"), ROWS["explain refuses what it cannot look at"])
def test_explain_refuses_what_it_cannot_look_at(tmp_path, monkeypatch, file, lang, part):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "x.unknown").write_text("x")
    with pytest.raises(RequestError, match=part):
        explain("x", file, lang=lang)
