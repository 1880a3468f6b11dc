"""`astedit scan`: findings, formats, suppressions, fixes, exit codes; beside ast-grep."""

import json
import os
import subprocess
import sys
from pathlib import Path
from subprocess import PIPE
from typing import Any

import pytest

from tests.support.project import Outcome, Project

AST_GREP = Path(sys.executable).with_name("ast-grep")
RULES = """
id: no-foo
language: js
severity: warning
rule: {pattern: 'foo($A, $B)', inside: {kind: program, stopBy: end}}
transform: {N: {replace: {source: $A, replace: '1', by: 'é'}}}
message: no foo of $A and $N
note: why $A
labels: {A: {style: secondary, message: here}}
fix: baz($N)
---
id: no-log
language: js
rule: {pattern: console.log($$$A)}
message: nolog
fix: {template: logger($$$A)}
---
id: plain
language: python
severity: error
rule: {kind: call, has: {field: function, regex: ^print$}}
"""
JS = "function f() {\n    console.log(foo(1, 2), 'é');\n    foo('é', [\n      1,\n    ]);\n}\n"
SUPPRESSED = """foo(1);
function f() {
    // ast-grep-ignore
    foo(3);
    foo(4); // ast-grep-ignore: no-foo
    foo(
       5
    ); // ast-grep-ignore: no-foo
    foo(
       bar(51)
    ); // ast-grep-ignore: no-foo
    // ast-grep-ignore no-bar
    foo(6);
    /* ast-grep-ignore: no-bar */ bar(7);
    /* ast-grep-ignore: no-bar */
    bar(8);
    // ast-grep-ignore: no-bar, no-foo
    bar(foo(9));
    // ast-grep-ignore
    // ast-grep-ignore
    foo(10);
    if (x) { // ast-grep-ignore
      foo(11);
    }
    a; foo(12); // ast-grep-ignore
    // ast-grep-ignore: no-foo -- because
    foo(13);
}
"""
IGNORING = """
id: py-foo
language: py
rule: {pattern: foo($A)}
---
id: no-foo
language: js
rule: {pattern: foo($A)}
---
id: no-bar
language: js
rule: {pattern: bar($A)}
"""

needs_ast_grep = pytest.mark.skipif(
    not AST_GREP.exists(), reason="ast-grep is a development dependency"
)


@pytest.fixture
def small(project: Project) -> Project:
    project.put("rules/all.yml", RULES)
    return project.write(src__a_js=JS, b_py="print(1)\nprint2(2)\n")


def peer(project: Project, *args: str) -> Any:
    done = subprocess.run(
        [str(AST_GREP), "scan", *args], cwd=project.root, capture_output=True, check=False
    )
    assert done.stdout, done.stderr
    return json.loads(done.stdout)


def in_order(items: Any) -> list[Any]:
    return sorted(items, key=lambda one: (one["file"], one["range"]["byteOffset"]["start"]))


@needs_ast_grep
@pytest.mark.parametrize("path", [".", "src", "./src/a.js"])
def test_json_has_ast_grep_s_fields_and_values(small: Project, path: str) -> None:
    theirs = peer(small, "--inline-rules", RULES, "--json", path)
    done = small("scan", "--inline-rules", RULES, "--json", path)
    assert done.code == (1 if path == "." else 0)
    assert in_order(done.json) == in_order(theirs)


@pytest.mark.parametrize("form", ["pretty", "stream", "compact"])
def test_json_comes_in_ast_grep_s_three_forms(small: Project, form: str) -> None:
    done = small("scan", "-r", "rules/all.yml", f"--json={form}", "src")
    lines = done.text.splitlines()
    items = [json.loads(line) for line in lines] if form == "stream" else done.json
    assert [item["ruleId"] for item in items] == ["no-log", "no-foo", "no-foo"]


def test_text_is_that_of_a_linter_with_the_fix(small: Project) -> None:
    done = small("scan", "-r", "rules/all.yml")
    assert done.code == 1
    assert done.text.splitlines()[:6] == [
        "b.py:1:1: error[plain]: plain",
        "  | print(1)",
        "src/a.js:2:5: hint[no-log]: nolog",
        "  -     console.log(foo(1, 2), 'é');",
        "  +     logger(foo(1, 2), 'é');",
        "src/a.js:2:17: warning[no-foo]: no foo of 1 and é",
    ]
    assert "  note: why $A" in done.text
    assert "4 findings in 2 files (1 error, 2 warnings, 1 hint; 2 files searched)." in done.err


