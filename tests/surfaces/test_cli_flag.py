"""`astedit flag` and `scan --pack`: from a name to what is left of it, and what is refused."""

import inspect
import json
from pathlib import Path
from typing import Any

import pytest

from tests.support.cases import tree
from tests.support.lists import rows
from tests.support.project import Project

ROWS = rows(Path(__file__).with_suffix(".txt"))
TEXTS = tree("cli-flag")
HIDDEN = ROWS["hidden"]
JAVA = TEXTS["A.java"]


@pytest.fixture
def flagged(project: Project) -> Project:
    (project.root / "A.java").write_text(JAVA)
    (project.root / "conf.yml").write_text("flags:\n- new-checkout\n- new-checkout-2\n")
    code = 'import c\nimport os\n\nif c.is_enabled("new-checkout"):\n    go()\n'
    (project.root / "a.py").write_text(code)
    return project


def test_a_flag_goes_and_what_is_left_is_listed(flagged: Project) -> None:
    done = flagged("flag", "new-checkout", "--value", "true")
    assert done.code == 0
    assert "+        start();" in done.text and "+        if (x) { b(); }" in done.text
    assert "styles that match: launchdarkly, unleash" in done.err
    assert "left: conf.yml:2: - new-checkout" in done.err and "conf.yml:3" not in done.err
    assert (flagged.root / "A.java").read_text() == JAVA
    assert flagged("pending", "--json").json[0]["title"] == "flag new-checkout → true"
    assert flagged("resolve", "apply", "--reason", "rolled out").code == 0
    text = (flagged.root / "A.java").read_text()
    assert "new-checkout" not in text and "NEW_FLOW && x" in text
    assert (flagged.root / "a.py").read_text() == "import os\n\ngo()\n"


def test_causes_are_shown_and_a_rejected_cause_takes_its_consequences_along(
    flagged: Project,
) -> None:
    done = flagged("flag", "NEW_FLOW", "--value", "true", "--style", "constant", "--json")
    edits = {edit["ruleId"]: edit for file in done.json["files"] for edit in file["edits"]}
    seed, use = edits["flags/constant/java-declaration"], edits["flags/constant/java-use"]
    assert use["because"] == [seed["id"]] and seed["because"] == []
    assert [step["after"] for step in use["chain"]] == ["true", "x"]
    tree = flagged("show", "--format", "causes").text.splitlines()
    assert tree[0].startswith(seed["id"]) and tree[1].startswith(f"  {use['id']}")
    refused = flagged("resolve", "apply", "--reason", "x", "--exclude", seed["id"])
    assert refused.code == 2 and "No edit is left" in refused.err
    assert (flagged.root / "A.java").read_text() == JAVA


def test_a_name_that_hides_the_constant_stays_with_its_uses(project: Project) -> None:
    places = [f"row{at}/{name}" for at, (name, *_) in enumerate(HIDDEN)]
    for place, (_, before, _) in zip(places, HIDDEN, strict=True):
        project.put(place, before)
    project("flag", "NEW", "--value", "true", "--style", "constant", "-y")
    assert [(place, project.read(place)) for place in places] == [
        (place, after) for place, (*_, after) in zip(places, HIDDEN, strict=True)
    ]


@pytest.mark.parametrize(("args", "says"), ROWS["what is wrong is refused"])
def test_what_is_wrong_is_refused(flagged: Project, args: tuple[str, ...], says: str) -> None:
    done = flagged("flag", *args)
    assert done.code == 2 and says in done.err


def test_a_generator_keeps_its_last_yield(project: Project) -> None:
    read = '    if not c.is_enabled("new"):\n        yield 1\n'
    project.put("a.py", f"def g():\n{read}\n\ndef h():\n    yield 0\n{read}")
    assert project("flag", "new", "--value", "true", "--style", "unleash", "-y").code == 0
    kept = "def g():\n    if False:\n        yield 1\n\n\ndef h():\n    yield 0\n"
    assert project.read("a.py") == kept


def test_what_was_a_generator_is_one(project: Project) -> None:
    bodies = (
        "while OFF:\n        yield 1",
        "while OFF:\n        yield 1\n    else:\n        a = 1",
        "if a:\n        a = 1\n    elif OFF:\n        yield 1",
        "if OFF:\n        yield 1\n    elif a:\n        return 2",
        "if not OFF:\n        return 1\n    elif a:\n        yield 2",
        "if a:\n        a = 1\n    elif not OFF:\n        return 1\n    elif a:\n        yield 2",
        "while OFF:\n        yield 1\n    if a:\n        a = 1\n    elif OFF:\n        yield 2",
        "OFF and (yield a)",
        "a = 5 if not OFF else (yield a)",
        "a = (yield a) if OFF else 5",
        "match OFF:\n        case False:\n            a = 1\n        case _:\n            yield 2",
    )
    codes = (f"def f{at}(a):\n    {body}\n    return 2\n" for at, body in enumerate(bodies))
    project.put("a.py", "\n\n".join(codes).replace("OFF", "c.is_enabled('x')"))
    assert project("flag", "x", "--value", "false", "--style", "unleash", "-y").code == 0
    exec(after := project.read("a.py"), space := dict[str, Any]())
    wrong = [at for at in range(len(bodies)) if not inspect.isgeneratorfunction(space[f"f{at}"])]
    assert wrong == [] and "is_enabled" not in after


