"""What the page's addresses do: pages by GET, changes by POST; and the server, till it ends."""

import asyncio
import json
import time
from collections.abc import Awaitable, Callable
from contextlib import closing
from pathlib import Path
from typing import Any, TypeVar, get_args

from starlette.applications import Starlette
from starlette.background import BackgroundTask
from starlette.requests import ClientDisconnect, Request
from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp

from astedit.errors import AstEditError, RequestError
from astedit.json_model import FLAG, TEXT, TEXTS, SchemaCheck, object_of
from astedit.loopback import authority, listen, server
from astedit.page.sections import style
from astedit.review.causes import consequence
from astedit.review.decisions import ReviewChoice
from astedit.review.excerpt import CONTEXT
from astedit.review.ledger.model import PlaceLedger
from astedit.review.units import is_cascade
from astedit.web.guard import ENTER, Entrance, PageGuard
from astedit.web.open_plan import EACH, OpenPlan, PageView
from astedit.web.review_page import MOST_FILES, code_of, counts, ledger_page, review_page
from resolve import ToolError
from resolve.visible import visible

Value = TypeVar("Value")

_HERE = Path(__file__).parent
MOST_CONTEXT = 200  # lines on each side of an edit
Values = dict[str, Any]
_ENTERED = (
    '<link rel="icon" href="favicon.ico"><meta http-equiv="refresh" content="0; url=./">'
    '<p><a href="./">To the review</a></p>'
)


def application(
    plan: OpenPlan, entrance: Entrance, visited: Callable[[], None], ended: Callable[[], None]
) -> ASGIApp:
    """The page of a plan for one person; `ended` is called once it was applied or discarded."""
    desk = _Desk(plan, entrance, ended)
    routes = [
        Route(ENTER, desk.enter),
        Route("/", desk.page),
        Route("/ledger", desk.ledger),
        Route("/style.css", _asset("web.css", "text/css", style)),
        Route("/review.js", _asset("review.js", "text/javascript", lambda: "")),
        Route("/favicon.ico", lambda request: Response(status_code=204)),
        Route("/lines", desk.lines),
        *(Route(f"/{name}", desk.changing(work), methods=["POST"]) for name, work in CHANGES),
        *(Route(f"/{name}", desk.ending(work), methods=["POST"]) for name, work in ENDINGS),
    ]
    return PageGuard(Starlette(routes=routes), entrance, visited)


def _asset(name: str, kind: str, before: Callable[[], str]) -> Callable[[Request], Response]:
    content = before() + (_HERE / name).read_text("utf-8")
    return lambda request: Response(content, media_type=kind)