def test_exit_code_1_is_for_errors_only(small: Project) -> None:
    assert small("scan", "-r", "rules/all.yml", "src").code == 0
    assert small("scan", "-r", "rules/all.yml", "b.py").code == 1
    assert small("scan", "-r", "rules/all.yml", "--filter", "^no-").code == 0


def test_fix_stages_one_plan_which_resolves_like_any_other(small: Project) -> None:
    before = small.files()
    done = small("scan", "-r", "rules/all.yml", "--fix")
    assert done.code == 0
    assert "+    logger(baz(é), 'é');" in done.text
    assert "Staged as " in done.err
    assert "1 replacement: no-foo" in done.err
    assert small.files() == before
    shown = small("show", "--format", "json").json
    assert [edit["ruleId"] for file in shown["files"] for edit in file["edits"]] == [
        "no-log",
        "no-foo",
    ]
    assert small("resolve", "apply", "--reason", "rules").code == 0
    assert small.read("src/a.js").splitlines()[1] == "    logger(baz(é), 'é');"


def test_fix_takes_the_flags_of_edit(small: Project) -> None:
    assert small("scan", "-r", "rules/all.yml", "--fix", "--check").code == 1
    done = small("scan", "-r", "rules/all.yml", "--fix", "--no-stage", "--json")
    assert (done.json["totalReplacements"], done.json["actionId"]) == (3, None)
    assert small("scan", "-r", "rules/all.yml", "--fix", "--expect", "7").code == 3
    assert small("pending").text == ""


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (("--check",), "--check belongs to --fix."),
        (("--max-files", "1"), "--max-files belongs to --fix."),
        (("--json", "--format", "sarif"), "exclude one another"),
        (("--fix", "--format", "sarif"), "--fix prints a diff"),
        (("--filter", "("), "--filter"),
        (("--filter", "^nothing$"), "leaves no rule"),
    ],
)
def test_flags_without_effect_are_refused(
    small: Project, args: tuple[str, ...], message: str
) -> None:
    done = small("scan", "-r", "rules/all.yml", *args)
    assert done.code == 2
    assert message in done.err + done.text


@pytest.mark.parametrize(
    ("rule", "message"),
    [
        ("id: r\nlanguage: js\nrule: {kindd: x}", "Rule 'r', rule: unknown key 'kindd'"),
        ("id: r\nlanguage: js\nrule: {all: [{kind: nope}]}", "Rule 'r', rule.all[0].kind"),
        ("id: r\nlanguage: rust\nrule: {kind: nope}", "Rule 'r', rule.kind"),
        ("id: r\nlanguage: js\nrule: {pattern: f($A)}\nfix: $B", "Rule 'r', fix.template"),
        ("id: r\nid: r", "given twice (line 2)"),
    ],
)
def test_a_wrong_rule_is_exit_2_with_its_file_and_place(
    small: Project, rule: str, message: str
) -> None:
    small.put("bad.yml", rule)
    done = small("scan", "-r", "bad.yml", "--json")
    assert done.code == 2
    assert message in done.json["error"]["message"]
    assert done.json["error"]["path"] == "bad.yml"
    assert small("scan", "-r", "bad.yml").err.startswith("error: bad.yml: ")


def test_without_r_the_project_s_rules_run(small: Project) -> None:
    small.put("sgconfig.yml", "ruleDirs: [rules]\n")
    assert small("scan").text == small("scan", "-r", "rules/all.yml").text


def test_files_and_ignores_are_relative_to_the_project(project: Project) -> None:
    rule = "id: r\nlanguage: js\nrule: {pattern: f($A)}\n"
    project.write(a_js="f(1)", src__a_js="f(2)", src__test__B_js="f(3)", lib__a_js="f(4)")

    def texts(more: str) -> list[str]:
        done = project("scan", "--inline-rules", rule + more, "--json")
        return [item["text"] for item in done.json]

    assert texts("") == ["f(1)", "f(4)", "f(2)", "f(3)"]
    assert texts("files: [src/**]") == ["f(2)", "f(3)"]
    assert texts("files: [src/**]\nignores: ['**/test/**']") == ["f(2)"]
    assert texts("files: [a.js, ./lib/*.js]") == ["f(1)", "f(4)"]
    assert texts("files: [{glob: '**/b.js', caseInsensitive: true}]") == ["f(3)"]


