"""What rules do to a text: fixes, edits apart, ranges, losses, order, by the spec's id."""

from pathlib import Path
from typing import Any

import pytest

import astedit
from astedit.engine.buffer import plan_buffer, scan_buffer
from astedit.engine.request import request_of
from astedit.errors import RequestError
from astedit.language import named
from astedit.model.plan import Plan
from astedit.model.request import EditRequest
from astedit.rule import RuleError

HEAD = "id: r\nlanguage: {}\n"


def request(rules: str, language: str = "js", **fields: Any) -> EditRequest:
    text = rules if rules.startswith("id:") else HEAD.format(language) + rules
    return request_of({"ops": [], **fields}, rules=text)


def plan(rules: str, source: str, language: str = "js", **fields: Any) -> Plan:
    row = named(language)
    assert row is not None
    return plan_buffer(request(rules, language, **fields), "a", row, source.encode())


def fixed(rules: str, source: str, language: str = "js", **fields: Any) -> str:
    """The source with all fixes made."""
    text = source.encode()
    for file in plan(rules, source, language, **fields).files:
        for edit in reversed(file.edits):
            text = text[: edit.start] + edit.new + text[edit.end :]
    return text.decode()


def found(rules: str, source: str, language: str = "js", **fields: Any) -> list[dict[str, Any]]:
    row = named(language)
    assert row is not None
    return scan_buffer(request(rules, language, **fields), "a", row, source.encode())


F = "rule: {pattern: f($A)}\n"


@pytest.mark.parametrize(
    "fix",
    [
        "fix: g($A)",
        "fix: {template: g($A)}",
        "fix: {template: g($A), title: t}",
        "fix: [{template: g($A), title: one}, {template: h($A), title: two}]",
        "fix: {template: 'g(${A})', interpolation: braces}",
        "fix: {edits: [{target: {kind: identifier, nthChild: 1}, template: g}]}",
        "edits: [{target: {kind: identifier, nthChild: 1}, template: g}]",
    ],
)
def test_f1_every_form_of_a_fix(fix: str) -> None:
    assert fixed(F + fix, "f(1);") == "g(1);"


def test_f1_all_titled_fixes_are_reported_the_first_is_the_default() -> None:
    fix = "fix: [{template: g($A), title: one}, {template: h($A), title: two}]"
    (item,) = found(F + fix, "f(1)")
    assert item["replacement"] == "g(1)"
    assert [(one["title"], one["replacement"]) for one in item["fixes"]] == [
        ("one", "g(1)"),
        ("two", "h(1)"),
    ]


@pytest.mark.parametrize(
    ("fix", "place"),
    [
        ("fix: [{template: g}]", "fix[0]"),
        ("fix: []", "fix"),
        ("fix: {title: x}", "fix"),
        ("fix: {template: g, delete: item}", "fix.template"),
        ("fix: {delete: all}", "fix.delete"),
        ("fix: {template: g, interpolation: x}", "fix.interpolation"),
        ("fix: {template: g, expandEnd: ','}", "fix.expandEnd"),
        ("fix: {template: g, edits: [{template: x}]}", "fix"),
        ("fix: g\nedits: [{template: x}]", "edits"),
        ("edits: []", "fix.edits"),
        ("edits: [{target: $B, template: x}]", "fix.edits[0].target"),
        ("edits: [{target: $$$A, template: x}]", "fix.edits[0].target"),
        ("edits: [{position: beside, template: x}]", "fix.edits[0].position"),
        ("edits: [{position: delete, template: x}]", "fix.edits[0]"),
        ("edits: [{position: before}]", "fix.edits[0]"),
        ("edits: [{position: wrap, template: x}]", "fix.edits[0].template"),
        ("fix: g($B)", "fix.template"),
        ("fix: g($$$A)", "fix.template"),
    ],
)
def test_f1_what_is_no_fix_is_refused_with_its_place(fix: str, place: str) -> None:
    with pytest.raises(RuleError) as raised:
        plan(F + fix, "f(1)")
    assert raised.value.place == place


