"""Rules that cause rules: what is made, in which order, with which causes, and when it ends."""

import random
import re
import sys
from collections.abc import Callable
from pathlib import Path
from textwrap import dedent
from types import FrameType
from typing import Any

import pytest

from astedit.engine.request import request_of
from astedit.engine.run.plan import plan_buffer
from astedit.errors import LimitError, PreconditionError, RequestError
from astedit.interface.functions import ast_edit
from astedit.language import load, named
from astedit.model.plan import Plan
from astedit.review.units import reached
from astedit.rewrite.prove.verify import parsed_again
from tests.support.cases import tree
from tests.support.lists import rows

ROWS = rows(Path(__file__).with_suffix(".txt"))

TEXTS = tree("cascade-run")
FLAG = TEXTS["flag.yml"]
FILES = {name: TEXTS[name] for name in ("P.java", "A.java")}
PYTHON = TEXTS["python.yml"]

CODE = {
    "python": "import os\n\nclass A:\n    def f(self, x):\n        if x:\n            return [1]\n"
    "        for y in x:\n            g(y)  # why\n        return None\n\nprint(f'{A()} b')\n",
    "java": FILES["A.java"],
    "go": "package a\n\nfunc f(x int) int {\n\tif x > 1 {\n\t\treturn g(x)\n\t}\n\treturn 0\n}\n",
    "ruby": "class A\n  def f(x)\n    g x if x\n    h(<<~T)\n      a #{x}\n    T\n  end\nend",
    "typescript": "class A {\n  f(x: number) {\n    return x ? `a${x}` : /b/;\n  }\n}\n",
    "swift": "class A {\n  func f(x: Int) {\n    guard x > 1 else { return }\n    g(x)\n  }\n}\n",
}


def write(root: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)


def plan_of(root: Path, rules: str, files: dict[str, str] | None = None, **more: Any) -> Plan:
    if files is not None:
        write(root, files)
    return ast_edit(rules=rules, root=root, no_near=True, **more)


def results(plan: Plan) -> dict[str, str]:
    root = Path(plan.root)
    made = {}
    for file in plan.files:
        text = (root / file.path).read_bytes()
        for start, end, new in reversed(file.changes):
            text = text[:start] + new + text[end:]
        made[file.path] = text.decode()
    return made


def test_a_flag_goes_from_its_declaration_to_its_branch(tmp_path: Path) -> None:
    plan = plan_of(tmp_path, FLAG, FILES, params={"FLAG": "new_flow"})
    made = results(plan)
    assert made["P.java"] == "interface P {\n    BoolParameter isOther();\n\n}\n"
    assert "        start();\n        if (p.isOther()" in made["A.java"]
    assert "if (true) { keep(); }" in made["A.java"]  # no event reached it
    (use,), (declaration,) = (file.edits for file in plan.files)
    assert use.because == [declaration.id] and not declaration.because
    assert [step.rule for step in use.chain] == ["inline-call", "if-true"]
    assert use.rule_id == "inline-call"
    assert [comment.text for comment in plan.dropped_comments] == ["// the new flow"]
    assert any("1 seed, 2 consequences" in hint for hint in plan.hints)


def test_a_rejected_cause_takes_its_consequences_along(tmp_path: Path) -> None:
    plan = plan_of(tmp_path, FLAG, FILES, params={"FLAG": "new_flow"})
    (use,), (declaration,) = (file.edits for file in plan.files)
    assert reached(plan, {use.id}) == set()
    assert reached(plan, {use.id, declaration.id}) == {use.id, declaration.id}
    assert reached(plan, {declaration.id}) == {declaration.id}


@pytest.mark.parametrize(("params", "says"), ROWS["a parameter that is wrong is refused"])
def test_a_parameter_that_is_wrong_is_refused(
    tmp_path: Path, params: dict[str, str], says: str
) -> None:
    with pytest.raises(RequestError, match=says.replace("'", ".")) as error:
        plan_of(tmp_path, FLAG, FILES, params=params)
    assert error.value.exit_code == 2 and error.value.hint


@pytest.mark.parametrize(("then", "says"), ROWS["a call that is wrong is refused"])
def test_a_call_that_is_wrong_is_refused(tmp_path: Path, then: str, says: str) -> None:
    rules = PYTHON % (then, "first($X)", "second($X)", "")
    with pytest.raises(RequestError, match=says) as error:
        plan_of(tmp_path, rules, {"a.py": "seed(1)\n"})
    assert error.value.exit_code == 2 and error.value.hint