@needs_ast_grep
@pytest.mark.parametrize(
    ("name", "source"),
    [
        ("a.js", SUPPRESSED),
        ("b.js", "// ast-grep-ignore\n\nfoo(1);\nfoo(2);\n"),
        ("c.js", "// ast-grep-ignore: no-bar\n\nfoo(1);\nbar(2);\n"),
        ("d.js", "// ast-grep-ignore\nfoo(1);\nfoo(2);\n"),
        ("e.js", "\n// ast-grep-ignore\n\nfoo(1);\nfoo(2);\n"),
        ("f.py", "if x:\n    foo(1)  # ast-grep-ignore\nfoo(2)\n# ast-grep-ignore\nfoo(3)\n"),
        ("g.py", "foo(1)  # ast-grep-ignore: other\nx = [\n  foo(2),  # ast-grep-ignore\n]\n"),
    ],
)
def test_g3_comments_silence_what_they_silence_for_ast_grep(
    project: Project, name: str, source: str
) -> None:
    project.put("sgconfig.yml", "ruleDirs: [rules]\n")
    project.put("rules/r.yml", IGNORING)
    project.put(name, source)
    ours = project("scan", "--json").json

    def places(items: Any) -> list[tuple[str, int, str]]:
        return sorted((i["ruleId"], i["range"]["byteOffset"]["start"], i["message"]) for i in items)

    assert places(ours) == places(peer(project, "--json"))


COMMENTED = {
    "a.js": "// ast-grep-ignore\nfoo(1)\nfoo(2) // ast-grep-ignore\n// ast-grep-ignore no-foo\n"
    "foo(3)\n"
    "// ast-grep-ignore: no-foo\nfoo(4) // ast-grep-ignore: no-foo\nfoo(5)\n"
    "// ast-grep-ignore: no-bar\nfoo(6)\nbaz(7) // ast-grep-ignore\n",
    "b.js": "// ast-grep-ignore\n\nfoo(1) // ast-grep-ignore\nbar(1)\n// ast-grep-ignore: x\n",
    "c.js": "// ast-grep-ignore: no-foo\n\nfoo(1)\nbar(1)\nfoo(2) // ast-grep-ignore\n"
    "// ast-grep-ignore: no-foo\nfoo(3)\n",
}


@needs_ast_grep
@pytest.mark.parametrize(
    "flags",
    [
        (),
        ("--error=unused-suppression",),
        ("--off=unused-suppression",),
        ("--warning=no-suppress-all",),
        ("--error",),
        ("--off=no-bar",),
        ("--filter", "foo"),
        ("--filter", "foo", "--info=unused-suppression"),
        ("-r", "rules/r.yml", "--warning=no-suppress-all"),
    ],
)
def test_g3_what_is_said_about_comments_has_a_severity_of_its_own(
    project: Project, flags: tuple[str, ...]
) -> None:
    project.put("sgconfig.yml", "ruleDirs: [rules]\n")
    project.put("rules/r.yml", IGNORING)
    for name, source in COMMENTED.items():
        project.put(name, source)

    def places(items: Any) -> list[tuple[str, str, str, int]]:
        return sorted(
            (i["file"], i["ruleId"], i["severity"], i["range"]["byteOffset"]["start"])
            for i in items
        )

    assert places(project("scan", "--json", *flags).json) == places(peer(project, "--json", *flags))


def test_g3_each_of_two_comments_counts(project: Project) -> None:
    """ast-grep overlooks the first."""
    project.put("sgconfig.yml", "ruleDirs: [rules]\n")
    project.put("rules/r.yml", IGNORING)
    project.put("a.js", "// ast-grep-ignore: no-foo\nfoo(bar(1)) // ast-grep-ignore: no-bar\n")
    assert project("scan", "--json").json == []


def test_g3_our_own_marker_means_the_same(project: Project) -> None:
    project.put("sgconfig.yml", "ruleDirs: [rules]\n")
    project.put("rules/r.yml", IGNORING)
    project.put("a.js", "foo(1); // astedit-ignore\nfoo(2);\n// astedit-ignore: no-bar\n")
    items = project("scan", "--json").json
    assert [(item["ruleId"], item["text"]) for item in items] == [
        ("no-foo", "foo(2)"),
        ("unused-suppression", "// astedit-ignore: no-bar"),
    ]
    assert items[1]["message"] == "Unused 'astedit-ignore' directive."


