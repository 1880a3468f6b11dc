"""`astedit test` and `astedit new`, next to ast-grep on the same project."""

import re
import subprocess
import sysconfig
from pathlib import Path

import pytest

from tests.support.cases import tree
from tests.support.lists import rows
from tests.support.project import Project

ROWS = rows(Path(__file__).with_suffix(".txt"))

AST_GREP = Path(sysconfig.get_path("scripts")) / "ast-grep"
CONFIG = "ruleDirs: [rules]\nutilDirs: [utils]\ntestConfigs: [{testDir: tests}]\n"
TEXTS = tree("cli-test")
RULES = TEXTS["rules.yml"]
TESTS = TEXTS["tests.yml"]


@pytest.fixture
def rules(project: Project) -> Project:
    project.put("sgconfig.yml", CONFIG)
    project.put("rules/all.yml", RULES)
    project.put("utils/word.yml", "id: word\nlanguage: js\nrule: {kind: identifier}")
    project.put("tests/all-test.yml", TESTS)
    return project


def ast_grep(project: Project, *args: str) -> list[str]:
    """The lines of ast-grep's `test` that say what became of each rule."""
    return results(
        subprocess.run(
            [AST_GREP, "test", *args], cwd=project.root, capture_output=True
        ).stdout.decode()
    )


def results(shown: str) -> list[str]:
    return sorted(re.findall(r"^(?:PASS|FAIL) .*", shown, re.MULTILINE))


@pytest.mark.parametrize(
    "options",
    [(), ("--skip-snapshot-tests",), ("--include-off",), ("--filter", "^(no|sl)"), ("-U",)],
)
def test_x1_statuses_are_those_of_ast_grep(rules: Project, options: tuple[str, ...]) -> None:
    outcome = rules("test", *options)
    for path in {path for path in rules.files() if "snapshot" in path}:
        (rules.root / path).unlink()
    assert results(outcome.text) == ast_grep(rules, *options)
    assert outcome.code == 1
    assert "and no rule has this id" in outcome.err or options[:1] == ("--filter",)


def test_each_reads_the_snapshots_of_the_other(rules: Project) -> None:
    ast_grep(rules, "-U")
    theirs = rules.files()
    assert results(rules("test").text) == ast_grep(rules)
    assert rules("test", "--update").text.count("Updated") == 0
    assert rules.files() == theirs
    for path in theirs:
        if "snapshot" in path:
            (rules.root / path).unlink()
    assert rules("test", "--update").code == 1  # x(q) is noisy and x() is missing
    assert set(rules.files()) == set(theirs)
    text = rules.read("tests/__snapshots__/no-x-snapshot.yml")
    assert "fixed: y(é)\n" in text  # as `scan --fix` has it; ast-grep's test keeps the `;`
    rules.put("tests/__snapshots__/no-x-snapshot.yml", text.replace("y(é)", "y(é);"))
    assert results(rules("test").text) == ast_grep(rules)


def test_an_update_keeps_what_it_was_not_asked_for(rules: Project) -> None:
    rules.put("tests/__snapshots__/swap-snapshot.yml", "id: swap\nsnapshots: {old: {labels: []}}\n")
    before = rules.files()
    assert rules("test", "-U", "-f", "swap").code == 0
    after = rules.files()
    changed = {path for path in after if after[path] != before.get(path)}
    assert changed == {"tests/__snapshots__/swap-snapshot.yml"}
    assert "  old:\n" in rules.read("tests/__snapshots__/swap-snapshot.yml")
    assert rules("test", "-f", "swap").code == 0


def test_a_changed_fix_is_wrong_and_says_how(rules: Project) -> None:
    rules("test", "-U")
    rules.put("rules/all.yml", RULES.replace("d($B, $A)", "dd($B, $A)"))
    outcome = rules("test", "-f", "swap")
    assert outcome.code == 1
    assert "  -fixed: d(2, 1)\n  +fixed: dd(2, 1)" in outcome.text


def test_json_says_the_same(rules: Project) -> None:
    document = rules("test", "--json", "--filter", "plain").json
    assert (document["schema"], document["passed"]) == ("astedit/test/1", False)
    (test,) = document["tests"]
    statuses = [(case["status"], case["code"]) for case in test["cases"]]
    assert statuses == [("validated", "debug"), ("wrong", "debugger")]


