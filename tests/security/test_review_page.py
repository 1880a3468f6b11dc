"""The review page: whom it answers, what it lets be changed, and what its HTML can do."""

import json
import random
import socket
import stat
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from astedit import ast_edit
from astedit.loopback import MOST, SILENT_SECONDS
from astedit.staging.stage import stage
from astedit.staging.workspace_session import workspace_session
from astedit.web.guard import BODY, POLICY
from tests.support.pages import Page
from tests.support.patience import LAST
from tests.support.review_page import ServedPage, served_page

HOSTILE = "</textarea></pre><script>alert(1)</script>\" onclick='x' javascript:x \u202e\U000e0041"
OWN = {"style.css", "review.js", "./", "ledger", "favicon.ico"}
POSTS = ("/decide", "/comment", "/apply", "/discard")


def staged(tmp_path: Path, text: str = "f(1)\nf(2)\n", config: str = "") -> str:
    """A plan of two edits, in the state directory `state`."""
    root = tmp_path / "root"
    root.mkdir()
    (root / "astedit.toml").write_text(config)
    (root / "a.py").write_text(text)
    with workspace_session(str(root), str(tmp_path / "state"), who="a", create=True) as session:
        return stage(ast_edit([{"pat": "f($$$A)", "out": "g($$$A)"}], root=root), session).id


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServedPage]:
    folder = tmp_path_factory.mktemp("page")
    with served_page(folder / "root", folder / "state", staged(folder)) as served:
        yield served.entered()


Ways = dict[str, dict[str, list[str]]]


def ways_of(page: ServedPage) -> Ways:
    """What a change may have wrong, part by part; `right` is the right way."""
    here, port = page.host, page.port
    name, _, value = page.cookie.partition("=")
    return {
        "host": {
            "right": [here],
            "missing": [],
            "no port": ["127.0.0.1"],
            "other port": [f"127.0.0.1:{port + 1}"],
            "prefix": [f"{here}.example.org"],
            "rebound": [f"example.org:{port}"],
            "name": [f"localhost:{port}"],
            "twice": [here, here],
        },
        "origin": {
            "right": [f"http://{here}"],
            "missing": [],
            "null": ["null"],
            "other": ["http://example.org"],
            "prefix": [f"http://{here}.example.org"],
            "other port": [f"http://127.0.0.1:{port + 1}"],
            "https": [f"https://{here}"],
            "twice": [f"http://{here}", "http://example.org"],
        },
        "sec-fetch-site": {
            "right": ["same-origin"],
            "missing": [],
            "cross": ["cross-site"],
            "same site": ["same-site"],
            "none": ["none"],
            "twice": ["same-origin", "cross-site"],
        },
        "content-type": {
            "right": ["application/json"],
            "missing": [],
            "text": ["text/plain"],
            "form": ["application/x-www-form-urlencoded"],
            "parameter": ["application/json; charset=utf-8"],
        },
        "cookie": {
            "right": [page.cookie],
            "missing": [],
            "wrong": [f"{name}={value[:-1]}?"],
            "beginning": [f"{name}={value[:8]}"],
            "empty": [f"{name}="],
            "other name": [f"astedit-1={value}"],
            "twice": [f"{page.cookie}; {page.cookie}"],
        },
        "x-astedit-csrf": {
            "right": [page.csrf],
            "missing": [],
            "wrong": [page.csrf[:-1] + "?"],
            "empty": [""],
            "the cookie": [value],
        },
        "method": {
            "right": ["POST"],
            **{word: [word] for word in ("GET", "PUT", "DELETE", "OPTIONS", "HEAD", "PATCH")},
        },
    }


def single(ways: Ways) -> Iterator[dict[str, str]]:
    """Every cell with one fault."""
    right = dict.fromkeys(ways, "right")
    for part, several in ways.items():
        yield from (right | {part: which} for which in several if which != "right")


def several(ways: Ways, count: int) -> Iterator[dict[str, str]]:
    """Cells of any number of faults, the same ones in every run."""
    chance = random.Random(count)
    for _ in range(count):
        faulty = set(chance.sample(sorted(ways), chance.randint(2, len(ways))))
        yield {part: chance.choice(sorted(w)) if part in faulty else "right"
               for part, w in ways.items()}  # fmt: skip


def change(page: ServedPage) -> bytes:
    """A body that is right for every address: in a right request it changes something."""
    values: dict[str, object] = {
        "fingerprint": page.fingerprint,
        "revision": page.revision,
        "shown": [],
    }
    edit = Page(page.text).values("data-id")[0]
    values |= {"edits": [edit], "choice": "reject", "edit": edit, "text": "x", "reason": "r"}
    return json.dumps(values).encode()