def test_g3_an_unused_suppression_is_taken_away_with_its_line(project: Project) -> None:
    project.put("sgconfig.yml", "ruleDirs: [rules]\n")
    project.put("rules/r.yml", IGNORING.strip() + "\nfix: baz($A)\n")
    project.put("a.js", "  // ast-grep-ignore\na(1);\nbar(2); // ast-grep-ignore: no-foo\n")
    done = project("scan", "--fix", "--apply", "--reason", "tidy")
    assert done.code == 0, done.err
    assert project.read("a.js") == "a(1);\nbaz(2);\n"


def test_g3_with_some_rules_only_no_suppression_is_called_unused(project: Project) -> None:
    project.put("sgconfig.yml", "ruleDirs: [rules]\n")
    project.put("rules/r.yml", IGNORING)
    project.put("a.js", "// ast-grep-ignore: no-bar\na(1);\n")
    assert len(project("scan", "--json").json) == 1
    assert project("scan", "--json", "--filter", "foo").json == []
    assert project("scan", "--json", "-r", "rules/r.yml").json == []


def test_g3_edit_and_search_do_not_look_at_suppressions(project: Project) -> None:
    project.put("a.js", "foo(1); // ast-grep-ignore\n")
    assert project("search", "-p", "foo($A)").code == 0
    assert "+bar(1);" in project("edit", "-p", "foo($A)", "-r", "bar($A)", "--no-stage").text


def test_what_steers_a_terminal_is_made_visible(project: Project) -> None:
    project.put("a.js", "foo('\x1b[31m')\n")
    done = project("scan", "--inline-rules", "id: r\nlanguage: js\nrule: {pattern: foo($A)}")
    assert b"\x1b" not in done.out


def test_language_globs_of_the_project_say_what_a_file_is(project: Project) -> None:
    project.put("sgconfig.yml", "ruleDirs: [rules]\nlanguageGlobs: {js: ['*.script', 'x.py']}\n")
    project.put("rules/r.yml", "id: r\nlanguage: js\nrule: {pattern: foo($A)}\nfix: bar($A)\n")
    project.write(a_script="foo(1);\n", x_py="foo(2);\n", y_py="foo(3);\n")
    assert [item["file"] for item in project("scan", "--json").json] == ["a.script", "x.py"]
    assert project("scan", "--fix", "--apply", "--reason", "r").code == 0
    assert (project.read("a.script"), project.read("y.py")) == ("bar(1);\n", "foo(3);\n")


def test_r2_a_rule_that_finds_nothing_says_how_far_its_relations_look(project: Project) -> None:
    project.write(a_js="f(1, 2)\n")
    rule = "id: r\nlanguage: js\nrule: {kind: number, precedes: {kind: number%s}}"
    done = project("scan", "--inline-rules", rule % "")
    assert "rule.precedes looks at the very next sibling only" in done.err
    assert "looks at" not in project("scan", "--inline-rules", rule % ", stopBy: end").err


def test_t4_a_group_that_runs_into_letters_is_pointed_out(project: Project) -> None:
    project.write(a_js="f(1)\n")
    rule = "id: r\nlanguage: js\nrule: {pattern: f($A)}\ntransform: {N: {replace: "
    rule += "{source: $A, replace: '(1)', by: %s}}}"
    assert "write ${1}a for group 1" in project("scan", "--inline-rules", rule % "$1a").err
    assert "group" not in project("scan", "--inline-rules", rule % "'${1}a'").err


@needs_ast_grep
@pytest.mark.parametrize(
    "flags",
    [
        ("--error",), ("--warning", "--error=no-log"), ("--off", "--info=plain"),
        ("--error=no-foo", "--error=no-log"), ("--off=no-foo", "--hint=no-foo"), ("--hint",),
    ],
)  # fmt: skip
def test_g2_severities_are_overridden_as_ast_grep_does(
    small: Project, flags: tuple[str, ...]
) -> None:
    theirs = peer(small, "--inline-rules", RULES, "--json", *flags)
    done = small("scan", "--inline-rules", RULES, "--json", *flags, ".")
    assert in_order(done.json) == in_order(theirs)
    assert done.code == any(one["severity"] == "error" for one in theirs)


