"""Clients with whom they ask for what."""

from pathlib import Path

from astedit.locating import web
from tests.support.web_trees import CLIENTS, inventory_of


def test_clients(tmp_path: Path) -> None:
    inventory = inventory_of(tmp_path, CLIENTS)
    calls = web.clients(inventory, web.linked(inventory))
    assert [
        f"{node.library} {node.target}{'?' if node.target_unresolved else ''} {node.id[7:]}"
        for node in calls
    ] == [
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
