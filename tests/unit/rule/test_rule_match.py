"""What rules find where no other program can be asked, by the id of the specification."""

import subprocess
import sys
from pathlib import Path

import pytest

from astedit.language import load, named
from astedit.pattern.listed import Listed
from astedit.pattern.required_text import Folded, Literal
from astedit.rule import RuleError
from astedit.rule.environment import Environment
from astedit.rule.match.atomic import Kind
from astedit.rule.match.node import Position, parse_position
from tests.support.lists import rows
from tests.support.rule_text import JAVASCRIPT, find, finder, utilities

ROWS = rows(Path(__file__).with_suffix(".txt"))


@pytest.mark.parametrize(("text", "places"), ROWS["positions"])
def test_a4_positions(text: str, places: list[int]) -> None:
    assert [place for place in range(1, 6) if parse_position(text).holds(place)] == places


@pytest.mark.parametrize("text", ["", "x", "3 + 5", "n+n", "2n+", "-", "n3", "2n++1", "+-n"])
def test_a4_wrong_positions(text: str) -> None:
    with pytest.raises(ValueError, match="position"):
        parse_position(text)


def test_a4_a_long_number_is_read_whole() -> None:
    assert parse_position("12n+34") == Position(12, 34)


def test_a4_the_root_is_no_child() -> None:
    assert find("rule: {kind: program, nthChild: 1}", "f(1)") == []


def test_a4_an_unknown_key_is_overlooked_as_ast_grep_does_and_told() -> None:
    rule = "rule: {kind: number, nthChild: {position: 1, pattern: x}}"
    assert find(rule, "f(1, 2)") == ["1"]
    (warning,) = finder(rule).warnings
    assert "rule.nthChild: unknown key 'pattern' ignored" in warning
    assert "position, ofRule, reverse" in warning


def test_a6_a_rule_about_any_node_warns_and_works() -> None:
    rule = "rule: {regex: ^x$}"
    assert finder(rule).warnings
    assert find(rule, "f(x)") == ["x"]
    assert not finder("rule: {kind: number}").warnings


def test_r5_a_field_and_a_stop_rule_look_at_every_level() -> None:
    rule = (
        "rule: {kind: assignment_expression,"
        " has: {kind: number, field: right, stopBy: {kind: array}}}"
    )
    assert find(rule, "a = f(g(1))") == ["a = f(g(1))"]
    assert find(rule, "a = f([1])") == []


def test_r6_related_nodes_are_kept_and_the_trail_is_the_target_s() -> None:
    rule = finder("rule: {pattern: f($A), inside: {pattern: g($B)}, has: {kind: arguments}}")
    other = finder("rule: {pattern: f($A), inside: {kind: arguments}}")
    source = b"g(f(1))"
    root = load(JAVASCRIPT).parser().parse(source).root_node
    assert rule.find(root, source) == []
    (match,) = other.find(root, source)
    assert [node.text for node in match.related] == [b"(f(1))"]
    assert [node.text for _, node in match.trail] == [b"f", b"(", b"1", b")"]


def test_r6_a_kind_alone_accounts_for_its_whole_node() -> None:
    source = b"f(1)"
    root = load(JAVASCRIPT).parser().parse(source).root_node
    (match,) = finder("rule: {kind: arguments, has: {pattern: '1'}}").find(root, source)
    assert (match.node.text, match.trail) == (b"(1)", [])


def test_c5_kinds_narrow_and_widen() -> None:
    def kinds(rule: str) -> set[str] | None:
        known = finder(f"rule: {rule}").rule.known
        names = load(JAVASCRIPT).language.node_kind_for_id
        return None if known is None else {str(names(kind)) for kind in known}

    assert kinds("{pattern: f($A)}") == {"call_expression"}
    assert kinds("{pattern: $A}") is None
    assert kinds("{any: [{kind: number}, {kind: string}]}") == {"number", "string"}
    assert kinds("{any: [{kind: number}, {regex: x}]}") is None
    assert kinds("{all: [{kind: 'number, string'}, {kind: string}, {regex: x}]}") == {"string"}
    assert kinds("{not: {kind: number}}") is None
    assert kinds("{inside: {kind: arguments}}") is None
    assert kinds("{pattern: {context: f($A), strictness: template}}") is None


