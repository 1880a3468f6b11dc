"""`resolve apply --only`, `--exclude` and `--refresh`: a part of a plan, or a new look."""

from pathlib import Path

import pytest

from tests.support.lists import rows
from tests.support.project import Outcome, Project

ROWS = rows(Path(__file__).with_suffix(".txt"))

EDIT = ("edit", "-p", "f($A)", "-r", "gg($A)")


@pytest.fixture
def staged(project: Project) -> Project:
    project.write(a_py="f(1)\nf(2)\nx = 3\n", sub__b_py="f(4)\n")
    assert project(*EDIT).code == 0
    return project


def apply(project: Project, *args: str) -> Outcome:
    return project("resolve", "apply", "--reason", "some of it", *args)


def ids(project: Project) -> list[str]:
    plan = project("show", "--format", "plan").json
    return [edit["id"] for file in plan["files"] for edit in file["edits"]]


def test_only_one_edit_lands_and_the_rest_is_listed(staged: Project) -> None:
    first, second, third = ids(staged)
    result = apply(staged, "--only", second, "--json").json
    assert staged.files()["a.py"] == b"f(1)\ngg(2)\nx = 3\n"
    assert staged.files()["sub/b.py"] == b"f(4)\n"
    said = "Not applied: 2 other edits (2 dropped; --keep-rest stages them again)."
    assert result["text"].endswith(f": 1 replacement in 1 file.\n{said}")
    rest = [{"id": first, "path": "a.py"}, {"id": third, "path": "sub/b.py"}]
    assert result["details"]["sourceResultDetails"]["notApplied"] == rest
    assert staged("pending", "--json").json == []


def test_exclude_takes_globs_and_ids(staged: Project) -> None:
    first, _, _ = ids(staged)
    assert apply(staged, "--exclude", "sub/**", "--exclude", first).code == 0
    assert staged.files()["a.py"] == b"f(1)\ngg(2)\nx = 3\n"
    assert staged.files()["sub/b.py"] == b"f(4)\n"


def test_only_and_exclude_together(staged: Project) -> None:
    first, _, _ = ids(staged)
    assert apply(staged, "--only", "a.py", "--exclude", first).code == 0
    assert staged.files()["a.py"] == b"f(1)\ngg(2)\nx = 3\n"


def test_the_log_has_the_hash_of_what_was_written(staged: Project) -> None:
    from hashlib import sha256

    apply(staged, "--only", ids(staged)[0])
    (file,) = staged("log", "--json").json[0]["files"]
    assert file["after"] == sha256(staged.files()["a.py"]).hexdigest()


@pytest.mark.parametrize(("flags",), ROWS["a choice that means nothing writes nothing"])
def test_a_choice_that_means_nothing_writes_nothing(
    staged: Project, flags: tuple[str, ...]
) -> None:
    before = staged.files()
    assert apply(staged, *flags).code == 2
    assert staged.files() == before
    assert len(staged("pending", "--json").json) == 1


def test_a_stale_plan_is_refused_before_anything_is_chosen(staged: Project) -> None:
    staged.put("sub/b.py", "f(5)\n")
    done = apply(staged, "--only", "a.py", "--json")
    assert (done.code, done.json["error"]["code"]) == (3, "stale")


def test_discard_is_never_partial(staged: Project) -> None:
    assert staged("resolve", "discard", "--reason", "x", "--only", "a.py").code == 2


def test_refresh_stages_anew_in_the_same_place_and_writes_nothing(staged: Project) -> None:
    (old,) = staged("pending", "--json").json
    staged("edit", "-p", "x = $V", "-r", "y = $V")
    staged.put("sub/b.py", "f(5)\nf(6)\n")
    before = staged.files()
    done = apply(staged, old["id"], "--refresh", "--json")
    newest, new = staged("pending", "--json").json
    message = f"The plan has changed: staged as {new['id']}. Look at it and resolve again."
    assert (done.code, done.json["error"]["message"]) == (3, message)
    assert staged.files() == before
    assert newest["label"] == "ast_edit: 1 replacement in 1 file"
    assert new["label"] == "ast_edit: 4 replacements in 2 files"
    assert staged("show", old["id"], "--json").json["state"] == "superseded"
    staged("resolve", "discard", "--reason", "x", newest["id"])
    assert apply(staged, new["id"]).code == 0


