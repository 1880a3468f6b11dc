"""Comments that silence findings of `astedit scan`; beside ast-grep."""

from pathlib import Path
from typing import Any

import pytest

from tests.support.cases import tree
from tests.support.lists import rows
from tests.support.project import Project
from tests.support.scans import IGNORING, needs_ast_grep, peer

ROWS = rows(Path(__file__).with_suffix(".txt"))

SUPPRESSED = tree("cli-suppressions")["a.js"]


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
@pytest.mark.parametrize(("flags",), ROWS["what is said about comments has a severity of its own"])
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


def test_g3_with_a_rule_turned_off_no_suppression_is_called_unused(project: Project) -> None:
    project.put("sgconfig.yml", "ruleDirs: [rules]")
    project.put("rules/all.yml", IGNORING)
    project.write(a_js="x; // ast-grep-ignore\n")
    assert "unused-suppression" in project("scan").text
    assert "unused-suppression" not in project("scan", "--off=no-foo").text
