"""The doctor's advice works: what it suggests compiles, and matches what was meant."""

import argparse
import shlex

import pytest
from ast_grep_py import SgRoot

from astedit.errors import RequestError
from astedit.explanation.diagnose import diagnose, hints
from astedit.explanation.reading import ExplainedFile, explain, explain_in
from astedit.explanation.unmatched import nothing_matched
from astedit.language import load, named
from astedit.pattern.compile import compile_pattern
from astedit.pattern.find import Finder

# Pattern, a file it was written for, and the kind that has to be selected there.
PLACES = [
    ("go", "fmt.Println($A)", "package p\nfunc f() { fmt.Println(1) }\n", "call_expression"),
    ("go", "$A.$B", "package p\nvar x = a.b\n", "selector_expression"),
    ("go", "$N $T", "package p\ntype t struct { a int }\n", "field_declaration"),
    ("go", "Name: $V", "package p\nvar x = T{Name: 1}\n", "keyed_element"),
    (
        "go",
        "case $A: $$$B",
        "package p\nfunc f() { switch x { case 1: g() } }\n",
        "expression_case",
    ),
    ("c", "printf($A)", 'void f() { printf("x"); }\n', "call_expression"),
    ("c", ".x = $V", "struct s a = { .x = 1 };\n", "initializer_pair"),
    ("cpp", "std::move($A)", "void f() { g(std::move(x)); }\n", "call_expression"),
    ("cpp", "virtual void $F();", "class A { virtual void f(); };\n", "field_declaration"),
    ("css", "color: $V", "a { color: red; }\n", "declaration"),
    ("css", "$P: red", "a { color: red; }\n", "declaration"),
    ("json", '"a": 1', '{"a": 1}\n', "pair"),
    ("json", '"$K": 1', '{"a": 1}\n', "pair"),
    ("php", "private $x = $V;", "class A { private $x = 1; }\n", "property_declaration"),
    (
        "php",
        "public function $F($$$A) { $$$B }",
        "class A { public function f($x) { return 1; } }\n",
        "method_declaration",
    ),
    ("php", "'a' => $V", "$x = ['a' => 1];\n", "array_element_initializer"),
    ("java", "private $T $NAME = $V;", "class A { private int x = 1; }\n", "field_declaration"),
    (
        "java",
        "case $A: break;",
        "class A { void f() { switch (x) { case 1: break; } } }\n",
        "switch_block_statement_group",
    ),
    ("csharp", "private $T $N = $V;", "class A { private int x = 1; }\n", "field_declaration"),
    (
        "csharp",
        "public $T $N { get; set; }",
        "class A { public int X { get; set; } }\n",
        "property_declaration",
    ),
    ("csharp", "$A = $B", "class A { void F() { x = 1; } }\n", "assignment_expression"),
    ("javascript", "a: 1", "x = {a: 1};\n", "pair"),
    ("javascript", "$A = $B", "class A { x = 1; }\n", "field_definition"),
    ("javascript", "async $F() { $$$ }", "class A { async f() { g(); } }\n", "method_definition"),
    ("javascript", "case $A: break;", "switch (x) { case 1: break; }\n", "switch_case"),
    ("javascript", "catch ($E) { $$$ }", "try {} catch (e) { f(); }\n", "catch_clause"),
    ("javascript", "a={$V}", "x = <b a={1} />;\n", "jsx_attribute"),
    ("typescript", "private $N = $V", "class A { private x = 1; }\n", "public_field_definition"),
    ("typescript", "$A: string", "interface I { a: string }\n", "property_signature"),
    ("typescript", "string[]", "let x: string[] = [];\n", "array_type"),
    ("tsx", "a={$V}", "const x = <b a={1} />;\n", "jsx_attribute"),
    ("python", "a=$V", "f(a=1)\n", "keyword_argument"),
    ("python", '"a": $V', 'x = {"a": 1}\n', "pair"),
    ("python", "except $E: $$$B", "try:\n    a\nexcept E:\n    b\n", "except_clause"),
    ("python", "elif $A: $$$B", "if a:\n    b\nelif c:\n    d\n", "elif_clause"),
    ("python", "case $A: $$$B", "match x:\n    case 1:\n        a\n", "case_clause"),
    ("ruby", "a: $V", "f(a: 1)\n", "pair"),
    ("ruby", "when $A then $B", "case x\nwhen 1 then 2\nend\n", "when"),
    ("rust", "$A => $B", "fn f() { match x { 1 => 2 } }\n", "match_arm"),
    ("rust", "a: $V", "fn f() { S { a: 1 }; }\n", "field_initializer"),
    ("rust", "pub a: $T", "struct S { pub a: i32 }\n", "field_declaration"),
    ("rust", "Vec<$T>", "fn f(x: Vec<i32>) {}\n", "generic_type"),
    ("kotlin", "$A -> $B", "val x = when (y) { 1 -> 2 }\n", "when_entry"),
    ("swift", "case .a: $$$B", "switch x {\ncase .a: f()\n}\n", "switch_entry"),
    ("scala", "case $A => $B", "x match { case 1 => 2 }\n", "case_clause"),
    ("solidity", "foo($A)", "contract A { function f() { foo(1); } }\n", "call_expression"),
    ("elixir", "a: $V", "%{a: 1}\n", "pair"),
    ("haskell", "$A <- $B", "main = do\n  a <- b\n  c\n", "bind"),
    ("hcl", "foo($A)", "x = foo(1)\n", "function_call"),
    ("lua", "$A + $B", "x = a + b\n", "binary_expression"),
    ("nix", "a = $V;", "{ a = 1; }\n", "binding"),
    ("dart", "a: $V", "void f() { g(a: 1); }\n", "named_argument"),
    ("zig", "$A => $B", "const x = switch (y) { 1 => 2 };\n", "switch_case"),
    ("html", "class='$A'", "<p class='x'>y</p>\n", "attribute"),
    ("sql", "a = $V", "SELECT b FROM t WHERE a = 1;\n", "binary_expression"),
    ("bash", "a) $B ;;", "case $x in a) f ;; esac\n", "case_item"),
]


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
    found = SgRoot(source, language).root().find_all({"rule": rule})
    assert len(found) == 1