def test_g2_a_severity_for_a_rule_there_is_not_is_pointed_out(small: Project) -> None:
    done = small("scan", "-r", "rules/all.yml", "--error=no-such", ".")
    assert "warning: --error=no-such: no rule has this id" in done.err


def test_g3_with_a_rule_turned_off_no_suppression_is_called_unused(project: Project) -> None:
    project.put("sgconfig.yml", "ruleDirs: [rules]")
    project.put("rules/all.yml", IGNORING)
    project.write(a_js="x; // ast-grep-ignore\n")
    assert "unused-suppression" in project("scan").text
    assert "unused-suppression" not in project("scan", "--off=no-foo").text


@needs_ast_grep
def test_g1_rules_without_an_id_are_named_as_ast_grep_names_them(project: Project) -> None:
    two = "language: js\nrule: {pattern: f($A)}\n---\nlanguage: js\nrule: {kind: number}\n"
    project.put("two.yml", two)
    project.write(a_js="f(1)\n")
    theirs = peer(project, "-r", "two.yml", "--json")
    assert in_order(project("scan", "-r", "two.yml", "--json").json) == in_order(theirs)


def test_a_project_may_be_named_with_the_long_suffix(project: Project) -> None:
    project.put("sgconfig.yaml", "ruleDirs: [rules]")
    project.put("rules/all.yml", IGNORING)
    project.write(src__a_js="foo(1)\n")
    assert [one["ruleId"] for one in project("scan", "--json").json] == ["no-foo"]


GLOBS = (
    *("*.js", "src/*.js", "**/test*", "src/**/*.js", "src", "src/", "{src,t}/*.js", "[st]*/a.js"),
    *("src/sub?a.js", "!src/a.js", "*", "**", "a.js", "**/sub/**", "s**c/a.js", "[!s]*/*.js"),
    *("{a,{src,t}/*}.js", "*.[jJ][sS]", "src\\/a.js", "a,b.js", "**/**/a.js"),
)


@needs_ast_grep
@pytest.mark.parametrize("key", ["files", "ignores"])
def test_g2_globs_choose_the_files_that_ast_grep_chooses(project: Project, key: str) -> None:
    project.write(a_js="f(1)", src__a_js="f(1)", src__sub__a_js="f(1)", t__test_b_js="f(1)")
    rules = "\n---\n".join(
        f"id: r{at}\nlanguage: js\nrule: {{pattern: f(1)}}\n{key}: ['{glob}']"
        for at, glob in enumerate(GLOBS)
    )

    def chosen(found: Any) -> list[tuple[str, str]]:
        return sorted((one["ruleId"], one["file"]) for one in found)

    theirs = chosen(peer(project, "--inline-rules", rules, "--json"))
    assert chosen(project("scan", "--inline-rules", rules, "--json", ".").json) == theirs


@pytest.mark.parametrize("glob", ["{a,b", "[a", "a}"])
def test_g2_a_malformed_glob_is_refused(project: Project, glob: str) -> None:
    rule = f"id: r\nlanguage: js\nrule: {{pattern: f(1)}}\nfiles: ['{glob}']"
    project.write(a_js="f(1)")
    done = project("scan", "--inline-rules", rule)
    assert (done.code, "is no glob" in done.err) == (2, True)


def test_g2_the_directory_of_a_project_is_taken_as_it_is_written(project: Project) -> None:
    project.put("[a]{b}/sgconfig.yml", "ruleDirs: [rules]")
    rule = "id: r\nlanguage: js\nrule: {pattern: f(1)}\nfiles: ['*.js']"
    project.put("[a]{b}/rules/r.yml", rule)
    project.put("[a]{b}/x/y.js", "f(1)")
    project.put("z.js", "f(1)")
    found = project("scan", "--root", ".", "-c", "[a]{b}/sgconfig.yml", "--json", ".").json
    assert [one["file"] for one in found] == ["[a]{b}/x/y.js"]


