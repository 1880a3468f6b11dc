"""A review page that is served in this process, and requests to it byte by byte."""

import hashlib
import http.client
import json
import re
import socket
import sqlite3
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any, Self

from astedit.review.selectors import ALL, Selection
from astedit.staging.workspace_session import workspace_session
from astedit.web.application import IDLE, PageServer
from astedit.web.open_plan import OpenPlan
from astedit.workspace.config import load
from astedit.workspace.root import Workspace
from tests.support.patience import LAST

Headers = Sequence[tuple[str, str]]


class ServedPage:
    """Where the page is, and what a browser that came in by the link would send."""

    def __init__(self, link: str, state: Path, thread: threading.Thread) -> None:
        self.link, self.state, self.thread = link, state, thread
        self.host, _, path = link.removeprefix("http://").partition("/")
        self.path = f"/{path}"
        self.base = self.path.partition("/enter")[0]
        self.port = int(self.host.rpartition(":")[2])
        self.cookie = self.csrf = self.fingerprint = self.text = ""
        self.revision = 0

    def entered(self) -> Self:
        """Comes in by the link, and reads the first page."""
        status, headers, _ = self.request("GET", self.path, [("host", self.host)])
        assert status == 200
        self.cookie = headers["set-cookie"].partition(";")[0]
        _, _, self.text = self.get("/")
        for name in ("csrf", "fingerprint"):
            found = re.search(f'name="{name}" content="([^"]+)"', self.text)
            assert found
            setattr(self, name, found[1])
        return self

    def get(self, path: str) -> tuple[int, Mapping[str, str], str]:
        """A page, as the browser asks for it."""
        return self.request("GET", self.base + path, [("host", self.host), ("cookie", self.cookie)])

    def post(self, path: str, **values: Any) -> tuple[int, Any]:
        """A change, as the page sends it."""
        seen = {"fingerprint": self.fingerprint, "revision": self.revision, "shown": []}
        body = json.dumps(seen | values).encode()
        status, _, text = self.request("POST", self.base + path, self.right(), body)
        answer = json.loads(text)
        self.revision = answer.get("revision", self.revision)
        return status, answer

    def right(self) -> list[tuple[str, str]]:
        """The headers of a change, all of them right."""
        return [
            ("host", self.host),
            ("origin", f"http://{self.host}"),
            ("sec-fetch-site", "same-origin"),
            ("content-type", "application/json"),
            ("cookie", self.cookie),
            ("x-astedit-csrf", self.csrf),
        ]

    def request(
        self, method: str, path: str, headers: Headers, body: bytes = b""
    ) -> tuple[int, Mapping[str, str], str]:
        """One request over a socket of its own, whose every byte is given here."""
        head = "".join(f"{name}: {value}\r\n" for name, value in headers)
        length = f"content-length: {len(body)}\r\n" if body else ""
        with socket.create_connection(("127.0.0.1", self.port), timeout=LAST) as connection:
            close = "connection: close\r\n"
            request = f"{method} {path} HTTP/1.1\r\n{head}{length}{close}\r\n"
            with suppress(BrokenPipeError):  # it may be refused before all of it is sent
                connection.sendall(request.encode() + body)
            answer = http.client.HTTPResponse(connection, method=method)
            answer.begin()
            text = answer.read().decode()
            return answer.status, {k.lower(): v for k, v in answer.getheaders()}, text

    def stored(self) -> str:
        """A hash of all that the store holds."""
        place = f"file:{self.state / 'state.db'}?mode=ro"
        with closing(sqlite3.connect(place, uri=True)) as database:
            return hashlib.sha256("\n".join(database.iterdump()).encode()).hexdigest()


@contextmanager
def served_page(
    root: Path, state: Path, action_id: str, idle: float = IDLE, part: Selection = ALL
) -> Iterator[ServedPage]:
    """Serves the page of an action, or of a part of it, in a thread, and ends it."""
    with Workspace(str(root)) as workspace:
        settings = load(workspace)
    made = {"who": "cli", "inline": True, "config": settings}  # an apply here starts no worker
    sessions = partial(workspace_session, str(root), str(state), **made)
    server = PageServer(OpenPlan(sessions, action_id, settings, part), idle)
    thread = threading.Thread(target=server.run)
    thread.start()
    try:
        yield ServedPage(server.link, state, thread)
    finally:
        server.stop()
        thread.join(LAST)