@pytest.mark.parametrize(("scope", "changed"), ROWS["a region is as wide as its name"])
def test_a_region_is_as_wide_as_its_name(tmp_path: Path, scope: str, changed: list[str]) -> None:
    files = {
        "p/a.py": dedent(
            """\
            class A:
                def f(self):
                    seed("seed")
                    first("here")

                def g(self):
                    first("beside")


            first("outside")
            """
        ),
        "p/b.py": 'first("neighbour")\n',
        "p/q/c.py": 'first("below")\n',
        "z/d.py": 'first("far")\n',
    }
    rules = PYTHON % (f"{{use: next, in: {scope}}}", "first($X)", "second($X)", "")
    text = "".join(results(plan_of(tmp_path, rules, files)).values())
    assert [word for word in changed if f'second("{word}")' not in text] == []
    assert text.count("second(") == len(changed)


def test_what_is_bound_is_compared_as_code(tmp_path: Path) -> None:
    rules = PYTHON % ("{use: next, in: file, with: {X: $A}}", "drop($X, $Y)", "$Y", "")
    made = results(plan_of(tmp_path, rules, {"a.py": "seed(x.y)\ndrop(x . y, 1)\ndrop(x.z, 2)\n"}))
    assert made["a.py"] == "first(x.y)\n1\ndrop(x.z, 2)\n"


def test_ancestors_are_tried_as_often_as_something_changes(tmp_path: Path) -> None:
    rules = PYTHON % ("{use: next, in: ancestors}", "wrap($X)", "$X", "")
    nested = "wrap(" * 12 + "seed(1)" + ")" * 12
    made = results(plan_of(tmp_path, rules, {"a.py": f"{nested}\nwrap(2)\n"}))
    assert made["a.py"] == "first(1)\nwrap(2)\n"


def test_rules_that_undo_one_another_are_refused(tmp_path: Path) -> None:
    back = "then: [{use: back, in: file}]\n---\nid: back\nlanguage: python\nwhen: triggered\n"
    back += "rule: {pattern: second($X)}\nfix: first($X)\nthen: [{use: next, in: file}]"
    rules = PYTHON % ("{use: next, in: file}", "first($X)", "second($X)", back)
    with pytest.raises(PreconditionError, match="next -> back -> next") as error:
        plan_of(tmp_path, rules, {"a.py": "seed(1)\n"})
    assert error.value.code == "cascade_cycle"


def test_a_cascade_without_end_stops(tmp_path: Path) -> None:
    again = "then: [{use: next, in: file}]"
    rules = PYTHON % ("{use: next, in: file}", "first($X)", "first($X + 1)", again)
    with pytest.raises(LimitError) as error:
        plan_of(tmp_path, rules, {"a.py": "seed(1)\n"}, max_events=20)
    assert error.value.code == "max_events" and error.value.exit_code == 4


def test_a_file_that_holds_nothing_more_is_deleted(tmp_path: Path) -> None:
    rules = """
    id: seed
    language: java
    rule: {pattern: 'class Gone { }'}
    fix: ''
    deleteEmpty: true
    """
    files = {
        "Gone.java": "package a;\n\nimport b.C;\n\n// about it\nclass Gone { }\n",
        "Two.java": "class Gone { }\nclass Stays { }\n",
    }
    assert [
        (file.path, file.operation) for file in plan_of(tmp_path, dedent(rules), files).files
    ] == [("Gone.java", "delete"), ("Two.java", "modify")]


def test_preconditions_are_looked_at_before_seeds(tmp_path: Path) -> None:
    rules = """
    id: seed
    language: python
    rule: {pattern: seed($A)}
    fix: first($A)
    preconditions: [{pattern: import flags}]
    """
    files = {"a.py": "import flags\nseed(1)\n", "b.py": "seed(1)\n"}
    assert list(results(plan_of(tmp_path, dedent(rules), files))) == ["a.py"]
    wide = dedent(rules).replace("import flags}", "import flags, in: project}")
    assert list(results(plan_of(tmp_path, wide))) == ["a.py", "b.py"]


def test_a_text_that_doubles_each_time_comes_to_an_end(tmp_path: Path) -> None:
    rules = PYTHON % ("{use: next, in: parent}", "first($X)", "first($X + $X)", "")
    rules += "then: [{use: next, in: parent}]\n"
    with pytest.raises(LimitError, match="larger than 5,000 bytes") as caught:
        plan_of(tmp_path, rules, {"a.py": "seed(a)\n"}, max_file_size=5_000)
    assert caught.value.code == "max_events"


