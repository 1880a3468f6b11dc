"""Rules on small texts: what each finds, by our reading and by `ast-grep scan`.

Every case is named after the id of the specification that it is an example of.
"""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from astedit.language import load
from astedit.rule import compile_document, read_rules

AST_GREP = Path(sys.executable).parent / "ast-grep"
SUFFIXES = {"javascript": "js", "python": "py", "go": "go"}

# id, language, the rule file without its first two keys, source, what is found
CASES = [
    ("A1-pattern", "javascript", "rule: {pattern: f($A)}", "f(1); g(2); f(x)",
     ["f(1) A=1", "f(x) A=x"]),
    ("A1-all-keys", "javascript", "rule: {pattern: f($A), regex: x}", "f(1); f(x)", ["f(x) A=x"]),
    ("A1-context", "javascript",
     "rule: {pattern: {context: 'class A { $F = $I }', selector: field_definition}}",
     "class B { x = 1; y = 2 }", ["x = 1 F=x I=1", "y = 2 F=y I=2"]),
    ("A1-strictness", "javascript",
     "rule: {pattern: {context: 'f(a)', strictness: signature}}", "f(b)", ["f(b)"]),
    ("A2-kind", "javascript", "rule: {kind: number}", "f(1, a, 2)", ["1", "2"]),
    ("A2-list", "javascript", "rule: {kind: 'number, string'}", "f(1, a, 's')", ["1", "'s'"]),
    ("A2-trailing-comma", "javascript", "rule: {kind: 'number,'}", "f(1)", ["1"]),
    ("A2-error", "javascript", "rule: {kind: ERROR}", "f(1; )", [";"]),
    ("A2-child", "javascript", "rule: {kind: call_expression > identifier}", "f(a)", ["f"]),
    ("A2-descendant", "javascript", "rule: {kind: call_expression identifier}",
     "f(a + b)", ["f", "a", "b"]),
    ("A2-next", "javascript", "rule: {kind: identifier + arguments}", "f(a)", ["(a)"]),
    ("A2-later", "javascript", "rule: {kind: number ~ string}", "f(1, a, 's')", ["'s'"]),
    ("A2-has", "javascript", "rule: {kind: 'call_expression:has(number)'}",
     "f(g(1)); f(a)", ["f(g(1))", "g(1)"]),
    ("A2-has-child", "javascript", "rule: {kind: 'arguments:has( > number )'}",
     "f(g(1))", ["(1)"]),
    ("A2-not", "javascript", "rule: {kind: 'arguments:not(:has(number))'}", "f(1); f(a)", ["(a)"]),
    ("A2-is", "javascript", "rule: {kind: 'arguments > :is(number, string)'}",
     "f(1, a, 's')", ["1", "'s'"]),
    ("A2-nth", "javascript", "rule: {kind: 'array > number:nth-child( 2n + 1 )'}",
     "[1, 2, 3, 4, 5]", ["1", "3", "5"]),
    ("A2-nth-of", "javascript", "rule: {kind: 'array > number:nth-child(1 of number)'}",
     "[a, 1, 2]", ["1"]),
    ("A2-nth-last", "javascript", "rule: {kind: 'array > number:nth-last-child(1)'}",
     "[1, 2, 3]", ["3"]),
    ("A3-search", "javascript", "rule: {kind: identifier, regex: '[bc]$'}",
     "f(ab, ba, ac)", ["ab", "ac"]),
    ("A3-flags", "javascript", "rule: {kind: identifier, regex: '(?i)^A'}", "f(ab)", ["ab"]),
    ("A4-number", "javascript", "rule: {kind: number, nthChild: 2}", "[1, 2, 3]", ["2"]),
    ("A4-comments-count", "javascript", "rule: {kind: number, nthChild: 2}",
     "[/* c */ 1, 2]", ["1"]),
    ("A4-zero", "javascript", "rule: {kind: number, nthChild: 0}", "[1, 2]", []),
    ("A4-first-two", "javascript", "rule: {kind: number, nthChild: '-N + 2'}",
     "[1, 2, 3]", ["1", "2"]),
    ("A4-reverse", "javascript", "rule: {kind: number, nthChild: {position: 1, reverse: true}}",
     "[1, 2, 3]", ["3"]),
    ("A4-of-rule", "javascript",
     "rule: {nthChild: {position: 2, ofRule: {pattern: g($S)}}}", "[a, g(1), b, g(2)]",
     ["g(2) S=2"]),
    ("A5-range", "javascript",
     "rule: {kind: identifier, range: {start: {line: 1}, end: {line: 1, column: 6}}}",
     "f(a)\n'é' +b", ["b"]),
    ("A5-not-equal", "javascript",
     "rule: {kind: identifier, range: {start: {line: 0, column: 0}, end: {line: 0, column: 2}}}",
     "f(a)", []),
    ("R1-inside", "javascript", "rule: {kind: number, inside: {kind: arguments}}",
     "f(1, [2])", ["1"]),
    ("R2-has-neighbor", "javascript", "rule: {kind: arguments, has: {kind: number}}",
     "f([1]); f(2)", ["(2)"]),
    ("R2-comma-is-a-sibling", "javascript", "rule: {kind: number, precedes: {kind: number}}",
     "f(1,2)", []),
    ("R2-comma-itself", "javascript", "rule: {kind: number, precedes: {regex: '^,$'}}",
     "f(1,2)", ["1"]),
    ("R3-precedes-end", "javascript",
     "rule: {kind: number, precedes: {kind: number, stopBy: end}}", "f(1,2)", ["1"]),
    ("R3-follows-nearest", "javascript",
     "rule: {kind: string, follows: {pattern: $A, kind: number, stopBy: end}}",
     "f(1, 2, 's')", ["'s' A=2"]),
    ("R3-nearest-ancestor", "javascript",
     "rule: {kind: number, inside: {pattern: $F($$$A), stopBy: end}}",
     "f(g([1]))", ["1 A=[1] F=g"]),
    ("R3-first-in-preorder", "javascript",
     "rule: {pattern: f($A), has: {pattern: $N, kind: number, stopBy: end}}",
     "f([[1], 2])", ["f([[1], 2]) A=[[1], 2] N=1"]),
    ("R4-inclusive", "javascript",
     "rule: {kind: number, inside: {kind: arguments, stopBy: {kind: arguments}}}",
     "f(g([1]), 2)", ["1", "2"]),
    ("R4-stops", "javascript",
     "rule: {kind: number, inside: {pattern: f($$$), stopBy: {kind: function_declaration}}}",
     "f(1, [2], function () { return 3 }); f(() => { function x() { 4 } })", ["1", "2", "3"]),
    ("R4-prunes-a-branch", "javascript",
     "rule: {kind: arguments, has: {kind: number, stopBy: {kind: array}}}",
     "f([1]); f(a + 2); f([1], a + 2)", ["(a + 2)", "([1], a + 2)"]),
    ("R4-tests-the-stop", "javascript",
     "rule: {kind: arguments, has: {regex: '^.1.$', stopBy: {kind: array}}}", "f([1])", ["([1])"]),
    ("R5-inside-field", "javascript",
     "rule: {kind: identifier, inside: {kind: assignment_expression, field: left}}",
     "a = b", ["a"]),
    ("R5-inside-field-end", "javascript",
     "rule: {kind: identifier, inside: {kind: assignment_expression, field: right, stopBy: end}}",
     "a = f(b)", ["f", "b"]),
    ("R5-has-field", "javascript",
     "rule: {kind: assignment_expression, has: {kind: identifier, field: right}}",
     "a = b; c = 1", ["a = b"]),
    ("R5-has-field-end", "javascript",
     "rule: {kind: assignment_expression, has: {kind: number, field: right, stopBy: end}}",
     "a = [1]; a[1] = b", ["a = [1]"]),
    ("R6-binds", "python",
     "rule: {pattern: return $V, inside: {pattern: 'def $F($$$): $$$', stopBy: end}}",
     "def f(a):\n    return 1\n", ["return 1 F=f V=1"]),
    ("G1-relations-overlook-keys", "javascript",
     "rule: {kind: number, inside: {kind: arguments, parent: x}}", "f(1, [2])", ["1"]),
    ("R7-nested", "javascript",
     "rule: {kind: number, inside: {kind: arguments, follows: {regex: ^f$}}}",
     "f(1); g(2)", ["1"]),
    ("C1-all-in-order", "javascript",
     "rule: {all: [{pattern: f($A)}, {has: {pattern: g($A), stopBy: end}}]}",
     "f(g(f(1))); f(1)", []),
    ("C1-any-binds-the-first", "javascript",
     "rule: {any: [{pattern: 'f($A, 1)'}, {pattern: 'f($B, $A)'}]}",
     "f(x, 1); f(x, 2)", ["f(x, 1) A=x", "f(x, 2) A=2 B=x"]),
    ("C1-any-forgets-a-failure", "javascript",
     "rule: {any: [{all: [{pattern: 'f($A, $B)'}, {regex: zzz}]}, {pattern: 'f($C, $A)'}]}",
     "f(x, y)", ["f(x, y) A=y C=x"]),
    ("C1-not", "javascript", "rule: {pattern: f($A), not: {pattern: f(1)}}", "f(1); f(2)",
     ["f(2) A=2"]),
    ("C2-pattern-before-has", "javascript",
     "rule: {all: [{pattern: 'function $F() { $$$ }'}, {has: {pattern: $F(), stopBy: end}}]}",
     "function f() { g(); f() }\nfunction h() { g() }", ["function f() { g(); f() } F=f"]),
    ("C2-has-before-pattern", "javascript",
     "rule: {all: [{has: {pattern: $F(), stopBy: end}}, {pattern: 'function $F() { $$$ }'}]}",
     "function f() { g(); f() }", []),
    ("C3-pattern", "javascript",
     "rule: {pattern: 'f($$$)', has: {pattern: 'g($A, $A)', stopBy: end}}",
     "f(g(1, 2), g(3, 3))", ["f(g(1, 2), g(3, 3)) A=3"]),
    ("C3-relation", "javascript",
     "rule: {kind: arguments, has: {all: [{pattern: $A}, {kind: number}]}}",
     "f(a, 1)", ["(a, 1) A=1"]),
    ("C3-not-in-relation", "javascript",
     "rule: {pattern: f($A), inside: {not: {pattern: $B = $C}, kind: expression_statement}}",
     "f(1)", ["f(1) A=1"]),
    ("C3-of-rule", "javascript",
     "rule: {pattern: g($A), nthChild: {position: 2, ofRule: {pattern: $F($S)}}}",
     "[g(1), g(2)]", ["g(2) A=2 F=g S=2"]),
    ("C5-intersection", "javascript",
     "rule: {all: [{any: [{kind: number}, {kind: string}]}, {not: {kind: string}}]}",
     "f(1, 's')", ["1"]),
    ("U1-local", "javascript",
     "utils: {lit: {any: [{kind: number}, {kind: string}]}}\nrule: {matches: lit}",
     "f(1, a, 's')", ["1", "'s'"]),
    ("U1-shares-the-environment", "javascript",
     "utils: {same: {pattern: '$A + $A'}}\nrule: {pattern: $A + $B, matches: same}",
     "x + y; z + z", ["z + z A=z B=z"]),
    ("U2-recursion-through-a-relation", "javascript",
     "utils: {deep: {any: [{kind: number}, {all: [{kind: array}, {has: {matches: deep}}]}]}}\n"
     "rule: {kind: array, matches: deep}",
     "[[[1]]]; [[a]]", ["[[[1]]]", "[[1]]", "[1]"]),
    ("K1-filters", "javascript", "rule: {pattern: f($A)}\nconstraints: {A: {kind: number}}",
     "f(1); f(a)", ["f(1) A=1"]),
    ("K1-binds", "javascript",
     "rule: {pattern: f($B)}\nconstraints: {B: {pattern: $C + $D}}",
     "f(1 + 2); f(3)", ["f(1 + 2) B=1 + 2 C=1 D=2"]),
    ("K1-equality", "javascript",
     "rule: {pattern: 'f($A, $B)'}\nconstraints: {A: {pattern: $B}}",
     "f(1, 1); f(1, 2)", ["f(1, 1) A=1 B=1"]),
    ("G6-yaml-1.2", "javascript", "rule: {kind: identifier, regex: no}", "f(no)", ["no"]),
    ("python-nested", "python",
     "rule:\n  kind: call\n  inside: {kind: with_item, stopBy: end}\n  not: {has: {regex: ^x$}}",
     "with a(), x() as y:\n    b()\n", ["a()"]),
    ("go-fields", "go",
     "rule: {kind: identifier, inside: {kind: function_declaration, field: name}}",
     "package a\nfunc f(b int) { c() }\n", ["f"]),
]  # fmt: skip


