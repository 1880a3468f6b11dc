"""`astedit rename` and `codemod`: planned from a name, behind the same gate."""

import os
from pathlib import Path

import pytest

import astedit
from astedit.errors import AstEditError
from resolve import MemoryStore, Session
from tests.support.cases import tree
from tests.support.lists import rows
from tests.support.project import Outcome, Project

ROWS = rows(Path(__file__).with_suffix(".txt"))

CREATE = "svc_a/app/main.py::OrderService.create"


@pytest.fixture
def services(project: Project) -> Project:
    """Two roots with a class of the same name, and a caller in another module."""
    service = "class OrderService:\n    def create(self): ...\n    def cancel(self): ...\n"
    project.put("svc_a/app/main.py", service)
    caller = "from app.main import OrderService\n\n\ndef go(x):\n    OrderService().create()\n"
    project.put("svc_a/app/api.py", caller + "    x.create()\n")
    project.put("svc_b/app/main.py", service)
    return project


def apply(project: Project, *args: str) -> Outcome:
    return project("resolve", "apply", "--reason", "tested", *args)


def test_a_method_is_renamed_with_its_caller_and_nothing_else(services: Project) -> None:
    before = services.files()
    staged = services("rename", CREATE, "place")
    assert staged.code == 0 and "+    OrderService().place()" in staged.text
    assert "svc_a/app/api.py:6: create may be this one" in staged.err
    assert services.files() == before
    listed = services("pending").text
    counts = "2 replacements in 2 files, 1 possible use not changed"
    assert f"rename OrderService.create → place, {counts}, just now\n" in listed
    assert "1 possible use not changed: see the hints." in staged.err.splitlines()[0]
    assert apply(services).text == f"Applied {listed.split()[0]}: 2 replacements in 2 files.\n"
    assert "def place" in services.read("svc_a/app/main.py")
    assert services.read("svc_b/app/main.py").encode() == before["svc_b/app/main.py"]
    services("undo")
    assert apply(services).code == 0
    assert services.files() == before


@pytest.mark.parametrize("identifier, new, code, words", ROWS["refusals stage nothing"])
def test_refusals_stage_nothing(
    services: Project, identifier: str, new: str, code: int, words: str
) -> None:
    refused = services("rename", identifier, new)
    assert refused.code == code and words in refused.err
    assert services("pending", "--json").json == []


@pytest.mark.parametrize(("identifier", "code", "words"), ROWS["what is no symbol"])
def test_what_is_no_symbol_is_told_what_it_is(
    services: Project, identifier: str, code: int, words: str
) -> None:
    services.put("broken.py", "def run(:\n")
    services.put("svc_a/app/__init__.py", "")
    services.put("svc_a/app/api.py", "from app.main import OrderService\n")
    refused = services("rename", identifier, "other", "--json")
    assert refused.code == code and words in refused.json["error"]["message"]


def test_json_and_check(services: Project) -> None:
    plan = services("rename", CREATE, "place", "--json").json
    assert plan["totalReplacements"] == 2 and plan["actionId"] and plan["hints"]
    assert plan["request"]["operation"]["kind"] == "rename"
    error = services("rename", CREATE, "cancel", "--json")
    assert error.code == 3 and error.json["error"]["code"] == "collision"
    assert services("rename", CREATE, "place", "--check", "-q").code == 1


@pytest.mark.parametrize("path", ["svc_a/app/main.py", "svc_a/app/api.py"])
def test_a_file_that_changed_makes_it_stale(services: Project, path: str) -> None:
    services("rename", CREATE, "place", "-q")
    services.put(path, services.read(path) + "\nprint()\n")
    refused = apply(services)
    assert refused.code == 3 and path in refused.err
    assert "create" in services.read("svc_a/app/api.py")


def test_a_new_reference_makes_it_stale_and_refresh_takes_it_in(services: Project) -> None:
    services("rename", CREATE, "place", "-q")
    services.put("svc_a/new.py", "from app.main import OrderService\nOrderService().create()\n")
    assert "newly matching" in apply(services).err
    assert apply(services, "--refresh").code == 3
    assert apply(services).code == 0
    assert services.read("svc_a/new.py").endswith("OrderService().place()\n")


