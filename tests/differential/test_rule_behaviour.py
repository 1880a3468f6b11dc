"""What rules do in the corners: by our reading and by `ast-grep scan`, and what both refuse."""

from pathlib import Path

import pytest

from astedit.errors import AstEditError
from astedit.language import load
from astedit.rule import compile_document, compile_globals, read_rules, read_utilities
from tests.support.differential.rules import described, document, ours, scan, theirs
from tests.support.differential.transforms import ours as our_texts
from tests.support.differential.transforms import theirs as their_texts

BODY = "inside: {kind: function_declaration, stopBy: end}"
AFTER = "function f() { open(); return early; save() }"

# id, language, the rule file without its first two keys, source, what is found
FOUND = [
    ("A2-white-space", "javascript", "rule: {kind: '  arguments   >   number  '}", "f(1)", ["1"]),
    ("A2-digits", "javascript", "rule: {kind: 'number:not(number)'}", "f(1)", []),
    ("A2-is-alone", "javascript", "rule: {kind: ':is(number, string)'}", "f(1, 's')", ["1", "'s'"]),
    ("A2-any-of-a-kind", "javascript", "rule: {kind: 'arguments > :nth-child(2n+1 of number)'}",
     "f(a, 1, 2, b, 3)", ["1", "3"]),
    ("A2-negative", "javascript", "rule: {kind: 'array > number:nth-child(-n + 2)'}",
     "[7, 8, 9]", ["7", "8"]),
    ("A4-object-reverse", "javascript",
     "rule: {kind: number, nthChild: {position: 2n + 2, reverse: true}}", "[7, 8, 9, 6]",
     ["7", "9"]),
    ("A4-of-regex", "javascript",
     "rule: {kind: number, nthChild: {position: 2, ofRule: {regex: '^[89]$'}}}",
     "[7, 8, 9]", ["9"]),
    ("A4-of-a-hole", "javascript",
     "rule: {kind: number, nthChild: {position: 3, ofRule: {pattern: $S}}}", "[7, 8, 9]",
     ["9 S=9"]),
    ("A5-lines-only", "javascript",
     "rule: {kind: statement_block, range: {start: {line: 0}, end: {line: 2}}}",
     "if (x) {\n  y()\n}", ["{\n  y()\n}"]),
    ("A5-outside-the-plane", "javascript",
     "rule: {kind: string, range: {start: {line: 0, column: 2}, end: {line: 0, column: 5}}}",
     "f('\U0001f40d')", ["'\U0001f40d'"]),
    ("A5-start-only-by-line", "javascript",
     "rule: {kind: number, range: {start: {line: 1}, end: {line: 1, column: 4}}}",
     "f(1,\n  22, 3)", ["22"]),
    ("R2-neighbours-are-statements", "javascript",
     "rule: {pattern: save(), inside: {kind: expression_statement, follows: {pattern: open();}}}",
     "open(); save(); wait(); save()", ["save()"]),
    ("R3-not-into-blocks", "javascript",
     "rule: {kind: expression_statement, regex: ^save, follows: {pattern: open();, stopBy: end}}",
     "{ open(); } save()", []),
    ("R3-inside-at-any-depth", "javascript",
     "rule: {pattern: save(), inside: {pattern: 'function load() { $$$ }', stopBy: end}}",
     "function load() { if (a) { function g() { save() } } }\nfunction x() { save() }", ["save()"]),
    ("R4-stops-at-a-function", "javascript",
     "rule: {pattern: 'function load() { $$$ }', has: {pattern: save(), stopBy:"
     " {kind: function_declaration}}}",
     "function load() { function g() { save() } }\nfunction load() { g(); if (a) save() }",
     ["function load() { g(); if (a) save() }"]),
    ("R4-the-stop-itself", "javascript",
     "rule: {pattern: 'function load() { $$$ }', has: {pattern: 'function g() { $$$ }', stopBy:"
     " {kind: function_declaration}}}",
     "function load() { function g() { } }\nfunction load() { function h() { function g() {} } }",
     ["function load() { function g() { } }"]),
    ("R5-a-field-among-many", "javascript",
     "rule: {kind: assignment_expression, inside: {kind: for_statement, field: increment,"
     " stopBy: end}}", "for (i = 0; i < 3; i = i + 1) { j = 2 }", ["i = i + 1"]),
    ("R5-has-a-field", "javascript",
     "rule: {kind: while_statement, has: {pattern: $C, field: condition}}", "while (a) { b }",
     ["while (a) { b } C=(a)"]),
    ("C1-not-in-a-relation-binds-nothing", "javascript",
     "rule: {kind: expression_statement, regex: ^save, follows: {not: {pattern: return $A},"
     " stopBy: end}}", AFTER, ["save()"]),
    ("C1-any-of-constraints", "javascript",
     "rule: {pattern: $A.then($F)}\n"
     "constraints: {F: {any: [{kind: arrow_function}, {regex: ^on}]}}",
     "a.then(x => 1); b.then(onDone); c.then(go)",
     ["a.then(x => 1) A=a F=x => 1", "b.then(onDone) A=b F=onDone"]),
    ("C3-a-chain-is-searched-again", "javascript",
     "rule: {kind: statement_block, has: {pattern: 'self.$F = make()', stopBy: end}}",
     "if (x) {\n  self.a = 1;\n  self.b = make()\n}",
     ["{\n  self.a = 1;\n  self.b = make()\n} F=b"]),
    ("C3-the-second-child-binds", "javascript",
     "rule: {kind: statement_block, has: {pattern: $S, regex: ^while}}",
     "{ go(); while (a) b() }", ["{ go(); while (a) b() } S=while (a) b()"]),
    ("U1-a-utility-of-a-utility", "javascript",
     "utils:\n  word: {matches: leaf, regex: ^x}\n  leaf: {kind: identifier}\n"
     "rule: {matches: word}", "f(x1, y, x2)", ["x1", "x2"]),
    ("U1-the-same-name-must-be-equal", "javascript",
     "utils: {call: {pattern: run($A)}}\nrule: {all: [{pattern: $A}, {matches: call}]}",
     "run(1)", []),
    ("K1-two-constraints", "javascript",
     "rule: {pattern: $A = $B}\nconstraints: {A: {regex: ^x}, B: {kind: number}}",
     "x1 = 1; x2 = y; z = 2", ["x1 = 1 A=x1 B=1"]),
    ("K1-adds-a-capture-of-a-relation", "javascript",
     "rule: {pattern: use($A)}\nconstraints: {A: {has: {pattern: $N, kind: number}}}",
     "use([1]); use(1)", ["use([1]) A=[1] N=1"]),
    ("G1-python-class-body", "python",
     "rule: {pattern: 'class $C: $$$B', has: {pattern: 'def __del__(self): $$$', stopBy: end}}",
     "class A:\n    def __del__(self):\n        pass\nclass B:\n    pass\n",
     ["class A:\n    def __del__(self):\n        pass"
      " B=def __del__(self):\n        pass C=A"]),
]  # fmt: skip