def document(language: str, text: str) -> str:
    return f"id: case\nlanguage: {language}\n{text}\n"


def described(source: bytes, span: tuple[int, int], captures: dict[str, tuple[int, int]]) -> str:
    """A match in one line: its text, and the captures by name, empty ones left out."""
    words = [source[slice(*span)].decode()]
    words += [f"{name}={source[slice(*at)].decode()}" for name, at in sorted(captures.items())]
    return " ".join(words)


def ours(language: str, text: str, source: bytes) -> list[str]:
    rule = read_rules(document(language, text).encode())[0]
    finder = compile_document(rule, rule.languages[0])
    matches = finder.find(load(rule.languages[0]).parser().parse(source).root_node, source)
    assert finder.may_match(source) or not matches
    found = []
    for match in matches:
        captures = {name: (n.start_byte, n.end_byte) for name, n in match.single.items()}
        for name, nodes in match.multi.items():
            if nodes:
                captures[name] = nodes[0].start_byte, nodes[-1].end_byte
        found.append(described(source, (match.node.start_byte, match.node.end_byte), captures))
    return found


def scan(
    folder: Path, language: str, text: str | None, source: bytes
) -> subprocess.CompletedProcess[str]:
    """By `ast-grep scan`; without a rule by those of the project there."""
    file = folder / f"case.{SUFFIXES[language]}"
    file.write_bytes(source)
    rules = [] if text is None else ["--inline-rules", document(language, text)]
    command = [AST_GREP, "scan", *rules, "--json", file.name]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True)


def theirs(folder: Path, language: str, text: str | None, source: bytes) -> list[str]:
    def span(entry: dict[str, dict[str, dict[str, int]]]) -> tuple[int, int]:
        return entry["range"]["byteOffset"]["start"], entry["range"]["byteOffset"]["end"]

    done = scan(folder, language, text, source)
    assert done.stdout, done.stderr
    found = []
    for match in json.loads(done.stdout):
        variables = match.get("metaVariables") or {"single": {}, "multi": {}}
        captures = {name: span(one) for name, one in variables["single"].items()}
        for name, items in variables["multi"].items():
            if items and name != "secondary":  # where ast-grep keeps what relations found
                captures[name] = span(items[0])[0], span(items[-1])[1]
        found.append(described(source, span(match), captures))
    return found


@pytest.mark.parametrize(
    ("language", "text", "source", "expected"), [c[1:] for c in CASES], ids=[c[0] for c in CASES]
)
def test_both_find_the_same(
    tmp_path: Path, language: str, text: str, source: str, expected: list[str]
) -> None:
    raw = source.encode()
    found = ours(language, text, raw)
    assert found == theirs(tmp_path, language, text, raw)
    assert found == expected