FIXES = TEXTS["fixes.yml"]


def test_x2_what_a_fix_makes_is_compared(rules: Project) -> None:
    rules.put("tests/all-test.yml", FIXES)
    for folder, code in (("in", "x(a);\n"), ("out", "y(a)\n")):
        rules.put(f"tests/{folder}/deep/a.js", code)
        rules.put(f"tests/{folder}/b.txt", "x(a);\n")
    outcome = rules("test")
    assert (outcome.code, results(outcome.text)) == (0, ["PASS no-x  ...", "PASS swap  ."])


@pytest.mark.parametrize(("old", "new", "why"), ROWS["what is wrong with a fix is shown"])
def test_what_is_wrong_with_a_fix_is_shown(rules: Project, old: str, new: str, why: str) -> None:
    assert old in FIXES
    rules.put("tests/all-test.yml", FIXES.replace(old, new))
    rules.put("tests/in/deep/a.js", "x(a);\n")
    rules.put("tests/in/b.txt", "x(a);\n")
    rules.put("tests/out/b.txt", "x(a);\n")
    if "directories" not in old and new != "before: out":
        rules.put("tests/out/deep/a.js", "y(a)\n")
    else:
        rules.put("tests/out/deep/a.js", "x(c);\n")
        why = "deep/a.js becomes:\n  y(c)"
    outcome = rules("test")
    assert outcome.code == 1
    assert why in outcome.text


def test_near_misses_can_be_pasted(rules: Project) -> None:
    rules.put("tests/all-test.yml", "id: swap\ninvalid: ['d(1, 2); d(3)']\nvalid: []\n")
    outcome = rules("test", "--near-misses")
    assert (outcome.code, outcome.text) == (0, "# swap\nvalid:\n- dx(1, 2); d(3)\n")


@pytest.mark.parametrize(("files", "args", "code", "message"), ROWS["what cannot be tested"])
def test_what_cannot_be_tested_is_refused(
    rules: Project, files: dict[str, str | None], args: tuple[str, ...], code: int, message: str
) -> None:
    for path, text in files.items():
        if text is None:
            (rules.root / path).unlink()
        else:
            rules.put(path, text)
    outcome = rules("test", *args)
    assert outcome.code == code
    assert message in outcome.err
    assert not any("snapshot" in path for path in rules.files())


def test_a_new_project_has_a_rule_and_a_test_that_waits(project: Project) -> None:
    (project.root / "astedit.toml").unlink()
    assert project("new", "project").text == (
        "rules/.gitkeep\nrule-tests/.gitkeep\nutils/.gitkeep\nsgconfig.yml\n"
    )
    made = project("new", "rule", "no-log", "-l", "js", "-p", "console.log($$$A)", "-r", "")
    assert (made.code, made.text) == (0, "rules/no-log.yml\nrule-tests/no-log-test.yml\n")
    assert project("new", "util", "word", "-l", "python").text == "utils/word.yml\n"
    assert results(project("test").text) == ["FAIL no-log  .M"]
    project.put("rule-tests/no-log-test.yml", "id: no-log\nvalid: [x]\ninvalid: [console.log(1)]")
    assert project("test", "--update").code == 0
    assert ast_grep(project) == ["PASS no-log  .."]


def test_new_writes_nothing_over(rules: Project) -> None:
    rules.put("tests/a-test.yml", "mine")
    before = rules.files()
    for args in (
        ("rule", "a", "-l", "js"),
        ("test", "a"),
        ("rule", "all", "-l", "js"),
        ("project",),
    ):
        outcome = rules("new", *args)
        assert outcome.code == 3
        assert "exists already; nothing was written" in outcome.err
    assert rules.files() == before


@pytest.mark.parametrize(("args", "code", "message"), ROWS["new refuses what is no name"])
def test_new_refuses_what_is_no_name(
    rules: Project, args: tuple[str, ...], code: int, message: str
) -> None:
    before = rules.files()
    outcome = rules("new", *args)
    assert outcome.code == code
    assert message in outcome.err
    assert rules.files() == before