def test_f4_braces_leave_every_other_sigil_as_it_is() -> None:
    rule = "rule: {pattern: f($$$A)}\nfix: {template: 'g(`$B ${x}`, ${A})', interpolation: braces}"
    assert fixed(rule, "f(1, 2)") == "g(`$B ${x}`, 1, 2)"


def test_f5_a_pattern_replaces_what_it_names_a_kind_its_whole_node() -> None:
    assert fixed("rule: {pattern: return $A}\nfix: yield $A", "function* f() { return 5; }") == (
        "function* f() { yield 5; }"
    )
    assert fixed("rule: {kind: debugger_statement}\nfix: stop();", "debugger;") == "stop();"


@pytest.mark.parametrize(
    ("expand", "result"),
    [
        ("template: 'X,', expandEnd: {regex: ','}", "foo(a, X, c)"),
        ("template: ', X', expandStart: {regex: ','}", "foo(a, X, c)"),
        ("template: X, expandEnd: {kind: identifier, stopBy: end}", "foo(a, X)"),
        ("template: X, expandEnd: {kind: identifier}", "foo(a, X, c)"),
    ],
)
def test_f6_a_fix_takes_along_the_first_sibling_that_matches(expand: str, result: str) -> None:
    rule = "rule: {pattern: b, inside: {kind: arguments}}\nfix: {" + expand + "}"
    assert fixed(rule, "foo(a, b, c)") == result


def test_f6_several_items_of_one_list_are_deleted_together() -> None:
    rule = "rule: {pattern: b($A), inside: {kind: arguments}}\nfix: {template: '', delete: item}"
    assert fixed(rule, "foo(a, b(1), b(2))") == "foo(a)"
    assert fixed(rule, "foo(b(1), a, b(2))") == "foo(a)"
    assert fixed(rule, "foo(b(1), b(2))") == "foo()"


def test_f6_row_10_a_deletion_that_takes_the_comma_along_leaves_no_gap() -> None:
    rule = "rule: {pattern: b, inside: {kind: arguments}}\nfix: {template: '', %s: {regex: ','}}"
    assert fixed(rule % "expandEnd", "foo(a, b, c)") == "foo(a, c)"
    assert fixed(rule % "expandStart", "foo(a, b)") == "foo(a)"


@pytest.mark.parametrize(
    ("edit", "result"),
    [
        ("{target: $A, template: x}", "f(x, [2]);"),
        ("{target: $A, position: before, template: 'x, '}", "f(x, 1, [2]);"),
        ("{target: $A, position: after, template: ', x'}", "f(1, x, [2]);"),
        ("{target: $A, position: delete}", "f([2]);"),
        ("{target: $B, position: delete}", "f(1);"),
        ("{target: $A, position: wrap, template: g($TARGET)}", "f(g(1), [2]);"),
        ("{target: $B, position: prepend, template: '1, '}", "f(1, [1, 2]);"),
        ("{target: $B, position: append, template: ', 3'}", "f(1, [2, 3]);"),
        ("{position: before, template: 'await '}", "await f(1, [2]);"),
        ("{target: {kind: number}, position: wrap, template: n($TARGET)}", "f(n(1), [n(2)]);"),
    ],
)
def test_f11_every_position(edit: str, result: str) -> None:
    rule = "rule: {pattern: 'f($A, $B)'}\nedits: [" + edit + "]"
    assert fixed(rule, "f(1, [2]);") == result


def test_f11_several_edits_of_one_match_land_together() -> None:
    rule = (
        "rule: {pattern: 'f($A, $B)'}\n"
        "edits: [{target: $A, template: $B}, {target: $B, template: $A}]"
    )
    assert fixed(rule, "f(1, /* why */ 2);") == "f(2, /* why */ 1);"
    made = plan(rule, "f(1, 2);")
    assert made.total_replacements == 1
    assert len(made.files[0].edits) == 1


def test_f11_without_one_target_nothing_of_the_match_is_changed() -> None:
    rule = (
        "rule: {pattern: 'f($A)'}\n"
        "edits: [{target: $A, template: x}, {target: {kind: string}, template: y}]"
    )
    assert fixed(rule, "f(1);") == "f(1);"