# Pattern, what the doctor makes of it, and code that this matches.
REPAIRS = [
    ("go", "f($A", "f($A)", "package p\nfunc g() { f(1) }\n"),
    ("python", "f('$A", "f('$A')", "f('x')\n"),
    ("javascript", "{ $A", "{ $A}", "{ x; }\n"),
    ("java", "public void $F() {", "public void $F() {}", "class A { public void f() {} }\n"),
    ("python", "class $C($B)", "class $C($B): $$$BODY", "class A(B):\n    pass\n"),
    ("python", "with $A as $B", "with $A as $B: $$$BODY", "with a as b:\n    c\n"),
    ("javascript", "function $F($$$A)", "function $F($$$A) { $$$BODY }", "function f(a) { b }\n"),
    ("ruby", "def $F", "def $F\n$$$BODY\nend", "def f\n  a\nend\n"),
    ("lua", "function $F($$$A)", "function $F($$$A)\n$$$BODY\nend", "function f(a)\nb()\nend\n"),
    ("java", "$L $OP $R", "$L + $R", "class A { int x = a + b; }\n"),
    ("javascript", "$L $OP $R", "$L + $R", "a + b\n"),
    ("python", "foo($a)", "foo($A)", "foo(1)\n"),
    ("python", "foo($Name)", "foo($NAME)", "foo(1)\n"),
    ("javascript", "foo(${A})", "foo($A)", "foo(1)\n"),
    ("python", '"x$A"', '"$A"', '"abc"\n'),
    ("javascript", "on$EVENT", "$EVENT", "click\n"),
    ("css", ".a$X { color: red }", ".$X { color: red }", ".ab { color: red }\n"),
    ("python", "f($$$A, $$$B)", "f($$$A)", "f(1, 2)\n"),
    ("python", "$$$A", "$A", "x\n"),
    ("json", '"a": $V', '"a": "$V"', '{"a": "x"}\n'),
    (
        "php",
        "private $T $NAME = $V;",
        "private $T $name = $V;",
        "class A { private int $name = 1; }\n",
    ),
    ("php", "private $x = $V", "private $x = $V;", "class A { private $x = 1; }\n"),
    ("php", "$X = $V", "$x = $V", "$x = 1;\n"),
    ("typescript", "private $N: $T;", "private $N: $T", "class A { private x: number; }\n"),
]


@pytest.mark.parametrize(("language", "text", "other", "source"), REPAIRS)
def test_a_repair_is_suggested_that_matches(language, text, other, source):
    row = named(language)
    found = diagnose(text, row, load(row))
    meant = [one for one in found.suggestions if one.pat == other]
    assert meant, found.suggestions
    assert _count(_pasted(language, meant[0]), source) >= 1
    assert meant[0].message in hints(found)


HEALTHY = [
    ("python", "foo($A)"),
    ("python", "'$A'"),
    ("python", "def $F($$$A): $$$B"),
    ("python", "f'{$A}'"),
    ("javascript", "foo($$$A)"),
    ("javascript", "`${$A}`"),
    ("javascript", "`${name}`"),
    ("kotlin", 'f("${name}", $A)'),
    ("typescript", "const $A = $B"),
    ("rust", "$A.unwrap()"),
    ("rust", "foo($A)"),
    ("java", "foo($A)"),
    ("go", "foo($A)"),
    ("c", "int $X = $V;"),
    ("bash", 'echo "$HOME" $A'),
    ("php", "$x->foo($A)"),
    ("yaml", "a: $V"),
]


@pytest.mark.parametrize(("language", "text"), HEALTHY)
def test_a_healthy_pattern_gets_no_warning(language, text):
    row = named(language)
    found = diagnose(text, row, load(row))
    assert found.healthy
    assert found.warnings == []