def refused(page: ServedPage, ways: Ways, cells: Iterable[dict[str, str]]) -> int:
    """Sends every cell with a fault to each address in turn; returns how many there were."""
    body, before, sent = change(page), page.stored(), 0
    for cell in cells:
        if set(cell.values()) == {"right"}:
            continue
        values = {part: ways[part][which] for part, which in cell.items()}
        method = values.pop("method")[0]
        headers = [(name, value) for name, each in values.items() for value in each]
        path = POSTS[sent % len(POSTS)]
        status, answer, text = page.request(method, page.base + path, headers, body)
        garbled = cell["host"] in ("missing", "twice")  # what HTTP itself forbids
        assert status in ((400, 403) if garbled else (403, 405, 415)), (cell, status)
        assert not [name for name in answer if name.startswith("access-control-")]
        assert page.csrf not in text and page.cookie.partition("=")[2] not in text
        sent += 1
    assert page.stored() == before
    return sent


def test_a_wrong_cell_of_the_matrix_is_refused_and_changes_nothing(page: ServedPage) -> None:
    ways = ways_of(page)
    assert refused(page, ways, single(ways)) > 35


def test_a_right_request_with_the_same_body_changes_something(tmp_path: Path) -> None:
    with served_page(tmp_path / "root", tmp_path / "state", staged(tmp_path)) as served:
        page = served.entered()
        before = page.stored()
        assert page.request("POST", f"{page.base}/decide", page.right(), change(page))[0] == 200
        assert page.stored() != before


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_cells_of_several_faults_are_refused_too(page: ServedPage) -> None:
    ways = ways_of(page)
    assert refused(page, ways, several(ways, 5_000)) > 4_000


def test_the_link_opens_once_and_nothing_else_gives_a_secret(page: ServedPage) -> None:
    host = [("host", page.host)]
    secrets = (page.csrf, page.cookie.partition("=")[2])
    for path in (
        page.path,
        "/enter",
        "/enter?token=",
        "/enter?token=x",
        "/",
        "/review.js",
        "/?q=f",
        *(f"{page.base}{each}" for each in ("/enter?token=x", "/", "/review.js", "/?q=f", "")),
    ):
        status, headers, text = page.request("GET", path, host)
        assert status == 403 and "set-cookie" not in headers
        assert not any(secret in text for secret in secrets)
    for header in [
        ("sec-fetch-site", "cross-site"),
        ("sec-fetch-site", "same-site"),
        ("origin", "null"),
    ]:
        asked = [*host, ("cookie", page.cookie), header]
        assert page.request("GET", f"{page.base}/", asked)[0] == 403
    assert page.get("/nothing")[0] == 404
    assert page.get("/../a.py")[0] == page.get("/%2e%2e/a.py")[0] == 404


def test_the_cookie_and_the_headers_are_those_that_bind_a_browser(tmp_path: Path) -> None:
    with served_page(tmp_path / "root", tmp_path / "state", staged(tmp_path)) as page:
        _, headers, text = page.request("GET", page.path, [("host", page.host)])
        assert {"HttpOnly", "SameSite=strict", f"Path={page.base}/"} <= set(
            headers["set-cookie"].split("; ")
        )
        assert "Domain" not in headers["set-cookie"]
        page.cookie = headers["set-cookie"].partition(";")[0]
        for path in ("/", "/style.css", "/review.js", "/nothing"):
            answer = page.get(path)[1]
            assert answer["content-security-policy"] == POLICY
            assert answer["x-content-type-options"] == "nosniff"
            assert answer["cache-control"] == "no-store"
            assert answer["referrer-policy"] == "no-referrer"
            assert "server" not in answer
        assert not set(page.path.split("=")[1:]) & {text, page.cookie}


def test_only_this_machine_is_listened_to(page: ServedPage) -> None:
    lines = Path("/proc/net/tcp").read_text().splitlines()[1:]
    bound = {line.split()[1] for line in lines if line.split()[3] == "0A"}
    assert f"0100007F:{page.port:04X}" in bound and f"00000000:{page.port:04X}" not in bound
    assert stat.S_IMODE((page.state / "state.db").stat().st_mode) == 0o600


def test_a_body_that_is_too_long_or_no_request_changes_nothing(page: ServedPage) -> None:
    before = page.stored()
    assert page.request("POST", f"{page.base}/decide", page.right(), b"x" * (BODY + 1))[0] == 413
    for body in (b"", b"[]", b"\xff", b"[" * 100_000, b'{"fingerprint": 1}'):
        assert page.request("POST", f"{page.base}/decide", page.right(), body)[0] == 400
    for path, values in [
        ("/decide", {"edits": ["../a.py"], "choice": "accept"}),
        ("/decide", {"edits": "all", "choice": "accept"}),
        ("/decide", {"edits": [], "choice": "apply"}),
        ("/decide", {"group": "99", "choice": "accept"}),
        ("/comment", {"edit": "/etc/passwd", "text": "x"}),
        ("/apply", {"reason": "r"}),
        ("/apply", {"reason": " "}),
        ("/decide", {"edits": [], "choice": None, "revision": "1"}),
        ("/discard", {"reason": ""}),
        ("/discard", {"reason": "r", "fingerprint": "0" * 64}),
    ]:
        assert page.post(path, **values)[0] in (400, 409), (path, values)
    with socket.create_connection(("127.0.0.1", page.port)) as chunked:
        head = "".join(f"{name}: {value}\r\n" for name, value in page.right())
        chunked.sendall(
            f"POST {page.base}/decide HTTP/1.1\r\n{head}transfer-encoding: chunked\r\n\r\n".encode()
        )
        for _ in range(20):
            chunked.sendall(b"10000\r\n" + b"x" * 65_536 + b"\r\n")
        chunked.sendall(b"0\r\n\r\n")
        assert chunked.recv(12) == b"HTTP/1.1 400"
    assert page.stored() == before