@pytest.mark.parametrize(
    ("rule", "literals"),
    [
        ("{pattern: 'f($A, b)'}", {frozenset({b"f", b"b"})}),
        ("{any: [{pattern: f($A)}, {pattern: g($A)}]}", {frozenset({b"f"}), frozenset({b"g"})}),
        ("{pattern: f($A), inside: {pattern: g($$$)}}", {frozenset({b"f", b"g"})}),
        ("{pattern: f($A), not: {pattern: f(zz)}}", {frozenset({b"f"})}),
        ("{any: [{pattern: f($A)}, {kind: number}]}", {frozenset()}),
        ("{kind: string, regex: '(?i)^.pa.s'}", {frozenset({Folded(b"pa"), Folded(b"s")})}),
        (
            "{kind: comment, regex: '(?i:Todo)|-{3,}'}",
            {frozenset({Folded(b"todo")}), frozenset({b"---"})},
        ),
    ],
)
def test_c5_literals(rule: str, literals: set[frozenset[Literal]]) -> None:
    assert set(finder(f"rule: {rule}").literals) == literals


ASKED = {"A": "{regex: ^word}", "B": "{has: {pattern: inner}}", "C": "{kind: number}"}


def constrained(rule: str) -> str:
    """With a constraint for every capture."""
    asked = (f"{name}: {one}" for name, one in ASKED.items() if f"${name}" in rule)
    return f"{rule}\nconstraints: {{{', '.join(asked)}}}"


@pytest.mark.parametrize(("rule", "literals", "own"), ROWS["literals of constraints"])
def test_k1_literals_of_constraints(
    rule: str, literals: list[bytes], own: list[bytes] | None
) -> None:
    found = finder(constrained(f"rule: {rule}"))
    assert set(found.literals) == {frozenset(one.split()) for one in literals}
    expected = literals if own is None else own
    assert set(found.rule.literals(own=True)) == {frozenset(one.split()) for one in expected}


def test_u1_literals_of_utilities() -> None:
    ours = utilities(constrained("id: ours\nrule: {pattern: f($A)}"))
    found = finder("rule: {matches: ours, pattern: $A}\nconstraints: {A: {regex: other}}", ours)
    assert set(found.literals) == {frozenset({b"f", b"word", b"other"})}
    local = constrained("utils: {near: {pattern: f($A)}}\nrule: {matches: near}")
    assert set(finder(local).literals) == {frozenset({b"f", b"word"})}


def test_a3_a_named_class_is_no_set_of_its_letters() -> None:
    assert finder("rule: {kind: string_fragment, regex: '^x[[:alpha:]]$'}").may_match(b"'xy'")
    assert find("rule: {kind: string_fragment, regex: '^x[[:alpha:]]$'}", "'xy' + 'x1'") == ["xy"]


def test_a3_brackets_in_a_set_are_nothing_to_warn_of(recwarn: pytest.WarningsRecorder) -> None:
    assert find("rule: {kind: string_fragment, regex: '^[[a]$'}", "'[' + 'b'") == ["["]
    assert not recwarn.list


def test_a2_an_invented_keyword_is_none() -> None:
    """Java's grammar makes up a `byte` here, below an `integral_type`."""
    row = named("java")
    assert row is not None
    grammar, source = load(row), b"class A { int[] a = new [] {1}; }"
    root = grammar.parser().parse(source).root_node
    kind = grammar.language.id_for_node_kind("integral_type", True)
    byte = grammar.language.id_for_node_kind("byte", False)
    number = grammar.language.id_for_node_kind("int", False)
    assert kind and byte and number
    types = Listed(grammar, root, source).of(frozenset({kind}))

    def found(*keywords: tuple[int, bytes]) -> list[bytes | None]:
        env = Environment(root, source)
        return [node.text for node in types if Kind(kind, keywords).match(node, env)]

    assert found() == [b"int", b""]
    assert found((byte, b"byte"), (number, b"int")) == [b"int"]