TEXT = "rule: {pattern: f($A)}\ntransform: {T: "
# id, the rule file without its first two keys, source, the text made for every match
MADE = [
    ("T1-blanks", TEXT + "\"replace(  $A, replace= ^.+, by =  '[')\"}", "f(ab)", ["["]),
    ("T1-many-commas", "rule: {pattern: f($$$A)}\ntransform: {T: \"rewrite($$$A,"
     " rewriters=[n], joinBy = ',,')\"}\nrewriters: [{id: n, rule: {kind: number}, fix: N}]",
     "f(1, 2)", ["N,,N"]),
    ("T1-no-separators", TEXT + "'convert($A, toCase=snakeCase, separatedBy=[])'}", "f(aB_c)",
     ["ab_c"]),
    ("T2-three-deep", TEXT + "'convert($U, toCase=upperCase)', U: 'substring($V, startChar=1)',"
     " V: \"replace($A, replace='\\\\d', by=x)\"}", "f(b1a2)", ["XAX"]),
    ("T5-words-at-the-end", TEXT + "'convert($A, toCase=kebabCase)'}", "f(parseHTML)",
     ["parse-html"]),
    ("T5-a-path", TEXT + "'convert($A, toCase=pascalCase)'}", "f(a/bc/d_e)", ["ABcDE"]),
    ("T5-case-only", TEXT + "'convert($A, toCase=camelCase, separatedBy=[caseChange])'}",
     "f(user_nameId)", ["user_nameId"]),
    ("T6-first-wins-over-general", TEXT + "'rewrite($A, rewriters=[two, any])'}\nrewriters:\n"
     "- {id: any, rule: {kind: number}, fix: N}\n- {id: two, rule: {regex: ^2$}, fix: TWO}",
     "f(g(1, 2))", ["g(N, TWO)"]),
    ("T6-not-named-not-used", TEXT + "'rewrite($A, rewriters=[two])'}\nrewriters:\n"
     "- {id: any, rule: {kind: number}, fix: N}\n- {id: two, rule: {regex: ^2$}, fix: TWO}",
     "f(g(1, 2))", ["g(1, TWO)"]),
    ("T7-flattens", TEXT + "'rewrite($A, rewriters=[flat])'}\nrewriters:\n- id: flat\n"
     "  rule: {pattern: '[$$$I]'}\n  transform: {IN: 'rewrite($$$I, rewriters=[flat])'}\n"
     "  fix: $IN", "f([7, [8, [9]]])", ["7, 8, 9"]),
    ("T7-must-equal-the-outer", "rule: {pattern: 'f($A, $C)'}\ntransform: {T: 'rewrite($A,"
     " rewriters=[same])'}\nrewriters: [{id: same, rule: {pattern: $C}, fix: SAME}]",
     "f(7, 7); f(7, 8)", ["SAME", "7"]),
    ("T7-reads-the-outer", "rule: {pattern: 'f($A, $C)'}\ntransform: {T: 'rewrite($A,"
     " rewriters=[eq])'}\nrewriters: [{id: eq, rule: {pattern: $B}, fix: $B is $C}]",
     "f(x, y)", ["x is y"]),
    ("T7-uses-the-rule-s-utilities", TEXT + "'rewrite($A, rewriters=[n])'}\n"
     "utils: {num: {kind: number}}\nrewriters: [{id: n, rule: {matches: num, pattern: $N},"
     " fix: <$N>}]", "f([1, a])", ["[<1>, a]"]),
    ("T7-utilities-of-its-own", TEXT + "'rewrite($A, rewriters=[n])'}\nrewriters:"
     " [{id: n, rule: {matches: num}, utils: {num: {kind: number}}, fix: N}]", "f([1, a])",
     ["[N, a]"]),
    ("T7-another-rewriter-inside", TEXT + "'rewrite($A, rewriters=[list])'}\nrewriters:\n"
     "- {id: one, rule: {regex: ^1$}, fix: ONE}\n- id: list\n  rule: {pattern: '[$X]'}\n"
     "  transform: {IN: 'rewrite($X, rewriters=[one])'}\n  fix: ($IN)", "f([1])", ["(ONE)"]),
]  # fmt: skip

