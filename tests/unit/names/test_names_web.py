"""Routes with the prefixes that other files add, and clients with whom they ask for what."""

import time
from pathlib import Path

import pytest

from astedit.locating import clients, routes, web
from astedit.locating.frameworks.web_marks import may_say
from astedit.locating.inventory.inventory import Tree
from astedit.locating.urls import Address, address, begins, joined, normal
from astedit.workspace.root import Workspace

FLASK = {
    "app.py": """
from flask import Flask, Blueprint
bp = Blueprint("b", __name__, url_prefix="/old")
inner = Blueprint("i", __name__)
plain = Blueprint("p", __name__, url_prefix="/plain")
app = Flask(__name__)
app.register_blueprint(bp, url_prefix="/new")
bp.register_blueprint(inner, url_prefix="/in")
app.register_blueprint(plain)
@bp.route("/a")
def a(): pass
@inner.post("/b")
def b(): pass
@plain.route("/c", methods=["PUT", "get"])
def c(): pass
app.add_url_rule("/r", view_func=a, methods=["POST"])
@cache.get("/no")
@app.errorhandler(404)
def d(): pass
"""
}
FASTAPI = {
    "app/main.py": """
from fastapi import FastAPI
from app import users
from .admin import router as admin_router, sub
app = FastAPI()
app.include_router(users.router, prefix="/v1")
app.include_router(admin_router, prefix=settings.PREFIX)
app.mount("/sub", sub)
@app.get("/")
async def home(): pass
""",
    "app/users.py": """
from fastapi import APIRouter
router = APIRouter(prefix="/users")
@router.get("")
def every(): pass
@router.api_route("/{id:path}", methods=["PUT", "GET"])
def one(id): pass
""",
    "app/admin.py": """
from fastapi import APIRouter, FastAPI
router = APIRouter()
sub = FastAPI()
@router.post("/x")
def x(): pass
@sub.get("/y")
def y(): pass
""",
}
STARLETTE = {
    "s.py": """
from starlette.routing import Route, Mount
routes = [Mount("/m", routes=[Route("/n", endpoint=ep, methods=["GET"])]), Route("/o", ep)]
"""
}
DJANGO = {
    "proj/urls.py": """
from django.urls import path, include, re_path
extra = [path("e/", views.e)]
urlpatterns = [
    path("", views.index),
    path("blog/", include("blog.urls")),
    path("x/", include((extra, "x"))),
    re_path(r"^old/(?P<id>\\d+)$", views.Old.as_view()),
]
""",
    "blog/urls.py": """
from django.urls import path
urlpatterns = [path("<int:pk>/", views.detail, name="d")]
""",
    "blog/__init__.py": "",
}
SPRING = {
    "A.java": """
@RequestMapping("/api/v1")
class A {
  @GetMapping("/customers/{id}") String get(@PathVariable String id) { return ""; }
  @RequestMapping(value = {"/a", "b"}, method = {RequestMethod.POST, RequestMethod.PUT}) void p() {}
  @RequestMapping("/any") void any() {}
  @PostMapping void root() {}
}
@RequestMapping({"/one", "", BASE}) class Two { @GetMapping("/two") void two() {} }
@RequestMapping({}) class Bare { @GetMapping({}) void no() {} @GetMapping("/none") void none() {} }
@FeignClient(name = "remote") interface F { @GetMapping("/customers/{id}") String g(String id); }
"""
}
EXPRESS = {
    "app.js": """
const express = require('express');
const users = require('./routes/users');
const app = express();
app.use('/api', users);
app.use('/v2', require('./routes/items'));
app.use(express.json());
app.get('/files/*', (req, res) => { res.send(1); });
app.get('setting');
app.route('/x').get(a).post(b);
""",
    "routes/users.js": """
const { Router } = require('express');
const router = Router();
router.get('/users/:id', show);
router.all('/users', (req) => 1);
module.exports = router;
""",
    "routes/items.js": """
import KoaRouter from '@koa/router';
const r = new KoaRouter({ prefix: '/items' });
r.del('/:id', async (ctx) => {});
export default r;
""",
}