@pytest.mark.parametrize(
    ("path", "reason", "admitting"),
    [
        (".vscode/a.js", "protected", "--no-ignore=hidden --fix --no-stage --allow-protected"),
        ("node_modules/a.js", "vendored", "--fix --no-stage --no-ignore=vendored"),
        ("a.min.js", "generated", "--fix --no-stage --no-ignore=generated"),
    ],
)
def test_a_finding_whose_file_is_not_fixed_says_so(
    project: Project, path: str, reason: str, admitting: str
) -> None:
    source = "// @generated by a program\nf(1)\n" if reason == "generated" else "f(1)\n"
    project.put(path, source)
    rules = "id: r\nlanguage: js\nrule: {pattern: f($A)}\nfix: g($A)\n"
    rules += "---\nid: seen\nlanguage: js\nrule: {kind: number}"
    found = project("scan", "--inline-rules", rules, "--json", path).json
    assert {one["ruleId"]: one.get("blocked") for one in found} == {
        "r": {"reason": reason},
        "seen": None,
    }
    assert "+g(1)" in project("scan", "--inline-rules", rules, *admitting.split(), path).text
    assert "+g(1)" not in project("scan", "--inline-rules", rules, "--fix", "--no-stage", path).text


FLAWED = "id: x\nlanguage: js\nrule: {pattern: 'foo($A, b'}\nfix: bar\n"


def test_p5_findings_of_a_pattern_that_does_not_parse_are_shown_without_its_fix(
    small: Project,
) -> None:
    done = small("scan", "--inline-rules", FLAWED, "--json")
    assert done.code == 0
    assert "rule.pattern: 'foo($A, b' does not parse in JavaScript" in done.err
    assert "its fix is left out" in done.err
    assert all("replacement" not in one for one in json.loads(done.text))


def test_p5_a_fix_of_a_pattern_that_does_not_parse_is_refused_with_its_place(
    small: Project,
) -> None:
    done = small("scan", "--inline-rules", FLAWED, "--fix", "--check")
    assert done.code == 2
    place = "error: --inline-rules: Rule 'x', rule.pattern: The pattern 'foo($A, b'"
    assert done.err.startswith(place)
    assert "it holds ERROR (line 3)" in done.err
    insisted = small("scan", "--inline-rules", FLAWED, "--fix", "--check", "--allow-error-pattern")
    assert insisted.code in (0, 1)


def test_a_file_without_a_rule_is_named(small: Project) -> None:
    (small.root / "rules" / "none.yml").write_text("# nothing yet\n")
    done = small("scan", "-r", "rules/none.yml")
    assert (done.code, done.err.splitlines()[0]) == (
        2,
        "error: There is no rule in rules/none.yml.",
    )


def test_warnings_of_many_rules_are_cut_short(small: Project) -> None:
    rule = "---\nid: r{}\nlanguage: js\nrule: {{regex: foo{}}}\n"
    (small.root / "many.yml").write_text("".join(rule.format(at, at) for at in range(100)))
    done = small("scan", "-r", "many.yml")
    assert "hint: Rule 'r0' must look at every node" in done.err
    assert len(done.err.splitlines()) < 40
    assert "more" in done.err.splitlines()[-1]


def test_what_rules_warn_of_is_said_with_fix_too(small: Project) -> None:
    rule = "rule: {any: [{pattern: 'foo($A, $B)'}, {pattern: bar($A)}]}\nfix: baz($B)\n"
    done = small("scan", "--inline-rules", f"id: x\nlanguage: js\n{rule}", "--fix", "--check")
    assert "fix: $B is empty where its alternative is not taken" in done.err


@pytest.mark.parametrize("glob", ["[", "a[b", "", "!", "\\"])
def test_a_glob_that_can_match_no_file_is_refused(small: Project, glob: str) -> None:
    done = small("scan", "-r", "rules/all.yml", "--glob", glob)
    assert (done.code, "can match no file" in done.err) == (2, True)


@pytest.mark.parametrize(
    ("config", "said"),
    [
        ("ruleDir: [rules]", "Did you mean 'ruleDirs'?"),
        ("ruleDirs: [nope]", "names the directory nope, which cannot be read"),
        ("ruleDirs: [..]", "sgconfig.yml, ruleDirs: '..' is outside the root"),
        ("ruleDirs: [rules]\nlanguageGlobs: {js: ['[']}", "languageGlobs.js: the glob '['"),
        ("ruleDirs: [rules]\nlanguageGlobs: {jss: ['*.x']}", "Did you mean 'js'?"),
    ],
)
def test_what_is_wrong_with_a_project_says_where_and_what_to_do(
    small: Project, config: str, said: str
) -> None:
    (small.root / "sgconfig.yml").write_text(config)
    done = small("scan")
    assert done.code in (2, 3)
    assert said in done.err


