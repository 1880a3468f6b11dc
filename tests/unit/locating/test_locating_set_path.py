"""What a route's or a client's literal becomes, and when it is left alone."""

from functools import partial
from pathlib import Path

import pytest

from astedit.engine.run_context import Run
from astedit.errors import AstEditError
from astedit.locating import routes, web
from astedit.operations import plan
from astedit.text.source import splice
from astedit.workspace.root import Workspace
from tests.support.cases import tree
from tests.support.lists import rows
from tests.support.located import find
from tests.support.requests import request_of
from tests.support.slowly import slow_after
from tests.support.web_trees import (
    CLIENTS,
    DJANGO,
    EXPRESS,
    FASTAPI,
    FLASK,
    SPRING,
    STARLETTE,
    inventory_of,
)

set_path = partial(request_of, "set_path")
ROWS = rows(Path(__file__).with_suffix(".txt"))

MORE = {
    "t.py": """
from fastapi import FastAPI
app = FastAPI()
@app.get("/both/{id:int}")
def both(id): pass
@app.get("/taken")
def taken(): pass
client = TestClient(app)
def test(): client.get("/taken")
""",
    "M.java": """
class M {
  @GetMapping({"/one", /* and */ "/two/{id}"})
  String m(@PathVariable(required = false) String id) { return ""; }
}
""",
}
TWICE = tree("set-path")["twice.py"]
FILES = {**FLASK, **FASTAPI, **DJANGO, **SPRING, **EXPRESS, **CLIENTS, **MORE}


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    (tmp_path / "astedit.toml").write_text('roots = ["."]\n')
    for path, text in FILES.items():
        place = tmp_path / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text)
    return Workspace(tmp_path)


@slow_after(
    8,
    "identifier, new, before, after",
    [
        ("/v1/users/{id:path}", "/v1/users/x/{id:path}", "/{id:path}", "/x/{id:path}"),
        ("GET /v1/users", "/v1/users/all", "", "/all"),
        ("/both/{id}", "/b/{id}", "/both/{id:int}", "/b/{id:int}"),
        ("/new/a", "/new/b/c", "/a", "/b/c"),
        ("/blog/<int:pk>/", "/blog/p/{pk}/", "<int:pk>/", "p/<int:pk>/"),
        ("/api/v1/any", "/api/v1/all", "/any", "/all"),
        ("/api/v1/a", "/api/v1/c", "/a", "/c"),
        ("POST /api/v1/b", "/api/v1/c/d", "b", "c/d"),
        ("GET /one/two", "/one/2", "/two", "/2"),
        ("GET /two", "/2", "/two", "/2"),
        ("GET /two/{id}", "/2/{id}", "/two/{id}", "/2/{id}"),
        ("/api/users/:id", "/api/people/{id}", "/users/:id", "/people/:id"),
        ("/files/*", "/f/*", "/files/*", "/f/*"),
        ("h /api/x", "/api/y/{i}", "/x/{i}", "/y/{i}"),
        ("smart /api/v1", "/api/v2/{id}", "/v1/${id}", "/v2/${id}"),
        ("b /z/q", "/z/r", "/q", "/r"),
        ("o /p", "/new/p", "/p", "/new/p"),
    ],
)
def test_one_literal_changes(
    workspace: Workspace, identifier: str, new: str, before: str, after: str
) -> None:
    request = set_path(workspace, identifier, new)
    made = plan(request, workspace, Run(inline=True))
    assert [(e.before, e.after) for file in made.files for e in file.edits] == [(before, after)]
    assert plan(request, workspace, Run(want_hunks=False)).fingerprint == made.fingerprint


@pytest.mark.parametrize(("identifier", "new", "code"), ROWS["refusals"])
def test_refusals(workspace: Workspace, identifier: str, new: str, code: str) -> None:
    with pytest.raises(AstEditError) as raised:
        set_path(workspace, identifier, new)
    assert raised.value.code == code, raised.value


def test_who_still_asks_is_listed(workspace: Workspace) -> None:
    made = plan(set_path(workspace, "/taken", "/free"), workspace, Run(inline=True))
    assert ["test at t.py:9" in hint for hint in made.hints] == [True]


@pytest.mark.parametrize("files", [FLASK, FASTAPI, STARLETTE, DJANGO, SPRING, EXPRESS, MORE])
def test_a_route_is_found_by_its_new_path(tmp_path: Path, files: dict[str, str]) -> None:
    inventory = inventory_of(tmp_path, files)
    for route in routes.routes(inventory, web.linked(inventory)):
        for old in route.templates:
            new = old.rstrip("/") + "/zz" + "/" * old.endswith("/")
            method = next(iter(route.node.methods), "")
            try:
                request = set_path(inventory.workspace, f"{method} {old}".strip(), new)
            except AstEditError as error:
                assert error.code in ("no_literal", "bad_path")
                continue
            (file,) = plan(request, inventory.workspace, Run(inline=True, want_hunks=False)).files
            place = tmp_path / file.path
            before = place.read_bytes()
            place.write_bytes(splice(before, [(e.start, e.end, e.new) for e in file.edits]))
            node = find(inventory.workspace, f"{method} {new}".strip(), "route").node
            assert node is not None, (old, new)
            assert (node.path, node.handler) == (route.node.path, route.node.handler)
            place.write_bytes(before)


def test_what_one_literal_says_twice_is_told(tmp_path: Path) -> None:
    workspace = inventory_of(tmp_path, {"app.py": TWICE}).workspace
    made = plan(set_path(workspace, "/v2/users", "/v2/q"), workspace, Run(inline=True))
    assert [(e.before, e.after) for file in made.files for e in file.edits] == [("/users", "/q")]
    assert made.hints[0] == "Changed too, by the same literal: /v1/users."
    assert ["/v1/users" in hint for hint in made.hints[1:]] == [True]


def test_a_file_that_moved_on_is_stale(workspace: Workspace) -> None:
    request = set_path(workspace, "/taken", "/free")
    (Path(workspace.root) / "t.py").write_text("# less\n")
    with pytest.raises(AstEditError) as raised:
        plan(request, workspace, Run(inline=True))
    assert raised.value.code == "stale"