def test_a_rule_without_a_fix_only_causes(tmp_path: Path) -> None:
    rules = PYTHON % ("{use: next, in: file, with: {X: $A}}", "use($X)", "used($X)", "")
    rules = rules.replace("fix: first($A)\n", "")
    made = results(plan_of(tmp_path, rules, {"a.py": "seed(a)\nuse(a)\nuse(b)\n"}))
    assert made == {"a.py": "seed(a)\nused(a)\nuse(b)\n"}


SEEDS = """
id: {id}
language: python
rule: {{pattern: "{id}($A)"}}
fix: first($A)
then: [{{use: [{calls}], in: {scope}, with: {{X: $A}}}}]
"""
CALLED = """
id: {id}
language: python
when: triggered
rule: {{pattern: "{pattern}"}}
fix: {id}($X)
then: [{{use: last, in: file}}]
"""
# `early` and `late` want the same text: `early` is loaded before
EARLY, LATE = (CALLED.format(id=id, pattern="use($X)") for id in ("early", "late"))
OTHERS = [
    SEEDS.format(id="one", calls="late, early", scope="project"),
    SEEDS.format(id="two", calls="early, other, late", scope="dir"),
    CALLED.format(id="other", pattern="more($X, $_)"),
    CALLED.format(id="last", pattern="early($X)").replace("file}", "file, with: {}}"),
]


def test_the_order_of_files_and_rules_changes_nothing(tmp_path: Path) -> None:
    """Shuffled, but for two rules that want the same text."""
    names = [f"{folder}{letter}.py" for folder in ("", "p/", "q/") for letter in "abc"]
    text = "".join(f"one(v{n})\ntwo(v{n + 2})\nuse(v{n})\nmore(v{n}, 1)\n" for n in range(4))
    plans = []
    for number in range(8):
        root = tmp_path / str(number)
        draw = random.Random(number)
        draw.shuffle(names)
        rest = draw.sample(OTHERS, len(OTHERS))
        places = sorted(draw.sample(range(6), 2))
        rules = [rest.pop() if at not in places else "" for at in range(6)]
        rules[places[0]], rules[places[1]] = EARLY, LATE
        plan = plan_of(root, "---".join(rules), dict.fromkeys(names, text), paths=names)
        edits = [edit.to_json() for file in plan.files for edit in file.edits]
        gone = [
            (item.path, item.range.start, item.rule_id, item.by_rule) for item in plan.displaced
        ]
        plans.append((plan.diff(), edits, sorted(gone)))
    assert all(plan == plans[0] for plan in plans)
    diff, edits, gone = plans[0]
    assert "+last(v0)" in diff and "late(" not in diff
    assert {by for *_, by in gone} == {"early"} and {rule for *_, rule, _ in gone} == {"late"}


def calls_of(work: Callable[[], object]) -> int:
    """How many functions of ours are called: what a piece of work costs, whatever the machine."""
    count = 0

    def enter(frame: FrameType, event: str, _: object) -> None:
        nonlocal count
        count += event == "call" and "astedit" in frame.f_code.co_filename

    sys.setprofile(enter)
    try:
        work()
    finally:
        sys.setprofile(None)
    return count


@pytest.mark.parametrize("scope", ["parent", "definition", "file", "project"])
def test_an_event_costs_as_much_among_many(tmp_path: Path, scope: str) -> None:
    rules = PYTHON % (f"{{use: next, in: {scope}}}", "first($X)", "second($X)", "")
    costs = []
    for count in (40, 400):
        lines = "".join(f"def f{n}():\n    if a:\n        seed({n})\n" for n in range(count))
        write(tmp_path, {"a.py": lines})
        costs.append(calls_of(lambda: plan_of(tmp_path, rules)) / count)
    assert costs[1] < costs[0] * 1.1


def test_a_project_task_reads_only_what_may_hold_what_is_bound(tmp_path: Path) -> None:
    rules = PYTHON % ("{use: next, in: project, with: {X: $A}}", "use($X)", "used($X)", "")
    files = {f"m{n}.py": f"use(v{n})\n" for n in range(50)} | {"a.py": "seed(v7)\n"}
    plan = plan_of(tmp_path, rules, files)
    assert list(results(plan)) == ["a.py", "m7.py"]
    assert plan.stats.parsed == 2


