"""Items put into lists and taken out of them by edits apart, in every language with lists."""

import re
from collections.abc import Iterator
from itertools import combinations
from pathlib import Path

import pytest

from tests.support.lists import rows
from tests.support.rule_plans import fixed, plan

# A text with `{}` where the list is, the kind of the target, and its brackets.
ROWS = rows(Path(__file__).with_suffix(".txt"))["lists"]
BLANK = {"bash", "nix"}  # the languages whose lists have no commas
TRAILING = {"javascript", "python", "rust", "go", "typescript", "kotlin", "swift", "ruby", "php"}
SIGNS = {"lua": "--", "sql": "--", "haskell": "--"} | dict.fromkeys(
    ["bash", "elixir", "hcl", "nix", "python", "ruby"], "#"
)


def shapes(language: str) -> Iterator[tuple[str, list[str]]]:
    """Contents of a list in many layouts, and the items."""
    comma, sign = "" if language in BLANK else ",", SIGNS.get(language, "//")
    yield "a", ["a"]
    yield f"a{comma} b{comma} c", ["a", "b", "c"]
    yield f"a{comma}\n      b", ["a", "b"]
    if language != "haskell":
        yield f"\n    a{comma}\n    b\n", ["a", "b"]
        yield f"\n    a{comma}  {sign} p\n    b  {sign} q\n", ["a", "b"]
    if language in TRAILING:
        yield "\n    a,\n    b,\n    c,\n", ["a", "b", "c"]
        yield "a, b,", ["a", "b"]


def rule(kind: str, edits: str) -> str:
    return f"rule: {{kind: {kind}}}\nfix: {{edits: [{edits}]}}"


def items(language: str, opener: str, closer: str, text: str) -> list[str]:
    """What stands between the brackets that hold one of our letters, comments aside."""
    bare = re.sub(rf"{SIGNS.get(language, '//')} [pq]", "", text)
    pattern = rf"{re.escape(opener)}([\sabcz,]*){re.escape(closer)}"
    found = next(one for one in re.findall(pattern, bare))
    if language in BLANK:
        assert "," not in found
        return found.split()
    parts = [part.strip() for part in found.split(",")]
    return parts[:-1] if parts[-1] == "" else parts


@pytest.mark.parametrize(("language", "around", "kind", "opener", "closer"), ROWS)
def test_an_item_is_put_in_as_the_others_stand(
    language: str, around: str, kind: str, opener: str, closer: str
) -> None:
    for content, before in shapes(language):
        source = around.replace("{}", opener + content + closer, 1)
        for position in ("append", "prepend"):
            after = fixed(rule(kind, f"{{position: {position}, template: z}}"), source, language)
            wanted = [*before, "z"] if position == "append" else ["z", *before]
            assert items(language, opener, closer, after) == wanted, source
            in_lines = content.startswith("\n")
            assert bool(re.search(r"^    z,?$", after, re.MULTILINE)) == in_lines, source
            assert after.rstrip(closer + ";)} \n").endswith(",") <= content.rstrip().endswith(",")


@pytest.mark.parametrize(("language", "around", "kind", "opener", "closer"), ROWS)
def test_items_go_with_their_separators(
    language: str, around: str, kind: str, opener: str, closer: str
) -> None:
    for content, before in shapes(language):
        source = around.replace("{}", opener + content + closer, 1)
        for count in range(1, len(before)):
            for gone in combinations(before, count):
                edits = ", ".join(
                    f"{{target: {{regex: '^{name}$', not: {{has: {{regex: '[a-z]'}}}}}},"
                    " position: delete}"
                    for name in gone
                )
                after = fixed(rule(kind, edits), source, language)
                left = [name for name in before if name not in gone]
                assert items(language, opener, closer, after) == left, (source, gone)


def test_an_empty_template_deletes_what_it_would_replace() -> None:
    gone = "{target: {regex: '^b$'}, template: ''}"
    assert fixed(rule("call", gone), "f(a, b)\n", "python") == "f(a)\n"
    assert fixed(rule("call", gone), "f(\n    b,\n    a,\n)\n", "python") == "f(\n    a,\n)\n"


def test_several_items_for_one_list_have_separators_between_them() -> None:
    edits = "{position: append, template: k=1}, {position: append, template: m=2}"
    for source, after in (
        ("f()", "f(k=1, m=2)"),
        ("f(x, y,)", "f(x, y, k=1, m=2)"),
        ("f(\n    x  # c\n)", "f(\n    x,  # c\n    k=1,\n    m=2\n)"),
        ("f(\n    x,\n)", "f(\n    x,\n    k=1,\n    m=2,\n)"),
    ):
        assert fixed(rule("call", edits), source, "python") == after
    both = "{position: append, template: '2'}, {position: prepend, template: '1'}"
    assert fixed(rule("call", both), "f()", "python") == "f(1, 2)"
    assert fixed(rule("call", both), "f(x)", "python") == "f(1, x, 2)"
    assert fixed(rule("block", "{position: append, template: z}"), "fn f() {}", "rust")[7:] == "{z}"


def test_an_item_may_hold_captures() -> None:
    text = "rule: {pattern: 'f($A)'}\nfix: {edits: [{position: append, template: ' k=$A,'}]}"
    assert fixed(text, "f(1)\nf(\n  g(f(2)),\n)", "python") == (
        "f(1, k=1)\nf(\n  g(f(2, k=2)),\n  k=g(f(2, k=2)),\n)"
    )


@pytest.mark.parametrize("source", ["x = f(a)\n", "return f(a)\n", "if f(a): pass\n"])
def test_a_statement_that_ends_in_a_call_is_no_list(source: str) -> None:
    kinds = "[{kind: assignment}, {kind: return_statement}, {kind: if_statement}]"
    text = f"rule: {{any: {kinds}}}\nfix: {{edits: [{{position: append, template: '; z'}}]}}"
    after = fixed(text, f"def g():\n    {source}" if "return" in source else source, "python")
    assert after.endswith(source.rstrip() + "; z\n")


def test_an_item_that_would_stand_where_another_one_is_deleted_is_refused() -> None:
    edits = "{target: {regex: '^b$'}, position: delete}, {position: append, template: z}"
    made = plan(rule("list", edits), "x = [a, b]\n", "python")
    assert [one.reason for one in made.displaced] == ["crossing"]
    assert fixed(rule("list", edits.replace("append", "prepend")), "x = [a, b]\n", "python") == (
        "x = [z, a]\n"
    )