def test_new_follows_no_link_out(rules: Project, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    rules.put("sgconfig.yml", "ruleDirs: [rules/link]\n")
    (rules.root / "rules/link").symlink_to(outside)
    assert rules("new", "rule", "a", "-l", "js").code == 3
    assert list(outside.iterdir()) == []


def test_a_project_may_be_named(project: Project) -> None:
    project.put(
        "rules/sub/my.yml",
        "ruleDirs: [../js]\ntestConfigs: [{testDir: ../tests}]\nlanguageGlobs: {js: ['*.jsz']}\n",
    )
    project.put("rules/js/a.yml", "id: a\nlanguage: js\nrule: {pattern: f($A)}\n")
    project.put("rules/tests/a.yml", "id: a\nvalid: [g(1)]\n")
    project.put("a.js", "f(1)\n")
    config = ("--config", "rules/sub/my.yml")
    assert "a.js:1:1: hint[a]" in project("scan", *config).text
    for path in ("rules/sub/deep/b.jsz", "rules/sub/c.jsz", "d.jsz"):
        project.put(path, "f(1)\n")
    found = project("scan", *config, "--format", "github").text
    assert [line.split("=")[1].split(",")[0] for line in found.splitlines()] == [
        "a.js", "rules/sub/c.jsz", "rules/sub/deep/b.jsz",
    ]  # fmt: skip
    assert results(project("test", *config).text) == ["PASS a  ."]
    assert project("new", "rule", "b", "-l", "js", *config).code == 0
    assert project("scan", *config, "-r", "rules/js/a.yml").code == 2
    assert project("scan", "--config", "../x.yml").code == 3


def test_g4_a_rule_is_tested_in_every_one_of_its_languages(project: Project) -> None:
    project.put("sgconfig.yml", "ruleDirs: [rules]\ntestConfigs: [{testDir: tests}]")
    head = "id: both\nlanguage: [js, py]\n"
    project.put("rules/a.yml", f"{head}rule: {{pattern: f($A)}}\nfix: g($A)")
    project.put("tests/a.yml", "id: both\nvalid: [g(1)]\ninvalid: [f(1), 'f(1);', 'x = f(not a)']")
    assert project("test", "--update").code == 0
    assert project("test").code == 0
    narrow = "rule: {pattern: f($A), kind: call_expression}"
    project.put("rules/a.yml", "id: both\nlanguage: [js, ts]\n" + narrow)
    project.put("tests/a.yml", "id: both\ninvalid: ['let x: number = f(1)']")
    assert project("test", "--skip-snapshot-tests").code == 0  # no JavaScript: TypeScript only
    project.put("tests/a.yml", "id: both\nvalid: [h(1)]\ninvalid: [h(2)]")
    done = project("test", "--skip-snapshot-tests")
    assert (done.code, "As javascript:" in done.text) == (1, True)


def test_a_suppression_comment_silences_in_a_test_too(rules: Project) -> None:
    rules.put("tests/a.yml", 'id: no-x\nvalid: ["// ast-grep-ignore\\nx(1)"]')
    assert "PASS no-x  ." in rules("test", "--filter", "no-x", "--test-dir", "tests").text


LAID_OUT = TEXTS["laid-out.yml"]
LAID_OUT_TESTS = TEXTS["laid-out-tests.yml"]


def test_a_snapshot_in_any_layout_of_the_fix_is_accepted(project: Project) -> None:
    project.put("sgconfig.yml", CONFIG.replace("utilDirs: [utils]\n", ""))
    project.put("rules/all.yml", LAID_OUT)
    project.put("tests/all-test.yml", LAID_OUT_TESTS)
    ast_grep(project, "-U")
    assert results(project("test").text) == ["PASS a  .", "PASS b  .", "PASS c  ."]
    kept, other = "tests/__snapshots__/b-snapshot.yml", "tests/__snapshots__/c-snapshot.yml"
    theirs = project.read(kept)
    assert "        c,);\n" in theirs
    project.put(
        kept,
        theirs.replace("renamed(b,\n            c,);", "renamed(b,\n              c,\n        );"),
    )
    assert results(project("test").text)[1] == "PASS b  ."
    project.put(kept, theirs.replace("c,);", "d,);"))
    project.put(other, project.read(other).replace("          h()", "            h()"))
    assert results(project("test").text) == ["FAIL b  W", "FAIL c  W", "PASS a  ."]