REFUSED = [
    ("A1", "rule: {pattern: f($A)}\npattern: {context: f()}"),
    ("A2", "rule: {kind: call_expression $ number}"),
    ("A2", "rule: {kind: 'number:has(number'}"),
    ("C1", "rule: {not: 7}"),
    ("C1", "rule: {kind: number, not: ~}"),
    ("R1", "rule: {kind: number, inside: {kind: array, stopBy: never}}"),
    ("R1", "rule: {kind: number, has: {kind: array, field: wheels}}"),
    ("U1", "utils: {u: {kind: wheels}}\nrule: {kind: number}"),
    ("U2", "utils: {u: {matches: u}}\nrule: {matches: u}"),
    ("U2", "utils: {u: {not: {matches: v}}, v: {all: [{matches: u}]}}\nrule: {matches: u}"),
    ("U2", "rule: {kind: number, matches: wheels}"),
    ("U3", "utils: {'u(x)': {kind: number}}\nrule: {kind: number}"),
    ("K3", "rule: {pattern: f($A)}\nconstraints: {B: {kind: number}}"),
    ("T2", "rule: {pattern: f($A)}\ntransform: {A: 'substring($A,)'}"),
    ("T2", "rule: {pattern: f($A)}\ntransform: {B: 'substring($C,)'}"),
    ("T2", "rule: {pattern: f($A)}\ntransform: {B: 'substring($C,)', C: 'substring($B,)'}"),
    ("T7", "rule: {pattern: f($A)}\nrewriters: [{id: x, rule: {kind: number}}]"),
    ("T7", "rule: {pattern: f($A)}\ntransform: {B: 'rewrite($A, rewriters=[x])'}\n"
           "rewriters: [{id: x, rule: {kind: number}, fix: []}]"),
    ("T7", "rule: {matches: n}\nrewriters: [{id: x, rule: {matches: n}, fix: N,"
           " utils: {n: {kind: number}}}]"),
    ("T7", "rule: {pattern: f($A)}\ntransform: {B: 'rewrite($A, rewriters=[x])'}\n"
           "rewriters: [{id: x, rule: {kind: number, pattern: $N}, fix: N,"
           " transform: {I: 'rewrite($N, rewriters=[y])'}}]"),
    ("F1", "rule: {pattern: f($A)}\nfix: [{template: a, title: A}, {template: b}]"),
    ("F2", "rule: {pattern: f($A)}\nconstraints: {A: {pattern: $C}}\nfix: $D"),
    ("G2", "rule: {pattern: f($A)}\nlabels: {B: {style: primary}}"),
]  # fmt: skip