def test_c5_the_prefilter_asks_for_all_of_one_alternative() -> None:
    rule = finder("rule: {any: [{pattern: 'f(a)'}, {pattern: 'g(b)'}]}")
    assert rule.may_match(b"f(a)")
    assert not rule.may_match(b"f(b)")


def test_deep_trees_cost_no_stack() -> None:
    source = b"[" * 3000 + b"1" + b"]" * 3000
    root = load(JAVASCRIPT).parser().parse(source).root_node
    rule = "{kind: number, inside: {kind: program, stopBy: end}}"
    assert len(finder(f"rule: {rule}").find(root, source)) == 1
    rule = "{kind: program, has: {kind: number, stopBy: {kind: string}}}"
    assert len(finder(f"rule: {rule}").find(root, source)) == 1


def test_u1_a_global_utility_exports_nothing() -> None:
    ours = utilities("id: same\nrule: {pattern: $A + $A}")
    found = find("rule: {pattern: $A + $B, matches: same}", "x + x; x + y", ours)
    assert found == ["x + x A=x B=x"]
    assert find("rule: {kind: binary_expression, matches: same}", "x + x", ours) == ["x + x"]


def test_u1_global_utilities_name_each_other_in_any_order() -> None:
    ours = utilities("id: a\nrule: {matches: b}", "id: b\nrule: {kind: number}")
    assert find("rule: {matches: a}", "f(1)", ours) == ["1"]


@pytest.mark.parametrize(
    "end", ["{matches: deep}}}", "{pattern: '[$$$A]'}}}\nconstraints: {A: {each: {matches: deep}}}"]
)
def test_u2_a_recursion_that_is_too_deep_is_reported(end: str) -> None:
    deep = "{any: [{kind: number}, {kind: array, has: {matches: deep}}]}"
    text = f"utils: {{deep: {deep}}}\nrule: {{kind: program, has: {{has: {end}"
    rule = finder(text)
    source = b"[" * 500 + b"1" + b"]" * 500
    assert rule.find(load(JAVASCRIPT).parser().parse(source).root_node, source) == []
    assert rule.gave_up
    assert find(text, "[[1]]")[0].split(" ")[0] == "[[1]]"


def test_u2_a_large_utility_that_names_itself_is_given_up_as_well() -> None:
    body = "{kind: array, has: {matches: deep}}"
    for _ in range(40):
        body = f"{{all: [{body}]}}"
    rule = finder(f"utils: {{deep: {{any: [{{kind: number}}, {body}]}}}}\nrule: {{matches: deep}}")
    source = b"[" * 100 + b"1" + b"]" * 100
    found = rule.find(load(JAVASCRIPT).parser().parse(source).root_node, source)
    assert rule.gave_up
    assert found[-1].node.text == b"1"


@pytest.mark.parametrize(("text", "place"), ROWS["cycles"])
def test_u2_cycles_are_refused(text: str, place: str) -> None:
    with pytest.raises(RuleError, match="depends on itself") as caught:
        finder(text)
    assert caught.value.place.startswith(place)


def test_u2_a_cycle_of_global_utilities_is_refused() -> None:
    with pytest.raises(RuleError, match="depends on itself"):
        utilities(
            "id: a\nutils: {u: {matches: b}}\nrule: {matches: u}", "id: b\nrule: {matches: a}"
        )


WRAP = "id: wrap\narguments: [X, Y]\nrule: {pattern: 'f($$$P)', all: [%s]}"
BOTH = WRAP % "{has: {has: {matches: X}}}, {has: {has: {matches: Y}}}"