def test_f10_edits_that_overlap_displace_the_match() -> None:
    rule = "rule: {pattern: f($A)}\nedits: [{template: x}, {target: $A, template: y}]"
    made = plan(rule, "f(1);")
    assert made.files == []
    assert [(d.rule_id, d.by_rule, d.reason) for d in made.displaced] == [("r", "r", "crossing")]


def test_f11_matches_between_the_edits_of_another_are_composed() -> None:
    rules = (
        "id: a\nlanguage: js\nrule: {pattern: 'f($A, $B)'}\nedits: [{target: $A, template: x}]\n"
        "---\nid: b\nlanguage: js\nrule: {pattern: g($C)}\nfix: h($C)"
    )
    assert fixed(rules.replace("'f($A, $B)'", "'f($A, $B, $D)'").replace(
        "[{target: $A, template: x}]", "[{target: $A, template: x}, {target: $D, template: y}]"
    ), "f(1, g(2), 3)") == "f(x, h(2), y)"  # fmt: skip


def test_f9_rules_compose_in_one_pass_whatever_their_ids() -> None:
    rules = (
        "id: z\nlanguage: js\nrule: {pattern: console.log($A)}\nfix: logger.info($A)\n---\n"
        "id: y\nlanguage: js\nrule: {pattern: foo($A)}\nfix: bar($A)"
    )
    assert fixed(rules, "console.log(foo(1))") == "logger.info(bar(1))"


def test_f9_of_equal_ranges_the_rule_loaded_first_wins() -> None:
    rules = (
        "id: z\nlanguage: js\nrule: {pattern: a($A)}\nfix: z($A)\n---\n"
        "id: y\nlanguage: js\nrule: {pattern: a(b)}\nfix: y()"
    )
    made = plan(rules, "a(b)")
    assert fixed(rules, "a(b)") == "z(b)"
    assert [(d.rule_id, d.by_rule) for d in made.displaced] == [("y", "z")]


def test_f12_a_fix_that_breaks_the_file_is_blocked_and_reported() -> None:
    rule = F + "fix: g(($A"
    made = plan(rule, "f(1);")
    assert [(b.rule_id, b.op, b.reason) for b in made.blocked] == [("r", None, "breaks_syntax")]
    (item,) = found(rule, "f(1);")
    assert item["blocked"] == {"reason": "breaks_syntax"}
    assert item["replacement"] == "g((1"


@pytest.mark.parametrize(
    "insist", ["allowLoss: true", "fix: {template: 'bar($B, $A)', allowLoss: true}"]
)
def test_f13_lost_comments_block_unless_the_rule_insists(insist: str) -> None:
    rule = "rule: {pattern: 'foo($A, $B)'}\n"
    fix = "fix: bar($B, $A)\n"
    source = "foo(a /* keep */, b)"
    made = plan(rule + fix, source)
    assert [(b.reason, b.lost[0].text) for b in made.blocked] == [("loss", "/* keep */")]
    (item,) = found(rule + fix, source)
    assert (item["blocked"], item["replacement"]) == ({"reason": "loss"}, "bar(b, a)")
    assert fixed(rule + (insist if insist[0] == "f" else fix + insist), source) == "bar(b, a)"
    assert fixed(rule + fix, source, allow_loss=True) == "bar(b, a)"


def test_f13_what_kinds_and_relations_match_is_dropped_on_purpose() -> None:
    rule = "rule: {kind: call_expression, has: {pattern: foo}}\nfix: x"
    assert fixed(rule, "foo(a /* gone */)") == "x"


def test_f14_an_empty_fix_deletes_the_statement_and_its_line() -> None:
    assert fixed("rule: {pattern: f($A)}\nfix: ''", "a();\nf(1);\nb();\n") == "a();\nb();\n"
    made = plan("rule: {pattern: f($A)}\nfix: ''", "if x:\n    f(1)\n", "py")
    assert [b.reason for b in made.blocked] == ["empty_block"]


