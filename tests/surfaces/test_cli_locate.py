"""The scenarios of the specification, each asked of Python and of the command line."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import astedit
from astedit.locating.result import TIER, BrokenEnvelope, Candidate, LocateResult
from tests.support.lists import rows
from tests.support.located import build
from tests.support.project import Project

CREATE = "sym:svc_a/app/main.py::OrderService.create"
SCENARIOS = {  # each with its row of the specification in its name
    status: [pytest.param(*values, id=f"{row} {values[0]}") for row, *values in entries]
    for status, entries in rows(Path(__file__).with_suffix(".txt")).items()
}
Ask = Callable[..., dict[str, Any]]


@pytest.fixture
def t1(project: Project) -> Project:
    (project.root / "astedit.toml").unlink()
    build(project.root)
    return project


@pytest.fixture(params=["python", "command"])
def ask(request: pytest.FixtureRequest, t1: Project) -> Ask:
    """The envelope as JSON, from `astedit.locate` or from `astedit locate --json`."""

    def python(identifier: str, kind: str | None = None) -> dict[str, Any]:
        return astedit.locate(identifier, kind, root=t1.root).to_json()

    def command(identifier: str, kind: str | None = None) -> dict[str, Any]:
        more = ["--kind", kind] if kind else []
        done = t1("locate", identifier, "--json", "--root", str(t1.root), *more)
        answer: dict[str, Any] = done.json
        assert done.code == 0 if answer["status"] == "one" else 1 if answer["success"] else 2
        return answer

    return python if request.param == "python" else command


def one(answer: dict[str, Any]) -> str:
    assert (answer["success"], answer["status"]) == (True, "one"), answer
    return str(answer["node"]["id"])


def many(answer: dict[str, Any]) -> list[tuple[str, str]]:
    assert (answer["success"], answer["status"]) == (True, "many"), answer
    assert answer["node"] is None and answer["message"]
    return [(each["node"]["id"], each["reason"]) for each in answer["candidates"]]


def none(answer: dict[str, Any]) -> str:
    assert (answer["success"], answer["status"]) == (True, "none"), answer
    assert answer["node"] is None and answer["candidates"] == []
    return str(answer["message"])


@pytest.mark.parametrize(("identifier", "kind", "expected"), SCENARIOS["one"])
def test_one_node_is_named(ask: Ask, identifier: str, kind: str, expected: str) -> None:
    assert one(ask(identifier, kind or None)) == expected


SMART = "client:svc_b/calls.py::smart_customers::GET /api/v1/customers"


@pytest.mark.parametrize(("identifier", "kind", "ids", "reasons"), SCENARIOS["many"])
def test_several_nodes_are_listed(
    ask: Ask, identifier: str, kind: str, ids: str, reasons: str
) -> None:
    found = many(ask(identifier, kind or None))
    assert [node for node, _ in found] == ids.split(", ")
    assert {reason for _, reason in found} == set(reasons.split(", "))
    assert found == many(ask(identifier, kind or None))


@pytest.mark.parametrize(("identifier", "kind", "said"), SCENARIOS["none"])
def test_nothing_is_named(ask: Ask, identifier: str, kind: str, said: str) -> None:
    assert said in none(ask(identifier, kind or None))


@pytest.mark.parametrize("identifier", ["", "   ", "a\nb", "a\x00b", "x" * 1025])  # row 15
def test_malformed_is_no_success(t1: Project, identifier: str) -> None:
    answer = astedit.locate(identifier, root=t1.root)
    assert (answer.success, answer.status) == (False, "none")
    assert (answer.message or "").startswith("Invalid identifier: ")
    if "\0" not in identifier:
        done = t1("locate", identifier, "--json")
        assert done.code == 2
        assert done.json == answer.to_json()


def test_what_is_no_text_is_malformed(t1: Project) -> None:
    assert not astedit.locate(7, root=t1.root).success  # type: ignore[arg-type]


def test_an_unknown_kind_is_a_bad_request(t1: Project) -> None:
    with pytest.raises(astedit.RequestError):
        astedit.locate("x", "file", root=t1.root)
    assert t1("locate", "x", "--kind", "file").code == 2


def test_a_wildcard_in_a_path_is_a_character(t1: Project, ask: Ask) -> None:  # 22
    t1.put(
        "web/app.js", "const app = require('express')();\napp.get('/files/*', (q, s) => s.end());\n"
    )
    assert one(ask("/files/*")) == "route:web/app.js::app::GET /files/*"
    none(ask("/files/a"))


def test_a_node_counts_once_with_its_best_reason(t1: Project, ask: Ask) -> None:  # 25, 27
    t1.put("svc_d/pkg.py", "def run(): pass\n")
    t1.put("svc_d/x/pkg.py", "def run(): pass\n")
    assert many(ask("pkg.run")) == [
        ("sym:svc_d/pkg.py::run", "exact_fqn"),
        ("sym:svc_d/x/pkg.py::run", "fqn_suffix"),
    ]
    assert one(ask("svc_d/x/pkg.py::run")) == "sym:svc_d/x/pkg.py::run"


def test_ten_candidates_in_the_order_of_their_ids(t1: Project, ask: Ask) -> None:  # 26
    for number in (9, 3, 11, 0, 7, 13, 1, 5, 12, 2, 10, 8, 4, 6):
        t1.put(f"svc_d/m{number:02}.py", "def handle(): pass\n")
    found = many(ask("handle"))
    assert [node for node, _ in found] == [f"sym:svc_d/m{n:02}.py::handle" for n in range(10)]
    assert found == many(ask("handle"))


def test_every_reason_occurs(ask: Ask) -> None:  # 29
    asked = [
        CREATE + "@9", "app.main.OrderService", "/api/v1/customers/{id}", "smartcare /api/v1",
        "OrderService.total", "OrderService", "smartcare",
    ]  # fmt: skip
    seen = {reason for each in asked[1:] for _, reason in many(ask(each))}
    assert seen | {"exact_id", "route_method_path"} == set(TIER)


def test_the_envelope_is_closed(t1: Project) -> None:  # 30
    node = astedit.locate(CREATE, root=t1.root).node
    assert node is not None
    with pytest.raises(ValueError, match="guess"):
        Candidate(node, 1.0, "guess")  # type: ignore[arg-type]
    with pytest.raises(BrokenEnvelope):
        LocateResult(True, "many", candidates=[Candidate(node, 1.0, "exact_id")], message="x")
    with pytest.raises(BrokenEnvelope):
        LocateResult(False, "none", message="no")
    answer = astedit.locate("OrderService", root=t1.root).to_json()
    assert answer["schema"] == "astedit/locate/1"
    assert LocateResult.model_validate(answer).to_json() == answer
    with pytest.raises(ValueError, match="extra"):
        LocateResult.model_validate(answer | {"extra": 1})
    answer["candidates"][0]["reason"] = "guess"
    with pytest.raises(ValueError, match="guess"):
        LocateResult.model_validate(answer)


def test_an_internal_failure_is_no_answer(t1: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> None:  # 31
        raise KeyError("index")

    monkeypatch.setattr("astedit.locating.symbols.by_name", broken)
    with pytest.raises(KeyError):
        astedit.locate("OrderService", root=t1.root)
    assert t1("locate", "OrderService", "--json").code == 5


def test_calls_of_one_place_are_numbered(t1: Project, ask: Ask) -> None:  # 43
    t1.put(
        "svc_d/c.py",
        "import requests\n\ndef f():\n    requests.get('http://cards/c')\n    requests.get('http://cards/c')\n",
    )
    found = [node for node, _ in many(ask("cards /c"))]
    assert found == ["client:svc_d/c.py::f::GET /c", "client:svc_d/c.py::f::GET /c@2"]


def test_a_feign_method_is_a_client_and_no_route(t1: Project, ask: Ask) -> None:  # 44
    t1.put(
        "svc_j/Api.java",
        '@RestController\nclass Api {\n  @GetMapping("/j/x")\n  String x() { return ""; }\n}\n',
    )
    t1.put(
        "svc_j/Remote.java",
        '@FeignClient(name = "jay")\ninterface Remote {\n  @GetMapping("/j/x")\n  String x();\n}\n',
    )
    assert one(ask("/j/x")) == "route:svc_j/Api.java::Api.x::GET /j/x"
    assert one(ask("jay")) == "client:svc_j/Remote.java::Remote.x::GET /j/x"


def test_an_unparsable_file_is_named(t1: Project, ask: Ask) -> None:  # 46
    t1.put("svc_d/bad.py", "def outer(:\n")
    answer = ask("app.main.outer")
    assert one(answer) == "sym:svc_a/app/main.py::outer"
    assert answer["message"] is None or "bad.py" in answer["message"]
    assert "svc_d/bad.py" in ask("outer")["message"]
    t1.put("svc_d/worse.py", "def lonely(:\n")
    assert "svc_d/worse.py (parse_error)" in none(ask("lonely"))


def test_a_reexport_is_none_and_names_the_definition(t1: Project, ask: Ask) -> None:  # 48
    t1.put("svc_d/pkg/__init__.py", "from .impl import Thing\nfrom pkg.loop import *\n")
    t1.put("svc_d/pkg/impl.py", "class Thing:\n    pass\n")
    t1.put("svc_d/pkg/loop.py", "from pkg import *\nfrom pkg import Lost as Lost\n")
    assert "pkg.impl.Thing" in none(ask("pkg.Thing"))
    none(ask("pkg.Lost"))  # a cycle ends


def stack(project: Project) -> list[Any]:
    found: list[Any] = project("pending", "--json", "--root", str(project.root)).json
    return found


@pytest.mark.parametrize("within", ["OrderService", "Nope", "", "_total"])  # 32, 33
def test_only_one_node_may_be_edited_within(t1: Project, within: str) -> None:
    before = t1.files()
    ops = [{"pat": "print($A, $B)", "out": "log($A, $B)"}]
    with pytest.raises(astedit.AstEditError) as raised:
        astedit.ast_edit(ops, within=within, root=t1.root)
    assert ("svc_b/app/main.py::OrderService" in str(raised.value)) == (within == "OrderService")
    done = t1("edit", "-p", ops[0]["pat"], "-r", ops[0]["out"], "--within", within, "--json")
    assert done.code == (2 if not within else 3)
    assert "error" in done.json
    assert stack(t1) == []
    assert t1.files() == before


def test_an_edit_stays_inside_its_symbol(t1: Project) -> None:  # 34, 36
    before = t1.read("svc_a/app/main.py")
    done = t1("edit", "-p", "print($A, $B)", "-r", "log($A, $B)", "--within", CREATE, "--apply",
              "--reason", "r", "--root", str(t1.root))  # fmt: skip
    assert done.code == 0
    wanted = before.replace('print("create", item)', 'log("create", item)')
    assert t1.read("svc_a/app/main.py") == wanted != before
    plan = astedit.ast_edit(
        [{"pat": "return $A", "out": "return ($A)"}], within=CREATE, root=t1.root
    )
    assert (plan.total_replacements, plan.files_touched) == (1, 1)
    assert plan.request.within is None
    assert [region.id for region in plan.request.regions] == [CREATE]


@pytest.mark.parametrize(("flags", "count"), [([], 2), (["--body-only"], 1)])  # 35
def test_a_decorator_belongs_to_its_function(t1: Project, flags: list[str], count: int) -> None:
    command = ["-p", '"create"', "-r", '"made"', "--within", CREATE, "--json", "--no-stage"]
    assert t1("edit", *command, *flags, "--root", str(t1.root)).json["totalReplacements"] == count
    plan = astedit.ast_edit(
        [{"pat": '"create"', "out": '"made"'}], within=CREATE, body_only=bool(flags), root=t1.root
    )
    assert plan.total_replacements == count


def test_a_search_stays_inside_its_symbol(t1: Project) -> None:
    found = astedit.search("print($A, $B)", within=CREATE, root=t1.root)
    assert [match.text for match in found.matches] == ['print("create", item)']
    done = t1("search", "-p", "print($A, $B)", "--within", CREATE, "--root", str(t1.root))
    assert done.text.count("print") == 1


def test_a_moved_target_is_stale(t1: Project) -> None:  # 37
    command = ["edit", "-p", "print($A, $B)", "-r", "log($A, $B)", "--within", CREATE]
    root = ["--root", str(t1.root)]
    assert t1(*command, *root).code == 0
    t1.put("svc_a/app/main.py", "# above\n" + t1.read("svc_a/app/main.py"))
    before = t1.files()
    done = t1("resolve", "apply", "--reason", "r", *root, "--json")
    assert (done.code, done.json["error"]["code"]) == (3, "stale")
    assert t1.files() == before
    assert len(stack(t1)) == 1
    assert t1(*command, *root).code == 0


def test_a_method_is_renamed_where_it_is_meant(t1: Project) -> None:  # 38
    plan = astedit.rename(CREATE, "place", root=t1.root)
    done = t1("rename", CREATE, "place", "--root", str(t1.root), "--json", "--no-stage")
    assert [file.path for file in plan.files] == [f["path"] for f in done.json["files"]]
    assert {file.path for file in plan.files} == {"svc_a/app/main.py", "svc_a/app/use.py"}


@pytest.mark.parametrize(
    ("new", "code", "exit_code"),
    [("cancel", "collision", 3), ("class", "bad_name", 2), ("2x", "bad_name", 2)],
)
def test_a_bad_new_name_is_refused(t1: Project, new: str, code: str, exit_code: int) -> None:
    with pytest.raises(astedit.AstEditError) as raised:  # 39, 40
        astedit.rename(CREATE, new, root=t1.root)
    assert raised.value.code == code
    done = t1("rename", CREATE, new, "--root", str(t1.root), "--json")
    assert (done.code, done.json["error"]["code"]) == (exit_code, code)
    assert stack(t1) == []


def test_a_route_gets_another_path(t1: Project) -> None:  # 41
    route = "GET /api/v1/customers"
    plan = astedit.set_path(route, "/api/v1/clients", root=t1.root)
    assert [(edit.before, edit.after) for file in plan.files for edit in file.edits] == [
        ("/customers", "/clients")
    ]
    assert any(SMART in hint for hint in plan.hints)
    done = t1("set-path", route, "/api/v1/clients", "--root", str(t1.root), "--json")
    assert done.json["actionId"] and done.json["hints"] == plan.hints
    assert t1("resolve", "apply", "--reason", "r", "--root", str(t1.root)).code == 0
    assert '@router.get("/clients")' in t1.read("svc_a/app/api.py")
    assert "/api/v1/customers" in t1.read("svc_b/calls.py")


def test_a_prefix_of_another_literal_stays(t1: Project) -> None:  # 42
    route = "GET /api/v1/customers"
    with pytest.raises(astedit.PreconditionError, match=r"APIRouter .*3 routes"):
        astedit.set_path(route, "/api/v2/customers", root=t1.root)
    done = t1("set-path", route, "/api/v2/customers", "--root", str(t1.root), "--json")
    assert (done.code, done.json["error"]["code"]) == (3, "prefix")
    assert stack(t1) == []


def test_a_preview_is_not_seen(t1: Project) -> None:  # 45
    root = ["--root", str(t1.root)]
    action = t1("rename", "app.main.outer", "inside_out", *root, "--json").json["actionId"]
    assert action in none(t1("locate", "inside_out", "--json", *root).json)
    assert one(t1("locate", "app.main.outer", "--json", *root).json).endswith("::outer")
    message = astedit.locate("inside_out", root=t1.root).message
    assert message is not None and action in message


def test_people_read_places_and_ids(t1: Project) -> None:
    assert t1("locate", "app.main.outer").text == (
        "svc_a/app/main.py:27: function app.main.outer\n    sym:svc_a/app/main.py::outer\n"
    )
    assert "short_name" in t1("locate", "OrderService").text
    assert json.loads(t1("locate", "x y", "--json").out)["status"] == "none"


def test_t1_is_what_the_specification_says(tmp_path: Path) -> None:
    assert sorted(path.name for path in build(tmp_path).iterdir()) == ["svc_a", "svc_b", "svc_c"]