def tree_of(root: Path, files: dict[str, str]) -> Tree:
    (root / "astedit.toml").write_text('roots = ["."]\n')
    for path, text in files.items():
        place = root / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text)
    return Tree(Workspace(root))


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
            "GET /files/*, POST /x, GET /x, DELETE /v2/items/:id, GET /api/users/:id, ANY "
            "/api/users",
        ),
    ],
    ids=["flask", "fastapi", "starlette", "django", "spring", "express"],
)
def test_routes(tmp_path: Path, files: dict[str, str], expected: str) -> None:
    tree = tree_of(tmp_path, files)
    found = routes.routes(tree, web.linked(tree)[0])
    said = [f"{'? ' if one.node.prefix_unknown else ''}{one.node.name}" for one in found]
    assert ", ".join(said) == expected


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("application.properties", "a=1\nserver.servlet.context-path=/shop\n"),
        ("application.yml", "server:\n  servlet:\n    context-path: '/shop'\n"),
    ],
)
def test_springs_context_path_is_a_prefix(tmp_path: Path, name: str, text: str) -> None:
    tree = tree_of(tmp_path, {**SPRING, f"src/main/resources/{name}": text})
    found = routes.routes(tree, web.linked(tree)[0])
    assert found[0].node.template == "/shop/api/v1/customers/{id}"
    assert found[0].chains[0][0].made == "context path"


def test_a_route_of_two_paths_has_both(tmp_path: Path) -> None:
    tree = tree_of(tmp_path, SPRING)
    found = routes.routes(tree, web.linked(tree)[0])
    assert [one.templates for one in found][1] == ["/api/v1/a", "/api/v1/b"]


def test_routers_that_include_one_another_end(tmp_path: Path) -> None:
    text = "from fastapi import APIRouter\na = APIRouter(prefix='/a')\nb = APIRouter(prefix='/b')\n"
    text += "a.include_router(b)\nb.include_router(a)\n@a.get('/x')\ndef f(): pass\n"
    tree = tree_of(tmp_path, {"m.py": text})
    found = routes.routes(tree, web.linked(tree)[0])
    assert [one.templates for one in found] == [["/b/a/x"]]


def test_routers_that_all_include_one_another_end_soon(tmp_path: Path) -> None:
    text = "from fastapi import APIRouter\n"
    text += "".join(f"r{n} = APIRouter(prefix='/{n}')\n" for n in range(30))
    text += "".join(f"r{a}.include_router(r{b})\n" for a in range(30) for b in range(30))
    text += "".join(f"@r{n}.get('/x')\ndef f{n}(): pass\n" for n in range(30))
    tree = tree_of(tmp_path, {"m.py": text})
    started = time.monotonic()
    assert len(routes.routes(tree, web.linked(tree)[0])) == 30
    assert time.monotonic() - started < 20


def test_a_router_of_another_module_brings_its_prefix(tmp_path: Path) -> None:
    files = {
        "pkg/__init__.py": "from .r import router\n",
        "pkg/r.py": "from fastapi import APIRouter\nrouter = APIRouter(prefix='/p')\n",
        "pkg/use.py": "import fastapi\nfrom pkg import router\n@router.get('/x')\ndef f(): pass\n",
        "main.py": "from fastapi import FastAPI\nfrom pkg import router as r\napp = FastAPI()\n"
        "app.include_router(r, prefix='/v1')\n",
    }
    tree = tree_of(tmp_path, files)
    found = routes.routes(tree, web.linked(tree)[0])
    assert [one.templates for one in found] == [["/v1/p/x"]]