def test_two_rules_of_one_id_are_told_with_both_places(small: Project) -> None:
    (small.root / "sgconfig.yml").write_text("ruleDirs: [rules]")
    (small.root / "rules" / "more.yml").write_text("# once more\nid: no-log\n" + FLAWED[6:])
    done = small("scan")
    assert "rules/more.yml: Rule 'no-log', id: the id is given twice (line 2)" in done.err
    assert "hint: rules/all.yml has a rule of this id too" in done.err


def test_a_review_of_what_changed_speaks_only_of_lines_that_a_pull_request_shows(
    project: Project,
) -> None:
    lines = [f"foo({at});\n" for at in range(1, 31)]
    project.put("a b.js", "".join(lines))
    project.put(".gitattributes", "*.js diff=evil\n")
    project.git("init", "-q", "-b", "main")
    project.git("add", ".")
    project.git("commit", "-qm", "one")
    project.git("checkout", "-qb", "topic")
    lines[14] = "foo(150);\n"
    project.put("a b.js", "".join(lines))
    project.put("new.js", "foo(1);\n")
    project.put("loose.js", "foo(2);\n")
    project.git("add", "a b.js", "new.js")
    project.git("commit", "-qm", "two")
    for key in ("command", "textconv"):  # of the repository, and never run
        project.git("config", f"diff.evil.{key}", f"touch {project.root.parent}/ran; cat")
    rule = "{id: x, language: js, rule: {pattern: foo($A)}}"
    review = ("scan", "--inline-rules", rule, "--format", "github-review")
    made = project(*review, "--changed=main").json
    spoken = [(one["path"], one["line"]) for one in made["comments"]]
    assert spoken == [*(("a b.js", line) for line in range(12, 19)), ("new.js", 1)]
    assert made["body"].startswith("astedit: 32 findings, 24 of them in lines")
    assert len(project(*review).json["comments"]) == 32
    assert not (project.root.parent / "ran").exists()


OPS = [
    ({"pattern": "foo($A, $B)"}, "foo($A, $B)"),
    ({"pattern": {"context": "console.log($A)", "strictness": "ast"}}, "console.log($A)"),
    ({"rule": {"kind": "number"}, "id": "numbers"}, "numbers"),
    ({"rule": {"kind": "number"}, "id": "x", "message": "No numbers."}, "No numbers."),
    ({"kind": "number"}, "the rule {'kind': 'number'}"),
]


@pytest.mark.parametrize(("rule", "label"), OPS)
def test_an_op_that_is_a_rule_is_known_by_what_it_says(
    small: Project, rule: dict[str, Any], label: str
) -> None:
    ops = [{"rule": rule, "out": "x", "lang": "js"}, {"pat": "g($A)", "out": "y"}]
    small.put("ops.json", json.dumps({"ops": ops}))
    done = small("edit", "--ops", "ops.json", "--no-stage", "--stat")
    assert f": {label}\n" in done.err


def test_text_shows_what_labels_say_and_where(small: Project) -> None:
    done = small("scan", "-r", "rules/all.yml", "--filter", "no-foo", "src")
    assert "\n  src/a.js:2:21: here\n" in done.text


@pytest.mark.parametrize("flag", ["--limit=1", "--max-results=1"])
def test_findings_stop_at_a_limit(small: Project, flag: str) -> None:
    done = small("scan", "-r", "rules/all.yml", flag, "--json=compact")
    assert len(done.json) == 1
    assert "There is more: --limit was reached." in done.err
    assert small("scan", "-r", "rules/all.yml", "--fix", flag).code == 2


def test_a_limit_holds_for_standard_input_too(small: Project) -> None:
    args = ("scan", "-r", "rules/all.yml", "--filter", "no-log", "--stdin", "--stdin-filename=a.js")
    with small.process(*args, "--max-results=2", "--json=compact", stdin=PIPE) as process:
        out, err = process.communicate(b"console.log(1);\n" * 3)
    assert [one["range"]["start"]["line"] for one in json.loads(out)] == [0, 1]
    assert b"There is more: --limit was reached." in err


