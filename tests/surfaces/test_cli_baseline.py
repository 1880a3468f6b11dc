"""`scan --baseline`: a ratchet from many findings to none, and bad files."""

import json
import os
from typing import Any

import pytest

from tests.support.project import Project

RULE = "id: no-print\nlanguage: python\nseverity: error\nrule: {pattern: print($$$A)}\n"
SCAN = ("scan", "-r", "r.yml", "--baseline", "known.json")

MANY = f'"rule": "r", "file": "a", "definition": "", "text": "", "count": {10**22}'


@pytest.fixture
def tree(project: Project) -> Project:
    project.put("r.yml", RULE)
    for number in range(10):
        calls = "".join(f"    print({at % 5})\n" for at in range(50))
        project.put(f"m{number}.py", f"def f{number}():\n{calls}")
    return project


def entries(project: Project) -> int:
    document = json.loads(project.read("known.json"))
    assert document["schema"] == "astedit/baseline/1"
    total: int = sum(entry["count"] for entry in document["findings"])
    assert total == sum(document["rules"].values())
    return total


def states(done: Any) -> list[str]:
    return [one["baselineState"] for one in done.json["runs"][0]["results"]]


def test_a_ratchet_goes_from_500_findings_to_none(tree: Project) -> None:
    assert tree(*SCAN).code == 2
    assert (tree(*SCAN, "--update-baseline").code, entries(tree)) == (0, 500)
    assert (
        len({entry["definition"] for entry in json.loads(tree.read("known.json"))["findings"]})
        == 10
    )
    left = 500
    for step in range(5):
        for number in (2 * step, 2 * step + 1):
            tree.put(f"m{number}.py", f"import log\n\ndef f{number}():\n    log.info(1)\n")
        for number in range(2 * step + 2, 10):  # what stays moves down, and is indented anew
            text = tree.read(f"m{number}.py").replace("print(3)", "print( 3 )")
            tree.put(f"m{number}.py", f"# moved\n\n\n{text}")
        left -= 100
        assert tree(*SCAN).code == 0
        strict = tree(*SCAN, "--strict-baseline")
        assert (strict.code, "100 fixed" in strict.err) == (1, True)
        assert tree(*SCAN, "--update-baseline").code == 0
        assert entries(tree) == left
        assert tree(*SCAN, "--strict-baseline").code == 0
    assert left == 0


def test_one_more_alike_finding_is_new_and_never_written(tree: Project) -> None:
    tree(*SCAN, "--update-baseline")
    text = tree.read("m3.py")
    tree.put("m3.py", text + "    print(2)\n")
    done = tree(*SCAN)
    assert done.code == 1
    assert done.text.startswith("m3.py:52:5: error[no-print]")
    assert done.text.count("error[") == 1
    assert tree(*SCAN, "--update-baseline").code == 1
    assert entries(tree) == 500
    tree.put("m3.py", text + "\n\ndef g():\n    print(2)\n")  # elsewhere it is another one
    assert tree(*SCAN).code == 1
    tree.put("r.yml", RULE.replace("error", "warning"))
    assert tree(*SCAN).code == 0


def test_sarif_says_which_are_new_unchanged_or_absent(tree: Project) -> None:
    tree(*SCAN, "--update-baseline")
    tree.put("m0.py", "def f0():\n    print(1)\n    print('new')\n")
    done = tree(*SCAN, "--format", "sarif")
    assert (states(done).count("new"), states(done).count("unchanged")) == (1, 451)
    assert states(done).count("absent") == 49
    listed = tree(*SCAN, "--json").json
    assert [one["text"] for one in listed if one["baselineState"] == "new"] == ["print('new')"]


def test_what_was_not_looked_at_is_not_fixed(tree: Project) -> None:
    tree(*SCAN, "--update-baseline")
    for args in (("m1.py",), ("--glob", "m1.py"), ("--off",)):
        assert " 0 fixed" in tree(*SCAN, *args).err, args
    (tree.root / "m1.py").unlink()
    assert " 50 fixed" in tree(*SCAN).err
    other = tree("scan", "--inline-rules", RULE.replace("no-print", "x"), *SCAN[3:])
    assert (other.code, " 0 fixed" in other.err) == (1, True)


def test_a_file_that_does_not_parse_keeps_what_is_known_of_it(tree: Project) -> None:
    tree(*SCAN, "--update-baseline")
    tree.put("m1.py", "def f1(:\n    print(1\n")
    assert (tree(*SCAN, "--update-baseline").code, entries(tree)) == (0, 500)


def test_any_name_of_a_file_and_of_a_rule(tree: Project) -> None:
    (tree.root / os.fsdecode(b"m\xe9.py")).write_text("print(1)\n")
    assert tree(*SCAN, "--update-baseline").code == 0
    assert (tree(*SCAN, "--strict-baseline").code, entries(tree)) == (0, 501)
    tree.put("r.yml", RULE.replace("no-print", r'"a\e[31m\nb"'))
    shown = tree("scan", "-r", "r.yml").text
    assert "\x1b" not in shown and "error[a" in shown and "31m" in shown


@pytest.mark.parametrize(
    ("content", "code"),
    [
        ("", "bad_baseline"),
        ("[]", "bad_baseline"),
        ('{"schema": "astedit/baseline/2", "findings": []}', "bad_baseline"),
        ('{"schema": "astedit/baseline/1", "findings": [{"rule": "r"}]}', "bad_baseline"),
        (f'{{"schema": "astedit/baseline/1", "findings": [{{{MANY}}}]}}', "bad_baseline"),
        (None, "no_baseline"),
    ],
)
def test_a_bad_or_missing_baseline_is_exit_2(tree: Project, content: str | None, code: str) -> None:
    if content is not None:
        tree.put("known.json", content)
    done = tree(*SCAN, "--json")
    assert (done.code, done.json["error"]["code"]) == (2, code)
    if content is not None:
        assert tree(*SCAN, "--update-baseline").code == 2
        assert tree.read("known.json") == content


@pytest.mark.parametrize(
    "args", [("--fix",), ("--limit", "1"), ("--update-baseline", "--glob", "x"), ("--stdin",)]
)
def test_flags_that_have_no_meaning_with_a_baseline(tree: Project, args: tuple[str, ...]) -> None:
    assert tree(*SCAN, *args).code == 2
    assert not (tree.root / "known.json").exists()
