"""Transforms and rewriters: the texts they make, by our reading and by `ast-grep scan`."""

from pathlib import Path

import pytest

from tests.support.differential.transforms import ours, theirs

ONE = "rule: {pattern: f($A)}\ntransform: {T: "
MANY = "rule: {pattern: f($$$A)}\ntransform: {T: "
SWAP = """
rewriters:
- {id: add, rule: {pattern: $X + $Y}, fix: 'plus($X, $Y)'}
- {id: number, rule: {kind: number}, fix: 'N'}
- {id: outer, rule: {pattern: g($X)}, fix: '$B.g($X)'}
- id: deep
  rule: {pattern: 'h($X)'}
  transform: {IN: 'rewrite($X, rewriters=[deep, number])'}
  fix: '<$IN>'
"""

# id, the rule file without its first two keys, source, the text made for every match
CASES = [
    ("T1-object", ONE + "{substring: {source: $A, startChar: 1}}}", "f(abc)", ["bc"]),
    ("T1-string", ONE + "'substring($A, startChar=1, endChar=-1)'}", "f(abcd)", ["bc"]),
    ("T1-comma", ONE + "'substring($A,)'}", "f(abc)", ["abc"]),
    ("T1-quotes", ONE + "\"replace($A, replace='a,b', by='x')\"}", "f('a,b')", ["'x'"]),
    ("T1-list", ONE + "'convert($A, toCase=kebabCase, separatedBy=[dash, caseChange])'}",
     "f(aB_c)", ["a-b-_c"]),
    ("T2-chain", "rule: {pattern: f($A)}\ntransform:\n"
     "  T: {substring: {source: $U, startChar: 1}}\n"
     "  U: {convert: {source: $A, toCase: upperCase}}",
     "f(abc)", ["BC"]),
    ("T3-characters", ONE + "{substring: {source: $A, startChar: 1, endChar: 3}}}",
     "f('éü')", ["éü"]),
    ("T3-clamped", ONE + "{substring: {source: $A, startChar: -9, endChar: 99}}}", "f(ab)", ["ab"]),
    ("T3-empty", ONE + "{substring: {source: $A, startChar: 2, endChar: 1}}}", "f(abc)", [""]),
    ("T3-behind", ONE + "{substring: {source: $A, startChar: 7}}}", "f(abc)", [""]),
    ("T4-groups", ONE + "{replace: {source: $A, replace: '(b)(?P<n>c)', by: '${n}$1$n'}}}",
     "f(abcd)", ["acbcd"]),
    ("T4-greedy-name", ONE + "{replace: {source: $A, replace: '(b)', by: '[$1a]'}}}",
     "f(abc)", ["a[]c"]),
    ("T4-dollar", ONE + "{replace: {source: $A, replace: b, by: '$$1$'}}}", "f(abc)", ["a$1$c"]),
    ("T4-empty-matches", ONE + "{replace: {source: $A, replace: 'a*', by: '-'}}}",
     "f(baac)", ["-b-c-"]),
    ("T4-many", MANY + "{replace: {source: $$$A, replace: ', *', by: ';'}}}", "f(1, 2)", ["1;2"]),
    *(
        (f"T5-{case}", ONE + f"{{convert: {{source: $A, toCase: {case}}}}}}}", "f(XMLHttp_reqId)",
         [made])
        for case, made in {
            "lowerCase": "xmlhttp_reqid", "upperCase": "XMLHTTP_REQID",
            "capitalize": "XMLHttp_reqId", "camelCase": "xmlHttpReqId",
            "snakeCase": "xml_http_req_id", "kebabCase": "xml-http-req-id",
            "pascalCase": "XMLHttpReqId",
        }.items()
    ),
    *(
        (f"T5-words-{name}", ONE + "{convert: {source: $A, toCase: snakeCase}}}", f"f({name})",
         [made])
        for name, made in {
            "a1B2c": "a1b_2c", "ab12Cd": "ab12_cd", "__x__y": "x_y", "ABc": "a_bc", "aBC": "a_bc",
            "élanVital": "élan_vital", "x.yZ": "x_y_z",
        }.items()
    ),
    ("T5-only-dash", ONE + "{convert: {source: $A, toCase: camelCase, separatedBy: [underscore]}}}",
     "f(aB_cD)", ["abCD"]),
    ("T6-first-of-the-list", ONE + "'rewrite($A, rewriters=[add, number])'}" + SWAP,
     "f(1 + g(2))", ["plus(1, g(2))"]),
    ("T6-parent-beats-child", ONE + "'rewrite($A, rewriters=[number, add])'}" + SWAP,
     "f(1 + 2)", ["plus(1, 2)"]),
    ("T6-text-around", ONE + "'rewrite($A, rewriters=[number])'}" + SWAP,
     "f([1, a, 2])", ["[N, a, N]"]),
    ("T6-join", MANY +
     "\"rewrite($$$A, rewriters=[number], joinBy=' | ')\"}" + SWAP, "f(1, a, 2)", ["N | N"]),
    ("T6-many", MANY + "'rewrite($$$A, rewriters=[number])'}" + SWAP, "f(1, a, 2)", ["N, a, N"]),
    ("T6-nothing", ONE + "'rewrite($A, rewriters=[number])'}" + SWAP, "f(a)", ["a"]),
    ("T6-no-piece", MANY + "\"rewrite($$$A, rewriters=[number], joinBy=', ')\"}" + SWAP,
     "f(a, b)", [""]),
    ("T7-outer-captures",
     "rule: {pattern: '$B.f($A)'}\ntransform: {T: 'rewrite($A, rewriters=[outer])'}" + SWAP,
     "o.f(g(1) + g(2))", ["o.g(1) + o.g(2)"]),
    ("T7-names-itself", ONE + "'rewrite($A, rewriters=[deep])'}" + SWAP,
     "f(h(h(1)) + 2)", ["<<N>> + 2"]),
    ("T8-indent", ONE + "'substring($A,)'}", "if (x) {\n  f({\n    a: 1,\n  })\n}",
     ["{\n  a: 1,\n}"]),
    ("T8-unmatched", "rule: {any: [{pattern: f($A)}, {pattern: g($B)}]}\n"
     "transform: {T: 'substring($A,)'}", "g(1)", [""]),
]  # fmt: skip


def whole(text: str) -> str:
    """`$B` is a name of the rule: where it has none, the rewriter that reads it goes."""
    kept = [line for line in text.splitlines() if "$B.g" not in line or "'$B.f" in text]
    return "\n".join(kept)


@pytest.mark.parametrize(
    ("text", "source", "expected"), [case[1:] for case in CASES], ids=[case[0] for case in CASES]
)
def test_both_make_the_same(tmp_path: Path, text: str, source: str, expected: list[str]) -> None:
    found = ours(whole(text), source.encode())
    assert found == theirs(tmp_path, whole(text), source.encode())
    assert found == expected
