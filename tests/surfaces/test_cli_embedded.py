"""Code inside documents, from the outside: found, rewritten, applied, undone."""

import json
import subprocess
import sysconfig
from pathlib import Path
from typing import Any

import pytest

from tests.support.cases import tree
from tests.support.project import Project

AST_GREP = Path(sysconfig.get_path("scripts")) / "ast-grep"
TEXTS = tree("cli-embedded")
PAGE = TEXTS["page.html"]
RULES = TEXTS["rules.yml"]
NOTEBOOK = {
    "cells": [
        {"cell_type": "code", "source": ["if a:\n", "    %time x\n", "    foo(1)\n"]},
        {"cell_type": "code", "source": ["foo(2)"]},
    ],
    "metadata": {},
}


def test_matches_are_where_ast_grep_has_them(project: Project) -> None:
    project.put("a.html", PAGE)
    for lang in ("js", "ts", "css"):
        pattern = ".a { color: $B }" if lang == "css" else "foo($$$A)"
        args = ["--json=compact", "-l", lang, "-p", pattern, "a.html"]
        done = subprocess.run([AST_GREP, "run", *args], cwd=project.root, capture_output=True)
        assert project("search", *args).json == json.loads(done.stdout) != []


def test_all_rules_make_one_edit_set(project: Project) -> None:
    project.put("a.html", PAGE)
    project.put("b.vue", PAGE)
    project.put("rules.yml", RULES)
    assert project("scan", "-r", "rules.yml", "--fix", "--apply", "--reason", "t").code == 0
    changed = PAGE.replace("foo(1", "bar(1").replace("= foo(2", "= baz(2").replace("red", "blue")
    assert project.read("b.vue") == changed
    assert project.read("a.html") == changed.replace('<p class="a">é foo(0)</p>', "<p>gone</p>")
    assert project("undo").code == 0
    assert project("resolve", "apply", "--reason", "t").code == 0
    assert (project.read("a.html"), project.read("b.vue")) == (PAGE, PAGE)


def test_places_in_a_plan_are_those_of_the_file(project: Project) -> None:
    project.put("a.vue", PAGE)
    plan = project("edit", "-p", "foo($$$A)", "-r", "bar($$$A)", "-l", "ts", "--json").json
    ((edit,),) = [file["edits"] for file in plan["files"]]
    span = edit.get("range", edit)
    assert (span["start"], span["line"], span["column"]) == (PAGE.encode().index(b"foo(2"), 9, 19)


def test_what_is_found_inside_a_document_counts_as_found(project: Project) -> None:
    project.put("a.html", PAGE)
    outcome = project("edit", "-p", "foo($A)", "-r", "bar($A)", "-l", "ts", "--no-stage")
    assert (outcome.code, "matches nothing" in outcome.err) == (0, False)
    missed = project("edit", "-p", "foo($A, $A)", "-r", "bar($A)", "-l", "ts", "--no-stage")
    assert "hint: Near miss" in missed.err


def test_a_comment_that_goes_is_listed_where_it_is_in_the_document(project: Project) -> None:
    page = "<p>é</p>\n<script>é(1, [\n  2, // why é\n])</script>\n"
    project.put("a.html", page)
    plan = project("edit", "-p", "é($A, $B)", "-r", "é($A)", "-l", "js", "--json").json
    (comment,) = plan["droppedComments"]
    start = page.encode().index(b"// why")
    assert comment["text"] == "// why é"
    assert comment["range"] == {"start": start, "end": start + 9, "line": 3, "column": 6}


def test_what_an_outer_rewrite_takes_displaces_the_inner_one(project: Project) -> None:
    project.put("a.html", "<div><script>foo(1)</script></div>\n")
    rule = (
        "id: div\nlanguage: html\nrule: {kind: element, has: {kind: start_tag, regex: div}}\n"
        "fix: <i></i>\n---\n"
    )
    project.put("rules.yml", rule + RULES)
    outcome = project("scan", "-r", "rules.yml", "--fix", "--json", "--no-stage")
    (displaced,) = outcome.json["displaced"]
    assert (displaced["reason"], displaced["ruleId"], displaced["byRule"]) == (
        "inside", "js-foo", "div",
    )  # fmt: skip
    assert [edit["after"] for edit in outcome.json["files"][0]["edits"]] == ["<i></i>"]


def test_d3_a_line_that_only_ipython_reads_is_never_rewritten(project: Project) -> None:
    raw = json.dumps(NOTEBOOK, indent=1)
    project.put("n.ipynb", raw)
    outcome = project(
        "edit", "-p", "if a:\n    $$$A", "-r", "if b:\n    $$$A", "-l", "py", "--json"
    )
    assert outcome.code == 3
    (blocked,) = outcome.json["blocked"]
    assert blocked["reason"] == "changes_structure"
    plan = project("edit", "-p", "foo($A)", "-r", "f($A)", "-l", "py", "--apply", "--reason", "t")
    assert plan.code == 0
    assert project.read("n.ipynb") == raw.replace("foo(", "f(")


