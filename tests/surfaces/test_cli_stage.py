"""`astedit stage`: a plan of one job is applied in another, or nothing is."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from astedit.staging.imported_plan import read, remade
from astedit.workspace.root import Workspace
from tests.support.lists import rows
from tests.support.project import Outcome, Project

ROWS = rows(Path(__file__).with_suffix(".txt"))

EDIT = ("edit", "-p", "f($A)", "-r", "g($A)")


@pytest.fixture
def planned(project: Project) -> Project:
    """A project with a plan in `plan.json` beside it, and nothing staged."""
    project.write(a_py="f(1)\nx = 2\n", sub__b_py="h(f(2))\n")
    put(project, project(*EDIT, "--no-stage", "--json").json)
    return project


def place(project: Project) -> str:
    return str(project.root.parent / "plan.json")


def put(project: Project, document: Any) -> None:
    Path(place(project)).write_text(json.dumps(document))


def get(project: Project) -> Any:
    return json.loads(Path(place(project)).read_text())


def stage(project: Project, *args: str) -> Outcome:
    return project("stage", place(project), *args)


def test_a_plan_is_staged_and_applied_where_the_tree_is_the_same(planned: Project) -> None:
    preview = planned(*EDIT, "--no-stage")
    staged = stage(planned)
    assert (staged.code, staged.out) == (0, preview.out)
    assert "Staged as a" in staged.err and "2 replacements in 2 files" in staged.err
    assert planned.read("a.py") == "f(1)\nx = 2\n"
    assert planned("resolve", "apply", "--reason", "r").code == 0
    assert planned.read("a.py") == "g(1)\nx = 2\n"


def test_what_show_prints_is_a_plan_too(planned: Project) -> None:
    planned(*EDIT)
    put(planned, planned("show", "--format", "plan").json)
    document = stage(planned, "--json").json
    assert document["actionId"] and document["fingerprint"] == get(planned)["fingerprint"]
    assert len(planned("pending", "--json").json) == 2


def test_standard_input_is_read(planned: Project, typed: Callable[[bytes], None]) -> None:
    typed(Path(place(planned)).read_bytes())
    assert planned("stage", "-").code == 0


def test_another_tree_is_refused_with_every_difference(planned: Project) -> None:
    planned.write(a_py="f(1)\nx = 3\n", c_py="f(3)\n")
    (planned.root / "sub/b.py").unlink()
    refused = stage(planned)
    assert (refused.code, refused.out) == (3, b"")
    for line in ("a.py: changed", "c.py: newly matching", "sub/b.py: vanished"):
        assert f"  {line}\n" in refused.err
    assert stage(planned, "--json").json["error"]["code"] == "stale"
    assert planned("pending", "--json").json == []


def test_edits_that_are_not_those_of_the_fingerprint_are_refused(planned: Project) -> None:
    changes: list[Callable[[Any], Any]] = [
        lambda p: p["files"][0]["edits"][0].update(after="harmless(1)"),
        lambda p: p["files"].pop(),
        lambda p: p.update(totalReplacements=1),
        lambda p: p["files"][0].update(extra=1),
    ]
    for change in changes:
        document = get(planned)
        change(document)
        put(planned, document)
        assert stage(planned, "--json").json["error"]["code"] == "tampered"
        put(planned, planned(*EDIT, "--no-stage", "--json").json)
    assert planned("pending", "--json").json == []


def test_another_fingerprint_is_stale(planned: Project) -> None:
    put(planned, get(planned) | {"fingerprint": "0" * 64})
    assert stage(planned, "--json").json["error"]["code"] == "stale"


@pytest.mark.parametrize(("change",), ROWS["what is no plan is refused"])
def test_what_is_no_plan_is_refused(planned: Project, change: dict[str, Any]) -> None:
    put(planned, get(planned) | change)
    refused = stage(planned, "--json")
    error = refused.json["error"]
    assert refused.code == (3 if error["code"] == "stale" else 2), error
    assert error["code"] != "internal"
    assert planned("pending", "--json").json == []


@pytest.mark.parametrize(
    "text",
    [
        b"", b"\xff", b"[]", b"{", b"1", b"[" * 100_000, b'{"a":' * 100_000, b'{"a":1,"a":2}',
        b'{"schema":NaN}', b"9" * 10_000, b'{"error":{}}',
    ],
)  # fmt: skip
def test_hostile_text_is_refused(planned: Project, text: bytes) -> None:
    Path(place(planned)).write_bytes(text)
    refused = stage(planned, "--json")
    assert (refused.code, refused.json["error"]["code"]) == (2, "bad_plan")


@pytest.mark.parametrize("path", ["../x.py", "/etc/passwd", "a/../../x.py", "a\0b"])
def test_no_path_may_leave_the_root(planned: Project, path: str) -> None:
    plan = get(planned)
    plan["files"][0]["path"] = path
    put(planned, plan)
    assert stage(planned).code in (2, 3)
    for name in ("paths", "leftOut"):
        plan = planned(*EDIT, "--no-stage", "--json").json
        plan["request"][name] = [path]
        put(planned, plan)
        assert stage(planned).code in (2, 3)
    assert planned("pending", "--json").json == []


def test_a_missing_file_and_one_that_is_too_long_are_named(
    planned: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert planned("stage", "nowhere.json").code == 2
    monkeypatch.setattr("astedit.staging.imported_plan.MAX_SIZE", 100)
    refused = stage(planned, "--json")
    assert (refused.code, refused.json["error"]["code"]) == (2, "too_large")


def test_a_plan_of_a_symbol_holds_where_the_symbol_is_the_same(project: Project) -> None:
    project.write(a_py="class A:\n    def m(self):\n        f(1)\n\n\nf(2)\n")
    put(project, project(*EDIT, "--within", "A.m", "--no-stage", "--json").json)
    assert stage(project).code == 0
    outside = get(project)
    outside["request"]["regions"][0]["path"] = "../x.py"
    put(project, outside)
    assert stage(project).code in (2, 3)
    assert len(project("pending", "--json").json) == 1


def test_a_plan_of_a_rename_is_made_again(project: Project) -> None:
    project.write(a_py="class A:\n    def m(self):\n        return self.m\n")
    assert project("rename", "A.m", "n").code == 0
    put(project, project("show", "--format", "plan").json)
    assert stage(project).code == 0


def test_a_plan_of_another_encoding_is_compared_exactly(project: Project) -> None:
    project.put("a.py", "# coding: latin-1\nf('é')\n".encode("latin-1"))
    put(project, project(*EDIT, "--no-stage", "--json").json)
    assert stage(project).code == 0


def test_a_plan_beyond_its_limit_is_not_staged(planned: Project) -> None:
    put(planned, planned(*EDIT, "--max-files", "1", "--allow-partial", "--json").json)
    assert stage(planned).code == 0
    document = get(planned)
    document["request"]["allowPartial"] = False
    put(planned, document)
    assert stage(planned).code == 3


def test_reading_and_comparing_stage_nothing(planned: Project) -> None:
    from astedit.engine.run_context import Run

    with Workspace(planned.root) as workspace:
        given = read(Path(place(planned)).read_bytes(), workspace)
        plan = remade(given, workspace, Run())
    assert plan.fingerprint == given.fingerprint and plan.patch()
    assert plan.action_id is None
    assert planned("pending", "--json").json == []


RULE = "id: r\nlanguage: py\nrule: {pattern: f($A)}\nfix: g($A)\n"
HTML = {"hostLanguage": "html", "rule": {"kind": "text"}, "injected": "js"}


@pytest.mark.parametrize(
    "change",
    [
        {"suppressions": {"evil": "hint"}}, {"suppressions": {"unused-suppression": "loud"}},
        {"rules": [{}]}, {"rules": [{"id": "r"}]}, {"rules": [1]}, {"utils": [{}]},
        {"injections": [{}]}, {"injections": [{**HTML, "hostLanguage": "evil"}]},
        {"injections": [{**HTML, "injected": 1}]}, {"injections": [{**HTML, "rule": {"evil": 1}}]},
        {"languageGlobs": {"evil": ["*"]}}, {"languageGlobs": {"python": ["["]}},
        {"languageGlobs": {"python": [1]}},
    ],
    ids=json.dumps,
)  # fmt: skip
def test_a_plan_with_rules_that_somebody_changed_is_refused(
    planned: Project, change: dict[str, Any]
) -> None:
    plan = planned("scan", "--inline-rules", RULE, "--fix", "--no-stage", "--json").json
    assert plan["totalReplacements"] == 2
    put(planned, plan | {"request": plan["request"] | change})
    refused = stage(planned, "--json")
    error = refused.json["error"]
    assert refused.code == (3 if error["code"] == "stale" else 2), error
    assert error["code"] != "internal", error