ACCEPTED = [
    ("K1", "rule: {pattern: $A = $B}\nconstraints: {A: {pattern: '[$C]'}}\nfix: $C = $B"),
    ("U1", "utils: {u: {pattern: g($B)}}\nrule: {matches: u}\nfix: $B = 1"),
    ("U2", "utils:\n  u: {pattern: '[$B]', has: {matches: v}}\n  v: {pattern: g($A),"
           " has: {matches: u, stopBy: end}}\nrule: {matches: u}\nfix: $A$B"),
    ("R4", "rule: {pattern: f($A), inside: {kind: array, stopBy: {pattern: g($S)}}}\nfix: $A$S"),
    ("A4", "rule: {nthChild: {position: 2, ofRule: {pattern: g($N)}}}\nfix: $N"),
]  # fmt: skip

POSITIONS = {
    "12n + 2": [2, 14], "-2n + 5": [1, 3, 5], "-12n - 21": [], "0n + 5": [5], "-2": [],
    "2   n": [2, 4, 6, 8, 10, 12, 14],
}  # fmt: skip


@pytest.mark.parametrize(
    ("language", "text", "source", "expected"),
    [row[1:] for row in FOUND],
    ids=[r[0] for r in FOUND],
)
def test_both_find(
    tmp_path: Path, language: str, text: str, source: str, expected: list[str]
) -> None:
    found = ours(language, text, source.encode())
    assert found == theirs(tmp_path, language, text, source.encode())
    assert found == expected


@pytest.mark.parametrize(
    ("text", "source", "expected"), [row[1:] for row in MADE], ids=[row[0] for row in MADE]
)
def test_both_make(tmp_path: Path, text: str, source: str, expected: list[str]) -> None:
    made = our_texts(text, source.encode())
    assert made == their_texts(tmp_path, text, source.encode())
    assert made == expected


@pytest.mark.parametrize(
    ("id", "text"), REFUSED, ids=[f"{row[0]}-{at}" for at, row in enumerate(REFUSED)]
)
def test_both_refuse(tmp_path: Path, id: str, text: str) -> None:
    with pytest.raises(AstEditError):
        ours("javascript", text, b"f(1)")
    assert scan(tmp_path, "javascript", text, b"f(1)").returncode not in (0, 1)