@pytest.mark.parametrize("flag", ["-c=conf.yml", "-cconf.yml", "--config=conf.yml"])
def test_the_value_of_a_short_flag_may_follow_an_equals_sign(small: Project, flag: str) -> None:
    small.put("conf.yml", "ruleDirs: [rules]\n")
    assert small("scan", flag).text == small("scan", "-r", "rules/all.yml").text


def test_a_fix_that_changes_no_line_is_shown_once(project: Project) -> None:
    project.write(a_js="f(1)\n")
    done = project(
        "scan", "--inline-rules", "{id: r, language: js, rule: {pattern: f(1)}, fix: f(1)}"
    )
    assert done.text == "a.js:1:1: hint[r]: r\n  | f(1)\n"


@pytest.mark.parametrize(
    ("wrong", "why"),
    [
        ("rule: {kind: nope}", "there is no node kind 'nope'"),
        ("rule: {kindd: x}", "unknown key 'kindd'"),
        ("rule: {kind: number}\nseverity: loud", "unknown severity 'loud'"),
    ],
)
def test_a_wrong_rule_that_is_turned_off_stops_no_other(
    small: Project, wrong: str, why: str
) -> None:
    small.put("sgconfig.yml", "ruleDirs: [rules]\n")
    expected = small("scan").text
    small.put("rules/bad.yml", f"id: bad\nlanguage: js\n{wrong}\n")
    assert small("scan").code == small("scan", "--off=other").code == 2
    done = small("scan", "--off=bad")
    assert (done.code, done.text) == (1, expected)
    assert f"Rule 'bad', {wrong.rpartition(chr(10))[2].partition(':')[0]}" in done.err
    assert why in done.err
    assert "no rule has this id" not in done.err
    assert small("scan", "--off=bad", "-r", "rules/bad.yml", "-r", "rules/all.yml").code == 1


def test_an_error_in_a_short_transform_has_one_line_number(project: Project) -> None:
    rule = (
        "id: r\nlanguage: js\nrule: {pattern: f($A)}\ntransform:\n  N: substring($A, startChar=[)\n"
    )
    message = project("scan", "--inline-rules", rule, "--json").json["error"]["message"]
    assert message.endswith("(line 5)")
    assert message.count("(line") == 1


ZIG = "id: z\nlanguage: zig\nrule: {pattern: foo($A)}\n"


def without_zig(project: Project, *args: str) -> Outcome:
    """A run where the grammar of Zig is not installed."""
    project.put("../shim/tree_sitter_zig.py", "raise ImportError")
    shim = {**os.environ, "PYTHONPATH": str(project.root.parent / "shim")}
    with project.process(*args, env=shim) as process:
        out, err = process.communicate()
    return Outcome(process.returncode, out, err.decode())


def test_a_rule_in_a_language_without_a_grammar_is_named(project: Project) -> None:
    project.put("sgconfig.yml", "ruleDirs: [rules]\ntestConfigs: [{testDir: tests}]\n")
    project.put("rules/z.yml", ZIG)
    project.put("rules/j.yml", "id: j\nlanguage: js\nseverity: off\nrule: {kind: number}\n")
    project.put("tests/z.yml", "id: z\ninvalid: [foo(1)]\n")
    done = without_zig(project, "scan")
    assert done.code == 2
    assert "rules/z.yml: Rule 'z', language: zig: tree-sitter-zig is not" in done.err
    assert "(line 2)\nhint: Install it: pip install" in done.err
    tested = without_zig(project, "test")
    assert (tested.code, "[Error] z, tests/z.yml" in tested.text) == (1, True)
    assert "pip install --upgrade tree-sitter-zig" in tested.text


def test_a_language_without_a_grammar_stops_no_rule_that_has_another(project: Project) -> None:
    both = ZIG.replace("zig", "[zig, js]") + "fix: bar($A)\n"
    off = "---\nid: j\nlanguage: js\nseverity: off\nrule: {kind: number}\n"
    project.put("r.yml", both + off)
    project.write(a_js="foo(1)\n", a_zig="const x = foo(1);\n")
    done = without_zig(project, "scan", "-r", "r.yml", "--json")
    assert [one["file"] for one in done.json] == ["a.js"]
    assert "Left out zig: tree-sitter-zig is not installed" in done.err