def test_a_part_can_be_applied(services: Project) -> None:
    services("rename", CREATE, "place", "-q")
    assert apply(services, "--only", "svc_a/app/api.py").code == 0
    assert "place" in services.read("svc_a/app/api.py")
    assert "place" not in services.read("svc_a/app/main.py")


@pytest.mark.slow
def test_from_python(services: Project) -> None:
    session = Session(MemoryStore())
    plan = astedit.rename(CREATE, "place", root=services.root, session=session)
    assert plan.action_id == session.store.peek().id  # type: ignore[union-attr]
    with pytest.raises(AstEditError) as refused:
        astedit.rename(CREATE, "place", root=services.root, session=session, dry_run=False)
    assert refused.value.code == "not_staged"
    session.resolve("apply", "tested")
    assert "place" in services.read("svc_a/app/main.py")
    with pytest.raises(AstEditError) as gone:
        astedit.rename(CREATE, "place", root=services.root)
    assert gone.value.code == "not_found"


def test_other_languages_are_renamed_in_one_file(project: Project) -> None:
    project.put("a.ts", "export function go() {\n  const sum = 1;\n  return { sum };\n}\ngo();\n")
    local = project("rename", "a.ts::go.sum", "all", "--no-stage")
    assert local.code == 0 and "+  return { sum: all };" in local.text
    assert "syntactic" in local.err
    for name, words in (("class", "is a keyword"), ("typeof", "a keyword of TypeScript")):
        refused = project("rename", "a.ts::go.sum", name)
        assert refused.code == 2 and words in refused.err
    assert project("rename", "a.ts::go.sum", "type", "--no-stage").code == 0
    followed = project("rename", "a.ts::go", "run", "--no-stage")
    assert followed.code == 0 and "+run();" in followed.text
    assert project("rename", "a.ts::go", "typeof").code == 2
    public = project("rename", "a.ts::go", "run", "--allow-syntactic")
    assert public.code == 0 and "+run();" in public.text


def test_a_local_name_is_no_member_and_takes_no_other(project: Project) -> None:
    project.put("a.ts", "function go(o) {\n  const sum = 1, all = 2;\n  return o.sum + sum;\n}\n")
    renamed = project("rename", "a.ts::go.sum", "whole", "--no-stage")
    assert renamed.code == 0 and "+  return o.sum + whole;" in renamed.text
    refused = project("rename", "a.ts::go.sum", "all", "--json")
    assert refused.code == 3 and refused.json["error"]["code"] == "collision"


def test_what_says_that_it_is_private_needs_no_flag(project: Project) -> None:
    body = "{ return 1; }\n  int b() { return total(); }\n}\n"
    project.put("A.java", "class A {\n  private int total() " + body)
    project.put("B.java", "class B {\n  int total() " + body)
    renamed = project("rename", "A.java::A.total", "count", "--no-stage")
    assert renamed.code == 0 and "return count();" in renamed.text
    refused = project("rename", "B.java::B.total", "count", "--json")
    assert refused.code == 3 and refused.json["error"]["code"] == "public_name"


CODEMODS = tree("cli-rename")["own.py"]
MODERN = ("--codemod", "modern=own_codemods:Modern")


@pytest.fixture
def codemods(project: Project, monkeypatch: pytest.MonkeyPatch) -> Project:
    """A project, and a module with a codemod outside of it."""
    place = project.root.parent / "modules"
    place.mkdir()
    (place / "own_codemods.py").write_text(CODEMODS)
    monkeypatch.syspath_prepend(str(place))
    project.put("a.py", 'x = "é"; old(1)  # c\r\ny = 2\r\nold(\r\n  3)\r\n')
    return project


@pytest.mark.slow
def test_a_codemod_becomes_small_edits_behind_the_gate(codemods: Project) -> None:
    plan = codemods("codemod", "modern", *MODERN, "--json").json
    edits = [(edit["before"], edit["after"]) for edit in plan["files"][0]["edits"]]
    assert edits == [("old", "new"), ("old", "new")]
    assert plan["request"]["operation"] == {"kind": "codemod", "arguments": {"id": "modern"}}
    assert apply(codemods, *MODERN).code == 0
    assert codemods.files()["a.py"] == 'x = "é"; new(1)  # c\r\ny = 2\r\nnew(\r\n  3)\r\n'.encode()