def test_all_that_is_left_is_shown_and_that_no_style_matches(flagged: Project) -> None:
    flagged.put("notes.txt", "new-checkout\n" * 9)
    done = flagged("flag", "new-checkout", "--value", "true", "--no-stage")
    assert done.err.count("left: ") == 10
    done = flagged("flag", "absent", "--value", "true")
    assert [line for line in done.err.splitlines() if "hint" in line] == [
        "hint: no style matches: --list prints them, --style takes a file of rules"
    ]


def test_the_styles_are_examples_to_copy(flagged: Project, tmp_path: Path) -> None:
    listed = flagged("flag", "--list").text
    names = ("constant", "django-waffle", "launchdarkly", "openfeature", "unleash")
    assert all(f"# --style {name}\n" in listed for name in names)
    own = listed.partition("# --style launchdarkly\n")[2].partition("# --style")[0]
    (tmp_path / "own.yml").write_text(own.replace("boolVariation", "isEnabled"))
    style = ("--style", str(tmp_path / "own.yml"), "--no-stage")
    done = flagged("flag", "new-checkout", "--value", "false", *style)
    assert done.code == 0 and "+        b();" in done.text and "boolVariation" not in done.text


def test_the_graph_is_printed_in_three_forms(flagged: Project) -> None:
    scan = ("scan", "--pack", "clean/java/booleans", "--explain-cascade")
    assert "-> clean/java/branches/if-true in parent" in flagged(*scan).text
    rules = {rule["id"]: rule for rule in json.loads(flagged(*scan, "--json").text)["rules"]}
    assert rules["clean/java/branches/if-true"]["when"] == "triggered"
    assert flagged(*scan, "--dot").text.startswith("digraph cascade {")
    assert flagged("scan", "--pack", "nobody/here", "--fix").code in (2, 3)


RULES = TEXTS["rules.yml"]
TEST = """\
id: seed
params: {NEW: done()}
files:
  a.py: {before: "seed(x)\\ndrop(x)\\ndrop(y)\\n", after: "first(x)\\ndone()\\ndrop(y)\\n"}
directories:
- {before: before, after: after}
"""


def test_a_cascade_is_tested_by_files_and_by_directories(project: Project) -> None:
    for path, text in {
        "sgconfig.yml": "ruleDirs: [rules]\ntestConfigs: [{testDir: tests}]\n",
        "rules/seed.yml": RULES,
        "tests/seed-test.yml": TEST,
        "tests/before/b.py": "drop(1)\nseed(1)\n",
        "tests/before/c.py": "drop(1)\n",
    }.items():
        (project.root / path).parent.mkdir(parents=True, exist_ok=True)
        (project.root / path).write_text(text)
    assert project("test", "--update").code == 0
    after = project.root / "tests" / "after"
    assert (after / "b.py").read_text() == "done()\nfirst(1)\n"
    assert (after / "c.py").read_text() == "drop(1)\n"
    assert project("test").code == 0
    (after / "b.py").write_text("done()\nsecond(1)\n")
    failed = project("test")
    assert failed.code == 1 and "b.py becomes:" in failed.text


HELD = TEXTS["held.yml"]
UPDATED = (
    HELD.replace("after: ''", "after: |2\n      first(x)\n      done()")
    .replace("after: null", "after: \"first('é')\\ndone()\"")
    .replace(
        "after: |\n      what is\n      wrong", "after: |2\n      if first(y):\n\n          done()"
    )
)


def test_an_update_writes_what_becomes_of_the_files_that_a_test_holds(project: Project) -> None:
    project.put("sgconfig.yml", "ruleDirs: [rules]\ntestConfigs: [{testDir: tests}]\n")
    project.put("rules/seed.yml", RULES)
    project.put("tests/seed-test.yml", HELD)
    assert project("test").code == 1 and project.read("tests/seed-test.yml") == HELD
    assert project("test", "--update").code == 0
    assert project.read("tests/seed-test.yml") == UPDATED
    assert project("test").code == 0