WARNINGS = [
    ("python", '"x$A"', "buried_hole", '`"x$A"`'),
    ("javascript", "on$EVENT", "buried_hole", "`on$EVENT`"),
    ("python", "foo($a)", "plain_text", "$a is plain text"),
    ("javascript", "foo($a)", "plain_text", "$a is plain text"),
    ("go", "f($A", "error_node", "`f($A` at column 1"),
    ("javascript", "{ $A", "missing_node", "a closing } is missing at column 5"),
    ("javascript", "123+", "error_node", "`123+`"),
    ("json", "[$A]", "error_hole", "it works as a hole"),
    ("java", "public $T $F($$$A) { $$$B }", "error_hole", "it works as a hole"),
    ("python", "a; b", "multiple_nodes", "several top-level nodes"),
    ("python", "$$$A", "standalone_multi", "standalone multi"),
    ("python", "f($$$A, $$$B)", "ambiguous", "two many-holes in a row"),
    ("python", " ", "empty_pattern", "empty"),
    ("toml", "a = $V", "error_node", "`a = $V`"),
]


@pytest.mark.parametrize(("language", "text", "code", "part"), WARNINGS)
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


UNMATCHED = [
    ("python", "f($A)", "f(1, x=2)\n", "f($$$ARGS)", "`x=2` (keyword_argument) is more"),
    ("python", "f($A)", "f()\n", "f($$$ARGS)", "nothing stands where the pattern has `$A`"),
    ("javascript", "f($$$A)", "f?.(1);\n", "f?.($$$A)", "`?.` (optional_chain) is more"),
    ("typescript", "f($$$A)", "f<T>(1);\n", "f<$$$TYPES>($$$A)", "(type_arguments) is more"),
    ("typescript", "$X.f()", "x?.f();\n", "$X?.f()", "a.ts:1"),
    (
        "python",
        "def $F($$$A): $$$B",
        "def f(a) -> int:\n    return a\n",
        "-> $TYPE:",
        "`int` (type)",
    ),
    ("javascript", "function $F() { $$$B }", "function* f() { a }\n", "function* $F()", "a.js:1"),
    ("javascript", "f('a')", 'f("a");\n', 'f("a")', "the pattern has `'`"),
    ("python", "g($A, $A)", "g(1, 2)\n", None, "stands for different code"),
    ("python", "foo($A)", "bar(1)\n", None, "`foo` does not occur in the one file searched"),
    ("python", "x = f($A)", "x: int = f(1)\n", None, "`int` (type) is more than the pattern names"),
    ("python", "await f($A)", "f(1)\n", None, "this is a call, the pattern is an await"),
    (
        "python",
        "f(a)",
        "f(1 + a)\n",
        None,
        "this is a binary_operator, the pattern is an identifier",
    ),
    (
        "go",
        "fmt.Println($A)",
        "package p\nfunc f() { fmt.Println(1, 2) }\n",
        None,
        "`2` (int_literal)",
    ),
    ("rust", "foo($A)", "fn f() { foo::<u8>(1); }\n", "foo::<$$$TYPES>($A)", "generic_function"),
    ("dart", "print($A)", "void f() { print('x'); }\n", "print($A);", "a.dart:1"),
]


@pytest.mark.parametrize(("language", "text", "source", "other", "part"), UNMATCHED)
def test_what_came_close_is_named(language, text, source, other, part):
    row = named(language)
    suffix = {"javascript": "js"}.get(language, row.suffixes[0])
    lines = nothing_matched(text, row, load(row), [(f"a.{suffix}", source.encode())])
    assert any(part in line for line in lines), lines
    assert len(lines) <= 8
    if other is not None:
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
    assert lines == ["No file of the 7 searched holds `bar` and `foo`."]
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
    alone = explain_in('"a": $V', [named("python")])
    assert alone.suggestions[0].selector == "pair"


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
    text = "f(" + ", ".join(f"a{n}" for n in range(200)) + ")"
    tree = explain_in(text, [named("python")]).tree
    assert tree.count("\n") <= 125
    assert tree.endswith("more lines")


def test_explain_without_a_language_shows_those_that_make_sense_of_it():
    shown = explain("def $F($$$A): $$$B")
    uses = {use.name: use.dropped for use in shown.languages}
    assert uses["python"] is None
    assert "json" not in uses
    assert uses["go"]
    assert "function_definition" in shown.tree


@pytest.mark.parametrize(
    ("file", "lang", "part"),
    [
        ("gone.go", None, "Cannot read gone.go: No such file"),
        (None, "cobol", "Unknown language 'cobol'"),
        ("x.unknown", None, "x.unknown: unknown language"),
    ],
)
def test_explain_refuses_what_it_cannot_look_at(tmp_path, monkeypatch, file, lang, part):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "x.unknown").write_text("x")
    with pytest.raises(RequestError, match=part):
        explain("x", file, lang=lang)