def test_refresh_of_what_matches_nothing_any_more(staged: Project) -> None:
    staged.write(a_py="", sub__b_py="")
    done = apply(staged, "--refresh", "--json")
    assert (done.code, done.json["error"]["code"]) == (3, "nothing_matches")
    assert len(staged("pending", "--json").json) == 1


RULE = """
id: t
language: python
rule: {pattern: print($A)}
fix: logging.info($A)
imports: {add: [%s], remove: [import sys]}
"""


@pytest.fixture
def importing(project: Project) -> Project:
    """A rule's two edits, one that adds an import, and one that removes another."""
    project.write(a_py="import os\nimport sys\nos, print(1), print(2)\ndef f():\n    print(3)\n")
    return project


def fixed(project: Project, added: str, rule: str = RULE) -> list[str]:
    """Stages the rule's fixes; the ids of those that replace `print`."""
    staged = project("scan", "--inline-rules", rule % added, "--fix")
    assert staged.code == 0, staged.err
    plan = project("show", "--format", "plan").json
    return [e["id"] for f in plan["files"] for e in f["edits"] if "print" in e["before"]]


def test_imports_come_with_any_of_their_matches_and_go_with_all(importing: Project) -> None:
    first, *_ = fixed(importing, "import logging")
    assert apply(importing, "--only", first).code == 0
    assert importing.read("a.py").splitlines()[:4] == [
        "import logging",
        "import os",
        "import sys",
        "os, logging.info(1), print(2)",
    ]


def test_imports_do_not_come_alone(importing: Project) -> None:
    ids = fixed(importing, "import logging")
    before = importing.files()
    refused = apply(importing, *(f"--exclude={one}" for one in ids), "--json")
    assert refused.json["error"]["code"] == "empty_choice" and importing.files() == before
    assert apply(importing).code == 0
    assert "sys" not in importing.read("a.py")


def test_a_confined_fix_says_which_imports_it_leaves(importing: Project) -> None:
    rule = RULE % "import logging"
    plan = importing("scan", "--inline-rules", rule, "--fix", "--within", "a.py::f", "--json").json
    assert plan["totalReplacements"] == 1
    assert plan["hints"] == [
        "not added, as the edit is confined: import logging",
        "not removed, as the edit is confined: import sys",
    ]


def test_one_edit_that_adds_and_removes_imports_is_not_split(project: Project) -> None:
    project.write(a_py="from x import sys\nx = 1\nprint(1)\nprint(2)\n")
    rule = RULE.replace("import sys", "from x import sys")
    first, _ = fixed(project, "from x import logging", rule=rule)
    refused = apply(project, "--only", first, "--json")
    assert refused.code == 2 and refused.json["error"]["code"] == "split"
    assert apply(project, "--only", "a.py").code == 0
    assert project.read("a.py").startswith("from x import logging\nx = 1\nlogging.info(1)\n")


def test_after_a_part_everything_says_what_was_applied(project: Project) -> None:
    project.write(a_py="f(1)\nf(2)\n", b_py="f(3)\n")
    project("edit", "-p", "f($A)", "-r", "g($A)")
    staged = project("pending", "--json").json[0]
    assert project("resolve", "apply", "--only", "a.py:2", "--reason", "r").code == 0
    label = "ast_edit: 1 of 3 replacements in 1 file"
    assert project("log", "--json").json[0]["label"] == label
    shown = project("show", staged["id"])
    assert shown.text.splitlines()[-3:] == [" f(1)", "-f(2)", "+g(2)"]
    assert (
        "f($A) → g($A), 1 of 3 replacements in 1 file (applied)" in shown.err
        and "changed" not in shown.err
    )
    document = project("show", staged["id"], "--json").json
    assert (document["label"], document["totalReplacements"]) == (label, 1)
    assert document["details"]["replacements"] == 1
    assert project("show", staged["id"], "--format", "plan").json["totalReplacements"] == 3
    assert project("show", staged["id"], "--only", "b.py").code == 2
    project("undo")
    assert "undo: f($A) → g($A), 1 file" in project("pending").text