class _Desk:
    """Answers one request at a time, each in a thread: all of them may block."""

    def __init__(self, plan: OpenPlan, entrance: Entrance, ended: Callable[[], None]) -> None:
        self._plan = plan
        self._entrance = entrance
        self._ended = ended
        self._counting = asyncio.Lock()
        self._ledger: PlaceLedger | None = None

    async def enter(self, request: Request) -> Response:
        """Exchanges the token of the link for the cookie."""
        if not self._entrance.admits(request.query_params.get("token", "")):
            error = {"error": "This link was used, or is of another run: start the review again."}
            return JSONResponse(error, 403)
        response = HTMLResponse(_ENTERED)  # a redirect would lack the cookie, were it of a site
        response.set_cookie(
            self._entrance.cookie_name,
            self._entrance.cookie,
            httponly=True,
            samesite="strict",
            path=f"/{self._entrance.path}/",
        )
        return response

    async def page(self, request: Request) -> Response:
        """The review page."""
        view = PageView.of(request.query_params)

        def made() -> str:
            self._plan.review.refresh()
            return review_page(self._plan, view, self._entrance.csrf)

        return _page(await self._alone(made))

    async def ledger(self, request: Request) -> Response:
        """The tab of what the plan does not cover; meanwhile the other one answers.

        It is counted once, since that takes seconds, and again where somebody asks for it.
        """
        async with self._counting:
            if self._ledger is None or request.query_params.get("again") == "1":
                self._ledger = await asyncio.to_thread(self._plan.ledger)
            ledger = self._ledger

        def made() -> str:
            self._plan.review.refresh()
            return ledger_page(self._plan, ledger, self._entrance.csrf)

        return _page(await self._alone(made))

    async def lines(self, request: Request) -> Response:
        """The code of one edit with more lines around it, as HTML."""
        query = request.query_params
        lines = query.get("context", "")
        context = int(lines) if lines.isascii() and lines.isdigit() and len(lines) < 4 else CONTEXT

        def code() -> str:
            edit = self._plan.edit(query.get("edit", ""))
            excerpt = self._plan.excerpts([edit], min(context, MOST_CONTEXT))[edit.edit.id]
            return code_of(edit, excerpt, query.get("split") == "1")

        try:
            return _page(await self._alone(code))
        except AstEditError as error:
            return JSONResponse(_refusal(error), 400)

    def changing(self, work: "DeskChange") -> Callable[[Request], Awaitable[Response]]:
        """Makes a change, and answers with what is decided by now.

        What the edits stand in is kept once that is sent: it takes longer than the change.
        """

        def done(values: Values) -> dict[str, Any]:
            self._plan.review.seen_until(values["revision"])
            work(self._plan, values)
            return self._state(values)

        async def answer(request: Request) -> Response:
            response = await self._answered(request, done)
            response.background = BackgroundTask(self._alone, self._plan.review.keep_contexts)
            return response

        return answer

    def ending(self, work: "DeskEnding") -> Callable[[Request], Awaitable[Response]]:
        """Applies or discards the plan, with which the page ends."""

        async def answer(request: Request) -> Response:
            said = await self._answered(request, lambda values: {"text": work(self._plan, values)})
            if said.status_code == 200:
                self._ended()
            return said

        return answer

    async def _answered(
        self, request: Request, work: Callable[[Values], dict[str, Any]]
    ) -> Response:
        """The answer to a change; of one that is refused with what is decided by now."""
        try:
            values = _PAGE.value(await _document(request), _CHANGE)
            if values["fingerprint"] != self._plan.plan.fingerprint:
                raise RequestError("The page shows another plan: load it again.")
            return JSONResponse(await self._alone(lambda: work(values)))
        except RequestError as error:
            return JSONResponse(_refusal(error), 400)
        except (AstEditError, ToolError) as error:
            state = await self._alone(lambda: self._state(values))
            return JSONResponse(_refusal(error) | {"state": state}, 409)

    async def _alone(self, work: Callable[[], Value]) -> Value:
        def locked() -> Value:
            with self._plan.lock:
                return work()

        return await asyncio.to_thread(locked)

    def _state(self, values: Values) -> dict[str, Any]:
        """What the page shows of the review; of its own edits each one's choice."""
        plan, review = self._plan, self._plan.review
        review.refresh()
        progress = plan.progress()
        groups = {}
        for key in plan.groups:
            own = plan.progress(key)
            sample = plan.sampled(key)
            groups[key] = {"mark": own.mark or "", "counts": counts(own), "sample": sample}
        files = {
            path: {"counts": counts(review.progress(ids)), "viewed": plan.viewed(path)}
            for path, ids in list(plan.files.items())[:MOST_FILES]
        }
        shown = [each for each in values.get("shown", ())[:EACH] if each in review.edits]
        return {
            "revision": review.revision,
            "progress": str(progress),
            "decided": progress.decided,
            "accepted": progress.accepted,
            "groups": groups,
            "files": files,
            "follows": self._follows(shown) if is_cascade(plan.plan) else {},
            "choices": {each: review.decision(each).choice for each in shown},
        }

    def _follows(self, shown: list[str]) -> dict[str, str]:
        """What goes with each edit, and with each group, if that is rejected."""
        plan = self._plan
        groups = {key: plan.ids(key) for key in plan.groups}
        named = {key: ids for key, ids in groups.items() if not {*shown}.isdisjoint(ids)}
        named |= {each: [each] for each in shown}
        return {key: consequence(plan.review, ids) for key, ids in named.items()}


_CHANGE = object_of(
    {
        **dict.fromkeys(("fingerprint", "file", "edit", "group", "text", "reason", "typed"), TEXT),
        "revision": {"type": "integer", "minimum": 0, "maximum": 1 << 53},
        "choice": TEXT | {"enum": get_args(ReviewChoice)},
        "viewed": FLAG,
        "edits": TEXTS,
        "shown": TEXTS,
    },
    "fingerprint",
    "revision",
)
"""What a change brings along; null as a choice takes a decision back."""
_PAGE = SchemaCheck(whole="The request")


