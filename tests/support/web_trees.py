"""One small tree for each framework, and one with calls of every client."""

from pathlib import Path

from astedit.locating.inventory.inventory import Inventory
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


def inventory_of(root: Path, files: dict[str, str]) -> Inventory:
    """The inventory of a tree of these files below `root`."""
    (root / "astedit.toml").write_text('roots = ["."]\n')
    for path, text in files.items():
        place = root / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text)
    return Inventory(Workspace(root))