CLIENTS = {
    "c.py": """
import requests as r, httpx, urllib.request
from urllib.request import urlopen
from aiohttp import ClientSession
BASE = "http://h:1/api"
class C:
    def f(self, i):
        s = r.Session(); s.get(f"{BASE}/x/{i}")
        with httpx.Client(base_url="https://b/z") as c: c.post("/q")
        urlopen("http://u/p?x=1"); urlopen(urllib.request.Request("http://u/p", method="PUT"))
        r.request("delete", os.environ["URL"] + "/y"); r.get(url=settings.API_URL)
async def g():
    async with ClientSession() as s:
        async with s.get("http://a/b") as resp: pass
client = TestClient(app)
def t(): client.get("/users"); cache.get("http://no/no")
""",
    "c.ts": """
const BASE = 'http://smart:80/api';
const api = axios.create({ baseURL: process.env.SMART_URL });
export async function f(id: string) {
  await fetch(`${BASE}/v1/${id}`, { method: 'POST' });
  await api.get('/cards');
  axios.post("http://cards/x", {});
  got('https://h.com/y');
  fetch('/rel');
  axios({ url: 'http://z/q', method: 'put' });
}
""",
    "C.java": """
class C {
  RestTemplate rt; WebClient wc = WebClient.create("http://smart/base"); static final String U = "http://cards/";
  void p(String id) { rt.getForObject(U + "x/" + id, String.class); wc.get().uri("/q").retrieve();
    rt.exchange("http://o/p", HttpMethod.PATCH, null, String.class); }
}
@FeignClient(name = "remote", path = "/api")
interface F { @GetMapping("/c/{id}") String g(String id); }
""",
}


def test_clients(tmp_path: Path) -> None:
    tree = tree_of(tmp_path, CLIENTS)
    found = clients.clients(tree, web.linked(tree)[0])
    said = [
        f"{node.library} {node.target}{'?' if node.target_unresolved else ''} {node.id[7:]}"
        for node in found
    ]
    assert said == [
        "resttemplate cards C.java::C.p::GET /x/{id}",
        "webclient smart C.java::C.p::GET /base/q",
        "resttemplate o C.java::C.p::PATCH /p",
        "feign remote C.java::F.g::GET /api/c/{id}",
        "requests h c.py::C.f::GET /api/x/{i}",
        "httpx b c.py::C.f::POST /z/q",
        "urllib u c.py::C.f::GET /p",
        "urllib u c.py::C.f::PUT /p",
        "requests URL? c.py::C.f::DELETE /y",
        "requests API_URL? c.py::C.f::GET /",
        "aiohttp a c.py::g::GET /b",
        "test None c.py::t::GET /users",
        "fetch smart c.ts::f::POST /api/v1/{id}",
        "axios SMART_URL? c.ts::f::GET /cards",
        "axios cards c.ts::f::POST /x",
        "got h.com c.ts::f::GET /y",
        "fetch None c.ts::f::GET /rel",
        "axios z c.ts::f::PUT /q",
    ]


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        ("/items/<int:id>", "/items/{id}"),
        ("/items/{id:\\d+}", "/items/{id}"),
        ("/a/{id:[0-9]{2}}", "/a/{id}"),
        ("/x/:id(\\d+)/y", "/x/{id}/y"),
        ("/f/<path:p>", "/f/{p:path}"),
        ("/f/{p:path}", "/f/{p:path}"),
        ("/files/*", "/files/*"),
        ("/Case/", "/Case/"),
    ],
)
def test_the_normal_form_of_a_template(raw: str, expected: str) -> None:
    assert normal(raw) == expected
    assert normal(expected) == expected


def test_urls() -> None:
    assert joined("/a/", "/b") == joined("/a", "b") == "/a/b"
    assert joined("", "") == "/"
    assert address("http://u:p@smart:80/x?q#f") == Address("smart", False, "/x")
    assert address("{settings.URL}/x") == Address("URL", True, "/x")
    assert address("https://{host}/x") == Address("host", True, "/x")
    assert begins("/api/v1/cards", "/api/v1") and begins("/a", "/a/")
    assert not begins("/api/v1/cards", "/api/v1/c")


@pytest.mark.parametrize(
    ("text", "may"),
    [
        ("import requests\n", True),
        ("import os, \\\n  requests\n", True),
        ("from requests \\\n  import get\n", True),
        ("requests\\\n .get(url)\n", True),
        ("# it handles requests\n", False),
        ("from urllib.parse import urlsplit\n", False),
        ("from urllib import request\nrequest.Request(u)\n", True),
        ("from urllib.request import urlopen\n", True),
        ("a_quarter = 1\n", False),
        ("from quart import Quart\n", True),
        ("import quart_auth\n", True),
    ],
)
def test_a_glance_tells_a_library_from_a_word(text: str, may: bool) -> None:
    assert may_say("python", text.encode()) is may