def _needed(values: Values, name: str) -> Any:
    """What a change cannot do without; raises `RequestError`."""
    if name not in values:
        raise RequestError(f"`{name}` is missing.")
    return values[name]


def _reason(values: Values) -> str:
    reason: str = _needed(values, "reason").strip()
    if not reason:
        raise RequestError("A reason is needed.")
    return reason


def _decide(plan: OpenPlan, values: Values) -> None:
    choice = values.get("choice")
    if "group" in values:
        plan.decide_group(values["group"], choice)
    else:
        plan.decide(_needed(values, "edits"), choice)


DeskChange = Callable[[OpenPlan, Values], object]
DeskEnding = Callable[[OpenPlan, Values], str]
CHANGES: tuple[tuple[str, DeskChange], ...] = (
    ("undo", lambda plan, values: plan.review.undo()),
    ("redo", lambda plan, values: plan.review.redo()),
    ("view", lambda plan, sent: plan.view(_needed(sent, "file"), sent.get("viewed", False))),
    ("decide", _decide),
    (
        "comment",
        lambda plan, sent: plan.review.comment(_needed(sent, "edit"), _needed(sent, "text")),
    ),
)
"""What the page can have changed, by its address."""
ENDINGS: tuple[tuple[str, DeskEnding], ...] = (
    (
        "apply",
        lambda plan, sent: plan.apply(_reason(sent), sent["revision"], sent.get("typed", "")),
    ),
    ("discard", lambda plan, values: plan.discard(_reason(values))),
)


def _page(text: str) -> HTMLResponse:
    return HTMLResponse(text.encode("utf-8", "backslashreplace"))


def _refusal(error: AstEditError | ToolError) -> dict[str, Any]:
    return {"error": visible(str(error)), "hint": error.hint, "code": error.code}


async def _document(request: Request) -> Any:
    """The body, which is JSON."""
    try:
        return json.loads(await request.body())
    except (ValueError, RecursionError, ClientDisconnect) as error:
        raise RequestError("The request is no JSON, or too long.") from error


IDLE = 30 * 60.0  # seconds without a request
_LOOK = 1.0  # seconds between two looks at whether it is time to end


class PageServer:
    """The page of a plan on a free port of 127.0.0.1, for whoever has the `link`.

    It is served until it ended, its plan did, or nobody came for long. Decisions are kept as
    they are made, so however it ends loses none.
    """

    def __init__(self, plan: OpenPlan, idle: float = IDLE) -> None:
        self._plan = plan
        self._idle = idle
        self._last = time.monotonic()
        self._ended = False
        self._listening = listen("127.0.0.1:0")
        entrance = Entrance(authority(self._listening))
        self.link = entrance.link
        self._server = server(application(plan, entrance, self._visited, self._end), grace=2)

    def run(self) -> str:
        """Serves until it is over, and says why it is."""
        with closing(self._listening):
            return asyncio.run(self._served())

    def stop(self) -> None:
        """Ends it soon, from any thread."""
        self._server.should_exit = True

    async def _served(self) -> str:
        serving = asyncio.create_task(self._server.serve(sockets=[self._listening]))
        over = asyncio.create_task(self._over())
        await asyncio.wait({serving, over}, return_when=asyncio.FIRST_COMPLETED)
        self.stop()
        await serving
        if over.done():
            return over.result()
        over.cancel()
        return "The page has ended. Decisions are kept."

    def _visited(self) -> None:
        """Somebody asked for something."""
        self._last = time.monotonic()

    def _end(self) -> None:
        """The plan was applied or discarded here."""
        self._ended = True

    async def _over(self) -> str:
        """Waits until it is over, and says why."""
        while not self._ended:
            if time.monotonic() - self._last > self._idle:
                return "Nobody came for a long time: the page has ended. Decisions are kept."
            if not await asyncio.to_thread(lambda: self._plan.pending):
                return f"{self._plan.id} is no longer pending: the page has ended."
            await asyncio.sleep(_LOOK)
        return "The page has ended."