def test_only_the_user_says_which_class_runs(codemods: Project) -> None:
    assert codemods("codemod", "modern").code == 3
    codemods("codemod", "modern", *MODERN, "-q")
    refused = apply(codemods)
    assert refused.code == 3 and "--codemod modern=MODULE:CLASS" in refused.err
    codemods.put("astedit.toml", '[codemods]\nmodern = "own_codemods:Modern"\n')
    ignored = apply(codemods)
    assert ignored.code == 3 and "not for a repository to set" in ignored.err


@pytest.mark.slow
def test_the_users_configuration_may_name_it(
    codemods: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = codemods.root.parent / "home"
    (home / "astedit").mkdir(parents=True)
    (home / "astedit/config.toml").write_text('[codemods]\nmodern = "own_codemods:Modern"\n')
    monkeypatch.setenv("XDG_CONFIG_HOME", os.fspath(home))
    assert codemods("codemod", "modern").code == 0
    assert apply(codemods).code == 0


@pytest.mark.slow
def test_a_codemod_that_dies_costs_one_file(codemods: Project) -> None:
    codemods.put("b.py", "die()\n")
    refused = codemods("codemod", "modern", *MODERN)
    assert refused.code == 4 and "b.py" in refused.err
    partial = codemods("codemod", "modern", *MODERN, "--allow-partial")
    assert partial.code == 0 and "1 crashed" in partial.err
    assert apply(codemods, *MODERN).code == 0


@pytest.mark.parametrize(
    "target, words",
    [
        ("os:path", "no libcst Codemod"),
        # Python's own words, each in a worker that has loaded libcst:
        pytest.param("own_codemods:Nothing", "has no attribute", marks=pytest.mark.slow),
        pytest.param("no_such_module:A", "No module named", marks=pytest.mark.slow),
    ],
)
def test_a_class_that_cannot_be_run_is_named(codemods: Project, target: str, words: str) -> None:
    refused = codemods("codemod", "modern", "--codemod", f"modern={target}")
    assert refused.code == 3 and words in refused.err


def test_a_malformed_class_is_a_bad_request(codemods: Project) -> None:
    assert codemods("codemod", "m", "--codemod", "m=a b:C").code == 2


@pytest.mark.parametrize("command", ["rename", "stage"])
def test_what_stages_applies_checks_and_shows_as_edit_does(
    project: Project, tmp_path: Path, command: str
) -> None:
    project.write(a_py="def old():\n    return 1\n\n\nold()\n")
    words = ["rename", "sym:a.py::old", "new"]
    if command == "stage":
        plan = tmp_path / "plan.json"
        plan.write_bytes(project(*words, "--no-stage", "--json").out)
        words = ["stage", str(plan)]
    assert (project(*words, "--check").code, project(*words, "--no-stage").code) == (1, 0)
    assert project(*words, "--no-stage", "--stat").text.startswith(" a.py | ")
    assert project("pending", "--json").json == []
    assert project(*words, "--apply").code == 2
    assert project(*words, "--apply", "--reason", "clearer", "--json").json["applied"] is True
    assert project.read("a.py") == "def new():\n    return 1\n\n\nnew()\n"
    assert project("log", "--json").json[0]["reason"] == "clearer"


def test_a_changed_signature_is_applied_and_undone(services: Project) -> None:
    before = services.files()
    staged = services(*("signature", CREATE, "--add", "when: int", "--default-for-callers", "3"))
    assert staged.code == 0 and "+    OrderService().create(when=3)" in staged.text
    assert "svc_a/app/api.py:6: create may be this one" in staged.err
    assert apply(services).code == 0 and services("undo").code == 0
    assert apply(services).code == 0
    assert services.files() == before
    refused = services("remove", CREATE)
    assert refused.code == 3 and "svc_a/app/api.py:5: OrderService().create()" in refused.err
