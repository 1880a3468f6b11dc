"""Rules that ask what a name stands for: every surface gives them somebody who answers."""

import json
from collections.abc import Callable

import pytest

from astedit.engine.request import rule_request
from astedit.engine.run.plan import scan_buffer
from astedit.interface.functions import ast_edit, search
from astedit.language import named
from astedit.rule import read_rules
from astedit.rule.failure import RuleError
from resolve import Session
from tests.support.project import Project

CODE = "from requests import get as g\ng(1)\nget(2)\n"
OBJECT = {"all": [{"pattern": "$F($$$A)"}, {"has": {"resolvesTo": "requests.get"}}]}
OP = {"rule": {"language": "python", "rule": OBJECT}, "out": "fetch($$$A)"}
RULE = """
id: t
language: python
rule: {pattern: $F($$$A)}
constraints: {F: {resolvesTo: requests.get}}
fix: fetch($$$A)
imports: {add: [from net import fetch]}
"""
FIXED = "from net import fetch\nfrom requests import get as g\nfetch(1)\nget(2)\n"


@pytest.fixture
def asking(project: Project) -> Project:
    """One small file, and one that only a worker may parse."""
    project.write(a_py=CODE, b_py=CODE + "x = " + "(" * 300 + "1" + ")" * 300 + "\n")
    return project


def test_a_search_asks_in_this_process_and_in_workers(asking: Project) -> None:
    hits = search(rule={"language": "python", "rule": OBJECT}, root=asking.root).matches
    assert [(one.file, one.text) for one in hits] == [("a.py", "g(1)"), ("b.py", "g(1)")]


def test_an_edit_is_staged_and_run_again(asking: Project) -> None:
    ops = asking.root.parent / "ops.json"
    ops.write_text(json.dumps({"ops": [OP]}))
    done = asking("edit", "--ops", str(ops), "--apply", "--reason", "r")
    assert done.code == 0, done.err
    assert asking.read("a.py") == CODE.replace("g(1)", "fetch(1)")


def test_the_python_interface_stages_rules_that_ask(asking: Project) -> None:
    with Session() as session:
        plan = ast_edit(rules=RULE, root=asking.root, session=session)
    assert plan.total_replacements == 2
    assert plan.action_id is not None


def test_a_scan_fixes_what_it_finds(asking: Project) -> None:
    found = asking("scan", "--inline-rules", RULE, "--json=compact").json
    assert [one["text"] for one in found] == ["g(1)", "g(1)"]
    assert asking("scan", "--inline-rules", RULE, "--fix", "a.py").code == 0
    assert asking("resolve", "apply", "--reason", "r").code == 0
    assert asking.read("a.py") == FIXED


def test_a_buffer_is_edited_with_names(project: Project, typed: Callable[[bytes], None]) -> None:
    project.write(ops_json=json.dumps({"ops": [OP]}))
    typed(CODE.encode())
    done = project("edit", "--ops", "ops.json", "--stdin", "--stdin-filename", "a.py")
    assert done.text == CODE.replace("g(1)", "fetch(1)")


def test_a_rule_that_asks_is_tested(project: Project) -> None:
    project.write(sgconfig_yml="ruleDirs: [rules]\ntestConfigs: [{testDir: tests}]\n")
    project.put("rules/t.yml", RULE)
    cases = {"id": "t", "valid": ["get(2)"], "invalid": ["from requests import get as g\ng(1)"]}
    project.put("tests/t-test.yml", json.dumps(cases))
    assert project("test", "--skip-snapshot-tests").code == 0


def test_an_injection_asks(project: Project) -> None:
    project.write(
        sgconfig_yml="""
ruleDirs: [rules]
languageInjections:
- hostLanguage: python
  injected: js
  rule: {pattern: '$F($CONTENT)', has: {resolvesTo: db.sql}}
"""
    )
    project.put("rules/r.yml", "id: r\nlanguage: js\nrule: {pattern: f()}\nseverity: error\n")
    project.write(a_py="from db import sql as q\nq(f())\nsql(f())\n")
    found = project("scan", "--json=compact").json
    assert [one["range"]["start"]["line"] for one in found] == [1]


def test_where_nobody_answers_the_rule_is_refused() -> None:
    row = named("python")
    assert row is not None
    request = rule_request(read_rules(RULE.encode(), "r.yml"))
    with pytest.raises(RuleError, match="nobody resolves names here"):
        scan_buffer(request, "a.py", row, CODE.encode())
