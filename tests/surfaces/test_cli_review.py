"""`astedit review`: how far a review is, and its decisions as a document."""

import json

import pytest

from tests.support.project import Project


@pytest.fixture
def staged(project: Project) -> Project:
    project.write(a_py="f(1)\nf(2)\nf(f(2))\n", b_py="f(3)\n")
    assert project("edit", "-p", "f($$$A)", "-r", "g($$$A)").code == 0
    return project


def test_decisions_go_out_and_come_in(staged: Project) -> None:
    assert staged("review", "--export", "r.json").code == 0
    document = json.loads(staged.read("r.json"))
    assert document == staged("review", "--json").json
    reasons = [entry["reason"] for entry in document["edits"]]
    assert sorted(reasons, key=str) == [None, None, None, "like no other edit"]
    part = staged("review", "--json", "--only", document["edits"][0]["id"]).json
    assert part["edits"] == document["edits"][:1] and part["progress"]["edits"] == 1
    for entry in document["edits"]:
        entry["decision"] = "reject" if entry["path"] == "b.py" else "accept"
    document["edits"][0]["comment"] = "why\x1b[31m\u202e?"
    staged.put("in.json", json.dumps(document))
    done = staged("review", "--import", "in.json")
    assert (done.code, done.err.splitlines()[-1]) == (
        0, "4 decisions taken over: 4 of 4 decided, 1 rejected.")  # fmt: skip
    assert staged("review", "--summary").text.splitlines() == [
        "4 of 4 decided, 1 rejected, 0 undecided; 1 comment",
        "  [~] shape:1         3 of 3  f($$$A) → g($$$A)",
        "  [x] shape:2         1 of 1  f($$$A) → g($$$A) ($$$A is a call, with matches inside)",
        "  a.py:1: accept, cli: why\\x1b[31m\\u202e?",
    ]


@pytest.mark.parametrize("arguments", [[], ["--check"], ["--json"], ["--apply", "--reason", "r"]])
def test_an_interactive_edit_needs_a_person(project: Project, arguments: list[str]) -> None:
    project.write(a_py="f(1)\n")
    assert project("edit", "-i", "-p", "f($A)", "-r", "g($A)", *arguments).code == 2
    assert project("review").code == 3  # nothing was staged


def test_a_document_is_refused_with_its_fault_and_nothing_is_kept(staged: Project) -> None:
    document = staged("review", "--json").json
    document["edits"][1] |= {"decision": "yes"}
    staged.put("in.json", json.dumps(document))
    done = staged("review", "--import", "in.json")
    assert done.code == 2
    assert "`edits[1].decision` has no choice 'yes'" in done.err
    assert "One of: accept, reject." in done.err
    assert staged("review", "--json").json["revision"] == 0
    assert staged("review", "--export", "in.json").code == 3  # never over a file that is there


def test_what_is_resolved_can_be_read_and_no_more_decided(staged: Project) -> None:
    document = staged("review", "--json").json
    assert staged("resolve", "discard", "--reason", "r").code == 0
    document["edits"][0]["decision"] = "accept"
    staged.put("in.json", json.dumps(document))
    assert staged("review").code == 3  # nothing is pending
    assert staged("review", document["actionId"]).text.startswith("0 of 4 decided")
    refused = staged("review", document["actionId"], "--import", "in.json")
    assert refused.code == 3 and "already discarded" in refused.err