def test_p5_a_pattern_that_does_not_parse_only_reports() -> None:
    broken = "rule: {pattern: 'f($A'}\n"
    with pytest.raises(RequestError) as raised:
        plan(broken + "fix: g($A)", "f(1)")
    assert raised.value.code == "error_pattern"


@pytest.mark.parametrize("reindent", ["auto", "exact"])
def test_f7_lines_of_a_capture_and_of_the_template_move_with_the_match(reindent: str) -> None:
    rule = F + "fix: |-\n  g(\n    $A\n  )"
    source = "if (a) {\n  f([\n    1,\n  ]);\n}\n"
    after = "if (a) {\n  g(\n    [\n      1,\n    ]\n  );\n}\n"
    assert fixed(rule, source, reindent=reindent) == after


def test_t8_a_multi_line_transform_is_indented_where_it_stands() -> None:
    rule = (
        "rule: {pattern: 'f($A)'}\n"
        "transform: {N: {replace: {source: $A, replace: x, by: y}}}\n"
        "fix: |-\n  g(\n    $N\n  )"
    )
    source = "if (a) {\n  f(() => {\n    x();\n  });\n}\n"
    assert fixed(rule, source) == ("if (a) {\n  g(\n    () => {\n      y();\n    }\n  );\n}\n")


def test_c4_a_capture_of_another_alternative_becomes_nothing() -> None:
    rule = "rule: {any: [{pattern: f($A)}, {pattern: g($B)}]}\nfix: h($A$B)"
    assert fixed(rule, "f(1); g(2);") == "h(1); h(2);"


def test_g2_message_note_labels() -> None:
    rule = (
        "rule: {pattern: 'f($A, $B)'}\n"
        "transform: {N: {replace: {source: $A, replace: '1', by: x}}}\n"
        "message: '$A is $N, not $C'\nnote: '$A stays'\nseverity: error\nurl: u\nmetadata: {k: 1}\n"
        "labels: {A: {style: primary, message: here}, B: {style: secondary}}"
    )
    (item,) = found(rule, "f(1, 2)")
    assert item["message"] == "1 is x, not $C"
    assert (item["note"], item["severity"]) == ("$A stays", "error")
    assert (item["url"], item["metadata"]) == ("u", {"k": 1})
    assert [(one["text"], one["style"], one.get("message")) for one in item["labels"]] == [
        ("1", "primary", "here"),
        ("2", "secondary", None),
    ]


def test_g2_a_capture_of_several_lines_is_moved_in_a_message() -> None:
    rule = F + "message: 'see $A'"
    (item,) = found(rule, "if (x) {\n    f([\n      1,\n    ])\n}")
    assert item["message"] == "see [\n      1,\n    ]"
    (item,) = found(rule, "x = {\n  y: f(\n    [\n      1,\n    ])}")
    assert item["message"] == "see [\n    1,\n  ]"
    (item,) = found(F + "message: |-\n  costs $5\n    more", "if (x) {\n  f(1)\n}")
    assert item["message"] == "costs $5\n  more"


def test_g2_captures_in_a_message_move_by_its_own_lines_only() -> None:
    rule = "rule: {pattern: 'f($A, $B)'}\nmessage: '$A $B $A'"
    (item,) = found(rule, "f([\n  1], [\n    2])")
    assert item["message"] == "[\n  1] [\n  2] [\n  1]"


def test_t7_captures_in_a_rewriter_move_by_the_lines_of_its_fix_only() -> None:
    rule = (
        "rule: {pattern: 'f($A)'}\nfix: g($N)\ntransform: {N: 'rewrite($A, rewriters=[w])'}\n"
        "rewriters: [{id: w, rule: {pattern: 'h($X, $Y)'}, fix: 'k($X, $Y, $X)'}]"
    )
    source = "f(h({\n  a: [\n    1]}, {\n      b: 2}));\n"
    assert fixed(rule, source) == "g(k({\n  a: [\n    1]}, {\n  b: 2}, {\n  a: [\n    1]}));\n"