@pytest.mark.parametrize(
    ("id", "text"), ACCEPTED, ids=[f"{row[0]}-{at}" for at, row in enumerate(ACCEPTED)]
)
def test_names_that_are_defined_somewhere_are_defined(tmp_path: Path, id: str, text: str) -> None:
    ours("javascript", text, b"f(1)")
    assert scan(tmp_path, "javascript", text, b"f(1)").returncode == 0


@pytest.mark.parametrize(("position", "places"), POSITIONS.items())
def test_a4_both_read_positions(tmp_path: Path, position: str, places: list[int]) -> None:
    text = f"rule: {{kind: number, nthChild: '{position}'}}"
    source = f"[{', '.join(map(str, range(1, 15)))}]".encode()
    assert ours("javascript", text, source) == list(map(str, places))
    assert theirs(tmp_path, "javascript", text, source) == list(map(str, places))


GLOBAL = """
id: holds
arguments: [WHAT]
language: js
rule: {pattern: box($A), matches: WHAT}
---
id: twice
arguments: [X]
language: js
rule: {matches: {holds: {WHAT: {matches: X}}}}
---
id: aside
arguments: [Y]
language: js
rule: {matches: mine}
utils: {mine: {matches: Y}}
"""
CALLS = [
    ("exports-the-argument-s", "rule: {matches: {holds: {WHAT: {pattern: $E}}}}", "go(box(1))",
     ["box(1) E=box(1)"]),
    ("keeps-its-own-apart", "rule: {all: [{pattern: $A}, {matches: {holds: {WHAT:"
     " {pattern: $E}}}}]}", "box(1)", ["box(1) A=box(1) E=box(1)"]),
    ("in-a-relation", "rule: {pattern: wrap($A), has: {stopBy: end, matches: {holds: {WHAT:"
     " {pattern: $E}}}}}", "wrap(box(1))", ["wrap(box(1)) A=box(1) E=box(1)"]),
    ("same-name-as-inside", "rule: {matches: {holds: {WHAT: {pattern: $A}}}}", "box(1)",
     ["box(1) A=box(1)"]),
    ("passes-a-parameter-on",
     "rule: {kind: call_expression, matches: {twice: {X: {pattern: box($I)}}}}", "box(1); lid(2)",
     ["box(1)"]),
    ("in-a-utility-of-its-own",
     "rule: {kind: call_expression, matches: {aside: {Y: {pattern: lid($I)}}}}",
     "box(1); lid(2)", ["lid(2) I=2"]),
]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "source", "expected"), [row[1:] for row in CALLS], ids=[row[0] for row in CALLS]
)
def test_u3_both_call_utilities_with_arguments(
    tmp_path: Path, text: str, source: str, expected: list[str]
) -> None:
    rule = read_rules(document("javascript", text).encode())[0]
    row = rule.languages[0]
    known = compile_globals(read_utilities(GLOBAL.encode()), row)
    tree = load(row).parser().parse(source.encode())
    found = []
    for match in compile_document(rule, row, known).find(tree.root_node, source.encode()):
        held = {name: (n.start_byte, n.end_byte) for name, n in match.single.items()}
        span = match.node.start_byte, match.node.end_byte
        found.append(described(source.encode(), span, held))
    assert found == expected
    assert found == _with_project(tmp_path, text, source)


def _with_project(folder: Path, text: str, source: str) -> list[str]:
    """By `ast-grep scan` in a project that has the utilities."""
    for name, content in (
        ("sgconfig.yml", "ruleDirs: [rules]\nutilDirs: [utils]"),
        ("rules/a.yml", document("javascript", text)),
        *((f"utils/{at}.yml", one) for at, one in enumerate(GLOBAL.split("---"))),
    ):
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(content)
    return theirs(folder, "javascript", None, source.encode())