def test_u3_arguments_export_what_they_bind() -> None:
    ours = utilities(BOTH)
    call = "rule: {matches: {wrap: {X: {pattern: g($A)}, Y: {pattern: h($B)}}}}"
    assert find(call, "f(g(1), h(2)); f(g(1))", ours) == ["f(g(1), h(2)) A=1 B=2"]


def test_u3_arguments_agree_with_each_other_and_with_the_caller() -> None:
    ours = utilities(BOTH)
    call = "matches: {wrap: {X: {pattern: g($A)}, Y: {pattern: h($A)}}}"
    assert find(f"rule: {{{call}}}", "f(g(1), h(2)); f(g(3), h(3))", ours) == ["f(g(3), h(3)) A=3"]
    text = f"rule: {{pattern: 'f($$$, h($A))', {call}}}"
    assert find(text, "f(g(3), h(3)); f(g(1), h(3))", ours) == ["f(g(3), h(3)) A=3"]


def test_u3_several_calls_must_all_hold() -> None:
    ours = utilities(
        "id: one\narguments: [X]\nrule: {kind: array, has: {matches: X}}",
        "id: two\narguments: [X]\nrule: {kind: array, has: {matches: X}}",
    )
    call = "rule: {matches: {one: {X: {kind: number}}, two: {X: {kind: string}}}}"
    assert find(call, "[1]; [1, 's']; ['s']", ours) == ["[1, 's']"]


def test_u3_an_argument_may_name_the_parameter_of_the_caller_s_utility() -> None:
    ours = utilities(
        "id: inner\narguments: [X]\nrule: {kind: array, has: {matches: X}}",
        "id: outer\narguments: [X]\nrule: {matches: {inner: {X: {matches: X}}}}",
    )
    assert find("rule: {matches: {outer: {X: {kind: number}}}}", "[1]; [a]", ours) == ["[1]"]


def test_u3_a_utility_may_be_called_within_its_own_argument() -> None:
    ours = utilities("id: wrap\narguments: [X]\nrule: {kind: array, has: {matches: X}}")
    inner = "{matches: {wrap: {X: {kind: number}}}}"
    assert find(f"rule: {{matches: {{wrap: {{X: {inner}}}}}}}", "[[1]]; [1]", ours) == ["[[1]]"]


def test_k2_each_item_of_a_many_capture_is_asked() -> None:
    assert find(
        "rule: {pattern: f($$$A)}\nconstraints: {A: {kind: number}}",
        "f(1, 2); f(1, x); f(); f(1, /* c */ 2)",
    ) == ["f(1, 2)", "f()", "f(1, /* c */ 2)"]


def test_k4_constraints_steer_how_a_pattern_matches() -> None:
    text = "rule: {pattern: 'f($$$A, $B, $$$C)'}\nconstraints: {B: {kind: string}}"
    assert find(text, "f(1, 's', 2); f(1, 2)") == ["f(1, 's', 2) B='s'"]


def test_importing_the_package_imports_no_reader_and_no_expressions() -> None:
    probe = "import sys, astedit.rule; print('ruamel.yaml' in sys.modules, 're2' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", probe], capture_output=True, text=True)
    assert done.stdout.split() == ["False", "False"]


@pytest.mark.parametrize(("rule", "related"), ROWS["relations inside relations"])
def test_a_relation_inside_a_relation_stands_for_what_it_finds(
    rule: str, related: list[str]
) -> None:
    """Seen in ast-grep's labels: a rule of one key has that key's node."""
    local = "utils: {local: {has: {pattern: h($A), stopBy: end}}}"
    globals = utilities("id: global\nrule: {has: {pattern: h($A), stopBy: end}}")
    one = finder(f"rule: {{pattern: f($B), {rule}}}\n{local}", globals)
    source = b"f(g(h(1)));"
    (found,) = one.find(load(JAVASCRIPT).parser().parse(source).root_node, source)
    assert [node.text.decode() for node in found.related if node.text] == related
