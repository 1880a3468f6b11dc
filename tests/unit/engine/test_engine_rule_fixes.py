"""What the fixes of rules do to a text: edits apart, ranges, losses, order, by the rule's id."""

from pathlib import Path

import pytest

from astedit.errors import RequestError
from astedit.rule import RuleError
from tests.support.lists import rows
from tests.support.rule_plans import F, fixed, found, plan

ROWS = rows(Path(__file__).with_suffix(".txt"))


@pytest.mark.parametrize(("fix",), ROWS["every form of a fix"])
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


@pytest.mark.parametrize(("fix", "place"), ROWS["f1 what is no fix is refused with its place"])
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
    assert fixed("rule: {kind: pair}\nfix: l = 2", "k = 1  # why\n", "toml") == "l = 2  # why\n"


@pytest.mark.parametrize(("expand", "result"), ROWS["a fix takes along the first sibling"])
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


@pytest.mark.parametrize("template", ["k=1", ", k=1"])
@pytest.mark.parametrize(("source", "result"), ROWS["what is appended to a call goes inside"])
def test_f11_what_is_appended_to_a_call_goes_inside_its_brackets(
    template: str, source: str, result: str
) -> None:
    edit = f"[{{position: append, template: '{template}'}}]"
    assert fixed(f"rule: {{pattern: 'f($$$A)'}}\nedits: {edit}", source) == result


@pytest.mark.parametrize(
    ("source", "result"),
    [("f(a, b);", "f(x, a, b);"), ("f();", "f(x);"), ("f(\n  a,\n);", "f(\n  x,\n  a,\n);")],
)
def test_f11_what_is_prepended_to_a_call_is_its_first_argument(source: str, result: str) -> None:
    rule = "rule: {pattern: 'f($$$A)'}\nedits: [{position: prepend, template: x}]"
    assert fixed(rule, source) == result


@pytest.mark.parametrize(("edit", "result"), ROWS["f11 every position"])
def test_f11_every_position(edit: str, result: str) -> None:
    assert fixed("rule: {pattern: 'f($A, $B)'}\nedits: [" + edit + "]", "f(1, [2]);") == result


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


def test_c4_a_capture_of_another_alternative_becomes_nothing() -> None:
    rule = "rule: {any: [{pattern: f($A)}, {pattern: g($B)}]}\nfix: h($A$B)"
    assert fixed(rule, "f(1); g(2);") == "h(1); h(2);"
