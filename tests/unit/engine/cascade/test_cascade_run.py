"""Rules that cause rules: what is made, in which order, with which causes, and when it ends."""

import random
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest

from astedit.engine.request import request_of
from astedit.engine.run.plan import plan_buffer
from astedit.errors import LimitError, PreconditionError, RequestError
from astedit.interface.functions import ast_edit
from astedit.language import named
from astedit.model.plan import Plan
from astedit.review.units import reached

FLAG = """
id: drop-flag-method
language: java
params:
  FLAG: {}
  TREATED: {default: 'true', enum: ['true', 'false']}
rule:
  kind: method_declaration
  has: {stopBy: end, pattern: '@BoolParam(key = "${FLAG}")'}
  all:
  - {has: {field: name, pattern: $M}}
fix: {template: '', comments: attached}
then:
- {use: inline-call, in: project, with: {M: $M}}
---
id: inline-call
language: java
when: triggered
rule: {pattern: '$_.$M().getCachedValue()'}
fix: ${TREATED}
then: [{use: if-true, in: parent}]
---
id: if-true
language: java
when: triggered
rule: {pattern: 'if (true) { $$$BODY }'}
fix: $$$BODY
"""
FILES = {
    "P.java": """\
interface P {
    BoolParameter isOther();

    // the new flow
    @BoolParam(key = "new_flow")
    BoolParameter isNewFlow();
}
""",
    "A.java": """\
class A {
    void run(P p) {
        if (p.isNewFlow().getCachedValue()) {
            start();
        }
        if (p.isOther().getCachedValue()) { stop(); }
        if (true) { keep(); }
    }
}
""",
}
PYTHON = """
id: seed
language: python
rule: {pattern: "seed($A)"}
fix: first($A)
then: [%s]
---
id: next
language: python
when: triggered
rule: {pattern: "%s"}
fix: %s
%s
"""


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


@pytest.mark.parametrize(
    ("params", "says"),
    [
        ({}, "'FLAG' is missing"),
        ({"FLAG": "x", "OTHER": "y"}, "no parameter 'OTHER'"),
        ({"FLAG": "x", "TREATED": "maybe"}, "none of its values"),
        ({"FLAG": 'a"b'}, "change how the pattern parses"),
        ({"FLAG": "$X"}, "change how the pattern parses"),
    ],
)
def test_a_parameter_that_is_wrong_is_refused(
    tmp_path: Path, params: dict[str, str], says: str
) -> None:
    with pytest.raises(RequestError, match=says.replace("'", ".")) as error:
        plan_of(tmp_path, FLAG, FILES, params=params)
    assert error.value.exit_code == 2 and error.value.hint


@pytest.mark.parametrize(
    ("then", "says"),
    [
        ("{use: nobody, in: file}", "no rule and no group"),
        ("{use: next, in: street}", "unknown region"),
        ("{use: next}", "'in' is missing"),
        ("{use: next, in: file, with: {B: $A}}", r"next has no \$B"),
        ("{use: next, in: file, with: {X: $B}}", r"captures no \$B"),
        ("{use: next, in: file, with: {X: A}}", "is no capture"),
        ("{use: next, in: file, on: x}", "unknown key 'on'"),
    ],
)
def test_a_call_that_is_wrong_is_refused(tmp_path: Path, then: str, says: str) -> None:
    rules = PYTHON % (then, "first($X)", "second($X)", "")
    with pytest.raises(RequestError, match=says) as error:
        plan_of(tmp_path, rules, {"a.py": "seed(1)\n"})
    assert error.value.exit_code == 2 and error.value.hint


@pytest.mark.parametrize(
    ("scope", "changed"),
    [
        ("parent", ["seed"]),
        ("definition", ["seed", "here"]),
        ("class", ["seed", "here", "beside"]),
        ("file", ["seed", "here", "beside", "outside"]),
        ("dir", ["seed", "here", "beside", "outside", "neighbour"]),
        ("tree", ["seed", "here", "beside", "outside", "neighbour", "below"]),
        ("project", ["seed", "here", "beside", "outside", "neighbour", "below", "far"]),
    ],
)
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
    text = "seed(x.y)\ndrop(x . y, 1)\ndrop(x.z, 2)\n"
    made = results(plan_of(tmp_path, rules, {"a.py": text}))
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
    plan = plan_of(tmp_path, dedent(rules), files)
    assert [(file.path, file.operation) for file in plan.files] == [
        ("Gone.java", "delete"),
        ("Two.java", "modify"),
    ]


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


def test_a_rule_without_a_fix_only_causes(tmp_path: Path) -> None:
    rules = PYTHON % ("{use: next, in: file, with: {X: $A}}", "use($X)", "used($X)", "")
    rules = rules.replace("fix: first($A)\n", "")
    made = results(plan_of(tmp_path, rules, {"a.py": "seed(a)\nuse(a)\nuse(b)\n"}))
    assert made == {"a.py": "seed(a)\nused(a)\nuse(b)\n"}


def test_the_order_of_files_and_jobs_changes_nothing(tmp_path: Path) -> None:
    names = [f"{letter}.py" for letter in "abcdefgh"]
    rules = PYTHON % ("{use: next, in: project, with: {X: $A}}", "use($X)", "used($X)", "")
    text = "".join(f"seed(v{n})\nuse(v{n})\n" for n in range(5))
    write(tmp_path, dict.fromkeys(names, text))
    prints = set()
    for number in range(4):
        random.Random(number).shuffle(names)
        prints.add(plan_of(tmp_path, rules, paths=names, jobs=1 + number % 2).fingerprint)
    # paths are a part of the request: what they list is compared file by file
    diffs = {plan_of(tmp_path, rules, paths=some).diff() for some in (names, sorted(names))}
    assert len(diffs) == 1


def test_text_that_is_no_file_is_a_cascade_too() -> None:
    rules = PYTHON % ("{use: next, in: file}", "first($X)", "second($X)", "")
    row = named("python")
    assert row is not None
    plan = plan_buffer(request_of({}, rules=rules), "a.py", row, b"seed(1)\n")
    (edit,) = plan.files[0].edits
    assert edit.whole_after == "second(1)"