def test_a_cell_that_would_not_parse_blocks_its_own_edits_only(project: Project) -> None:
    project.put("n.ipynb", json.dumps(NOTEBOOK))
    outcome = project("edit", "-p", "foo(2)", "-r", "f(((", "-l", "py", "--json")
    assert [one["reason"] for one in outcome.json["blocked"]] == ["breaks_syntax"]


@pytest.mark.parametrize("form", ["text", "github", "sarif", "github-review"])
def test_findings_of_every_format_name_lines_of_the_file(project: Project, form: str) -> None:
    project.put("a.vue", PAGE)
    project.put("rules.yml", RULES)
    outcome = project("scan", "-r", "rules.yml", "--format", form)
    assert outcome.code == 0
    if form == "text":
        assert "a.vue:9:19: hint[ts-foo]" in outcome.text
    elif form == "github":
        assert "file=a.vue,line=9,endLine=9,col=19" in outcome.text
    elif form == "sarif":
        results = outcome.json["runs"][0]["results"]
        regions = [one["locations"][0]["physicalLocation"]["region"] for one in results]
        assert {"startLine": 9, "startColumn": 19}.items() <= regions[-1].items()
    else:
        assert "  let a: string = baz(2)" in outcome.json["comments"][-1]["body"]


def test_documents_in_other_encodings_are_left_alone(project: Project) -> None:
    project.put("a.html", "<script>foo('é')</script>".encode("latin-1"))
    outcome = project("edit", "-p", "foo($A)", "-r", "bar($A)", "-l", "js")
    assert (outcome.code, outcome.out) == (0, b"")


@pytest.mark.slow
def test_a_thousand_scripts_cost_no_more_than_a_thousand_parses(project: Project) -> None:
    project.put("a.html", "<script>foo(1)</script>\n" * 3_000)
    outcome = project("edit", "-p", "foo($A)", "-r", "bar($A)", "-l", "js", "--stat")
    assert outcome.code == 0
    assert "3,000" in outcome.text + outcome.err or "3000" in outcome.text + outcome.err


def test_a_file_whose_language_was_named_can_be_applied(project: Project) -> None:
    """The fingerprint is taken of the grammars, which a stored plan must tell again."""
    project.put("script", "foo(1)\n")
    args = ("-p", "foo($A)", "-r", "bar($A)", "-l", "js", "--apply", "--reason", "t")
    assert project("edit", *args, "script").code == 0
    assert project.read("script") == "bar(1)\n"


INJECTIONS = TEXTS["sgconfig.yml"]
INJECTED = """\
const é = styled`.a { color: red }`; const b = styled`.b { margin: 0 } .a { color: red }`
lang.ts`foo(1)`; lang.py`foo(2)`; foo(3)
lang.css`.a { color: red }`; styled``
"""


def test_d1_injections_of_a_project_are_looked_at_as_ast_grep_does(project: Project) -> None:
    project.put("sgconfig.yml", INJECTIONS)
    project.put("rules/all.yml", RULES)
    project.put("a.js", INJECTED)
    theirs = subprocess.run([AST_GREP, "scan", "--json"], cwd=project.root, capture_output=True)

    def places(found: list[dict[str, Any]]) -> list[tuple[int, str, str]]:
        return sorted(
            (one["range"]["byteOffset"]["start"], one["ruleId"], one["text"]) for one in found
        )

    ours = places(project("scan", "--json").json)
    assert ours == places(json.loads(theirs.stdout))
    assert [id for _, id, _ in ours] == ["red", "red", "ts-foo", "js-foo", "red"]


def test_d2_injected_code_and_its_host_are_one_edit_set(project: Project) -> None:
    project.put("sgconfig.yml", INJECTIONS)
    project.put("rules/all.yml", RULES)
    project.put("a.js", INJECTED)
    assert project("scan", "--fix").code == 0
    assert project("resolve", "apply", "--reason", "colours").code == 0
    after = INJECTED.replace("color: red", "color: blue").replace("foo(1)", "baz(1)")
    assert project.read("a.js") == after.replace("foo(3)", "bar(3)")


def test_d1_a_file_that_the_project_calls_html_holds_scripts(project: Project) -> None:
    project.put("sgconfig.yml", "ruleDirs: [rules]\nlanguageGlobs: {html: ['*.astro']}\n")
    project.put("rules/all.yml", RULES)
    project.put("a.html", PAGE)
    page = project("scan", "--json").json
    (project.root / "a.html").rename(project.root / "a.astro")
    found = project("scan", "--json").json
    assert {one["ruleId"] for one in found} == {"js-foo", "ts-foo", "red", "paragraph"}
    assert [{**one, "file": "a.html"} for one in found] == page
    rule = ("scan", "--filter", "js-foo")
    assert [one["file"] for one in project(*rule, "--json").json] == ["a.astro"]
    assert project(*rule, "--fix", "--apply", "--reason", "r").code == 0
    assert project.read("a.astro") == PAGE.replace("foo(1", "bar(1")


def test_d1_a_wrong_injection_is_named(project: Project) -> None:
    project.put("sgconfig.yml", INJECTIONS.replace("{pattern: styled`$CONTENT`}", "{kind: nope}"))
    project.put("rules/all.yml", RULES)
    done = project("scan")
    assert (done.code, "languageInjections[0]" in done.err) == (2, True)
