"""Which rules `astedit scan` runs on which files, and what it says of wrong rules."""

import os
from pathlib import Path
from typing import Any

import pytest

from tests.support.lists import rows
from tests.support.project import Outcome, Project
from tests.support.scans import FLAWED, IGNORING, RULES, in_order, needs_ast_grep, peer

ROWS = rows(Path(__file__).with_suffix(".txt"))


@pytest.mark.parametrize(("rule", "message"), ROWS["wrong rules"])
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


def test_language_globs_of_the_project_say_what_a_file_is(project: Project) -> None:
    project.put("sgconfig.yml", "ruleDirs: [rules]\nlanguageGlobs: {js: ['*.script', 'x.py']}\n")
    project.put("rules/r.yml", "id: r\nlanguage: js\nrule: {pattern: foo($A)}\nfix: bar($A)\n")
    project.write(a_script="foo(1);\n", x_py="foo(2);\n", y_py="foo(3);\n")
    assert [item["file"] for item in project("scan", "--json").json] == ["a.script", "x.py"]
    assert project("scan", "--fix", "--apply", "--reason", "r").code == 0
    assert (project.read("a.script"), project.read("y.py")) == ("bar(1);\n", "foo(3);\n")


def test_language_globs_count_without_rules_too(project: Project) -> None:
    project.put("sgconfig.yml", "languageGlobs: {js: ['*.script'], html: ['*.page']}\n")
    project.write(a_script="foo(1);\n", b_page="<script>\nfoo(2);\n</script>\n")
    paths = [item["file"] for item in project("search", "-p", "foo($A)", "-l", "js", "--json").json]
    assert paths == ["a.script", "b.page"]
    assert project("edit", "-p", "foo($A)", "-r", "b($A)", "--apply", "--reason", "r").code == 0
    assert project.read("a.script") == "b(1);\n"
    project.put("sgconfig.yml", "languageGlobs: {nosuch: ['*.script']}\n")
    assert "languageGlobs.nosuch: unknown language" in project("search", "-p", "foo($A)").err


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
@pytest.mark.parametrize(("flags",), ROWS["severities are overridden as ast grep does"])
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
    assert (done.code, "is not a glob" in done.err) == (2, True)


def test_g2_the_directory_of_a_project_is_taken_as_it_is_written(project: Project) -> None:
    project.put("[a]{b}/sgconfig.yml", "ruleDirs: [rules]")
    project.put("[a]{b}/rules/r.yml", "id: r\nlanguage: js\nrule: {pattern: f(1)}\nfiles: ['*.js']")
    project.put("[a]{b}/x/y.js", "f(1)")
    project.put("z.js", "f(1)")
    found = project("scan", "--root", ".", "-c", "[a]{b}/sgconfig.yml", "--json", ".").json
    assert [one["file"] for one in found] == ["[a]{b}/x/y.js"]


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


@pytest.mark.parametrize(("config", "said"), ROWS["wrong projects"])
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


@pytest.mark.parametrize(("wrong", "why"), ROWS["a wrong rule that is turned off stops no other"])
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
    project.put("r.yml", both + "---\nid: j\nlanguage: js\nseverity: off\nrule: {kind: number}\n")
    project.write(a_js="foo(1)\n", a_zig="const x = foo(1);\n")
    done = without_zig(project, "scan", "-r", "r.yml", "--json")
    assert [one["file"] for one in done.json] == ["a.js"]
    assert "Left out zig: tree-sitter-zig is not installed" in done.err