def test_code_names_and_comments_are_text_in_the_page(tmp_path: Path) -> None:
    action_id = staged(tmp_path, f"f('''{HOSTILE}''')\n" + f"f({'x' * 1_000_000})\n")
    with served_page(tmp_path / "root", tmp_path / "state", action_id) as served:
        page = served.entered()
        for edit in Page(page.text).values("data-id"):
            page.post("/comment", edit=edit, text=HOSTILE)
        searched = f"/?q={'%22%3E%3Cscript%3E'}"
        for path in ("/", "/?split=1", searched, "/?group=%22%3E&page=x", "/ledger"):
            text = page.get(path)[2]
            parsed = Page(text)
            assert len(text) < 100_000
            assert [tag for tag in parsed.tags if tag == "script"] == ["script"]
            assert parsed.handlers == []
            assert {link.partition("?")[0] for link in parsed.loads} <= OWN
            assert not set("\u202e\U000e0041") & set(text)


@pytest.mark.slow
def test_the_page_ends_with_its_plan_or_when_nobody_comes(tmp_path: Path) -> None:
    action_id = staged(tmp_path)
    root, state = tmp_path / "root", tmp_path / "state"
    with served_page(root, state, action_id, idle=0.05) as page:
        page.thread.join(LAST)
        assert not page.thread.is_alive()
    with served_page(root, state, action_id) as page:
        assert page.entered().post("/discard", reason="r")[0] == 200
        page.thread.join(LAST)
        assert not page.thread.is_alive()


def test_where_a_person_approves_the_page_asks_for_the_fingerprint(tmp_path: Path) -> None:
    action_id = staged(tmp_path, config='policy = "human"\n')
    root, state = tmp_path / "root", tmp_path / "state"
    with served_page(root, state, action_id) as served:
        page = served.entered()
        page.post("/decide", edits=Page(page.text).values("data-id"), choice="accept")
        assert page.post("/apply", reason="r")[1]["code"] == "approval_missing"
        wrong = "ffff" if page.fingerprint[0] != "f" else "0000"
        assert page.post("/apply", reason="r", typed=wrong)[0] == 409
        assert page.post("/apply", reason="r", typed=page.fingerprint[:3])[0] == 409
        assert (root / "a.py").read_text() == "f(1)\nf(2)\n"
        assert page.post("/apply", reason="r", typed=page.fingerprint[:4])[0] == 200
    assert (root / "a.py").read_text() == "g(1)\ng(2)\n"
    with workspace_session(str(root), str(state), who="a") as session:
        (row,) = session.records.audit(action_id=action_id, outcome="approved")
        assert row.code == page.fingerprint


@pytest.mark.parametrize("shown", [5, "x", [5], {"a": 1}])
@pytest.mark.parametrize("path", ["/decide", "/comment", "/apply", "/discard"])
def test_what_is_shown_of_an_odd_type_is_refused_before_anything_is_done(
    tmp_path: Path, path: str, shown: object
) -> None:
    with served_page(tmp_path / "root", tmp_path / "state", staged(tmp_path)) as served:
        page = served.entered()
        before = page.stored()
        values = {"edits": [], "choice": "accept", "edit": "", "text": "", "reason": "r"}
        assert page.post(path, shown=shown, **values)[0] == 400
        assert page.stored() == before


def test_connections_that_bring_no_request_leave_the_page_answering(tmp_path: Path) -> None:
    """Those that say nothing make room; whoever has the link is answered."""
    with served_page(tmp_path / "root", tmp_path / "state", staged(tmp_path)) as served:
        silent = [
            socket.create_connection(("127.0.0.1", served.port), timeout=SILENT_SECONDS / 2)
            for _ in range(2 * MOST)
        ]
        assert served.entered().get("/")[0] == 200
        for connection in silent[:MOST]:  # they were the oldest
            with suppress(ConnectionResetError):
                assert connection.recv(1) == b""
        for connection in silent:
            connection.close()


def test_the_cookie_alone_opens_nothing(page: ServedPage) -> None:
    """It is sent to every port of the machine: who has it there lacks the path of the page."""
    asked = [("host", page.host), ("cookie", page.cookie)]
    for path in ("/", "/ledger", "/review.js", "/style.css", "/wrong/", f"{page.base[:-1]}/"):
        status, _, text = page.request("GET", path, asked)
        assert status == 403 and page.csrf not in text
    assert page.request("POST", "/decide", page.right(), change(page))[0] == 403
    assert page.request("GET", f"{page.base}/", asked)[0] == 200