@pytest.mark.parametrize(
    ("made", "source", "after"),
    [
        ("k($$$X, 1)", "f([2, 3,])", "g(k(2, 3, 1))"),
        ("k($$$X, 1)", "f([2, 3])", "g(k(2, 3, 1))"),
        ("k($$$X)", "f([2, 3,])", "g(k(2, 3,))"),
        ("[$$$X , $$$X]", "f([2,])", "g([2 , 2,])"),
    ],
)
def test_m_8_a_rewriter_writes_no_comma_twice(made: str, source: str, after: str) -> None:
    rule = (
        "rule: {pattern: 'f($A)'}\nfix: g($N)\ntransform: {N: 'rewrite($A, rewriters=[w])'}\n"
        "rewriters: [{id: w, rule: {pattern: '[$$$X]'}, fix: '" + made + "'}]"
    )
    assert fixed(rule, source) == after


NO_TARGET = "edits: [{target: $B, template: x}]"


@pytest.mark.parametrize(
    ("fix", "titles"),
    [
        (NO_TARGET, None),
        ("fix: [{title: one, " + NO_TARGET + "}, {title: two, template: z}]", None),
        ("fix: [{title: one, template: z}, {title: two, " + NO_TARGET + "}]", ["one"]),
    ],
)
def test_f11_a_finding_of_which_an_edit_has_no_target_has_no_fix(
    fix: str, titles: list[str] | None
) -> None:
    rule = "rule: {any: [{pattern: f($A)}, {pattern: g($B)}]}\n" + fix
    (item,) = found(rule, "f(1)")
    assert ("replacement" in item) == (titles is not None)
    assert [one["title"] for one in item.get("fixes", ())] == (titles or [])


TWICE = [  # a name of one node in one pattern, and of many in another
    ("rule: {pattern: f($A), not: {pattern: 'f($$$A, 1)'}}\nfix: g($A)", "g(2)"),
    ("rule: {not: {pattern: 'f($$$A, 1)'}, all: [{pattern: f($A)}]}\nfix: g($A)", "g(2)"),
    ("rule: {any: [{pattern: 'h($$$A)'}, {pattern: f($A)}]}\nfix: g($A$$$A)", "g(2)"),
    ("rule: {pattern: f($A), inside: {kind: program, stopBy: {pattern: '[$$$A]'}}}\n"
     "fix: g($A)", "g(2)"),
    ("rule: {pattern: f($A)}\nutils: {u: {pattern: '[$$$A]'}}\nfix: g($A)", "g(2)"),
    ("rule: {any: [{pattern: 'h($$$A)'}, {pattern: f($A)}]}\n"
     "edits: [{target: $A, template: '3'}]", "f(3)"),
]  # fmt: skip


@pytest.mark.parametrize(("rule", "after"), TWICE)
def test_f3_a_name_of_one_node_and_of_many_is_right_with_either_sigil(
    rule: str, after: str
) -> None:
    assert fixed(rule, "f(2)") == after


def test_f3_a_name_of_one_node_only_is_not() -> None:
    with pytest.raises(RuleError, match=r"captures \$A"):
        plan("rule: {pattern: f($A), not: {pattern: f($A)}}\nfix: g($$$A)", "f(2)")


def test_g2_a_label_of_many_nodes_is_one() -> None:
    rule = "rule: {pattern: 'f($$$A)'}\nlabels: {A: {style: primary, message: these}}"
    one, none = found(rule, "f(1, /* c */\n 2); f()")
    (label,) = one["labels"]
    assert (label["text"], label["message"]) == ("1, /* c */\n 2", "these")
    assert label["range"]["byteOffset"] == {"start": 2, "end": 15}
    assert label["range"]["end"] == {"line": 1, "column": 2}
    assert none["labels"] == []


