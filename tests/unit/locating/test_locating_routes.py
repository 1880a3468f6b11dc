"""Routes with the prefixes that other files add."""

from pathlib import Path

import pytest

from astedit.locating import routes, web
from tests.support.lists import rows
from tests.support.patience import ends
from tests.support.web_trees import DJANGO, EXPRESS, FASTAPI, FLASK, SPRING, STARLETTE, inventory_of

ROWS = rows(Path(__file__).with_suffix(".txt"))


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        (FLASK, "GET /new/a, POST /new/in/b, GET,PUT /plain/c, POST /r"),
        (FASTAPI, "? POST /x, GET /sub/y, GET /, GET /v1/users, GET,PUT /v1/users/{id:path}"),
        (STARLETTE, "GET /m/n, ANY /o"),
        (DJANGO, r"ANY /blog/<int:pk>/, ANY /x/e/, ANY /, ANY /^old/(?P<id>\d+)$"),
        (
            SPRING,
            "GET /api/v1/customers/{id}, POST,PUT /api/v1/a, ANY /api/v1/any, POST /api/v1, "
            "GET /one/two, GET /none",
        ),
        (
            EXPRESS,
            "GET /files/*, POST /x, GET /x, DELETE /v2/items/:id, "
            "GET /admin/doors, GET /api/users/:id, ANY /api/users",
        ),
    ],
    ids=["flask", "fastapi", "starlette", "django", "spring", "express"],
)
def test_routes(tmp_path: Path, files: dict[str, str], expected: str) -> None:
    inventory = inventory_of(tmp_path, files)
    every = routes.routes(inventory, web.linked(inventory))
    shown = [f"{'? ' if route.node.prefix_unknown else ''}{route.node.name}" for route in every]
    assert ", ".join(shown) == expected


@pytest.mark.parametrize(("name", "text"), ROWS["springs context path is a prefix"])
def test_springs_context_path_is_a_prefix(tmp_path: Path, name: str, text: str) -> None:
    inventory = inventory_of(tmp_path, {**SPRING, f"src/main/resources/{name}": text})
    every = routes.routes(inventory, web.linked(inventory))
    assert every[0].node.template == "/shop/api/v1/customers/{id}"
    assert every[0].chains[0][0].maker == "context path"


def test_a_route_of_two_paths_has_both(tmp_path: Path) -> None:
    inventory = inventory_of(tmp_path, SPRING)
    every = routes.routes(inventory, web.linked(inventory))
    assert [route.templates for route in every][1] == ["/api/v1/a", "/api/v1/b"]


def test_routers_that_include_one_another_end(tmp_path: Path) -> None:
    text = "from fastapi import APIRouter\na = APIRouter(prefix='/a')\nb = APIRouter(prefix='/b')\n"
    text += "a.include_router(b)\nb.include_router(a)\n@a.get('/x')\ndef f(): pass\n"
    inventory = inventory_of(tmp_path, {"m.py": text})
    every = routes.routes(inventory, web.linked(inventory))
    assert [route.templates for route in every] == [["/b/a/x"]]


def test_routers_that_all_include_one_another_end_soon(tmp_path: Path) -> None:
    text = "from fastapi import APIRouter\n"
    text += "".join(f"r{n} = APIRouter(prefix='/{n}')\n" for n in range(30))
    text += "".join(f"r{a}.include_router(r{b})\n" for a in range(30) for b in range(30))
    text += "".join(f"@r{n}.get('/x')\ndef f{n}(): pass\n" for n in range(30))
    inventory = inventory_of(tmp_path, {"m.py": text})
    with ends():
        assert len(routes.routes(inventory, web.linked(inventory))) == 30


def test_a_router_of_another_module_brings_its_prefix(tmp_path: Path) -> None:
    files = {
        "pkg/__init__.py": "from .r import *\n",
        "pkg/r.py": "from fastapi import APIRouter\nrouter = APIRouter(prefix='/p')\n",
        "pkg/use.py": "import fastapi\nfrom pkg import router\n@router.get('/x')\ndef f(): pass\n",
        "main.py": "from fastapi import FastAPI\nfrom pkg import router as r\napp = FastAPI()\n"
        "app.include_router(r, prefix='/v1')\n",
    }
    inventory = inventory_of(tmp_path, files)
    every = routes.routes(inventory, web.linked(inventory))
    assert [route.templates for route in every] == [["/v1/p/x"]]


@pytest.mark.parametrize(("made", "framework"), ROWS["routers"])
def test_a_router_is_of_the_framework_that_makes_it(
    tmp_path: Path, made: str, framework: str | None
) -> None:
    text = f"import express from 'express';\nconst r = {made};\nr.get('/x', show);\n"
    inventory = inventory_of(tmp_path, {"app.js": text})
    every = routes.routes(inventory, web.linked(inventory))
    assert [route.node.framework for route in every] == ([framework] if framework else [])