def test_two_causes_are_both_told_in_the_order_of_the_plan(tmp_path: Path) -> None:
    rules = PYTHON % ("{use: next, in: project, with: {X: $A}}", "use($X)", "used($X)", "")
    files = {"z.py": "seed(v)\n", "a.py": "seed(v)\nseed(w)\n", "b.py": "use(v)\nuse(w)\n"}
    first, other, both, one, last = (
        e for f in plan_of(tmp_path, rules, files).files for e in f.edits
    )
    assert both.because == [first.id, last.id] and one.because == [other.id]


@pytest.mark.parametrize("language", ["python", "java", "go", "ruby", "typescript", "swift"])
def test_a_text_parsed_with_the_old_tree_is_read_as_it_is(language: str) -> None:
    """Random pieces of real code are taken out and put in again."""
    row = named(language)
    assert row is not None
    draw, grammar = random.Random(language), load(row)
    text = CODE[language].encode()
    tree = grammar.parser().parse(text)
    for _ in range(60):
        nodes = [tree.root_node]
        for node in nodes:
            nodes += node.named_children
        changes = []
        for node in sorted(
            draw.sample(nodes[1:], min(3, len(nodes) - 1)), key=lambda n: n.start_byte
        ):
            if not changes or changes[-1][1] <= node.start_byte:
                other = draw.choice(nodes[1:])
                new = draw.choice([text[other.start_byte : other.end_byte], b"", b"x"])
                changes.append((node.start_byte, node.end_byte, new))
        tree, after = parsed_again(grammar, tree, text, changes)
        assert str(tree.root_node) == str(grammar.parser().parse(after).root_node)
        text = after if after.strip() and len(after) < 20_000 else CODE[language].encode()
        tree = tree if text is after else grammar.parser().parse(text)


@pytest.mark.parametrize(
    ("rules", "says"),
    [
        (
            PYTHON % ("{use: next, in: file}", "first($X", "y()", ""),
            "Rule 'next', rule.pattern: .*not parse",
        ),
        (PYTHON % ("{use: next, in: file}", "first($X)", "y($Z)", ""), "next.*Z"),
        ("id: a\nparams: {P: {}}\n---\nid: b\nparams: {P: {}}", "declared twice"),
        ("id: a\nparams: {A: {default: b}}", "has the name of a capture"),
        ("id: a\nparams: {P: {default: 1}}", "a string is expected here"),
        ("id: a\nparams: {P: {regex: '('}}", "params.P.regex"),
        ("id: a\nparams: {P: {enum: []}}", "a string is expected"),
        ("id: a\nparams: [P]", "an object of parameters"),
        ("id: a\nwhen: never", "unknown word 'never'"),
        ("id: a\nthen: next", "a list of {use, in, with}"),
        ("id: a\ndeleteEmpty: 1", "true or false"),
        ("id: a\npreconditions: [x]", "a rule object is expected"),
        ("id: clean/java\nthen: [{use: clean/java, in: file}]", "a rule and a shipped group"),
    ],
)
def test_a_rule_that_is_wrong_is_refused(tmp_path: Path, rules: str, says: str) -> None:
    parts = [
        part
        if "rule:" in part
        else f"{part}\nlanguage: python\nrule: {{pattern: seed($A)}}\nfix: b()"
        for part in rules.split("---\n")
    ]
    with pytest.raises(RequestError) as error:
        plan_of(tmp_path, "\n---\n".join(parts), {"a.py": "seed(1)\n"})
    assert re.search(says, str(error.value)), error.value
    assert error.value.exit_code == 2


@pytest.mark.parametrize("count", [200, pytest.param(10_000, marks=pytest.mark.slow)])
def test_rules_may_call_one_another_to_any_depth(tmp_path: Path, count: int) -> None:
    chain = [
        {
            "id": f"r{number}",
            "language": "python",
            "when": "triggered" if number else "always",
            "rule": {"pattern": f"f{number}($X)"},
            "fix": f"f{number + 1}($X)",
            "then": [{"use": f"r{number + 1}", "in": "file"}] if number + 1 < count else [],
        }
        for number in range(count)
    ]
    write(tmp_path, {"a.py": "f0(1)\n"})
    plan = ast_edit(rules=chain, root=tmp_path, no_near=True)
    assert results(plan) == {"a.py": f"f{count}(1)\n"}
    assert len(plan.files[0].edits[0].chain) == count


def test_text_that_is_no_file_is_a_cascade_too() -> None:
    rules = PYTHON % ("{use: next, in: file}", "first($X)", "second($X)", "")
    row = named("python")
    assert row is not None
    (edit,) = plan_buffer(request_of({}, rules=rules), "a.py", row, b"seed(1)\n").files[0].edits
    assert edit.whole_after == "second(1)"