@pytest.mark.parametrize(
    ("labels", "place"),
    [
        ("{B: {style: primary}}", "labels.B"),
        ("{N: {style: primary}}", "labels.N"),
        ("{A: {style: thick}}", "labels.A.style"),
        ("{A: {}}", "labels.A.style"),
    ],
)
def test_g2_labels_are_of_captures(labels: str, place: str) -> None:
    rule = F + "transform: {N: 'replace($A, replace=a, by=b)'}\nlabels: " + labels
    with pytest.raises(RuleError) as raised:
        found(rule, "f(1)")
    assert raised.value.place == place


def test_g2_severity_off_is_silent() -> None:
    assert found(F + "severity: off", "f(1)") == []
    assert fixed(F + "severity: off\nfix: g($A)", "f(1)") == "f(1)"


def test_g4_a_rule_in_several_languages_is_compiled_for_each() -> None:
    rule = "id: r\nlanguage: [ts, tsx]\nrule: {pattern: f($A)}\nfix: g($A)"
    assert fixed(rule, "f(1 as number)", "ts") == "g(1 as number)"
    assert fixed(rule, "f(<b/>)", "tsx") == "g(<b/>)"


@pytest.mark.parametrize(
    ("transform", "source", "result"),
    [
        ("{default: {source: $$$A, value: none}}", "f()", "none"),
        ("{default: {source: $$$A, value: none}}", "f(1)", "1"),
        ("{concat: {source: $$$A, before: 'a[', after: ']'}}", "f(1)", "a[1]"),
        ("{quote: {source: $$$A}}", "f('a')", "\"'a'\""),
        ('{quote: {source: $$$A, mark: "\'"}}', "f('a')", r"'\'a\''"),
        ("{unquote: {source: $$$A}}", "f('n')", "n"),
        ("{unquote: {source: $$$A}}", "f(n)", "n"),
        ("{items: {source: $$$A, sort: true, dedupe: true}}", "f(c, a, /* x */ c, b)", "a, b, c"),
        ("{items: {source: $$$A, keep: '^a', drop: '1$'}}", "f(a1, a2, b)", "a2"),
        ("{items: {source: $$$A, each: 'g($ITEM)', joinBy: ' + '}}", "f(1, 2)", "g(1) + g(2)"),
    ],
)
def test_t9_our_own_transforms(transform: str, source: str, result: str) -> None:
    rule = "rule: {pattern: 'f($$$A)'}\nfix: r($N)\ntransform: {N: " + transform + "}"
    assert fixed(rule, source) == f"r({result})"


CONCATS = [
    ("{concat: {source: $A, with: [$B, $M], joinBy: '-', before: '[', after: ']'}}", "[1-2-x]"),
    ("{concat: {source: $$$C, with: [$A]}}", "3, 41"),
    ("{concat: {source: $D, with: [$A, $D, $B], joinBy: ', '}}", "1, 2"),
    ("{concat: {source: $D, with: [$D], before: '[', after: ']'}}", ""),
    ("'concat($A, with=[$B, $M], joinBy=\", \")'", "1, 2, x"),
    ("{concat: {source: $M, before: '!'}}", "!x"),
]


@pytest.mark.parametrize(("transform", "result"), CONCATS)
def test_t9_concat_takes_several_captures(transform: str, result: str) -> None:
    """Of a rule's captures, of an alternative not taken, and of another transform."""
    rule = (
        "rule: {any: [{pattern: 'f($A, $B, $$$C)'}, {pattern: g($D)}]}\nfix: r($N)\n"
        "transform:\n  N: " + transform + "\n  M: {default: {source: $D, value: x}}\n"
    )
    assert fixed(rule, "f(1, 2, 3, 4)") == f"r({result})"


def test_t9_concat_moves_every_text_by_the_line_it_was_on() -> None:
    rule = (
        "rule: {pattern: 'f($A, $B)'}\nfix: $N\n"
        "transform: {N: {concat: {source: $B, with: [$A], joinBy: ' + '}}}\n"
    )
    source = "if (x) {\n  f([\n    1,\n  ],\n      [\n        2,\n      ]);\n}\n"
    after = "if (x) {\n  [\n    2,\n  ] + [\n    1,\n  ];\n}\n"
    assert fixed(rule, source) == after


@pytest.mark.parametrize(
    ("transform", "place", "problem"),
    [
        ("{concat: {source: $A, with: $A}}", "transform.N.concat.with", "a list of captures"),
        ("{concat: {source: $A, with: [a]}}", "transform.N.concat.with[0]", "no capture"),
        ("{concat: {source: $A, with: [$Z]}}", "transform.N", "$Z is not defined"),
        ("{concat: {source: $A, with: [$N]}}", "transform.N", "depends on itself"),
    ],
)
def test_t9_what_concat_takes_is_checked(transform: str, place: str, problem: str) -> None:
    with pytest.raises(RuleError) as raised:
        found(F + "transform: {N: " + transform + "}", "f(1)")
    assert raised.value.place == place
    assert problem in raised.value.message


def test_t9_trim_takes_white_space_off_both_ends() -> None:
    rule = (
        "rule: {pattern: 'f($A)'}\nfix: r($M)\ntransform:\n"
        "  N: {replace: {source: $A, replace: '[ab]', by: ' '}}\n  M: {trim: {source: $N}}"
    )
    assert fixed(rule, "f(axb)") == "r(x)"


def test_t6_a_join_of_nothing_is_a_loss_unless_it_is_allowed() -> None:
    rule = (
        "rule: {pattern: 'f($$$A)'}\nfix: g($N)\n"
        "rewriters: [{id: n, rule: {kind: number}, fix: x}]\n"
        "transform: {N: {rewrite: {source: $$$A, rewriters: [n], joinBy: ', '%s}}}"
    )
    made = plan(rule % "", "f(a); f(1);")
    assert [(b.reason, b.lost[0].text) for b in made.blocked] == [("loss", "a")]
    assert fixed(rule % "", "f(a); f(1);") == "f(a); g(x);"
    assert fixed(rule % ", allowEmpty: true", "f(a); f(1);") == "g(); g(x);"


def test_c4_a_name_of_one_alternative_warns_and_is_refused_strictly() -> None:
    rule = "rule: {any: [{pattern: 'f($A, $C)'}, {pattern: 'g($B, $C)'}]}\nfix: h($B, $C)\n"
    assert fixed(rule, "f(1, 2); g(3, 4);") == "h(2); h(3, 4);"
    with pytest.raises(RuleError, match=r"\$B is empty") as raised:
        plan(rule + "strictFix: true", "f(1)")
    assert raised.value.place == "fix"
    certain = "rule: {pattern: f($A), not: {pattern: f($B)}}\nfix: h($A)\nstrictFix: true"
    assert plan(certain, "f(1)").files == []


@pytest.mark.parametrize(
    ("constraint", "matched"),
    [
        ("{kind: number}", ["f(1)", "f(1, 2)", "f()"]),
        ("{each: {kind: number}}", ["f(1)", "f(1, 2)", "f()"]),
        ("{any: {kind: number}}", ["f(1)", "f(1, 2)", "f(1, a)"]),
        ("{any: [{kind: number}, {kind: identifier}]}", ["f(1)", "f(1, 2)", "f(1, a)", "f()"]),
        ("{text: {regex: '^1, .$'}}", ["f(1, 2)", "f(1, a)"]),
    ],
)
def test_k2_how_the_items_of_a_many_capture_count(constraint: str, matched: list[str]) -> None:
    rule = "rule: {pattern: 'f($$$A)'}\nconstraints: {A: " + constraint + "}"
    source = "f(1); f(1, 2); f(1, a); f();"
    assert sorted(item["text"] for item in found(rule, source)) == sorted(matched)


def test_rules_without_a_fix_are_told_where_they_belong(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("f(1)\n")
    rule = {"id": "x", "language": "python", "rule": {"pattern": "f($A)"}}
    plan = astedit.ast_edit(rules=[rule], root=tmp_path)
    assert "None of the rules has a fix" in plan.hints[0]
    elsewhere = astedit.ast_edit(rules=[{**rule, "fix": "g()", "language": "go"}], root=tmp_path)
    assert "None of the rules" not in " ".join(elsewhere.hints)
